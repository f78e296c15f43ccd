package tenants_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"storefront/db/dbtest"
	"storefront/provider/push/pushtest"
	"storefront/shop"
	"storefront/shop/access"
	"storefront/shop/catalogue"
	"storefront/shop/notify"
	"storefront/shop/order"
	"storefront/shop/shoptest"
	"storefront/shop/staff"
	"storefront/shop/status"
	"storefront/tenants"
)

// notified is a shop whose staff members are notified.
type notified struct {
	config func(*tenants.Config) // of each server
	*shop.Shop
	t        *testing.T
	all      *tenants.Tenants
	clock    *shoptest.Clock
	product  *catalogue.ProductRecord
	telegram *chats
	orders   int
}

// chats are Telegram's API with one bot.
type chats struct {
	*httptest.Server
	mu      sync.Mutex
	sent    []string // "chat: text"
	updates string
	blocked bool
}

const botToken = "123456:ABC-DEF1234ghIkl-zyx57W2v1u123ew11"

func newChats(t *testing.T) *chats {
	t.Helper()
	c := &chats{updates: "[]"}
	c.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		c.mu.Lock()
		defer c.mu.Unlock()
		switch r.URL.Path {
		case "/bot" + botToken + "/getMe":
			fmt.Fprint(w, `{"ok":true,"result":{"username":"acme_bot"}}`)
		case "/bot" + botToken + "/getUpdates":
			fmt.Fprintf(w, `{"ok":true,"result":%s}`, c.updates)
		case "/bot" + botToken + "/sendMessage":
			var in struct {
				ChatID int64 `json:"chat_id"`
				Text   string
			}
			if err := json.NewDecoder(r.Body).Decode(&in); err != nil {
				t.Error(err)
			}
			if c.blocked {
				w.WriteHeader(http.StatusForbidden)
				fmt.Fprint(w, `{"ok":false,"error_code":403,"description":"Forbidden: bot was blocked by the user"}`)
				return
			}
			c.sent = append(c.sent, fmt.Sprintf("%d: %s", in.ChatID, in.Text))
			fmt.Fprint(w, `{"ok":true,"result":{}}`)
		default:
			w.WriteHeader(http.StatusUnauthorized)
			fmt.Fprint(w, `{"ok":false,"error_code":401,"description":"Unauthorized"}`)
		}
	}))
	t.Cleanup(c.Close)
	return c
}

func (c *chats) set(change func(*chats)) {
	c.mu.Lock()
	defer c.mu.Unlock()
	change(c)
}

func newNotified(t *testing.T) *notified {
	t.Helper()
	return newNotifiedOf(t, func(*tenants.Config) {})
}

