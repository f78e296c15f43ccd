package media

import (
	"bytes"
	"context"
	"errors"
	"image"
	"image/color"
	"image/jpeg"
	"image/png"
	"math/rand/v2"
	"os"
	"runtime"
	"testing"

	"storefront/shop/picture"
)

func tinyPNG(t testing.TB) []byte {
	t.Helper()
	var out bytes.Buffer
	if err := png.Encode(&out, image.NewNRGBA(image.Rect(0, 0, 3, 2))); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// One upload is processed and eight wait; a further one is refused at once.
func TestProcessor_Queue(t *testing.T) {
	t.Parallel()
	p, body := NewProcessor(), tinyPNG(t)
	release, err := p.reserve(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	results := make(chan error, maxWaiting)
	for range maxWaiting {
		go func() {
			_, err := p.Process(t.Context(), "image/png", body)
			results <- err
		}()
	}
	for len(p.waiting) < 1+maxWaiting {
		runtime.Gosched()
	}
	if _, err := p.Process(t.Context(), "image/png", body); !errors.Is(err, ErrBusy) {
		t.Errorf("with a full queue: got %v, want ErrBusy", err)
	}
	if _, err := p.Process(t.Context(), "image/png", body[:9]); errors.Is(err, ErrBusy) {
		t.Error("an invalid image: got ErrBusy, want it refused without a place in the queue")
	}
	if len(results) > 0 {
		t.Error("an upload was processed beside another")
	}
	release()
	for range maxWaiting {
		if err := <-results; err != nil {
			t.Errorf("after the wait: got %v", err)
		}
	}
	if len(p.waiting) != 0 || len(p.decoding) != 0 {
		t.Errorf("got %d waiting and %d decoding, want none", len(p.waiting), len(p.decoding))
	}
}

// The place of a caller whose context has ended is free again.
func TestProcessor_EndedWhileWaiting(t *testing.T) {
	t.Parallel()
	p := NewProcessor()
	release, err := p.reserve(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer release()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := p.Process(ctx, "image/png", tinyPNG(t)); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, want %v", err, context.Canceled)
	}
	p.timeout = 0
	if _, err := p.Process(t.Context(), "image/png", tinyPNG(t)); !errors.Is(err, ErrBusy) {
		t.Errorf("after the longest wait: got %v, want ErrBusy", err)
	}
	if len(p.waiting) != 1 {
		t.Errorf("got %d places taken, want 1", len(p.waiting))
	}
}

// An image that takes too long is the image's fault, at every step.
func TestProcess_TooSlow(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(errTooSlow)
	var invalid *InvalidError
	for _, name := range []string{"progressive.jpg", "rgba.png", "animated.gif", "lossless.webp"} {
		body, err := os.ReadFile("testdata/" + name)
		if err != nil {
			t.Fatal(err)
		}
		h, err := readHeader(TypeOf(body), body)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := process(ctx, h, body); !errors.As(err, &invalid) || !errors.Is(err, errTooSlow) {
			t.Errorf("%s: got %v, want that it takes too long", name, err)
		}
	}
	p := newPixels(4, 4, true)
	if _, err := p.rendition(ctx, 4, picture.JPEG); !errors.Is(err, errTooSlow) {
		t.Errorf("encoding: got %v, want %v", err, errTooSlow)
	}
	if _, err := p.rendition(ctx, 2, picture.PNG); !errors.Is(err, errTooSlow) {
		t.Errorf("scaling: got %v, want %v", err, errTooSlow)
	}
}

// A panic of a decoder, here by its context, is an error of the image.
func TestProcess_Panic(t *testing.T) {
	t.Parallel()
	var invalid *InvalidError
	if _, err := processSafely(struct{ context.Context }{}, header{kind: "image/png"}, tinyPNG(t)); !errors.As(err, &invalid) {
		t.Errorf("got %v, want an InvalidError", err)
	}
}

// Each pixel of the result is the average of its area.
func TestScale_Average(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(1, 2))
	for range 60 {
		width, height := 1+random.IntN(40), 1+random.IntN(40)
		w, h := 1+random.IntN(width), 1+random.IntN(height)
		pix := make([]byte, width*height*channels)
		for i := range pix {
			pix[i] = byte(random.IntN(256))
		}
		read := func(y int, row []byte) { copy(row, pix[y*width*channels:]) }
		rows := 0
		err := scale(t.Context(), read, width, height, w, h, func(y int, row []byte) {
			if y != rows {
				t.Fatalf("got row %d, want %d", y, rows)
			}
			rows++
			for i, got := range row {
				x, c := i/channels, i%channels
				var sum float64
				for sy := y * height / h; sy < height && sy*h < (y+1)*height; sy++ {
					for sx := x * width / w; sx < width && sx*w < (x+1)*width; sx++ {
						across := min((sx+1)*w, (x+1)*width) - max(sx*w, x*width)
						down := min((sy+1)*h, (y+1)*height) - max(sy*h, y*height)
						sum += float64(pix[(sy*width+sx)*channels+c]) * float64(across*down)
					}
				}
				if want := sum / float64(width*height); float64(got)-want > 0.51 || want-float64(got) > 0.51 {
					t.Fatalf("%d × %d to %d × %d at %d, %d: got %d, want %v", width, height, w, h, x, y, got, want)
				}
			}
		})
		if err != nil || rows != h {
			t.Fatalf("got %d rows, %v, want %d", rows, err, h)
		}
	}
}

// Rows of every type are those that package image has, also of a part of an image.
func TestRowReader_Types(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(3, 4))
	rect := image.Rect(0, 0, 33, 19)
	fill := func(pix ...[]byte) {
		for _, p := range pix {
			for i := range p {
				p[i] = byte(random.IntN(256))
			}
		}
	}
	var images []image.Image
	for ratio := image.YCbCrSubsampleRatio444; ratio <= image.YCbCrSubsampleRatio410; ratio++ {
		m, n := image.NewYCbCr(rect, ratio), image.NewNYCbCrA(rect, ratio)
		fill(m.Y, m.Cb, m.Cr, n.Y, n.Cb, n.Cr, n.A)
		images = append(images, m, n)
	}
	gray, gray16, nrgba, cmyk := image.NewGray(rect), image.NewGray16(rect), image.NewNRGBA(rect), image.NewCMYK(rect)
	rgba, rgba64, nrgba64 := image.NewRGBA(rect), image.NewRGBA64(rect), image.NewNRGBA64(rect)
	paletted := image.NewPaletted(rect, color.Palette{color.NRGBA{200, 100, 50, 60}, color.White, color.Black})
	fill(gray.Pix, gray16.Pix, nrgba.Pix, cmyk.Pix, nrgba64.Pix)
	for i := range paletted.Pix {
		paletted.Pix[i] = byte(random.IntN(3))
	}
	for y := range rect.Dy() {
		for x := range rect.Dx() {
			rgba.Set(x, y, nrgba.At(x, y))
			rgba64.Set(x, y, nrgba64.At(x, y))
		}
	}
	images = append(images, gray, gray16, nrgba, cmyk, rgba, rgba64, nrgba64, paletted, struct{ image.Image }{nrgba})
	for _, whole := range images {
		for _, part := range []image.Rectangle{rect, image.Rect(5, 3, 30, 17)} {
			m := whole
			if sub, ok := whole.(interface {
				SubImage(image.Rectangle) image.Image
			}); ok {
				m = sub.SubImage(part)
			} else if part != rect {
				continue
			}
			read, opaque := rowReader(m, fullRange)
			b := m.Bounds()
			row := make([]byte, b.Dx()*channels)
			transparent := false
			for y := range b.Dy() {
				read(y, row)
				for x := range b.Dx() {
					red, green, blue, alpha := m.At(b.Min.X+x, b.Min.Y+y).RGBA()
					transparent = transparent || alpha != 0xffff
					for c, want := range [...]uint32{red, green, blue, alpha} {
						if d := int(row[x*channels+c]) - int(want>>8); d > 1 || d < -1 {
							t.Fatalf("%T %v at %d, %d, channel %d: got %d, want %d", m, b, x, y, c, row[x*channels+c], want>>8)
						}
					}
				}
			}
			if _, known := m.(struct{ image.Image }); !known && opaque == transparent {
				t.Errorf("%T: got opaque %t, want %t", m, opaque, !transparent)
			}
		}
	}
}

