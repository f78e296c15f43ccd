package media_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"image"
	"image/color"
	"image/jpeg"
	"image/png"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"storefront/media"
	"storefront/shop/picture"
)

// typeOf returns the content type of a file in testdata.
func typeOf(name string) string {
	if extension := filepath.Ext(name); extension != ".jpg" {
		return "image/" + extension[1:]
	}
	return "image/jpeg"
}

// sample returns the content of a file in testdata: 64 × 48 pixels with four coloured quarters.
func sample(t testing.TB, name string) []byte {
	t.Helper()
	body, err := os.ReadFile(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	return body
}

// samples returns the names of all files in testdata.
func samples(t testing.TB) (names []string) {
	t.Helper()
	entries, err := os.ReadDir("testdata")
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if !e.IsDir() {
			names = append(names, e.Name())
		}
	}
	return names
}

func process(t testing.TB, contentType string, body []byte) picture.Image {
	t.Helper()
	img, err := media.NewPatientProcessor().Process(t.Context(), contentType, body)
	if err != nil {
		t.Fatal(err)
	}
	checkClean(t, img)
	return img
}

// checkClean reports what is wrong with a processed image.
func checkClean(t testing.TB, img picture.Image) {
	t.Helper()
	if len(img.Files) == 0 || img.ID != picture.ID(img.Files[0].Data) || !picture.ValidID(img.ID) {
		t.Fatalf("got ID %q of %d files, want that of the largest", img.ID, len(img.Files))
	}
	var names []media.Name
	for _, f := range img.Files {
		config, format, err := image.DecodeConfig(bytes.NewReader(f.Data))
		if err != nil || config.Width != f.Width || config.Height != f.Height || strings.Replace(format, "jpeg", "jpg", 1) != string(img.Format) {
			t.Fatalf("got %s of %d × %d (%v), want %s of %d × %d", format, config.Width, config.Height, err, img.Format, f.Width, f.Height)
		}
		names = append(names, media.NameOf(img, f))
	}
	if want := media.Names(img.ID, img.Width, img.Format); !slices.Equal(names, want) {
		t.Fatalf("got files %v, want %v", names, want)
	}
}

func decoded(t testing.TB, f picture.File) image.Image {
	t.Helper()
	img, _, err := image.Decode(bytes.NewReader(f.Data))
	if err != nil {
		t.Fatal(err)
	}
	return img
}

// quarters are the colours of the samples: top left, top right, bottom left, bottom right.
var quarters = [4]color.NRGBA{{0xe0, 0x20, 0x20, 255}, {0x20, 0xb0, 0x20, 255}, {0x20, 0x40, 0xd0, 255}, {0xf0, 0xf0, 0xf0, 255}}

// checkQuarters compares the centres of the image's quarters.
func checkQuarters(t testing.TB, what string, img image.Image, want [4]color.NRGBA, tolerance int) {
	t.Helper()
	b := img.Bounds()
	for i, w := range want {
		x, y := b.Dx()/4, b.Dy()/4
		if i%2 == 1 {
			x = b.Dx() * 3 / 4
		}
		if i/2 == 1 {
			y = b.Dy() * 3 / 4
		}
		got := color.NRGBAModel.Convert(img.At(x, y)).(color.NRGBA)
		for _, d := range [...]int{int(got.R) - int(w.R), int(got.G) - int(w.G), int(got.B) - int(w.B), int(got.A) - int(w.A)} {
			if d > tolerance || -d > tolerance {
				t.Errorf("%s: quarter %d: got %v, want %v", what, i, got, w)
				break
			}
		}
	}
}

func TestProcess_Formats(t *testing.T) {
	t.Parallel()
	for _, name := range samples(t) {
		if strings.HasPrefix(name, "heic") || name == "animated.webp" {
			continue
		}
		img := process(t, typeOf(name), sample(t, name))
		want, format, tolerance := quarters, picture.JPEG, 12
		if strings.Contains(name, "a16.") || strings.Contains(name, "rgba") || strings.Contains(name, "alpha") {
			format = picture.PNG
			for i := range want {
				want[i].A = 127
			}
		}
		if name == "cmyk.jpg" {
			tolerance = 40
		}
		if img.Width != 64 || img.Height != 48 || img.Format != format || len(img.Files) != 1 {
			t.Errorf("%s: got %d files of %d × %d %s, want one of 64 × 48 %s", name, len(img.Files), img.Width, img.Height, img.Format, format)
		}
		if !strings.HasPrefix(name, "gray") {
			checkQuarters(t, name, decoded(t, img.Files[0]), want, tolerance)
		}
	}
}

