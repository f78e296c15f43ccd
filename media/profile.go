package media

import (
	"bytes"
	"compress/zlib"
	"encoding/binary"
	"io"
	"math"
	"sync"
)

// Written by hand: image and golang.org/x/image ignore colour profiles.

// Stored images have no colour profile, so that they are shown as sRGB. The colours of an upload
// with another profile of red, green and blue by primaries and tone curves, as phones and cameras
// write, are converted. Other kinds of profiles are ignored, as are damaged ones.
//
// Source: ICC.1:2010, sections 7 to 10.

// maxProfile limits the size of a colour profile in bytes.
const maxProfile = 1 << 20

// conversion converts colours of a profile to sRGB.
type conversion struct {
	linear [3][256]float32 // light of a red, green or blue value, of 1
	mix    [3][3]float32   // converts light by the profile's primaries to sRGB's
}

// fromXYZ is the inverse of the matrix of sRGB's primaries, adapted to the white D50 of profiles.
var fromXYZ = [3][3]float64{
	{3.1338561, -1.6168667, -0.4906146},
	{-0.9787684, 1.9161415, 0.0334540},
	{0.0719453, -0.2289914, 1.4052427},
}

// newConversion returns the conversion of a profile's colours, or nil if there is nothing to
// convert.
func newConversion(profile []byte) *conversion {
	const headerSize, entrySize = 128, 12
	if len(profile) < headerSize+4 || string(profile[16:20]) != "RGB " || string(profile[36:40]) != "acsp" {
		return nil
	}
	tags := map[string][]byte{}
	entries := profile[headerSize+4:]
	for range min(binary.BigEndian.Uint32(profile[headerSize:]), 100) {
		if len(entries) < entrySize {
			return nil
		}
		offset, size := uint64(binary.BigEndian.Uint32(entries[4:])), uint64(binary.BigEndian.Uint32(entries[8:]))
		if offset+size > uint64(len(profile)) {
			return nil
		}
		tags[string(entries[:4])] = profile[offset : offset+size]
		entries = entries[entrySize:]
	}
	if tags["A2B0"] != nil { // by tables, which come before primaries
		return nil
	}
	c := new(conversion)
	for i, channel := range []string{"r", "g", "b"} {
		xyz, ok := parseXYZ(tags[channel+"XYZ"])
		curve := parseCurve(tags[channel+"TRC"])
		if !ok || curve == nil {
			return nil
		}
		for v := range c.linear[i] {
			c.linear[i][v] = float32(min(max(curve(float64(v)/255), 0), 1))
		}
		for j, row := range fromXYZ {
			c.mix[j][i] = float32(row[0]*xyz[0] + row[1]*xyz[1] + row[2]*xyz[2])
		}
	}
	if c.isIdentity() {
		return nil
	}
	return c
}

// parseXYZ parses a colour.
func parseXYZ(tag []byte) (xyz [3]float64, ok bool) {
	if len(tag) < 20 || string(tag[:4]) != "XYZ " {
		return xyz, false
	}
	for i := range xyz {
		xyz[i] = fixed(tag[8+4*i:])
	}
	return xyz, true
}

// fixed returns a number of 16.16 bits.
func fixed(b []byte) float64 { return float64(int32(binary.BigEndian.Uint32(b))) / 65536 }

// parseCurve returns a tone curve, from and to 0 … 1; nil if it is not valid.
func parseCurve(tag []byte) func(x float64) float64 {
	if len(tag) < 12 {
		return nil
	}
	switch string(tag[:4]) {
	case "curv":
		return parseTable(binary.BigEndian.Uint32(tag[8:]), tag[12:])
	case "para":
		return parseFormula(binary.BigEndian.Uint16(tag[8:]), tag[12:])
	}
	return nil
}

// parseTable returns a curve of count values between which it is straight.
func parseTable(count uint32, values []byte) func(x float64) float64 {
	at := func(i int) float64 { return float64(binary.BigEndian.Uint16(values[2*i:])) }
	switch {
	case count == 0:
		return func(x float64) float64 { return x }
	case uint64(len(values)) < 2*uint64(count):
		return nil
	case count == 1:
		gamma := at(0) / 256
		return func(x float64) float64 { return math.Pow(x, gamma) }
	}
	last := int(count) - 1
	return func(x float64) float64 {
		i := min(int(x*float64(last)), last-1)
		part := x*float64(last) - float64(i)
		return (at(i)*(1-part) + at(i+1)*part) / 65535
	}
}

