package media

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"iter"

	"golang.org/x/image/webp"
)

// header has the properties of an image before decoding.
type header struct {
	kind          string // its content type
	width, height int
	memory        int64 // an upper bound of the bytes for decoding
	orientation   orientation
}

// kinds lists the first bytes of the accepted types.
var kinds = map[string]func(body []byte) (header, error){
	"image/jpeg": jpegHeader,
	"image/png":  pngHeader,
	"image/gif":  gifHeader,
	"image/webp": webpHeader,
}

// TypeOf returns the content type that an image has by its first bytes, "" for anything but
// [AcceptedTypes].
func TypeOf(body []byte) string {
	switch {
	case bytes.HasPrefix(body, []byte("\xff\xd8\xff")):
		return "image/jpeg"
	case bytes.HasPrefix(body, []byte(pngSignature)):
		return "image/png"
	case bytes.HasPrefix(body, []byte("GIF87a")), bytes.HasPrefix(body, []byte("GIF89a")):
		return "image/gif"
	case len(body) >= 12 && string(body[:4]) == "RIFF" && string(body[8:12]) == "WEBP":
		return "image/webp"
	}
	return ""
}

// readHeader returns the header of an upload that may be decoded. Errors: [ErrUnsupportedType],
// [*InvalidError].
func readHeader(kind string, body []byte) (header, error) {
	read := kinds[kind]
	if read == nil {
		return header{}, ErrUnsupportedType
	}
	if len(body) > MaxBody {
		return header{}, invalid(nil, "The image file must have at most %d MiB.", MaxBody>>20)
	}
	switch found := TypeOf(body); {
	case len(body) == 0:
		return header{}, invalid(nil, "The image file is empty.")
	case found == "":
		return header{}, invalid(nil, "The file must be a JPEG, PNG, WebP or GIF image.")
	case found != kind:
		return header{}, invalid(nil, "The file is %s, but was sent as %s.", found, kind)
	}
	h, err := read(body)
	if err != nil {
		return header{}, decodeError(err)
	}
	switch h.kind = kind; {
	case h.width < 1 || h.height < 1:
		return header{}, invalid(nil, "The image file is damaged.")
	case h.width > MaxSide || h.height > MaxSide:
		return header{}, invalid(nil, "The image has %d × %d pixels: each side must have at most %d.", h.width, h.height, MaxSide)
	case h.memory > maxMemory:
		return header{}, invalid(nil, "The image has %d × %d pixels, which is too large to process. Save it smaller, for example %d pixels wide.",
			h.width, h.height, maxStoredSide)
	}
	return h, nil
}

const pngSignature = "\x89PNG\r\n\x1a\n"

// pngHeader reads the chunk IHDR, which the decoder requires to be the first.
func pngHeader(body []byte) (header, error) {
	const size = len(pngSignature) + 8 + 13 // with length and name of the chunk
	if len(body) < size {
		return header{}, invalid(nil, "The image file is incomplete. Send it again.")
	}
	b := body[len(pngSignature):size]
	if binary.BigEndian.Uint32(b) != 13 || string(b[4:8]) != "IHDR" {
		return header{}, fmt.Errorf("read PNG: no IHDR")
	}
	b = b[8:]
	width, height, depth, interlaced := binary.BigEndian.Uint32(b), binary.BigEndian.Uint32(b[4:]), b[8], b[12] != 0
	perPixel := int64(4)
	if depth == 16 {
		perPixel = 8
	}
	h := header{width: clampSide(width), height: clampSide(height), orientation: pngOrientation(body)}
	h.memory = int64(h.width) * int64(h.height) * perPixel
	if interlaced {
		h.memory += h.memory / 2 // the last pass is an image of half the size
	}
	return h, nil
}

// clampSide returns a side as an int whose product with another fits into 64 bits.
func clampSide(n uint32) int { return int(min(n, 1<<30)) }

// pngOrientation returns the orientation in the chunk eXIf.
func pngOrientation(body []byte) orientation {
	for name, chunk := range pngChunks(body) {
		if name == "eXIf" {
			o, _ := exifOrientation(chunk[8 : len(chunk)-4])
			return o
		}
	}
	return upright
}

// pngChunks iterates over the whole chunks of a PNG file by name. A chunk begins with its length
// and name, and ends with its checksum.
func pngChunks(body []byte) iter.Seq2[string, []byte] {
	return func(yield func(string, []byte) bool) {
		for rest := body[len(pngSignature):]; len(rest) >= 12; {
			size := 12 + int64(binary.BigEndian.Uint32(rest))
			if size > int64(len(rest)) || !yield(string(rest[4:8]), rest[:size]) {
				return
			}
			rest = rest[size:]
		}
	}
}

// pngPixels reads a PNG file without the chunks that change no pixel. The decoder would check their
// checksums, and browsers do not.
type pngPixels struct {
	next func() (name string, chunk []byte, ok bool)
	rest []byte // of the signature or a chunk
}

func newPNGPixels(body []byte) (r *pngPixels, stop func()) {
	next, stop := iter.Pull2(pngChunks(body))
	return &pngPixels{next, body[:len(pngSignature)]}, stop
}

func (r *pngPixels) Read(p []byte) (int, error) {
	for len(r.rest) == 0 {
		name, chunk, ok := r.next()
		if !ok {
			return 0, io.EOF
		}
		if name[0] >= 'A' && name[0] <= 'Z' || name == "tRNS" { // upper case: critical
			r.rest = chunk
		}
	}
	n := copy(p, r.rest)
	r.rest = r.rest[n:]
	return n, nil
}

// gifHeader reads the logical screen, in which the decoder requires every frame to lie.
func gifHeader(body []byte) (header, error) {
	if len(body) < 10 {
		return header{}, invalid(nil, "The image file is incomplete. Send it again.")
	}
	h := header{width: int(binary.LittleEndian.Uint16(body[6:])), height: int(binary.LittleEndian.Uint16(body[8:])), orientation: upright}
	h.memory = int64(h.width) * int64(h.height) * 4
	return h, nil
}

// webpHeader reads the canvas. The decoder requires the frame to equal it. The tables of a lossless
// image are not included, see [webpMemory].
func webpHeader(body []byte) (header, error) {
	h := header{orientation: upright}
	perPixel := int64(4)
	for name, chunk := range webpChunks(body) {
		switch {
		case name == "ANIM" || name == "ANMF":
			return header{}, invalid(nil, "Animated WebP is not supported. Save the image as a JPEG, PNG or GIF.")
		case name == "ALPH":
			perPixel = 7 // a decoded image of its own, and the pixels
		case name == "EXIF":
			if o, ok := exifOrientation(bytes.TrimPrefix(chunk, []byte(exifPrefix))); ok {
				h.orientation = o
			}
		}
	}
	config, err := webp.DecodeConfig(bytes.NewReader(body))
	if err != nil {
		return header{}, err
	}
	h.width, h.height = config.Width, config.Height
	h.memory = int64(h.width) * int64(h.height) * perPixel
	return h, nil
}

// webpChunks iterates over the whole chunks of a WebP file by name.
func webpChunks(body []byte) iter.Seq2[string, []byte] {
	return func(yield func(string, []byte) bool) {
		for rest := body[12:]; len(rest) >= 8; {
			size := int64(binary.LittleEndian.Uint32(rest[4:]))
			if size > int64(len(rest))-8 || !yield(string(rest[:4]), rest[8:8+size]) {
				return
			}
			rest = rest[min(8+size+size%2, int64(len(rest))):]
		}
	}
}
