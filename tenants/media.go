package tenants

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"

	"storefront/db"
	"storefront/media"
	"storefront/shop/fault"
)

// ImageFile is a file of an uploaded image. The caller must close it.
type ImageFile struct {
	io.ReadSeekCloser
	Type string // content type
	ETag string // without quotes
}

// OpenImage opens a file of an uploaded image by the parts of its URL, which may be any text. The
// shop need not be open, or exist. Codes: not_found.
func (t *Tenants) OpenImage(ctx context.Context, uid, id, file string) (*ImageFile, error) {
	shop, err := db.ParseID(uid)
	name, ok := media.ParseName(id, file)
	if err != nil || !ok {
		return nil, noImage()
	}
	content, err := t.media.Open(ctx, string(shop), name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, noImage()
	}
	if err != nil {
		return nil, fmt.Errorf("open image: %w", err)
	}
	return &ImageFile{ReadSeekCloser: content, Type: name.Format.ContentType(), ETag: id + "-" + file}, nil
}

func noImage() error {
	return &fault.Error{Code: fault.CodeNotFound, Message: "No image exists at this path."}
}
