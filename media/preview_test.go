package media_test

import (
	"bytes"
	"context"
	"errors"
	"image"
	"image/color"
	"image/jpeg"
	"image/png"
	"io"
	"io/fs"
	"math/rand/v2"
	"testing"

	"storefront/media"
	"storefront/media/mediatest"
	"storefront/shop/picture"
)

// A preview shows the whole image on the shop's paper, in one size, small enough for messengers.
func TestPreview(t *testing.T) {
	t.Parallel()
	noise := rand.New(rand.NewPCG(1, 2))
	paper := color.NRGBA{0xfb, 0xf7, 0xf0, 0xff}
	red := color.NRGBA{0xd0, 0x10, 0x10, 0xff}
	for _, tt := range []struct {
		name           string
		width, height  int
		pixel          func() color.NRGBA
		corner, middle color.NRGBA
	}{
		{"square", 1280, 1280, func() color.NRGBA { return red }, paper, red},
		{"the preview's shape", 1200, 630, func() color.NRGBA { return red }, red, red},
		{"wide", 2000, 100, func() color.NRGBA { return red }, paper, red},
		{"tall", 100, 2000, func() color.NRGBA { return red }, paper, red},
		{"tiny", 20, 20, func() color.NRGBA { return red }, paper, red},
		{"transparent", 800, 800, func() color.NRGBA { return color.NRGBA{} }, paper, paper},
		{"noise", 1200, 630, func() color.NRGBA {
			return color.NRGBA{byte(noise.Uint32()), byte(noise.Uint32()), byte(noise.Uint32()), 255}
		}, color.NRGBA{}, color.NRGBA{}},
	} {
		source := image.NewNRGBA(image.Rect(0, 0, tt.width, tt.height))
		for y := range tt.height {
			for x := range tt.width {
				source.SetNRGBA(x, y, tt.pixel())
			}
		}
		var file bytes.Buffer
		if err := png.Encode(&file, source); err != nil {
			t.Fatal(err)
		}
		data, err := media.NewProcessor().Preview(t.Context(), file.Bytes())
		if err != nil {
			t.Fatalf("%s: %v", tt.name, err)
		}
		got, err := jpeg.Decode(bytes.NewReader(data))
		if err != nil {
			t.Fatalf("%s: %v", tt.name, err)
		}
		if got.Bounds() != image.Rect(0, 0, 1200, 630) || len(data) > 300_000 {
			t.Errorf("%s: got %v in %d bytes, want 1200 × 630 in at most 300,000", tt.name, got.Bounds(), len(data))
		}
		if tt.name == "noise" {
			continue
		}
		for at, want := range map[image.Point]color.NRGBA{{2, 2}: tt.corner, {600, 315}: tt.middle} {
			if !isNear(got.At(at.X, at.Y), want) {
				t.Errorf("%s: at %v: got %v, want %v", tt.name, at, got.At(at.X, at.Y), want)
			}
		}
	}
}

func isNear(got color.Color, want color.Color) bool {
	r, g, b, _ := got.RGBA()
	r2, g2, b2, _ := want.RGBA()
	distance := func(a, b uint32) uint32 { return max(a, b) - min(a, b) }
	return max(distance(r, r2), distance(g, g2), distance(b, b2)) < 12<<8
}

func TestPreview_Invalid(t *testing.T) {
	t.Parallel()
	p := media.NewProcessor()
	for _, body := range []string{"", "text", "\xff\xd8\xff"} {
		if _, err := p.Preview(t.Context(), []byte(body)); err == nil {
			t.Errorf("%q: got no error", body)
		}
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	var file bytes.Buffer
	if err := png.Encode(&file, image.NewGray(image.Rect(0, 0, 9, 9))); err != nil {
		t.Fatal(err)
	}
	if _, err := p.Preview(ended, file.Bytes()); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, want the context's error", err)
	}
}

func TestParseName_Preview(t *testing.T) {
	t.Parallel()
	const id = "abcdefghijklmnopq234"
	for file, ok := range map[string]bool{
		picture.PreviewFile([]int{2560, 1280, 640}): true, "preview-900.jpg": true,
		"preview-900.png": false, "preview-0.jpg": false, "preview-.jpg": false, "preview-0900.jpg": false, "preview-9000.jpg": false,
	} {
		name, got := media.ParseName(id, file)
		if got != ok || ok && !name.Preview {
			t.Errorf("%s: got %+v, %v, want %v", file, name, got, ok)
		}
	}
	if _, ok := media.ParseName("../x", "preview-900.jpg"); ok {
		t.Error("an invalid ID has a preview")
	}
}

// A preview is stored with its image, also afterwards, and deleted with it. It is no size of the
// image, and cannot be stored without it.
func TestStore_Preview(t *testing.T) {
	t.Parallel()
	img := mediatest.Processed(t, 400)
	name := media.PreviewOf(img.ID, img.Widths())
	for kind, s := range map[string]media.Store{
		"folder": media.NewFolder(t.TempDir(), nil), "bucket": media.NewBucket(newObjects(), "media"),
	} {
		read := func() []byte {
			file, err := s.Open(t.Context(), "acme", name)
			if err != nil {
				return nil
			}
			data, err := io.ReadAll(file)
			if err = errors.Join(err, file.Close()); err != nil {
				t.Fatal(err)
			}
			return data
		}
		if err := s.PutPreview(t.Context(), "acme", name, img.Preview); !errors.Is(err, fs.ErrNotExist) || read() != nil {
			t.Errorf("%s: without the image: got %v and %d bytes, want fs.ErrNotExist", kind, err, len(read()))
		}
		if err := s.Put(t.Context(), "acme", img); err != nil {
			t.Fatal(err)
		}
		if got := read(); len(got) == 0 || !bytes.Equal(got, img.Preview) {
			t.Errorf("%s: got a preview of %d bytes, want the %d of the image", kind, len(got), len(img.Preview))
		}
		if err := s.PutPreview(t.Context(), "acme", name, []byte("later")); err != nil || string(read()) != "later" {
			t.Errorf("%s: got %q, %v, want the later preview", kind, read(), err)
		}
		for listed := range s.List(t.Context(), "acme") {
			if listed.Preview {
				t.Errorf("%s: the preview is listed", kind)
			}
		}
		if err := s.Delete(t.Context(), "acme", img.ID); err != nil || read() != nil {
			t.Errorf("%s: the preview is left after its image: %v", kind, err)
		}
	}
}
