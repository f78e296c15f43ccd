package catalogue

import (
	"fmt"

	"storefront/db"
)

// HasProductWithImage reports whether the shop has published a product with an image.
func HasProductWithImage(tx *db.Tx) (has bool, err error) {
	err = tx.QueryRow(`
		SELECT EXISTS (
			SELECT 1
			FROM images i
			JOIN products p ON p.id = i.product_id
			WHERE p.status = 'active' AND p.published_at <= ?)`, tx.Now()).Scan(&has)
	if err != nil {
		return false, fmt.Errorf("find any product with an image: %w", err)
	}
	return has, nil
}