// The colour of an image is its most frequent one, not a mixture; an image with transparent parts
// has none.
func TestProcess_Colour(t *testing.T) {
	t.Parallel()
	photo := image.NewNRGBA(image.Rect(0, 0, 300, 200))
	for i := range photo.Pix {
		switch at, row := i%4, i/4/300; {
		case at == 3:
			photo.Pix[i] = 255
		case row < 130:
			photo.Pix[i] = []byte{20, 110, 90}[at] // the wall behind
		default:
			photo.Pix[i] = []byte{250, 240, 230}[at]
		}
	}
	for alpha, want := range map[byte]string{255: "#146e5a", 200: ""} {
		photo.Pix[3] = alpha
		var file bytes.Buffer
		if err := png.Encode(&file, photo); err != nil {
			t.Fatal(err)
		}
		if got := process(t, "image/png", file.Bytes()).Colour; got != want {
			t.Errorf("with an alpha of %d: got the colour %q, want %q", alpha, got, want)
		}
	}
}

// withEXIF returns a JPEG with a segment of EXIF data.
func withEXIF(jpeg, exif []byte) []byte {
	segment := append([]byte("Exif\x00\x00"), exif...)
	head := []byte{0xff, 0xd8, 0xff, 0xe1, byte((len(segment) + 2) >> 8), byte(len(segment) + 2)}
	return slices.Concat(head, segment, jpeg[2:])
}

// orientationEXIF returns EXIF data with an orientation.
func orientationEXIF(order binary.AppendByteOrder, value uint16) []byte {
	exif := []byte("II*\x00")
	if order.String() == "BigEndian" {
		exif = []byte("MM\x00*")
	}
	exif = order.AppendUint32(exif, 8)
	exif = order.AppendUint16(exif, 2)
	for _, tag := range [][3]uint16{{0x010f, 3, 9}, {0x0112, 3, value}} {
		exif = order.AppendUint16(exif, tag[0])
		exif = order.AppendUint16(exif, tag[1])
		exif = order.AppendUint32(exif, 1)
		exif = order.AppendUint16(exif, tag[2])
		exif = order.AppendUint16(exif, 0)
	}
	return order.AppendUint32(exif, 0)
}

func chunk(name string, data []byte) []byte {
	out := binary.BigEndian.AppendUint32(nil, uint32(len(data)))
	out = append(append(out, name...), data...)
	return binary.BigEndian.AppendUint32(out, crc32.ChecksumIEEE(out[4:]))
}

func TestProcess_Orientation(t *testing.T) {
	t.Parallel()
	red, green, blue, white := quarters[0], quarters[1], quarters[2], quarters[3]
	want := map[uint16][4]color.NRGBA{
		0: quarters, 9: quarters, 1: quarters,
		2: {green, red, white, blue}, 3: {white, blue, green, red}, 4: {blue, white, red, green},
		5: {red, blue, green, white}, 6: {blue, red, white, green}, 7: {white, green, blue, red}, 8: {green, white, red, blue},
	}
	plain, pngFile := sample(t, "baseline444.jpg"), sample(t, "interlaced.png")
	webpFile := sample(t, "lossy-alpha.webp")
	for value, colors := range want {
		for _, order := range []binary.AppendByteOrder{binary.LittleEndian, binary.BigEndian} {
			exif := orientationEXIF(order, value)
			inPNG := slices.Concat(pngFile[:33], chunk("eXIf", exif), pngFile[33:])
			inWebP := append(append(slices.Clone(webpFile), "EXIF"...), binary.LittleEndian.AppendUint32(nil, uint32(len(exif)))...)
			inWebP = append(inWebP, exif...)
			binary.LittleEndian.PutUint32(inWebP[4:], uint32(len(inWebP)-8))
			for kind, body := range map[string][]byte{"image/jpeg": withEXIF(plain, exif), "image/png": inPNG, "image/webp": inWebP} {
				img := process(t, kind, body)
				width, height := 64, 48
				if value >= 5 && value <= 8 {
					width, height = 48, 64
				}
				if img.Width != width || img.Height != height {
					t.Errorf("%s %d: got %d × %d, want %d × %d", kind, value, img.Width, img.Height, width, height)
				}
				wanted := colors
				if kind == "image/webp" {
					for i := range wanted {
						wanted[i].A = 127
					}
				}
				checkQuarters(t, fmt.Sprint(kind, " ", value), decoded(t, img.Files[0]), wanted, 12)
				if bytes.Contains(img.Files[0].Data, []byte("Exif")) {
					t.Errorf("%s: the stored file has EXIF data", kind)
				}
			}
		}
	}
}

