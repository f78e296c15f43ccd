package shop

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"storefront/db"
	"storefront/shop/page"
)

// messageRow is a message to a buyer as stored.
type messageRow struct {
	orderNumber int64
	event       MessageEvent
	subject     string
	channel     MessageChannel
	attempts    int
	createdAt   int64
}

// findBuyerMessages returns the setting, for changes of orders, which read no other.
func findBuyerMessages(tx *db.Tx) (BuyerMessages, error) {
	rows, err := db.Query(tx, db.ScanText, `
		SELECT value
		FROM settings
		WHERE key = 'buyerMessages'`)
	if err != nil {
		return BuyerMessages{}, fmt.Errorf("find setting: %w", err)
	}
	if len(rows) == 0 {
		return BuyerMessages{}, nil
	}
	return parseBuyerMessages(rows[0])
}

// insertMessage queues a message unless it was queued before, or with a reason stores that it is
// skipped.
func insertMessage(tx *db.Tx, number int64, event MessageEvent, subject string, channel MessageChannel, reason string) error {
	now, status := db.Millis(tx.Now()), MessageQueued
	due := &now
	if reason != "" {
		status, due = MessageSkipped, nil
	}
	_, err := tx.Exec(`
		INSERT INTO buyer_messages (order_number, event, subject, channel, status, reason, attempts, message_id, segments,
			due_at, created_at, updated_at)
		VALUES (?, ?, ?, ?, ?, ?, 0, '', 0, ?, ?, ?)
		ON CONFLICT DO NOTHING`, number, event, subject, channel, status, reason, due, now, now)
	if err != nil {
		return fmt.Errorf("queue message: %w", err)
	}
	return nil
}

// findDueMessages returns messages that are due, the oldest first.
func findDueMessages(tx *db.Tx, limit int) ([]messageRow, error) {
	rows, err := db.Query(tx, func(r db.Row) (m messageRow, err error) {
		return m, r.Scan(&m.orderNumber, &m.event, &m.subject, &m.channel, &m.attempts, &m.createdAt)
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

// endInterrupted marks messages whose attempt was interrupted, by a crash for example: they may
// have been sent, and are not sent again.
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

// saveMessage saves the state of a message. due nil means that nothing more is to be done.
func saveMessage(tx *db.Tx, m messageRow, status MessageStatus, reason, messageID string, segments int, due *time.Time) error {
	_, err := tx.Exec(`
		UPDATE buyer_messages
		SET status = ?, reason = ?, message_id = ?, segments = ?, attempts = ?, due_at = ?, updated_at = ?
		WHERE order_number = ? AND event = ? AND subject = ? AND channel = ?`,
		status, reason, messageID, segments, m.attempts, db.NullMillis(due), db.Millis(tx.Now()),
		m.orderNumber, m.event, m.subject, m.channel)
	if err != nil {
		return fmt.Errorf("save message: %w", err)
	}
	return nil
}

// findNextMessage returns when the next message is due; nil means that none is.
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
func sumMessages(tx *db.Tx, channel MessageChannel, since time.Time) (segments int64, err error) {
	err = tx.QueryRow(`
		SELECT coalesce(sum(segments), 0)
		FROM buyer_messages
		WHERE channel = ? AND updated_at > ? AND segments > 0`, channel, db.Millis(since)).Scan(&segments)
	if err != nil {
		return 0, fmt.Errorf("sum messages: %w", err)
	}
	return segments, nil
}

// purgeMessages deletes messages created before a time that need nothing more.
func purgeMessages(tx *db.Tx, before time.Time) error {
	_, err := tx.Exec(`
		DELETE FROM buyer_messages
		WHERE created_at < ? AND due_at IS NULL`, db.Millis(before))
	if err != nil {
		return fmt.Errorf("purge messages: %w", err)
	}
	return nil
}

// findOrderByNumber returns a complete order.
func findOrderByNumber(tx *db.Tx, number int64) (*orderRow, error) {
	var id string
	err := tx.QueryRow(`
		SELECT id
		FROM orders
		WHERE number = ?`, number).Scan(&id)
	if err != nil {
		return nil, fmt.Errorf("find order: %w", err)
	}
	return findOrderRow(tx, id)
}

// listMessages returns one page of messages, newest first, and the count of the list.
func listMessages(tx *db.Tx, filter MessageFilter, w page.Window) (list []MessageRecord, count page.Count, err error) {
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
	list, err = db.Query(tx, func(r db.Row) (m MessageRecord, err error) {
		var created, updated int64
		err = r.Scan(&m.OrderNumber, &m.OrderID, &m.Event, &m.Channel, &m.Status, &m.Reason, &m.Attempts, &m.MessageID, &m.Segments,
			&created, &updated)
		m.CreatedAt, m.UpdatedAt = db.FromMillis(created), db.FromMillis(updated)
		return m, err
	}, query, args...)
	if err != nil {
		return nil, count, fmt.Errorf("list messages: %w", err)
	}
	return list, count, nil
}
