package inbox

import (
	"context"
	"crypto/sha256"
	"fmt"
	"time"

	"storefront/db"
	"storefront/shop/access"
	"storefront/shop/fault"
	"storefront/shop/outbox"
	"storefront/shop/page"
	"storefront/shop/plugin"
)

// VerdictRefused is reported to the [Observer] for webhooks that failed authentication. They are
// not stored.
const VerdictRefused Verdict = "refused"

// WebhookRetention is the time for which authentic webhooks of providers are stored.
const WebhookRetention = 90 * 24 * time.Hour

// Verdict is the result of processing an incoming webhook.
//
//api:enum Verdict
type Verdict string

// The verdicts. A repeated webhook is processed again if its verdict is stored, unmatched or
// failed.
const (
	VerdictStored    Verdict = "stored"    // saved, and not applied yet
	VerdictApplied   Verdict = "applied"   // applied, once
	VerdictIgnored   Verdict = "ignored"   // parsed, and nothing needs to be done
	VerdictUnmatched Verdict = "unmatched" // names no record of the shop, so far
	VerdictMalformed Verdict = "malformed" // authentic, and could not be parsed
	VerdictFailed    Verdict = "failed"    // an error of the program occurred when it was applied
)

// Incoming is an authentic webhook of a provider.
type Incoming struct {
	ID          string // set when it is stored
	Provider    plugin.Provider
	Key         string // the provider's ID of the event; "" means that the body identifies it
	ContentType string
	Body        []byte // as received
	ReceivedAt  time.Time
	was         Verdict // before it is processed; set by Store
}

// Outcome is the verdict on a webhook with its details.
type Outcome struct {
	Verdict Verdict
	Event   string // the provider's name of the event
	Reason  string // for staff members; contains neither personal data nor secrets
	OrderID string // "" if the webhook matches no order
}

// Webhook is an authentic webhook of a provider, as staff members see it.
type Webhook struct {
	ID         string          `json:"_id"`
	Provider   plugin.Provider `json:"provider"`
	Event      string          `json:"event"` // the provider's name of it; "" if it could not be parsed
	Verdict    Verdict         `json:"verdict"`
	Reason     string          `json:"reason"`
	OrderID    *string         `json:"orderId"`
	Copies     int             `json:"copies"` // number of times it was received
	ReceivedAt time.Time       `json:"receivedAt"`
	LastAt     time.Time       `json:"lastAt"` // time of the last receipt
	Body       *string         `json:"body"`   // masked; null in lists
}

// WebhookFilter selects webhooks. The zero value selects the first page of all.
type WebhookFilter struct {
	page.Request
	Provider plugin.Provider `query:"provider" doc:"Only from this provider"`
	Verdict  Verdict         `query:"verdict" doc:"Only with this result"`
}

// Verdicts returns all verdicts that an [Observer] can receive.
func Verdicts() []Verdict {
	return []Verdict{VerdictStored, VerdictApplied, VerdictIgnored, VerdictUnmatched, VerdictMalformed, VerdictFailed, VerdictRefused}
}

// IsFinal reports whether a repeat of the webhook is not processed.
func (v Verdict) IsFinal() bool {
	return v == VerdictApplied || v == VerdictIgnored || v == VerdictMalformed
}

// Receive stores a webhook and applies it, in one transaction. A webhook that was applied
// before is counted and not applied again; the first outcome is returned. If apply fails or panics,
// the webhook is stored with the verdict failed, for a replay. An error means that it could not be
// stored.
func (b *Inbox) Receive(
	ctx context.Context, webhook Incoming,
	apply func(tx *db.Tx, webhook Incoming) (Outcome, error),
) (outcome Outcome, err error) {
	failure := b.updateRecovered(ctx, func(tx *db.Tx) (err error) {
		outcome, err = b.Store(tx, &webhook)
		if err != nil {
			return err
		}
		if outcome.Verdict.IsFinal() {
			return nil
		}
		if outcome, err = apply(tx, webhook); err != nil {
			return err
		}
		return b.SaveVerdict(tx, &webhook, outcome)
	})
	if failure == nil {
		return outcome, nil
	}
	err = b.data.Update(ctx, func(_ context.Context, tx *db.Tx) (err error) {
		outcome, err = b.Store(tx, &webhook)
		if err != nil {
			return err
		}
		if outcome.Verdict.IsFinal() {
			return nil
		}
		outcome = Outcome{Verdict: VerdictFailed, Reason: fault.Reason(failure)}
		return b.SaveVerdict(tx, &webhook, outcome)
	})
	return outcome, err
}

// updateRecovered writes input of a provider. A panic becomes an error, so that only the processing
// of that input ends.
func (b *Inbox) updateRecovered(ctx context.Context, fn func(tx *db.Tx) error) (err error) {
	defer func() {
		if value := recover(); value != nil {
			err = fmt.Errorf("panic: %v", value)
		}
	}()
	return b.data.Update(ctx, func(_ context.Context, tx *db.Tx) error { return fn(tx) })
}