// EXIF data that is damaged costs the orientation, not the image.
func TestProcess_DamagedEXIF(t *testing.T) {
	t.Parallel()
	plain, exif := sample(t, "baseline444.jpg"), orientationEXIF(binary.LittleEndian, 6)
	damaged := [][]byte{nil, []byte("II"), []byte("XX*\x00\x08\x00\x00\x00")}
	for n := range len(exif) - 8 { // up to the end of the orientation, which is the last tag
		damaged = append(damaged, exif[:n])
	}
	for at, value := range map[int]byte{4: 200, 5: 255, 7: 255, 24: 1, 26: 2, 30: 255} {
		changed := slices.Clone(exif)
		changed[at] = value
		damaged = append(damaged, changed)
	}
	for i, exif := range damaged {
		img := process(t, "image/jpeg", withEXIF(plain, exif))
		if img.Width != 64 {
			t.Errorf("EXIF % x: got a width of %d, want 64", exif, img.Width)
		}
		checkQuarters(t, fmt.Sprint("EXIF ", i), decoded(t, img.Files[0]), quarters, 12)
	}
}

// encoded returns a picture of the given size as a JPEG.
func encoded(t testing.TB, width, height int) []byte {
	t.Helper()
	img := image.NewYCbCr(image.Rect(0, 0, width, height), image.YCbCrSubsampleRatio420)
	for y := range height {
		for x := range width {
			img.Y[y*img.YStride+x] = byte((x*7)^(y*3)) + byte(x*y>>9)
		}
	}
	var out bytes.Buffer
	if err := jpeg.Encode(&out, img, &jpeg.Options{Quality: 90}); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

func TestProcess_Sizes(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		width, height int
		want          string
	}{
		{1, 1, "1×1"},
		{160, 90, "160×90"},
		{161, 90, "161×90 160×89"},
		{640, 480, "640×480 320×240 160×120"},
		{3000, 2000, "2048×1365 1280×853 640×427 320×213 160×107"},
		{1500, 3000, "1024×2048 640×1280 320×640 160×320"},
		{9000, 2, "2048×1 1280×1 640×1 320×1 160×1"},
	} {
		var got []string
		for _, f := range process(t, "image/jpeg", encoded(t, test.width, test.height)).Files {
			got = append(got, fmt.Sprintf("%d×%d", f.Width, f.Height))
		}
		if strings.Join(got, " ") != test.want {
			t.Errorf("%d × %d: got %s, want %s", test.width, test.height, strings.Join(got, " "), test.want)
		}
	}
}

// The same upload has the same ID, so that it is stored once.
func TestProcess_SameID(t *testing.T) {
	t.Parallel()
	body := encoded(t, 300, 200)
	first, second := process(t, "image/jpeg", body), process(t, "image/jpeg", withEXIF(body, orientationEXIF(binary.BigEndian, 1)))
	if other := process(t, "image/jpeg", encoded(t, 300, 201)); first.ID != second.ID || first.ID == other.ID {
		t.Errorf("got IDs %s, %s, and %s of another image", first.ID, second.ID, other.ID)
	}
}

