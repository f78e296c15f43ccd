package message

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"storefront/db"
	"storefront/shop/outbox"
	"storefront/shop/page"
	"storefront/shop/queue"
)

// row is a message as it is stored.
type row struct {
	orderNumber int64
	event       Event
	subject     string
	channel     Channel
	attempts    int
	createdAt   int64
}

// insertMessage queues a message unless it was queued before. With a reason it is stored as
// skipped.
func insertMessage(tx *db.Tx, m row, reason string) error {
	now, status := db.Millis(tx.Now()), Queued
	due := &now
	if until, ok := outbox.HeldUntil(tx); ok {
		due = new(db.Millis(until))
	}
	if delay := m.event.delay(); delay > 0 {
		due = new(db.Millis(tx.Now().Add(delay)))
	}
	if reason != "" {
		status, due = Skipped, nil
	}
	_, err := tx.Exec(`
		INSERT INTO buyer_messages (order_number, event, subject, channel, status, reason, attempts, message_id, segments,
			due_at, created_at, updated_at)
		VALUES (?, ?, ?, ?, ?, ?, 0, '', 0, ?, ?, ?)
		ON CONFLICT DO NOTHING`, m.orderNumber, m.event, m.subject, m.channel, status, reason, due, now, now)
	if err != nil {
		return fmt.Errorf("queue message: %w", err)
	}
	return nil
}

// findDueMessages returns messages that are due, the oldest first.
func findDueMessages(tx *db.Tx, limit int) ([]row, error) {
	rows, err := db.Query(tx, func(r db.Row) (m row, err error) {
		return m, r.Scan(
			&m.orderNumber,
			&m.event,
			&m.subject,
			&m.channel,
			&m.attempts,
			&m.createdAt,
		)
	}, `
		SELECT order_number, event, subject, channel, attempts, created_at
		FROM buyer_messages
		WHERE `+queue.IsDue+`
		ORDER BY due_at
		LIMIT ?`, messages.Due(tx, limit)...)
	if err != nil {
		return nil, fmt.Errorf("find due messages: %w", err)
	}
	return rows, nil
}

// endInterrupted marks messages after an interrupted attempt, by a crash for example. They may have
// been sent, and are not sent again.
func endInterrupted(tx *db.Tx) error {
	const reason = "The server stopped while it sent the message."
	_, err := messages.EndInterrupted(tx, `, status = ?, reason = ?, updated_at = ?`, "status = 'sending'",
		Unknown, reason, db.Millis(tx.Now()))
	return err
}

// skipMessage ends a message that is not sent.
func skipMessage(tx *db.Tx, m row, reason string) error {
	_, err := tx.Exec(`
		UPDATE buyer_messages
		SET status = ?, reason = ?, due_at = NULL, updated_at = ?
		WHERE `+byKey, append([]any{Skipped, reason, db.Millis(tx.Now())}, m.key()...)...)
	if err != nil {
		return fmt.Errorf("skip message: %w", err)
	}
	return nil
}

const byKey = `order_number = ? AND event = ? AND subject = ? AND channel = ?`

func (m *row) key() []any { return []any{m.orderNumber, m.event, m.subject, m.channel} }

// claimMessage marks a message as being sent.
func claimMessage(tx *db.Tx, m outgoing) (queue.Claim, error) {
	set := `, status = ?, reason = '', segments = ?, attempts = ?, updated_at = ?`
	args := []any{Sending, m.segments, m.attempts, db.Millis(tx.Now())}
	return messages.Claim(tx, set, byKey, append(args, m.key()...)...)
}

// result is the result of an attempt.
type result struct {
	status    Status
	reason    string // of a message that was not sent
	messageID string
	segments  int        // billed
	due       *time.Time // nil means never
}

// saveResult saves the result of an attempt, unless it counts as interrupted.
func saveResult(tx *db.Tx, m outgoing, r result) error {
	_, err := messages.Release(
		tx, m.claim, `, status = ?, reason = ?, message_id = ?, segments = ?, due_at = ?, updated_at = ?`,
		r.status, r.reason, r.messageID, r.segments, db.NullMillis(r.due), db.Millis(tx.Now()),
	)
	return err
}

// sumMessages returns the billed messages of a channel since a time.
func sumMessages(tx *db.Tx, channel Channel, since time.Time) (segments int64, err error) {
	err = tx.QueryRow(`
		SELECT coalesce(sum(segments), 0)
		FROM buyer_messages
		WHERE channel = ? AND updated_at > ? AND segments > 0`, channel, db.Millis(since)).Scan(&segments)
	if err != nil {
		return 0, fmt.Errorf("sum messages: %w", err)
	}
	return segments, nil
}

// listMessages returns one page of messages, newest first, and the count of the list.
func listMessages(
	tx *db.Tx, filter Filter, w page.Window,
) (list []Record, count page.Count, err error) {
	conditions, args := db.WhereIn([]string{"1 = 1"}, nil, "status", filter.Status)
	if filter.OrderNumber != 0 {
		conditions, args = append(conditions, "order_number = ?"), append(args, filter.OrderNumber)
	}
	where := strings.Join(conditions, " AND ")
	err = tx.QueryRow(`
		SELECT COUNT(*)
		FROM (SELECT 1 FROM buyer_messages WHERE `+where+` LIMIT ?) found`, append(slices.Clone(args), page.MaxCount+1)...).Scan(&count.Total)
	if err != nil {
		return nil, count, fmt.Errorf("count messages: %w", err)
	}
	count.Total, count.Bounded = min(count.Total, page.MaxCount), count.Total > page.MaxCount
	query := `
		SELECT order_number, (SELECT id FROM orders WHERE number = order_number), event, channel, status, reason, attempts, message_id,
			segments, created_at, updated_at
		FROM buyer_messages
		WHERE ` + where + `
		ORDER BY created_at DESC, order_number DESC, event, subject, channel`
	if w.Limit != page.NoLimit {
		query, args = query+`
		LIMIT ? OFFSET ?`, append(args, w.Limit, w.Offset())
	}
	list, err = db.Query(tx, func(r db.Row) (m Record, err error) {
		var created, updated int64
		err = r.Scan(
			&m.OrderNumber,
			&m.OrderID,
			&m.Event,
			&m.Channel,
			&m.Status,
			&m.Reason,
			&m.Attempts,
			&m.MessageID,
			&m.Segments,
			&created,
			&updated,
		)
		m.CreatedAt, m.UpdatedAt = db.FromMillis(created), db.FromMillis(updated)
		return m, err
	}, query, args...)
	if err != nil {
		return nil, count, fmt.Errorf("list messages: %w", err)
	}
	return list, count, nil
}
