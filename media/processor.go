package media

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"image"
	"image/gif"
	"image/jpeg"
	"image/png"
	"io"
	"mime"
	"runtime/debug"
	"time"

	"golang.org/x/image/webp"

	"storefront/shop/picture"
)

const (
	// MaxBody limits the size of an upload in bytes.
	MaxBody = 12 << 20
	// MaxSide limits the width and height of an upload in pixels.
	MaxSide = 12_000
	// maxMemory limits the memory for decoding, in bytes, see [header.memory].
	maxMemory = 96 << 20
	// maxKept is the memory for decoding above which memory is returned to the system afterwards.
	maxKept = 32 << 20
	// maxStoredSide limits the width and height of the stored image in pixels.
	maxStoredSide = 2048
	// maxWaiting limits the uploads that wait for the one being decoded.
	maxWaiting = 8
	// processTimeout limits the time that an upload waits, and then its processing time.
	processTimeout = 20 * time.Second
	jpegQuality    = 82
)

// renditionWidths lists the widths of smaller copies, the largest first.
var renditionWidths = [...]int{1280, 640, 320, 160}

// AcceptedTypes lists the content types of uploads.
func AcceptedTypes() []string { return []string{"image/jpeg", "image/png", "image/webp", "image/gif"} }

var (
	// ErrUnsupportedType means that the content type is not one of [AcceptedTypes].
	ErrUnsupportedType = errors.New("the content type must be image/jpeg, image/png, image/webp or image/gif")
	// ErrBusy means that too many uploads are waiting.
	ErrBusy = errors.New("too many images are being processed, try again in a few seconds")
)

// InvalidError means that an upload is not an image that can be stored.
type InvalidError struct {
	Reason string // a sentence for the merchant
	Err    error  // the decoder's error, or nil
}

func (e *InvalidError) Error() string { return e.Reason }

func (e *InvalidError) Unwrap() error { return e.Err }

func invalid(err error, format string, args ...any) error {
	return &InvalidError{Reason: fmt.Sprintf(format, args...), Err: err}
}

// Processor processes uploads, one at a time, so that its memory is bounded.
type Processor struct {
	decoding, waiting chan struct{}
	timeout           time.Duration // set by tests
}

// NewProcessor returns a processor. A process has one.
func NewProcessor() *Processor {
	return &Processor{decoding: make(chan struct{}, 1), waiting: make(chan struct{}, 1+maxWaiting), timeout: processTimeout}
}

// Process returns the stored form of an upload. Errors: [ErrUnsupportedType], [*InvalidError],
// [ErrBusy], and ctx's.
func (p *Processor) Process(ctx context.Context, contentType string, body []byte) (picture.Image, error) {
	kind, _, err := mime.ParseMediaType(contentType)
	if err != nil {
		return picture.Image{}, ErrUnsupportedType
	}
	h, err := readHeader(kind, body)
	if err != nil {
		return picture.Image{}, err
	}
	release, err := p.reserve(ctx)
	if err != nil {
		return picture.Image{}, err
	}
	defer release()
	if h.memory > maxKept { // before the next upload is decoded: otherwise the heap grows by each
		defer debug.FreeOSMemory()
	}
	ctx, cancel := context.WithTimeoutCause(ctx, p.timeout, errTooSlow)
	defer cancel()
	return processSafely(ctx, h, body)
}

// errTooSlow is the cause of a context that ended because an image was processed for too long.
var errTooSlow = errors.New("decoding takes too long")

// reserve waits until no other upload is processed.
func (p *Processor) reserve(ctx context.Context) (release func(), err error) {
	select {
	case p.waiting <- struct{}{}:
	default:
		return nil, ErrBusy
	}
	timer := time.NewTimer(p.timeout)
	defer timer.Stop()
	select {
	case p.decoding <- struct{}{}:
		return func() { <-p.decoding; <-p.waiting }, nil
	case <-ctx.Done():
		err = context.Cause(ctx)
	case <-timer.C:
		err = ErrBusy
	}
	<-p.waiting
	return nil, err
}

// processSafely is [process], with a panic of a decoder as an error: its input is hostile.
func processSafely(ctx context.Context, h header, body []byte) (img picture.Image, err error) {
	defer func() {
		if r := recover(); r != nil {
			img, err = picture.Image{}, invalid(fmt.Errorf("decode image: panic: %v", r), "The image file is damaged.")
		}
	}()
	return process(ctx, h, body)
}

