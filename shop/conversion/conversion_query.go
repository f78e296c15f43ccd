package conversion

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"time"

	"storefront/db"
	"storefront/shop/fault"
	"storefront/shop/money"
	"storefront/shop/outbox"
	"storefront/shop/page"
	"storefront/shop/queue"
)

const conversionColumns = `c.id, c.receiver, o.id, c.order_number, c.step, c.at, c.status, c.value, c.attempts, c.due_at, c.response_status, c.answer,
			c.error, c.took, c.doubt_since`

// conversionTables are the tables of conversionColumns.
const conversionTables = `conversions c JOIN orders o ON o.number = c.order_number`

func scanConversion(r db.Row) (d Conversion, err error) {
	var value *int64
	err = r.Scan(&d.ID, &d.Receiver, &d.OrderID, &d.OrderNumber, &d.Step, &d.At, &d.Status, &value, &d.Attempts, &d.NextAt, &d.ResponseStatus,
		&d.Answer, &d.Error, &d.TookMs, &d.doubtSince)
	if value != nil {
		d.Value = &money.Money{Amount: *value}
	}
	return d, err
}

// label returns the order of the conversion, for the audit log.
func (d *Conversion) label() string { return strconv.FormatInt(d.OrderNumber, 10) }

// insertConversion queues an order for a receiver, unless it was queued before. If the buyer's
// browser reports the order too, the receiver may have it from the beginning.
func insertConversion(tx *db.Tx, id string, to ready, number int64, at time.Time) error {
	var doubtSince *time.Time
	if to.byTag {
		doubtSince = &at
	}
	_, err := tx.Exec(`
		INSERT INTO conversions (id, receiver, order_number, step, at, status, attempts, due_at, answer, doubt_since)
		VALUES (?, ?, ?, ?, ?, 'waiting', 0, ?, '', ?)
		ON CONFLICT DO NOTHING`,
		id, string(to.receiver), number, string(to.step), db.Millis(at), db.Millis(tx.Now()), db.NullMillis(doubtSince))
	if err != nil {
		return fmt.Errorf("insert conversion: %w", err)
	}
	return nil
}

// attemptColumns are the assignments that [attemptOf] has values for.
const attemptColumns = `, status = ?, attempts = ?, due_at = ?, response_status = ?, answer = ?, error = ?, took = ?, value = ?, doubt_since = ?`

func attemptOf(d *Conversion) []any {
	var value *int64
	if d.Value != nil {
		value = &d.Value.Amount
	}
	return []any{
		string(d.Status), d.Attempts, db.NullMillis(d.NextAt), d.ResponseStatus, d.Answer, d.Error, d.TookMs, value, db.NullMillis(d.doubtSince),
	}
}

// saveAttempt records the attempt of a claim, and reports whether it was held.
func saveAttempt(tx *db.Tx, c queue.Claim, d *Conversion) (held bool, err error) {
	return conversions.Release(tx, c, attemptColumns, attemptOf(d)...)
}

// endConversion updates a conversion and ends its claim: an attempt under way records nothing.
func endConversion(tx *db.Tx, d *Conversion) error {
	_, err := tx.Exec(`
		UPDATE conversions
		SET claim = NULL, claimed_until = NULL`+attemptColumns+`
		WHERE id = ?`, append(attemptOf(d), d.ID)...)
	if err != nil {
		return fmt.Errorf("update conversion: %w", err)
	}
	return nil
}

// findConversion returns a conversion. Codes: not_found.
func findConversion(tx *db.Tx, id string) (*Conversion, error) {
	d, err := scanConversion(tx.QueryRow(`
		SELECT `+conversionColumns+`
		FROM `+conversionTables+`
		WHERE c.id = ?`, id))
	if errors.Is(err, db.ErrNotFound) {
		return nil, fault.Errorf(fault.CodeNotFound, "There is no such event. Events are stored for 90 days.")
	}
	if err != nil {
		return nil, fmt.Errorf("find conversion: %w", err)
	}
	return &d, nil
}

// findOrderNumber returns the number of a conversion's order.
func findOrderNumber(tx *db.Tx, id string) (number int64, err error) {
	err = tx.QueryRow(`
		SELECT order_number
		FROM conversions
		WHERE id = ?`, id).Scan(&number)
	if err != nil {
		return 0, fmt.Errorf("find order of conversion: %w", err)
	}
	return number, nil
}

