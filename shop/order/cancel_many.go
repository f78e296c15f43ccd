package order

import (
	"context"
	"fmt"
	"strings"
	"time"

	"storefront/db"
	"storefront/shop/access"
	"storefront/shop/fault"
	"storefront/shop/input"
	"storefront/shop/phone"
	"storefront/shop/status"
)

// CancelFilter selects orders that nobody has confirmed or paid, for [Orders.CancelOrders]. At
// least one condition must be set.
type CancelFilter struct {
	Phone        string     // in any common notation; "" means any
	Client       string     // the client's address, or its network as logged; "" means any
	PlacedFrom   *time.Time // nil means from the first
	PlacedBefore *time.Time // nil means to the last
}

// Cancelled is an order that [Orders.CancelOrders] cancelled or would cancel.
type Cancelled struct {
	InvoiceUID  string       `json:"invoiceUid"`
	OrderNumber int64        `json:"orderNumber"`
	Status      status.Order `json:"status"`
}

// cancelBatch limits the orders cancelled in one transaction, so that other writes do not wait
// long.
const cancelBatch = 50

// CancelOrders cancels the selected orders, for staff to end an attack on the stock: orders that
// await confirmation or payment and, by client, automatically confirmed orders of unproven buyers.
// Orders with a payment or with a shipment stay. With dryRun it only returns them. An error does
// not undo the orders cancelled before it; the same call continues. Codes: validation_failed.
func (s *Orders) CancelOrders(ctx context.Context, caller access.Caller, filter CancelFilter, reason string, dryRun bool) ([]Cancelled, error) {
	who, err := s.data.Authorize(ctx, caller, access.ToCancelOrders)
	if err != nil {
		return nil, err
	}
	var bad fault.Invalid
	reason = input.CheckLine(&bad, "reason", reason, MaxCancelReason)
	query, err := s.cancelQuery(ctx, &bad, filter)
	if err == nil {
		err = bad.Err()
	}
	if err != nil {
		return nil, err
	}
	var numbers []int64
	err = s.data.ViewAs(ctx, who, func(_ context.Context, tx *db.Tx) (err error) {
		numbers, err = query.find(tx)
		return err
	})
	cancelled := []Cancelled{}
	for len(numbers) > 0 && err == nil {
		batch := numbers[:min(cancelBatch, len(numbers))]
		numbers = numbers[len(batch):]
		var done []Cancelled
		err = s.data.UpdateAs(ctx, who, func(_ context.Context, tx *db.Tx) (err error) {
			done, err = s.cancelBatch(tx, who, query, batch, reason, dryRun)
			return err
		})
		if err == nil {
			cancelled = append(cancelled, done...)
		}
	}
	return cancelled, err
}

// cancelBatch cancels the orders among these numbers that the query still selects.
func (s *Orders) cancelBatch(
	tx *db.Tx, who access.Staff, query cancelQuery, numbers []int64, reason string, dryRun bool,
) (done []Cancelled, err error) {
	ids, err := query.ids(tx, numbers)
	if err != nil {
		return nil, err
	}
	rows, err := findOrderRows(tx, ids)
	if err != nil {
		return nil, err
	}
	for _, o := range rows {
		if o.cancelBlocked(viewWhole) != "" {
			continue
		}
		if !dryRun {
			before := o.auditState()
			if err := s.changeAsStaff(tx, o, who).cancel(viewStaff, reason); err != nil {
				return nil, fmt.Errorf("cancel order %s: %w", o.id, err)
			}
			if err := who.Audit(tx, o.subject(), o.auditState().changes(before)...); err != nil {
				return nil, err
			}
		}
		done = append(done, Cancelled{InvoiceUID: o.id, OrderNumber: o.number, Status: o.status})
	}
	return done, nil
}

// cancelQuery is the condition of [CancelFilter] in SQL.
type cancelQuery struct {
	where string
	args  []any
}

func (s *Orders) cancelQuery(ctx context.Context, bad *fault.Invalid, filter CancelFilter) (q cancelQuery, err error) {
	conditions := []string{"(status IN ('pending', 'pending_payment') OR status = 'confirmed' AND client IS NOT NULL)"}
	add := func(condition string, arg any) {
		conditions, q.args = append(conditions, condition), append(q.args, arg)
	}
	if filter.Phone != "" {
		set, err := s.cfg.Settings(ctx)
		if err != nil {
			return q, err
		}
		number, ok := phone.Parse(filter.Phone, set.Country)
		if !ok {
			bad.Add("phone", fault.CodeInvalidValue, "The phone number is not valid.")
		}
		add("customer_phone = ?", number)
	}
	if filter.Client != "" {
		client, ok := access.ParseClient(filter.Client)
		if !ok {
			bad.Add("client", fault.CodeInvalidValue, "The client must be an IP address, or the /64 network of an IPv6 address.")
		}
		hash, err := s.clientHash(ctx, client)
		if err != nil {
			return q, err
		}
		add("client = ?", hash)
	}
	if filter.PlacedFrom != nil {
		add("placed_at >= ?", db.Millis(*filter.PlacedFrom))
	}
	if filter.PlacedBefore != nil {
		add("placed_at < ?", db.Millis(*filter.PlacedBefore))
	}
	if len(q.args) == 0 {
		bad.Add("filter", fault.CodeRequired, "A phone number, a client address or a time is required.")
	}
	q.where = strings.Join(conditions, " AND ")
	return q, nil
}

// find returns the numbers of the selected orders, oldest first.
func (q cancelQuery) find(tx *db.Tx) ([]int64, error) {
	numbers, err := db.Query(tx, func(r db.Row) (number int64, err error) { return number, r.Scan(&number) }, `
		SELECT number
		FROM orders
		WHERE `+q.where+`
		ORDER BY number`, q.args...)
	if err != nil {
		return nil, fmt.Errorf("find orders to cancel: %w", err)
	}
	return numbers, nil
}

// ids returns the invoice UIDs of the orders among these numbers that are still selected.
func (q cancelQuery) ids(tx *db.Tx, numbers []int64) ([]string, error) {
	marks := strings.TrimSuffix(strings.Repeat("?, ", len(numbers)), ", ")
	args := make([]any, len(numbers), len(numbers)+len(q.args))
	for i, number := range numbers {
		args[i] = number
	}
	ids, err := db.Query(tx, db.ScanText, `
		SELECT id
		FROM orders
		WHERE number IN (`+marks+`) AND `+q.where+`
		ORDER BY number`, append(args, q.args...)...)
	if err != nil {
		return nil, fmt.Errorf("find orders to cancel: %w", err)
	}
	return ids, nil
}
