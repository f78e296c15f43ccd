package tenants_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"storefront/db"
	"storefront/db/dbtest"
	"storefront/provider/push/pushtest"
	"storefront/shop/access"
	"storefront/shop/endpoint"
	"storefront/shop/fault"
	"storefront/shop/locale"
	"storefront/shop/notify"
	"storefront/shop/outbox"
	"storefront/shop/shoptest"
	"storefront/shop/staff"
	"storefront/tenants"
)

// By default members are notified of what they may act on: a problem of a shipment, a payment to be
// checked and a product that is sold out.
func TestNotifications_Defaults(t *testing.T) {
	t.Parallel()
	n := newNotified(t)
	browsers := map[staff.Role]*pushtest.Browser{}
	for _, role := range []staff.Role{staff.RoleOwner, staff.RoleStaff, staff.RolePacker, staff.RoleViewer} {
		browsers[role], _ = n.browser(n.member(role, string(role)))
	}
	n.work()
	placed := n.order()
	n.work()
	before := map[staff.Role]int{}
	for role, b := range browsers {
		before[role] = len(b.All())
	}
	err := tenants.StoreOf(n.all).Update(t.Context(), "acme", func(_ context.Context, tx *db.Tx) error {
		return errors.Join(
			outbox.Append(tx, outbox.Event{Type: outbox.ShipmentProblem, Subject: placed.ID, Data: outbox.Data{Actor: outbox.Shop()}}),
			outbox.Append(tx, outbox.Event{Type: outbox.OrderPaymentReview, Subject: placed.ID, Data: outbox.Data{Actor: outbox.Shop()}}),
			outbox.Append(tx, outbox.Event{Type: outbox.StockOut, Subject: n.product.Variants[0].ID}),
		)
	})
	if err != nil {
		t.Fatal(err)
	}
	n.work()
	problem, review, out := fmt.Sprintf("Delivery problem: order %d", placed.OrderNumber),
		fmt.Sprintf("Check the payment of order %d", placed.OrderNumber), "Sold out: Tea"
	for role, want := range map[staff.Role][]string{
		staff.RoleOwner: {problem, review, out}, staff.RoleStaff: {problem, out}, staff.RolePacker: {problem},
		staff.RoleViewer: nil,
	} {
		var got []string
		for _, one := range browsers[role].All()[before[role]:] {
			got = append(got, one.Title)
			if isOrder := one.Title == problem; isOrder && strings.Contains(one.Body, "৳") == (role == staff.RolePacker) {
				t.Errorf("%s: got %q, want an amount for all but packers", role, one.Body)
			}
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s: got %q, want %q", role, got, want)
		}
	}
}

// A browser is notified as long as the session in which it was subscribed: until the member signs
// out, ends the session from elsewhere, or the session expires. In the next one it is subscribed
// again.
func TestNotifications_EndOfSession(t *testing.T) {
	t.Parallel()
	for name, end := range map[string]func(n *notified, owner access.Caller) error{
		"signed out": func(n *notified, owner access.Caller) error { return n.Staff.EndSession(t.Context(), owner) },
		"ended all":  func(n *notified, owner access.Caller) error { return n.Staff.EndOwnSessions(t.Context(), owner) },
		"expired":    func(n *notified, _ access.Caller) error { n.clock.Advance(31 * 24 * time.Hour); return nil },
		"reset": func(n *notified, _ access.Caller) error {
			_, link, err := n.Staff.CreateLink(t.Context(), access.Operator(), "mina@example.com")
			if err == nil {
				_, err = n.Staff.UseLink(t.Context(), access.Caller{}, staff.UseLinkInput{Token: link.Token, Password: shoptest.Password})
			}
			return err
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			n := newNotified(t)
			owner := n.member(staff.RoleOwner, "mina")
			b, _ := n.browser(owner)
			n.order()
			n.work()
			if got := len(b.All()); got != 1 {
				t.Fatalf("got %d messages, want 1", got)
			}
			if err := end(n, owner); err != nil {
				t.Fatal(err)
			}
			n.order()
			n.work()
			if got := len(b.All()); got != 1 {
				t.Fatalf("got %d messages after the session has ended, want 1", got)
			}
			signedIn, err := n.Staff.SignIn(t.Context(), access.Caller{}, staff.SignInInput{User: "mina@example.com", Password: shoptest.Password})
			if err != nil {
				t.Fatal(err)
			}
			next := access.Caller{Session: signedIn.Token}
			if p, err := n.Notify.FindPreferences(t.Context(), next); err != nil || len(p.Devices) != 0 {
				t.Errorf("got %+v, %v, want no device in a new session", p, err)
			}
			n.subscribe(next, b)
			n.order()
			n.work()
			if got := len(b.All()); got != 2 {
				t.Errorf("got %d messages, want 2 after the browser was subscribed again", got)
			}
			if err := n.Staff.EndSession(t.Context(), next); err != nil {
				t.Fatal(err)
			}
			if _, err := n.Notify.Purge(t.Context()); err != nil {
				t.Fatal(err)
			}
			if rows := n.number(`SELECT COUNT(*) FROM push_devices`); rows != 0 {
				t.Errorf("got %d devices stored, want none", rows)
			}
		})
	}
}

