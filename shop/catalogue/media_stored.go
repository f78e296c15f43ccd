package catalogue

import (
	"encoding/json"
	"fmt"

	"storefront/db"
)

// StoredImage identifies the files of an uploaded image.
type StoredImage struct {
	ID     string
	Format string   // extension of its files
	Widths []int    // the largest first
	Bytes  int64    // of all files; 0 if unknown
	Hashes []string // of the files, the largest first; empty if unknown
}

func scanStoredImage(r db.Row) (s StoredImage, err error) {
	var sizesText, hashesText string
	if err := r.Scan(&s.ID, &s.Format, &s.Bytes, &sizesText, &hashesText); err != nil {
		return s, err
	}
	sizes, err := parseSizes(sizesText)
	for _, size := range sizes {
		s.Widths = append(s.Widths, size[0])
	}
	if err == nil {
		err = json.Unmarshal([]byte(hashesText), &s.Hashes)
	}
	if err == nil && len(s.Hashes) > 0 && len(s.Hashes) != len(s.Widths) {
		err = fmt.Errorf("image %s has %d hashes of %d files", s.ID, len(s.Hashes), len(s.Widths))
	}
	return s, err
}

// StoredImages returns the uploaded images with files that a shop's tables refer to, sorted by ID.
// Images that are being deleted are omitted.
func StoredImages(tx *db.Tx) ([]StoredImage, error) {
	images, err := db.Query(tx, scanStoredImage, `
		SELECT m.id, m.format, m.bytes, m.renditions, m.hashes
		FROM media m
		WHERE m.purging = 0
		ORDER BY m.id`)
	if err != nil {
		return nil, fmt.Errorf("list the files of images: %w", err)
	}
	return images, nil
}
