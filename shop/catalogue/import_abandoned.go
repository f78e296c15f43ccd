package catalogue

import (
	"context"
	"errors"
	"fmt"
	"time"

	"storefront/db"
	"storefront/shop/fault"
)

const (
	abandonedCheck = 10 * time.Second // when a running import is checked again
	removedAtOnce  = 50               // products that are removed in one transaction
	removalTime    = time.Second      // how long the removal in the background locks imports
)

// EndAbandonedImport ends an import whose process was killed: if it is committed, its remaining
// changes are applied, otherwise its records are removed. It returns the time to continue or to
// check again; a zero time means not before the shop's data changes.
func (c *Catalogue) EndAbandonedImport(ctx context.Context) (next time.Time, err error) {
	_, err = c.loadImport(ctx)
	if errors.Is(err, db.ErrNotFound) {
		return time.Time{}, nil
	}
	if err != nil {
		return time.Time{}, err
	}
	unlock, err := c.lockImports(ctx, time.Millisecond)
	if fault.HasCode(err, fault.CodeStateConflict) {
		return c.now().Add(abandonedCheck), nil
	}
	if err != nil {
		return time.Time{}, err
	}
	defer unlock()
	more, err := c.endAbandonedImport(ctx, c.now().Add(removalTime))
	if err != nil {
		return time.Time{}, err
	}
	if !more {
		return time.Time{}, nil
	}
	return c.now().Add(importWait), nil // a waiting import removes the rest itself
}

// loadImport returns the import under way. Errors: [db.ErrNotFound].
func (c *Catalogue) loadImport(ctx context.Context) (row *importRow, err error) {
	err = c.data.Store.ViewOne(ctx, c.data.ID, func(_ context.Context, tx *db.Tx) (err error) {
		row, err = findImport(tx)
		return err
	})
	return row, err
}

// endAbandonedImport applies the committed changes of an import, or removes its records, and
// reports whether some are left to remove at a time after until; the zero time means no limit. The
// caller has locked imports.
func (c *Catalogue) endAbandonedImport(ctx context.Context, until time.Time) (more bool, err error) {
	row, err := c.loadImport(ctx)
	if errors.Is(err, db.ErrNotFound) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	if row.committed {
		// Nobody receives a report of products that have been changed so that the file's are invalid.
		if err := c.applyChanges(ctx, func(changeSlice) {}); err != nil {
			return false, fmt.Errorf("apply changes of abandoned import: %w", err)
		}
		return false, nil
	}
	slices := newSlices()
	for more = true; more && (until.IsZero() || c.now().Before(until)); {
		err := c.data.Update(ctx, func(_ context.Context, tx *db.Tx) (err error) {
			tx.SkipContentVersion()
			more, err = removeHidden(tx, row)
			return err
		})
		if err == nil && more {
			err = slices.Next(ctx, 0)
		}
		if err != nil {
			return false, fmt.Errorf("remove abandoned import: %w", err)
		}
	}
	return more, nil
}

// removeHidden removes some records of an import, or in the end the import itself. more is false
// then.
func removeHidden(tx *db.Tx, row *importRow) (more bool, err error) {
	if err := checkImport(tx, row.first, false); err != nil {
		return false, err
	}
	changes, err := tx.Exec(`
		DELETE FROM import_changes
		WHERE position < (SELECT MIN(position) FROM import_changes) + ?`, removedAtOnce)
	if err != nil {
		return false, err
	}
	type product struct {
		id     string
		number int64
	}
	products, err := db.Query(tx, func(r db.Row) (p product, err error) { return p, r.Scan(&p.id, &p.number) }, `
		SELECT p.id, p.number
		FROM products p
		WHERE p.id BETWEEN ? AND ?
		LIMIT ?`, row.first, row.last, removedAtOnce)
	if err != nil {
		return false, err
	}
	for _, p := range products {
		if err := deleteProduct(tx, &productRow{id: p.id, number: p.number}); err != nil {
			return false, err
		}
	}
	if len(products) > 0 || changes > 0 {
		return true, nil
	}
	if err := tx.Do(`
		DELETE FROM collections
		WHERE id BETWEEN ? AND ?`, row.first, row.last); err != nil {
		return false, err
	}
	return false, endImport(tx, row.first)
}
