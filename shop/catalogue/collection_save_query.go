package catalogue

import (
	"fmt"

	"storefront/db"
	"storefront/shop/input"
	"storefront/shop/translation"
)

// collectionIndex finds collections by ID, handle or title.
type collectionIndex struct{ byID, byHandle, byTitle map[string]string }

func newCollectionIndex() *collectionIndex {
	return &collectionIndex{byID: map[string]string{}, byHandle: map[string]string{}, byTitle: map[string]string{}}
}

// find returns the ID of the collection with this handle, ID or, ignoring case and accents, title.
func (x *collectionIndex) find(name string) (id string, ok bool) {
	if id, ok = x.byHandle[input.CleanHandle(name)]; ok {
		return id, true
	}
	if id, ok = x.byID[name]; ok {
		return id, true
	}
	id, ok = x.byTitle[input.FoldKey(name)]
	return id, ok
}

// add adds a collection. If two have the same title, find returns the first.
func (x *collectionIndex) add(id, handle, titleKey string) {
	x.byID[id], x.byHandle[handle] = id, id
	if _, ok := x.byTitle[titleKey]; !ok {
		x.byTitle[titleKey] = id
	}
}

func findCollectionIndex(tx *db.Tx) (*collectionIndex, error) {
	index := newCollectionIndex()
	err := tx.Each(`
		SELECT c.id, c.handle, c.title_key
		FROM collections c
		WHERE `+collectionNotHidden+`
		ORDER BY c.position, c.id`, nil, func(r db.Row) error {
		var id, handle, titleKey string
		if err := r.Scan(&id, &handle, &titleKey); err != nil {
			return err
		}
		index.add(id, handle, ownTitleKey(titleKey))
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("find collections: %w", err)
	}
	return index, nil
}

// findCollectionRow returns the collection with this handle. The error is db.ErrNotFound if there
// is none. Codes: state_conflict (it is hidden).
func findCollectionRow(tx *db.Tx, handle string) (c collectionRow, err error) {
	var visible bool
	err = tx.QueryRow(`
		SELECT c.id, c.handle, c.title, c.description_html, c.image_url, c.image_alt, COALESCE(c.media_id, ''), c.position, `+collectionNotHidden+`
		FROM collections c
		WHERE c.handle = ?`, handle).Scan(&c.id, &c.handle, &c.title, &c.descriptionHTML,
		&c.imageURL, &c.imageAlt, &c.mediaID, &c.position, &visible)
	if err == nil && !visible {
		err = rejectHidden(handle)
	}
	return c, err
}

// findCollectionRowByID returns the collection with this ID.
func findCollectionRowByID(tx *db.Tx, id string) (c collectionRow, err error) {
	var handle string
	if err = tx.QueryRow(`
		SELECT c.handle
		FROM collections c
		WHERE c.id = ?`, id).Scan(&handle); err != nil {
		return c, fmt.Errorf("find collection: %w", err)
	}
	return findCollectionRow(tx, handle)
}

// findCollectionRecord returns the collection with this ID and its products. The error is
// db.ErrNotFound if there is none.
func findCollectionRecord(tx *db.Tx, id string, address MediaAddress) (r CollectionRecord, err error) {
	if r.Collection, err = findCollection(tx, "id", id, address); err != nil {
		return r, err
	}
	records, err := withPositions(tx, []Collection{r.Collection})
	if err != nil {
		return r, err
	}
	r.Position = records[0].Position
	members, err := findMembers(tx, id)
	r.ProductIDs = make([]string, len(members))
	for i, m := range members {
		r.ProductIDs[i] = m.productID
	}
	return r, err
}

// withPositions adds the positions to collections.
func withPositions(tx *db.Tx, list []Collection) ([]CollectionRecord, error) {
	ids, index := make([]string, len(list)), make(map[string]int, len(list))
	records := make([]CollectionRecord, len(list))
	for i, c := range list {
		ids[i], index[c.ID], records[i].Collection = c.ID, i, c
	}
	for part := range db.Chunks(ids) {
		list, args := db.InList(part)
		err := tx.Each(`
			SELECT c.id, c.position
			FROM collections c
			WHERE c.id IN `+list, args, func(r db.Row) error {
			var id string
			var position int
			err := r.Scan(&id, &position)
			records[index[id]].Position = position
			return err
		})
		if err != nil {
			return nil, fmt.Errorf("find positions of collections: %w", err)
		}
	}
	return records, nil
}

// collectionHandleExists reports whether a collection, hidden or not, has this handle.
func collectionHandleExists(tx *db.Tx, handle string) (exists bool, err error) {
	err = tx.QueryRow(`
		SELECT EXISTS (
			SELECT 1
			FROM collections c
			WHERE c.handle = ?)`, handle).Scan(&exists)
	return exists, err
}

func deleteCollection(tx *db.Tx, id string) error {
	if err := tx.Do(`
		DELETE FROM collections
		WHERE id = ?`, id); err != nil {
		return fmt.Errorf("delete collection: %w", err)
	}
	return translation.Delete(tx, translation.Collection, id)
}

func nextCollectionPosition(tx *db.Tx) (position int64, err error) {
	err = tx.QueryRow(`
		SELECT COALESCE(MAX(c.position), 0) + 1
		FROM collections c`).Scan(&position)
	return position, err
}

func insertCollection(tx *db.Tx, c collectionRow) error {
	_, err := tx.Exec(`
		INSERT INTO collections (id, handle, title, title_key, description_html, image_url, image_alt, media_id, position, created_at, updated_at)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
		c.id, c.handle, c.title, input.FoldKey(c.title), c.descriptionHTML, c.imageURL, c.imageAlt,
		db.NullText(c.mediaID), c.position, db.Millis(tx.Now()), db.Millis(tx.Now()))
	return err
}

func updateCollection(tx *db.Tx, c collectionRow) error {
	titleKey, err := c.titleKey(tx)
	if err != nil {
		return err
	}
	_, err = tx.Exec(`
		UPDATE collections
		SET handle = ?, title = ?, title_key = ?, description_html = ?, image_url = ?, image_alt = ?, media_id = ?, position = ?, updated_at = ?
		WHERE id = ?`,
		c.handle, c.title, titleKey, c.descriptionHTML, c.imageURL, c.imageAlt, db.NullText(c.mediaID), c.position,
		db.Millis(tx.Now()), c.id)
	return err
}

// insertMember appends a product to a collection unless it is in it already.
func insertMember(tx *db.Tx, collectionID, productID string) (inserted bool, err error) {
	rows, err := tx.Exec(`
		INSERT INTO collection_products (collection_id, product_id, position)
		VALUES (?, ?, 0)
		ON CONFLICT (collection_id, product_id) DO NOTHING`, collectionID, productID)
	if err != nil {
		return false, fmt.Errorf("add to collection: %w", err)
	}
	if rows == 0 {
		return false, nil
	}
	// Positions start at 1. In one statement with the insertion, some engines would count the row even
	// if it is not inserted.
	err = tx.Do(`
		UPDATE collection_products
		SET position = (
			SELECT MAX(cp.position) + 1
			FROM collection_products cp
			WHERE cp.collection_id = ?
		)
		WHERE collection_id = ? AND product_id = ? AND position = 0`, collectionID, collectionID, productID)
	if err != nil {
		return false, fmt.Errorf("add to collection: %w", err)
	}
	return true, TouchProduct(tx, productID)
}

// deleteMember removes a product from a collection.
func deleteMember(tx *db.Tx, collectionID, productID string) (deleted bool, err error) {
	rows, err := tx.Exec(`
		DELETE FROM collection_products
		WHERE collection_id = ? AND product_id = ?`, collectionID, productID)
	if err != nil {
		return false, fmt.Errorf("remove from collection: %w", err)
	}
	if rows == 0 {
		return false, nil
	}
	return true, TouchProduct(tx, productID)
}

// memberRow is a product in a collection.
type memberRow struct {
	productID string
	position  int64
}

// findMembers returns the products of a collection in the merchant's order.
func findMembers(tx *db.Tx, collectionID string) ([]memberRow, error) {
	members, err := db.Query(tx, func(r db.Row) (m memberRow, err error) {
		return m, r.Scan(&m.productID, &m.position)
	}, `
		SELECT p.id, cp.position
		FROM collection_products cp
		JOIN products p ON p.id = cp.product_id
		WHERE cp.collection_id = ? AND `+notHidden+`
		ORDER BY cp.position, cp.product_id`, collectionID)
	if err != nil {
		return nil, fmt.Errorf("find products of a collection: %w", err)
	}
	return members, nil
}

// writeMembers deletes, inserts and moves products of a collection. The lists contain the arguments
// of each statement.
func writeMembers(tx *db.Tx, removed, added, moved [][]any) error {
	for _, change := range []struct {
		query string
		lists [][]any
	}{
		{`
		DELETE FROM collection_products
		WHERE collection_id = ? AND product_id = ?`, removed},
		{`
		INSERT INTO collection_products (collection_id, product_id, position)
		VALUES (?, ?, ?)`, added},
		{`
		UPDATE collection_products
		SET position = ?
		WHERE collection_id = ? AND product_id = ?`, moved},
	} {
		if _, err := tx.ExecEach(change.query, change.lists); err != nil {
			return fmt.Errorf("arrange collection: %w", err)
		}
	}
	return nil
}
