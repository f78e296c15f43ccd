package tenants

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"net/url"
	"os"
	"path/filepath"

	"storefront/bucket"
	"storefront/db"
	"storefront/media"
	"storefront/shop/fault"
)

// mediaDir is the folder of uploaded images in a data folder.
const mediaDir = "media"

// ParseMedia returns the store of uploaded images at an address: the absolute path of a folder,
// which must exist, or s3://BUCKET/PREFIX with settings and credentials as in
// [replica.ParseTarget].
func ParseMedia(address string) (media.Store, error) {
	if filepath.IsAbs(address) {
		if info, err := os.Stat(address); err != nil || !info.IsDir() {
			return nil, fmt.Errorf("the folder of images %s must exist: mount or create it", address)
		}
		return media.NewFolder(address, nil), nil
	}
	u, err := url.Parse(address)
	if err != nil || u.Scheme != "s3" || u.Host == "" || u.User != nil { // err's text repeats the address
		return nil, errors.New("the address of images must be s3://BUCKET/PREFIX without credentials, or the absolute path of a folder")
	}
	b, err := bucket.Open(u)
	if err != nil {
		return nil, err
	}
	return media.NewBucket(b, ""), nil
}

// NoMedia returns a store that cannot be used. Commands that need no images run nevertheless.
func NoMedia(reason error) media.Store { return media.NewBucket(noObjects{reason}, "") }

// noObjects is storage that returns an error.
type noObjects struct{ err error }

func (o noObjects) Get(context.Context, string, int64) (io.ReadCloser, int64, error) {
	return nil, 0, o.err
}
func (o noObjects) Put(context.Context, string, []byte, bool) error { return o.err }
func (o noObjects) Delete(context.Context, string) error            { return o.err }
func (o noObjects) List(context.Context, string) iter.Seq2[string, error] {
	return func(yield func(string, error) bool) { yield("", o.err) }
}

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
