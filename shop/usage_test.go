package shop_test

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"storefront/shop/access"
	"storefront/shop/fault"
	"storefront/shop/order"
	"storefront/shop/plan"
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

// After random days of orders, edits, confirmations and cancellations the usage of each month is
// the sum over the shop's orders, and so are the orders that its plan counts.
func TestFindUsage_EqualsSums(t *testing.T) {
	t.Parallel()
	s := shoptest.NewStocked(t, &shoptest.Options{})
	zone, err := s.TimeZone(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	r := rand.New(rand.NewPCG(1, 2))
	var ids []string
	months, edited := map[string]bool{}, 0
	for i := range 60 {
		s.Clock.Advance(time.Duration(r.IntN(40)) * time.Hour)
		in := shoptest.GuestOrder(s.Card.ID, 1)
		in.Customer.PhoneNumber = new(fmt.Sprintf("017110%05d", i))
		placed, err := s.Orders.PlaceOrder(t.Context(), access.Caller{}, in, "")
		if err != nil {
			t.Fatal(err)
		}
		ids = append(ids, placed.ID)
		months[s.Clock.Now().In(zone).Format("2006-01")] = true
		id := ids[r.IntN(len(ids))]
		switch r.IntN(4) { // what the order's status does not allow is refused
		case 0:
			_, _ = s.Orders.CancelOrderAsStaff(t.Context(), access.Operator(), id, "changed")
		case 1:
			_, _ = s.Orders.ConfirmOrder(t.Context(), access.Operator(), id)
		case 2:
			items := []order.StaffItemInput{{VariantID: s.Card.Variants[0].ID, Quantity: 1 + r.IntN(3)}}
			if _, err := s.Orders.EditOrder(t.Context(), access.Operator(), id, order.Edit{Items: &items}); err == nil {
				edited++
			}
		}
	}
	if len(months) < 2 || edited < 5 {
		t.Fatalf("got the months %v and %d edits, want several", months, edited)
	}
	now := s.Clock.Now().In(zone)
	for month := range months {
		u, err := s.FindUsage(t.Context(), access.Operator(), month)
		if err != nil {
			t.Fatal(err)
		}
		first, err := time.ParseInLocation("2006-01", month, zone)
		if err != nil {
			t.Fatal(err)
		}
		sum := func(what string) int64 {
			return shoptest.Number(t, s.Store, s.UID(), `
				SELECT COALESCE(`+what+`, 0) FROM orders
				WHERE status NOT IN ('cancelled', 'expired', 'pending_payment') AND test = 0 AND placed_at >= ? AND placed_at < ?`,
				first, first.AddDate(0, 1, 0))
		}
		if orders, revenue := sum("COUNT(*)"), sum("SUM(total - credited)"); u.Orders != orders || u.Revenue != revenue || orders == 0 {
			t.Errorf("%s: got %d orders of %d, want %d of %d", month, u.Orders, u.Revenue, orders, revenue)
		}
		if u.Closed != (month != now.Format("2006-01")) {
			t.Errorf("%s: got closed %t", month, u.Closed)
		}
	}
	p := &plan.Plan{Name: "basic"}
	p.Limits.Set(plan.Orders, 1)
	if _, err := s.SetPlan(t.Context(), access.Operator(), p); err != nil {
		t.Fatal(err)
	}
	counted, err := s.FindPlan(t.Context(), access.Operator())
	if err != nil {
		t.Fatal(err)
	}
	u, err := s.FindUsage(t.Context(), access.Operator(), "")
	if err != nil || counted.Uses[0].Used != u.Orders {
		t.Errorf("got %d orders of the plan and %d of the usage, %v, want the same", counted.Uses[0].Used, u.Orders, err)
	}
}
