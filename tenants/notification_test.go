package tenants_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"storefront/db"
	"storefront/db/dbtest"
	"storefront/provider/push/pushtest"
	"storefront/shop"
	"storefront/shop/access"
	"storefront/shop/account"
	"storefront/shop/catalogue"
	"storefront/shop/endpoint"
	"storefront/shop/fault"
	"storefront/shop/notify"
	"storefront/shop/outbox"
	"storefront/shop/shoptest"
	"storefront/shop/staff"
	"storefront/tenants"
)

// notified is a shop whose staff members are notified.
type notified struct {
	*shop.Shop
	t        *testing.T
	all      *tenants.Tenants
	clock    *shoptest.Clock
	product  *catalogue.Product
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
	n := &notified{t: t, clock: shoptest.NewClock(), telegram: newChats(t)}
	n.all = open(t, "", func(c *tenants.Config) {
		c.Now, c.PrivateProviders, c.PublicURL = n.clock.Now, true, "https://shop.example"
		c.Providers.Telegram = n.telegram.URL
	})
	n.Shop = create(t, n.all, "acme")
	var err error
	n.product, err = n.Catalogue.SaveProduct(t.Context(), access.Operator(), catalogue.ProductInput{
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

func (n *notified) order() *shop.PlacedOrder {
	n.t.Helper()
	n.orders++
	in := shoptest.GuestOrder(n.product.ID, 1)
	in.Customer.PhoneNumber = new(fmt.Sprintf("0171100%04d", n.orders)) // each buyer has few unconfirmed orders
	placed, err := n.PlaceOrder(n.t.Context(), access.Caller{}, in, "")
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
		return n.number(fmt.Sprintf(`SELECT COUNT(*) FROM notifications WHERE due_at <= %d`, n.clock.Now().UnixMilli())) == 0 &&
			n.number(`SELECT COUNT(*) FROM notifications WHERE status = 'sending'`) == 0
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
			Title: fmt.Sprintf("New order %d", placed.OrderNumber), Body: "৳100.00 · Dhaka\nShop acme",
			URL: "/admin/#/acme/order/" + placed.ID, Lang: "en", Tag: all[0].Tag,
		}
		if all[0].Notification != want || all[0].Tag == "" {
			t.Errorf("got %+v, want %+v", all[0].Notification, want)
		}
	}
	if got := bangla.All(); len(got) != 1 || !strings.HasPrefix(got[0].Title, "নতুন অর্ডার ১") || !strings.HasPrefix(got[0].Body, "৳১০০.০০ · ") {
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
	in := shop.StaffOrderInput{
		Items: []shop.StaffItemInput{{VariantID: n.product.Variants[0].ID, Quantity: 1}}, Customer: guest.Customer, ShippingAddress: guest.ShippingAddress,
		Source: shop.SourcePhone,
	}
	if _, err := n.PlaceOrderAsStaff(t.Context(), worker, in, false); err != nil {
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
		if _, err := n.PlaceOrderAsStaff(t.Context(), worker, in, false); err != nil {
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
	shoptest.Exec(t, tenants.StoreOf(n.all), "acme", `UPDATE notifications SET status = 'sending', due_at = ?`,
		n.clock.Now().Add(time.Minute).UnixMilli())
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
		`UPDATE notifications SET status = 'sending', due_at = ? WHERE at >= ? AND status = 'sent'`, queued+60_000, queued)
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
	if len(got) != 2 || got[0].Title != "Today: 2 orders" || got[0].Body != "৳200.00 · To confirm: 2\nShop acme" || got[1].Title != "Today: 0 orders" {
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

// A chat is linked by a code that its member sends to the bot, and unlinked when it blocks the bot.
func TestNotifications_Telegram(t *testing.T) {
	t.Parallel()
	n := newNotified(t)
	owner, worker := n.member(staff.RoleOwner, "mina"), n.member(staff.RoleStaff, "rina")
	_, err := n.Notify.StartTelegramLink(t.Context(), worker)
	wantCode(t, err, fault.CodeStateConflict)
	_, err = n.Notify.ConfigureChannels(t.Context(), owner, notify.ChannelChange{TelegramToken: new("123456:wrong-wrong-wrong-wrong")})
	wantCode(t, err, fault.CodeValidationFailed)
	_, err = n.Notify.ConfigureChannels(t.Context(), worker, notify.ChannelChange{TelegramToken: new(botToken)})
	wantCode(t, err, fault.CodeForbidden)
	c, err := n.Notify.ConfigureChannels(t.Context(), owner, notify.ChannelChange{TelegramToken: new(" " + botToken + "\n")})
	if err != nil || c.TelegramBot != "acme_bot" {
		t.Fatalf("got %+v, %v", c, err)
	}
	code, err := n.Notify.StartTelegramLink(t.Context(), worker)
	if err != nil || code.URL != "https://t.me/acme_bot?start="+code.Code {
		t.Fatalf("got %+v, %v", code, err)
	}
	_, err = n.Notify.FinishTelegramLink(t.Context(), worker)
	wantCode(t, err, fault.CodeStateConflict)
	update := func(text string) string {
		return fmt.Sprintf(`[{"message":{"text":"/start GUESS0000000","chat":{"id":666,"type":"private","first_name":"Eve"}}},
			{"message":{"text":%q,"chat":{"id":42,"type":"private","first_name":"Rina"}}}]`, text)
	}
	n.telegram.set(func(c *chats) { c.updates = update("/start " + code.Code) })
	_, err = n.Notify.FinishTelegramLink(t.Context(), owner) // who has no code
	wantCode(t, err, fault.CodeStateConflict)
	p, err := n.Notify.FinishTelegramLink(t.Context(), worker)
	if err != nil || p.Telegram.Chat == nil || *p.Telegram.Chat != "Rina" {
		t.Fatalf("got %+v, %v", p, err)
	}
	_, err = n.Notify.FinishTelegramLink(t.Context(), worker) // a code links once
	wantCode(t, err, fault.CodeStateConflict)
	n.choose(worker, notify.Change{Events: map[outbox.Type]notify.Channels{outbox.OrderPlaced: {Telegram: true}}})
	n.work()
	placed := n.order()
	n.work()
	want := fmt.Sprintf("42: New order %d\n৳100.00 · Dhaka\nhttps://shop.example/admin/#/acme/order/%s", placed.OrderNumber, placed.ID)
	n.telegram.set(func(c *chats) {
		if !slices.Equal(c.sent, []string{want}) {
			t.Errorf("got %q, want %q", c.sent, want)
		}
		c.blocked = true
	})
	n.order()
	n.work()
	if p, err = n.Notify.FindPreferences(t.Context(), worker); err != nil || p.Telegram.Chat != nil {
		t.Errorf("got %+v, %v, want the chat unlinked", p.Telegram, err)
	}
	expired, err := n.Notify.StartTelegramLink(t.Context(), worker)
	if err != nil {
		t.Fatal(err)
	}
	n.telegram.set(func(c *chats) { c.updates = update(strings.ToLower(expired.Code)) })
	n.clock.Advance(15 * time.Minute)
	_, err = n.Notify.FinishTelegramLink(t.Context(), worker)
	wantCode(t, err, fault.CodeStateConflict)
	if err := n.Notify.EndTelegramLink(t.Context(), worker); err != nil {
		t.Fatal(err)
	}
	for _, action := range []string{"notification.configure", "telegram.link", "telegram.unlink"} {
		if got := n.number(`SELECT COUNT(*) FROM audit_log WHERE action = '` + action + `'`); got != 1 {
			t.Errorf("%s: got %d entries of the audit log, want one", action, got)
		}
	}
	if got := n.number(`SELECT COUNT(*) FROM audit_log WHERE replace(changes, '` + botToken + `', '') <> changes`); got != 0 {
		t.Error("got the token in the audit log")
	}
	if text := fmt.Sprint(p, c); strings.Contains(text, botToken) {
		t.Errorf("got the token in %s", text)
	}
}

// Text messages are sent if an owner allows them, at most 30 in 24 hours, tests included, and never
// twice.
func TestNotifications_SMS(t *testing.T) {
	t.Parallel()
	n := newNotified(t)
	var mu sync.Mutex
	var sent []string
	gateway := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		mu.Lock()
		defer mu.Unlock()
		sent = append(sent, r.FormValue("to")+": "+r.FormValue("text"))
	}))
	t.Cleanup(gateway.Close)
	config := `{"url":"` + gateway.URL + `","allowHttp":true,"body":{"kind":"form","params":{"to":"{to}","text":"{text}"}}}`
	if err := n.Accounts.ConfigureSMS(t.Context(), access.Operator(), []byte(config)); err != nil {
		t.Fatal(err)
	}
	owner := n.member(staff.RoleOwner, "mina")
	n.member(staff.RoleStaff, "rina")
	edit := staff.MemberChange{PhoneNumber: new("01711000000")}
	if _, err := n.Staff.UpdateMember(t.Context(), access.Operator(), "rina@example.com", edit); err != nil {
		t.Fatal(err)
	}
	session, err := n.Staff.SignIn(t.Context(), access.Caller{}, staff.SignInInput{User: "rina@example.com", Password: shoptest.Password})
	if err != nil {
		t.Fatal(err)
	}
	worker := access.Caller{Session: session.Token}
	n.choose(worker, notify.Change{Events: map[outbox.Type]notify.Channels{outbox.OrderPlaced: {SMS: true}}})
	n.order()
	n.work()
	if len(sent) != 0 {
		t.Errorf("got %q without leave of an owner", sent)
	}
	_, err = n.Notify.ConfigureChannels(t.Context(), worker, notify.ChannelChange{SMS: new(true)})
	wantCode(t, err, fault.CodeForbidden)
	if _, err := n.Notify.ConfigureChannels(t.Context(), owner, notify.ChannelChange{SMS: new(true)}); err != nil {
		t.Fatal(err)
	}
	n.work()
	placed := n.order()
	n.work()
	if want := fmt.Sprintf("+8801711000000: Shop acme: New order %d, ", placed.OrderNumber); len(sent) != 1 || !strings.HasPrefix(sent[0], want) ||
		strings.Contains(sent[0], "http") {
		t.Fatalf("got %q, want %q", sent, want)
	}
	shoptest.Exec(t, tenants.StoreOf(n.all), "acme", `UPDATE notifications SET status = 'sending', due_at = ?`, n.clock.Now().UnixMilli())
	n.clock.Advance(time.Minute)
	n.work()
	if len(sent) != 1 {
		t.Errorf("got %q, want a message that may have been sent not again", sent)
	}
	var tested *notify.TestResult
	for range 5 {
		n.clock.Advance(time.Minute)
		if tested, err = n.Notify.TestNotifications(t.Context(), worker); err != nil {
			t.Fatal(err)
		}
	}
	if len(sent) != 4 || tested.Accepted != 0 || !strings.Contains(fmt.Sprint(tested.Targets), "tested often enough") {
		t.Errorf("got %d messages and %+v, want three tests in 24 hours", len(sent), tested)
	}
	for range 40 {
		n.clock.Advance(time.Minute)
		n.order()
		n.work()
	}
	if len(sent) != 30 {
		t.Errorf("got %d messages in 24 hours, want 30", len(sent))
	}
	n.clock.Advance(24 * time.Hour)
	n.order()
	n.work()
	if len(sent) != 31 {
		t.Errorf("got %d messages, want one more on the next day", len(sent))
	}
}

// A test states which browsers have accepted it.
func TestNotifications_Test(t *testing.T) {
	t.Parallel()
	n := newNotified(t)
	owner, worker := n.member(staff.RoleOwner, "mina"), n.member(staff.RoleStaff, "rina")
	fine, _ := n.browser(worker)
	gone, _ := n.browser(worker)
	broken, _ := n.browser(worker)
	gone.Answer(func(_ int, w http.ResponseWriter) { w.WriteHeader(http.StatusNotFound) })
	broken.Answer(func(_ int, w http.ResponseWriter) { w.WriteHeader(http.StatusInternalServerError) })
	got, err := n.Notify.TestNotifications(t.Context(), worker)
	if err != nil || got.Accepted != 1 || len(got.Targets) != 3 {
		t.Fatalf("got %+v, %v, want one of three", got, err)
	}
	for _, target := range got.Targets {
		if target.Accepted != (target.Error == "") || target.Label != "Chrome of rina" || target.Channel != notify.Push {
			t.Errorf("got %+v", target)
		}
	}
	if all := fine.All(); len(all) != 1 || all[0].Title != "Test notification" {
		t.Errorf("got %+v", all)
	}
	for _, user := range []string{"rina@example.com"} {
		if got, err = n.Notify.TestMember(t.Context(), owner, user); err != nil || got.Accepted != 1 || len(got.Targets) != 2 {
			t.Errorf("got %+v, %v, want the browser that is gone removed", got, err)
		}
	}
	_, err = n.Notify.TestMember(t.Context(), worker, "rina@example.com")
	wantCode(t, err, fault.CodeForbidden)
	_, err = n.Notify.TestMember(t.Context(), access.Operator(), "nobody@example.com")
	wantCode(t, err, fault.CodeNotFound)
}

// A member has ten browsers at most; one that somebody else signs in with becomes theirs, and the
// address of a push service must be public and by TLS.
func TestNotifications_Devices(t *testing.T) {
	t.Parallel()
	n := newNotified(t)
	owner, worker := n.member(staff.RoleOwner, "mina"), n.member(staff.RoleStaff, "rina")
	first, _ := n.browser(owner)
	n.clock.Advance(time.Second)
	for range notify.MaxDevices {
		n.browser(owner)
	}
	p, err := n.Notify.FindPreferences(t.Context(), owner)
	if err != nil || len(p.Devices) != notify.MaxDevices ||
		slices.ContainsFunc(p.Devices, func(d notify.Device) bool { return "http://"+d.Service == first.URL }) {
		t.Errorf("got %d devices, %v, want ten without the oldest", len(p.Devices), err)
	}
	shared, device := n.browser(owner)
	if again := n.subscribe(owner, shared); again.ID != device.ID {
		t.Errorf("got the device %s, want %s again", again.ID, device.ID)
	}
	taken := n.subscribe(worker, shared)
	if err := n.Notify.RemoveDevice(t.Context(), owner, taken.ID); !fault.HasCode(err, fault.CodeNotFound) {
		t.Errorf("got %v, want the device of another not found", err)
	}
	n.order()
	n.work()
	if got := len(shared.All()); got != 1 {
		t.Errorf("got %d messages at a shared browser, want those of one member", got)
	}
	if err := n.Notify.RemoveDevice(t.Context(), worker, taken.ID); err != nil {
		t.Error(err)
	}
	n.order()
	n.work()
	if got := len(shared.All()); got != 1 {
		t.Errorf("got %d messages after the device was removed", got)
	}

	strict := create(t, open(t, "", nil), "acme")
	invited := staff.InviteInput{Name: "M", Email: new("m@example.com"), Role: staff.RoleOwner}
	_, link, err := strict.Staff.InviteMember(t.Context(), access.Operator(), invited)
	if err != nil {
		t.Fatal(err)
	}
	signedIn, err := strict.Staff.UseLink(t.Context(), access.Caller{}, staff.UseLinkInput{Token: link.Token, Password: shoptest.Password})
	if err != nil {
		t.Fatal(err)
	}
	public, auth := shared.Keys()
	for _, in := range []notify.Subscription{
		{Endpoint: "http://push.example/x", Keys: notify.SubscriptionKeys{P256dh: public, Auth: auth}},
		{Endpoint: "https://user:pass@push.example/x", Keys: notify.SubscriptionKeys{P256dh: public, Auth: auth}},
		{Endpoint: "", Keys: notify.SubscriptionKeys{P256dh: public, Auth: auth}},
		{Endpoint: "https://push.example/x", Keys: notify.SubscriptionKeys{P256dh: public[:40], Auth: auth}},
		{Endpoint: "https://push.example/x", Keys: notify.SubscriptionKeys{P256dh: public, Auth: "AAAA"}},
		{Endpoint: "https://push.example/" + strings.Repeat("x", 1000), Keys: notify.SubscriptionKeys{P256dh: public, Auth: auth}},
	} {
		_, err := strict.Notify.SaveDevice(t.Context(), access.Caller{Session: signedIn.Token}, in)
		wantCode(t, err, fault.CodeValidationFailed)
	}
	if _, err := strict.Notify.SaveDevice(t.Context(), access.Caller{Session: signedIn.Token}, notify.Subscription{
		Endpoint: "https://127.0.0.1/x", Keys: notify.SubscriptionKeys{P256dh: public, Auth: auth},
	}); err != nil {
		t.Fatal(err)
	}
	got, err := strict.Notify.TestNotifications(t.Context(), access.Caller{Session: signedIn.Token})
	if err != nil || got.Accepted != 0 || !strings.Contains(got.Targets[0].Error, "private and reserved addresses are not allowed") {
		t.Errorf("got %+v, %v, want a private address refused", got, err)
	}
}

// By default members are notified of what they may act on: a problem of a shipment, a payment to be
// checked and a product that is sold out.
func TestNotifications_Defaults(t *testing.T) {
	t.Parallel()
	n := newNotified(t)
	browsers := map[staff.Role]*pushtest.Browser{}
	for _, role := range []staff.Role{staff.RoleOwner, staff.RoleStaff, staff.RoleViewer} {
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
		staff.RoleOwner: {problem, review, out}, staff.RoleStaff: {problem, out}, staff.RoleViewer: nil,
	} {
		var got []string
		for _, one := range browsers[role].All()[before[role]:] {
			got = append(got, one.Title)
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
	if got := recent.Events[0]; got.Title != "নতুন অর্ডার "+account.BanglaDigits(fmt.Sprint(placed.OrderNumber)) {
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
			return n.number(fmt.Sprintf(`SELECT COUNT(*) FROM webhook_deliveries WHERE next_at <= %d`, n.clock.Now().UnixMilli())) == 0
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
