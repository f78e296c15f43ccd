package conversion_test

import (
	"strings"
	"testing"
	"time"

	"storefront/db"
	"storefront/shop/access"
	"storefront/shop/account"
	"storefront/shop/campaign"
	"storefront/shop/catalogue"
	"storefront/shop/conversion"
	"storefront/shop/fault"
	"storefront/shop/order"
	"storefront/shop/outbox"
	"storefront/shop/shoptest"
)

// The first event of the chosen step is sent, once, with the invoice UID and what is known of the
// buyer. The browser is then erased.
func TestConversions_Steps(t *testing.T) {
	t.Parallel()
	all := []outbox.Type{outbox.OrderPlaced, outbox.OrderConfirmed, outbox.ShipmentDelivered, outbox.ShipmentDelivered, outbox.OrderCompleted}
	for step, reached := range map[conversion.Step]int{conversion.AtPlacing: 0, conversion.AtConfirmation: 1, conversion.AtDelivery: 2} {
		k := newKit(t, step)
		k.order(orderID(7))
		k.InsertLines(t)
		var want time.Time
		for i, kind := range all {
			k.Clock.Advance(time.Hour)
			if i == reached {
				want = k.Clock.Now()
			}
			k.happen(orderID(7), kind)
			k.run()
			if isSent := k.meta.total() == 1; isSent != (i >= reached) {
				t.Fatalf("%s: got %d requests after %s", step, k.meta.total(), kind)
			}
		}
		e := k.meta.events[0]
		if e.Name != "Purchase" || e.ID != orderID(7) || !e.At.Equal(want) || e.Page != "https://shop.example/checkout" || e.Value != "1.00" ||
			e.Currency != "BDT" || len(e.Contents) != 1 || e.Contents[0] != (conversion.Content{ID: "mug", Quantity: 1, Price: "1.00"}) {
			t.Errorf("%s: got %+v", step, e)
		}
		if u := e.User; u.Phone != shoptest.RahimsPhone || u.Address != "203.0.113.7" || u.Agent != "Mozilla/5.0" || u.Fbp != "fb.1.2.3" ||
			u.City != "Dhaka" {
			t.Errorf("%s: got the buyer %+v", step, u)
		}
		if a := k.meta.accounts[0]; a != (conversion.Account{PixelID: pixel, Token: token}) {
			t.Errorf("%s: got the account %+v", step, a)
		}
		if d := k.list(); len(d) != 1 || d[0].Status != conversion.StatusSent || d[0].Step != step || d[0].Attempts != 1 || d[0].Value.Amount != 100 {
			t.Errorf("%s: got the log %+v", step, d)
		}
		if k.browsers() != 0 {
			t.Errorf("%s: got the browser stored after the event", step)
		}
	}
}

// Without consent, in sandbox mode, and if staff placed the order, nothing is sent or stored.
func TestConversions_NotReported(t *testing.T) {
	t.Parallel()
	for name, query := range map[string]string{
		"no consent":    `UPDATE order_attributions SET details = '{"fbp":"fb.1.2.3"}'`,
		"nothing known": `DELETE FROM order_attributions`,
		"a test":        `UPDATE orders SET test = 1`,
		"by phone":      `UPDATE orders SET source = 'phone'`,
		"erased":        `UPDATE orders SET customer_phone = ''`,
	} {
		k := newKit(t, conversion.AtPlacing)
		k.order(orderID(1))
		k.Exec(t, query)
		k.happen(orderID(1), outbox.OrderPlaced)
		k.run()
		if k.meta.total() != 0 || len(k.list()) != 0 {
			t.Errorf("%s: got %d requests and %d in the log, want none", name, k.meta.total(), len(k.list()))
		}
	}
	k := newKit(t, conversion.AtDelivery)
	k.order(orderID(1))
	k.happen(orderID(1), outbox.OrderCancelled)
	if k.run(); k.browsers() != 0 {
		t.Error("got the browser of a cancelled order stored")
	}
}

