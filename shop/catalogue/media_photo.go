package catalogue

import (
	"context"
	"errors"
	"fmt"

	"storefront/db"
	"storefront/shop/fault"
)

// photoShare is the part of a shop's limits of images that photos of buyers may use: staff must
// always be able to upload pictures.
const photoShare = 4

// StorePhoto stores the photo of a buyer, and calls use with its ID in the transaction that stores
// its record. The photo is outside of the library, so that no product can show it. If use refuses
// it, it is deleted. Codes: unsupported_media_type, image_invalid, unavailable, quota_reached,
// use's.
func (c *Catalogue) StorePhoto(ctx context.Context, contentType string, body []byte, use func(tx *db.Tx, id string) error) error {
	if c.media == nil {
		return fault.Errorf(fault.CodeUnavailable, "The server stores no images.")
	}
	image, err := c.media.Process(ctx, contentType, body)
	if err != nil {
		return err
	}
	var refusal error // separate from err, because the record of a refused photo must commit
	how := storing{view: c.data.View, update: c.data.Update, checkQuota: c.checkPhotoQuota, accept: c.acceptPhoto}
	_, _, err = c.storeMedia(ctx, how, image, "", func(_ context.Context, tx *db.Tx, m *mediaRow) error {
		refusal = use(tx, m.id)
		if _, isFault := errors.AsType[*fault.Error](refusal); isFault {
			return c.DropPhoto(tx, m.id)
		}
		return refusal
	})
	if err != nil {
		return err
	}
	return refusal
}

// acceptPhoto is [Catalogue.acceptStored] for a photo of a buyer. An image of the library stays
// there.
func (c *Catalogue) acceptPhoto(tx *db.Tx, row *mediaRow, created bool) error {
	if row.purging {
		return errPurging(nil)
	}
	set := "unused_at = NULL"
	if created {
		set += ", deleted_at = created_at"
	}
	err := tx.Do(`
		UPDATE media
		SET `+set+`
		WHERE id = ?`, row.id)
	if err != nil {
		return fmt.Errorf("accept photo: %w", err)
	}
	if created {
		return c.checkPhotoQuota(tx, 0)
	}
	return replaceHashes(tx, row)
}

// checkPhotoQuota checks that buyers may store more bytes of photos. Codes: quota_reached.
func (c *Catalogue) checkPhotoQuota(tx *db.Tx, more int64) error {
	var count int
	var bytes int64
	err := tx.QueryRow(`
		SELECT COUNT(*), COALESCE(SUM(m.bytes), 0)
		FROM media m
		WHERE m.deleted_at IS NOT NULL AND (m.unused_at IS NULL OR m.unused_at = ?)`, droppedAt).Scan(&count, &bytes)
	if err != nil {
		return fmt.Errorf("sum photos: %w", err)
	}
	if err := withinQuota(count, bytes, more, maxMedia/photoShare, c.mediaQuota/photoShare); err != nil {
		return err
	}
	err = c.checkMediaQuota(tx, more)
	if fault.HasCode(err, fault.CodePlanLimit) { // the plan does not concern buyers
		return fault.Errorf(fault.CodeQuotaReached, "The shop cannot store more photos.")
	}
	return err
}

// droppedAt is the time since which a dropped photo is unused: the next sweep deletes it.
const droppedAt = 1

// DropPhoto deletes a photo of a buyer, unless another record or the library has the image. The
// files are deleted by a sweep soon after the transaction, also after a crash. The reference to it
// must be gone.
func (c *Catalogue) DropPhoto(tx *db.Tx, id string) error {
	n, err := tx.Exec(`
		UPDATE media AS m
		SET unused_at = ?
		WHERE m.id = ? AND m.deleted_at IS NOT NULL AND m.purging = 0 AND `+mediaUnused, droppedAt, id)
	if err != nil {
		return fmt.Errorf("drop photo: %w", err)
	}
	if n > 0 {
		tx.AfterCommit(func() { c.mediaSweep.Store(0) })
	}
	return nil
}
