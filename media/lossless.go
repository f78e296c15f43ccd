package media

import (
	"encoding/binary"
	"errors"
	"io"
)

// Constants of the lossless format of WebP (RFC 9649).
const (
	literalCodes  = 256
	lengthCodes   = 24
	distanceCodes = 40
	maxCacheBits  = 11
	maxCodeLength = 15
	codesPerGroup = 5
)

// Upper bounds of the decoder's allocations, in bytes.
const (
	groupMemory  = 2680 // a group of prefix codes without their nodes
	codeMemory   = 1024 // a code, and the code of its lengths
	symbolMemory = 8    // a symbol of an alphabet: its length and its code
	nodesMemory  = 16   // a symbol that has a code: two nodes
)

var (
	errPrefixCode  = errors.New("lossless WebP: a code is damaged")
	errPixels      = errors.New("lossless WebP: pixels are damaged")
	errTransforms  = errors.New("lossless WebP: transforms are damaged")
	errManyTables  = errors.New("lossless WebP: more tables than may be decoded")
	errShortStream = io.ErrUnexpectedEOF
)

// webpMemory returns an upper bound of the bytes that decoding a WebP takes, and an error if it is
// more than maxMemory. It is the only use of the parser of lossless streams, which nothing simpler
// replaces: neither the pixels nor the length of the file bound the memory. A lossless image may
// have 65,536 groups of prefix codes, of up to 50 KiB each, and their number follows from an image
// before the pixels. So a file of 4 × 4 pixels and 164 KB makes the decoder allocate 170 MiB, and
// one of 195 KB 281 MiB. A group of 2,680 bytes may take 20 bits, so a limit on the length would
// have to refuse lossless images of more than 94 KB. Reading what stands before the pixels, without
// storing it, took 0.03 ms for an image whose decoding took 0.3 ms.
func webpMemory(body []byte, h header) (total int64, err error) {
	framed := false
	for name, chunk := range webpChunks(body) {
		framed = framed || name == "VP8 " || name == "VP8L"
		var stream []byte
		switch {
		case name == "VP8 ":
			total += int64(h.width+15)*int64(h.height+15)*3/2 + int64(len(chunk))
		case name == "VP8L" && len(chunk) >= 5:
			stream = chunk[5:]
		case name == "ALPH" && len(chunk) >= 1:
			total += int64(h.width) * int64(h.height)
			if chunk[0]&3 == 1 { // compressed as a lossless image
				stream = chunk[1:]
			}
		}
		if stream == nil {
			continue
		}
		l := lossless{data: stream, memory: total}
		if err := l.readPrefix(h.width, h.height); err != nil {
			return 0, err
		}
		total = l.memory
	}
	if !framed { // the decoder allocates the size that a chunk claims
		return 0, errShortStream
	}
	return total, nil
}

// lossless reads a lossless stream up to its pixels, as the decoder does, and counts the memory
// that the decoder allocates for it. Input that the decoder would refuse is an error here too.
type lossless struct {
	data    []byte
	bit     int // the position in data
	memory  int64
	codes   [codesPerGroup]prefixCode
	lengths [literalCodes + lengthCodes + 1<<maxCacheBits]uint8
}

// allocate counts memory of the decoder.
func (l *lossless) allocate(bytes int64) error {
	if l.memory += bytes; l.memory > maxMemory {
		return errManyTables
	}
	return nil
}

// readPrefix reads the transforms, and the data before the pixels of the image itself.
func (l *lossless) readPrefix(width, height int) error {
	var seen [4]bool
	for {
		more, err := l.read(1)
		if err != nil {
			return err
		}
		if more == 0 {
			break
		}
		kind, err := l.read(2)
		if err != nil {
			return err
		}
		if seen[kind] {
			return errTransforms
		}
		seen[kind] = true
		if width, err = l.readTransform(kind, width, height); err != nil {
			return err
		}
	}
	return l.readTables(width, height)
}

// readTransform reads a transform and returns the width of the image that it is applied to.
func (l *lossless) readTransform(kind, width, height int) (int, error) {
	switch kind {
	case 0, 1: // predictor, color
		bits, err := l.read(3)
		if err != nil {
			return 0, err
		}
		_, err = l.readImage(tiles(width, bits+2), tiles(height, bits+2))
		return width, err
	case 3: // color indexing
		colors, err := l.read(8)
		if err != nil {
			return 0, err
		}
		if _, err := l.readImage(colors+1, 1); err != nil {
			return 0, err
		}
		if colors >= 16 {
			return width, nil
		}
		if err := l.allocate(4 * int64(width) * int64(height)); err != nil { // for the unpacked pixels
			return 0, err
		}
		switch {
		case colors < 2:
			width = tiles(width, 3)
		case colors < 4:
			width = tiles(width, 2)
		default:
			width = tiles(width, 1)
		}
	}
	return width, nil
}

