//go:build s3

package replica

import (
	"context"
	"errors"
	"io"
	"net/url"

	"github.com/benbjohnson/litestream"

	"storefront/bucket"
)

// s3Place is a prefix in S3-compatible storage.
type s3Place struct{ *bucket.Bucket }

// newS3Place returns the place of an S3 address.
func newS3Place(u *url.URL) (place, error) {
	b, err := bucket.Open(u)
	if err != nil {
		return nil, err
	}
	return s3Place{b}, nil
}

func (p s3Place) objects() *bucket.Bucket { return p.Bucket }

func (p s3Place) check(ctx context.Context) error { return p.Check(ctx) }

func (p s3Place) client(folder string) litestream.ReplicaClient {
	c, err := p.LitestreamClient(folder)
	if err != nil {
		panic(err) // bucket.Open has validated the settings
	}
	return c
}

func (p s3Place) read(ctx context.Context, name string) ([]byte, error) {
	body, _, err := p.Get(ctx, name, 0)
	if err != nil {
		return nil, err
	}
	const maxSize = 4096 // in bytes
	content, err := io.ReadAll(io.LimitReader(body, maxSize))
	return content, errors.Join(err, body.Close())
}

func (p s3Place) write(ctx context.Context, name string, content []byte, replace bool) error {
	return p.Put(ctx, name, content, replace)
}

func (p s3Place) list(ctx context.Context, folder string) ([]string, error) {
	return p.Folders(ctx, folder)
}
