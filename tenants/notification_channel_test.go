package tenants_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"storefront/shop"
	"storefront/shop/access"
	"storefront/shop/fault"
	"storefront/shop/notify"
	"storefront/shop/outbox"
	"storefront/shop/shoptest"
	"storefront/shop/staff"
	"storefront/tenants"
)

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
	if bot, err := n.FindConnection(t.Context(), owner, access.ToFindChannels, "telegram"); err != nil || bot.State != shop.ConnectionWorks {
		t.Errorf("got connection %+v, %v, want that the bot works", bot, err)
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
	want := fmt.Sprintf("42: New order %d\n৳100 · Dhaka\nhttps://panel.example/admin/#/acme/order/%s", placed.OrderNumber, placed.ID)
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
	if err := n.Sender.ConfigureSMS(t.Context(), access.Operator(), []byte(config)); err != nil {
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
	shoptest.Exec(t, tenants.StoreOf(n.all), "acme",
		`UPDATE notifications SET status = 'waiting', due_at = at, claim = 'dead', claimed_until = ?`, n.clock.Now().UnixMilli())
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
	if len(sent) != 4 || tested.Accepted != 0 || !strings.Contains(fmt.Sprint(tested.Targets), "The limit of test messages") {
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
	if err != nil || got.Accepted != 0 || !strings.Contains(got.Targets[0].Error, "its address is a private one") {
		t.Errorf("got %+v, %v, want a private address refused", got, err)
	}
}
