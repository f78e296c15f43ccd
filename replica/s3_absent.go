//go:build !s3

package replica

import (
	"net/url"

	"storefront/bucket"
)

// newS3Place returns the error of a binary without S3.
func newS3Place(u *url.URL) (place, error) {
	_, err := bucket.Open(u)
	return nil, err
}
