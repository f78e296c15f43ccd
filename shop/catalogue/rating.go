package catalogue

import (
	"fmt"
	"strconv"

	"storefront/db"
)

// Rating is the average of a product's published reviews.
type Rating struct {
	Average string `json:"average" doc:"From 1 to 5, with one decimal, such as 4.3"`
	Count   int    `json:"count" doc:"Number of published reviews"`
}

// newRating returns the rating of a number of reviews and the sum of their ratings, nil without
// reviews.
func newRating(count, sum int64) *Rating {
	if count == 0 {
		return nil
	}
	tenths := (20*sum + count) / (2 * count)
	return &Rating{Average: strconv.FormatInt(tenths/10, 10) + "." + strconv.FormatInt(tenths%10, 10), Count: int(count)}
}

// CountRating stores the rating of a product, after its published reviews have changed.
func CountRating(tx *db.Tx, productID string) error {
	err := tx.Do(`
		UPDATE products
		SET rating_count = (SELECT COUNT(*) FROM reviews r WHERE r.product_id = products.id AND r.status = 'published'),
			rating_sum = (SELECT COALESCE(SUM(r.rating), 0) FROM reviews r WHERE r.product_id = products.id AND r.status = 'published')
		WHERE id = ?`, productID)
	if err != nil {
		return fmt.Errorf("count ratings: %w", err)
	}
	return TouchProduct(tx, productID)
}
