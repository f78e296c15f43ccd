// Package mediatest creates images for tests of packages that store and copy them.
//
// It must not know where an image is stored.
package mediatest

import (
	"bytes"
	"image"
	"image/png"
	"testing"

	"storefront/media"
	"storefront/shop/picture"
)

// PNG returns a black image as an upload. Images of different sizes have different IDs.
func PNG(t testing.TB, width, height int) []byte {
	t.Helper()
	var body bytes.Buffer
	if err := png.Encode(&body, image.NewGray(image.Rect(0, 0, width, height))); err != nil {
		t.Fatal(err)
	}
	return body.Bytes()
}

// Processed returns a processed image of a width that is stored nowhere.
func Processed(t testing.TB, width int) picture.Image {
	t.Helper()
	img, err := media.NewProcessor().Process(t.Context(), "image/png", PNG(t, width, 9))
	if err != nil {
		t.Fatal(err)
	}
	return img
}
