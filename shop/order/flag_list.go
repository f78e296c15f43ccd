package order

import (
	"context"
	"fmt"

	"storefront/db"
	"storefront/shop/access"
	"storefront/shop/fault"
	"storefront/shop/page"
)

// FlagFilter selects flags. The zero value selects the first page of all orders' flags.
type FlagFilter struct {
	page.Request
	OrderID string `query:"orderId" doc:"Only flags of this order"`
}

// ListFlags returns one page of the flags that staff have not resolved, oldest first. Codes:
// validation_failed, not_found.
func (s *Orders) ListFlags(ctx context.Context, caller access.Caller, filter FlagFilter) (*page.List[Flag], error) {
	who, err := s.data.Authorize(ctx, caller, access.ToListFlags)
	if err != nil {
		return nil, err
	}
	var bad fault.Invalid
	w := filter.Window(&bad)
	if err := bad.Err(); err != nil {
		return nil, err
	}
	orderID := ""
	if filter.OrderID != "" {
		if orderID, err = requireInvoiceUID(filter.OrderID); err != nil {
			return nil, err
		}
	}
	list := &page.List[Flag]{}
	err = s.data.ViewAs(ctx, who, func(_ context.Context, tx *db.Tx) error {
		if orderID != "" {
			if _, err := requireOrder(tx, orderID); err != nil {
				return err
			}
		}
		count, err := countFlags(tx, orderID)
		if err != nil {
			return err
		}
		list.Nodes, err = findFlags(tx, orderID, w)
		list.Meta = w.ListMetaFor(count, len(list.Nodes))
		return err
	})
	if err != nil {
		return nil, err
	}
	return list, nil
}

// openFlags returns the condition of the open flags f of an order, or of all orders if orderID is
// "".
func openFlags(orderID string) (where string, args []any) {
	if orderID == "" {
		return "f.resolved_at IS NULL", nil
	}
	return "f.resolved_at IS NULL AND f.order_id = ?", []any{orderID}
}

// countFlags counts open flags to [page.MaxCount].
func countFlags(tx *db.Tx, orderID string) (count page.Count, err error) {
	where, args := openFlags(orderID)
	err = tx.QueryRow(`
		SELECT COUNT(*)
		FROM (SELECT 1 FROM order_flags f WHERE `+where+` LIMIT ?) found`, append(args, page.MaxCount+1)...).Scan(&count.Total)
	if err != nil {
		return page.Count{}, fmt.Errorf("count flags: %w", err)
	}
	count.Total, count.Bounded = min(count.Total, page.MaxCount), count.Total > page.MaxCount
	return count, nil
}

// findFlags returns one page of the open flags of an order, or of all orders if orderID is "".
func findFlags(tx *db.Tx, orderID string, w page.Window) ([]Flag, error) {
	where, args := openFlags(orderID)
	limit := ""
	if w.Limit != page.NoLimit {
		limit, args = `
		LIMIT ? OFFSET ?`, append(args, w.Limit, w.Offset())
	}
	flags, err := db.Query(tx, func(r db.Row) (f Flag, err error) {
		err = r.Scan(&f.OrderID, &f.OrderNumber, &f.Provider, &f.ConsignmentID, &f.Code, &f.Message, &f.RaisedAt)
		return f, err
	}, `
		SELECT f.order_id, o.number, p.provider, p.consignment_id, f.code, f.message, f.raised_at
		FROM order_flags f
		JOIN orders o ON o.id = f.order_id
		LEFT JOIN shipments p ON p.id = f.shipment_id
		WHERE `+where+`
		ORDER BY f.raised_at, f.order_id, f.shipment_id, f.code`+limit, args...)
	if err != nil {
		return nil, fmt.Errorf("find flags: %w", err)
	}
	return db.OrEmpty(flags), nil
}

// ResolveFlags marks all flags of an order as checked by staff and returns the order. A flag whose
// message changes later is raised again. Codes: not_found.
func (s *Orders) ResolveFlags(ctx context.Context, caller access.Caller, invoiceUID string) (*StaffOrder, error) {
	who, err := s.data.Authorize(ctx, caller, access.ToResolveFlags)
	if err != nil {
		return nil, err
	}
	return s.changeStaffOrder(ctx, who, who, invoiceUID, func(tx *db.Tx, o *orderRow) error {
		c := s.changeOrder(tx, o, ByStaff)
		resolved := c.resolveFlags()
		if resolved == 0 {
			return c.err
		}
		if err := c.save(); err != nil {
			return err
		}
		return who.Audit(tx, o.subject(), access.Set("flags", resolved))
	})
}
