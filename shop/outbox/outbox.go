package outbox

import (
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"storefront/db"
)

// Retention is the minimum time for which events are stored, for consumers that resume.
const Retention = 30 * 24 * time.Hour

// counter had the number of the last event when events were numbered by a counter. Shops from that
// time may have no events left.
const counter = "event"

// actorKey is the key of the actor attached to a transaction.
type actorKey struct{}

// Sign makes an actor the cause of the events that the transaction appends from now on.
func Sign(tx *db.Tx, actor Actor) { tx.Attach(actorKey{}, &actor) }

// Signer returns the actor of a transaction, nil if it has none.
func Signer(tx *db.Tx) *Actor {
	actor, _ := tx.Attached(actorKey{}).(*Actor)
	return actor
}

// Append stores events at the end. It sets their Seq and At, and the actor of the transaction if it
// has one. An event's number is one more than its predecessor's, which [Purge] never deletes.
// Transactions that write to a shop follow each other, in other processes too, so that numbers
// ascend in the order of the commits.
func Append(tx *db.Tx, events ...Event) error {
	actor := Signer(tx)
	var held *int64
	if until, ok := HeldUntil(tx); ok {
		held = new(db.Millis(until))
	}
	for _, e := range events {
		if actor != nil {
			e.Data.Actor = actor
		}
		data, err := json.Marshal(e.Data)
		if err != nil {
			return fmt.Errorf("encode event: %w", err)
		}
		// Nobody waits for the number: an engine on another machine sends this with other statements.
		err = tx.Do(`
			INSERT INTO outbox (seq, at, type, subject, data, held_until)
			VALUES (COALESCE((SELECT MAX(seq) FROM outbox), (SELECT value FROM counters WHERE name = ?), 0) + 1, ?, ?, ?, ?, ?)`,
			counter, db.Millis(tx.Now()), string(e.Type), e.Subject, string(data), held)
		if err != nil {
			return fmt.Errorf("insert event: %w", err)
		}
	}
	return nil
}

// Last returns the number of the last event; 0 if there was none.
func Last(tx *db.Tx) (seq int64, err error) {
	err = tx.QueryRow(`
		SELECT COALESCE((SELECT MAX(seq) FROM outbox), (SELECT value FROM counters WHERE name = ?), 0)`, counter).Scan(&seq)
	if err != nil {
		return 0, fmt.Errorf("find last event: %w", err)
	}
	return seq, nil
}

// First returns the number of the oldest stored event; 0 if there is none.
func First(tx *db.Tx) (seq int64, err error) {
	err = tx.QueryRow(`
		SELECT COALESCE(MIN(seq), 0)
		FROM outbox`).Scan(&seq)
	if err != nil {
		return 0, fmt.Errorf("find oldest event: %w", err)
	}
	return seq, nil
}

// After returns the events after seq, oldest first, at most limit.
func After(tx *db.Tx, seq int64, limit int) ([]Event, error) {
	events, err := db.Query(tx, scanEvent, `
		SELECT seq, at, type, subject, data, COALESCE(held_until, 1) = 0
		FROM outbox
		WHERE seq > ?
		ORDER BY seq
		LIMIT ?`, seq, limit)
	if err != nil {
		return nil, fmt.Errorf("list events: %w", err)
	}
	return events, nil
}

func scanEvent(r db.Row) (e Event, err error) {
	var data string
	if err := r.Scan(&e.Seq, &e.At, &e.Type, &e.Subject, &data, &e.Withdrawn); err != nil {
		return e, err
	}
	return e, json.Unmarshal([]byte(data), &e.Data)
}

// Range selects the stored events from a time and before another.
type Range struct {
	from, before time.Time
	first, end   int64 // numbers that enclose them: end is excluded
}

// clockSteps is the tolerated deviation of events' times from the order of their numbers, after a
// clock was corrected.
const clockSteps = 5 * time.Minute

// NewRange finds the events from a time and before another. It reads a few of them only: their
// times ascend with their numbers.
func NewRange(tx *db.Tx, from, before time.Time) (r Range, err error) {
	r = Range{from: from, before: before}
	if r.first, err = firstAt(tx, from.Add(-clockSteps)); err != nil {
		return r, err
	}
	r.end, err = firstAt(tx, before.Add(clockSteps))
	return r, err
}

