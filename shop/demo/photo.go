package demo

import (
	"bytes"
	"context"
	"embed"
	"fmt"
	"strings"

	"storefront/shop"
	"storefront/shop/access"
	"storefront/shop/catalogue"
	"storefront/shop/fault"
)

// photos/README.md has the sources of the photographs.
//
//go:embed photos/*.jpg
var photos embed.FS

// uploadPhotos uploads the photographs of the products that a shop lacks, and returns the product
// file with their URLs there.
func uploadPhotos(
	ctx context.Context, s *shop.Shop, caller access.Caller, file []byte,
) ([]byte, error) {
	entries, err := photos.ReadDir("photos")
	if err != nil {
		return nil, err
	}
	for _, entry := range entries {
		name := "photos/" + entry.Name()
		before, _, _ := bytes.Cut(file, []byte("/demo/"+name))
		handle, _, _ := strings.Cut(string(before[bytes.LastIndexByte(before, '\n')+1:]), ",")
		_, err := s.Catalogue.FindProductByHandle(ctx, handle)
		if err == nil {
			continue // it remains as it is
		}
		if !fault.HasCode(err, fault.CodeNotFound) {
			return nil, fmt.Errorf("find the product of %s: %w", name, err)
		}
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
