package design

import (
	"fmt"
	"math"
	"strconv"
)

// colour is a colour in OKLCH: https://www.w3.org/TR/css-color-4/#ok-lab. Colours that are equally
// light in it look equally light.
type colour struct {
	lightness float64 // 0 to 1
	chroma    float64
	hue       float64 // in radians
}

// rgb is a colour in sRGB. Each channel is from 0 to 1.
type rgb [3]float64

// parseRGB returns a colour such as #27497a. ok is false if the text is not one.
func parseRGB(text string) (c rgb, ok bool) {
	if len(text) != 7 || text[0] != '#' {
		return c, false
	}
	value, err := strconv.ParseUint(text[1:], 16, 32)
	if err != nil {
		return c, false
	}
	for i := range c {
		c[i] = float64(value>>(16-8*i)&0xff) / 255
	}
	return c, true
}

// String returns the colour as in #27497a.
func (c rgb) String() string {
	channel := func(i int) int { return int(math.Round(255 * min(max(c[i], 0), 1))) }
	return fmt.Sprintf("#%02x%02x%02x", channel(0), channel(1), channel(2))
}

// rounded returns the colour that a screen shows.
func (c rgb) rounded() rgb {
	shown, _ := parseRGB(c.String())
	return shown
}

func (c rgb) linear() rgb {
	for i, v := range c {
		if v <= 0.04045 {
			c[i] = v / 12.92
		} else {
			c[i] = math.Pow((v+0.055)/1.055, 2.4)
		}
	}
	return c
}

// oklch returns the colour in OKLCH.
func (c rgb) oklch() colour {
	l := c.linear()
	long := math.Cbrt(0.4122214708*l[0] + 0.5363325363*l[1] + 0.0514459929*l[2])
	medium := math.Cbrt(0.2119034982*l[0] + 0.6806995451*l[1] + 0.1073969566*l[2])
	short := math.Cbrt(0.0883024619*l[0] + 0.2817188376*l[1] + 0.6299787005*l[2])
	a := 1.9779984951*long - 2.4285922050*medium + 0.4505937099*short
	b := 0.0259040371*long + 0.7827717662*medium - 0.8086757660*short
	return colour{
		lightness: 0.2104542553*long + 0.7936177850*medium - 0.0040720468*short,
		chroma:    math.Hypot(a, b), hue: math.Atan2(b, a),
	}
}

// unbounded returns the colour in sRGB. Its channels exceed 0 or 1 if screens cannot show it.
func (c colour) unbounded() rgb {
	a, b := c.chroma*math.Cos(c.hue), c.chroma*math.Sin(c.hue)
	cube := func(v float64) float64 { return v * v * v }
	long := cube(c.lightness + 0.3963377774*a + 0.2158037573*b)
	medium := cube(c.lightness - 0.1055613458*a - 0.0638541728*b)
	short := cube(c.lightness - 0.0894841775*a - 1.2914855480*b)
	linear := rgb{
		4.0767416621*long - 3.3077115913*medium + 0.2309699292*short,
		-1.2684380046*long + 2.6097574011*medium - 0.3413193965*short,
		-0.0041960863*long - 0.7034186147*medium + 1.7076147010*short,
	}
	for i, v := range linear {
		if v <= 0.0031308 {
			linear[i] = 12.92 * v
		} else {
			linear[i] = 1.055*math.Pow(v, 1/2.4) - 0.055
		}
	}
	return linear
}

// rgb returns the colour as screens show it, with less chroma if they cannot show it.
func (c colour) rgb() rgb {
	const bearable = 0.0005 // half of a step of rounding
	for {
		shown := c.unbounded()
		if c.chroma <= 0 || (min(shown[0], shown[1], shown[2]) >= -bearable && max(shown[0], shown[1], shown[2]) <= 1+bearable) {
			return shown.rounded()
		}
		c.chroma = max(0, c.chroma-0.002)
	}
}

// mix returns part of a colour on another one.
func mix(on, top rgb, part float64) rgb {
	var mixed rgb
	for i := range mixed {
		mixed[i] = on[i]*(1-part) + top[i]*part
	}
	return mixed.rounded()
}

// contrast returns the contrast of two colours, from 1 to 21:
// https://www.w3.org/TR/WCAG22/#dfn-contrast-ratio.
func contrast(a, b rgb) float64 {
	luminance := func(c rgb) float64 {
		l := c.linear()
		return 0.2126*l[0] + 0.7152*l[1] + 0.0722*l[2]
	}
	light, dark := luminance(a), luminance(b)
	if light < dark {
		light, dark = dark, light
	}
	return (light + 0.05) / (dark + 0.05)
}
