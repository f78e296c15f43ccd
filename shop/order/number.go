package order

import (
	"fmt"
	"time"

	"storefront/db"
	"storefront/shop/fault"
	"storefront/shop/outbox"
	"storefront/shop/sequence"
)

// firstOrderNumber is the number of a shop's first order. It must not reveal how new the shop is.
const firstOrderNumber = 1001

// orderCounter is the name of the counter of order numbers.
const orderCounter = "order"

// raiseOrderNumber returns the number of the next order.
func raiseOrderNumber(tx *db.Tx) (int64, error) {
	next, err := nextOrderNumber(tx)
	if err != nil {
		return 0, err
	}
	return next.Value(tx)
}

func nextOrderNumber(tx *db.Tx) (sequence.Raise, error) {
	return sequence.BeginRaise(tx, orderCounter, 1, firstOrderNumber-1)
}

// ReserveNumbers lets the next orders have numbers that end before the first number of a shop.
// exists reports that the shop has an order, or had one; then nothing is changed.
func ReserveNumbers(tx *db.Tx, orders int64) (exists bool, err error) {
	exists, err = anyOrders(tx)
	if err == nil && !exists {
		_, err = sequence.RaiseCounter(tx, orderCounter, 0, firstOrderNumber-1-orders)
	}
	return exists, err
}

// anyOrders reports whether the shop has an order, or had one.
func anyOrders(tx *db.Tx) (exists bool, err error) {
	last, err := LastNumber(tx)
	if err != nil {
		return false, err
	}
	if last >= firstOrderNumber {
		return true, nil
	}
	if err := tx.QueryRow(`SELECT EXISTS (SELECT 1 FROM orders)`).Scan(&exists); err != nil {
		return false, fmt.Errorf("find orders: %w", err)
	}
	return exists, nil
}

// Numbers is how the order numbers of a restored shop continue. Orders placed after the copy are
// lost, but buyers and couriers know their numbers, which must not be used again.
type Numbers struct {
	// Next is the number of the next order; 0 means the first one beyond a gap for the lost orders.
	Next int64
	// Last is the last number of the file that the copy replaces; 0 means unknown.
	Last int64
	// LastEvent is the number of the last event of the file that the copy replaces; 0 means
	// unknown.
	LastEvent int64
	// NoGap continues after the last number of the copy, which is the shop's newest state.
	NoGap bool
}

// The gaps in order numbers after a restore.
const (
	numbersWhileRestoring = 100   // for orders that are placed during the restore
	minLostNumbers        = 1_000 // if the file that the copy replaces is unknown

	minLostEvents      = 10_000
	lostEventsPerOrder = 20
)

// ContinueNumbers applies n to the copy of shop id that tx writes, and returns the number of the
// next order. Events also continue beyond a gap, with the event of the restore. It must be called
// before the file is served, and before the copy has new events. Codes: validation_failed (Next has
// been used).
func ContinueNumbers(tx *db.Tx, id db.ID, n Numbers) (next int64, err error) {
	last, err := LastNumber(tx)
	if err != nil {
		return 0, err
	}
	next = n.Next
	switch known := max(last, n.Last); {
	case n.NoGap:
		next = last + 1
	case next != 0 && next <= last:
		return 0, &fault.Error{Code: fault.CodeValidationFailed,
			Message: fmt.Sprintf("The next order number must be greater than %d, the last one in the restored file.", last)}
	case next != 0:
	case n.Last > 0:
		next = known + numbersWhileRestoring + 1
	default:
		orders, err := estimateLostOrders(tx)
		if err != nil {
			return 0, err
		}
		next = known + max(minLostNumbers, orders) + 1
	}
	if next > last+1 {
		if _, err := sequence.RaiseCounter(tx, orderCounter, next-1-last, firstOrderNumber-1); err != nil {
			return 0, err
		}
	}
	if n.NoGap {
		return next, nil
	}
	event, err := outbox.Last(tx)
	if err != nil {
		return 0, err
	}
	lost := max(minLostEvents, lostEventsPerOrder*(next-1-last))
	return next, outbox.AppendRestored(tx, max(event, n.LastEvent)+lost, string(id))
}

// LastNumber returns the last order number that the shop has used.
func LastNumber(tx *db.Tx) (last int64, err error) {
	err = tx.QueryRow(`
		SELECT COALESCE(max(value), ?)
		FROM counters
		WHERE name = ?`, firstOrderNumber-1, orderCounter).Scan(&last)
	if err != nil {
		return 0, fmt.Errorf("read the last order number: %w", err)
	}
	return last, nil
}

// CountPlacedAfter counts the orders that were placed after a time, without test orders.
func CountPlacedAfter(tx *db.Tx, at time.Time) (count int64, err error) {
	err = tx.QueryRow(`
		SELECT COUNT(*)
		FROM orders
		WHERE placed_at > ? AND test = 0`, db.Millis(at)).Scan(&count)
	if err != nil {
		return 0, fmt.Errorf("count the orders since a time: %w", err)
	}
	return count, nil
}

// maxClockStep is the longest step back of a clock, or the difference between the clocks of two
// servers, after which orders are still listed in the order of their numbers. A clock that was
// years ahead must not date all later orders.
const maxClockStep = 24 * time.Hour

// selectLatestPlaced selects the time of the newest order placed until a time.
const selectLatestPlaced = `
	SELECT COALESCE(MAX(placed_at), 0)
	FROM orders
	WHERE placed_at <= ?`

func announceLatestPlaced(tx *db.Tx) error {
	if err := tx.Ahead(selectLatestPlaced, db.Millis(tx.Now().Add(maxClockStep))); err != nil {
		return fmt.Errorf("find newest order: %w", err)
	}
	return nil
}

// findLatestPlaced returns the time before which no order is placed, so that orders sorted by time
// are in the order of their numbers.
func findLatestPlaced(tx *db.Tx) (at int64, err error) {
	err = tx.QueryRow(selectLatestPlaced, db.Millis(tx.Now().Add(maxClockStep))).Scan(&at)
	if err != nil {
		return 0, fmt.Errorf("find newest order: %w", err)
	}
	return at, nil
}

// estimateLostOrders returns an estimate of the orders since the last one: twice the number in a
// period of equal length before it.
func estimateLostOrders(tx *db.Tx) (n int64, err error) {
	var last int64
	if err = tx.QueryRow(`SELECT COALESCE(max(placed_at), 0) FROM orders`).Scan(&last); err == nil {
		err = tx.QueryRow(`
			SELECT count(*)
			FROM orders
			WHERE placed_at >= ?`, 2*last-tx.Now().UnixMilli()).Scan(&n)
	}
	if err != nil {
		return 0, fmt.Errorf("estimate the lost orders: %w", err)
	}
	return 2 * n, nil
}
