package tenants_test

import (
	"encoding/base64"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"storefront/db/dbtest"
	"storefront/provider/mail"
	"storefront/provider/mail/mailtest"
	"storefront/shop"
	"storefront/shop/access"
	"storefront/shop/catalogue"
	"storefront/shop/notify"
	"storefront/shop/order"
	"storefront/shop/outbox"
	"storefront/shop/plugin"
	"storefront/shop/shoptest"
	"storefront/shop/staff"
	"storefront/tenants"
)

// toSunday moves the clock to a Sunday at 9:00 in the shop's time zone, at least so many days
// later.
func (n *notified) toSunday(days int) {
	n.t.Helper()
	zone, err := n.TimeZone(n.t.Context())
	if err != nil {
		n.t.Fatal(err)
	}
	local := n.clock.Now().In(zone)
	at := time.Date(local.Year(), local.Month(), local.Day()+days, 9, 0, 0, 0, zone)
	for at.Weekday() != time.Sunday || !at.After(local) {
		at = at.AddDate(0, 0, 1)
	}
	n.clock.Advance(at.Sub(local))
}

// sell delivers 8 orders of coffee and lets 4 come back, two of them from one buyer. One unit is
// left.
func (n *notified) sell() {
	n.t.Helper()
	coffee, err := n.Catalogue.CreateProduct(n.t.Context(), access.Operator(), catalogue.ProductInput{
		Title: "Coffee", Variants: []catalogue.VariantInput{{Price: 10_000, Tracked: true, Stock: new(50)}},
	})
	if err != nil {
		n.t.Fatal(err)
	}
	ctx, operator := n.t.Context(), access.Operator()
	for i := range 12 {
		in := shoptest.GuestOrder(coffee.ID, 1)
		in.Customer.PhoneNumber = new(fmt.Sprintf("0171100%04d", max(i, 1)))
		placed, err := n.Orders.PlaceOrder(ctx, access.Caller{}, in, "")
		if err == nil {
			_, err = n.Orders.ConfirmOrder(ctx, operator, placed.ID)
		}
		if err == nil {
			_, err = n.Orders.RecordShipment(ctx, operator, placed.ID,
				order.ShipmentInput{Provider: plugin.CourierA, ConsignmentID: fmt.Sprint("C", i)})
		}
		if err == nil && i < 4 {
			_, err = n.Orders.MarkReturned(ctx, operator, placed.ID, nil)
		} else if err == nil {
			_, err = n.Orders.MarkDelivered(ctx, operator, placed.ID, nil)
		}
		if err != nil {
			n.t.Fatal(err)
		}
	}
	stock := catalogue.StockChange{Set: new(int64(1))}
	if _, err := n.Catalogue.ChangeStock(ctx, operator, coffee.Variants[0].ID, stock); err != nil {
		n.t.Fatal(err)
	}
	if _, err := n.Cash.ReportCash(ctx, operator); err != nil { // from now on the cash is summed
		n.t.Fatal(err)
	}
}

// weekly selects the weekly summary alone, on a channel.
func weekly(channels notify.Channels) notify.Change {
	return notify.Change{Events: map[outbox.Type]notify.Channels{notify.WeeklySummary: channels, outbox.OrderPlaced: {}}}
}