func process(ctx context.Context, h header, body []byte) (picture.Image, error) {
	src, err := decodeBounded(ctx, h, body)
	if err != nil {
		return picture.Image{}, decodeError(err)
	}
	colors := fullRange
	if h.kind == "image/webp" {
		colors = videoRange
	}
	largest, err := normalize(ctx, src, colors, h.orientation)
	if err != nil {
		return picture.Image{}, decodeError(err)
	}
	src = nil // may be collected while files are encoded
	if c := newConversion(profileOf(h.kind, body)); c != nil {
		c.convertAll(largest.pix)
		if ctx.Err() != nil {
			return picture.Image{}, decodeError(context.Cause(ctx))
		}
	}
	img := picture.Image{Width: largest.width, Height: largest.height, Format: picture.JPEG, Colour: largest.colour()}
	if !largest.opaque {
		img.Format = picture.PNG
	}
	for _, width := range append([]int{largest.width}, renditionWidths[:]...) {
		if len(img.Files) > 0 && width >= largest.width {
			continue
		}
		file, err := largest.rendition(ctx, width, img.Format)
		if err != nil {
			return picture.Image{}, decodeError(err)
		}
		img.Files = append(img.Files, file)
	}
	img.ID = picture.ID(img.Files[0].Data)
	if img.Preview, err = largest.preview(ctx); err != nil {
		return picture.Image{}, decodeError(err)
	}
	return img, nil
}

// decodeBounded decodes the first frame within the bounds that its header states.
func decodeBounded(ctx context.Context, h header, body []byte) (image.Image, error) {
	if h.kind == "image/webp" {
		if _, err := webpMemory(body, h); err != nil {
			return nil, err
		}
	}
	var file io.Reader = bytes.NewReader(body)
	if h.kind == "image/png" {
		chunks, stop := newPNGPixels(body)
		defer stop()
		file = chunks
	}
	src, err := decode(&contextReader{ctx, file}, h.kind)
	if ctx.Err() != nil { // which some decoders hide
		return nil, context.Cause(ctx)
	}
	if err != nil {
		return nil, err
	}
	if b := src.Bounds(); b.Empty() || b.Dx() > h.width || b.Dy() > h.height {
		return nil, errors.New("decode image: not as large as the header says")
	}
	return src, nil
}

// decode decodes the first frame.
func decode(r io.Reader, kind string) (image.Image, error) {
	switch kind {
	case "image/jpeg":
		return jpeg.Decode(r)
	case "image/png":
		return png.Decode(r)
	case "image/gif":
		return gif.Decode(r)
	}
	return webp.Decode(r)
}

// decodeError returns err as an [*InvalidError], unless the caller's context has ended.
func decodeError(err error) error {
	var invalidImage *InvalidError
	var unsupportedJPEG jpeg.UnsupportedError
	var unsupportedPNG png.UnsupportedError
	switch {
	case errors.As(err, &invalidImage):
		return err
	case errors.Is(err, errTooSlow):
		return invalid(err, "The image takes too long to process. Save it again in a simpler form, for example as a smaller JPEG.")
	case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		return err
	case errors.As(err, &unsupportedJPEG), errors.As(err, &unsupportedPNG):
		return invalid(err, "The image is stored in a form that is not supported. Save it again as an ordinary JPEG or PNG.")
	case errors.Is(err, errManyTables):
		return invalid(err, "Processing the image takes too much memory. Save it as a JPEG or PNG.")
	case errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, io.EOF):
		return invalid(err, "The image file is incomplete. Send it again.")
	}
	return invalid(err, "The image file is damaged.")
}

// contextReader ends with the error of its context. It returns little at a time, because a decoder
// can work for long on few bytes.
type contextReader struct {
	ctx context.Context
	r   io.Reader
}

const contextReadSize = 1024 // in bytes

func (r *contextReader) Read(p []byte) (int, error) {
	if r.ctx.Err() != nil {
		return 0, context.Cause(r.ctx)
	}
	return r.r.Read(p[:min(len(p), contextReadSize)])
}

// contextWriter ends with the error of its context.
type contextWriter struct {
	ctx context.Context
	w   io.Writer
}

func (w contextWriter) Write(p []byte) (int, error) {
	if w.ctx.Err() != nil {
		return 0, context.Cause(w.ctx)
	}
	return w.w.Write(p)
}
