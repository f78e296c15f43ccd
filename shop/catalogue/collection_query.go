package catalogue

import (
	"fmt"

	"storefront/db"
	"storefront/shop/page"
)

// collectionColumns are the columns that scanCollection reads. Their parameter is the time of the
// transaction.
const collectionColumns = `c.id, c.handle, c.title, c.description_html, c.image_url, c.image_alt, c.updated_at,
			COALESCE(m.id, ''), COALESCE(m.format, ''), COALESCE(m.renditions, '[]'), COALESCE(m.colour, ''), (
			SELECT COUNT(*)
			FROM collection_products cp
			JOIN products p ON p.id = cp.product_id
			WHERE cp.collection_id = c.id AND ` + Published + `)`

// fromCollections is the FROM clause for collectionColumns.
const fromCollections = `collections c
		LEFT JOIN media m ON m.id = c.media_id`

// scanCollection returns a function that scans a collection with its image possibly at address.
func scanCollection(address MediaAddress) func(r db.Row) (Collection, error) {
	return func(r db.Row) (c Collection, err error) {
		var updatedAt int64
		var image imageRow
		var sizes string
		err = r.Scan(&c.ID, &c.Handle, &c.Title, &c.DescriptionHTML, &image.url, &image.alt, &updatedAt,
			&image.media.id, &image.media.format, &sizes, &image.media.colour, &c.ProductCount)
		if err != nil {
			return c, err
		}
		c.UpdatedAt = db.FromMillis(updatedAt)
		if image.url == "" {
			return c, nil
		}
		if image.id = c.ID; sizes != "[]" {
			if image.media.sizes, err = parseSizes(sizes); err != nil {
				return c, err
			}
			width, height := int64(image.media.sizes[0][0]), int64(image.media.sizes[0][1])
			image.width, image.height = &width, &height
		}
		c.Image = new(image.image(address))
		return c, nil
	}
}

func (q *collectionQuery) find(tx *db.Tx, address MediaAddress) ([]Collection, error) {
	query := `
		SELECT ` + collectionColumns + `
		FROM ` + fromCollections + `
		WHERE ` + q.where + `
		ORDER BY ` + q.orderBy
	args := append([]any{db.Millis(tx.Now())}, q.args...)
	if q.window.Limit != page.NoLimit {
		query += onePage
		args = append(args, q.window.Limit, q.window.Offset())
	}
	found, err := db.Query(tx, scanCollection(address), query, args...)
	if err != nil {
		return nil, fmt.Errorf("find collections: %w", err)
	}
	return found, nil
}

// list returns one page of the collections and their number.
func (q *collectionQuery) list(tx *db.Tx, address MediaAddress) (list []Collection, total int, err error) {
	if q.noMatch {
		return nil, 0, nil
	}
	if total, err = q.count(tx); err != nil {
		return nil, 0, err
	}
	list, err = q.find(tx, address)
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

// findCollectionByEarlierHandle returns the collection that had this handle earlier. The error is
// db.ErrNotFound if there is none.
func findCollectionByEarlierHandle(tx *db.Tx, handle string, address MediaAddress) (c Collection, err error) {
	var id string
	err = tx.QueryRow(`
		SELECT collection_id
		FROM collection_handles
		WHERE handle = ?`, handle).Scan(&id)
	if err != nil {
		return c, err
	}
	return findCollection(tx, "id", id, address)
}

// findCollection returns the collection with this value in the column by: id or handle. The error
// is db.ErrNotFound if there is none.
func findCollection(tx *db.Tx, by, value string, address MediaAddress) (Collection, error) {
	return scanCollection(address)(tx.QueryRow(`
		SELECT `+collectionColumns+`
		FROM `+fromCollections+`
		WHERE c.`+by+` = ?`, db.Millis(tx.Now()), value))
}