// Whatever else a file contains, what is stored are pixels.
func TestProcess_Polyglot(t *testing.T) {
	t.Parallel()
	const script = "<html><script>alert(1)</script></html>"
	comment := append([]byte{0xff, 0xfe, 0, byte(len(script) + 2)}, script...)
	jpegFile, pngFile, gifFile := sample(t, "baseline420.jpg"), sample(t, "rgba.png"), sample(t, "interlaced.gif")
	gifComment := slices.Concat([]byte{0x21, 0xfe, byte(len(script))}, []byte(script), []byte{0})
	colors := 3 << (gifFile[10]&7 + 1)
	for what, upload := range map[string]struct {
		kind string
		body []byte
	}{
		"JPEG, trailing":   {"image/jpeg", append(slices.Clone(jpegFile), script...)},
		"JPEG, comment":    {"image/jpeg", slices.Concat(jpegFile[:2], comment, jpegFile[2:])},
		"JPEG, unmarked":   {"image/jpeg", slices.Concat(jpegFile[:20], []byte(script), jpegFile[20:])},
		"PNG, trailing":    {"image/png", append(slices.Clone(pngFile), script...)},
		"PNG, text":        {"image/png", slices.Concat(pngFile[:33], chunk("tEXt", []byte("Title\x00"+script)), pngFile[33:])},
		"APNG":             {"image/png", slices.Concat(pngFile[:33], chunk("acTL", make([]byte, 8)), chunk("fdAT", []byte(script)), pngFile[33:])},
		"GIF, trailing":    {"image/gif", append(slices.Clone(gifFile), script...)},
		"GIF, comment":     {"image/gif", slices.Concat(gifFile[:13+colors], gifComment, gifFile[13+colors:])},
		"WebP, trailing":   {"image/webp", append(sample(t, "lossy.webp"), script...)},
		"JPEG, other type": {"image/jpeg; charset=utf-8", append(slices.Clone(jpegFile), pngFile...)},
	} {
		img, err := media.NewPatientProcessor().Process(t.Context(), upload.kind, upload.body)
		var refused *media.InvalidError
		if err != nil {
			if !errors.As(err, &refused) || what != "JPEG, unmarked" {
				t.Errorf("%s: got error %v, want an image", what, err)
			}
			continue
		}
		checkClean(t, img)
		for _, f := range img.Files {
			if bytes.Contains(f.Data, []byte("script")) {
				t.Errorf("%s: the stored file contains %q", what, script)
			}
		}
	}
}

// frame returns a JPEG that consists of its frame header.
func frame(marker byte, width, height int, sampling ...byte) []byte {
	out := []byte{0xff, 0xd8, 0xff, marker, 0, byte(8 + 3*len(sampling)), 8}
	out = append(out, byte(height>>8), byte(height), byte(width>>8), byte(width), byte(len(sampling)))
	for i, s := range sampling {
		out = append(out, byte(i+1), s, 0)
	}
	return out
}

// pngHead returns the start of a PNG.
func pngHead(width, height uint32, depth, color byte) []byte {
	ihdr := binary.BigEndian.AppendUint32(nil, width)
	ihdr = binary.BigEndian.AppendUint32(ihdr, height)
	return append([]byte("\x89PNG\r\n\x1a\n"), chunk("IHDR", append(ihdr, depth, color, 0, 0, 0))...)
}

func gifHead(width, height uint16) []byte {
	out := binary.LittleEndian.AppendUint16([]byte("GIF89a"), width)
	return append(binary.LittleEndian.AppendUint16(out, height), 0, 0, 0)
}

