package notify

import (
	"errors"
	"fmt"
	"time"

	"storefront/db"
	"storefront/shop/outbox"
)

// notificationRow is a notification that is due.
type notificationRow struct {
	id       string
	kind     outbox.Type
	event    string // its number in the outbox, or the day of a summary
	attempts int
}

// insertNotification queues a notification, unless the target has one about the event.
func insertNotification(tx *db.Tx, id string, to targetRef, kind outbox.Type, event string, at, due time.Time) error {
	_, err := tx.Exec(`
		INSERT INTO notifications (id, staff_id, channel, device_id, host, target, type, event, status, attempts, due_at, error, at, updated_at)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?, 'waiting', 0, ?, '', ?, ?)
		ON CONFLICT (target, event) DO NOTHING`, id, to.staffID, string(to.channel), to.device, to.host, to.key, string(kind), event,
		db.Millis(due), db.Millis(at), db.Millis(tx.Now()))
	if err != nil {
		return fmt.Errorf("insert notification: %w", err)
	}
	return nil
}

// insertSent records a text message without an event.
func insertSent(tx *db.Tx, id string, to targetRef, kind outbox.Type, event string) error {
	now := db.Millis(tx.Now())
	_, err := tx.Exec(`
		INSERT INTO notifications (id, staff_id, channel, device_id, host, target, type, event, status, attempts, due_at, error, at, updated_at)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?, 'sent', 1, NULL, '', ?, ?)`, id, to.staffID, string(to.channel), to.device, to.host, to.key, string(kind),
		event, now, now)
	if err != nil {
		return fmt.Errorf("insert notification: %w", err)
	}
	return nil
}

// findDueTargets returns the targets with due notifications, failing ones last, and the time at
// which the next other one is due; a zero time means that none waits.
func findDueTargets(tx *db.Tx) (due []targetRef, next time.Time, err error) {
	now := db.Millis(tx.Now())
	due, err = db.Query(tx, func(r db.Row) (to targetRef, err error) {
		var failed int64
		return to, r.Scan(&to.key, &to.staffID, &to.channel, &to.device, &to.host, &failed)
	}, `
		SELECT target, staff_id, channel, device_id, host, MAX(attempts)
		FROM notifications
		WHERE due_at <= ?
		GROUP BY target, staff_id, channel, device_id, host
		ORDER BY MAX(attempts), target`, now)
	if err != nil {
		return nil, time.Time{}, fmt.Errorf("find due notifications: %w", err)
	}
	var at *time.Time
	err = tx.QueryRow(`
		SELECT MIN(due_at)
		FROM notifications
		WHERE due_at > ?`, now).Scan(&at)
	if err != nil {
		return nil, time.Time{}, fmt.Errorf("find next notification: %w", err)
	}
	if at != nil {
		next = *at
	}
	return due, next, nil
}

// findDue returns due notifications to a target, the oldest event first, at most limit.
func findDue(tx *db.Tx, target string, limit int) ([]notificationRow, error) {
	rows, err := db.Query(tx, func(r db.Row) (n notificationRow, err error) {
		return n, r.Scan(&n.id, &n.kind, &n.event, &n.attempts)
	}, `
		SELECT id, type, event, attempts
		FROM notifications
		WHERE target = ? AND due_at <= ?
		ORDER BY id
		LIMIT ?`, target, db.Millis(tx.Now()), limit)
	if err != nil {
		return nil, fmt.Errorf("find due notifications: %w", err)
	}
	return rows, nil
}

