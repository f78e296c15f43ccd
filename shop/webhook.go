package shop

import (
	"context"
	"crypto/sha256"
	"fmt"
	"time"

	"storefront/db"
	"storefront/shop/access"
	"storefront/shop/fault"
	"storefront/shop/page"
)

// WebhookRetention is how long authentic calls of providers are kept.
const WebhookRetention = 90 * 24 * time.Hour

// Verdict says what became of a provider's call.
type Verdict string

// The verdicts. A repeat of a call that is stored, unmatched or failed is processed again.
const (
	VerdictStored    Verdict = "stored"    // kept, and not applied yet
	VerdictApplied   Verdict = "applied"   // done, once
	VerdictIgnored   Verdict = "ignored"   // understood, and there is nothing to do
	VerdictUnmatched Verdict = "unmatched" // names nothing of ours, so far
	VerdictMalformed Verdict = "malformed" // authentic and not to be understood
	VerdictFailed    Verdict = "failed"    // a fault of ours when it was applied
)

// isFinal reports whether the same call again is to change nothing.
func (v Verdict) isFinal() bool {
	return v == VerdictApplied || v == VerdictIgnored || v == VerdictMalformed
}

// incomingWebhook is an authentic call of a provider.
type incomingWebhook struct {
	id          string // set when it is stored
	provider    Provider
	key         string // the provider's own name for the event; "": the body stands for it
	contentType string
	body        []byte // as received
	receivedAt  time.Time
}

// webhookOutcome is what became of a call. event is the provider's word for what happened; reason is
// for the shop's staff and holds neither personal data nor secrets; orderID may be "".
type webhookOutcome struct {
	verdict Verdict
	event   string
	reason  string
	orderID string
}

// receiveWebhook stores a call and applies it, in one transaction. A call that was applied before is
// counted and not applied again: its outcome is the first one's. When apply fails or panics the call
// is kept with the verdict failed, for a replay. An error means that it could not be stored.
func (s *Shop) receiveWebhook(ctx context.Context, call incomingWebhook, apply func(tx *db.Tx, call incomingWebhook) (webhookOutcome, error)) (outcome webhookOutcome, err error) {
	failure := s.updateRecovered(ctx, func(tx *db.Tx) (err error) {
		if outcome, err = s.storeWebhook(tx, &call); err != nil || outcome.verdict.isFinal() {
			return err
		}
		if outcome, err = apply(tx, call); err != nil {
			return err
		}
		return s.saveVerdict(tx, &call, outcome)
	})
	if failure == nil {
		return outcome, nil
	}
	err = s.update(ctx, func(_ context.Context, tx *db.Tx) (err error) {
		if outcome, err = s.storeWebhook(tx, &call); err != nil || outcome.verdict.isFinal() {
			return err
		}
		outcome = webhookOutcome{verdict: VerdictFailed, reason: failure.Error()}
		return s.saveVerdict(tx, &call, outcome)
	})
	return outcome, err
}

// updateRecovered is update for what a provider sent: whatever it is, it must not bring down more than its
// own processing.
func (s *Shop) updateRecovered(ctx context.Context, fn func(tx *db.Tx) error) (err error) {
	defer func() {
		if value := recover(); value != nil {
			err = fmt.Errorf("panic: %v", value)
		}
	}()
	return s.update(ctx, func(_ context.Context, tx *db.Tx) error { return fn(tx) })
}

// storeOrderWebhook stores a call about an order, whose applying takes more than a transaction. The outcome so
// far comes back: stored for a new one, the first one's for a repeat.
func (s *Shop) storeOrderWebhook(ctx context.Context, call *incomingWebhook, orderID string) (outcome webhookOutcome, err error) {
	err = s.update(ctx, func(_ context.Context, tx *db.Tx) (err error) {
		if outcome, err = s.storeWebhook(tx, call); err != nil || outcome.verdict.isFinal() {
			return err
		}
		outcome.orderID = orderID
		return saveOutcome(tx, call.id, outcome)
	})
	return outcome, err
}

