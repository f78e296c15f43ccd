//go:build !s3

package replica

import (
	"errors"
	"net/url"
)

// newS3Place returns an error. The S3 client is a third of a binary's size, so it is optional.
func newS3Place(*url.URL) (place, error) {
	return nil, errors.New("this binary does not support replicas in S3: use a release binary, build with go build -tags s3, or use a folder")
}
