package inbox

import (
	"errors"
	"fmt"
	"strings"

	"storefront/db"
	"storefront/shop/fault"
	"storefront/shop/input"
	"storefront/shop/page"
)

const webhookColumns = `id, provider, event, verdict, reason, order_id, copies, received_at, last_at`

func (c *Webhook) columns() []any {
	return []any{&c.ID, &c.Provider, &c.Event, &c.Verdict, &c.Reason, &c.OrderID, &c.Copies, &c.ReceivedAt, &c.LastAt}
}

// insertWebhook inserts a webhook with the verdict stored, or counts a copy if it exists. It
// returns the resulting row.
func insertWebhook(tx *db.Tx, id string, webhook *Incoming, key []byte) (row Webhook, err error) {
	err = tx.QueryRow(`
		INSERT INTO provider_webhooks (id, provider, key, content_type, body, event, verdict, reason, copies, received_at, last_at)
		VALUES (?, ?, ?, ?, ?, '', ?, '', 1, ?, ?)
		ON CONFLICT (provider, key) DO UPDATE SET copies = provider_webhooks.copies + 1, last_at = excluded.last_at
		RETURNING `+webhookColumns,
		id, webhook.Provider, key, input.Clean(webhook.ContentType), db.OrEmpty(webhook.Body), VerdictStored,
		db.Millis(webhook.ReceivedAt), db.Millis(webhook.ReceivedAt)).Scan(row.columns()...)
	if err != nil {
		return row, fmt.Errorf("store webhook: %w", err)
	}
	return row, nil
}

func SaveOutcome(tx *db.Tx, id string, outcome Outcome) error {
	_, err := tx.Exec(`
		UPDATE provider_webhooks
		SET verdict = ?, event = ?, reason = ?, order_id = ?
		WHERE id = ?`,
		outcome.Verdict, input.Clean(outcome.Event), input.Clean(outcome.Reason), db.NullText(outcome.OrderID), id)
	if err != nil {
		return fmt.Errorf("save webhook outcome: %w", err)
	}
	return nil
}

func (f WebhookFilter) where() (conditions string, args []any) {
	all := []string{"1 = 1"}
	if f.Provider != "" {
		all, args = append(all, "provider = ?"), append(args, f.Provider)
	}
	if f.Verdict != "" {
		all, args = append(all, "verdict = ?"), append(args, f.Verdict)
	}
	return strings.Join(all, " AND "), args
}

// countWebhooks counts the webhooks, filtered ones up to [page.MaxCount].
func countWebhooks(tx *db.Tx, filter WebhookFilter) (count page.Count, err error) {
	where, args := filter.where()
	if len(args) == 0 {
		err = tx.QueryRow("SELECT COUNT(*) FROM provider_webhooks").Scan(&count.Total)
	} else {
		err = tx.QueryRow(`
			SELECT COUNT(*)
			FROM (SELECT 1 FROM provider_webhooks WHERE `+where+` LIMIT ?) found`, append(args, page.MaxCount+1)...).Scan(&count.Total)
		count.Total, count.Bounded = min(count.Total, page.MaxCount), count.Total > page.MaxCount
	}
	if err != nil {
		return page.Count{}, fmt.Errorf("count webhooks: %w", err)
	}
	return count, nil
}

func findWebhooks(tx *db.Tx, filter WebhookFilter, w page.Window) ([]Webhook, error) {
	where, args := filter.where()
	query := `
		SELECT ` + webhookColumns + `
		FROM provider_webhooks
		WHERE ` + where + `
		ORDER BY id DESC`
	if w.Limit != page.NoLimit {
		query += `
		LIMIT ? OFFSET ?`
		args = append(args, w.Limit, w.Offset())
	}
	webhooks, err := db.Query(tx, func(r db.Row) (c Webhook, err error) {
		err = r.Scan(c.columns()...)
		return c, err
	}, query, args...)
	if err != nil {
		return nil, fmt.Errorf("find webhooks: %w", err)
	}
	return webhooks, nil
}

// Find returns a webhook's record and its received request. Codes: not_found.
func Find(tx *db.Tx, id string) (record *Webhook, received Incoming, err error) {
	record, received = new(Webhook), Incoming{ID: id}
	columns := append(record.columns(), &received.ContentType, &received.Body)
	err = tx.QueryRow(`
		SELECT `+webhookColumns+`, content_type, body
		FROM provider_webhooks
		WHERE id = ?`, id).Scan(columns...)
	if errors.Is(err, db.ErrNotFound) {
		return nil, received, fault.Errorf(fault.CodeNotFound, "There is no such webhook.")
	}
	if err != nil {
		return nil, received, fmt.Errorf("find webhook: %w", err)
	}
	received.Provider, received.ReceivedAt = record.Provider, record.ReceivedAt
	return record, received, nil
}

// findOldestWebhook returns the time at which the oldest webhook was received, or nil if there is
// none.
func findOldestWebhook(tx *db.Tx) (at *int64, err error) {
	err = tx.QueryRow(`
		SELECT MIN(received_at)
		FROM provider_webhooks`).Scan(&at)
	if err != nil {
		return nil, fmt.Errorf("find oldest webhook: %w", err)
	}
	return at, nil
}

func deleteWebhooksBefore(tx *db.Tx, before int64) error {
	if _, err := tx.Exec(`
		DELETE FROM provider_webhooks
		WHERE received_at <= ?`, before); err != nil {
		return fmt.Errorf("delete old webhooks: %w", err)
	}
	return nil
}
