package catalogue

import (
	"cmp"
	"crypto/rand"
	"encoding/binary"
	"fmt"
	"slices"

	"storefront/db"
)

// nextContent is the SQL expression of the counter 'content' after the commit of the transaction,
// which raises it once, after its last statement.
const nextContent = `COALESCE((SELECT value FROM counters WHERE name = 'content'), 0) + 1`

// RenewCursors makes the cursors of earlier responses of [Catalogue.ListChanges] invalid, for data
// in which counters may have been set back. It must be called after the last change of a product,
// because no counter is raised while data is being built.
func RenewCursors(tx *db.Tx) error {
	var random [8]byte
	if _, err := rand.Read(random[:]); err != nil {
		return fmt.Errorf("create epoch: %w", err)
	}
	err := tx.Do(`
		INSERT INTO counters (name, value)
		VALUES ('epoch', ?)
		ON CONFLICT (name) DO UPDATE SET value = excluded.value`, int64(binary.BigEndian.Uint64(random[:])>>11))
	if err == nil {
		err = tx.Do(`
		INSERT INTO counters (name, value)
		VALUES ('content', 1)
		ON CONFLICT (name) DO UPDATE SET value = counters.value + 1`)
	}
	if err != nil {
		return fmt.Errorf("renew cursors: %w", err)
	}
	return nil
}

// findCursorNumbers returns the random number of the shop's data and the counter 'content'.
func findCursorNumbers(tx *db.Tx) (epoch, content int64, err error) {
	err = tx.QueryRow(`
		SELECT
			COALESCE((SELECT value FROM counters WHERE name = 'epoch'), 0),
			COALESCE((SELECT value FROM counters WHERE name = 'content'), 0)`).Scan(&epoch, &content)
	if err != nil {
		return 0, 0, fmt.Errorf("find numbers of cursors: %w", err)
	}
	return epoch, content, nil
}

// recordRemoval records that a product is deleted, unless it is one of an import that was not
// committed.
func recordRemoval(tx *db.Tx, id string) error {
	err := tx.Do(`
		INSERT INTO product_removals (product_id, changed)
		SELECT p.id, `+nextContent+`
		FROM products p
		WHERE p.id = ? AND `+notHidden+`
		ON CONFLICT (product_id) DO UPDATE SET changed = excluded.changed`, id)
	if err != nil {
		return fmt.Errorf("record removal of product: %w", err)
	}
	return nil
}

const (
	selectPublications = `
		SELECT p.published_at, p.id
		FROM products p
		JOIN product_revisions r ON r.product_id = p.id
		WHERE ` + Published + ` AND (p.published_at, p.id) > (?, ?) AND (r.changed, r.product_id) <= (?, ?)
		ORDER BY p.published_at, p.id
		LIMIT ?`
	selectChanged = `
		SELECT r.changed, r.product_id, CASE WHEN p.status = 'active' AND p.published_at <= ? THEN 0 ELSE 1 END
		FROM product_revisions r
		JOIN products p ON p.id = r.product_id
		WHERE (r.changed, r.product_id) > (?, ?) AND r.changed <= ?
			AND (r.changed > ? OR p.status = 'active' AND p.published_at <= ?) AND ` + notHidden + `
		ORDER BY r.changed, r.product_id
		LIMIT ?`
	selectRemoved = `
		SELECT changed, product_id, 1
		FROM product_removals
		WHERE (changed, product_id) > (?, ?) AND changed <= ? AND changed > ?
		ORDER BY changed, product_id
		LIMIT ?`
)

// findPublications returns products that were published after the cursor, and changed before it.
func findPublications(tx *db.Tx, after *changeCursor, now int64, limit int) ([]publicationAt, error) {
	products, err := db.Query(tx, func(r db.Row) (p publicationAt, err error) {
		return p, r.Scan(&p.at, &p.id)
	}, selectPublications, now, after.published.at, after.published.id, after.changed.content, after.changed.id, limit)
	if err != nil {
		return nil, fmt.Errorf("find publications of products: %w", err)
	}
	return products, nil
}

// changedProduct is a product in the order of changes.
type changedProduct struct {
	changePlace
	removed bool // not published, or deleted
}

// findChanged returns products that were changed after the cursor, the deleted ones included. A
// change above the counter is not in a commit that has raised it, and is found after one.
func findChanged(tx *db.Tx, after *changeCursor, content, now int64, limit int) ([]changedProduct, error) {
	scan := func(r db.Row) (p changedProduct, err error) {
		return p, r.Scan(&p.content, &p.id, &p.removed)
	}
	products, err := db.Query(tx, scan, selectChanged,
		now, after.changed.content, after.changed.id, content, after.from, now, limit)
	if err != nil {
		return nil, fmt.Errorf("find changed products: %w", err)
	}
	removed, err := db.Query(tx, scan, selectRemoved, after.changed.content, after.changed.id, content, after.from, limit)
	if err != nil {
		return nil, fmt.Errorf("find removed products: %w", err)
	}
	products = append(products, removed...)
	slices.SortFunc(products, func(a, b changedProduct) int {
		return cmp.Or(cmp.Compare(a.content, b.content), cmp.Compare(a.id, b.id))
	})
	return products[:min(len(products), limit)], nil
}