// StoreForOrder stores a webhook about an order that cannot be applied in the same transaction.
// It returns the outcome so far: stored for a new webhook, the first outcome for a repeated one.
func (b *Inbox) StoreForOrder(
	ctx context.Context, webhook *Incoming, orderID string,
) (outcome Outcome, err error) {
	err = b.data.Update(ctx, func(_ context.Context, tx *db.Tx) (err error) {
		outcome, err = b.Store(tx, webhook)
		if err != nil {
			return err
		}
		if outcome.Verdict.IsFinal() {
			return nil
		}
		outcome.OrderID = orderID
		return SaveOutcome(tx, webhook.ID, outcome)
	})
	return outcome, err
}

// Store inserts a webhook, or counts it as repeated, and returns its outcome so far.
func (b *Inbox) Store(tx *db.Tx, webhook *Incoming) (Outcome, error) {
	webhook.ReceivedAt = tx.Now()
	row, err := insertWebhook(tx, b.ids.Next(tx.Now()), webhook, b.dedupKey(webhook))
	if err != nil {
		return Outcome{}, err
	}
	webhook.ID, webhook.was = row.ID, row.Verdict
	outcome := Outcome{Verdict: row.Verdict, Event: row.Event, Reason: row.Reason}
	if row.OrderID != nil {
		outcome.OrderID = *row.OrderID
	}
	return outcome, nil
}

// dedupKey returns a hash that identifies the event: webhooks with equal keys report the same
// event.
func (b *Inbox) dedupKey(webhook *Incoming) []byte {
	h := sha256.New()
	fmt.Fprintf(h, "%s\x00%s\x00", b.data.ID, webhook.Provider)
	if webhook.Key != "" {
		fmt.Fprintf(h, "key\x00%s", webhook.Key)
	} else {
		h.Write([]byte("body\x00"))
		h.Write(webhook.Body)
	}
	return h.Sum(nil)
}

// ListWebhooks returns a page of the providers' authentic webhooks, newest first.
// Codes: validation_failed.
func (b *Inbox) ListWebhooks(ctx context.Context, caller access.Caller, filter WebhookFilter) (*page.List[Webhook], error) {
	return access.Read(ctx, b.data, caller, access.ToListWebhooks, func(tx *db.Tx, _ access.Staff) (*page.List[Webhook], error) {
		var bad fault.Invalid
		w := filter.Window(&bad)
		if err := bad.Err(); err != nil {
			return nil, err
		}
		count, err := countWebhooks(tx, filter)
		if err != nil {
			return nil, err
		}
		list := &page.List[Webhook]{}
		list.Nodes, err = findWebhooks(tx, filter, w)
		list.Meta = w.ListMetaFor(count, len(list.Nodes))
		return list, err
	})
}

// FindWebhook returns one webhook with its masked body. Codes: not_found.
func (b *Inbox) FindWebhook(ctx context.Context, caller access.Caller, id string) (*Webhook, error) {
	return access.Read(ctx, b.data, caller, access.ToFindWebhook,
		func(tx *db.Tx, _ access.Staff) (*Webhook, error) {
			record, received, err := Find(tx, id)
			if err != nil {
				return nil, err
			}
			record.Body = new(maskBody(received.ContentType, received.Body))
			return record, nil
		})
}

// PurgeWebhooks deletes webhooks older than WebhookRetention. next is the time at which the oldest
// remaining one reaches that age; a zero time means that there is none.
func (b *Inbox) PurgeWebhooks(ctx context.Context) (next time.Time, err error) {
	before := b.now().Add(-WebhookRetention)
	findNext := func(_ context.Context, tx *db.Tx) error {
		oldest, err := findOldestWebhook(tx)
		if err == nil && oldest != nil {
			next = db.FromMillis(*oldest).Add(WebhookRetention)
		}
		return err
	}
	if err := b.data.View(ctx, findNext); err != nil {
		return next, err
	}
	if next.IsZero() || next.After(b.now()) {
		return next, nil
	}
	next = time.Time{}
	err = b.data.Update(ctx, func(ctx context.Context, tx *db.Tx) error {
		if err := deleteWebhooksBefore(tx, db.Millis(before)); err != nil {
			return err
		}
		return findNext(ctx, tx)
	})
	return next, err
}

// SaveVerdict saves the outcome of a webhook and reports it to the observer after the commit.
func (b *Inbox) SaveVerdict(tx *db.Tx, webhook *Incoming, outcome Outcome) error {
	provider := webhook.Provider
	tx.AfterCommit(func() { b.observer.WebhookHandled(provider, outcome.Verdict) })
	switch outcome.Verdict {
	case VerdictUnmatched, VerdictFailed, VerdictMalformed:
		if outcome.Verdict == webhook.was { // reported before
			break
		}
		failed := outbox.Event{Type: outbox.ProviderWebhookFailed, Subject: webhook.ID,
			Data: outbox.Data{Status: string(outcome.Verdict), Actor: outbox.Shop()}}
		if err := outbox.Append(tx, failed); err != nil {
			return err
		}
	}
	return SaveOutcome(tx, webhook.ID, outcome)
}
