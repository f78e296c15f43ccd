package tenants_test

import (
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"storefront/provider/push/pushtest"
	"storefront/shop/fault"
	"storefront/shop/notify"
	"storefront/shop/outbox"
	"storefront/shop/shoptest"
	"storefront/shop/staff"
	"storefront/tenants"
)

// In quiet hours nothing is sent. What happened is sent when they end, as one message if it is
// much.
func TestNotifications_Quiet(t *testing.T) {
	t.Parallel()
	n := newNotified(t)
	owner, second := n.member(staff.RoleOwner, "mina"), n.member(staff.RoleOwner, "tania")
	b, _ := n.browser(owner)
	awake, _ := n.browser(second)
	zone, err := n.TimeZone(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	local := n.clock.Now().In(zone)
	n.clock.Advance(time.Date(local.Year(), local.Month(), local.Day()+1, 23, 30, 0, 0, zone).Sub(local))
	p := n.choose(owner, notify.Change{Quiet: &notify.Quiet{From: "22:00", Until: "07:00"}})
	if p.Quiet == nil || *p.Quiet != (notify.Quiet{From: "22:00", Until: "07:00"}) || p.TimeZone != "Asia/Dhaka" {
		t.Errorf("got %+v", p)
	}
	for range 5 {
		n.order()
	}
	next := n.work()
	if want := n.clock.Now().Add(7*time.Hour + 30*time.Minute); !next.Equal(want) || len(b.All()) != 0 {
		t.Errorf("got %d messages, the next at %s, want none until %s", len(b.All()), next, want)
	}
	if len(awake.All()) == 0 {
		t.Error("got nothing at a member without quiet hours")
	}
	n.clock.Advance(next.Sub(n.clock.Now()))
	n.work()
	got := b.All()
	if len(got) != 1 || got[0].Title != "5 notifications" || !strings.HasPrefix(got[0].Body, "New orders: 5") || got[0].URL != "/admin/#/acme/orders" {
		t.Errorf("got %+v, want one message about all", got)
	}
	n.order()
	n.work()
	if got := b.All(); len(got) != 2 || !strings.HasPrefix(got[1].Title, "New order ") {
		t.Errorf("got %+v, want the order at once", got)
	}
	if p := n.choose(owner, notify.Change{Quiet: &notify.Quiet{}}); p.Quiet != nil {
		t.Errorf("got quiet hours %+v, want none", p.Quiet)
	}
	for _, bad := range []notify.Quiet{
		{From: "22:00", Until: "22:00"}, {From: "25:00", Until: "07:00"}, {From: "7:00", Until: "08:00"}, {Until: "08:00"},
	} {
		_, err := n.Notify.UpdatePreferences(t.Context(), owner, notify.Change{Quiet: &bad})
		wantCode(t, err, fault.CodeValidationFailed)
	}
}

// Quiet hours also hold for what was queued before them: a failed message is repeated after them,
// what was due while the server was down is sent after them, and quiet hours that are set later
// count. A channel that was turned off meanwhile gets nothing.
func TestNotifications_QuietAfterQueueing(t *testing.T) {
	t.Parallel()
	n := newNotified(t)
	owner, second, third := n.member(staff.RoleOwner, "mina"), n.member(staff.RoleOwner, "tania"), n.member(staff.RoleOwner, "rina")
	b, _ := n.browser(owner)
	later, _ := n.browser(second)
	off, _ := n.browser(third)
	zone, err := n.TimeZone(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	local := n.clock.Now().In(zone)
	at := func(day, hour, minute int) {
		t.Helper()
		n.clock.Advance(time.Date(local.Year(), local.Month(), local.Day()+day, hour, minute, 0, 0, zone).Sub(n.clock.Now()))
	}
	at(1, 21, 59)
	n.choose(owner, notify.Change{Quiet: &notify.Quiet{From: "22:00", Until: "07:00"}})
	fail := func(_ int, w http.ResponseWriter) { w.WriteHeader(http.StatusServiceUnavailable) }
	for _, one := range []*pushtest.Browser{b, later, off} {
		one.Answer(fail)
	}
	n.order()
	for range 2 { // the third attempt would be at 22:00:10
		n.clock.Advance(max(n.work().Sub(n.clock.Now()), 0))
	}
	n.work()
	for _, one := range []*pushtest.Browser{b, later, off} {
		one.Answer(nil)
	}
	n.choose(second, notify.Change{Quiet: &notify.Quiet{From: "20:00", Until: "06:00"}})
	n.choose(third, notify.Change{Events: map[outbox.Type]notify.Channels{outbox.OrderPlaced: {Email: true}}})
	before := []int{len(b.All()), len(later.All()), len(off.All())}
	at(1, 22, 30)
	next := n.work()
	if got := []int{len(b.All()), len(later.All()), len(off.All())}; !slices.Equal(got, before) {
		t.Errorf("got %d messages in quiet hours and by a channel that is off, want %d as before them", got, before)
	}
	if want := time.Date(local.Year(), local.Month(), local.Day()+2, 6, 0, 0, 0, zone); !next.Equal(want) {
		t.Errorf("got the next at %s, want the end of the quiet hours %s", next, want)
	}
	at(2, 7, 0)
	n.work()
	if got := []int{len(b.All()) - before[0], len(later.All()) - before[1], len(off.All()) - before[2]}; !slices.Equal(got, []int{1, 1, 0}) {
		t.Errorf("got %d messages after the quiet hours, want one, one and none", got)
	}

	at(2, 21, 55)
	queued := n.clock.Now().UnixMilli()
	n.order()
	n.work()
	shoptest.Exec(t, tenants.StoreOf(n.all), "acme", // as a crash leaves it
		`UPDATE notifications SET status = 'waiting', due_at = at, claim = 'dead', claimed_until = ?
		WHERE at >= ? AND status = 'sent'`, queued+60_000, queued)
	sent := len(b.All())
	at(2, 23, 0)
	n.work()
	if got := len(b.All()) - sent; got != 0 {
		t.Errorf("got %d messages in quiet hours that a crash has interrupted before them, want none", got)
	}
	at(3, 7, 0)
	n.work()
	if got := len(b.All()) - sent; got != 1 {
		t.Errorf("got %d messages after the quiet hours, want the one that was interrupted", got)
	}
}

// The daily summary is sent once, at 21:00 in the shop's time zone, to who has chosen it.
func TestNotifications_Summary(t *testing.T) {
	t.Parallel()
	n := newNotified(t)
	owner, second := n.member(staff.RoleOwner, "mina"), n.member(staff.RoleOwner, "tania")
	b, _ := n.browser(owner)
	other, _ := n.browser(second)
	n.choose(owner, notify.Change{Events: map[outbox.Type]notify.Channels{notify.DailySummary: {Push: true}, outbox.OrderPlaced: {}}})
	zone, err := n.TimeZone(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	local := n.clock.Now().In(zone)
	n.clock.Advance(time.Date(local.Year(), local.Month(), local.Day()+1, 10, 0, 0, 0, zone).Sub(local))
	n.order()
	n.order()
	n.work()
	for range 2 {
		next := n.work()
		at := next.In(zone)
		if at.Hour() != 21 || at.Minute() != 0 {
			t.Fatalf("got the next at %s, want 21:00", at)
		}
		n.clock.Advance(next.Sub(n.clock.Now()))
		n.work()
		n.work()
	}
	got := b.All()
	if len(got) != 2 || got[0].Title != "Today: 2 orders" || got[0].Body != "৳200 · To confirm: 2\nShop acme" || got[1].Title != "Today: 0 orders" {
		t.Errorf("got %+v, want two summaries", got)
	}
	if got := other.All(); slices.ContainsFunc(got, func(r pushtest.Received) bool { return strings.HasPrefix(r.Title, "Today") }) {
		t.Errorf("got %+v at who has not chosen it", got)
	}
}

// The summary of a day is that of the day, although quiet hours delay it into the next one.
func TestNotifications_SummaryDelayed(t *testing.T) {
	t.Parallel()
	n := newNotified(t)
	owner := n.member(staff.RoleOwner, "mina")
	b, _ := n.browser(owner)
	n.choose(owner, notify.Change{
		Events: map[outbox.Type]notify.Channels{notify.DailySummary: {Push: true}, outbox.OrderPlaced: {}},
		Quiet:  &notify.Quiet{From: "20:00", Until: "07:00"},
	})
	zone, err := n.TimeZone(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	local := n.clock.Now().In(zone)
	n.clock.Advance(time.Date(local.Year(), local.Month(), local.Day()+1, 10, 0, 0, 0, zone).Sub(local))
	n.order()
	n.order()
	n.work()
	for _, hours := range []time.Duration{11, 10} { // to 21:00, and to the end of the quiet hours
		n.clock.Advance(hours * time.Hour)
		n.work()
		n.work()
	}
	if got := b.All(); len(got) != 1 || got[0].Title != "Yesterday: 2 orders" {
		t.Errorf("got %+v, want the summary of the day before", got)
	}
}
