package catalogue

import (
	"context"
	"errors"
	"fmt"
	"time"

	"storefront/db"
	"storefront/shop/fault"
)

var changeInsertion = db.NewInsertion("import_changes (position, product, sanitized)")

// insertChanges stores changes of existing products after the number of those that are stored.
func insertChanges(tx *db.Tx, stored int, edits []spooledEdit) error {
	values := make([]any, 0, len(edits)*changeInsertion.Columns)
	for i, edit := range edits {
		values = append(values, stored+i+1, string(edit.text), 1)
	}
	if err := changeInsertion.Run(tx, values); err != nil {
		return fmt.Errorf("store changes of the import: %w", err)
	}
	return nil
}

// changeSlice is the result of applying some changes of a committed import.
type changeSlice struct {
	products int
	skipped  []skippedChange
	last     bool // the import has ended
	held     time.Duration
}

// skippedChange is a product that has been changed since it was checked, so that the file's values
// are invalid.
type skippedChange struct {
	product *fileProduct
	bad     fault.Invalid
}

// applyChanges applies the changes of the committed import under way, slice by slice. It calls done
// after each. The caller has locked imports.
func (c *Catalogue) applyChanges(ctx context.Context, done func(changeSlice)) error {
	for slices := newSlices(); ; {
		var slice changeSlice
		err := c.data.UpdateAlone(ctx, func(ctx context.Context, tx *db.Tx) error {
			row, err := findImport(tx)
			if errors.Is(err, db.ErrNotFound) {
				return errImportLost
			}
			if err != nil {
				return err
			}
			if !row.committed {
				return errImportLost
			}
			slice, err = c.applySlice(ctx, tx, row, slices.Size())
			return err
		})
		if err != nil {
			return err
		}
		done(slice)
		if slice.last {
			return nil
		}
		if err := slices.Next(ctx, slice.held); err != nil {
			return err
		}
	}
}

// applySlice applies at most n changes, and ends the import if none is left.
func (c *Catalogue) applySlice(ctx context.Context, tx *db.Tx, row *importRow, n int) (slice changeSlice, err error) {
	began := time.Now()
	products, last, err := findChanges(tx, n)
	if err != nil {
		return slice, err
	}
	index, err := c.findOrCreateCollections(tx, products)
	if err != nil {
		return slice, err
	}
	edits := make([]*productEdit, len(products))
	at := make(map[*productEdit]int, len(products))
	for i, product := range products {
		edits[i] = product.edit(&row.has, discardNote)
		at[edits[i]] = i
	}
	skipped := map[int]bool{}
	planned, err := planEdits(tx, edits, index, func(edit *productEdit, bad fault.Invalid) {
		skipped[at[edit]] = true
		slice.skipped = append(slice.skipped, skippedChange{products[at[edit]], bad})
	})
	if err != nil {
		return slice, err
	}
	valid := make([]plannedEdit, 0, len(planned))
	for i, e := range planned {
		if !skipped[i] {
			valid = append(valid, e)
		}
	}
	if err := c.applyEdits(ctx, tx, valid, MovedByImport, func() {}); err != nil {
		return slice, err
	}
	if err := tx.Do(`
		DELETE FROM import_changes
		WHERE position <= ?`, last); err != nil {
		return slice, fmt.Errorf("remove applied changes: %w", err)
	}
	if slice.last = len(products) < n; slice.last {
		err = endImport(tx, row.first)
	}
	slice.products, slice.held = len(products), time.Since(began)
	return slice, err
}

// findChanges returns the first n changes that are not yet applied, and the position of the last
// one.
func findChanges(tx *db.Tx, n int) (products []*fileProduct, last int64, err error) {
	products, err = db.Query(tx, func(r db.Row) (*fileProduct, error) {
		var text []byte
		var sanitized bool
		if err := r.Scan(&last, &text, &sanitized); err != nil {
			return nil, err
		}
		product, err := parseFileProduct(text)
		if err == nil {
			product.sanitized = sanitized
		}
		return product, err
	}, `
		SELECT position, product, sanitized
		FROM import_changes
		ORDER BY position
		LIMIT ?`, n)
	if err != nil {
		return nil, 0, fmt.Errorf("find changes of the import: %w", err)
	}
	return products, last, nil
}

// findOrCreateCollections returns the index of all collections. It creates the products'
// collections that have been deleted since the import began.
func (c *Catalogue) findOrCreateCollections(tx *db.Tx, products []*fileProduct) (*collectionIndex, error) {
	index, err := findCollectionIndex(tx)
	if err != nil {
		return nil, err
	}
	for _, product := range products {
		for _, name := range product.AllCollections() {
			if _, ok := index.find(name); ok {
				continue
			}
			if err := c.createCollection(tx, index, collectionRow{id: c.ids.Next(tx.Now()), title: name}); err != nil {
				return nil, err
			}
		}
	}
	return index, nil
}