func TestProcess_Invalid(t *testing.T) {
	t.Parallel()
	progressive := sample(t, "progressive.jpg")
	end := len(progressive) - 2 // the end of the image
	scans := slices.Concat(progressive[:end], bytes.Repeat([]byte{0xff, 0xda, 0, 2}, 200), progressive[end:])
	large := "which is too large to process"
	for what, test := range map[string]struct {
		kind   string
		body   []byte
		reason string
	}{
		"empty":              {"image/jpeg", nil, "empty"},
		"text":               {"image/png", []byte("hello"), "must be a JPEG, PNG, WebP or GIF image"},
		"HTML":               {"image/gif", []byte("<!doctype html><script>"), "must be a JPEG, PNG, WebP or GIF image"},
		"HEIC as JPEG":       {"image/jpeg", sample(t, "heic.heic"), "must be a JPEG, PNG, WebP or GIF image"},
		"PNG as JPEG":        {"image/jpeg", sample(t, "rgba.png"), "is image/png, but was sent as image/jpeg"},
		"too many bytes":     {"image/jpeg", append(sample(t, "baseline420.jpg"), make([]byte, media.MaxBody)...), "at most 12 MiB"},
		"animated WebP":      {"image/webp", sample(t, "animated.webp"), "Animated WebP"},
		"many scans":         {"image/jpeg", scans, "not supported"},
		"JPEG, wide":         {"image/jpeg", frame(0xc0, 12_001, 1, 0x11), "each side must have at most 12000"},
		"JPEG, 144 MP":       {"image/jpeg", frame(0xc0, 12_000, 12_000, 0x22, 0x11, 0x11), large},
		"JPEG, 30 MP 4:4:4":  {"image/jpeg", frame(0xc0, 7_000, 5_000, 0x11, 0x11, 0x11), large},
		"JPEG, 20 MP in KB":  {"image/jpeg", frame(0xc2, 5_000, 4_000, 0x22, 0x11, 0x11), large},
		"JPEG, 14 MP CMYK":   {"image/jpeg", frame(0xc0, 4_000, 3_500, 0x11, 0x11, 0x11, 0x11), large},
		"JPEG, no height":    {"image/jpeg", frame(0xc0, 100, 0, 0x11), "damaged"},
		"JPEG, no samples":   {"image/jpeg", frame(0xc0, 100, 100, 0), "damaged"},
		"JPEG, 12-bit":       {"image/jpeg", slices.Replace(frame(0xc0, 8, 8, 0x11), 6, 7, 12), "not supported"},
		"JPEG, no pixels":    {"image/jpeg", frame(0xc0, 100, 100, 0x11), "incomplete"},
		"JPEG, lossless":     {"image/jpeg", frame(0xc3, 100, 100, 0x11), "incomplete"},
		"JPEG, only start":   {"image/jpeg", []byte{0xff, 0xd8, 0xff}, "incomplete"},
		"PNG, 2 billion":     {"image/png", pngHead(1<<31-1, 1<<31-1, 8, 6), "each side must have at most 12000"},
		"PNG, 4 billion":     {"image/png", pngHead(1<<32-1, 1, 8, 6), "each side must have at most 12000"},
		"PNG, 36 MP":         {"image/png", pngHead(6_000, 6_000, 8, 2), large},
		"PNG, 16 MP, 16-bit": {"image/png", pngHead(4_000, 4_000, 16, 6), large},
		"PNG, no size":       {"image/png", pngHead(0, 5, 8, 2), "damaged"},
		"PNG, no pixels":     {"image/png", pngHead(5, 5, 8, 2), "incomplete"},
		"PNG, other chunk":   {"image/png", append([]byte("\x89PNG\r\n\x1a\n"), chunk("tEXt", make([]byte, 99))...), "damaged"},
		"GIF, 65535":         {"image/gif", gifHead(65_535, 65_535), "each side must have at most 12000"},
		"GIF, 36 MP":         {"image/gif", gifHead(6_000, 6_000), large},
		"GIF, no frame":      {"image/gif", gifHead(6, 6), "damaged"},
		"WebP, canvas":       {"image/webp", []byte("RIFF\x16\x00\x00\x00WEBPVP8X\x0a\x00\x00\x00\x00\x00\x00\x00\xff\xff\xff\x00\x00\x00"), "each side"},
		"WebP, 144 MP":       {"image/webp", []byte("RIFF\x16\x00\x00\x00WEBPVP8X\x0a\x00\x00\x00\x00\x00\x00\x00\x0f\x27\x00\x0f\x27\x00"), large},
		"WebP, empty":        {"image/webp", []byte("RIFF\x04\x00\x00\x00WEBP"), "damaged"},
	} {
		img, err := media.NewPatientProcessor().Process(t.Context(), test.kind, test.body)
		var invalid *media.InvalidError
		if !errors.As(err, &invalid) || !strings.Contains(invalid.Reason, test.reason) {
			t.Errorf("%s: got %v and %d files, want an error with %q", what, err, len(img.Files), test.reason)
		}
	}
	for _, kind := range []string{"image/svg+xml", "image/heic", "image/avif", "image/jpg", "text/html", "", "image/", "a/b/c"} {
		if _, err := media.NewPatientProcessor().Process(t.Context(), kind, sample(t, "rgba.png")); !errors.Is(err, media.ErrUnsupportedType) {
			t.Errorf("%q: got %v, want ErrUnsupportedType", kind, err)
		}
	}
}

// A file that ends early is an error or, if only its end is missing, a whole image.
func TestProcess_Truncated(t *testing.T) {
	t.Parallel()
	for _, name := range samples(t) {
		body := sample(t, name)
		for n := range len(body) {
			if n > 256 && n%7 != 0 {
				continue // beyond headers, a fuzz target tries the rest
			}
			img, err := media.NewPatientProcessor().Process(t.Context(), typeOf(name), body[:n])
			var invalid *media.InvalidError
			switch {
			case typeOf(name) == "image/heic" && errors.Is(err, media.ErrUnsupportedType):
			case err == nil && n > len(body)*3/10 && typeOf(name) == "image/gif": // the first frame of two
				checkClean(t, img)
			case !errors.As(err, &invalid):
				t.Errorf("%s: first %d of %d bytes: got %v, want an InvalidError", name, n, len(body), err)
			}
		}
	}
}

func TestProcess_EndedContext(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := media.NewProcessor().Process(ctx, "image/png", sample(t, "rgba.png")); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, want %v", err, context.Canceled)
	}
}
