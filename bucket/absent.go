//go:build !s3

package bucket

import (
	"context"
	"errors"
	"io"
	"iter"
	"net/url"
)

// Bucket is a prefix in S3-compatible storage.
type Bucket struct{}

var errAbsent = errors.New("this binary does not support S3: use a release binary, build with go build -tags s3, or use a folder")

// Open returns an error.
func Open(*url.URL) (*Bucket, error) { return nil, errAbsent }

// Get returns an error.
func (*Bucket) Get(context.Context, string, int64) (io.ReadCloser, int64, error) {
	return nil, 0, errAbsent
}

// Put returns an error.
func (*Bucket) Put(context.Context, string, []byte, bool) error { return errAbsent }

// Delete returns an error.
func (*Bucket) Delete(context.Context, string) error { return errAbsent }

// List yields an error.
func (*Bucket) List(context.Context, string) iter.Seq2[string, error] {
	return func(yield func(string, error) bool) { yield("", errAbsent) }
}
