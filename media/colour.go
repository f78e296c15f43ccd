package media

import "fmt"

// colourSamples is the number of pixels in each direction that count for the colour.
const colourSamples = 64

// colour returns the most frequent colour of an opaque image in the notation of CSS, such as
// #a1b2c3: the mean of the pixels of its most frequent one of 512 ranges. "" means that parts of
// the image are transparent.
func (p pixels) colour() string {
	if !p.opaque {
		return ""
	}
	var sums [512]struct{ count, red, green, blue int }
	most := 0
	for row := range min(p.height, colourSamples) {
		y := row * p.height / min(p.height, colourSamples)
		for column := range min(p.width, colourSamples) {
			x := column * p.width / min(p.width, colourSamples)
			at := (y*p.width + x) * channels
			red, green, blue := int(p.pix[at]), int(p.pix[at+1]), int(p.pix[at+2])
			bin := red>>5<<6 | green>>5<<3 | blue>>5
			s := &sums[bin]
			s.count, s.red, s.green, s.blue = s.count+1, s.red+red, s.green+green, s.blue+blue
			if s.count > sums[most].count {
				most = bin
			}
		}
	}
	s := sums[most]
	return fmt.Sprintf("#%02x%02x%02x", s.red/s.count, s.green/s.count, s.blue/s.count)
}
