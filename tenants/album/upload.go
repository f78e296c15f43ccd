package album

import (
	"context"
	"errors"
	"strings"

	"storefront/media"
	"storefront/shop/fault"
	"storefront/shop/picture"
)

// Uploads creates and stores the files of the uploaded images of one shop. It implements
// [catalogue.MediaFiles].
type Uploads struct {
	processor *media.Processor // of all shops
	fetcher   *Fetcher         // of all shops
	store     media.Store
	uid       string
}

// NewUploads returns the uploads of a shop.
func NewUploads(
	processor *media.Processor, fetcher *Fetcher, store media.Store, uid string,
) *Uploads {
	return &Uploads{processor, fetcher, store, uid}
}

// Process implements [catalogue.MediaFiles].
func (m *Uploads) Process(
	ctx context.Context, contentType string, body []byte,
) (*picture.Image, error) {
	image, err := m.processor.Process(ctx, contentType, body)
	if err != nil {
		return nil, mediaError(err)
	}
	return &image, nil
}

// Preview returns the preview of an image's file. Codes: image_invalid, unavailable.
func Preview(ctx context.Context, processor *media.Processor, body []byte) ([]byte, error) {
	preview, err := processor.Preview(ctx, body)
	if err != nil {
		return nil, mediaError(err)
	}
	return preview, nil
}

// mediaError returns the error of a processor as the domain reports it.
func mediaError(err error) error {
	var invalid *media.InvalidError
	switch {
	case errors.As(err, &invalid):
		return &fault.Error{Code: fault.CodeImageInvalid, Message: invalid.Reason, Err: invalid.Err}
	case errors.Is(err, media.ErrUnsupportedType):
		types := strings.Join(media.AcceptedTypes(), ", ")
		return fault.Errorf(fault.CodeUnsupportedMediaType,
			"Send the image with one of these content types: %s.", types)
	case errors.Is(err, media.ErrBusy):
		return &fault.Error{
			Code: fault.CodeUnavailable, RetryAfter: 3, Err: err,
			Message: "Too many images are being processed. Try again in a few seconds.",
		}
	}
	return err
}

// Put implements [catalogue.MediaFiles].
func (m *Uploads) Put(ctx context.Context, image *picture.Image) error {
	return m.store.Put(ctx, m.uid, *image)
}

// Delete implements [catalogue.MediaFiles].
func (m *Uploads) Delete(ctx context.Context, id string) error {
	return m.store.Delete(ctx, m.uid, id)
}
