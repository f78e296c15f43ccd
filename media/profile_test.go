package media_test

import (
	"bytes"
	"compress/zlib"
	"encoding/binary"
	"image"
	"image/color"
	"image/jpeg"
	"image/png"
	"maps"
	"math"
	"slices"
	"testing"

	"storefront/media"
)

// fixed returns numbers of 16.16 bits.
func fixed(numbers ...float64) (out []byte) {
	for _, n := range numbers {
		out = binary.BigEndian.AppendUint32(out, uint32(int32(math.Round(n*65536))))
	}
	return out
}

// colourProfile returns a profile with the primaries red, green and blue, and one tone curve.
func colourProfile(primaries [3][]float64, curve []byte) []byte {
	tags := map[string][]byte{"rTRC": curve, "gTRC": curve, "bTRC": curve}
	for i, name := range []string{"rXYZ", "gXYZ", "bXYZ"} {
		tags[name] = append([]byte("XYZ \x00\x00\x00\x00"), fixed(primaries[i]...)...)
	}
	profile := make([]byte, 128)
	copy(profile[12:], "mntrRGB XYZ ")
	copy(profile[36:], "acsp")
	profile = binary.BigEndian.AppendUint32(profile, uint32(len(tags)))
	offset := len(profile) + 12*len(tags)
	var data []byte
	for _, name := range slices.Sorted(maps.Keys(tags)) {
		profile = append(profile, name...)
		profile = binary.BigEndian.AppendUint32(profile, uint32(offset+len(data)))
		profile = binary.BigEndian.AppendUint32(profile, uint32(len(tags[name])))
		data = append(data, tags[name]...)
	}
	return append(profile, data...)
}

var (
	displayP3 = [3][]float64{{0.51512, 0.24120, -0.00105}, {0.29198, 0.69225, 0.04189}, {0.15710, 0.06657, 0.78407}}
	adobeRGB  = [3][]float64{{0.60974, 0.31111, 0.01947}, {0.20528, 0.62567, 0.06087}, {0.14919, 0.06322, 0.74457}}
	standard  = [3][]float64{{0.43607, 0.22249, 0.01392}, {0.38515, 0.71687, 0.09708}, {0.14307, 0.06061, 0.71410}}

	standardCurve = append([]byte("para\x00\x00\x00\x00\x00\x03\x00\x00"), fixed(2.4, 1/1.055, 0.055/1.055, 1/12.92, 0.04045)...)
	gammaCurve    = []byte("curv\x00\x00\x00\x00\x00\x00\x00\x01\x02\x33\x00\x00") // 2.2
)

// tableCurve returns the curve of gammaCurve in another form.
func tableCurve() []byte {
	curve := []byte("curv\x00\x00\x00\x00\x00\x00\x04\x00")
	for i := range 1024 {
		curve = binary.BigEndian.AppendUint16(curve, uint16(math.Round(65535*math.Pow(float64(i)/1023, 563./256))))
	}
	return curve
}

// inQuarters returns a picture of four colours.
func inQuarters(colours [4]color.NRGBA) *image.NRGBA {
	img := image.NewNRGBA(image.Rect(0, 0, 64, 48))
	for y := range 48 {
		for x := range 64 {
			img.SetNRGBA(x, y, colours[y/24*2+x/32])
		}
	}
	return img
}

func asPNG(t testing.TB, img image.Image, chunks ...[]byte) []byte {
	t.Helper()
	var out bytes.Buffer
	if err := png.Encode(&out, img); err != nil {
		t.Fatal(err)
	}
	const header = 8 + 25
	return slices.Concat(out.Bytes()[:header], bytes.Join(chunks, nil), out.Bytes()[header:])
}

// profileChunk returns the chunk iCCP of a PNG.
func profileChunk(t testing.TB, profile []byte) []byte {
	t.Helper()
	data := bytes.NewBufferString("Wide\x00\x00")
	w := zlib.NewWriter(data)
	if _, err := w.Write(profile); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return chunk("iCCP", data.Bytes())
}

// withSegments returns a JPEG with further segments of a marker.
func withSegments(body []byte, marker byte, segments ...[]byte) []byte {
	out := slices.Clone(body[:2])
	for _, s := range segments {
		out = binary.BigEndian.AppendUint16(append(out, 0xff, marker), uint16(len(s)+2))
		out = append(out, s...)
	}
	return append(out, body[2:]...)
}