// The weekly summary says on Sundays what costs money, in the member's language and as far as it is
// permitted, once for a week, also if several runs of several servers meet.
func TestNotifications_Weekly(t *testing.T) {
	t.Parallel()
	n := newNotified(t)
	mails := mailtest.New(t, &mailtest.Options{Plain: true})
	config := mails.Config(t, func(c *mail.Config) { c.Security, c.Username, c.Password = "none", "", "" })
	if err := n.Sender.ConfigureMail(t.Context(), access.Operator(), config); err != nil {
		t.Fatal(err)
	}
	owner, bangla, viewer, other := n.member(staff.RoleOwner, "mina"), n.member(staff.RoleOwner, "rina"),
		n.member(staff.RoleViewer, "vik"), n.member(staff.RoleOwner, "tania")
	if _, err := n.Staff.UpdateMe(t.Context(), bangla, staff.MeChange{Language: new(staff.Bangla)}); err != nil {
		t.Fatal(err)
	}
	pushed, _ := n.browser(owner)
	seen, _ := n.browser(viewer)
	never, _ := n.browser(other)
	n.choose(owner, weekly(notify.Channels{Push: true}))
	n.choose(bangla, weekly(notify.Channels{Email: true}))
	n.choose(viewer, weekly(notify.Channels{Push: true}))
	n.choose(other, notify.Change{Events: map[outbox.Type]notify.Channels{outbox.OrderPlaced: {}}})
	n.toSunday(0)
	n.work() // the week before
	n.clock.Advance(time.Hour)
	n.sell()
	n.toSunday(8)
	var runs sync.WaitGroup
	for range 8 {
		runs.Go(func() {
			if _, err := n.Notify.Continue(t.Context()); err != nil {
				t.Error(err)
			}
		})
	}
	runs.Wait()
	n.work()
	n.work()
	lines := []string{
		"Pathao holds ৳800, the oldest for 13 days.", "Dhaka: 4 of 12 orders came back in four weeks.",
		"1 buyer returned two or more orders.", "Coffee: 1 left, enough for about 3 days.",
	}
	got := pushed.All()
	if len(got) != 1 || got[0].Title != "This costs you money" || got[0].Body != strings.Join(append(lines, "Shop acme"), "\n") ||
		!strings.HasSuffix(got[0].URL, "/acme/cash") {
		t.Fatalf("got %+v\nwant %q", got, lines)
	}
	m := mails.Next(t, "rina@example.com")
	for _, want := range []string{"পাঠাও-এর কাছে ৳৮০০, সবচেয়ে পুরোনোটি ১৩ দিনের।", "Coffee: ১টি আছে, প্রায় ৩ দিন চলবে।"} {
		if !strings.Contains(m.Text, want) || !strings.Contains(m.Subject, "টাকা নষ্ট হচ্ছে") {
			t.Errorf("got %s\n%s\nwant %q", m.Subject, m.Text, want)
		}
	}
	if len(mails.Unread()) != 0 || len(never.All()) != 0 {
		t.Errorf("got %d more e-mails and %d messages at who has not chosen it", len(mails.Unread()), len(never.All()))
	}
	if len(seen.All()) > 1 {
		t.Errorf("got %d messages at a viewer, want at most one", len(seen.All()))
	}
	n.clock.Advance(time.Hour)
	n.work()
	n.choose(owner, weekly(notify.Channels{}))
	n.toSunday(1)
	n.work()
	if got := pushed.All(); len(got) != 1 {
		t.Errorf("got %d messages, want none in the same week and after it was turned off", len(got))
	}
}

// A week without anything that costs money sends nothing, and a summary that is missed for a day is
// not sent late.
func TestNotifications_WeeklyEmpty(t *testing.T) {
	t.Parallel()
	n := newNotified(t)
	owner := n.member(staff.RoleOwner, "mina")
	pushed, _ := n.browser(owner)
	n.choose(owner, weekly(notify.Channels{Push: true}))
	n.toSunday(0)
	n.work()
	if queued := n.number(`SELECT COUNT(*) FROM notifications WHERE status = 'skipped'`); queued != 1 || len(pushed.All()) != 0 {
		t.Errorf("got %d skipped and %d messages, want one skipped", queued, len(pushed.All()))
	}
	n.sell()
	n.toSunday(1)
	n.clock.Advance(25 * time.Hour)
	if next := n.work(); len(pushed.All()) != 0 || next.Sub(n.clock.Now()) < 5*24*time.Hour {
		t.Errorf("got %d messages, the next in %s, want the next Sunday", len(pushed.All()), next.Sub(n.clock.Now()))
	}
}

// Two servers on one database send one summary.
func TestNotifications_WeeklyTwoServers(t *testing.T) {
	t.Parallel()
	c := dbtest.NewCluster(t)
	n := newNotifiedOf(t, func(cfg *tenants.Config) {
		cfg.Engine, cfg.Key = c.Address("postgres"), base64.StdEncoding.EncodeToString(make([]byte, 32))
	})
	owner := n.member(staff.RoleOwner, "mina")
	pushed, _ := n.browser(owner)
	n.choose(owner, weekly(notify.Channels{Push: true}))
	second := open(t, "", n.config)
	other, err := second.Shop(t.Context(), "acme")
	if err != nil {
		t.Fatal(err)
	}
	n.toSunday(0)
	n.work() // the week before
	n.clock.Advance(time.Hour)
	n.sell()
	n.toSunday(8)
	var runs sync.WaitGroup
	for i := range 8 {
		server := []*shop.Shop{n.Shop, other}[i%2]
		runs.Go(func() {
			if _, err := server.Notify.Continue(t.Context()); err != nil {
				t.Error(err)
			}
		})
	}
	runs.Wait()
	dbtest.Eventually(t, "a summary was sent", func() bool { return len(pushed.All()) > 0 }) // by either server, in the background
	for _, server := range []*shop.Shop{other, n.Shop, other} {
		if _, err := server.Notify.Continue(t.Context()); err != nil {
			t.Error(err)
		}
	}
	n.work()
	if got := pushed.All(); len(got) != 1 || got[0].Title != "This costs you money" {
		t.Errorf("got %+v, want one summary", got)
	}
}
