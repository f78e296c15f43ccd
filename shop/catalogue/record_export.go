package catalogue

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"

	"storefront/db"
	"storefront/shop/access"
	"storefront/shop/fault"
	"storefront/shop/page"
)

// ExportProductRecords writes products of any status to w as lines of JSON, each as
// [Catalogue.FindProductRecord] returns it, in the order of creation. The range selects the
// products at the start, and each is read when it is written. The export is recorded in the audit
// log before anything is written. Codes: validation_failed, unauthenticated, forbidden.
func (c *Catalogue) ExportProductRecords(ctx context.Context, caller access.Caller, in page.Range, w io.Writer) error {
	who, err := c.data.Authorize(ctx, caller, access.ToExportProductRecords)
	if err != nil {
		return err
	}
	shown, err := c.display(ctx)
	if err != nil {
		return err
	}
	var ids []string
	err = c.data.UpdateAs(ctx, who, func(_ context.Context, tx *db.Tx) (err error) {
		if ids, err = findRange(tx, in); err != nil {
			return err
		}
		return who.Audit(tx, access.Subject{Kind: access.SubjectProducts}, access.Set("products", len(ids)))
	})
	if err != nil {
		return err
	}
	for part := range slices.Chunk(ids, exportPart) {
		// Permissions may have been reduced in the meantime.
		if who, err = c.data.Authorize(ctx, caller, access.ToExportProductRecords); err != nil {
			return err
		}
		var records []ProductRecord
		err := c.data.ViewManyAs(ctx, who, func(_ context.Context, tx *db.Tx) error {
			rows, err := findProductRows(tx, part)
			for _, row := range rows {
				records = append(records, row.record(who, shown))
			}
			return err
		})
		if err != nil {
			return err
		}
		if err := page.WriteLines(w, records); err != nil {
			return fmt.Errorf("export products: %w", err)
		}
	}
	return nil
}

// findRange returns the IDs of the products in a range. Codes: validation_failed.
func findRange(tx *db.Tx, in page.Range) ([]string, error) {
	var bad fault.Invalid
	limit := in.Max(&bad)
	after := int64(-1)
	if in.After != "" {
		err := tx.QueryRow(`
			SELECT p.number
			FROM products p
			WHERE p.id = ?`, in.After).Scan(&after)
		switch {
		case errors.Is(err, db.ErrNotFound):
			bad.Add("after", fault.CodeInvalidValue, "Must be the _id of a product.")
		case err != nil:
			return nil, fmt.Errorf("find product of a range: %w", err)
		}
	}
	if err := bad.Err(); err != nil {
		return nil, err
	}
	ids, err := db.Query(tx, db.ScanText, `
		SELECT p.id
		FROM products p
		WHERE p.number > ? AND `+notHidden+`
		ORDER BY p.number
		LIMIT ?`, after, limit)
	if err != nil {
		return nil, fmt.Errorf("find products of a range: %w", err)
	}
	return ids, nil
}