// photo returns a 12-megapixel JPEG of about 4 MB, like that of a camera.
func photo(t testing.TB) []byte {
	t.Helper()
	const width, height = 4000, 3000
	random := rand.New(rand.NewPCG(5, 6))
	img := image.NewYCbCr(image.Rect(0, 0, width, height), image.YCbCrSubsampleRatio420)
	for y := range height {
		for x := range width {
			img.Y[y*img.YStride+x] = byte((x+y)/28) + byte(random.IntN(24))
		}
	}
	for i := range img.Cb {
		img.Cb[i], img.Cr[i] = byte(100+i%40), byte(120+i/50_000)
	}
	var out bytes.Buffer
	if err := jpeg.Encode(&out, img, &jpeg.Options{Quality: 85}); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// BenchmarkProcess_Photo reports the time of one core, and the memory that is in use at once.
func BenchmarkProcess_Photo(b *testing.B) {
	body := photo(b)
	h, err := readHeader("image/jpeg", body)
	if err != nil {
		b.Fatal(err)
	}
	b.SetBytes(int64(len(body)))
	b.ReportAllocs()
	peak := peakHeap(b, func() {
		for b.Loop() {
			if _, err := process(b.Context(), h, body); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.ReportMetric(float64(peak)/(1<<20), "MiB-peak")
}

// peakHeap returns by how many bytes the heap grew at most while f ran.
func peakHeap(t testing.TB, f func()) uint64 {
	t.Helper()
	runtime.GC()
	var start runtime.MemStats
	runtime.ReadMemStats(&start)
	stop, done := make(chan struct{}), make(chan uint64)
	go func() {
		var peak uint64
		for {
			var now runtime.MemStats
			runtime.ReadMemStats(&now)
			if now.HeapAlloc > start.HeapAlloc {
				peak = max(peak, now.HeapAlloc-start.HeapAlloc)
			}
			select {
			case <-stop:
				done <- peak
				return
			default:
				runtime.Gosched()
			}
		}
	}()
	f()
	close(stop)
	return <-done
}
