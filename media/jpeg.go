package media

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"iter"
)

// Written by hand: image/jpeg limits neither scans nor memory, and does not return the segment
// with the orientation.

// maxScans limits the scans of a JPEG: each makes the decoder visit the whole image, even if it has
// few bytes. Encoders write about ten.
const maxScans = 100

var errNoFrame = errors.New("read JPEG: no frame header")

// Markers of segments.
const (
	startOfScan = 0xda
	endOfImage  = 0xd9
	exifMarker  = 0xe1
)

// jpegSegments iterates over the segments of a JPEG by marker, exactly as the decoder reads them,
// so that there are not two opinions about the image. It ends where the image does: phones append
// films.
func jpegSegments(body []byte) iter.Seq2[byte, []byte] {
	return func(yield func(byte, []byte) bool) {
		for rest := body[2:]; ; {
			marker, after, ok := nextMarker(rest)
			if !ok || marker == endOfImage {
				return
			}
			var segment []byte
			if segment, rest, ok = cutSegment(after); !ok || !yield(marker, segment) {
				return
			}
		}
	}
}

// nextMarker returns the first marker that begins a segment, and what follows it.
func nextMarker(rest []byte) (marker byte, after []byte, ok bool) {
	for {
		start := bytes.IndexByte(rest, 0xff)
		if start < 0 || len(rest) < start+2 {
			return 0, nil, false
		}
		rest = rest[start+1:]
		if rest[0] == 0 { // not a marker
			rest = rest[1:]
			continue
		}
		for rest[0] == 0xff { // padding
			if rest = rest[1:]; len(rest) == 0 {
				return 0, nil, false
			}
		}
		marker, rest = rest[0], rest[1:]
		if isRestart := marker >= 0xd0 && marker <= 0xd7; !isRestart {
			return marker, rest, true
		}
	}
}

// cutSegment returns the segment at the start of b, and what follows it.
func cutSegment(b []byte) (segment, after []byte, ok bool) {
	if len(b) < 2 {
		return nil, nil, false
	}
	size := int(binary.BigEndian.Uint16(b))
	if size < 2 || size > len(b) {
		return nil, nil, false
	}
	return b[2:size], b[size:], true
}

// jpegHeader reads the segments up to the frame header.
func jpegHeader(body []byte) (header, error) {
	h := header{orientation: upright}
	for marker, segment := range jpegSegments(body) {
		exif, isEXIF := bytes.CutPrefix(segment, []byte(exifPrefix))
		switch {
		case marker == exifMarker && isEXIF:
			if o, ok := exifOrientation(exif); ok {
				h.orientation = o
			}
		case marker >= 0xc0 && marker <= 0xc2:
			return jpegFrame(h, marker == 0xc2, segment, body)
		case marker == startOfScan:
			return header{}, errNoFrame
		}
	}
	return header{}, io.ErrUnexpectedEOF
}

// jpegFrame reads the frame header.
func jpegFrame(h header, progressive bool, frame, body []byte) (header, error) {
	if len(frame) < 6 || len(frame) != 6+3*int(frame[5]) {
		return header{}, errors.New("read JPEG: wrong frame header")
	}
	h.height, h.width = int(binary.BigEndian.Uint16(frame[1:])), int(binary.BigEndian.Uint16(frame[3:]))
	components := frame[6:]
	var hMax, vMax int
	for c := components; len(c) > 0; c = c[3:] {
		hMax, vMax = max(hMax, int(c[1]>>4)), max(vMax, int(c[1]&15))
	}
	if hMax == 0 || vMax == 0 {
		return header{}, errors.New("read JPEG: no sampling")
	}
	blocks := func(side, sampling int) int64 { return int64((side + 8*sampling - 1) / (8 * sampling)) }
	units := blocks(h.width, hMax) * blocks(h.height, vMax)
	var samples int64
	for c := components; len(c) > 0; c = c[3:] {
		samples += units * 64 * int64(c[1]>>4) * int64(c[1]&15)
	}
	h.memory = samples
	if progressive {
		h.memory += 4 * samples // the coefficients of all scans
	}
	if len(components) == 4*3 || len(components) == 3*3 && mayBeRGB(components, body) {
		h.memory += 4 * int64(h.width) * int64(h.height) // converted into another image
	}
	scans := 0
	for marker := range jpegSegments(body) {
		if marker == startOfScan {
			scans++
		}
	}
	if scans > maxScans {
		return header{}, invalid(nil, "The image is stored in a form that is not supported. Save it again as an ordinary JPEG or PNG.")
	}
	return h, nil
}

// mayBeRGB reports whether the decoder may find that the components are not luminance and chroma.
func mayBeRGB(components, body []byte) bool {
	if components[0] == 'R' && components[3] == 'G' && components[6] == 'B' {
		return true
	}
	const adobe, transform = "Adobe", 11 // the offset of the transform in the segment
	for rest := body; ; {
		i := bytes.Index(rest, []byte(adobe))
		if i < 0 {
			return false
		}
		if rest = rest[i:]; len(rest) > transform && rest[transform] == 0 {
			return true
		}
		rest = rest[len(adobe):]
	}
}