// countDue counts the due notifications to a target by type of event.
func countDue(tx *db.Tx, target string) (map[outbox.Type]int, error) {
	counts := map[outbox.Type]int{}
	err := tx.Each(`
		SELECT type, COUNT(*)
		FROM notifications
		WHERE target = ? AND due_at <= ?
		GROUP BY type`, []any{target, db.Millis(tx.Now())}, func(r db.Row) error {
		var kind outbox.Type
		var count int
		if err := r.Scan(&kind, &count); err != nil {
			return err
		}
		counts[kind] = count
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("count due notifications: %w", err)
	}
	return counts, nil
}

const claimColumns = `SET status = 'sending', attempts = attempts + 1, due_at = ?, updated_at = ?`

func claimOne(tx *db.Tx, id string, until time.Time) error {
	_, err := tx.Exec(`
		UPDATE notifications
		`+claimColumns+`
		WHERE id = ?`, db.Millis(until), db.Millis(tx.Now()), id)
	if err != nil {
		return fmt.Errorf("claim notification: %w", err)
	}
	return nil
}

// claimDue claims all due notifications to a target and returns their IDs.
func claimDue(tx *db.Tx, target string, until time.Time) ([]string, error) {
	now := db.Millis(tx.Now())
	ids, err := db.Query(tx, func(r db.Row) (id string, err error) { return id, r.Scan(&id) }, `
		SELECT id
		FROM notifications
		WHERE target = ? AND due_at <= ?`, target, now)
	if err != nil {
		return nil, fmt.Errorf("find due notifications: %w", err)
	}
	_, err = tx.Exec(`
		UPDATE notifications
		`+claimColumns+`
		WHERE target = ? AND due_at <= ?`, db.Millis(until), now, target, now)
	if err != nil {
		return nil, fmt.Errorf("claim notifications: %w", err)
	}
	return ids, nil
}

// endInterrupted ends text messages whose attempt was interrupted, and reports whether there were
// any.
func endInterrupted(tx *db.Tx, target string) (bool, error) {
	n, err := tx.Exec(`
		UPDATE notifications
		SET status = 'failed', due_at = NULL, error = 'The attempt was interrupted: it may have been sent.', updated_at = ?
		WHERE target = ? AND status = 'sending' AND due_at <= ?`, db.Millis(tx.Now()), target, db.Millis(tx.Now()))
	if err != nil {
		return false, fmt.Errorf("end interrupted notifications: %w", err)
	}
	return n > 0, nil
}

// endDue ends all due notifications to a target.
func endDue(tx *db.Tx, target string, status Status, reason string) error {
	_, err := tx.Exec(`
		UPDATE notifications
		SET status = ?, due_at = NULL, error = ?, updated_at = ?
		WHERE target = ? AND due_at <= ?`, string(status), reason, db.Millis(tx.Now()), target, db.Millis(tx.Now()))
	if err != nil {
		return fmt.Errorf("end notifications: %w", err)
	}
	return nil
}

// postponeDue postpones all due notifications to a target. Their update time remains the time of
// the last attempt, which the count of text messages uses.
func postponeDue(tx *db.Tx, target string, due time.Time) error {
	_, err := tx.Exec(`
		UPDATE notifications
		SET status = 'waiting', due_at = ?
		WHERE target = ? AND due_at <= ?`, db.Millis(due), target, db.Millis(tx.Now()))
	if err != nil {
		return fmt.Errorf("postpone notifications: %w", err)
	}
	return nil
}

// endRows ends notifications that were claimed.
func endRows(tx *db.Tx, ids []string, status Status, reason string) error {
	for _, id := range ids {
		_, err := tx.Exec(`
			UPDATE notifications
			SET status = ?, due_at = NULL, error = ?, updated_at = ?
			WHERE id = ?`, string(status), reason, db.Millis(tx.Now()), id)
		if err != nil {
			return fmt.Errorf("end notification: %w", err)
		}
	}
	return nil
}

// retryRows lets notifications that were claimed be sent again. Notifications of too old events
// end.
func retryRows(tx *db.Tx, ids []string, due time.Time, reason string) error {
	for _, id := range ids {
		_, err := tx.Exec(`
			UPDATE notifications
			SET status = 'waiting', due_at = ?, error = ?, updated_at = ?
			WHERE id = ?`, db.Millis(due), reason, db.Millis(tx.Now()), id)
		if err != nil {
			return fmt.Errorf("repeat notification: %w", err)
		}
	}
	return nil
}

// countSMS counts the text messages to members since a time. Notifications sent as one message
// share their update time.
func countSMS(tx *db.Tx, since time.Time) (count int, err error) {
	err = tx.QueryRow(`
		SELECT COUNT(*)
		FROM (SELECT DISTINCT target, updated_at FROM notifications WHERE channel = 'sms' AND attempts > 0 AND updated_at > ?) messages`,
		db.Millis(since)).Scan(&count)
	if err != nil {
		return 0, fmt.Errorf("count text messages: %w", err)
	}
	return count, nil
}

// countTestSMS counts the text messages since a time that were tests: all of them, and those to a
// target.
func countTestSMS(tx *db.Tx, target string, since time.Time) (all, own int, err error) {
	err = tx.QueryRow(`
		SELECT COUNT(*), COALESCE(SUM(CASE WHEN target = ? THEN 1 ELSE 0 END), 0)
		FROM notifications
		WHERE channel = 'sms' AND attempts > 0 AND updated_at > ? AND type = ?`, target, db.Millis(since), string(testSent)).Scan(&all, &own)
	if err != nil {
		return 0, 0, fmt.Errorf("count tests of text messages: %w", err)
	}
	return all, own, nil
}

// purgeNotifications deletes at most limit notifications of events before a time, and returns their
// number.
func purgeNotifications(tx *db.Tx, before time.Time, limit int) (int64, error) {
	n, err := tx.Exec(`
		DELETE FROM notifications
		WHERE id IN (SELECT id FROM notifications WHERE at < ? LIMIT ?)`, db.Millis(before), limit)
	if err != nil {
		return 0, fmt.Errorf("purge notifications: %w", err)
	}
	return n, nil
}

// findCounter returns the value of a counter, 0 if it has none.
func findCounter(tx *db.Tx, name string) (value int64, err error) {
	err = tx.QueryRow(`
		SELECT value
		FROM counters
		WHERE name = ?`, name).Scan(&value)
	if err != nil && !errors.Is(err, db.ErrNotFound) {
		return 0, fmt.Errorf("find counter %s: %w", name, err)
	}
	return value, nil
}

func saveCounter(tx *db.Tx, name string, value int64) error {
	_, err := tx.Exec(`
		INSERT INTO counters (name, value)
		VALUES (?, ?)
		ON CONFLICT (name) DO UPDATE SET value = excluded.value`, name, value)
	if err != nil {
		return fmt.Errorf("save counter %s: %w", name, err)
	}
	return nil
}
