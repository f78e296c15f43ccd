package server_test

import (
	"bufio"
	"context"
	"fmt"
	"net"
	"net/http"
	"runtime"
	"strings"
	"testing"

	"storefront/server"
	"storefront/shop/access"
	"storefront/shop/plugin"
	"storefront/shop/shoptest"
)

// readsAtOnce is how many reads a caller may do at once.
func readsAtOnce() int { return max(runtime.GOMAXPROCS(0)/2, 2) }

func limited(cfg *server.Config) { cfg.Rate, cfg.Burst = 1000, 1000 }

// leaveBodyOut sends the head of a request and waits until the server waits for its body.
func (s *site) leaveBodyOut(t *testing.T, path, authorization string) {
	t.Helper()
	conn, err := net.Dial("tcp", strings.TrimPrefix(s.url, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	_, err = fmt.Fprintf(conn, "POST %s HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 100\r\n"+
		"Expect: 100-continue\r\nAuthorization: %s\r\n\r\n", path, authorization)
	if err != nil {
		t.Fatal(err)
	}
	if line, err := bufio.NewReader(conn).ReadString('\n'); err != nil || !strings.Contains(line, "100 Continue") {
		t.Fatalf("POST %s: got %q, %v, want the server to read the body", path, line, err)
	}
}

// Requests whose bodies do not arrive hold up neither a colleague at the same address nor the same
// caller.
func TestAdminWork_BodyMissing(t *testing.T) {
	t.Parallel()
	s := newAdminSite(t, limited)
	key := s.key(t)
	const base = "/admin/v1/shops/test/"
	for range readsAtOnce() {
		s.leaveBodyOut(t, base+"session", "")
		s.leaveBodyOut(t, base+"orders/0123456789ABCDEF/confirm", key)
	}
	s.get(base+"orders/0123456789ABCDEF", "Authorization", key).ok(200, new(any))
}

// stuckProvider responds to no check until its channel is closed.
type stuckProvider struct{ called, end chan struct{} }

func (p stuckProvider) Check(ctx context.Context, _ plugin.Access) error {
	p.called <- struct{}{}
	select {
	case <-p.end:
	case <-ctx.Done():
	}
	return nil
}

// Waiting for a provider holds up nothing else of the same caller.
func TestAdminWork_ProviderStuck(t *testing.T) {
	t.Parallel()
	a := shoptest.NewAccounts(t)
	a.InsertOrder(t, "0123456789ABCDEF", shoptest.RahimsPhone)
	stuck := stuckProvider{make(chan struct{}), make(chan struct{})}
	keys := []plugin.Key{{Name: "secret", Secret: true, For: []plugin.Capability{plugin.CanBook}}}
	a.Config.Plugins = []plugin.Plugin{{Provider: plugin.CourierA, Keys: keys, Checker: stuck}}
	a = a.Reopened()
	if _, err := a.ConfigurePlugin(t.Context(), access.Operator(), plugin.CourierA, shoptest.Raw(t, map[string]any{"secret": "hush"})); err != nil {
		t.Fatal(err)
	}
	s := &adminSite{newSiteOf(t, a.Shop, func(cfg *server.Config) {
		limited(cfg)
		cfg.Now = a.Clock.Now
	}), a}
	key := s.key(t)
	const base = "/admin/v1/shops/test/"
	ended := make(chan int)
	for range readsAtOnce() {
		go func() {
			ended <- s.send("POST", base+"providers/courier_a/validate", "{}", "Authorization", key).status
		}()
		<-stuck.called
	}
	s.get(base+"orders/0123456789ABCDEF", "Authorization", key).ok(200, new(any))
	s.get(base+"orders", "Authorization", key).ok(200, new(any))
	close(stuck.end)
	for range readsAtOnce() {
		if got := <-ended; got != http.StatusOK {
			t.Errorf("got %d of a check, want 200", got)
		}
	}
}