// storeWebhook inserts a call, or counts it as a repeat, and gives its outcome so far.
func (s *Shop) storeWebhook(tx *db.Tx, call *incomingWebhook) (webhookOutcome, error) {
	call.receivedAt = tx.Now()
	row, err := insertWebhook(tx, s.ids.Next(tx.Now()), call, s.dedupKey(call))
	if err != nil {
		return webhookOutcome{}, err
	}
	call.id = row.ID
	outcome := webhookOutcome{verdict: row.Verdict, event: row.Event, reason: row.Reason}
	if row.OrderID != nil {
		outcome.orderID = *row.OrderID
	}
	return outcome, nil
}

// dedupKey names the event: equal keys are one event.
func (s *Shop) dedupKey(call *incomingWebhook) []byte {
	h := sha256.New()
	fmt.Fprintf(h, "%s\x00%s\x00", s.id, call.provider)
	if call.key != "" {
		fmt.Fprintf(h, "key\x00%s", call.key)
	} else {
		h.Write([]byte("body\x00"))
		h.Write(call.body)
	}
	return h.Sum(nil)
}

// Webhook is an authentic call of a provider, as the shop's staff sees it.
type Webhook struct {
	ID         string    `json:"_id"`
	Provider   Provider  `json:"provider"`
	Event      string    `json:"event"` // the provider's word; "": none could be read
	Verdict    Verdict   `json:"verdict"`
	Reason     string    `json:"reason"`
	OrderID    *string   `json:"orderId"`
	Copies     int       `json:"copies"` // how often it came
	ReceivedAt time.Time `json:"receivedAt"`
	LastAt     time.Time `json:"lastAt"` // when it came last
	Body       *string   `json:"body"`   // masked; null in lists
}

// WebhookFilter chooses calls. The zero value is the first page of all.
type WebhookFilter struct {
	page.Request
	Provider Provider // "": any
	Verdict  Verdict  // "": any
}

// ListWebhooks gives one page of the providers' authentic calls, newest first, for the shop's staff.
// Codes: validation_failed.
func (s *Shop) ListWebhooks(ctx context.Context, caller access.Caller, filter WebhookFilter) (*page.Page[Webhook], error) {
	if err := s.requireAdmin(ctx, caller); err != nil {
		return nil, err
	}
	var bad fault.Invalid
	w := filter.Window(&bad)
	if err := bad.Err(); err != nil {
		return nil, err
	}
	list := &page.Page[Webhook]{}
	err := s.view(ctx, func(_ context.Context, tx *db.Tx) error {
		total, err := countWebhooks(tx, filter)
		if err != nil {
			return err
		}
		list.Meta = w.MetaFor(total)
		list.Nodes, err = findWebhooks(tx, filter, w)
		return err
	})
	if err != nil {
		return nil, err
	}
	return list, nil
}

// FindWebhook gives one call with its masked body. Codes: not_found.
func (s *Shop) FindWebhook(ctx context.Context, caller access.Caller, id string) (*Webhook, error) {
	if err := s.requireAdmin(ctx, caller); err != nil {
		return nil, err
	}
	call, stored, err := s.loadWebhook(ctx, id)
	if err != nil {
		return nil, err
	}
	masked := maskBody(stored.contentType, stored.body)
	call.Body = &masked
	return call, nil
}

// PurgeWebhooks deletes the calls that are older than WebhookRetention. next is when the oldest of the others
// will be; the zero time: there are none.
func (s *Shop) PurgeWebhooks(ctx context.Context) (next time.Time, err error) {
	before := s.now().Add(-WebhookRetention)
	findNext := func(_ context.Context, tx *db.Tx) error {
		oldest, err := findOldestWebhook(tx)
		if err == nil && oldest != nil {
			next = db.FromMillis(*oldest).Add(WebhookRetention)
		}
		return err
	}
	err = s.view(ctx, findNext)
	if err != nil || next.IsZero() || next.After(s.now()) {
		return next, err
	}
	next = time.Time{}
	err = s.update(ctx, func(ctx context.Context, tx *db.Tx) error {
		if err := deleteWebhooksBefore(tx, db.Millis(before)); err != nil {
			return err
		}
		return findNext(ctx, tx)
	})
	return next, err
}

// saveVerdict writes down what became of a call.
func (s *Shop) saveVerdict(tx *db.Tx, call *incomingWebhook, outcome webhookOutcome) error {
	provider := call.provider
	tx.AfterCommit(func() { s.observer.WebhookHandled(provider, outcome.verdict) })
	return saveOutcome(tx, call.id, outcome)
}
