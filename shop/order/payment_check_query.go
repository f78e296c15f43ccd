package order

import (
	"errors"
	"fmt"

	"storefront/db"
	"storefront/shop/inbox"
	"storefront/shop/input"
	"storefront/shop/plugin"
	"storefront/shop/status"
)

// attemptCheck is the schedule of an attempt's status queries, with the attempt's fields that no
// API shows.
type attemptCheck struct {
	attemptID string
	signature string // value that the gateway sends with the buyer's callback; "" if it sends none
	claimedAt *int64 // when the start or the capture was claimed; nil means that it may be claimed
	reason    string // for staff: the reason why the attempt failed or needs review
	checks    int    // status queries so far
	dueAt     *int64 // due time of the next query; nil means that none is due
}

// scheduleCheckNow schedules a status query after retryDelay and restarts the growth of the pauses.
func (c *attemptCheck) scheduleCheckNow(now int64) {
	c.checks, c.dueAt = 0, new(now+retryDelay.Milliseconds())
}

func (c *attemptCheck) columns() []any {
	return []any{&c.attemptID, &c.signature, &c.claimedAt, &c.reason, &c.checks, &c.dueAt}
}

// findAttemptCheck returns the check of an attempt, or a new one if none is stored.
func findAttemptCheck(tx *db.Tx, attemptID string) (*attemptCheck, error) {
	c := &attemptCheck{attemptID: attemptID}
	err := tx.QueryRow(`
		SELECT attempt_id, signature, claimed_at, reason, asked, due_at
		FROM payment_checks
		WHERE attempt_id = ?`, attemptID).Scan(c.columns()...)
	if err != nil && !errors.Is(err, db.ErrNotFound) {
		return nil, fmt.Errorf("find payment check: %w", err)
	}
	return c, nil
}

func saveAttemptCheck(tx *db.Tx, c *attemptCheck) error {
	_, err := tx.Exec(`
		INSERT INTO payment_checks (attempt_id, signature, claimed_at, reason, asked, due_at)
		VALUES (?, ?, ?, ?, ?, ?)
		ON CONFLICT (attempt_id) DO UPDATE SET
			signature = excluded.signature, claimed_at = excluded.claimed_at, reason = excluded.reason,
			asked = excluded.asked, due_at = excluded.due_at`,
		c.attemptID, c.signature, c.claimedAt, input.Clean(c.reason), c.checks, c.dueAt)
	if err != nil {
		return fmt.Errorf("save payment check: %w", err)
	}
	return nil
}

// findDueChecks returns the IDs of the attempts to query: at most limit with a check due at now,
// and at most limit without a check, created at or before the given time. The program ended before
// it sent the latter to their gateway.
func findDueChecks(tx *db.Tx, now, before int64, limit int) ([]string, error) {
	ids, err := db.Query(tx, db.ScanText, `
		SELECT attempt_id
		FROM payment_checks
		WHERE due_at IS NOT NULL AND due_at <= ?
		ORDER BY due_at
		LIMIT ?`, now, limit)
	if err != nil {
		return nil, fmt.Errorf("find due payment checks: %w", err)
	}
	abandoned, err := db.Query(tx, db.ScanText, `
		SELECT a.id
		FROM payment_attempts a
		WHERE a.status IN ('initiated', 'pending')
			AND a.created_at <= ?
			AND NOT EXISTS (SELECT 1 FROM payment_checks c WHERE c.attempt_id = a.id)
		ORDER BY a.created_at
		LIMIT ?`, before, limit)
	if err != nil {
		return nil, fmt.Errorf("find abandoned attempts: %w", err)
	}
	return append(ids, abandoned...), nil
}

// findNextCheck returns the due time of the next attempt, nil if there is none. An attempt without
// a check is due grace milliseconds after its creation.
func findNextCheck(tx *db.Tx, grace int64) (*int64, error) {
	var due, abandoned *int64
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
			AND NOT EXISTS (SELECT 1 FROM payment_checks c WHERE c.attempt_id = a.id)`).Scan(&abandoned)
	if err != nil {
		return nil, fmt.Errorf("find next abandoned attempt: %w", err)
	}
	if abandoned != nil {
		at := *abandoned + grace
		if due == nil || at < *due {
			due = &at
		}
	}
	return due, nil
}

// isCapturing reports whether a payment of the order is being captured under a claim newer than
// since.
func isCapturing(tx *db.Tx, orderID string, since int64) (capturing bool, err error) {
	err = tx.QueryRow(`
		SELECT EXISTS (
			SELECT 1
			FROM payment_attempts a
			JOIN payment_checks c ON c.attempt_id = a.id
			WHERE a.order_id = ? AND a.status = 'pending' AND c.claimed_at > ?)`, orderID, since).Scan(&capturing)
	if err != nil {
		return false, fmt.Errorf("find capture in progress: %w", err)
	}
	return capturing, nil
}

// findAttemptByExternal returns the ID of the attempt with a gateway's ID. The error is
// db.ErrNotFound if there is none.
func findAttemptByExternal(tx *db.Tx, method status.PaymentMethod, mode plugin.Mode, externalID string) (id string, err error) {
	err = tx.QueryRow(`
		SELECT id
		FROM payment_attempts
		WHERE method = ? AND mode = ? AND external_id = ?`, method, mode, externalID).Scan(&id)
	if err != nil && !errors.Is(err, db.ErrNotFound) {
		err = fmt.Errorf("find payment attempt: %w", err)
	}
	return id, err
}

// findPayment returns an attempt with its check, its refunds and its whole order. The error is
// db.ErrNotFound if the attempt does not exist.
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
	if p.check, err = findAttemptCheck(tx, attemptID); err != nil {
		return nil, err
	}
	p.refunds, err = findRefunds(tx, attemptID)
	return p, err
}

// closeDeferredWebhooks marks as applied the webhooks of an order that were stored until the
// gateway confirmed them.
func closeDeferredWebhooks(tx *db.Tx, provider plugin.Provider, orderID string) error {
	_, err := tx.Exec(`
		UPDATE provider_webhooks
		SET verdict = ?, reason = ?
		WHERE verdict = ? AND provider = ? AND order_id = ?`,
		inbox.VerdictApplied, "confirmed by a later status query", inbox.VerdictStored, provider, orderID)
	if err != nil {
		return fmt.Errorf("close deferred webhooks: %w", err)
	}
	return nil
}

const countNeedReviewQuery = "SELECT COUNT(*) FROM payment_attempts WHERE status = 'needs_review' AND " + AttemptWaits

// CountNeedReview returns the number of payments that staff must decide.
func CountNeedReview(tx *db.Tx) (count int, err error) {
	if err := tx.QueryRow(countNeedReviewQuery).Scan(&count); err != nil {
		return 0, fmt.Errorf("count payments to review: %w", err)
	}
	return count, nil
}
