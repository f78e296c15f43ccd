package server_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"storefront/shop/fault"
	"storefront/shop/sender"
	"storefront/shop/shoptest"
)

// The events of a time are sent again in batches, each of them once however often they are
// requested, whatever corrected clock they have. Too many are refused whole.
func TestAdmin_RedeliverRange(t *testing.T) {
	t.Parallel()
	s := newAuditShop(t)
	s.values["endpoint"] = s.must("POST", "webhook-endpoints", `{"url":"https://127.0.0.1:9/hook","types":["order.placed"]}`)["_id"].(string)
	last := s.shop.Number(t, `SELECT MAX(seq) FROM outbox`)
	began := s.shop.Clock.Now().Add(-time.Hour)
	s.shop.Exec(t, `DELETE FROM outbox`) // those of preparing the shop, which are of later times
	insert := func(first int64, count int, kind string, at time.Time, step time.Duration) {
		s.shop.Exec(t, `
			WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < ?)
			INSERT INTO outbox (seq, at, type, subject, data) SELECT ? + i, ? + i * ?, ?, 'O', '{}' FROM n`,
			count-1, first, at.UnixMilli(), step.Milliseconds(), kind)
	}
	insert(last+1, 2000, "order.placed", began, time.Second)
	insert(last+2101, 50, "order.paid", began.Add(2000*time.Second), time.Second) // numbers between were never stored
	// A clock was corrected by two minutes: these come after later ones.
	insert(last+2201, 3, "order.placed", began.Add(1980*time.Second), time.Second)
	s.shop.Exec(t, `INSERT INTO cursors (name, seq) VALUES ('webhooks', ?) ON CONFLICT (name) DO UPDATE SET seq = excluded.seq`, last+2500)
	redeliver := func(from, to time.Time) *reply {
		return s.as("POST", "webhook-endpoints/<endpoint>/redeliver",
			fmt.Sprintf(`{"from":%q,"to":%q}`, from.Format(time.RFC3339Nano), to.Format(time.RFC3339Nano)), "Cookie", s.owner)
	}
	queued := func(condition string) int64 {
		return s.shop.Number(t, `SELECT COUNT(*) FROM webhook_deliveries WHERE status = 'waiting'`+condition)
	}
	for range 2 {
		var got struct{ Queued int }
		redeliver(began.Add(400*time.Second), began.Add(2000*time.Second)).ok(http.StatusOK, &got)
		if got.Queued != 1603 || queued("") != 1603 || queued(" AND seq > 2200") != 3 {
			t.Errorf("got %+v, %d deliveries and %d after the correction, want 1603 with 3", got, queued(""), queued(" AND seq > 2200"))
		}
		s.shop.Exec(t, `UPDATE webhook_deliveries SET status = 'sent', due_at = NULL WHERE type = 'order.placed'`)
	}
	var none struct{ Queued int }
	redeliver(began.Add(-time.Hour), began).ok(http.StatusOK, &none)
	redeliver(began.Add(2010*time.Second), began.Add(2020*time.Second)).ok(http.StatusOK, &none) // of another type
	if none.Queued != 0 || queued("") != 0 {
		t.Errorf("got %+v and %d deliveries, want none", none, queued(""))
	}
	if n := s.shop.Number(t, `SELECT COUNT(*) FROM audit_log WHERE action = 'webhook_endpoint.redeliver'`); n != 4 {
		t.Errorf("got %d entries in the audit log, want one of each request", n)
	}
	insert(last+3000, 50_001, "order.placed", began.Add(3000*time.Second), time.Millisecond)
	got := redeliver(began.Add(2500*time.Second), began.Add(4000*time.Second)).problem(http.StatusUnprocessableEntity, fault.CodeValidationFailed)
	if got.fields() != "from invalid_value" || !strings.Contains(got.Errors[0].Message, "50,000") || queued("") != 0 {
		t.Errorf("got %+v and %d deliveries, want the range refused", got, queued(""))
	}
}

// Test messages are limited in number, a kind at a time: they cost money, and may go to anybody.
func TestAdmin_TestMessagesLimited(t *testing.T) {
	t.Parallel()
	s := newAuditShop(t)
	for path, body := range map[string]string{
		"messages/test": `{"event":"confirmed","to":"01711-000000"}`, "sms/test": `{"phoneNumber":"01711-000000"}`,
	} {
		send := func() *reply { return s.as("POST", path, body, "Cookie", s.owner) }
		for range sender.MaxTests {
			s.shop.Clock.Advance(time.Second)
			send().ok(http.StatusOK, new(any))
		}
		sent := len(s.shop.SMS.Messages())
		refused := send()
		refused.problem(http.StatusTooManyRequests, fault.CodeRateLimited)
		if wait := refused.header.Get("Retry-After"); wait != fmt.Sprint(24*60*60-sender.MaxTests+2) || len(s.shop.SMS.Messages()) != sent {
			t.Errorf("%s: got Retry-After %s and %d more messages, want a day from the first and none", path, wait, len(s.shop.SMS.Messages())-sent)
		}
		s.shop.Clock.Advance(24*time.Hour - time.Duration(sender.MaxTests-1)*time.Second)
		s.must("POST", "session/proof", `{"password":"`+shoptest.Password+`"}`)
		send().ok(http.StatusOK, new(any))
	}
}
