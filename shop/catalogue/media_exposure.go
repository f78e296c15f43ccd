package catalogue

import (
	"errors"
	"fmt"
	"time"

	"storefront/db"
)

// Exposure is who may see the files of an uploaded image.
type Exposure int

const (
	// Withheld images are for staff: they were removed, or their products or reviews are not
	// published.
	Withheld Exposure = iota
	// Unlisted images are for every client that knows the URL: they are new, or lines of orders show
	// them.
	Unlisted
	// Listed images are shown by a published product or a review of it, by a collection, by the
	// design, or as the shop's logo.
	Listed
)

// unlistedPeriod is how long an image that nothing shows is served after its upload: programs show
// it before they save the product.
const unlistedPeriod = 24 * time.Hour

// FindExposure returns who may see the files of an image. Files without a record are withheld: they
// may be the photo of a buyer, of an upload that has failed.
func (c *Catalogue) FindExposure(tx *db.Tx, id string) (Exposure, error) {
	var listed, fresh, purging bool
	now := tx.Now()
	err := tx.QueryRow(`
		SELECT EXISTS (
				SELECT 1
				FROM images i
				JOIN products p ON p.id = i.product_id
				WHERE i.media_id = m.id AND `+Published+`)
			OR EXISTS (
				SELECT 1
				FROM collections c
				WHERE c.media_id = m.id AND `+collectionNotHidden+`)
			OR EXISTS (
				SELECT 1
				FROM design_images d
				WHERE d.media_id = m.id)
			OR EXISTS (
				SELECT 1
				FROM reviews r
				JOIN products p ON p.id = r.product_id
				WHERE r.media_id = m.id AND r.status = 'published' AND `+Published+`)
			OR `+mediaIsLogo+`,
			m.created_at > ? AND m.deleted_at IS NULL AND `+mediaUnused+`,
			m.purging
		FROM media m
		WHERE m.id = ?`, db.Millis(now), db.Millis(now), db.Millis(now.Add(-unlistedPeriod)), id).Scan(&listed, &fresh, &purging)
	switch {
	case errors.Is(err, db.ErrNotFound):
		return Withheld, nil
	case err != nil:
		return Withheld, fmt.Errorf("find who may see an image: %w", err)
	case purging:
		return Withheld, nil
	case listed:
		return Listed, nil
	case fresh:
		return Unlisted, nil
	}
	orders, err := c.ordersOf(tx, id, 1)
	if err == nil && orders > 0 {
		return Unlisted, nil
	}
	return Withheld, err
}
