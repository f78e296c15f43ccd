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
	return access.Read(ctx, s.data, caller, access.ToListFlags,
		func(tx *db.Tx, _ access.Staff) (*page.List[Flag], error) {
			var bad fault.Invalid
			w := filter.Window(&bad)
			if err := bad.Err(); err != nil {
				return nil, err
			}
			orderID := ""
			if filter.OrderID != "" {
				order, err := requireSentOrder(tx, filter.OrderID)
				if err != nil {
					return nil, err
				}
				orderID = order.id
			}
			count, err := countFlags(tx, orderID)
			if err != nil {
				return nil, err
			}
			flags, err := findFlags(tx, orderID, w)
			return &page.List[Flag]{Nodes: flags, Meta: w.ListMetaFor(count, len(flags))}, err
		})
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
	return s.changeStaffOrder(ctx, caller, access.ToResolveFlags, invoiceUID, nil,
		func(tx *db.Tx, who access.Staff, o *orderRow) ([]access.Change, error) {
			c := s.changeAsStaff(tx, o, who)
			resolved := c.resolveFlags()
			if resolved == 0 {
				return nil, c.err
			}
			return []access.Change{access.Set("flags", resolved)}, c.save()
		})
}
