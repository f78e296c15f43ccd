package catalogue

import (
	"context"
	"fmt"
	"time"

	"storefront/db"
)

const (
	// MediaRetention is the minimum time for which the files of an image are stored after its last
	// use. Backups have files of their own, and a replica reaches back for less; see
	// [Config.MediaRetention].
	MediaRetention = 45 * 24 * time.Hour
	// mediaSweepPause is the interval of sweeps of a shop that changes all the time.
	mediaSweepPause = time.Hour
	// mediaSweepBatch is the number of images that one transaction of a sweep marks.
	mediaSweepBatch = 100
)

// SweepMedia records which uploaded images are unused, and deletes images that have been unused for
// [Config.MediaRetention], with their files. An image in lines of orders counts as used as long as
// they exist, even without the product; this is checked once in that period. It also continues
// interrupted deletions. It returns the time of the next sweep.
func (c *Catalogue) SweepMedia(ctx context.Context) (next time.Time, err error) {
	if at := c.mediaSweep.Load(); at > db.Millis(c.now()) {
		return db.FromMillis(at), nil
	}
	exists := false
	err = c.data.View(ctx, func(_ context.Context, tx *db.Tx) (err error) {
		exists, err = anyMedia(tx)
		return err
	})
	if err != nil {
		return time.Time{}, err
	}
	if !exists {
		return time.Time{}, nil
	}
	due := db.Millis(c.now().Add(-c.mediaKeep)) // one moment for all transactions
	ordered, err := c.orderedMedia(ctx, due)
	if err != nil {
		return time.Time{}, err
	}
	var purging []string
	for more := true; more; {
		err = c.data.Update(ctx, func(_ context.Context, tx *db.Tx) (err error) {
			if err := markMediaUnused(tx); err != nil {
				return err
			}
			if more, err = c.markExpiredMedia(tx, due, ordered); err != nil {
				return err
			}
			purging, err = findPurging(tx)
			return err
		})
		if err != nil {
			return time.Time{}, err
		}
		if c.media == nil {
			break // another process has the files
		}
		for _, id := range purging {
			if err := c.purgeMedia(ctx, id); err != nil {
				return time.Time{}, err
			}
		}
	}
	err = c.data.View(ctx, func(_ context.Context, tx *db.Tx) error {
		oldest, err := findOldestUnused(tx)
		if next = (time.Time{}); oldest > 0 {
			next = db.FromMillis(oldest).Add(c.mediaKeep)
		}
		return err
	})
	again := c.now().Add(mediaSweepPause)
	c.mediaSweep.Store(db.Millis(again))
	if !next.IsZero() && next.Before(again) {
		next = again
	}
	return next, err
}

// orderedMedia returns the IDs of the images that lines of orders show; none if no image is due to
// be deleted. No line begins to show an image that has been unused for so long, unless another line
// does. So the lines are read before the transaction that marks images.
func (c *Catalogue) orderedMedia(ctx context.Context, due int64) (ids map[string]bool, err error) {
	err = c.data.ViewMany(ctx, func(_ context.Context, tx *db.Tx) error {
		ids = map[string]bool{}
		expired, err := findUnusedMedia(tx, due, 1)
		if err != nil {
			return err
		}
		if len(expired) == 0 {
			return nil
		}
		urls, err := c.ordered(tx)
		for _, url := range urls {
			ids[mediaIDOf(url)] = true
		}
		return err
	})
	return ids, err
}

// markExpiredMedia marks the images that have been unused since due: their files are to be deleted.
// For ordered ones the time is restarted. more is true if there may be others.
func (c *Catalogue) markExpiredMedia(tx *db.Tx, due int64, ordered map[string]bool) (more bool, err error) {
	ids, err := findUnusedMedia(tx, due, mediaSweepBatch)
	if err != nil {
		return false, err
	}
	for _, id := range ids {
		if ordered[id] {
			if err := postponeMedia(tx, id); err != nil {
				return false, err
			}
			continue
		}
		if err := lockMedia(tx, id); err != nil {
			return false, err
		}
		row, err := findMediaRow(tx, id)
		if err == nil && row.usedBy == 0 {
			err = markMediaDeleted(tx, id, true)
		}
		if err != nil {
			return false, err
		}
	}
	return len(ids) == mediaSweepBatch, nil
}

// purgeMedia deletes the files of a marked image, and then its row. Nobody can use or upload the
// image in the meantime.
func (c *Catalogue) purgeMedia(ctx context.Context, id string) error {
	if err := c.media.Delete(ctx, id); err != nil {
		return fmt.Errorf("delete the files of image %s: %w", id, err)
	}
	return c.data.Update(ctx, func(_ context.Context, tx *db.Tx) error { return deleteMediaRow(tx, id) })
}
