package order

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"slices"

	"storefront/db"
	"storefront/shop/access"
	"storefront/shop/fault"
	"storefront/shop/page"
)

// ExportOrderRecords writes orders to w as lines of JSON, each as [Orders.FindOrderAsStaff] returns
// it, in the order of their numbers. The range selects the orders at the start, and each is read
// when it is written. The export is recorded in the audit log before anything is written. Codes:
// validation_failed, unauthenticated, forbidden.
func (s *Orders) ExportOrderRecords(ctx context.Context, caller access.Caller, in page.Range, w io.Writer) error {
	who, err := s.data.Authorize(ctx, caller, access.ToExportOrderRecords)
	if err != nil {
		return err
	}
	set, err := s.cfg.Settings(ctx)
	if err != nil {
		return err
	}
	var numbers []int64
	err = s.data.UpdateAs(ctx, who, func(_ context.Context, tx *db.Tx) (err error) {
		if numbers, err = findRange(tx, in); err != nil {
			return err
		}
		return who.Audit(tx, access.Subject{Kind: access.SubjectOrders}, access.Set("orders", len(numbers)))
	})
	if err != nil {
		return err
	}
	for part := range slices.Chunk(numbers, exportPage) {
		// Permissions may have been reduced in the meantime.
		if who, err = s.data.Authorize(ctx, caller, access.ToExportOrderRecords); err != nil {
			return err
		}
		var records []*StaffOrder
		err := s.data.ViewManyAs(ctx, who, func(_ context.Context, tx *db.Tx) (err error) {
			records, err = findRecords(tx, part, set.Display, who)
			return err
		})
		if err != nil {
			return err
		}
		if err := page.WriteLines(w, records); err != nil {
			return fmt.Errorf("export orders: %w", err)
		}
	}
	return nil
}

// findRange returns the numbers of the orders in a range. Codes: validation_failed.
func findRange(tx *db.Tx, in page.Range) ([]int64, error) {
	var bad fault.Invalid
	limit := in.Max(&bad)
	after := int64(-1)
	if in.After != "" {
		o, err := requireSentOrder(tx, in.After)
		switch {
		case fault.HasCode(err, fault.CodeNotFound):
			bad.Add("after", fault.CodeInvalidValue, "Must be the _id of an order.")
		case err != nil:
			return nil, err
		default:
			after = o.number
		}
	}
	if err := bad.Err(); err != nil {
		return nil, err
	}
	numbers, err := db.Query(tx, func(r db.Row) (n int64, err error) { return n, r.Scan(&n) }, `
		SELECT number
		FROM orders
		WHERE number > ?
		ORDER BY number
		LIMIT ?`, after, limit)
	if err != nil {
		return nil, fmt.Errorf("find orders of an export: %w", err)
	}
	return numbers, nil
}

// findRecords returns the orders with these numbers, in their order.
func findRecords(tx *db.Tx, numbers []int64, shown Display, who access.Staff) ([]*StaffOrder, error) {
	ids, err := findOrderIDs(tx, numbers)
	if err != nil {
		return nil, err
	}
	rows, err := findOrderRows(tx, ids)
	if err != nil {
		return nil, err
	}
	slices.SortFunc(rows, func(a, b *orderRow) int { return cmp.Compare(a.number, b.number) })
	records := make([]*StaffOrder, 0, len(rows))
	for _, row := range rows {
		record, err := staffView(tx, row, shown, who)
		if err != nil {
			return nil, err
		}
		records = append(records, record)
	}
	return records, nil
}
