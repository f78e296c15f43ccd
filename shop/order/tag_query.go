package order

import (
	"fmt"

	"storefront/db"
)

var tagInsertion = db.NewInsertion("order_tags (order_number, tag_key, tag)")

// findTags returns the tags of an order by key.
func findTags(tx *db.Tx, number int64) ([]string, error) {
	tags, err := db.Query(tx, db.ScanText, `
		SELECT tag
		FROM order_tags
		WHERE order_number = ?
		ORDER BY tag_key`, number)
	if err != nil {
		return nil, fmt.Errorf("find tags: %w", err)
	}
	return db.OrEmpty(tags), nil
}

// loadTags loads the tags of orders.
func loadTags(tx *db.Tx, byID map[string]*orderRow, list string, args []any) error {
	err := tx.Each(`
		SELECT o.id, t.tag
		FROM order_tags t
		JOIN orders o ON o.number = t.order_number
		WHERE o.id IN `+list+`
		ORDER BY t.order_number, t.tag_key`, args, func(r db.Row) error {
		var id, tag string
		err := r.Scan(&id, &tag)
		if err == nil {
			byID[id].tags = append(byID[id].tags, tag)
		}
		return err
	})
	if err != nil {
		return fmt.Errorf("load tags: %w", err)
	}
	return nil
}

// saveTags replaces the tags of an order.
func saveTags(tx *db.Tx, number int64, tags []string) error {
	_, err := tx.Exec(`
		DELETE FROM order_tags
		WHERE order_number = ?`, number)
	if err != nil {
		return fmt.Errorf("delete tags: %w", err)
	}
	values := make([]any, 0, len(tags)*tagInsertion.Columns)
	for _, tag := range tags {
		values = append(values, number, tagKey(tag), tag)
	}
	if err := tagInsertion.Run(tx, values); err != nil {
		return fmt.Errorf("insert tags: %w", err)
	}
	return nil
}

// findUnknownTags returns the number of the tags that no order has.
func findUnknownTags(tx *db.Tx, tags []string) (unknown int, err error) {
	for _, tag := range tags {
		var known bool
		err := tx.QueryRow(`
			SELECT EXISTS (
				SELECT 1
				FROM order_tags
				WHERE tag_key = ?)`, tagKey(tag)).Scan(&known)
		if err != nil {
			return 0, fmt.Errorf("find tag: %w", err)
		}
		if !known {
			unknown++
		}
	}
	return unknown, nil
}

// countShopTags counts the different tags of all orders.
func countShopTags(tx *db.Tx) (count int, err error) {
	err = tx.QueryRow(`
		SELECT COUNT(DISTINCT tag_key)
		FROM order_tags`).Scan(&count)
	if err != nil {
		return 0, fmt.Errorf("count tags: %w", err)
	}
	return count, nil
}