// tiles returns how many tiles of 1<<bits pixels cover a side.
func tiles(side, bits int) int { return (side + 1<<bits - 1) >> bits }

// readTables reads the data before the pixels of the image: its groups of prefix codes.
func (l *lossless) readTables(width, height int) error {
	cacheBits, err := l.readCacheBits()
	if err != nil {
		return err
	}
	groups := 1
	meta, err := l.read(1)
	if err != nil {
		return err
	}
	if meta == 1 {
		bits, err := l.read(3)
		if err != nil {
			return err
		}
		largest, err := l.readImage(tiles(width, bits+2), tiles(height, bits+2))
		if err != nil {
			return err
		}
		groups = largest + 1
	}
	if err := l.allocate(4*int64(width)*int64(height) + int64(groups)*groupMemory); err != nil {
		return err
	}
	for range groups {
		if err := l.readGroup(cacheBits); err != nil {
			return err
		}
	}
	return nil
}

// readImage reads an image that describes another one, and returns the largest number of a group in
// it: red and green of a pixel. Copied and cached pixels have no larger ones.
func (l *lossless) readImage(width, height int) (largest int, err error) {
	cacheBits, err := l.readCacheBits()
	if err != nil {
		return 0, err
	}
	if err := l.allocate(4*max(int64(width)*int64(height), 256) + groupMemory); err != nil {
		return 0, err
	}
	if err := l.readGroup(cacheBits); err != nil {
		return 0, err
	}
	for left := width * height; left > 0; {
		green, err := l.symbol(0)
		if err != nil {
			return 0, err
		}
		switch {
		case green < literalCodes:
			left--
			var red int
			for i := range 3 { // red, blue, alpha
				value, err := l.symbol(1 + i)
				if err != nil {
					return 0, err
				}
				if i == 0 {
					red = value
				}
			}
			largest = max(largest, red<<8|green)
		case green < literalCodes+lengthCodes:
			length, err := l.copyParameter(green - literalCodes)
			if err != nil {
				return 0, err
			}
			distance, err := l.symbol(4)
			if err != nil {
				return 0, err
			}
			if _, err := l.copyParameter(distance); err != nil {
				return 0, err
			}
			if left -= length; left < 0 {
				return 0, errPixels
			}
		default:
			left-- // a color of the cache
		}
	}
	return largest, nil
}

// copyParameter returns the length or distance that a symbol begins.
func (l *lossless) copyParameter(symbol int) (int, error) {
	if symbol < 4 {
		return symbol + 1, nil
	}
	extra := (symbol - 2) >> 1
	n, err := l.read(extra)
	return (2+symbol&1)<<extra + n + 1, err
}

// readCacheBits returns the size of the color cache as a logarithm, 0 without one.
func (l *lossless) readCacheBits() (int, error) {
	used, err := l.read(1)
	if err != nil {
		return 0, err
	}
	if used == 0 {
		return 0, nil
	}
	bits, err := l.read(4)
	if err == nil && (bits < 1 || bits > maxCacheBits) {
		err = errPixels
	}
	if err != nil {
		return 0, err
	}
	return bits, l.allocate(4 << bits)
}

// readGroup reads the five codes of a group.
func (l *lossless) readGroup(cacheBits int) error {
	alphabets := [codesPerGroup]int{literalCodes + lengthCodes, literalCodes, literalCodes, literalCodes, distanceCodes}
	if cacheBits > 0 {
		alphabets[0] += 1 << cacheBits
	}
	for i, alphabet := range alphabets {
		if err := l.readCode(&l.codes[i], alphabet); err != nil {
			return err
		}
	}
	return nil
}

// read returns the next n bits, at most 18.
func (l *lossless) read(n int) (int, error) {
	if l.bit+n > 8*len(l.data) {
		return 0, errShortStream
	}
	value := int(l.window() & (1<<n - 1))
	l.bit += n
	return value, nil
}

// window returns the next bits, at least 57, with zeros after the end.
func (l *lossless) window() uint64 {
	rest := l.data[l.bit/8:]
	if len(rest) < 8 {
		var last [8]byte
		copy(last[:], rest)
		rest = last[:]
	}
	return binary.LittleEndian.Uint64(rest) >> (l.bit % 8)
}
