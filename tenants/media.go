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
	"storefront/shop/picture"
	"storefront/tenants/album"
)

// ImageFile is a file of an uploaded image. The caller must close it.
type ImageFile struct {
	io.ReadSeekCloser
	Type string // content type
	ETag string // without quotes
}

// OpenImage opens a file of an uploaded image by the parts of its URL, which may be any text. The
// shop need not be open, or exist. Codes: not_found, unavailable.
func (t *Tenants) OpenImage(ctx context.Context, uid, id, file string) (*ImageFile, error) {
	shop, err := db.ParseID(uid)
	if err != nil {
		return nil, noImage()
	}
	name, ok := media.ParseName(id, file)
	if !ok {
		return nil, noImage()
	}
	content, err := t.media.Open(ctx, string(shop), name)
	if errors.Is(err, fs.ErrNotExist) && name.Preview {
		if err = t.makePreview(ctx, string(shop), name); err == nil {
			content, err = t.media.Open(ctx, string(shop), name)
		}
	}
	if errors.Is(err, fs.ErrNotExist) {
		return nil, noImage()
	}
	if err != nil {
		return nil, fmt.Errorf("open image: %w", err)
	}
	return &ImageFile{ReadSeekCloser: content, Type: name.Format.ContentType(), ETag: id + "-" + file}, nil
}

// makePreview stores the preview of an image that was stored without it. Errors: fs.ErrNotExist.
func (t *Tenants) makePreview(ctx context.Context, uid string, preview media.Name) error {
	source := preview
	source.Preview = false
	file, err := t.media.Open(ctx, uid, source)
	if errors.Is(err, fs.ErrNotExist) {
		source.Format = picture.PNG
		file, err = t.media.Open(ctx, uid, source)
	}
	if err != nil {
		return err
	}
	body, err := io.ReadAll(io.LimitReader(file, media.MaxBody))
	if err = errors.Join(err, file.Close()); err != nil {
		return err
	}
	made, err := album.Preview(ctx, t.images, body)
	if err != nil {
		return fmt.Errorf("make preview: %w", err)
	}
	return t.media.PutPreview(ctx, uid, preview, made)
}

func noImage() error {
	return &fault.Error{Code: fault.CodeNotFound, Message: "No image exists at this path."}
}