// Phones and cameras write wide colours with a colour profile that defines them. The stored picture
// looks the same without one.
func TestProcess_ColourProfile(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		profile []byte
		red     color.NRGBA // in which the profile has the red of sRGB
		green   color.NRGBA
		blue    color.NRGBA
	}{
		"Display P3": {colourProfile(displayP3, standardCurve),
			color.NRGBA{234, 51, 35, 255}, color.NRGBA{117, 251, 76, 255}, color.NRGBA{0, 0, 245, 255}},
		"Adobe RGB": {colourProfile(adobeRGB, gammaCurve),
			color.NRGBA{219, 0, 0, 255}, color.NRGBA{144, 255, 60, 255}, color.NRGBA{0, 0, 250, 255}},
		"a table": {colourProfile(adobeRGB, tableCurve()),
			color.NRGBA{219, 0, 0, 255}, color.NRGBA{144, 255, 60, 255}, color.NRGBA{0, 0, 250, 255}},
		"sRGB": {colourProfile(standard, standardCurve),
			color.NRGBA{255, 0, 0, 255}, color.NRGBA{0, 255, 0, 255}, color.NRGBA{0, 0, 255, 255}},
	} {
		glass := test.red
		glass.A = 128
		stored := [4]color.NRGBA{test.red, test.green, test.blue, glass}
		want := [4]color.NRGBA{{255, 0, 0, 255}, {0, 255, 0, 255}, {0, 0, 255, 255}, {255, 0, 0, 128}}
		img := process(t, "image/png", asPNG(t, inQuarters(stored), profileChunk(t, test.profile)))
		checkQuarters(t, name+" PNG", decoded(t, img.Files[0]), want, 6)

		stored[3], want[3] = test.red, want[0]
		var body bytes.Buffer
		if err := jpeg.Encode(&body, inQuarters(stored), &jpeg.Options{Quality: 95}); err != nil {
			t.Fatal(err)
		}
		half := len(test.profile) / 2
		parts := [][]byte{ // in the wrong order
			append([]byte("ICC_PROFILE\x00\x02\x02"), test.profile[half:]...), append([]byte("ICC_PROFILE\x00\x01\x02"), test.profile[:half]...),
		}
		img = process(t, "image/jpeg", withSegments(body.Bytes(), 0xe2, parts...))
		checkQuarters(t, name+" JPEG", decoded(t, img.Files[0]), want, 12)
	}
}

// A damaged profile costs the conversion, not the image.
func TestProcess_DamagedProfile(t *testing.T) {
	t.Parallel()
	whole := colourProfile(displayP3, standardCurve)
	colours := [4]color.NRGBA{{200, 40, 40, 255}, {40, 200, 40, 255}, {40, 40, 200, 255}, {90, 90, 90, 255}}
	damaged := [][]byte{nil, make([]byte, 1<<20+1)}
	for n := 0; n < len(whole); n += 7 {
		damaged = append(damaged, whole[:n])
	}
	for _, at := range []int{16, 36, 128, 136, 140, 144} {
		changed := slices.Clone(whole)
		changed[at] = 0xff
		damaged = append(damaged, changed)
	}
	for _, profile := range damaged {
		img := process(t, "image/png", asPNG(t, inQuarters(colours), profileChunk(t, profile)))
		checkQuarters(t, "damaged", decoded(t, img.Files[0]), colours, 2)
	}
	img := process(t, "image/png", asPNG(t, inQuarters(colours), chunk("iCCP", []byte("Wide\x00\x00not zlib"))))
	checkQuarters(t, "not compressed", decoded(t, img.Files[0]), colours, 2)
}

// Phones append a film to a photo. What stands behind the end of the picture counts for nothing.
func TestProcess_FilmBehindPicture(t *testing.T) {
	t.Parallel()
	for name, film := range map[string][]byte{
		"scans":   bytes.Repeat([]byte{0xff, 0xda, 0, 8}, 500),
		"text":    []byte("Adobe\x00\x00\x00\x00\x00\x00\x00"),
		"picture": encoded(t, 300, 200),
	} {
		img := process(t, "image/jpeg", append(sample(t, "progressive.jpg"), film...))
		if img.Width != 64 || img.Height != 48 {
			t.Errorf("%s: got %d × %d, want 64 × 48", name, img.Width, img.Height)
		}
	}
}

// A second block of EXIF without an orientation leaves that of the first.
func TestProcess_TwoBlocksOfEXIF(t *testing.T) {
	t.Parallel()
	turned := append([]byte("Exif\x00\x00"), orientationEXIF(binary.LittleEndian, 6)...)
	empty := []byte("Exif\x00\x00II*\x00\x08\x00\x00\x00\x00\x00")
	for _, blocks := range [][][]byte{{turned, empty}, {empty, turned}} {
		img := process(t, "image/jpeg", withSegments(sample(t, "baseline444.jpg"), 0xe1, blocks...))
		if img.Width != 48 || img.Height != 64 {
			t.Errorf("got %d × %d, want 48 × 64", img.Width, img.Height)
		}
	}
}

// Chunks that change no pixel may be damaged; those of the pixels may not.
func TestProcess_WrongChecksum(t *testing.T) {
	t.Parallel()
	colours := [4]color.NRGBA{{200, 40, 40, 255}, {40, 200, 40, 255}, {40, 40, 200, 255}, {90, 90, 90, 255}}
	comment := chunk("tEXt", []byte("Comment\x00Mug"))
	comment[len(comment)-1] ^= 1
	body := asPNG(t, inQuarters(colours), comment)
	img := process(t, "image/png", body)
	checkQuarters(t, "comment", decoded(t, img.Files[0]), colours, 2)

	body[len(body)-14] ^= 1 // of the pixels
	if _, err := media.NewPatientProcessor().Process(t.Context(), "image/png", body); err == nil {
		t.Error("got no error for damaged pixels")
	}
}
