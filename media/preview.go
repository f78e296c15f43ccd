package media

import (
	"bytes"
	"context"
	"image"
	"image/jpeg"
	"runtime/debug"

	"storefront/shop/picture"
)

// maxPreview limits the size of a preview in bytes.
const maxPreview = 300_000

// previewQualities are the qualities of a preview, until it is small enough.
var previewQualities = []int{jpegQuality, 65, 45, 25, 10}

// previewPaper is the colour beside an image of another shape.
var previewPaper = [channels]byte{0xfb, 0xf7, 0xf0, 0xff}

// Preview returns a JPEG of [picture.PreviewWidth] × [picture.PreviewHeight] that shows a whole
// image. Errors: as [Processor.Process].
func (p *Processor) Preview(ctx context.Context, body []byte) ([]byte, error) {
	h, err := readHeader(TypeOf(body), body)
	if err != nil {
		return nil, err
	}
	release, err := p.reserve(ctx)
	if err != nil {
		return nil, err
	}
	defer release()
	if h.memory > maxKept {
		defer debug.FreeOSMemory()
	}
	ctx, cancel := context.WithTimeoutCause(ctx, p.timeout, errTooSlow)
	defer cancel()
	src, err := decodeBounded(ctx, h, body)
	if err != nil {
		return nil, decodeError(err)
	}
	shown, err := normalize(ctx, src, fullRange, h.orientation)
	if err != nil {
		return nil, decodeError(err)
	}
	preview, err := shown.preview(ctx)
	if err != nil {
		return nil, decodeError(err)
	}
	return preview, nil
}

// preview returns a preview of an image as a JPEG.
func (p pixels) preview(ctx context.Context) ([]byte, error) {
	whole, err := p.letterbox(ctx)
	if err != nil {
		return nil, err
	}
	canvas := &image.RGBA{Pix: whole.pix, Stride: whole.width * channels, Rect: image.Rect(0, 0, whole.width, whole.height)}
	var out bytes.Buffer
	for _, quality := range previewQualities {
		out.Reset()
		if err := jpeg.Encode(contextWriter{ctx, &out}, canvas, &jpeg.Options{Quality: quality}); err != nil {
			return nil, err
		}
		if out.Len() <= maxPreview {
			break
		}
	}
	return out.Bytes(), nil
}

// letterbox returns an image in the middle of a preview. It is not enlarged.
func (p pixels) letterbox(ctx context.Context) (pixels, error) {
	w, h := p.width, p.height
	if w > picture.PreviewWidth {
		w, h = picture.PreviewWidth, scaledSide(h, picture.PreviewWidth, p.width)
	}
	if h > picture.PreviewHeight {
		w, h = scaledSide(p.width, picture.PreviewHeight, p.height), picture.PreviewHeight
	}
	out := newPixels(picture.PreviewWidth, picture.PreviewHeight, true)
	for i := 0; i < len(out.pix); i += channels {
		copy(out.pix[i:], previewPaper[:])
	}
	first := ((picture.PreviewHeight-h)/2*picture.PreviewWidth + (picture.PreviewWidth-w)/2) * channels
	read := func(y int, row []byte) { copy(row, p.pix[y*p.width*channels:]) }
	err := scale(ctx, read, p.width, p.height, w, h, func(y int, row []byte) {
		at := first + y*picture.PreviewWidth*channels
		for i := 0; i < len(row); i += channels {
			behind := 255 - int(row[i+3]) // colours are multiplied by alpha
			for c := range 3 {
				out.pix[at+i+c] = byte(min(255, int(row[i+c])+(int(previewPaper[c])*behind+127)/255))
			}
		}
	})
	return out, err
}