// Orders of before the configuration are not sent, and an order that is cancelled during an outage
// is not.
func TestConversions_Closed(t *testing.T) {
	t.Parallel()
	k := newKit(t, conversion.AtPlacing)
	k.order(orderID(1))
	k.happen(orderID(1), outbox.OrderPlaced)
	k.meta.set(func(int, conversion.Event) (*conversion.Answer, bool) {
		return &conversion.Answer{Verdict: conversion.NotReceived, Problem: "No response."}, false
	})
	next := k.run()
	if want := k.Clock.Now().Add(30 * time.Second); next.Sub(want).Abs() > 4*time.Second {
		t.Errorf("got the next attempt at %s, want about %s", next, want)
	}
	k.meta.set(nil)
	k.Exec(t, `UPDATE orders SET status = 'cancelled'`)
	k.Clock.Advance(time.Hour)
	k.run()
	if d := k.list()[0]; k.meta.total() != 1 || d.Status != conversion.StatusExpired || !strings.Contains(*d.Error, "cancelled") {
		t.Errorf("got %d requests and %+v, want a cancelled order not sent", k.meta.total(), d)
	}
	if _, err := k.Conversions.SetReceiverToken(t.Context(), access.Operator(), conversion.Meta, ""); err != nil {
		t.Fatal(err)
	}
	k.run()
	k.order(orderID(2))
	k.happen(orderID(2), outbox.OrderPlaced)
	k.run()
	if _, err := k.Conversions.SetReceiverToken(t.Context(), access.Operator(), conversion.Meta, token); err != nil {
		t.Fatal(err)
	}
	if k.run(); len(k.list()) != 1 {
		t.Errorf("got %d in the log, want no order of before", len(k.list()))
	}
}

// A refused event is not repeated, and can be sent again within 7 days. The log has the receiver's
// words.
func TestSendConversion(t *testing.T) {
	t.Parallel()
	k := newKit(t, conversion.AtPlacing)
	k.order(orderID(1))
	k.happen(orderID(1), outbox.OrderPlaced)
	k.meta.set(func(int, conversion.Event) (*conversion.Answer, bool) {
		return &conversion.Answer{Verdict: conversion.Refused, Status: 400, Problem: "Invalid parameter", Text: "{…}"}, false
	})
	k.run()
	k.Clock.Advance(time.Hour)
	k.run()
	d := k.list()[0]
	if k.meta.total() != 1 || d.Status != conversion.StatusRefused || *d.Error != "Invalid parameter" || d.Answer != "{…}" || !d.Resendable {
		t.Fatalf("got %d requests and %+v, want one that was refused", k.meta.total(), d)
	}
	k.meta.set(nil)
	viewer := k.KeyCaller(t, "analytics.read")
	_, err := k.Conversions.SendConversion(t.Context(), viewer, d.ID)
	shoptest.WantCode(t, err, fault.CodeForbidden)
	if _, err := k.Conversions.SendConversion(t.Context(), access.Operator(), d.ID); err != nil {
		t.Fatal(err)
	}
	if k.run(); k.meta.count(orderID(1)) != 1 || k.list()[0].Status != conversion.StatusSent {
		t.Errorf("got %+v, want it sent", k.list()[0])
	}
	_, err = k.Conversions.SendConversion(t.Context(), access.Operator(), d.ID)
	shoptest.WantCode(t, err, fault.CodeStateConflict)
	_, err = k.Conversions.SendConversion(t.Context(), access.Operator(), "none")
	shoptest.WantCode(t, err, fault.CodeNotFound)
	k.Exec(t, `UPDATE conversions SET status = 'refused', at = ?`, db.Millis(k.Clock.Now().Add(-conversion.MaxAge)))
	_, err = k.Conversions.SendConversion(t.Context(), access.Operator(), d.ID)
	shoptest.WantCode(t, err, fault.CodeStateConflict)
}

// Erasing a buyer leaves no personal data in the queue, and ends what waits.
func TestErase(t *testing.T) {
	t.Parallel()
	k := newKit(t, conversion.AtPlacing)
	k.Rahim(t)
	k.order(orderID(1))
	k.Exec(t, `UPDATE orders SET customer_id = (SELECT id FROM customers), signed_in = 1`)
	k.happen(orderID(1), outbox.OrderPlaced)
	k.meta.set(func(int, conversion.Event) (*conversion.Answer, bool) {
		return &conversion.Answer{Verdict: conversion.Unknown, Status: 500, Problem: "Rahim Uddin", Text: "Rahim Uddin"}, false
	})
	k.run()
	id := ""
	k.update(func(tx *db.Tx) error { return tx.QueryRow(`SELECT id FROM customers`).Scan(&id) })
	if _, err := k.DeleteCustomer(t.Context(), access.Operator(), id); err != nil {
		t.Fatal(err)
	}
	d := k.list()[0]
	if d.Status != conversion.StatusExpired || d.Answer != "" || strings.Contains(*d.Error, "Rahim") || k.browsers() != 0 {
		t.Errorf("got %+v and %d browsers, want nothing of the buyer", d, k.browsers())
	}
	k.Clock.Advance(time.Hour)
	if k.run(); k.meta.total() != 1 {
		t.Errorf("got %d requests, want none after the erasure", k.meta.total())
	}
	const personal = `SELECT COUNT(*) FROM order_attributions WHERE details LIKE '%fb.1%' OR details LIKE '%checkout%'`
	if k.Number(t, personal) != 0 || k.Number(t, `SELECT COUNT(*) FROM order_attributions WHERE details LIKE '%consent%'`) != 1 {
		t.Error("got the buyer's cookies, or no proof of consent")
	}
}

