package media

import (
	"image"
	"image/color"
)

// channels is the number of bytes of a pixel in a row: red, green, blue, alpha; the colours are
// multiplied by alpha.
const channels = 4

// rowReader returns a function that reads a row of an image, and whether the image is opaque. The
// types of all decoders are read directly; the conversion by [color.Color] would take seconds.
func rowReader(src image.Image, c ycbcr) (read func(y int, row []byte), opaque bool) {
	b := src.Bounds()
	rows := func(pix []byte, offset func(x, y int) int, convert func(pix, row []byte)) func(y int, row []byte) {
		return func(y int, row []byte) { convert(pix[offset(b.Min.X, b.Min.Y+y):], row) }
	}
	switch m := src.(type) {
	case *image.YCbCr:
		return func(y int, row []byte) { c.read(m, b.Min.Y+y, row) }, true
	case *image.NYCbCrA:
		alpha := rows(m.A, m.AOffset, multiplyRow)
		return func(y int, row []byte) {
			c.read(&m.YCbCr, b.Min.Y+y, row)
			alpha(y, row)
		}, m.Opaque()
	case *image.Gray:
		return rows(m.Pix, m.PixOffset, readGray), true
	case *image.Gray16:
		return rows(m.Pix, m.PixOffset, readGray16), true
	case *image.RGBA:
		return rows(m.Pix, m.PixOffset, readRGBA), m.Opaque()
	case *image.NRGBA:
		return rows(m.Pix, m.PixOffset, readNRGBA), m.Opaque()
	case *image.RGBA64:
		return rows(m.Pix, m.PixOffset, readRGBA64), m.Opaque()
	case *image.NRGBA64:
		return rows(m.Pix, m.PixOffset, readNRGBA64), m.Opaque()
	case *image.CMYK:
		return rows(m.Pix, m.PixOffset, readCMYK), true
	case *image.Paletted:
		p := newPalette(m.Palette)
		return rows(m.Pix, m.PixOffset, p.read), p.isOpaque(m)
	}
	return func(y int, row []byte) { readAny(src, b.Min.Y+y, row) }, false
}

func readGray(pix, row []byte) {
	for i := range len(row) / channels {
		set(row[i*channels:], pix[i], pix[i], pix[i], 255)
	}
}

func readGray16(pix, row []byte) {
	for i := range len(row) / channels {
		set(row[i*channels:], pix[2*i], pix[2*i], pix[2*i], 255)
	}
}

func readRGBA(pix, row []byte) { copy(row, pix) }

func readNRGBA(pix, row []byte) {
	copy(row, pix)
	multiplyByOwn(row)
}

// readRGBA64 reads the more significant halves of values of 16 bits.
func readRGBA64(pix, row []byte) {
	for i := range row {
		row[i] = pix[2*i]
	}
}

func readNRGBA64(pix, row []byte) {
	readRGBA64(pix, row)
	multiplyByOwn(row)
}

func readCMYK(pix, row []byte) {
	for i := 0; i < len(row); i += channels {
		red, green, blue := color.CMYKToRGB(pix[i], pix[i+1], pix[i+2], pix[i+3])
		set(row[i:], red, green, blue, 255)
	}
}

// readAny reads a row of an image of any type.
func readAny(src image.Image, y int, row []byte) {
	minX := src.Bounds().Min.X
	for i := range len(row) / channels {
		red, green, blue, alpha := src.At(minX+i, y).RGBA()
		set(row[i*channels:], byte(red>>8), byte(green>>8), byte(blue>>8), byte(alpha>>8))
	}
}

// palette has the pixel of each index. An index without a colour is transparent.
type palette [256][channels]byte

func newPalette(colors color.Palette) *palette {
	p := &palette{}
	for i, c := range colors {
		red, green, blue, alpha := c.RGBA()
		p[i] = [channels]byte{byte(red >> 8), byte(green >> 8), byte(blue >> 8), byte(alpha >> 8)}
	}
	return p
}

func (p *palette) read(pix, row []byte) {
	for i := range len(row) / channels {
		copy(row[i*channels:], p[pix[i]][:])
	}
}

// isOpaque reports whether all colours that an image uses are opaque.
func (p *palette) isOpaque(m *image.Paletted) bool {
	b := m.Bounds()
	for y := range b.Dy() {
		pix := m.Pix[m.PixOffset(b.Min.X, b.Min.Y+y):]
		for _, i := range pix[:b.Dx()] {
			if p[i][3] != 255 {
				return false
			}
		}
	}
	return true
}

func set(pixel []byte, red, green, blue, alpha byte) {
	_ = pixel[3]
	pixel[0], pixel[1], pixel[2], pixel[3] = red, green, blue, alpha
}

// multiply multiplies the colours by alpha.
func multiply(pixel []byte, alpha byte) {
	_ = pixel[3]
	pixel[3] = alpha
	if alpha == 255 {
		return
	}
	for i := range 3 {
		pixel[i] = byte((int(pixel[i])*int(alpha) + 127) / 255)
	}
}

// multiplyRow multiplies the colours of a row by alpha.
func multiplyRow(alpha, row []byte) {
	for i := range len(row) / channels {
		multiply(row[i*channels:], alpha[i])
	}
}

// multiplyByOwn multiplies the colours of each pixel by the pixel's own alpha.
func multiplyByOwn(row []byte) {
	for i := 0; i < len(row); i += channels {
		multiply(row[i:], row[i+3])
	}
}

// ycbcr has the coefficients for converting luminance and chroma, in units of 1/65536.
type ycbcr struct {
	black, luma, rounding           int32
	redCr, greenCb, greenCr, blueCb int32
}

// fullRange is the conversion of JPEG, as in [color.YCbCrToRGB]. videoRange is the conversion of
// WebP, with black as 16 and white as 235; the decoder leaves the values unchanged.
var (
	fullRange  = ycbcr{black: 0, luma: 0x10101, redCr: 91881, greenCb: -22554, greenCr: -46802, blueCb: 116130}
	videoRange = ycbcr{black: 16, luma: 76309, rounding: 1 << 15, redCr: 104597, greenCb: -25675, greenCr: -53279, blueCb: 132201}
)

// read reads a row. The products of chroma are computed once for the pixels that share it.
func (c ycbcr) read(m *image.YCbCr, y int, row []byte) {
	minX := m.Rect.Min.X
	luma := m.Y[m.YOffset(minX, y):]
	shift := 0 // of the horizontal position in chroma
	switch m.SubsampleRatio {
	case image.YCbCrSubsampleRatio422, image.YCbCrSubsampleRatio420:
		shift = 1
	case image.YCbCrSubsampleRatio411, image.YCbCrSubsampleRatio410:
		shift = 2
	}
	start := m.COffset(minX, y) - minX>>shift
	last, red, green, blue := -1, int32(0), int32(0), int32(0)
	for i := range len(row) / channels {
		if at := start + (minX+i)>>shift; at != last {
			cb, cr := int32(m.Cb[at])-128, int32(m.Cr[at])-128
			red, green, blue, last = c.redCr*cr, c.greenCb*cb+c.greenCr*cr, c.blueCb*cb, at
		}
		l := (int32(luma[i])-c.black)*c.luma + c.rounding
		set(row[i*channels:], clamp(l+red), clamp(l+green), clamp(l+blue), 255)
	}
}

// clamp returns the upper bits of a value of 8.16 bits, within a byte.
func clamp(v int32) byte {
	if uint32(v)&0xff000000 != 0 {
		return byte(^(v >> 31))
	}
	return byte(v >> 16)
}