// countConversions counts the conversions of an order: those with a final result, and the others.
func countConversions(tx *db.Tx, number int64) (final, waiting int, err error) {
	err = tx.QueryRow(`
		SELECT COALESCE(SUM(CASE WHEN due_at IS NULL THEN 1 ELSE 0 END), 0), COALESCE(SUM(CASE WHEN due_at IS NULL THEN 0 ELSE 1 END), 0)
		FROM conversions
		WHERE order_number = ?`, number).Scan(&final, &waiting)
	if err != nil {
		return 0, 0, fmt.Errorf("count conversions: %w", err)
	}
	return final, waiting, nil
}

// countWaiting counts the waiting conversions to a receiver, at most [page.MaxCount].
func countWaiting(tx *db.Tx, r Receiver) (count int, err error) {
	err = tx.QueryRow(`
		SELECT COUNT(*)
		FROM (SELECT 1 FROM conversions WHERE receiver = ? AND due_at IS NOT NULL LIMIT ?) found`, string(r), page.MaxCount).Scan(&count)
	if err != nil {
		return 0, fmt.Errorf("count waiting conversions: %w", err)
	}
	return count, nil
}

// findDue returns the conversions to a receiver that are due, the longest waiting first, at most
// limit.
func findDue(tx *db.Tx, r Receiver, limit int) ([]Conversion, error) {
	due, err := db.Query(tx, scanConversion, `
		SELECT `+conversionColumns+`
		FROM `+conversionTables+`
		WHERE c.id IN (
			SELECT id
			FROM conversions
			WHERE `+queue.IsDue+` AND receiver = ?
			ORDER BY due_at, id
			LIMIT ?)
		ORDER BY c.due_at, c.id`, conversions.Due(tx, string(r), limit)...)
	if err != nil {
		return nil, fmt.Errorf("find due conversions: %w", err)
	}
	return due, nil
}

// listConversions returns one page of conversions, newest first, and the count of the list.
func listConversions(tx *db.Tx, f Filter, w page.Window) (list []Conversion, count page.Count, err error) {
	where, args := "1 = 1", []any{}
	for _, c := range []struct{ column, value string }{{"c.receiver", string(f.Receiver)}, {"c.status", string(f.Status)}, {"o.id", f.Order}} {
		if c.value != "" {
			where, args = where+" AND "+c.column+" = ?", append(args, c.value)
		}
	}
	err = tx.QueryRow(`
		SELECT COUNT(*)
		FROM (SELECT 1 FROM `+conversionTables+` WHERE `+where+` LIMIT ?) found`, append(slices.Clone(args), page.MaxCount+1)...).Scan(&count.Total)
	if err != nil {
		return nil, count, fmt.Errorf("count conversions: %w", err)
	}
	count.Total, count.Bounded = min(count.Total, page.MaxCount), count.Total > page.MaxCount
	query := `
		SELECT ` + conversionColumns + `
		FROM ` + conversionTables + `
		WHERE ` + where + `
		ORDER BY c.at DESC, c.id DESC`
	if w.Limit != page.NoLimit {
		query, args = query+`
		LIMIT ? OFFSET ?`, append(args, w.Limit, w.Offset())
	}
	list, err = db.Query(tx, scanConversion, query, args...)
	if err != nil {
		return nil, count, fmt.Errorf("list conversions: %w", err)
	}
	return list, count, nil
}

// Erase ends the waiting conversions of an order after its buyer, and erases the answers,
// which may repeat what was sent. An attempt under way records nothing.
func Erase(tx *db.Tx, number int64) error {
	_, err := tx.Exec(`
		UPDATE conversions
		SET status = 'expired', due_at = NULL, error = ?
		WHERE order_number = ? AND due_at IS NOT NULL`, reasonErased, number)
	if err == nil {
		_, err = tx.Exec(`
			UPDATE conversions
			SET answer = '', claim = NULL, claimed_until = NULL,
				error = CASE WHEN status = 'expired' THEN error WHEN status = 'refused' THEN ? END
			WHERE order_number = ?`, "Refused by the receiver.", number)
	}
	if err != nil {
		return fmt.Errorf("erase conversions: %w", err)
	}
	return nil
}

// EndAll ends all waiting conversions of a copy. Its original may have sent them. The events that
// are not queued yet never are.
func EndAll(tx *db.Tx, reason string) error {
	_, err := tx.Exec(`
		UPDATE conversions
		SET status = 'expired', due_at = NULL, claim = NULL, claimed_until = NULL, error = ?
		WHERE due_at IS NOT NULL`, reason)
	if err != nil {
		return fmt.Errorf("end conversions: %w", err)
	}
	return outbox.DeleteCursor(tx, consumer)
}
