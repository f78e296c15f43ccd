//go:build !s3

package replica

import (
	"errors"
	"net/url"
)

// newS3Place refuses: the S3 client is a third of a binary's size.
func newS3Place(*url.URL) (place, error) {
	return nil, errors.New("this binary can not keep replicas in S3: use a release binary, build with go build -tags s3, or give a folder")
}
