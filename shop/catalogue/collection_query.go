package catalogue

import (
	"fmt"

	"storefront/db"
	"storefront/shop/page"
)

// collectionColumns are the columns that scanCollection reads. Their parameter is the time of the
// transaction.
const collectionColumns = `c.id, c.handle, c.title, c.description_html, c.image_url, c.image_alt, c.updated_at, (
			SELECT COUNT(*)
			FROM collection_products cp
			JOIN products p ON p.id = cp.product_id
			WHERE cp.collection_id = c.id AND ` + Published + `)`

func scanCollection(r db.Row) (c Collection, err error) {
	var updatedAt int64
	var image Image
	err = r.Scan(&c.ID, &c.Handle, &c.Title, &c.DescriptionHTML, &image.URL, &image.Alt, &updatedAt, &c.ProductCount)
	c.UpdatedAt = db.FromMillis(updatedAt)
	if image.URL != "" {
		image.ID = c.ID
		c.Image = &image
	}
	return c, err
}

func (q *collectionQuery) find(tx *db.Tx) ([]Collection, error) {
	query := `
		SELECT ` + collectionColumns + `
		FROM collections c
		WHERE ` + q.where + `
		ORDER BY ` + q.orderBy
	args := append([]any{db.Millis(tx.Now())}, q.args...)
	if q.window.Limit != page.NoLimit {
		query += onePage
		args = append(args, q.window.Limit, q.window.Offset())
	}
	found, err := db.Query(tx, scanCollection, query, args...)
	if err != nil {
		return nil, fmt.Errorf("find collections: %w", err)
	}
	return found, nil
}

// list returns one page of the collections and their number.
func (q *collectionQuery) list(tx *db.Tx) (list []Collection, total int, err error) {
	if q.noMatch {
		return nil, 0, nil
	}
	if total, err = q.count(tx); err != nil {
		return nil, 0, err
	}
	list, err = q.find(tx)
	return list, total, err
}

func (q *collectionQuery) count(tx *db.Tx) (total int, err error) {
	err = tx.QueryRow(`
		SELECT COUNT(*)
		FROM collections c
		WHERE `+q.where, q.args...).Scan(&total)
	if err != nil {
		return 0, fmt.Errorf("count collections: %w", err)
	}
	return total, nil
}

// findCollection returns the collection with this ID. The error is db.ErrNotFound if there is none.
func findCollection(tx *db.Tx, id string) (Collection, error) {
	return scanCollection(tx.QueryRow(`
		SELECT `+collectionColumns+`
		FROM collections c
		WHERE c.id = ?`, db.Millis(tx.Now()), id))
}