// Owners are notified of an endpoint that was disabled. Who loses a permission is notified no more.
func TestNotifications_Permissions(t *testing.T) {
	t.Parallel()
	n := newNotified(t)
	owner, worker := n.member(staff.RoleOwner, "mina"), n.member(staff.RoleStaff, "rina")
	n.member(staff.RoleOwner, "tania")
	b, _ := n.browser(owner)
	other, _ := n.browser(worker)
	receiver := newReceiver(t)
	receiver.answerWith(func(_ int, w http.ResponseWriter) { w.WriteHeader(http.StatusGone) })
	in := endpoint.Input{URL: receiver.URL, Label: "The ERP", Types: []outbox.Type{outbox.OrderPlaced}}
	_, _, err := n.Endpoints.CreateEndpoint(t.Context(), access.Operator(), in)
	if err != nil {
		t.Fatal(err)
	}
	n.work()
	n.order()
	n.work()
	dbtest.Eventually(t, "the endpoint is disabled", func() bool {
		if _, err := n.Endpoints.Continue(t.Context()); err != nil {
			t.Fatal(err)
		}
		return n.number(`SELECT COUNT(*) FROM webhook_endpoints WHERE active = 0`) == 1
	})
	n.work()
	if got := b.All(); len(got) != 2 || got[1].Title != "Webhooks stopped: The ERP" || len(other.All()) != 1 {
		t.Errorf("got %+v at the owner and %d messages at a worker", got, len(other.All()))
	}
	recent, err := n.Notify.FindRecent(t.Context(), owner, "")
	if err != nil || recent.Unseen != 2 || len(recent.Events) != 2 || recent.Events[0].Title != "Webhooks stopped: The ERP" || !recent.Events[0].New {
		t.Fatalf("got %+v, %v", recent, err)
	}
	if err := n.Notify.MarkSeen(t.Context(), owner, recent.Events[0].Seq); err != nil {
		t.Fatal(err)
	}
	if recent, err = n.Notify.FindRecent(t.Context(), owner, ""); err != nil || recent.Unseen != 0 {
		t.Errorf("got %+v, %v, want all seen", recent, err)
	}
	_, err = n.Notify.UpdatePreferences(t.Context(), owner, notify.Change{Events: map[outbox.Type]notify.Channels{"order.nonsense": {Push: true}}})
	wantCode(t, err, fault.CodeValidationFailed)

	// A viewer's choice has no effect on what the permissions do not include.
	n.choose(worker, notify.Change{Events: map[outbox.Type]notify.Channels{outbox.WebhookEndpointDisabled: {Push: true}}})
	p, err := n.Notify.FindPreferences(t.Context(), worker)
	if err != nil || slices.ContainsFunc(p.Events, func(e notify.EventChoice) bool { return e.Type == string(outbox.WebhookEndpointDisabled) }) {
		t.Errorf("got %+v, %v", p.Events, err)
	}
	n.order()
	if _, err := n.Staff.TurnOffMember(t.Context(), access.Operator(), "rina@example.com"); err != nil {
		t.Fatal(err)
	}
	n.work()
	if got := len(other.All()); got != 1 {
		t.Errorf("got %d messages at a member who is off, want 1", got)
	}
}

// A copy of a shop notifies nobody.
func TestNotifications_Copies(t *testing.T) {
	t.Parallel()
	n := newNotified(t)
	owner := n.member(staff.RoleOwner, "mina")
	b, _ := n.browser(owner)
	if _, err := n.Notify.ConfigureChannels(t.Context(), owner, notify.ChannelChange{TelegramToken: new(botToken)}); err != nil {
		t.Fatal(err)
	}
	b.Answer(func(_ int, w http.ResponseWriter) { w.WriteHeader(http.StatusBadGateway) })
	n.order()
	n.work() // an attempt is due
	file := backUp(t, n.all, "acme")
	if _, err := n.all.Restore(t.Context(), tenants.RestoreOptions{File: file, Of: "acme", As: "acme-copy"}); err != nil {
		t.Fatal(err)
	}
	clone := find(t, n.all, "acme-copy")
	sent := len(b.All())
	n.clock.Advance(time.Hour)
	if next, err := clone.Notify.Continue(context.Background()); err != nil || !next.IsZero() || len(b.All()) != sent {
		t.Errorf("got %s, %v and %d messages, want nothing due in a copy", next, err, len(b.All())-sent)
	}
	c, err := clone.Notify.FindChannels(t.Context(), access.Operator())
	if err != nil || c.TelegramBot != "" {
		t.Errorf("got %+v, %v, want no bot in a copy", c, err)
	}
}

// The bell of a new member counts what happened since the first sign-in, in whichever language the
// events are read.
func TestNotifications_NewMember(t *testing.T) {
	t.Parallel()
	n := newNotified(t)
	for range 5 {
		n.order()
	}
	owner := n.member(staff.RoleOwner, "mina")
	want := func(unseen int) *notify.Recent {
		t.Helper()
		recent, err := n.Notify.FindRecent(t.Context(), owner, "bn")
		if err != nil || recent.Unseen != unseen {
			t.Fatalf("got %+v, %v, want %d new", recent, err, unseen)
		}
		return recent
	}
	if got := want(0).Events; len(got) != 5 {
		t.Errorf("got %d events, want the five orders before", len(got))
	}
	placed := n.order()
	recent := want(1)
	if got := recent.Events[0]; got.Title != "নতুন অর্ডার "+locale.Bangla.Digits(fmt.Sprint(placed.OrderNumber)) {
		t.Errorf("got %q, want the title in Bangla", got.Title)
	}
	if _, err := n.Staff.SignIn(t.Context(), access.Caller{}, staff.SignInInput{User: "mina@example.com", Password: shoptest.Password}); err != nil {
		t.Fatal(err)
	}
	want(1)
	if err := n.Notify.MarkSeen(t.Context(), owner, recent.Events[0].Seq); err != nil {
		t.Fatal(err)
	}
	want(0)
}
