package media

import (
	"bytes"
	"context"
	"image"
	"image/jpeg"
	"image/png"

	"storefront/shop/picture"
)

// Written by hand: golang.org/x/image/draw does not stop with a context, and neither turns an
// image nor converts its colours in the same pass.

// pixels is an upright image of at most maxStoredSide. Colours are multiplied by alpha.
type pixels struct {
	width, height int
	opaque        bool
	pix           []byte
}

func newPixels(width, height int, opaque bool) pixels {
	return pixels{width, height, opaque, make([]byte, width*height*channels)}
}

// normalize returns src upright and in its stored size.
func normalize(ctx context.Context, src image.Image, c ycbcr, o orientation) (pixels, error) {
	width, height := src.Bounds().Dx(), src.Bounds().Dy()
	w, h := width, height
	if larger := max(w, h); larger > maxStoredSide {
		w, h = scaledSide(w, maxStoredSide, larger), scaledSide(h, maxStoredSide, larger)
	}
	read, opaque := rowReader(src, c)
	out := newPixels(w, h, opaque)
	if o.swapsSides() {
		out.width, out.height = h, w
	}
	first, right, down := o.steps(out.width, out.height)
	err := scale(ctx, read, width, height, w, h, func(y int, row []byte) {
		at := first + y*down
		if right == channels {
			copy(out.pix[at:], row)
			return
		}
		for i := 0; i < len(row); i += channels {
			copy(out.pix[at:at+channels], row[i:i+channels])
			at += right
		}
	})
	return out, err
}

// scaledSide returns n × to ÷ from, rounded, and at least 1.
func scaledSide(n, to, from int) int { return max(1, (n*to+from/2)/from) }

// steps returns the offset of the first stored pixel in an upright image, and the distances to the
// next stored pixel and the next stored row, in bytes.
func (o orientation) steps(width, height int) (first, right, down int) {
	row := width * channels
	lastColumn, lastRow := row-channels, (height-1)*row
	switch o {
	case 2: // mirrored
		return lastColumn, -channels, row
	case 3: // upside down
		return lastRow + lastColumn, -channels, -row
	case 4:
		return lastRow, channels, -row
	case 5:
		return 0, row, channels
	case 6: // to be turned to the right
		return lastColumn, row, -channels
	case 7:
		return lastRow + lastColumn, -row, -channels
	case 8: // to be turned to the left
		return lastRow, -row, channels
	}
	return 0, channels, row
}

// rendition returns the image as a file of the given width.
func (p pixels) rendition(ctx context.Context, width int, format picture.Format) (picture.File, error) {
	scaled := p
	if width != p.width {
		scaled = newPixels(width, scaledSide(p.height, width, p.width), p.opaque)
		read := func(y int, row []byte) { copy(row, p.pix[y*p.width*channels:]) }
		err := scale(ctx, read, p.width, p.height, scaled.width, scaled.height, func(y int, row []byte) {
			copy(scaled.pix[y*scaled.width*channels:], row)
		})
		if err != nil {
			return picture.File{}, err
		}
	}
	var out bytes.Buffer
	var err error
	rect, w := image.Rect(0, 0, scaled.width, scaled.height), contextWriter{ctx, &out}
	if format == picture.JPEG {
		err = jpeg.Encode(w, &image.RGBA{Pix: scaled.pix, Stride: scaled.width * channels, Rect: rect}, &jpeg.Options{Quality: jpegQuality})
	} else {
		err = png.Encode(w, &image.NRGBA{Pix: divided(scaled.pix), Stride: scaled.width * channels, Rect: rect})
	}
	return picture.File{Width: scaled.width, Height: scaled.height, Data: out.Bytes()}, err
}

// divided returns pixels with colours that are not multiplied by alpha.
func divided(pix []byte) []byte {
	out := make([]byte, len(pix))
	for i := 0; i < len(pix); i += channels {
		alpha := int(pix[i+3])
		if alpha == 0 {
			continue
		}
		for c := range 3 {
			out[i+c] = byte(min(255, (int(pix[i+c])*255+alpha/2)/alpha))
		}
		out[i+3] = byte(alpha)
	}
	return out
}

// scale averages the area of each pixel of the result, from the first row to the last. put gets
// each row; the slice is reused. The result must not be larger than the source.
//
// Areas are exact integers: a source pixel is w units wide and h high, a pixel of the result width
// and height units.
func scale(ctx context.Context, read func(y int, row []byte), width, height, w, h int, put func(y int, row []byte)) error {
	source, result := make([]byte, width*channels), make([]byte, w*channels)
	if width == w && height == h {
		for y := range h {
			if ctx.Err() != nil {
				return context.Cause(ctx)
			}
			read(y, source)
			put(y, source)
		}
		return nil
	}
	across := make([]uint32, w*channels) // a source row in the width of the result
	sums := make([]uint64, w*channels)
	share := 1 / (float64(width) * float64(height))
	var y, filled int // the row of the result, and how much of its height is in sums
	for sourceY := range height {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		read(sourceY, source)
		average(source, across, width, w)
		for left := h; left > 0; {
			part := min(left, height-filled)
			for i, v := range across {
				sums[i] += uint64(v) * uint64(part)
			}
			left -= part
			if filled += part; filled < height {
				continue
			}
			for i, sum := range sums {
				result[i] = byte(float64(sum)*share + 0.5)
			}
			put(y, result)
			clear(sums)
			filled = 0
			y++
		}
	}
	return nil
}

// average writes the sums of a source row, by the pixels of the result, weighted by their widths.
func average(source []byte, across []uint32, width, w int) {
	var x, filled int
	var red, green, blue, alpha uint32
	for i := 0; i < len(source); i += channels {
		p := source[i : i+channels : i+channels]
		r, g, b, a := uint32(p[0]), uint32(p[1]), uint32(p[2]), uint32(p[3])
		for left := w; left > 0; {
			part := min(left, width-filled)
			n := uint32(part)
			red, green, blue, alpha = red+r*n, green+g*n, blue+b*n, alpha+a*n
			left -= part
			if filled += part; filled < width {
				continue
			}
			out := across[x : x+channels : x+channels]
			out[0], out[1], out[2], out[3] = red, green, blue, alpha
			red, green, blue, alpha, filled = 0, 0, 0, 0, 0
			x += channels
		}
	}
}