// firstAt returns the number of the first event at or after a time, by bisection. If there is none
// it returns a number after the last event.
func firstAt(tx *db.Tx, at time.Time) (seq int64, err error) {
	low, err := First(tx)
	if err != nil {
		return 0, err
	}
	high, err := Last(tx)
	if err != nil {
		return 0, err
	}
	for high++; low < high; {
		middle := low + (high-low)/2
		var next int64
		var time time.Time
		err := tx.QueryRow(`
			SELECT seq, at
			FROM outbox
			WHERE seq >= ?
			ORDER BY seq
			LIMIT 1`, middle).Scan(&next, &time)
		switch {
		case err != nil && !errors.Is(err, db.ErrNotFound):
			return 0, fmt.Errorf("find event: %w", err)
		case err == nil && time.Before(at):
			low = next + 1
		default:
			high = middle
		}
	}
	return low, nil
}

// isReleased is the condition of an event that may leave the shop, with the time as its argument.
const isReleased = `COALESCE(held_until, 1) BETWEEN 1 AND ?`

// Count counts the released events of the range, at most to limit.
func (r Range) Count(tx *db.Tx, limit int) (count int, err error) {
	err = tx.QueryRow(`
		SELECT COUNT(*)
		FROM (SELECT 1 FROM outbox WHERE seq >= ? AND seq < ? AND at >= ? AND at < ? AND `+isReleased+` LIMIT ?) found`,
		r.first, r.end, db.Millis(r.from), db.Millis(r.before), db.Millis(tx.Now()), limit).Scan(&count)
	if err != nil {
		return 0, fmt.Errorf("count events: %w", err)
	}
	return count, nil
}

// Next returns the first released events of the range, oldest first, without subject and data, and
// the rest of the range.
func (r Range) Next(tx *db.Tx, limit int) ([]Event, Range, error) {
	events, err := db.Query(tx, func(r db.Row) (e Event, err error) { return e, r.Scan(&e.Seq, &e.At, &e.Type) }, `
		SELECT seq, at, type
		FROM outbox
		WHERE seq >= ? AND seq < ? AND at >= ? AND at < ? AND `+isReleased+`
		ORDER BY seq
		LIMIT ?`, r.first, r.end, db.Millis(r.from), db.Millis(r.before), db.Millis(tx.Now()), limit)
	if err != nil {
		return nil, r, fmt.Errorf("list events: %w", err)
	}
	if len(events) > 0 {
		r.first = events[len(events)-1].Seq + 1
	}
	return events, r, nil
}

// Find returns an event, or db.ErrNotFound if it is not stored.
func Find(tx *db.Tx, seq int64) (Event, error) {
	return scanEvent(tx.QueryRow(`
		SELECT seq, at, type, subject, data, COALESCE(held_until, 1) = 0
		FROM outbox
		WHERE seq = ?`, seq))
}

// Cursor returns the number of the last event that a consumer has processed. The error is
// db.ErrNotFound for a consumer without a cursor.
func Cursor(tx *db.Tx, consumer string) (seq int64, err error) {
	err = tx.QueryRow(`
		SELECT seq
		FROM cursors
		WHERE name = ?`, consumer).Scan(&seq)
	if err != nil && !errors.Is(err, db.ErrNotFound) {
		return 0, fmt.Errorf("find cursor %s: %w", consumer, err)
	}
	return seq, err
}

// Advance stores the number of the last event that a consumer has processed. Events stay until
// every consumer has processed them.
func Advance(tx *db.Tx, consumer string, seq int64) error {
	_, err := tx.Exec(`
		INSERT INTO cursors (name, seq)
		VALUES (?, ?)
		ON CONFLICT (name) DO UPDATE SET seq = excluded.seq`, consumer, seq)
	if err != nil {
		return fmt.Errorf("advance cursor %s: %w", consumer, err)
	}
	return nil
}

// DeleteCursor deletes the cursor of a consumer.
func DeleteCursor(tx *db.Tx, consumer string) error {
	if _, err := tx.Exec(`
		DELETE FROM cursors
		WHERE name = ?`, consumer); err != nil {
		return fmt.Errorf("delete cursor %s: %w", consumer, err)
	}
	return nil
}

// Purge deletes at most limit events that are older than [Retention] and that every consumer has
// processed, and returns their number. The last event stays: the next one is numbered after it.
func Purge(tx *db.Tx, limit int) (deleted int64, err error) {
	deleted, err = tx.Exec(`
		DELETE FROM outbox
		WHERE seq IN (
			SELECT seq
			FROM outbox
			WHERE at < ? AND seq < (SELECT MAX(seq) FROM outbox) AND seq <= COALESCE((SELECT MIN(seq) FROM cursors), seq)
			ORDER BY seq
			LIMIT ?)`, db.Millis(tx.Now().Add(-Retention)), limit)
	if err != nil {
		return 0, fmt.Errorf("purge events: %w", err)
	}
	return deleted, nil
}
