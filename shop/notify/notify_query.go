package notify

import (
	"errors"
	"fmt"
	"time"

	"storefront/db"
	"storefront/shop/outbox"
	"storefront/shop/queue"
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
	due, err = db.Query(tx, func(r db.Row) (to targetRef, err error) {
		var failed int64
		return to, r.Scan(&to.key, &to.staffID, &to.channel, &to.device, &to.host, &failed)
	}, `
		SELECT target, staff_id, channel, device_id, host, MAX(attempts)
		FROM notifications
		WHERE `+queue.IsDue+`
		GROUP BY target, staff_id, channel, device_id, host
		ORDER BY MAX(attempts), target`, notifications.Due(tx)...)
	if err != nil {
		return nil, time.Time{}, fmt.Errorf("find due notifications: %w", err)
	}
	next, err = notifications.Next(tx, tx.Now())
	return due, next, err
}

// findDue returns due notifications to a target, the oldest event first, at most limit.
func findDue(tx *db.Tx, target string, limit int) ([]notificationRow, error) {
	rows, err := db.Query(tx, func(r db.Row) (n notificationRow, err error) {
		return n, r.Scan(&n.id, &n.kind, &n.event, &n.attempts)
	}, `
		SELECT id, type, event, attempts
		FROM notifications
		WHERE `+queue.IsDue+` AND target = ?
		ORDER BY id
		LIMIT ?`, notifications.Due(tx, target, limit)...)
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
		WHERE `+queue.IsDue+` AND target = ?
		GROUP BY type`, notifications.Due(tx, target), func(r db.Row) error {
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

// claim claims the notifications that a condition selects.
func claim(tx *db.Tx, where string, args ...any) (queue.Claim, error) {
	return notifications.Claim(tx, `, attempts = attempts + 1, updated_at = ?`, where, append([]any{db.Millis(tx.Now())}, args...)...)
}

// endInterrupted ends text messages whose attempt was interrupted, and returns their number.
func endInterrupted(tx *db.Tx, target string) (int64, error) {
	const reason = "The attempt was interrupted: it may have been sent."
	return notifications.EndInterrupted(tx, `, status = ?, error = ?, updated_at = ?`, "target = ?",
		string(StatusFailed), reason, db.Millis(tx.Now()), target)
}

// endDue ends all due notifications to a target.
func endDue(tx *db.Tx, target string, status Status, reason string) error {
	c, err := notifications.Claim(tx, "", queue.IsDue+` AND target = ?`, notifications.Due(tx, target)...)
	if err != nil {
		return err
	}
	return (&outgoing{claim: c}).end(tx, status, reason)
}

// postponeDue postpones all due notifications to a target. Their update time remains the time of
// the last attempt, which the count of text messages uses.
func postponeDue(tx *db.Tx, target string, due time.Time) error {
	_, err := tx.Exec(`
		UPDATE notifications
		SET due_at = ?, claim = NULL, claimed_until = NULL
		WHERE `+queue.IsDue+` AND target = ?`, append([]any{db.Millis(due)}, notifications.Due(tx, target)...)...)
	if err != nil {
		return fmt.Errorf("postpone notifications: %w", err)
	}
	return nil
}

// end ends claimed notifications.
func (o *outgoing) end(tx *db.Tx, status Status, reason string) error {
	return o.release(tx, status, nil, reason)
}

// release records the result of claimed notifications. due is the time of the next attempt.
func (o *outgoing) release(tx *db.Tx, status Status, due *time.Time, reason string) error {
	_, err := notifications.Release(tx, o.claim, `, status = ?, due_at = ?, error = ?, updated_at = ?`,
		string(status), db.NullMillis(due), reason, db.Millis(tx.Now()))
	return err
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
