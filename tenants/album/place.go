package album

import (
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"net/url"
	"os"
	"path/filepath"

	"storefront/bucket"
	"storefront/media"
)

// ParseStore returns the store of uploaded images at an address: the absolute path of a folder,
// which must exist, or s3://BUCKET/PREFIX with settings and credentials as in
// [replica.ParseTarget].
func ParseStore(address string) (media.Store, error) {
	if filepath.IsAbs(address) {
		if info, err := os.Stat(address); err != nil || !info.IsDir() {
			return nil, fmt.Errorf("the folder of images %s must exist: mount or create it", address)
		}
		return media.NewFolder(address, nil), nil
	}
	u, err := url.Parse(address)
	if err != nil || u.Scheme != "s3" || u.Host == "" || u.User != nil {
		// err's text repeats the address.
		return nil, errors.New("the address of images must be s3://BUCKET/PREFIX without credentials, " +
			"or the absolute path of a folder")
	}
	b, err := bucket.Open(u)
	if err != nil {
		return nil, err
	}
	return media.NewBucket(b, ""), nil
}

// NoStore returns a store that cannot be used. Commands that need no images run nevertheless.
func NoStore(reason error) media.Store { return media.NewBucket(noObjects{reason}, "") }

// noObjects is storage that returns an error.
type noObjects struct{ err error }

func (o noObjects) Get(context.Context, string, int64) (io.ReadCloser, int64, error) {
	return nil, 0, o.err
}

func (o noObjects) Put(context.Context, string, []byte, bool) error { return o.err }

func (o noObjects) Delete(context.Context, string) error { return o.err }

func (o noObjects) List(context.Context, string) iter.Seq2[string, error] {
	return func(yield func(string, error) bool) { yield("", o.err) }
}