// Two receivers have a row each, and the browser stays until both have answered.
func TestConversions_TwoReceivers(t *testing.T) {
	t.Parallel()
	k := newKit(t, conversion.AtPlacing)
	k.Set(t, map[string]any{"advertising": map[string]any{
		"meta": map[string]any{"pixelId": pixel}, "tiktok": map[string]any{"pixelId": "C9ABCDEF0123456789", "step": "delivery"},
	}})
	if _, err := k.Conversions.SetReceiverToken(t.Context(), access.Operator(), conversion.TikTok, "tiktok-token"); err != nil {
		t.Fatal(err)
	}
	k.order(orderID(1))
	k.happen(orderID(1), outbox.OrderPlaced)
	if k.run(); k.meta.total() != 1 || k.browsers() != 1 {
		t.Errorf("got %d requests and %d browsers, want the browser stored for TikTok", k.meta.total(), k.browsers())
	}
	k.happen(orderID(1), outbox.ShipmentDelivered)
	if k.run(); k.tiktok.total() != 1 || k.tiktok.events[0].User.Agent == "" || k.browsers() != 0 || k.meta.total() != 1 {
		t.Errorf("got %d requests to TikTok and %d browsers", k.tiktok.total(), k.browsers())
	}
	k.Clock.Advance(conversion.Retention + time.Hour)
	if _, err := k.Conversions.Purge(t.Context()); err != nil || len(k.list()) != 0 {
		t.Errorf("got %d in the log, %v, want old ones deleted", len(k.list()), err)
	}
}

// A test event has the test code, which orders never have, and proves the connection. The token is
// in no answer and not in the audit log.
func TestTestReceiver(t *testing.T) {
	t.Parallel()
	k := newKit(t, conversion.AtPlacing)
	_, err := k.Conversions.TestReceiver(t.Context(), access.Operator(), conversion.Meta)
	shoptest.WantCode(t, err, fault.CodeStateConflict)
	_, err = k.Conversions.TestReceiver(t.Context(), access.Operator(), "other")
	shoptest.WantCode(t, err, fault.CodeNotFound)
	k.Set(t, map[string]any{"advertising": map[string]any{"meta": map[string]any{"pixelId": pixel, "testCode": "TEST123"}}})
	caller := access.Operator()
	caller.Agent, caller.Client = "Mozilla/5.0", "203.0.113.9"
	test, err := k.Conversions.TestReceiver(t.Context(), caller, conversion.Meta)
	if err != nil || !test.Accepted || k.meta.accounts[0].TestCode != "TEST123" || k.meta.events[0].User.Phone != "" {
		t.Fatalf("got %+v, %v", test, err)
	}
	if c, err := k.FindConnection(t.Context(), caller, access.ToListReceivers, "meta"); err != nil || c.State != "works" {
		t.Errorf("got %+v, %v, want a proved connection", c, err)
	}
	k.meta.set(func(int, conversion.Event) (*conversion.Answer, bool) {
		return &conversion.Answer{Verdict: conversion.Refused, Status: 400, Problem: "Invalid token", Account: true}, false
	})
	if test, err = k.Conversions.TestReceiver(t.Context(), caller, conversion.Meta); err != nil || test.Accepted || *test.Error != "Invalid token" {
		t.Errorf("got %+v, %v, want a refusal", test, err)
	}
	c, err := k.FindConnection(t.Context(), caller, access.ToListReceivers, "meta")
	if err != nil || c.State != "refused" || *c.Words != "Invalid token" {
		t.Errorf("got %+v, %v, want a refused connection", c, err)
	}
	if n := k.Number(t, `SELECT COUNT(*) FROM audit_log WHERE action LIKE 'advertiser.%' AND changes LIKE '%EAA%'`); n != 0 {
		t.Error("got the token in the audit log")
	}
	list, err := k.Conversions.ListReceivers(t.Context(), caller)
	want := conversion.ReceiverStatus{Receiver: conversion.Meta, HasToken: true, Ready: true}
	if err != nil || len(list) != 2 || list[0] != want || list[1].Ready {
		t.Errorf("got %+v, %v", list, err)
	}
	for _, bad := range []string{"two words", strings.Repeat("x", 1001)} {
		_, err = k.Conversions.SetReceiverToken(t.Context(), caller, conversion.Meta, bad)
		shoptest.WantCode(t, err, fault.CodeValidationFailed)
	}
}

