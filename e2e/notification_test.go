package e2e

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"
	"time"

	"storefront/db"
	"storefront/provider/push/pushtest"
)

// An order is announced on a locked phone within seconds, without another request to the server. A
// server is killed after a push service has a message and before the result is recorded: the same
// message is sent again, which replaces the first on the device, and the next event is not missing.
func TestNotification_KilledServer(t *testing.T) {
	t.Parallel()
	data := newShop(t, "acme", unitsInStock)
	args := []string{"--data", data, "--rate", "0", "--private-providers"}
	p := serve(t, args...)
	device := pushtest.New(t)
	held, release := make(chan struct{}, 1), make(chan struct{})
	t.Cleanup(func() { close(release) })
	device.Answer(func(n int, w http.ResponseWriter) {
		if n == 1 {
			held <- struct{}{}
			<-release
		}
		w.WriteHeader(http.StatusCreated)
	})
	subscribe(t, p, data, device)
	item, _ := p.product("acme", "item-0")
	buy := func() {
		p.must(request{method: "POST", path: "/api/v1/orders", tenant: "acme", body: orderOf(item, 1)})
	}
	buy()
	<-held
	p.kill()
	inShop(t, data, "acme", func(tx *db.Tx) error { // time passes
		return tx.Do(`UPDATE notifications SET claimed_until = claimed_until - ?`, time.Minute.Milliseconds())
	})
	p = serve(t, args...)
	first, again := device.Wait(t, 1), device.Wait(t, 2)
	if first.Notification != again.Notification || first.Tag == "" {
		t.Errorf("got %+v and then %+v, want the same message", first.Notification, again.Notification)
	}
	buy()
	if next := device.Wait(t, 3); next.Tag == first.Tag {
		t.Errorf("got %+v three times, want the next order", next.Notification)
	}
	if all := device.All(); len(all) != 3 {
		t.Errorf("got %d messages, want three", len(all))
	}
}

// ownerOf invites an owner of the shop acme, who signs in, and returns the session's cookie.
func (p *process) ownerOf(t *testing.T, data string) (cookie string) {
	t.Helper()
	var invited struct{ Link struct{ Token string } }
	text := run(t, "staff", "invite", "acme", "--role", "owner", "--name", "Mina", "--email", "mina@example.com", "--json", "--data", data)
	if err := json.Unmarshal([]byte(text), &invited); err != nil {
		t.Fatal(err)
	}
	signedIn := p.must(request{
		method: "POST", path: "/admin/v1/shops/acme/links/use",
		body: map[string]any{"token": invited.Link.Token, "password": "a password of Mina"},
	})
	cookie, _, _ = strings.Cut(signedIn.header.Get("Set-Cookie"), ";")
	return cookie
}

// subscribe lets a browser of an owner show notifications.
func subscribe(t *testing.T, p *process, data string, device *pushtest.Browser) {
	t.Helper()
	cookie := p.ownerOf(t, data)
	public, auth := device.Keys()
	got := p.must(request{
		method: "POST", path: "/admin/v1/shops/acme/push/subscriptions", header: map[string]string{"Cookie": cookie},
		body: map[string]any{"endpoint": device.Endpoint(), "keys": map[string]string{"p256dh": public, "auth": auth}},
	})
	if got.status >= 300 {
		t.Fatalf("got %d %s, want a subscription", got.status, got.body)
	}
}
