package shop

import (
	"context"
	"crypto/sha256"
	"fmt"
	"time"

	"storefront/db"
)

// CallRetention is how long authentic calls of providers are kept.
const CallRetention = 90 * 24 * time.Hour

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

// providerCall is an authentic call of a provider.
type providerCall struct {
	id          string // set when it is stored
	provider    Provider
	key         string // the provider's own name for the event; "": the body stands for it
	contentType string
	body        []byte // as received
	receivedAt  time.Time
}

// callOutcome is what became of a call. event is the provider's word for what happened; reason is
// for the shop's staff and holds neither personal data nor secrets; orderID may be "".
type callOutcome struct {
	verdict Verdict
	event   string
	reason  string
	orderID string
}

// takeCall stores a call and applies it, in one transaction. A call that was applied before is
// counted and not applied again: its outcome is the first one's. When apply fails or panics the call
// is kept with the verdict failed, for a replay. An error means that it could not be stored.
func (s *Shop) takeCall(ctx context.Context, call providerCall, apply func(tx *db.Tx, call providerCall) (callOutcome, error)) (outcome callOutcome, err error) {
	fault := s.tryCall(ctx, func(tx *db.Tx) (err error) {
		if outcome, err = s.storeCall(tx, &call); err != nil || outcome.verdict.isFinal() {
			return err
		}
		if outcome, err = apply(tx, call); err != nil {
			return err
		}
		return s.settleCall(tx, &call, outcome)
	})
	if fault == nil {
		return outcome, nil
	}
	err = s.update(ctx, func(_ context.Context, tx *db.Tx) (err error) {
		if outcome, err = s.storeCall(tx, &call); err != nil || outcome.verdict.isFinal() {
			return err
		}
		outcome = callOutcome{verdict: VerdictFailed, reason: fault.Error()}
		return s.settleCall(tx, &call, outcome)
	})
	return outcome, err
}

// tryCall is update for what a provider sent: whatever it is, it must not bring down more than its
// own processing.
func (s *Shop) tryCall(ctx context.Context, fn func(tx *db.Tx) error) (err error) {
	defer func() {
		if value := recover(); value != nil {
			err = fmt.Errorf("panic: %v", value)
		}
	}()
	return s.update(ctx, func(_ context.Context, tx *db.Tx) error { return fn(tx) })
}

// keepCall stores a call about an order, whose applying takes more than a transaction. The outcome so
// far comes back: stored for a new one, the first one's for a repeat.
func (s *Shop) keepCall(ctx context.Context, call *providerCall, orderID string) (outcome callOutcome, err error) {
	err = s.update(ctx, func(_ context.Context, tx *db.Tx) (err error) {
		if outcome, err = s.storeCall(tx, call); err != nil || outcome.verdict.isFinal() {
			return err
		}
		outcome.orderID = orderID
		return saveOutcome(tx, call.id, outcome)
	})
	return outcome, err
}

// storeCall inserts a call, or counts it as a repeat, and gives its outcome so far.
func (s *Shop) storeCall(tx *db.Tx, call *providerCall) (callOutcome, error) {
	call.receivedAt = tx.Now()
	row, err := insertCall(tx, s.ids.next(tx.Now()), call, s.callKey(call))
	if err != nil {
		return callOutcome{}, err
	}
	call.id = row.ID
	outcome := callOutcome{verdict: row.Verdict, event: row.Event, reason: row.Reason}
	if row.OrderID != nil {
		outcome.orderID = *row.OrderID
	}
	return outcome, nil
}

// callKey names the event: equal keys are one event.
func (s *Shop) callKey(call *providerCall) []byte {
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

// ProviderCall is an authentic call of a provider, as the shop's staff sees it.
type ProviderCall struct {
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

// CallFilter chooses calls. The zero value is the first page of all.
type CallFilter struct {
	PageInput
	Provider Provider // "": any
	Verdict  Verdict  // "": any
}

// FindCalls gives one page of the providers' authentic calls, newest first, for the shop's staff.
// Codes: validation_failed.
func (s *Shop) FindCalls(ctx context.Context, filter CallFilter) (*Page[ProviderCall], error) {
	var bad invalid
	w := filter.window(&bad)
	if err := bad.err(); err != nil {
		return nil, err
	}
	page := &Page[ProviderCall]{}
	err := s.view(ctx, func(_ context.Context, tx *db.Tx) error {
		total, err := countCalls(tx, filter)
		if err != nil {
			return err
		}
		page.Meta = w.meta(total)
		page.Nodes, err = findCalls(tx, filter, w)
		return err
	})
	if err != nil {
		return nil, err
	}
	return page, nil
}

// FindCall gives one call with its masked body. Codes: not_found.
func (s *Shop) FindCall(ctx context.Context, id string) (*ProviderCall, error) {
	call, stored, err := s.loadCall(ctx, id)
	if err != nil {
		return nil, err
	}
	masked := maskBody(stored.contentType, stored.body)
	call.Body = &masked
	return call, nil
}

// PurgeCalls deletes the calls that are older than CallRetention. next is when the oldest of the others
// will be; the zero time: there are none.
func (s *Shop) PurgeCalls(ctx context.Context) (next time.Time, err error) {
	before := s.now().Add(-CallRetention)
	findNext := func(_ context.Context, tx *db.Tx) error {
		oldest, err := findOldestCall(tx)
		if err == nil && oldest != nil {
			next = fromMillis(*oldest).Add(CallRetention)
		}
		return err
	}
	err = s.view(ctx, findNext)
	if err != nil || next.IsZero() || next.After(s.now()) {
		return next, err
	}
	next = time.Time{}
	err = s.update(ctx, func(ctx context.Context, tx *db.Tx) error {
		if err := deleteCallsBefore(tx, millis(before)); err != nil {
			return err
		}
		return findNext(ctx, tx)
	})
	return next, err
}
