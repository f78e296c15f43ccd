package media_test

import (
	"bytes"
	"context"
	"errors"
	"image"
	"image/color"
	"image/jpeg"
	"image/png"
	"math/rand/v2"
	"testing"

	"storefront/media"
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

func TestParsePreview(t *testing.T) {
	t.Parallel()
	const id = "abcdefghijklmnopq234"
	for file, ok := range map[string]bool{
		picture.PreviewFile(1280): true, "preview-900.jpg": true,
		"preview-900.png": false, "preview-0.jpg": false, "preview-.jpg": false, "preview-0900.jpg": false, "900.jpg": false, "preview-9000.jpg": false,
	} {
		sources, got := media.ParsePreview(id, file)
		if got != ok {
			t.Errorf("%s: got %v, want %v", file, got, ok)
		}
		if ok && (sources[0].Format != picture.JPEG || sources[1].Format != picture.PNG || sources[0].Width != sources[1].Width) {
			t.Errorf("%s: got %v", file, sources)
		}
	}
	if _, ok := media.ParsePreview("../x", "preview-900.jpg"); ok {
		t.Error("an invalid ID has a preview")
	}
}
