package shop

import (
	"errors"
	"fmt"

	"storefront/db"
	"storefront/shop/input"
)

// attemptCheck is what is still to be asked of a gateway about one try to pay, and what only the
// program needs to know of it.
type attemptCheck struct {
	attemptID string
	signature string // what the gateway sends with the buyer's return; "": nothing
	claimedAt *int64 // when taking the money was begun; nil: it was not
	reason    string // for staff: why the try failed or has to be looked at
	refundID  string // the gateway's name for the refund; "": none yet
	refunding bool   // the gateway was asked to give the money back
	asked     int    // how often the gateway was asked
	dueAt     *int64 // when to ask again; nil: there is nothing to ask
}

// scheduleCheckNow has the gateway asked about the payment in a moment, and then with pauses that grow anew.
func (c *attemptCheck) scheduleCheckNow(now int64) {
	c.asked, c.dueAt = 0, new(now+retryDelay.Milliseconds())
}

const checkColumns = `attempt_id, signature, claimed_at, reason, refund_id, refunding, asked, due_at`

func (c *attemptCheck) columns() []any {
	return []any{&c.attemptID, &c.signature, &c.claimedAt, &c.reason, &c.refundID, &c.refunding, &c.asked, &c.dueAt}
}

// findAttemptCheck gives the check of a try to pay; a new one where there is none.
func findAttemptCheck(tx *db.Tx, attemptID string) (*attemptCheck, error) {
	c := &attemptCheck{attemptID: attemptID}
	err := tx.QueryRow(`
		SELECT `+checkColumns+`
		FROM payment_checks
		WHERE attempt_id = ?`, attemptID).Scan(c.columns()...)
	if err != nil && !errors.Is(err, db.ErrNotFound) {
		return nil, fmt.Errorf("find payment check: %w", err)
	}
	return c, nil
}

func saveAttemptCheck(tx *db.Tx, c *attemptCheck) error {
	_, err := tx.Exec(`
		INSERT INTO payment_checks (`+checkColumns+`)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?)
		ON CONFLICT (attempt_id) DO UPDATE SET
			signature = excluded.signature, claimed_at = excluded.claimed_at, reason = excluded.reason, refund_id = excluded.refund_id,
			refunding = excluded.refunding, asked = excluded.asked, due_at = excluded.due_at`,
		c.attemptID, c.signature, c.claimedAt, input.Clean(c.reason), c.refundID, db.BoolInt(c.refunding), c.asked, c.dueAt)
	if err != nil {
		return fmt.Errorf("save payment check: %w", err)
	}
	return nil
}

// findDueChecks gives the tries to pay that are to be asked about: those whose time has come, and
// those that were written down and never handed on, because the program ended in between.
func findDueChecks(tx *db.Tx, now, forgotten int64, limit int) ([]string, error) {
	ids, err := db.Query(tx, db.ScanText, `
		SELECT attempt_id
		FROM payment_checks
		WHERE due_at IS NOT NULL AND due_at <= ?
		ORDER BY due_at
		LIMIT ?`, now, limit)
	if err != nil {
		return nil, fmt.Errorf("find due payment checks: %w", err)
	}
	lost, err := db.Query(tx, db.ScanText, `
		SELECT a.id
		FROM payment_attempts a
		WHERE a.status IN ('initiated', 'pending')
			AND a.created_at <= ?
			AND NOT EXISTS (SELECT 1 FROM payment_checks c WHERE c.attempt_id = a.id)
		ORDER BY a.created_at
		LIMIT ?`, forgotten, limit)
	if err != nil {
		return nil, fmt.Errorf("find forgotten payments: %w", err)
	}
	return append(ids, lost...), nil
}

// findNextCheck gives when there is something to ask next; nil: nothing is waited for.
func findNextCheck(tx *db.Tx, forgotten int64) (*int64, error) {
	var due, lost *int64
	err := tx.QueryRow(`
		SELECT MIN(due_at)
		FROM payment_checks
		WHERE due_at IS NOT NULL`).Scan(&due)
	if err != nil {
		return nil, fmt.Errorf("find next payment check: %w", err)
	}
	err = tx.QueryRow(`
		SELECT MIN(a.created_at)
		FROM payment_attempts a
		WHERE a.status IN ('initiated', 'pending')
			AND NOT EXISTS (SELECT 1 FROM payment_checks c WHERE c.attempt_id = a.id)`).Scan(&lost)
	if err != nil {
		return nil, fmt.Errorf("find next forgotten payment: %w", err)
	}
	if lost != nil {
		at := *lost + forgotten
		if due == nil || at < *due {
			due = &at
		}
	}
	return due, nil
}

// isCapturing reports whether money of the order is being taken, by a claim that is newer than since.
func isCapturing(tx *db.Tx, orderID string, since int64) (taking bool, err error) {
	err = tx.QueryRow(`
		SELECT EXISTS (
			SELECT 1
			FROM payment_attempts a
			JOIN payment_checks c ON c.attempt_id = a.id
			WHERE a.order_id = ? AND a.status = 'pending' AND c.claimed_at > ?)`, orderID, since).Scan(&taking)
	if err != nil {
		return false, fmt.Errorf("look for a payment that is being taken: %w", err)
	}
	return taking, nil
}

// findAttemptByExternal gives the id of the try to pay that a gateway names. The error is
// db.ErrNotFound where there is none.
func findAttemptByExternal(tx *db.Tx, method PaymentMethod, mode Mode, externalID string) (id string, err error) {
	err = tx.QueryRow(`
		SELECT id
		FROM payment_attempts
		WHERE method = ? AND mode = ? AND external_id = ?`, method, mode, externalID).Scan(&id)
	if err != nil && !errors.Is(err, db.ErrNotFound) {
		err = fmt.Errorf("find payment attempt: %w", err)
	}
	return id, err
}

// findPayment gives a try to pay with its order, whole, and its check. The error is db.ErrNotFound
// where there is no such try.
func findPayment(tx *db.Tx, attemptID string) (*payment, error) {
	var orderID string
	err := tx.QueryRow(`
		SELECT order_id
		FROM payment_attempts
		WHERE id = ?`, attemptID).Scan(&orderID)
	if err != nil {
		return nil, err
	}
	p := &payment{}
	if p.order, err = findOrderRow(tx, orderID); err != nil {
		return nil, fmt.Errorf("find order of payment: %w", err)
	}
	for _, a := range p.order.attempts {
		if a.id == attemptID {
			p.attempt = a
		}
	}
	p.check, err = findAttemptCheck(tx, attemptID)
	return p, err
}

// closeDeferredWebhooks closes the calls about an order that waited for their gateway's word.
func closeDeferredWebhooks(tx *db.Tx, provider Provider, orderID string) error {
	_, err := tx.Exec(`
		UPDATE provider_calls
		SET verdict = ?, reason = ?
		WHERE verdict = ? AND provider = ? AND order_id = ?`,
		VerdictApplied, "the gateway was asked again later", VerdictStored, provider, orderID)
	if err != nil {
		return fmt.Errorf("settle stored calls: %w", err)
	}
	return nil
}
