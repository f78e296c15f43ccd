//go:build !s3

package bucket

import (
	"context"
	"errors"
	"io"
	"iter"
	"net/url"
)

// Bucket is a prefix in S3-compatible storage. This build has no client of it.
type Bucket struct{}

var errAbsent = errors.New("this binary does not support S3: use a release binary, build with go build -tags s3, or use a folder")

// Open returns an error with the remedies: this build does not support S3.
func Open(*url.URL) (*Bucket, error) { return nil, errAbsent }

// Get is never called, since there is no Bucket without an error of [Open].
func (*Bucket) Get(context.Context, string, int64) (io.ReadCloser, int64, error) {
	return nil, 0, errAbsent
}

// Put is never called.
func (*Bucket) Put(context.Context, string, []byte, bool) error { return errAbsent }

// Delete is never called.
func (*Bucket) Delete(context.Context, string) error { return errAbsent }

// List is never called.
func (*Bucket) List(context.Context, string) iter.Seq2[string, error] {
	return func(yield func(string, error) bool) { yield("", errAbsent) }
}
