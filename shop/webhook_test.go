package shop_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"storefront/shop"
	"storefront/shop/access"
	"storefront/shop/shoptest"
)

func TestInbox_ARepeatOfAnAppliedCallChangesNothing(t *testing.T) {
	t.Parallel()
	s := shoptest.New(t, nil)
	applied := 0
	apply := func() (shop.Verdict, error) { applied++; return shop.VerdictApplied, nil }
	for range 3 {
		verdict, err := s.ReceiveWebhook(t.Context(), shop.CourierA, "", `{"event":"order.picked"}`, apply)
		if err != nil || verdict != shop.VerdictApplied {
			t.Fatalf("TakeCall = %v, %v", verdict, err)
		}
	}
	if applied != 1 {
		t.Errorf("applied %d times, want once", applied)
	}
	page, err := s.ListWebhooks(t.Context(), access.Operator(), shop.WebhookFilter{Provider: shop.CourierA})
	if err != nil || len(page.Nodes) != 1 || page.Nodes[0].Copies != 3 {
		t.Errorf("FindCalls = %+v, %v; want one call with 3 copies", page, err)
	}
}

func TestInbox_WhatIsNotAppliedIsProcessedAgain(t *testing.T) {
	t.Parallel()
	for _, first := range []shop.Verdict{shop.VerdictUnmatched, shop.VerdictStored} {
		s := shoptest.New(t, nil)
		verdicts := []shop.Verdict{first, shop.VerdictApplied}
		for i, want := range verdicts {
			got, err := s.ReceiveWebhook(t.Context(), shop.CourierB, "event-1", "{}", func() (shop.Verdict, error) { return verdicts[i], nil })
			if err != nil || got != want {
				t.Errorf("%s, call %d = %v, %v; want %v", first, i, got, err, want)
			}
		}
	}
}

func TestInbox_AFaultOfOursKeepsTheCall(t *testing.T) {
	t.Parallel()
	faults := map[string]func() (shop.Verdict, error){
		"error": func() (shop.Verdict, error) { return "", errors.New("broken") },
		"panic": func() (shop.Verdict, error) { panic("broken") },
	}
	for name, fault := range faults {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := shoptest.New(t, nil)
			got, err := s.ReceiveWebhook(t.Context(), shop.CourierA, "", "{}", fault)
			if err != nil || got != shop.VerdictFailed {
				t.Fatalf("TakeCall = %v, %v; want failed", got, err)
			}
			got, err = s.ReceiveWebhook(t.Context(), shop.CourierA, "", "{}", func() (shop.Verdict, error) { return shop.VerdictApplied, nil })
			if err != nil || got != shop.VerdictApplied {
				t.Errorf("again = %v, %v; want applied", got, err)
			}
		})
	}
}

func TestInbox_OneEventOfTwoProvidersIsTwo(t *testing.T) {
	t.Parallel()
	s := shoptest.New(t, nil)
	apply := func() (shop.Verdict, error) { return shop.VerdictApplied, nil }
	for _, provider := range []shop.Provider{shop.CourierA, shop.CourierB} {
		if _, err := s.ReceiveWebhook(t.Context(), provider, "same", "same", apply); err != nil {
			t.Fatal(err)
		}
	}
	page, err := s.ListWebhooks(t.Context(), access.Operator(), shop.WebhookFilter{})
	if err != nil || page.Meta.TotalCount != 2 {
		t.Errorf("FindCalls = %+v, %v; want two", page, err)
	}
}

func TestInbox_OldCallsArePurged(t *testing.T) {
	t.Parallel()
	clock := shoptest.NewClock()
	s := shoptest.New(t, &shoptest.Options{Clock: clock})
	apply := func() (shop.Verdict, error) { return shop.VerdictApplied, nil }
	for _, body := range []string{"old", "new"} {
		if _, err := s.ReceiveWebhook(t.Context(), shop.CourierA, "", body, apply); err != nil {
			t.Fatal(err)
		}
		clock.Advance(shop.WebhookRetention/2 + time.Second)
	}
	next, err := s.PurgeWebhooks(t.Context())
	if want := clock.Now().Add(shop.WebhookRetention/2 - time.Second); err != nil || !next.Equal(want) {
		t.Errorf("the next purge is at %v, %v; want %v", next, err, want)
	}
	page, err := s.ListWebhooks(t.Context(), access.Operator(), shop.WebhookFilter{})
	if err != nil || page.Meta.TotalCount != 1 {
		t.Errorf("FindCalls = %+v, %v; want the new one alone", page, err)
	}
}

func TestRefusedCalls_AreABoundedRing(t *testing.T) {
	t.Parallel()
	clock := shoptest.NewClock()
	s := shoptest.New(t, &shoptest.Options{Clock: clock})
	for range 3 { // within a second: the first is noted, the others wait
		if err := s.RecordRefused(t.Context(), shop.GatewayA, "the signature differs"); err != nil {
			t.Fatal(err)
		}
	}
	for range 200 {
		clock.Advance(time.Second)
		if err := s.RecordRefused(t.Context(), shop.GatewayA, "the signature differs"); err != nil {
			t.Fatal(err)
		}
	}
	list, err := s.ListRefusedWebhooks(t.Context(), access.Operator(), shop.GatewayA)
	if err != nil || len(list) != 50 {
		t.Fatalf("FindRefusedCalls gives %d, %v; want 50", len(list), err)
	}
	if !list[0].At.Equal(clock.Now()) {
		t.Errorf("the newest is of %v, want %v", list[0].At, clock.Now())
	}
	other, err := s.ListRefusedWebhooks(t.Context(), access.Operator(), shop.CourierA)
	if err != nil || len(other) != 0 {
		t.Errorf("another provider's ring has %d, %v", len(other), err)
	}
}

func TestMaskedBodies(t *testing.T) {
	t.Parallel()
	const form, json = "application/x-www-form-urlencoded", "application/json"
	tests := []struct{ name, contentType, body, want string }{
		{"form", form, "tran_id=T1&card_no=4111111111111111&status=VALID", "card_no=*** (16)\nstatus=VALID\ntran_id=T1"},
		{"json", json, `{"consignment_id":"D1","recipient_phone":"01711000000"}`, "{\n  \"consignment_id\": \"D1\",\n  \"recipient_phone\": \"*** (11)\"\n}"},
		{"nested", json, `{"a":[{"name":"Rahima"}]}`, "{\n  \"a\": [\n    {\n      \"name\": \"*** (6)\"\n    }\n  ]\n}"},
		{"unreadable", json, `{"phone":"01711`, `{"xxxxx":"99999`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if got := shop.MaskBody(tt.contentType, tt.body); got != tt.want {
				t.Errorf("got:\n%s\nwant:\n%s", got, tt.want)
			}
		})
	}
	if long := shop.MaskBody(json, strings.Repeat("a", 1<<20)); len(long) > 21_000 {
		t.Errorf("a huge body is shown in %d bytes", len(long))
	}
}