// parseFormula returns the curve (a x + b)^g + e, which is c x + f below d.
func parseFormula(kind uint16, numbers []byte) func(x float64) float64 {
	counts := []int{1, 3, 4, 5, 7}
	if int(kind) >= len(counts) || len(numbers) < 4*counts[kind] {
		return nil
	}
	p := [7]float64{1: 1} // g, a, b, c, d, e, f
	for i := range counts[kind] {
		p[i] = fixed(numbers[4*i:])
	}
	g, a, b, c, d, e, f := p[0], p[1], p[2], p[3], p[4], p[5], p[6]
	if kind == 1 || kind == 2 {
		if a == 0 {
			return nil
		}
		e, f, d = c, c, -b/a // for the first kinds, c is added
		c = 0
	}
	return func(x float64) float64 {
		if x < d {
			return c*x + f
		}
		return math.Pow(max(a*x+b, 0), g) + e
	}
}

// lightSteps is the number of steps of light in [tones].
const lightSteps = 1 << 14

// tones are the values of sRGB by light.
var tones = sync.OnceValue(func() *[lightSteps + 1]byte {
	values := new([lightSteps + 1]byte)
	for i := range values {
		light := float64(i) / lightSteps
		tone := 12.92 * light
		if light > 0.0031308 {
			tone = 1.055*math.Pow(light, 1/2.4) - 0.055
		}
		values[i] = byte(math.Round(255 * tone))
	}
	return values
})

// convert converts one colour.
func (c *conversion) convert(red, green, blue byte) (r, g, b byte) {
	x, y, z := c.linear[0][red], c.linear[1][green], c.linear[2][blue]
	values := tones()
	tone := func(row [3]float32) byte {
		light := row[0]*x + row[1]*y + row[2]*z
		return values[int(min(max(light, 0), 1)*lightSteps+0.5)]
	}
	return tone(c.mix[0]), tone(c.mix[1]), tone(c.mix[2])
}

// isIdentity reports whether the profile shows colours as sRGB does.
func (c *conversion) isIdentity() bool {
	const tolerance = 2
	differ := func(a, b byte) bool { return max(a, b)-min(a, b) > tolerance }
	for _, v := range [][3]byte{{255, 0, 0}, {0, 255, 0}, {0, 0, 255}, {64, 64, 64}, {128, 128, 128}, {200, 60, 120}} {
		r, g, b := c.convert(v[0], v[1], v[2])
		if differ(r, v[0]) || differ(g, v[1]) || differ(b, v[2]) {
			return false
		}
	}
	return true
}

// convertAll converts pixels, whose colours are multiplied by alpha.
func (c *conversion) convertAll(pix []byte) {
	for i := 0; i < len(pix); i += channels {
		p := pix[i : i+channels : i+channels]
		switch alpha := int(p[3]); alpha {
		case 0:
		case 255:
			p[0], p[1], p[2] = c.convert(p[0], p[1], p[2])
		default:
			divide := func(v byte) byte { return byte(min(255, (int(v)*255+alpha/2)/alpha)) }
			p[0], p[1], p[2] = c.convert(divide(p[0]), divide(p[1]), divide(p[2]))
			multiply(p, p[3])
		}
	}
}

// profileOf returns the colour profile of an upload, nil if it has none.
func profileOf(kind string, body []byte) []byte {
	switch kind {
	case "image/jpeg":
		return jpegProfile(body)
	case "image/png":
		return pngProfile(body)
	case "image/webp":
		for name, chunk := range webpChunks(body) {
			if name == "ICCP" && len(chunk) <= maxProfile {
				return chunk
			}
		}
	}
	return nil
}

// jpegProfile joins the parts of a profile, which are numbered from 1.
func jpegProfile(body []byte) (profile []byte) {
	const prefix, marker = "ICC_PROFILE\x00", 0xe2
	parts := map[byte][]byte{}
	for m, segment := range jpegSegments(body) {
		if m == startOfScan {
			break
		}
		if part, ok := bytes.CutPrefix(segment, []byte(prefix)); m == marker && ok && len(part) > 2 {
			parts[part[0]] = part[2:]
		}
	}
	for n := byte(1); parts[n] != nil && len(profile)+len(parts[n]) <= maxProfile; n++ {
		profile = append(profile, parts[n]...)
	}
	return profile
}

// pngProfile inflates the chunk iCCP, which begins with a name and a method.
func pngProfile(body []byte) []byte {
	for name, chunk := range pngChunks(body) {
		if name != "iCCP" {
			continue
		}
		data := chunk[8 : len(chunk)-4]
		end := bytes.IndexByte(data, 0)
		if end < 0 || len(data) < end+2 {
			return nil
		}
		r, err := zlib.NewReader(bytes.NewReader(data[end+2:]))
		if err != nil {
			return nil
		}
		profile, err := io.ReadAll(io.LimitReader(r, maxProfile))
		if err != nil {
			return nil
		}
		return profile
	}
	return nil
}
