package catalogue

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"storefront/db"
)

// StoredImage names the files of an uploaded image.
type StoredImage struct {
	ID     string
	Format string   // extension of its files
	Widths []int    // the largest first
	Bytes  int64    // of all files; 0: not known
	Hashes []string // of the files, the largest first; empty: not known
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

// StoredImages returns the uploaded images whose files a shop's tables refer to, sorted by ID.
// Those that are being deleted are left out.
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

const (
	// mediaHashBatch is how many images are read at once for their hashes.
	mediaHashBatch = 50
	// mediaHashPause is the time between two batches.
	mediaHashPause = 5 * time.Second
)

// HashMedia stores the hashes of the files of images that an earlier version has stored without
// them, so that damaged files are found. It returns when it is due again. An image whose files are
// damaged already is read once.
func (c *Catalogue) HashMedia(ctx context.Context) (next time.Time, err error) {
	if c.media == nil {
		return time.Time{}, nil // another process has the files
	}
	after := ""
	if at := c.mediaHashed.Load(); at != nil {
		after = *at
	}
	var images []StoredImage
	err = c.data.View(ctx, func(_ context.Context, tx *db.Tx) error {
		images, err = findImagesWithoutHashes(tx, after, mediaHashBatch)
		return err
	})
	if err != nil {
		return time.Time{}, err
	}
	for _, image := range images {
		hashes, ok, err := c.media.Hash(ctx, image)
		if err != nil {
			return time.Time{}, fmt.Errorf("hash image %s: %w", image.ID, err)
		}
		if ok {
			err = c.data.Update(ctx, func(_ context.Context, tx *db.Tx) error { return saveHashes(tx, image.ID, hashes) })
		}
		if err != nil {
			return time.Time{}, err
		}
		c.mediaHashed.Store(&image.ID)
	}
	if len(images) == mediaHashBatch {
		next = c.now().Add(mediaHashPause)
	}
	return next, nil
}

// findImagesWithoutHashes returns images that have no hashes of their files, sorted by ID.
func findImagesWithoutHashes(tx *db.Tx, after string, limit int) ([]StoredImage, error) {
	images, err := db.Query(tx, scanStoredImage, `
		SELECT m.id, m.format, m.bytes, m.renditions, m.hashes
		FROM media m
		WHERE m.hashes = '[]' AND m.id > ? AND m.purging = 0
		ORDER BY m.id
		LIMIT ?`, after, limit)
	if err != nil {
		return nil, fmt.Errorf("find images without hashes: %w", err)
	}
	return images, nil
}

func saveHashes(tx *db.Tx, id string, hashes []string) error {
	text, err := encodeFiles(hashes)
	if err == nil {
		err = tx.Do(`
			UPDATE media
			SET hashes = ?
			WHERE id = ? AND hashes = '[]'`, text, id)
	}
	if err != nil {
		return fmt.Errorf("save hashes of an image: %w", err)
	}
	return nil
}
