package tenants

import (
	"context"
	"errors"
	"strings"

	"storefront/media"
	"storefront/shop/fault"
	"storefront/shop/picture"
)

// shopMedia creates and stores the files of the uploaded images of one shop. It implements
// [catalogue.MediaFiles].
type shopMedia struct {
	processor *media.Processor // of all shops
	fetcher   *imageFetcher    // of all shops
	store     media.Store
	uid       string
}

// Process implements [catalogue.MediaFiles].
func (m *shopMedia) Process(
	ctx context.Context, contentType string, body []byte,
) (*picture.Image, error) {
	image, err := m.processor.Process(ctx, contentType, body)
	if err != nil {
		return nil, mediaError(err)
	}
	return &image, nil
}

// mediaError returns the error of a processor as the domain reports it.
func mediaError(err error) error {
	var invalid *media.InvalidError
	switch {
	case errors.As(err, &invalid):
		return &fault.Error{Code: fault.CodeImageInvalid, Message: invalid.Reason, Err: invalid.Err}
	case errors.Is(err, media.ErrUnsupportedType):
		types := strings.Join(media.AcceptedTypes(), ", ")
		return fault.Errorf(fault.CodeUnsupportedMediaType, "Send the image with one of these content types: %s.", types)
	case errors.Is(err, media.ErrBusy):
		return &fault.Error{
			Code: fault.CodeUnavailable, RetryAfter: 3, Message: "Too many images are being processed. Try again in a few seconds.", Err: err,
		}
	}
	return err
}

// Put implements [catalogue.MediaFiles].
func (m *shopMedia) Put(ctx context.Context, image *picture.Image) error {
	return m.store.Put(ctx, m.uid, *image)
}

// Delete implements [catalogue.MediaFiles].
func (m *shopMedia) Delete(ctx context.Context, id string) error {
	return m.store.Delete(ctx, m.uid, id)
}
