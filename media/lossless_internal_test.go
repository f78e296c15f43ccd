package media

import (
	"bytes"
	"encoding/binary"
	"errors"
	"os"
	"testing"

	"golang.org/x/image/webp"
)

// bitWriter writes a lossless stream.
type bitWriter struct {
	data []byte
	used int // bits of the last byte
}

func (w *bitWriter) write(value, bits int) {
	for i := range bits {
		if w.used%8 == 0 {
			w.data, w.used = append(w.data, 0), 0
		}
		w.data[len(w.data)-1] |= byte(value>>i&1) << w.used
		w.used++
	}
}

// symbol writes a code that has one symbol, which takes no bits.
func (w *bitWriter) symbol(value int) {
	w.write(0b101, 3) // simple, one symbol, of 8 bits
	w.write(value, 8)
}

// manyGroups writes an image whose pixels may be in any of 65,536 groups of codes.
func (w *bitWriter) manyGroups() {
	w.write(0, 1)      // no transform
	w.write(0, 1)      // no cache
	w.write(0b0001, 4) // groups, for tiles of 4 × 4 pixels
	w.write(0, 1)      // no cache
	for _, value := range []int{255, 255, 0, 0, 0} {
		w.symbol(value) // the only tile is in group 65,535
	}
	for range 65_536 * codesPerGroup {
		w.write(0b0001, 4) // simple, one symbol, of 1 bit: 0
	}
}

// fullGroups writes groups in which each symbol has a code, of lengths that take no bits.
func (w *bitWriter) fullGroups(groups int) {
	w.write(0, 1)       // no transform
	w.write(11<<1|1, 5) // the largest cache
	w.write(0b0001, 4)
	w.write(0, 1)
	for _, value := range []int{(groups - 1) & 255, (groups - 1) >> 8, 0, 0, 0} {
		w.symbol(value)
	}
	for range groups {
		for _, length := range []int{11, 8, 8, 8, 5} {
			w.write(0, 1)
			w.write(15, 4) // 19 lengths
			for _, symbol := range codeLengthOrder {
				w.write(map[bool]int{true: 1}[int(symbol) == length], 3)
			}
			size := 1<<length - 2
			w.write(1, 1) // only as many lengths as the code has room for
			w.write(5, 3)
			w.write(size, 12)
		}
	}
}

// chunk returns a chunk of a WebP file.
func chunk(name string, data []byte) []byte {
	size := binary.LittleEndian.AppendUint32([]byte(name), uint32(len(data)))
	return append(append(size, data...), make([]byte, len(data)%2)...)
}

// webpFile returns a file of 4 × 4 pixels.
func webpFile(chunks ...[]byte) []byte {
	body := append([]byte("WEBP"), bytes.Join(chunks, nil)...)
	return append(binary.LittleEndian.AppendUint32([]byte("RIFF"), uint32(len(body))), body...)
}

// webpBombs returns small WebP files whose decoding takes much more memory than their pixels.
func webpBombs() map[string][]byte {
	var many, full bitWriter
	many.manyGroups()
	full.fullGroups(4000)
	lossless := []byte{0x2f, 3, 3 << 6, 0, 0}
	lossy := []byte("\x10\x00\x00\x9d\x01\x2a\x04\x00\x04\x00")
	// Every bit of the first partition is 1, also the number of the others: 8, of 16 MiB each.
	claimed := webpFile(chunk("VP8 ", append([]byte("\x10\x05\x00\x9d\x01\x2a\x04\x00\x04\x00"), bytes.Repeat([]byte{255}, 40+21)...)))
	binary.LittleEndian.PutUint32(claimed[4:], 1<<27)
	binary.LittleEndian.PutUint32(claimed[16:], 7<<24+1<<20)
	canvas := chunk("VP8X", []byte{0x10, 0, 0, 0, 3, 0, 0, 3, 0, 0})
	return map[string][]byte{
		"groups":          webpFile(chunk("VP8L", append(lossless, many.data...))),
		"groups, cut off": webpFile(chunk("VP8L", append(lossless, many.data[:40]...))),
		"full groups":     webpFile(chunk("VP8L", append(lossless, full.data...))),
		"groups of alpha": webpFile(canvas, chunk("ALPH", append([]byte{1}, many.data...)), chunk("VP8 ", lossy)),
		"claimed size":    claimed,
	}
}

// A small WebP whose tables take much memory is refused before they are allocated. The decoder
// alone takes 110 to 280 MiB for each of them.
func TestProcess_WebPBombMemory(t *testing.T) {
	for name, body := range webpBombs() {
		var err error
		used := allocated(func() { _, err = NewPatientProcessor().Process(t.Context(), "image/webp", body) })
		var invalidImage *InvalidError
		if !errors.As(err, &invalidImage) || used > 256<<10 {
			t.Errorf("%s, %d bytes: got %v and %d KiB allocated, want an InvalidError and at most 256", name, len(body), err, used>>10)
		}
	}
}

// The bound is what the decoder allocates for real images, and little more.
func TestWebPMemory_Images(t *testing.T) {
	for _, name := range []string{"lossless.webp", "lossy.webp", "lossy-alpha.webp", "webp/photo.webp", "webp/palette.webp"} {
		body, err := os.ReadFile("testdata/" + name)
		if err != nil {
			t.Fatal(err)
		}
		h, err := readHeader("image/webp", body)
		if err != nil {
			t.Fatal(err)
		}
		bound, err := webpMemory(body, h)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		used := int64(allocated(func() { _, err = webp.Decode(bytes.NewReader(body)) }))
		const rest = 32 << 10 // what a decoder allocates for any image
		if err != nil || bound < used-rest || bound > used+rest {
			t.Errorf("%s: got a bound of %d bytes, decoding allocated %d, %v", name, bound, used, err)
		}
	}
}
