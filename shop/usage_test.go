package shop_test

import (
	"testing"
	"time"

	"storefront/shop/access"
	"storefront/shop/fault"
	"storefront/shop/shoptest"
)

// Messages are counted in the month in which they were sent in the shop's time zone, text messages
// by their parts.
func TestFindUsage_Messages(t *testing.T) {
	t.Parallel()
	s := shoptest.NewStocked(t, &shoptest.Options{})
	placed, err := s.Orders.PlaceOrder(t.Context(), access.Caller{}, shoptest.GuestOrder(s.Card.ID, 1), "")
	if err != nil {
		t.Fatal(err)
	}
	zone, err := s.TimeZone(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	begin := time.Date(2026, 3, 1, 0, 0, 0, 0, zone)
	insert := func(event, channel, status string, segments int, at time.Time) {
		t.Helper()
		shoptest.Exec(t, s.Store, s.UID(), `
			INSERT INTO buyer_messages (order_number, event, subject, channel, status, reason, attempts, message_id, segments, created_at, updated_at)
			VALUES (?, ?, '', ?, ?, '', 1, '', ?, ?, ?)`, placed.OrderNumber, event, channel, status, segments, at, at)
	}
	insert("a", "sms", "sent", 3, begin)
	insert("b", "sms", "unknown", 2, begin.AddDate(0, 1, 0).Add(-time.Millisecond))
	insert("c", "email", "sent", 1, begin.AddDate(0, 0, 9))
	insert("d", "sms", "failed", 0, begin.AddDate(0, 0, 9))
	insert("e", "sms", "sent", 7, begin.Add(-time.Millisecond))
	insert("f", "sms", "sent", 5, begin.AddDate(0, 1, 0))
	for month, want := range map[string][2]int64{"2026-02": {7, 0}, "2026-03": {5, 1}, "2026-04": {5, 0}} {
		usage, err := s.FindUsage(t.Context(), access.Operator(), month)
		if err != nil {
			t.Fatal(err)
		}
		if got := [2]int64{usage.SMSSegments, usage.Emails}; got != want {
			t.Errorf("%s: got %v, want %v", month, got, want)
		}
	}
	_, err = s.FindUsage(t.Context(), access.Caller{}, "")
	shoptest.WantCode(t, err, fault.CodeUnauthenticated)
}
