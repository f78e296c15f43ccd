package inbox_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"storefront/shop/access"
	"storefront/shop/inbox"
	"storefront/shop/plugin"
	"storefront/shop/shoptest"
)

func TestReceiveWebhook_RepeatAfterApplied(t *testing.T) {
	t.Parallel()
	s := shoptest.New(t, nil)
	applied := 0
	apply := func() (inbox.Verdict, error) { applied++; return inbox.VerdictApplied, nil }
	for range 3 {
		verdict, err := shoptest.ReceiveWebhook(t.Context(), s, plugin.CourierA, "", `{"event":"order.picked"}`, apply)
		if err != nil || verdict != inbox.VerdictApplied {
			t.Fatalf("got %v, %v; want applied", verdict, err)
		}
	}
	if applied != 1 {
		t.Errorf("got %d applications, want 1", applied)
	}
	list, err := s.Inbox.ListWebhooks(t.Context(), access.Operator(), inbox.WebhookFilter{Provider: plugin.CourierA})
	if err != nil || len(list.Nodes) != 1 || list.Nodes[0].Copies != 3 {
		t.Errorf("got %+v, %v; want one webhook with 3 copies", list, err)
	}
}

func TestReceiveWebhook_RepeatBeforeApplied(t *testing.T) {
	t.Parallel()
	for _, first := range []inbox.Verdict{inbox.VerdictUnmatched, inbox.VerdictStored} {
		s := shoptest.New(t, nil)
		verdicts := []inbox.Verdict{first, inbox.VerdictApplied}
		for i, want := range verdicts {
			got, err := shoptest.ReceiveWebhook(t.Context(), s, plugin.CourierB, "event-1", "{}", func() (inbox.Verdict, error) { return verdicts[i], nil })
			if err != nil || got != want {
				t.Errorf("%s, webhook %d: got %v, %v; want %v", first, i, got, err, want)
			}
		}
	}
}

func TestReceiveWebhook_ErrorAndPanic(t *testing.T) {
	t.Parallel()
	failures := map[string]func() (inbox.Verdict, error){
		"error": func() (inbox.Verdict, error) { return "", errors.New("broken") },
		"panic": func() (inbox.Verdict, error) { panic("broken") },
	}
	for name, fail := range failures {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := shoptest.New(t, nil)
			got, err := shoptest.ReceiveWebhook(t.Context(), s, plugin.CourierA, "", "{}", fail)
			if err != nil || got != inbox.VerdictFailed {
				t.Fatalf("got %v, %v; want failed", got, err)
			}
			got, err = shoptest.ReceiveWebhook(t.Context(), s, plugin.CourierA, "", "{}", func() (inbox.Verdict, error) { return inbox.VerdictApplied, nil })
			if err != nil || got != inbox.VerdictApplied {
				t.Errorf("repeat: got %v, %v; want applied", got, err)
			}
		})
	}
}

func TestReceiveWebhook_SameKeyOfTwoProviders(t *testing.T) {
	t.Parallel()
	s := shoptest.New(t, nil)
	apply := func() (inbox.Verdict, error) { return inbox.VerdictApplied, nil }
	for _, provider := range []plugin.Provider{plugin.CourierA, plugin.CourierB} {
		if _, err := shoptest.ReceiveWebhook(t.Context(), s, provider, "same", "same", apply); err != nil {
			t.Fatal(err)
		}
	}
	list, err := s.Inbox.ListWebhooks(t.Context(), access.Operator(), inbox.WebhookFilter{})
	if err != nil || list.Meta.TotalCount != 2 {
		t.Errorf("got %+v, %v; want 2 webhooks", list, err)
	}
}

func TestPurgeWebhooks(t *testing.T) {
	t.Parallel()
	clock := shoptest.NewClock()
	s := shoptest.New(t, &shoptest.Options{Clock: clock})
	apply := func() (inbox.Verdict, error) { return inbox.VerdictApplied, nil }
	for _, body := range []string{"old", "new"} {
		if _, err := shoptest.ReceiveWebhook(t.Context(), s, plugin.CourierA, "", body, apply); err != nil {
			t.Fatal(err)
		}
		clock.Advance(inbox.WebhookRetention/2 + time.Second)
	}
	next, err := s.Inbox.PurgeWebhooks(t.Context())
	if want := clock.Now().Add(inbox.WebhookRetention/2 - time.Second); err != nil || !next.Equal(want) {
		t.Errorf("got next purge at %v, %v; want %v", next, err, want)
	}
	list, err := s.Inbox.ListWebhooks(t.Context(), access.Operator(), inbox.WebhookFilter{})
	if err != nil || list.Meta.TotalCount != 1 {
		t.Errorf("got %+v, %v; want the new webhook only", list, err)
	}
}

func TestListRefusedWebhooks_Bounded(t *testing.T) {
	t.Parallel()
	clock := shoptest.NewClock()
	s := shoptest.New(t, &shoptest.Options{Clock: clock})
	for range 3 { // within a second: the first is recorded, the others wait
		if err := s.Inbox.RecordRefused(t.Context(), plugin.GatewayA, "the signature does not match"); err != nil {
			t.Fatal(err)
		}
	}
	for range 200 {
		clock.Advance(time.Second)
		if err := s.Inbox.RecordRefused(t.Context(), plugin.GatewayA, "the signature does not match"); err != nil {
			t.Fatal(err)
		}
	}
	list, err := s.Inbox.ListRefusedWebhooks(t.Context(), access.Operator(), plugin.GatewayA)
	if err != nil || len(list) != 50 {
		t.Fatalf("got %d records, %v; want 50", len(list), err)
	}
	if !list[0].At.Equal(clock.Now()) {
		t.Errorf("got newest record of %v, want %v", list[0].At, clock.Now())
	}
	other, err := s.Inbox.ListRefusedWebhooks(t.Context(), access.Operator(), plugin.CourierA)
	if err != nil || len(other) != 0 {
		t.Errorf("other provider: got %d records, %v; want 0", len(other), err)
	}
}

func TestMaskBody(t *testing.T) {
	t.Parallel()
	const form, json = "application/x-www-form-urlencoded", "application/json"
	tests := []struct{ name, contentType, body, want string }{
		{"form", form, "tran_id=T1&card_no=4111111111111111&status=VALID", "card_no=*** (16)\nstatus=VALID\ntran_id=T1"},
		{
			"json", json, `{"consignment_id":"D1","recipient_phone":"01711000000"}`,
			"{\n  \"consignment_id\": \"D1\",\n  \"recipient_phone\": \"*** (11)\"\n}",
		},
		{"nested", json, `{"a":[{"name":"Rahima"}]}`, "{\n  \"a\": [\n    {\n      \"name\": \"*** (6)\"\n    }\n  ]\n}"},
		{"unreadable", json, `{"phone":"01711`, `{"xxxxx":"99999`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if got := inbox.MaskBody(tt.contentType, tt.body); got != tt.want {
				t.Errorf("got:\n%s\nwant:\n%s", got, tt.want)
			}
		})
	}
	if long := inbox.MaskBody(json, strings.Repeat("a", 1<<20)); len(long) > 21_000 {
		t.Errorf("got %d bytes of a body of 1 MiB, want at most 21,000", len(long))
	}
}
