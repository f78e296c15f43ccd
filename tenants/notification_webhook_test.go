package tenants_test

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"testing"
	"time"

	"storefront/db"
	"storefront/db/dbtest"
	"storefront/provider/push/pushtest"
	"storefront/shop/access"
	"storefront/shop/endpoint"
	"storefront/shop/outbox"
	"storefront/shop/staff"
	"storefront/tenants"
)

// A provider's webhook that failed is announced to those who may replay it, without any choice, and
// owners learn that an endpoint was disabled.
func TestNotifications_Webhooks(t *testing.T) {
	t.Parallel()
	n := newNotified(t)
	owner, viewer := n.member(staff.RoleOwner, "mina"), n.member(staff.RoleViewer, "vik")
	phone, _ := n.browser(owner)
	other, _ := n.browser(viewer)
	n.work()
	gone := newReceiver(t)
	gone.answerWith(func(_ int, w http.ResponseWriter) { w.WriteHeader(http.StatusGone) })
	if _, _, err := n.Endpoints.CreateEndpoint(t.Context(), access.Operator(), endpoint.Input{URL: gone.URL, Label: "Accounts"}); err != nil {
		t.Fatal(err)
	}
	n.order()
	dbtest.Eventually(t, "the endpoint is disabled", func() bool {
		if _, err := n.Endpoints.Continue(t.Context()); err != nil {
			t.Fatal(err)
		}
		return n.number(`SELECT COUNT(*) FROM webhook_endpoints WHERE active = 0`) == 1
	})
	n.work()
	titles := func(b *pushtest.Browser) (titles []string) {
		for _, one := range b.All() {
			titles = append(titles, one.Title)
		}
		return titles
	}
	if got := titles(phone); len(got) != 2 || !slices.Contains(got, "Webhooks stopped: Accounts") {
		t.Errorf("got %q, want the order and the endpoint that was disabled", got)
	}
	err := tenants.StoreOf(n.all).Update(t.Context(), "acme", func(_ context.Context, tx *db.Tx) error {
		return outbox.Append(tx, outbox.Event{Type: outbox.ProviderWebhookFailed, Subject: "1", Data: outbox.Data{Actor: outbox.Shop()}})
	})
	if err != nil {
		t.Fatal(err)
	}
	n.work()
	if got := titles(phone); len(got) != 3 || got[2] != "A message from a provider needs attention" {
		t.Errorf("got %q, want the webhook that failed", got)
	}
	if got := titles(other); len(got) != 0 {
		t.Errorf("got %q at a viewer", got)
	}
}

// Owners are notified of an endpoint that is disabled because every delivery has failed for five
// days. Until then nothing is reported, and afterwards nothing more.
func TestNotifications_WebhooksFailing(t *testing.T) {
	t.Parallel()
	n := newNotified(t)
	owner, manager := n.member(staff.RoleOwner, "mina"), n.member(staff.RoleManager, "rafi")
	phone, _ := n.browser(owner)
	other, _ := n.browser(manager)
	n.work()
	down := newReceiver(t)
	down.answerWith(func(_ int, w http.ResponseWriter) { w.WriteHeader(http.StatusInternalServerError) })
	if _, _, err := n.Endpoints.CreateEndpoint(t.Context(), access.Operator(), endpoint.Input{URL: down.URL, Label: "Accounts"}); err != nil {
		t.Fatal(err)
	}
	stopped := func(b *pushtest.Browser) (count int) {
		for _, one := range b.All() {
			if one.Title == "Webhooks stopped: Accounts" {
				count++
			}
		}
		return count
	}
	send := func() {
		t.Helper()
		dbtest.Eventually(t, "no delivery is due", func() bool {
			if _, err := n.Endpoints.Continue(t.Context()); err != nil {
				t.Fatal(err)
			}
			return n.number(fmt.Sprintf(`SELECT COUNT(*) FROM webhook_deliveries WHERE due_at <= %d`, n.clock.Now().UnixMilli())) == 0
		})
		n.work()
	}
	for day := range 8 {
		n.order()
		send()
		active := n.number(`SELECT COUNT(*) FROM webhook_endpoints WHERE active = 1`) == 1
		if want := day < 5; active != want || (stopped(phone) == 0) != want {
			t.Errorf("day %d: got active %v and %d reports, want %v and one as soon as it is not", day, active, stopped(phone), want)
		}
		n.clock.Advance(24*time.Hour + time.Minute)
	}
	if stopped(phone) != 1 || stopped(other) != 0 {
		t.Errorf("got %d reports at the owner and %d at a manager, want one and none", stopped(phone), stopped(other))
	}
}
