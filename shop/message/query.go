package message

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"storefront/db"
	"storefront/shop/page"
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
		WHERE due_at <= ? AND status = 'queued'
		ORDER BY due_at
		LIMIT ?`, db.Millis(tx.Now()), limit)
	if err != nil {
		return nil, fmt.Errorf("find due messages: %w", err)
	}
	return rows, nil
}

// endInterrupted marks messages after an interrupted attempt, by a crash for example. They may have
// been sent, and are not sent again.
func endInterrupted(tx *db.Tx) error {
	_, err := tx.Exec(`
		UPDATE buyer_messages
		SET status = 'unknown', reason = 'The server stopped while it sent the message.', due_at = NULL, updated_at = ?
		WHERE due_at <= ? AND status = 'sending'`, db.Millis(tx.Now()), db.Millis(tx.Now()))
	if err != nil {
		return fmt.Errorf("end interrupted messages: %w", err)
	}
	return nil
}

// state is the state of a message after an attempt.
type state struct {
	status    Status
	reason    string // of a message that was not sent
	messageID string
	segments  int        // billed
	due       *time.Time // nil means never
}

// saveState saves the state of a message.
func saveState(tx *db.Tx, m row, s state) error {
	_, err := tx.Exec(
		`
		UPDATE buyer_messages
		SET status = ?, reason = ?, message_id = ?, segments = ?, attempts = ?, due_at = ?, updated_at = ?
		WHERE order_number = ? AND event = ? AND subject = ? AND channel = ?`,
		s.status,
		s.reason,
		s.messageID,
		s.segments,
		m.attempts,
		db.NullMillis(s.due),
		db.Millis(tx.Now()),
		m.orderNumber,
		m.event,
		m.subject,
		m.channel,
	)
	if err != nil {
		return fmt.Errorf("save message: %w", err)
	}
	return nil
}

// findNextMessage returns the time at which the next message is due; nil if there is none.
func findNextMessage(tx *db.Tx) (*time.Time, error) {
	var due *int64
	err := tx.QueryRow(`
		SELECT min(due_at)
		FROM buyer_messages
		WHERE due_at IS NOT NULL`).Scan(&due)
	if err != nil {
		return nil, fmt.Errorf("find next message: %w", err)
	}
	return db.FromNullMillis(due), nil
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

// purgeMessages deletes messages created before a time that need no further work.
func purgeMessages(tx *db.Tx, before time.Time) error {
	_, err := tx.Exec(`
		DELETE FROM buyer_messages
		WHERE created_at < ? AND due_at IS NULL`, db.Millis(before))
	if err != nil {
		return fmt.Errorf("purge messages: %w", err)
	}
	return nil
}

// listMessages returns one page of messages, newest first, and the count of the list.
func listMessages(
	tx *db.Tx, filter Filter, w page.Window,
) (list []Record, count page.Count, err error) {
	conditions, args := db.WhereIn([]string{"1 = 1"}, nil, "status", filter.Status)
	if filter.Order != 0 {
		conditions, args = append(conditions, "order_number = ?"), append(args, filter.Order)
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
