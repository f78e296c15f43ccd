package conversion_test

import (
	"context"
	"encoding/json"
	"fmt"
	"sync"
	"testing"
	"time"

	"storefront/db"
	"storefront/db/dbtest"
	"storefront/shop/access"
	"storefront/shop/conversion"
	"storefront/shop/outbox"
	"storefront/shop/shoptest"
)

// advertiser is a receiver that counts events as Meta documents it: a repetition within 48 hours
// does not count, and events older than 7 days are refused.
type advertiser struct {
	now func() time.Time

	mu       sync.Mutex
	counted  map[string]int // by event ID
	lastSeen map[string]time.Time
	events   []conversion.Event
	accounts []conversion.Account
	requests int
	// answer returns another answer, and whether the event is received; nil accepts all.
	answer func(request int, e conversion.Event) (a *conversion.Answer, received bool)
}

func (r *advertiser) Send(_ context.Context, account conversion.Account, e conversion.Event) conversion.Answer {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.requests++
	var failed *conversion.Answer
	received := true
	if r.answer != nil {
		failed, received = r.answer(r.requests, e)
	}
	if received && r.now().Sub(e.At) > conversion.MaxAge {
		return conversion.Answer{Verdict: conversion.Refused, Status: 400, Problem: "Event Timestamp Too Old"}
	}
	if received {
		if seen, known := r.lastSeen[e.ID]; !known || r.now().Sub(seen) > conversion.DoubtTime {
			r.lastSeen[e.ID] = r.now()
			r.counted[e.ID]++
			r.events, r.accounts = append(r.events, e), append(r.accounts, account)
		}
	}
	if failed != nil {
		return *failed
	}
	return conversion.Answer{Verdict: conversion.Accepted, Status: 200, Text: "{}"}
}

func (r *advertiser) set(answer func(request int, e conversion.Event) (*conversion.Answer, bool)) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.answer = answer
}

func (r *advertiser) count(id string) int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.counted[id]
}

func (r *advertiser) total() (requests int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.requests
}

// kit is a shop that reports to one or two receivers.
type kit struct {
	*shoptest.Accounts
	t            *testing.T
	meta, tiktok *advertiser
}

const (
	pixel = "1234567890"
	token = "EAAsecret-of-the-shop"
)

func newAdvertiser(now func() time.Time) *advertiser {
	return &advertiser{now: now, counted: map[string]int{}, lastSeen: map[string]time.Time{}}
}

// newKit returns a shop that reports orders at a step to Meta.
func newKit(t *testing.T, step conversion.Step) *kit {
	t.Helper()
	a := shoptest.NewAccounts(t)
	k := &kit{a, t, newAdvertiser(a.Clock.Now), newAdvertiser(a.Clock.Now)}
	a.Config.Advertisers = map[conversion.Receiver]conversion.Sender{conversion.Meta: k.meta, conversion.TikTok: k.tiktok}
	k.Accounts = a.Reopened()
	own := map[string]any{"meta": map[string]any{"pixelId": pixel, "step": step}}
	k.Set(t, map[string]any{"advertising": own, "storefrontUrl": "https://shop.example/"})
	if _, err := k.Conversions.SetReceiverToken(t.Context(), access.Operator(), conversion.Meta, token); err != nil {
		t.Fatal(err)
	}
	k.run()
	return k
}

// run queues and sends what is due, and returns the time of the next attempt.
func (k *kit) run() (next time.Time) {
	k.t.Helper()
	if _, err := k.Conversions.Continue(k.t.Context()); err != nil {
		k.t.Fatal(err)
	}
	dbtest.Eventually(k.t, "nothing is due", func() bool {
		return k.Number(k.t, `SELECT COUNT(*) FROM conversions WHERE due_at <= ? OR claimed_until > ?`,
			db.Millis(k.Clock.Now()), db.Millis(k.Clock.Now())) == 0
	})
	next, err := k.Conversions.Continue(k.t.Context())
	if err != nil {
		k.t.Fatal(err)
	}
	return next
}

func (k *kit) update(fn func(tx *db.Tx) error) {
	k.t.Helper()
	if err := k.Store.Update(k.t.Context(), k.Config.ID, func(_ context.Context, tx *db.Tx) error { return fn(tx) }); err != nil {
		k.t.Fatal(err)
	}
}

// order inserts an order of a buyer with consent, and the browser.
func (k *kit) order(id string) {
	k.t.Helper()
	k.InsertOrder(k.t, id, shoptest.RahimsPhone)
	details, err := json.Marshal(map[string]any{
		"fbp": "fb.1.2.3", "consent": map[string]any{"at": k.Clock.Now(), "wording": "1", "page": "https://shop.example/checkout"},
	})
	if err != nil {
		k.t.Fatal(err)
	}
	k.Exec(k.t, `
		INSERT INTO order_attributions (order_number, first_source, first_medium, first_campaign, last_source, last_medium, last_campaign, details)
		SELECT number, '', '', '', '', '', '', ?
		FROM orders
		WHERE id = ?`, string(details), id)
	k.Exec(k.t, `
		INSERT INTO order_browsers (order_number, placed_at, address, agent)
		SELECT number, ?, '203.0.113.7', 'Mozilla/5.0'
		FROM orders
		WHERE id = ?`, db.Millis(k.Clock.Now()), id)
}

// happen appends events of an order to the outbox.
func (k *kit) happen(id string, kinds ...outbox.Type) {
	k.t.Helper()
	number := k.Number(k.t, `SELECT number FROM orders WHERE id = ?`, id)
	k.update(func(tx *db.Tx) error {
		for _, kind := range kinds {
			if err := outbox.Append(tx, outbox.Event{Type: kind, Subject: id, Data: outbox.Data{OrderNumber: number}}); err != nil {
				return err
			}
		}
		return nil
	})
}

func (k *kit) list() []conversion.Conversion {
	k.t.Helper()
	found, err := k.Conversions.ListConversions(k.t.Context(), access.Operator(), conversion.Filter{})
	if err != nil {
		k.t.Fatal(err)
	}
	return found.Nodes
}

func (k *kit) browsers() int64 { return k.Number(k.t, `SELECT COUNT(*) FROM order_browsers`) }

func orderID(i int) string { return fmt.Sprintf("%016d", i) }