// The IDs are parts of addresses, so their form is checked.
func TestSettings_Check(t *testing.T) {
	t.Parallel()
	for _, set := range []conversion.Settings{
		{Meta: conversion.ReceiverSettings{PixelID: "12a45678"}},
		{TikTok: conversion.ReceiverSettings{PixelID: "c9abcdef0123"}},
		{Google: conversion.GoogleSettings{TagID: "UA-12345-1"}},
		{Google: conversion.GoogleSettings{TagID: "G-ABC\"><script>"}},
		{Meta: conversion.ReceiverSettings{Step: "later"}},
		{Meta: conversion.ReceiverSettings{TestCode: "a b"}},
	} {
		var bad fault.Invalid
		if set.Check(&bad, "advertising"); len(bad) != 1 {
			t.Errorf("%+v: got %v, want one problem", set, bad)
		}
	}
}

// An order stores the consent that its client sends, and with it the browser. Without consent, and
// in a shop without receivers, it stores neither.
func TestPlaceOrder_Consent(t *testing.T) {
	t.Parallel()
	k := newKit(t, conversion.AtPlacing)
	mug, err := k.Catalogue.CreateProduct(t.Context(), access.Operator(), catalogue.ProductInput{
		Title: "Mug", Variants: []catalogue.VariantInput{{Price: 45_000}},
	})
	if err != nil {
		t.Fatal(err)
	}
	place := func(consent *campaign.ConsentInput) {
		t.Helper()
		caller := access.Caller{Client: "203.0.113.7", Agent: "Mozilla/5.0 (Android)"}
		_, err := k.Orders.PlaceOrder(t.Context(), caller, order.Input{
			Items:           []order.ItemInput{{ProductID: mug.ID, Quantity: 2}},
			Customer:        &order.CustomerInput{Name: new("Rahim Uddin"), PhoneNumber: new("01711-000000")},
			ShippingAddress: &account.Address{Line1: "House 7", City: "Dhaka"},
			Attribution:     &campaign.AttributionInput{Fbp: new("fb.1.2.3"), Consent: consent},
		}, "")
		if err != nil {
			t.Fatal(err)
		}
	}
	place(nil)
	if k.run(); k.browsers() != 0 || k.meta.total() != 0 {
		t.Errorf("without consent: got %d browsers and %d requests", k.browsers(), k.meta.total())
	}
	place(&campaign.ConsentInput{Wording: new("app-3"), Page: new("https://app.example/checkout?phone=01711000000")})
	if k.browsers() != 1 {
		t.Errorf("got %d browsers, want one until the event is sent", k.browsers())
	}
	k.run()
	if e := k.meta.events; len(e) != 1 || e[0].Page != "https://app.example/checkout" || e[0].User.Agent != "Mozilla/5.0 (Android)" ||
		e[0].User.Address != "203.0.113.7" || e[0].Value != "970.00" || e[0].Contents[0].ID != mug.Variants[0].ID {
		t.Errorf("got %+v", e)
	}
	k.Set(t, map[string]any{"advertising": map[string]any{"tiktok": map[string]any{"pixelId": "C9ABCDEF0123456789"}}})
	if _, err := k.Conversions.SetReceiverToken(t.Context(), access.Operator(), conversion.TikTok, "tiktok-token"); err != nil {
		t.Fatal(err)
	}
	k.run()
	place(&campaign.ConsentInput{Wording: new("site-1-meta")}) // before the shop used TikTok
	if k.run(); k.tiktok.total() != 0 {
		t.Error("got an order sent to an advertiser that the buyer's consent does not name")
	}
	k.Set(t, map[string]any{"advertising": map[string]any{}})
	k.Exec(t, `DELETE FROM order_browsers`)
	place(&campaign.ConsentInput{})
	if k.run(); k.browsers() != 0 {
		t.Error("got a browser stored in a shop without receivers")
	}
}
