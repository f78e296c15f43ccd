package media

import (
	"context"
	"io"
	"iter"

	"storefront/shop/picture"
)

// Store has the files of images by shop. A shop is identified by its UID, which must be valid. It
// is safe for concurrent use by goroutines and processes.
type Store interface {
	// Put stores an image so that it survives a crash. Files that exist are not
	// written again, unless they are damaged.
	Put(ctx context.Context, shop string, img picture.Image) error
	// PutPreview stores the preview of an image that was stored without it. Errors:
	// [fs.ErrNotExist].
	PutPreview(ctx context.Context, shop string, name Name, preview []byte) error
	// Open opens a file. Errors: [fs.ErrNotExist].
	Open(ctx context.Context, shop string, name Name) (Content, error)
	// Delete deletes all files of an image. Missing files are no error.
	Delete(ctx context.Context, shop, id string) error
	// List iterates over the files of a shop without previews, grouped by image.
	List(ctx context.Context, shop string) iter.Seq2[Name, error]
}

// Content is the content of a file.
type Content interface {
	io.ReadSeekCloser
	// Size returns the size in bytes.
	Size() int64
}
