package tenants

import (
	"context"
	"errors"
	"strings"

	"storefront/media"
	"storefront/shop/catalogue"
	"storefront/shop/fault"
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
func (m *shopMedia) Process(ctx context.Context, contentType string, body []byte) (*catalogue.MediaImage, error) {
	found, err := m.processor.Process(ctx, contentType, body)
	if err != nil {
		return nil, mediaError(err)
	}
	image := &catalogue.MediaImage{ID: found.ID, Format: string(found.Format)}
	for _, f := range found.Files {
		image.Files = append(image.Files, catalogue.MediaFile{Width: f.Width, Height: f.Height, Data: f.Data, Hash: media.ID(f.Data)})
	}
	return image, nil
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
func (m *shopMedia) Put(ctx context.Context, image *catalogue.MediaImage) error {
	largest := image.Files[0]
	stored := media.Image{ID: image.ID, Width: largest.Width, Height: largest.Height, Format: media.Format(image.Format)}
	for _, f := range image.Files {
		stored.Files = append(stored.Files, media.File{Width: f.Width, Height: f.Height, Data: f.Data})
	}
	return m.store.Put(ctx, m.uid, stored)
}

// Delete implements [catalogue.MediaFiles].
func (m *shopMedia) Delete(ctx context.Context, id string) error {
	return m.store.Delete(ctx, m.uid, id)
}
