package catalogue

import (
	"fmt"

	"storefront/db"
)

// StoredImage names the files of an uploaded image.
type StoredImage struct {
	ID     string
	Format string // extension of its files
	Widths []int  // the largest first
	Bytes  int64  // of all files; 0: not known
}

// StoredImages returns the uploaded images whose files a shop's tables refer to, sorted by ID.
// Those that are being deleted are left out.
func StoredImages(tx *db.Tx) ([]StoredImage, error) {
	images, err := db.Query(tx, func(r db.Row) (s StoredImage, err error) {
		var text string
		if err := r.Scan(&s.ID, &s.Format, &s.Bytes, &text); err != nil {
			return s, err
		}
		sizes, err := parseSizes(text)
		for _, size := range sizes {
			s.Widths = append(s.Widths, size[0])
		}
		return s, err
	}, `
		SELECT m.id, m.format, m.bytes, m.renditions
		FROM media m
		WHERE m.purging = 0
		ORDER BY m.id`)
	if err != nil {
		return nil, fmt.Errorf("list the files of images: %w", err)
	}
	return images, nil
}
