package shop

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"

	"storefront/db"
	"storefront/shop/access"
	"storefront/shop/fault"
	"storefront/shop/order"
	"storefront/shop/page"
)

// exportPart is the number of buyers that an export holds in memory at a time.
const exportPart = 100

// ExportCustomers writes the buyers to w as lines of JSON, each as [Shop.ListCustomers] returns it:
// accounts in the order of creation, then guests by phone number. The range is after the ID of an
// account or the phone number of a guest, also if there is no such buyer any more. The export is
// recorded in the audit log before anything is written. Codes: validation_failed, unauthenticated,
// forbidden.
func (s *Shop) ExportCustomers(ctx context.Context, caller access.Caller, in page.Range, w io.Writer) error {
	who, err := s.data.Authorize(ctx, caller, access.ToExportCustomers)
	if err != nil {
		return err
	}
	set, err := s.loadSettings(ctx)
	if err != nil {
		return err
	}
	if err := s.Orders.PostForReading(ctx); err != nil {
		return err
	}
	var buyers []order.Buyer
	err = s.data.UpdateAs(ctx, who, func(_ context.Context, tx *db.Tx) (err error) {
		if buyers, err = findBuyers(tx, in); err != nil {
			return err
		}
		return who.Audit(tx, access.Subject{Kind: access.SubjectCustomers}, access.Set("customers", len(buyers)))
	})
	if err != nil {
		return err
	}
	for part := range slices.Chunk(buyers, exportPart) {
		var rows []CustomerRow
		err := s.data.ViewManyAs(ctx, who, func(_ context.Context, tx *db.Tx) (err error) {
			rows, err = customerRows(tx, part, set.money)
			return err
		})
		if err != nil {
			return err
		}
		rows = slices.DeleteFunc(rows, func(row CustomerRow) bool { return row.Kind == "" }) // deleted in the meantime
		if err := page.WriteLines(w, rows); err != nil {
			return fmt.Errorf("export customers: %w", err)
		}
	}
	return nil
}

// findBuyers returns the buyers in a range. Codes: validation_failed.
func findBuyers(tx *db.Tx, in page.Range) ([]order.Buyer, error) {
	var bad fault.Invalid
	limit := in.Max(&bad)
	if err := bad.Err(); err != nil {
		return nil, err
	}
	isGuest := strings.HasPrefix(in.After, "+")
	var buyers []order.Buyer
	if !isGuest {
		found, err := db.Query(tx, func(r db.Row) (b order.Buyer, err error) { return b, r.Scan(&b.CustomerID) }, `
			SELECT id
			FROM customers
			WHERE id > ?
			ORDER BY id
			LIMIT ?`, in.After, limit)
		if err != nil {
			return nil, fmt.Errorf("find accounts of a range: %w", err)
		}
		buyers = found
	}
	if len(buyers) == limit {
		return buyers, nil
	}
	after := ""
	if isGuest {
		after = in.After
	}
	guests, err := db.Query(tx, func(r db.Row) (b order.Buyer, err error) { return b, r.Scan(&b.Phone) }, `
		SELECT phone
		FROM contacts
		WHERE orders > 0 AND phone > ?
		ORDER BY phone
		LIMIT ?`, after, limit-len(buyers))
	if err != nil {
		return nil, fmt.Errorf("find guests of a range: %w", err)
	}
	return append(buyers, guests...), nil
}
