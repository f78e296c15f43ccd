package outbox

import (
	"errors"
	"fmt"
	"time"

	"storefront/db"
)

// The consumers that send events out of the shop, by their cursors.
const (
	Webhooks      = "webhooks"
	Notifications = "notifications"
	Conversions   = "conversions"
)

// MaxHold limits the time for which events are held: a clock that was set back holds none longer.
const MaxHold = time.Minute

// holdKey is the key of the time attached to a transaction.
type holdKey struct{}

// Hold makes the events that the transaction appends from now on wait until a time before they
// leave the shop. Consumers inside of the program receive them immediately.
func Hold(tx *db.Tx, until time.Time) { tx.Attach(holdKey{}, until) }

// HeldUntil returns the time until which a transaction holds what leaves the shop; ok is false if
// it holds nothing.
func HeldUntil(tx *db.Tx) (until time.Time, ok bool) {
	until, ok = tx.Attached(holdKey{}).(time.Time)
	return until, ok
}

// firstHeld returns the number of the first event that is held, and the time until which it is. seq
// is 0 if none is held.
func firstHeld(tx *db.Tx) (seq int64, until time.Time, err error) {
	err = tx.QueryRow(`
		SELECT seq, held_until
		FROM outbox
		WHERE held_until > 0 AND held_until BETWEEN ? AND ?
		ORDER BY seq
		LIMIT 1`, db.Millis(tx.Now())+1, db.Millis(tx.Now().Add(MaxHold))).Scan(&seq, &until)
	if err != nil && !errors.Is(err, db.ErrNotFound) {
		return 0, until, fmt.Errorf("find held event: %w", err)
	}
	return seq, until, nil
}

// Released returns the events after seq that may leave the shop, oldest first, at most limit: those
// before the first that is held, so that the order of the events remains. until is the time until
// which that is held; the zero time means that none of the next limit events is.
func Released(tx *db.Tx, seq int64, limit int) (events []Event, until time.Time, err error) {
	if events, err = After(tx, seq, limit); err != nil {
		return nil, until, err
	}
	if len(events) == 0 {
		return nil, until, nil
	}
	held, heldUntil, err := firstHeld(tx)
	if err != nil {
		return nil, until, err
	}
	for i := range events {
		if held > 0 && events[i].Seq >= held {
			return events[:i], heldUntil, nil
		}
	}
	return events, until, nil
}

// Extend holds the held events of a range of numbers until a later time.
func Extend(tx *db.Tx, first, last int64, until time.Time) error {
	if err := tx.Do(`
		UPDATE outbox
		SET held_until = ?
		WHERE seq BETWEEN ? AND ? AND held_until > 0`, db.Millis(until), first, last); err != nil {
		return fmt.Errorf("hold events: %w", err)
	}
	return nil
}

// Withdraw makes the events of a range of numbers never leave the shop. ok is false, and nothing is
// changed, if a consumer has received one of them.
func Withdraw(tx *db.Tx, first, last int64) (ok bool, err error) {
	for _, consumer := range []string{Webhooks, Notifications, Conversions} {
		seq, err := Cursor(tx, consumer)
		switch {
		case errors.Is(err, db.ErrNotFound):
		case err != nil:
			return false, err
		case seq >= first && first <= last:
			return false, nil
		}
	}
	if err := tx.Do(`
		UPDATE outbox
		SET held_until = 0
		WHERE seq BETWEEN ? AND ?`, first, last); err != nil {
		return false, fmt.Errorf("withdraw events: %w", err)
	}
	return true, nil
}
