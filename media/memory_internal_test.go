package media

import (
	"encoding/binary"
	"errors"
	"runtime"
	"slices"
	"testing"
)

// allocated returns how many bytes f allocates, which no other test may do meanwhile.
func allocated(f func()) uint64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	f()
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc
}

// A photo of 12 megapixels takes less than 80 MiB, even if nothing of it were collected.
func TestProcess_PhotoMemory(t *testing.T) {
	body := photo(t)
	h, err := readHeader("image/jpeg", body)
	if err != nil {
		t.Fatal(err)
	}
	used := allocated(func() {
		if _, err := process(t.Context(), h, body); err != nil {
			t.Error(err)
		}
	})
	if used > 80<<20 {
		t.Errorf("got %d MiB allocated, want at most 80", used>>20)
	}
}

// What is too large is refused before anything is decoded.
func TestProcess_BombMemory(t *testing.T) {
	png := binary.BigEndian.AppendUint32([]byte(pngSignature+"\x00\x00\x00\x0dIHDR"), 12_000)
	png = append(binary.BigEndian.AppendUint32(png, 12_000), 8, 6, 0, 0, 0)
	for kind, body := range map[string][]byte{
		"image/jpeg": slices.Concat([]byte("\xff\xd8\xff\xc2\x00\x11\x08\x2e\xe0\x2e\xe0\x03\x01\x22\x00\x02\x11\x00\x03\x11\x00"), make([]byte, 1<<20)),
		"image/png":  slices.Concat(png, make([]byte, 1<<20)),
		"image/gif":  slices.Concat([]byte("GIF89a\xe0\x2e\xe0\x2e\x00\x00\x00"), make([]byte, 1<<20)),
		"image/webp": slices.Concat([]byte("RIFF\x16\x00\x00\x00WEBPVP8X\x0a\x00\x00\x00\x00\x00\x00\x00\xdf\x2e\x00\xdf\x2e\x00"), make([]byte, 1<<20)),
	} {
		var err error
		used := allocated(func() { _, err = NewProcessor().Process(t.Context(), kind, body) })
		var invalidImage *InvalidError
		if !errors.As(err, &invalidImage) || used > 64<<10 {
			t.Errorf("%s: got %v and %d bytes allocated, want an InvalidError and at most 64 KiB", kind, err, used)
		}
	}
}
