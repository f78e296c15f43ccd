package demo

import (
	"bytes"
	"context"
	"embed"
	"fmt"

	"storefront/shop"
	"storefront/shop/access"
	"storefront/shop/catalogue"
)

// photos/README.md has the sources of the photographs.
//
//go:embed photos/*.jpg
var photos embed.FS

// uploadPhotos uploads the photographs to a shop, and returns the product file with their URLs
// there.
func uploadPhotos(
	ctx context.Context, s *shop.Shop, caller access.Caller, file []byte,
) ([]byte, error) {
	entries, err := photos.ReadDir("photos")
	if err != nil {
		return nil, err
	}
	for _, entry := range entries {
		name := "photos/" + entry.Name()
		body, err := photos.ReadFile(name)
		if err != nil {
			return nil, err
		}
		upload := catalogue.MediaUpload{ContentType: "image/jpeg", Body: body}
		m, _, err := s.Catalogue.UploadMedia(ctx, caller, upload)
		if err != nil {
			return nil, fmt.Errorf("upload %s: %w", name, err)
		}
		file = bytes.ReplaceAll(file, []byte("/demo/"+name), []byte(m.URL))
	}
	return file, nil
}
