package media

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"image"
	"image/gif"
	"image/jpeg"
	"image/png"
	"os"
	"runtime"
	"testing"

	"golang.org/x/image/webp"

	"storefront/shop/picture"
)

// addSamples adds the files of testdata, and what must be refused, as seeds.
func addSamples(f *testing.F) {
	f.Helper()
	entries, err := os.ReadDir("testdata")
	if err != nil {
		f.Fatal(err)
	}
	for _, e := range entries {
		if e.IsDir() {
			continue
		}
		body, err := os.ReadFile("testdata/" + e.Name())
		if err != nil {
			f.Fatal(err)
		}
		f.Add(body)
		f.Add(body[:len(body)/2])
		f.Add(append(bytes.Clone(body), "<script>"...))
	}
	for _, name := range []string{"photo", "palette"} {
		body, err := os.ReadFile("testdata/webp/" + name + ".webp")
		if err != nil {
			f.Fatal(err)
		}
		f.Add(body)
	}
	exif := []byte("II*\x00\x08\x00\x00\x00\x01\x00\x12\x01\x03\x00\x01\x00\x00\x00\x06\x00\x00\x00")
	body, err := os.ReadFile("testdata/baseline420.jpg")
	if err != nil {
		f.Fatal(err)
	}
	f.Add(append(append([]byte{0xff, 0xd8, 0xff, 0xe1, 0, byte(len(exif) + 8)}, exifPrefix+string(exif)...), body[2:]...))
	for _, body := range webpBombs() {
		f.Add(body)
	}
	f.Add([]byte("\xff\xd8\xff\xc0\x00\x11\x08\xff\xff\xff\xff\x03\x01\x22\x00\x02\x11\x00\x03\x11\x00"))
}

// The whole way of an upload: a clean image or an error for the merchant, without a panic.
func FuzzProcess(f *testing.F) {
	addSamples(f)
	f.Fuzz(func(t *testing.T, body []byte) {
		h, err := readHeader(TypeOf(body), body)
		var invalidImage *InvalidError
		if err != nil {
			if !errors.As(err, &invalidImage) && !errors.Is(err, ErrUnsupportedType) {
				t.Fatalf("header: got %v", err)
			}
			return
		}
		if h.memory > 4<<20 {
			t.Skip("decoding the image needs more than 4 MiB, which is too slow for a fuzz test")
		}
		img, err := process(t.Context(), h, body)
		if err != nil {
			if !errors.As(err, &invalidImage) {
				t.Fatalf("process: got %v", err)
			}
			return
		}
		if len(img.Files) == 0 || img.Width > maxStoredSide || img.Height > maxStoredSide || img.ID != picture.ID(img.Files[0].Data) {
			t.Fatalf("got %d files of %d × %d, ID %s", len(img.Files), img.Width, img.Height, img.ID)
		}
		for _, file := range img.Files {
			config, format, err := image.DecodeConfig(bytes.NewReader(file.Data))
			if err != nil || config.Width != file.Width || config.Height != file.Height || format != "jpeg" && format != "png" {
				t.Fatalf("got a file of %d × %d: %v", config.Width, config.Height, err)
			}
		}
	})
}

// The decoder finds the size that the header says, and takes no more memory than computed.
func FuzzHeader(f *testing.F) {
	addSamples(f)
	decoders := map[string]func(body []byte) (image.Config, error){
		"image/jpeg": func(b []byte) (image.Config, error) { return jpeg.DecodeConfig(bytes.NewReader(b)) },
		"image/png":  func(b []byte) (image.Config, error) { return png.DecodeConfig(bytes.NewReader(b)) },
		"image/gif":  func(b []byte) (image.Config, error) { return gif.DecodeConfig(bytes.NewReader(b)) },
		"image/webp": func(b []byte) (image.Config, error) { return webp.DecodeConfig(bytes.NewReader(b)) },
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		kind := TypeOf(body)
		h, err := readHeader(kind, body)
		if err != nil {
			return
		}
		if config, err := decoders[kind](body); err == nil && (config.Width != h.width || config.Height != h.height) {
			t.Fatalf("%s: got %d × %d, the decoder has %d × %d", kind, h.width, h.height, config.Width, config.Height)
		}
		if kind == "image/webp" {
			if h.memory, err = webpMemory(body, h); err != nil {
				return
			}
		}
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		src, err := decode(&contextReader{context.Background(), bytes.NewReader(body)}, kind)
		runtime.ReadMemStats(&after)
		if err == nil && (src.Bounds().Dx() > h.width || src.Bounds().Dy() > h.height) {
			t.Fatalf("%s: got %v, the header has %d × %d", kind, src.Bounds(), h.width, h.height)
		}
		if used, limit := int64(after.TotalAlloc-before.TotalAlloc), h.memory+decoderMemory(body); used > limit {
			t.Fatalf("%s of %d × %d: decoding allocated %d bytes, want at most %d", kind, h.width, h.height, used, limit)
		}
	})
}

// decoderMemory returns what a decoder allocates regardless of the image's size.
func decoderMemory(body []byte) int64 {
	const fixed = 1 << 20
	return fixed + 8*int64(len(body))
}

// An orientation is always one of the eight.
func FuzzEXIF(f *testing.F) {
	for _, order := range []binary.AppendByteOrder{binary.LittleEndian, binary.BigEndian} {
		start := []byte("II*\x00")
		if order == binary.AppendByteOrder(binary.BigEndian) {
			start = []byte("MM\x00*")
		}
		for _, offset := range []uint32{8, 9, 20, 1<<32 - 1} {
			exif := order.AppendUint16(order.AppendUint32(bytes.Clone(start), offset), 1)
			exif = order.AppendUint16(order.AppendUint16(exif, orientationTag), shortType)
			f.Add(order.AppendUint32(order.AppendUint16(order.AppendUint32(exif, 1), 6), 0))
		}
	}
	f.Fuzz(func(t *testing.T, exif []byte) {
		if o, _ := exifOrientation(exif); o < 1 || o > 8 {
			t.Fatalf("got orientation %d", o)
		}
	})
}
