package shop

import (
	"context"
	"fmt"
	"time"

	"storefront/db"
)

// FailureKind is the kind of work that failed.
type FailureKind string

// The kinds of work.
const (
	FailedJob          FailureKind = "job"              // an item of a job of staff
	FailedMessage      FailureKind = "message"          // a message to a buyer
	FailedConversion   FailureKind = "conversion"       // an order to an advertiser
	FailedDelivery     FailureKind = "webhook_delivery" // an event to a webhook endpoint
	FailedNotification FailureKind = "notification"     // an event to a staff member
	FailedPayment      FailureKind = "payment"          // an attempt to pay at a gateway
	FailedRefund       FailureKind = "refund"           // a refund at a gateway
	FailedWebhook      FailureKind = "provider_webhook" // a webhook of a provider
	FailedConnection   FailureKind = "connection"       // the settings of a provider
)

// Failure is work that failed, for the support of the program. It contains no payload. Subject is
// the sort of its subject, such as a channel or a provider.
type Failure struct {
	Kind     FailureKind `json:"kind"`
	At       time.Time   `json:"at"`
	Subject  string      `json:"subject"`
	Status   string      `json:"status"`
	Attempts int         `json:"attempts"`
	Error    string      `json:"error"`

	order string // invoice UID or number of the order that the error may be about; "": none
}

// maxFailures is the maximum number of failures of each kind.
const maxFailures = 50

// failureQueries return the newest failures of each kind.
var failureQueries = []struct {
	kind  FailureKind
	query string
}{
	{FailedJob, `SELECT j.created_at, j.kind, COALESCE(i.code, ''), 1, COALESCE(i.message, ''), i.subject
		FROM jobs j JOIN job_items i ON i.job_id = j.id
		WHERE j.failed > 0 AND i.status = 'failed' ORDER BY j.id DESC, i.position LIMIT ?`},
	{FailedMessage, `SELECT updated_at, event || ' ' || channel, status, attempts, reason, CAST(order_number AS TEXT)
		FROM buyer_messages WHERE status IN ('failed', 'unknown') ORDER BY created_at DESC LIMIT ?`},
	{FailedConversion, `SELECT at, receiver || ' ' || step, status, attempts, COALESCE(error, ''), CAST(order_number AS TEXT)
		FROM conversions WHERE error IS NOT NULL ORDER BY at DESC LIMIT ?`},
	{FailedDelivery, `SELECT at, type, status, attempts, COALESCE(error, COALESCE(CAST(response_status AS TEXT), '')), ''
		FROM webhook_deliveries WHERE status <> 'sent' AND attempts > 0 ORDER BY at DESC LIMIT ?`},
	{FailedNotification, `SELECT at, channel || ' ' || type, status, attempts, error, ''
		FROM notifications WHERE error <> '' ORDER BY at DESC LIMIT ?`},
	{FailedPayment, `SELECT a.created_at, a.method, a.status, c.asked, c.reason, a.order_id
		FROM payment_checks c JOIN payment_attempts a ON a.id = c.attempt_id
		WHERE c.reason <> '' ORDER BY a.created_at DESC LIMIT ?`},
	{FailedRefund, `SELECT r.updated_at, a.method, r.status, 1, r.reason, a.order_id
		FROM refunds r JOIN payment_attempts a ON a.id = r.attempt_id
		WHERE r.reason <> '' ORDER BY r.created_at DESC LIMIT ?`},
	{FailedWebhook, `SELECT received_at, provider, verdict, copies, reason, COALESCE(order_id, '')
		FROM provider_webhooks WHERE verdict IN ('failed', 'unmatched', 'malformed') ORDER BY received_at DESC LIMIT ?`},
	{FailedWebhook, `SELECT at, provider, 'refused', received, reason, ''
		FROM refused_webhooks ORDER BY at DESC LIMIT ?`},
	{FailedConnection, `SELECT checked_at, name || ' ' || mode, state, failed, words, ''
		FROM connections WHERE state <> 'works' ORDER BY checked_at DESC LIMIT ?`},
}

// FindFailures returns the newest failures of each kind, for the command support. Their errors may
// quote buyers and must pass [Mask.Text].
func (s *Shop) FindFailures(ctx context.Context) ([]Failure, error) {
	var all []Failure
	err := s.data.ViewMany(ctx, func(_ context.Context, tx *db.Tx) (err error) {
		all, err = findFailures(tx)
		return err
	})
	return all, err
}

func findFailures(tx *db.Tx) ([]Failure, error) {
	all := []Failure{}
	for _, kind := range failureQueries {
		found, err := db.Query(tx, func(r db.Row) (Failure, error) {
			f := Failure{Kind: kind.kind}
			var at int64
			err := r.Scan(&at, &f.Subject, &f.Status, &f.Attempts, &f.Error, &f.order)
			f.At = db.FromMillis(at)
			return f, err
		}, kind.query, maxFailures)
		if err != nil {
			return nil, fmt.Errorf("list failures of kind %s: %w", kind.kind, err)
		}
		all = append(all, found...)
	}
	return all, nil
}
