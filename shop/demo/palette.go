package demo

import "fmt"

// rgb is a colour as 0xRRGGBB.
type rgb uint32

const (
	white rgb = 0xffffff
	ink   rgb = 0x26212e
)

// mix returns a mixture of c and other by share, from 0 (c) to 1 (other).
func (c rgb) mix(other rgb, share float64) rgb {
	var mixed rgb
	for shift := 0; shift <= 16; shift += 8 {
		a, b := float64(c>>shift&0xff), float64(other>>shift&0xff)
		mixed |= rgb(a+(b-a)*share+0.5) << shift
	}
	return mixed
}

func (c rgb) String() string { return fmt.Sprintf("#%06x", uint32(c)) }

// palette is the colours of one picture: the product, its ornament and the background, which
// contrasts with white products too.
type palette struct{ main, accent, ground rgb }

// palettes are the palettes by the colour in a picture's name.
var palettes = map[string]palette{
	"amber":    {0xe09a1f, 0x8a4b12, 0xf3cf7a},
	"black":    {0x34323b, 0xd9a441, 0xc9c3d6},
	"blue":     {0x2f6fc4, 0xf4c95d, 0x9cc4ea},
	"brown":    {0x8b5a3c, 0xf0c987, 0xe3c2a4},
	"charcoal": {0x4a4f59, 0xef7f5a, 0xb9c3cf},
	"coral":    {0xf0765d, 0xfff0d6, 0xf9c3ae},
	"cream":    {0xf3e6c8, 0xb98a2f, 0xc9b283},
	"gold":     {0xd4a32c, 0x8c2f39, 0xf0d998},
	"green":    {0x2f8f5b, 0xf6cf65, 0xa9d9b4},
	"lavender": {0xa68bd3, 0xfde7a9, 0xd6c8f0},
	"maroon":   {0x8c2439, 0xeabf62, 0xe2abaf},
	"mint":     {0x7cc9a5, 0x1d6f58, 0xbfe8d3},
	"mustard":  {0xd9a11e, 0x7a2e2e, 0xf2d583},
	"navy":     {0x26406f, 0xe8b84f, 0xa7bbdc},
	"olive":    {0x768a3a, 0xf3d9a0, 0xcdd8a2},
	"orange":   {0xee8a35, 0x7b3f14, 0xf9cc9a},
	"pink":     {0xea7fa4, 0xfff3c9, 0xf7c0d2},
	"purple":   {0x74418f, 0xf2c45a, 0xcfb1de},
	"red":      {0xcf3438, 0xf6c95c, 0xf2aea5},
	"rose":     {0xd88a93, 0x7d2f47, 0xf0c9c6},
	"silver":   {0xc3cad2, 0x2b7fb0, 0xaebccb},
	"sky":      {0x6fb5e4, 0xfff1b8, 0xb9dcf3},
	"tan":      {0xcda671, 0x7b4b26, 0xe8d2ad},
	"teal":     {0x1f8a8c, 0xf7c873, 0x98d3d0},
	"white":    {0xf8f5ef, 0x3c7a89, 0x9fb8bd},
	"yellow":   {0xf2c230, 0xc4512d, 0xf9e29a},
}
