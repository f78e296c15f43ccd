package order

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"storefront/db"
	"storefront/shop/access"
	"storefront/shop/job"
	"storefront/shop/plugin"
)

// JobActions returns the actions of jobs on their items, by the jobs' kinds.
func (s *Orders) JobActions() map[job.Kind]job.Action {
	all := map[job.Kind]job.Action{}
	for name, action := range bulkActions {
		a := job.Action{Use: action.use, View: access.OrdersRead, Outside: action.outside, Names: findBuyerNames}
		if action.outside {
			a.Parallel = parallelCouriers
		}
		a.Do = func(ctx context.Context, item *job.Item, options json.RawMessage) (warning string, err error) {
			var in BulkOptions
			if err := json.Unmarshal(options, &in); err != nil {
				return "", fmt.Errorf("decode options: %w", err)
			}
			return s.doOrderAction(ctx, item, action, in)
		}
		all[job.Kind(name)] = a
	}
	return all
}

// doOrderAction executes an action on the order of a job's item. An order that it leaves unchanged
// is a success with a warning, as in a dry run.
func (s *Orders) doOrderAction(ctx context.Context, item *job.Item, action bulkAction, in BulkOptions) (warning string, err error) {
	if item.InterruptedAt != nil && action.use == access.ToBookShipment {
		booked, err := s.wasBooked(ctx, item, in.Provider)
		if err != nil {
			return "", err
		}
		if booked {
			return "", nil
		}
	}
	check := func() error {
		rules, err := s.checkOrders(ctx, item, action, []string{item.Subject}, in)
		if err != nil {
			return err
		}
		return rules[0]
	}
	if action.outside {
		if err := check(); err != nil {
			return describeUnchanged(err)
		}
	}
	caller := item.Caller()
	caller.Undo = in.Undo
	if err := action.do(ctx, s, caller, item.Subject, in); err != nil {
		return "", err
	}
	if action.outside || item.Recorded() {
		return "", nil
	}
	return describeUnchanged(check())
}

// describeUnchanged returns the message of a rule that found nothing to do as a warning.
func describeUnchanged(rule error) (warning string, err error) {
	if job.IsUnchanged(rule) {
		return rule.Error(), nil
	}
	return "", rule
}

// wasBooked reports whether a shipment of the item's order was booked with the courier since an
// earlier run began with the item: its response was recorded, or the courier's webhook arrived
// first.
func (s *Orders) wasBooked(ctx context.Context, item *job.Item, provider plugin.Provider) (booked bool, err error) {
	err = s.data.ViewAs(ctx, item, func(_ context.Context, tx *db.Tx) error {
		booked, err = hasBookingSince(tx, item.Subject, provider, *item.InterruptedAt)
		return err
	})
	return booked, err
}

// hasBookingSince reports whether a booking of an order with a courier, requested at or after a
// time, has its shipment.
func hasBookingSince(tx *db.Tx, orderID string, provider plugin.Provider, since time.Time) (has bool, err error) {
	err = tx.QueryRow(`
		SELECT EXISTS (
			SELECT 1
			FROM parcel_bookings
			WHERE order_id = ? AND provider = ? AND shipment_id IS NOT NULL AND asked_at >= ?)`, orderID, provider, db.Millis(since)).Scan(&has)
	if err != nil {
		return false, fmt.Errorf("find bookings: %w", err)
	}
	return has, nil
}

// completeItem stores the success of a caller's job item, if there is one, in the transaction that
// completes it.
func completeItem(tx *db.Tx, who access.Staff) error { return job.Succeed(tx, who) }