// newNotifiedOf is newNotified with a changed configuration.
func newNotifiedOf(t *testing.T, change func(*tenants.Config)) *notified {
	t.Helper()
	n := &notified{t: t, clock: shoptest.NewClock(), telegram: newChats(t)}
	n.config = func(c *tenants.Config) {
		c.Now, c.PrivateProviders, c.PublicURL = n.clock.Now, true, "https://shop.example"
		c.DashboardURL = "https://panel.example"
		c.Providers.Telegram = n.telegram.URL
		change(c)
	}
	n.all = open(t, "", n.config)
	n.Shop = create(t, n.all, "acme")
	var err error
	n.product, err = n.Catalogue.CreateProduct(t.Context(), access.Operator(), catalogue.ProductInput{
		Title: "Tea", Variants: []catalogue.VariantInput{{Price: 10_000}},
	})
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// member invites a staff member, who signs in.
func (n *notified) member(role staff.Role, name string) access.Caller {
	n.t.Helper()
	in := staff.InviteInput{Name: name, Email: new(name + "@example.com"), Role: role}
	_, link, err := n.Staff.InviteMember(n.t.Context(), access.Operator(), in)
	if err != nil {
		n.t.Fatal(err)
	}
	session, err := n.Staff.UseLink(n.t.Context(), access.Caller{}, staff.UseLinkInput{Token: link.Token, Password: shoptest.Password})
	if err != nil {
		n.t.Fatal(err)
	}
	return access.Caller{Session: session.Token, Agent: "Chrome of " + name}
}

// browser lets a new browser show a member's notifications.
func (n *notified) browser(of access.Caller) (*pushtest.Browser, *notify.Device) {
	n.t.Helper()
	b := pushtest.New(n.t)
	return b, n.subscribe(of, b)
}

func (n *notified) subscribe(of access.Caller, b *pushtest.Browser) *notify.Device {
	n.t.Helper()
	public, auth := b.Keys()
	in := notify.Subscription{Endpoint: b.Endpoint(), Keys: notify.SubscriptionKeys{P256dh: public, Auth: auth}}
	d, err := n.Notify.SaveDevice(n.t.Context(), of, in)
	if err != nil {
		n.t.Fatal(err)
	}
	return d
}

func (n *notified) choose(of access.Caller, change notify.Change) *notify.Preferences {
	n.t.Helper()
	p, err := n.Notify.UpdatePreferences(n.t.Context(), of, change)
	if err != nil {
		n.t.Fatal(err)
	}
	return p
}

func (n *notified) order() *order.Placed {
	n.t.Helper()
	n.orders++
	in := shoptest.GuestOrder(n.product.ID, 1)
	in.Customer.PhoneNumber = new(fmt.Sprintf("0171100%04d", n.orders)) // each buyer has few unconfirmed orders
	placed, err := n.Orders.PlaceOrder(n.t.Context(), access.Caller{}, in, "")
	if err != nil {
		n.t.Fatal(err)
	}
	return placed
}

func (n *notified) number(query string) (count int64) {
	n.t.Helper()
	return shoptest.Number(n.t, tenants.StoreOf(n.all), "acme", query)
}

// work sends what is due and waits for its end.
func (n *notified) work() (next time.Time) {
	n.t.Helper()
	dbtest.Eventually(n.t, "nothing is due", func() bool {
		var err error
		if next, err = n.Notify.Continue(n.t.Context()); err != nil {
			n.t.Fatal(err)
		}
		return n.number(fmt.Sprintf(`SELECT COUNT(*) FROM notifications WHERE due_at <= %d`, n.clock.Now().UnixMilli())) == 0
	})
	next, err := n.Notify.Continue(n.t.Context())
	if err != nil {
		n.t.Fatal(err)
	}
	return next
}

// An order is announced on the browsers of those who may act on it, once, in their language, and
// without personal data.
func TestNotifications_Order(t *testing.T) {
	t.Parallel()
	n := newNotified(t)
	owner, viewer, worker := n.member(staff.RoleOwner, "mina"), n.member(staff.RoleViewer, "vik"), n.member(staff.RoleStaff, "rina")
	if _, err := n.Staff.UpdateMe(t.Context(), worker, staff.MeChange{Language: new(staff.Bangla)}); err != nil {
		t.Fatal(err)
	}
	phone, _ := n.browser(owner)
	laptop, _ := n.browser(owner)
	other, _ := n.browser(viewer)
	bangla, _ := n.browser(worker)
	if next := n.work(); !next.IsZero() {
		t.Errorf("got something due at %s before any event", next)
	}
	placed := n.order()
	n.work()
	n.work()
	for _, b := range []*pushtest.Browser{phone, laptop} {
		all := b.All()
		if len(all) != 1 {
			t.Fatalf("got %d messages, want one", len(all))
		}
		want := pushtest.Notification{
			Title: fmt.Sprintf("New order %d", placed.OrderNumber), Body: "৳100 · Dhaka\nShop acme",
			URL: "/admin/#/acme/order/" + placed.ID, Lang: "en", Tag: all[0].Tag,
		}
		if all[0].Notification != want || all[0].Tag == "" {
			t.Errorf("got %+v, want %+v", all[0].Notification, want)
		}
	}
	if got := bangla.All(); len(got) != 1 || !strings.HasPrefix(got[0].Title, "নতুন অর্ডার ১") || !strings.HasPrefix(got[0].Body, "৳১০০ · ") {
		t.Errorf("got %+v, want it in Bangla", got)
	}
	if got := other.All(); len(got) != 0 {
		t.Errorf("got %+v at a viewer, who cannot act on orders", got)
	}
	for _, r := range phone.All() {
		if text := fmt.Sprint(r.Notification); strings.Contains(text, "Rahim") || strings.Contains(text, "017") {
			t.Errorf("got personal data in %s", text)
		}
	}
	// Nobody is notified of their own order.
	guest := shoptest.GuestOrder(n.product.ID, 1)
	in := order.StaffInput{
		Items: []order.StaffItemInput{{VariantID: n.product.Variants[0].ID, Quantity: 1}}, Customer: guest.Customer, ShippingAddress: guest.ShippingAddress,
		Source: status.SourcePhone,
	}
	if _, err := n.Orders.PlaceOrderAsStaff(t.Context(), worker, in, false); err != nil {
		t.Fatal(err)
	}
	n.work()
	if a, b := len(phone.All()), len(bangla.All()); a != 2 || b != 1 {
		t.Errorf("got %d messages at the owner and %d at who placed the order, want 2 and 1", a, b)
	}
	for i, who := range []access.Caller{owner, worker} { // nor does the bell count it
		recent, err := n.Notify.FindRecent(t.Context(), who, "")
		if want := 2 - i; err != nil || recent.Unseen != want || len(recent.Events) != want {
			t.Errorf("%s: got %+v, %v, want %d events", who.Agent, recent, err, want)
		}
	}
	for range 40 { // more than one page of own events
		n.clock.Advance(time.Minute)
		if _, err := n.Orders.PlaceOrderAsStaff(t.Context(), worker, in, false); err != nil {
			t.Fatal(err)
		}
	}
	if recent, err := n.Notify.FindRecent(t.Context(), worker, ""); err != nil || len(recent.Events) != 1 || recent.Events[0].Seq == 0 {
		t.Errorf("got %+v, %v, want the guest's order behind those of the caller", recent, err)
	}
}

// A browser that is gone is removed, a failed message is sent again with the same tag, and a dead
// push service holds up nobody.
func TestNotifications_Services(t *testing.T) {
	t.Parallel()
	n := newNotified(t)
	owner, second := n.member(staff.RoleOwner, "mina"), n.member(staff.RoleOwner, "tania")
	gone, _ := n.browser(owner)
	flaky, flakyDevice := n.browser(owner)
	release := make(chan struct{})
	var dead []*pushtest.Browser
	for range 5 { // more than are sent to one member at once
		b, _ := n.browser(owner)
		b.Answer(func(int, http.ResponseWriter) { <-release })
		dead = append(dead, b)
	}
	fine, _ := n.browser(second)
	gone.Answer(func(_ int, w http.ResponseWriter) { w.WriteHeader(http.StatusGone) })
	flaky.Answer(func(i int, w http.ResponseWriter) {
		if i == 1 {
			w.WriteHeader(http.StatusServiceUnavailable)
			return
		}
		w.WriteHeader(http.StatusCreated)
	})
	began := time.Now()
	n.order()
	if _, err := n.Notify.Continue(t.Context()); err != nil {
		t.Fatal(err)
	}
	fine.Wait(t, 1)
	if took := time.Since(began); took > 5*time.Second {
		t.Errorf("got the notification of another member after %s, want it at once", took)
	}
	close(release)
	for _, b := range dead {
		b.Wait(t, 1)
	}
	next := n.work()
	if waited := next.Sub(n.clock.Now()); waited != 10*time.Second {
		t.Errorf("got the next attempt after %s, want 10 s", waited)
	}
	p, err := n.Notify.FindPreferences(t.Context(), owner)
	if err != nil {
		t.Fatal(err)
	}
	if len(p.Devices) != 6 || slices.ContainsFunc(p.Devices, func(d notify.Device) bool { return "http://"+d.Service == gone.URL }) {
		t.Errorf("got devices %+v, want all but the one that is gone", p.Devices)
	}
	for _, d := range p.Devices {
		if d.ID == flakyDevice.ID && (d.FailingSince == nil || !strings.Contains(d.Error, "503")) {
			t.Errorf("got %+v, want it failing", d)
		}
	}
	n.clock.Advance(10 * time.Second)
	if next := n.work(); !next.IsZero() {
		t.Errorf("got something due at %s", next)
	}
	all := flaky.All()
	if len(all) != 2 || all[0].Tag != all[1].Tag || all[0].Header.Get("Topic") != all[1].Header.Get("Topic") {
		t.Errorf("got %d messages, want the same one again", len(all))
	}
	if got := n.number(`SELECT COUNT(*) FROM push_devices WHERE failing_since IS NOT NULL`); got != 0 {
		t.Errorf("got %d failing devices after a success", got)
	}
}

// An attempt that a crash interrupted is repeated: a browser shows the event once by its tag.
func TestNotifications_Interrupted(t *testing.T) {
	t.Parallel()
	n := newNotified(t)
	owner := n.member(staff.RoleOwner, "mina")
	b, _ := n.browser(owner)
	n.order()
	n.work()
	shoptest.Exec(t, tenants.StoreOf(n.all), "acme",
		`UPDATE notifications SET status = 'waiting', due_at = at, claim = 'dead', claimed_until = ?`, n.clock.Now().Add(time.Minute).UnixMilli())
	if _, err := n.Notify.Continue(t.Context()); err != nil {
		t.Fatal(err)
	}
	if got := len(b.All()); got != 1 {
		t.Errorf("got %d messages while the attempt may be under way", got)
	}
	n.clock.Advance(time.Minute)
	n.work()
	if all := b.All(); len(all) != 2 || all[0].Tag != all[1].Tag {
		t.Errorf("got %+v, want the same message again", all)
	}
}
