package tenants

import (
	"bytes"
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
// shop need not be open, or exist. Codes: not_found.
func (t *Tenants) OpenImage(ctx context.Context, uid, id, file string) (*ImageFile, error) {
	shop, err := db.ParseID(uid)
	if err != nil {
		return nil, noImage()
	}
	if sources, ok := media.ParsePreview(id, file); ok {
		return t.openPreview(ctx, string(shop), id+"-"+file, sources)
	}
	name, ok := media.ParseName(id, file)
	if !ok {
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

// openPreview returns the preview that is made of the first source that exists. Codes: not_found,
// unavailable.
func (t *Tenants) openPreview(ctx context.Context, uid, etag string, sources []media.Name) (*ImageFile, error) {
	for _, name := range sources {
		source, err := t.media.Open(ctx, uid, name)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return nil, fmt.Errorf("open image: %w", err)
		}
		body, err := io.ReadAll(io.LimitReader(source, media.MaxBody))
		if err = errors.Join(err, source.Close()); err != nil {
			return nil, fmt.Errorf("read image: %w", err)
		}
		preview, err := album.Preview(ctx, t.images, body)
		if err != nil {
			return nil, fmt.Errorf("make preview: %w", err)
		}
		return &ImageFile{ReadSeekCloser: readOnly{bytes.NewReader(preview)}, Type: picture.JPEG.ContentType(), ETag: etag}, nil
	}
	return nil, noImage()
}

// readOnly is content in memory.
type readOnly struct{ *bytes.Reader }

func (readOnly) Close() error { return nil }

func noImage() error {
	return &fault.Error{Code: fault.CodeNotFound, Message: "No image exists at this path."}
}
