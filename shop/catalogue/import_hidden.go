package catalogue

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"storefront/db"
	"storefront/shop/catalogue/productfile"
	"storefront/shop/fault"
	"storefront/shop/outbox"
)

// importWait is how long an import waits for another one of the same shop.
const importWait = 2 * time.Second

// Products and collections with an ID in the range of the row in imports are hidden until the
// import is committed. Setting committed_at makes all of them visible.
const (
	firstHidden = `COALESCE((SELECT first_id FROM imports WHERE id = 1 AND committed_at IS NULL), '')`
	lastHidden  = `COALESCE((SELECT last_id FROM imports WHERE id = 1 AND committed_at IS NULL), '')`
	// notHidden is the SQL condition that products p are visible, at least to staff members. The +
	// prevents the use of an index.
	notHidden = `+p.id NOT BETWEEN ` + firstHidden + ` AND ` + lastHidden
	// collectionNotHidden is the same for collections c.
	collectionNotHidden = `+c.id NOT BETWEEN ` + firstHidden + ` AND ` + lastHidden
)

// errImportLost means that another process has ended an import.
var errImportLost = errors.New("the import was ended by another process")

// lockImports waits until no other process imports products into this shop. Codes: state_conflict.
func (c *Catalogue) lockImports(
	ctx context.Context, wait time.Duration,
) (unlock func(), err error) {
	limited, cancel := context.WithTimeout(ctx, wait)
	defer cancel()
	release, err := c.data.Store.LockNamed(limited, "import-"+string(c.data.ID))
	if err == nil {
		return func() { _ = release() }, nil // the lock ends with the process at the latest
	}
	if ctx.Err() == nil && errors.Is(err, context.DeadlineExceeded) {
		return nil, fault.Errorf(fault.CodeStateConflict,
			"Another import into this shop is under way: wait until it has finished, then try again.")
	}
	return nil, err
}

// rejectHidden returns an error about a handle that a hidden product or collection has. Codes:
// state_conflict.
func rejectHidden(handle string) error {
	return fault.Errorf(fault.CodeStateConflict,
		"An import that creates %s is under way: try again when it has finished.", handle)
}

// importRow is the row of imports.
type importRow struct {
	first, last string
	has         productfile.Columns // the fields that the file has
	committed   bool
}

// findImport returns the import under way. Errors: [db.ErrNotFound].
func findImport(tx *db.Tx) (*importRow, error) {
	row := &importRow{}
	var columns string
	err := tx.QueryRow(`
		SELECT first_id, last_id, columns, committed_at IS NOT NULL
		FROM imports
		WHERE id = 1`).Scan(&row.first, &row.last, &columns, &row.committed)
	if err == nil {
		row.has, err = productfile.DecodeColumns(columns)
	}
	if err != nil {
		return nil, fmt.Errorf("find import: %w", err)
	}
	return row, nil
}

// beginImport hides the products and collections in a range of IDs. has are the fields of the file.
func beginImport(tx *db.Tx, ids *idRange, has *productfile.Columns) error {
	err := tx.Do(`
		INSERT INTO imports (id, first_id, last_id, started_at, columns)
		VALUES (1, ?, ?, ?, ?)`, ids.first(), ids.last(), tx.Now(), has.Encode())
	if err != nil {
		return fmt.Errorf("begin import: %w", err)
	}
	return nil
}

// checkImport checks that the import with this first ID is still under way.
func checkImport(tx *db.Tx, first string, committed bool) error {
	row, err := findImport(tx)
	if errors.Is(err, db.ErrNotFound) {
		return errImportLost
	}
	if err != nil {
		return err
	}
	if row.first != first || row.committed != committed {
		return errImportLost
	}
	return nil
}

// commitImport makes the products and collections that an import has created visible. From then on
// its changes are applied, even if its process ends.
func commitImport(tx *db.Tx, ids *idRange) error {
	first := ids.first()
	if err := checkImport(tx, first, false); err != nil {
		return err
	}
	if err := tx.Do(`
		UPDATE imports
		SET committed_at = ?
		WHERE first_id = ?`, tx.Now(), first); err != nil {
		return fmt.Errorf("commit import: %w", err)
	}
	// Other content has been committed since the products were written.
	if err := tx.Do(`
		UPDATE product_revisions
		SET changed = `+nextContent+`
		WHERE product_id BETWEEN ? AND ?`, first, ids.last()); err != nil {
		return fmt.Errorf("mark imported products as changed: %w", err)
	}
	return appendCreated(tx, ids)
}

// appendCreated stores an event for each product in a range of IDs. It is one statement, because
// there can be as many as an import may create.
func appendCreated(tx *db.Tx, ids *idRange) error {
	last, err := outbox.Last(tx)
	if err != nil {
		return err
	}
	data, err := json.Marshal(outbox.Data{Actor: outbox.Signer(tx)})
	if err != nil {
		return fmt.Errorf("encode event: %w", err)
	}
	err = tx.Do(`
		INSERT INTO outbox (seq, at, type, subject, data)
		SELECT ? + ROW_NUMBER() OVER (ORDER BY id), ?, ?, id, ?
		FROM products
		WHERE id BETWEEN ? AND ?`, last, tx.Now(), string(outbox.ProductCreated), string(data), ids.first(), ids.last())
	if err != nil {
		return fmt.Errorf("insert events of the import: %w", err)
	}
	return nil
}

// endImport removes the row of an import that has nothing left to do.
func endImport(tx *db.Tx, first string) error {
	if err := tx.Do(`
		DELETE FROM imports
		WHERE first_id = ?`, first); err != nil {
		return fmt.Errorf("end import: %w", err)
	}
	return nil
}
