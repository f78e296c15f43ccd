package server_test

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"storefront/server"
	"storefront/shop"
	"storefront/shop/access"
	"storefront/shop/inbox"
	"storefront/shop/plugin"
	"storefront/shop/shoptest"
	"storefront/tenants"
)

// couriers is a server on a real data folder. Its shop "acme" has both couriers configured, its
// shop "plain" none.
type couriers struct {
	url  string
	acme *shop.Shop
}

const (
	secretA = "a webhook secret"
	tokenB  = "a-webhook-token"
)

func newCouriers(tb testing.TB) *couriers {
	tb.Helper()
	folder, err := tenants.Open(tenants.Config{Dir: tb.TempDir(), Schema: shoptest.Schema(tb)})
	if err != nil {
		tb.Fatal(err)
	}
	c := &couriers{}
	for _, uid := range []string{"acme", "plain"} {
		s, err := folder.Create(tb.Context(), uid, shoptest.Raw(tb, map[string]any{"name": uid, "currency": "BDT", "country": "BD"}))
		if err != nil {
			tb.Fatal(err)
		}
		if uid == "acme" {
			c.acme = s
		}
	}
	for provider, settings := range map[plugin.Provider]map[string]any{
		plugin.CourierA: {"webhook_secret": secretA}, plugin.CourierB: {"webhook_token": tokenB},
	} {
		if _, err := c.acme.ConfigurePlugin(tb.Context(), access.Caller{Operator: true}, provider, shoptest.Raw(tb, settings)); err != nil {
			tb.Fatal(err)
		}
	}
	srv, err := server.New(server.Config{Tenants: folder})
	if err != nil {
		tb.Fatal(err)
	}
	web := httptest.NewServer(srv.Handler())
	c.url = web.URL
	tb.Cleanup(func() {
		web.Close()
		if err := folder.Close(context.Background()); err != nil {
			tb.Error(err)
		}
	})
	return c
}

// send sends a courier's webhook. header is pairs of name and value.
func (c *couriers) send(tb testing.TB, provider plugin.Provider, tenant, body string, header ...string) *reply {
	tb.Helper()
	req, err := http.NewRequest(http.MethodPost, c.url+"/courier/webhook/"+string(provider)+"/"+tenant, strings.NewReader(body))
	if err != nil {
		tb.Fatal(err)
	}
	for i := 0; i < len(header); i += 2 {
		req.Header[header[i]] = []string{header[i+1]}
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		tb.Fatal(err)
	}
	defer res.Body.Close()
	text, err := io.ReadAll(res.Body)
	if err != nil {
		tb.Fatal(err)
	}
	return &reply{tb: tb, status: res.StatusCode, header: res.Header, body: text}
}

func (c *couriers) sendEvent(tb testing.TB, provider plugin.Provider, body string) *reply {
	tb.Helper()
	if provider == plugin.CourierA {
		return c.send(tb, provider, "acme", body, "X-CourierA-Signature", secretA)
	}
	return c.send(tb, provider, "acme", body, "Authorization", "Bearer "+tokenB)
}

// lastWebhook returns the last webhook that the shop stored.
func (c *couriers) lastWebhook(tb testing.TB) inbox.Webhook {
	tb.Helper()
	page, err := c.acme.Inbox.ListWebhooks(tb.Context(), access.Operator(), inbox.WebhookFilter{})
	if err != nil || len(page.Nodes) == 0 {
		tb.Fatalf("no webhook stored: %v", err)
	}
	return page.Nodes[0]
}

func TestCourierAWebhook_Responses(t *testing.T) {
	t.Parallel()
	c := newCouriers(t)
	const echo = "X-Couriera-Merchant-Webhook-Integration-Secret" // in net/http's spelling
	tests := map[string]struct {
		body    string
		verdict inbox.Verdict
	}{
		"handshake":       {`{"event":"webhook_integration"}`, inbox.VerdictIgnored},
		"unknown":         {`{"event":"order.teleported","consignment_id":"D"}`, inbox.VerdictUnmatched},
		"unreadable":      {`{"event`, inbox.VerdictMalformed},
		"too large":       {`{"event":"` + strings.Repeat("x", 64<<10) + `"}`, inbox.VerdictMalformed},
		"no shipment":     {`{"event":"store.updated"}`, inbox.VerdictIgnored},
		"byte order mark": {"\xEF\xBB\xBF" + `{"event":"order.teleported","consignment_id":"E"}`, inbox.VerdictUnmatched},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			got := c.sendEvent(t, plugin.CourierA, tt.body)
			if got.status != http.StatusAccepted || got.header.Get(echo) != secretA {
				t.Errorf("got %d with %q", got.status, got.header)
			}
			if call := c.lastWebhook(t); call.Verdict != tt.verdict || call.Reason == "" || call.OrderID != nil {
				t.Errorf("stored %+v, want verdict %s", call, tt.verdict)
			}
		})
	}
	got := c.send(t, plugin.CourierA, "acme", `{"event":"webhook_integration"}`, "X-CourierA-Signature", secretA,
		"X-CourierA-Merchant-Webhook-Integration-Secret", "its own")
	if got.status != http.StatusAccepted || got.header.Get(echo) != "its own" {
		t.Errorf("got the request's value back as %q", got.header.Get(echo))
	}
	const vendorEcho = "X-Pathao-Merchant-Webhook-Integration-Secret"
	got = c.send(t, plugin.CourierA, "acme", `{"event":"webhook_integration"}`, "X-PATHAO-Signature", secretA)
	if got.status != http.StatusAccepted || got.header.Get(vendorEcho) != "f3992ecc-59da-4cbe-a049-a13da2018d51" || got.header.Get(echo) != "" {
		t.Errorf("the vendor's own prefix: got %d with %q", got.status, got.header)
	}
}

func TestCourierBWebhook_Responses(t *testing.T) {
	t.Parallel()
	c := newCouriers(t)
	for _, body := range []string{
		`{"notification_type":"delivery_status","consignment_id":1,"status":"delivered"}`,
		`{"notification_type":"tracking_update","consignment_id":1,"tracking_message":"At the hub."}`,
		`{"consignment_id":1}`, `{"status":"delivered"}`, `nonsense`, ``,
	} {
		got := c.sendEvent(t, plugin.CourierB, body)
		if got.status != http.StatusOK || string(got.body) != `{"status":"success","message":"Webhook received successfully."}` {
			t.Errorf("%q: %d %s", body, got.status, got.body)
		}
		if kind := got.header.Get("Content-Type"); kind != "application/json" {
			t.Errorf("%q: got content type %q, want application/json", body, kind)
		}
	}
}

// A forged webhook is rejected by its headers: the server must not wait for the body, and thus not
// store any of it.
func TestCourierWebhooks_ForgeryRejectedBeforeBody(t *testing.T) {
	t.Parallel()
	c := newCouriers(t)
	for path, size := range map[string]int{"courier_a/acme": 1 << 20, "courier_b/acme": 60_000, "courier_a/plain": 10_000, "courier_a/nobody": 100} {
		conn, err := net.Dial("tcp", strings.TrimPrefix(c.url, "http://"))
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close()
		fmt.Fprintf(conn, "POST /courier/webhook/%s HTTP/1.1\r\nHost: x\r\nContent-Length: %d\r\n"+
			"X-CourierA-Signature: wrong\r\nAuthorization: Bearer wrong\r\n\r\n", path, size)
		res, err := http.ReadResponse(bufio.NewReader(conn), nil) // no byte of the body has been sent
		if err != nil || res.StatusCode != http.StatusUnauthorized {
			t.Errorf("%s: got %v, %v, want 401", path, res, err)
		}
	}
}

// An event is identified by the courier's name for it, however its bytes differ.
func TestCourierBWebhook_IdempotencyKey(t *testing.T) {
	t.Parallel()
	c := newCouriers(t)
	for i := range 3 {
		c.send(t, plugin.CourierB, "acme", fmt.Sprintf(`{"notification_type":"user_update","try":%d}`, i), "Authorization", "Bearer "+tokenB,
			"Idempotency-Key", "event-1")
	}
	if call := c.lastWebhook(t); call.Copies != 3 {
		t.Errorf("got %d copies counted, want 3", call.Copies)
	}
}

// Whatever is wrong with a webhook, the response is the same.
func TestCourierWebhooks_SameRejection(t *testing.T) {
	t.Parallel()
	c := newCouriers(t)
	const body = `{"event":"webhook_integration","consignment_id":1,"status":"delivered"}`
	rejected := map[plugin.Provider]map[string][]string{
		plugin.CourierA: {
			"acme":   {"X-CourierA-Signature", "wrong"},
			"acme ":  {"X-CourierA-Signature", ""},
			"acme  ": {},
			"plain":  {"X-CourierA-Signature", secretA},
			"nobody": {"X-CourierA-Signature", secretA},
			"UP_per": {"X-CourierA-Signature", secretA},
		},
		plugin.CourierB: {
			"acme":   {"Authorization", "Bearer wrong"},
			"acme ":  {"Authorization", "Bearer "},
			"acme  ": {},
			"plain":  {"Authorization", "Bearer " + tokenB},
			"nobody": {"Authorization", "Bearer " + tokenB},
			"ACME":   {"Authorization", "Bearer " + tokenB},
		},
	}
	var first *reply
	for provider, cases := range rejected {
		for tenant, header := range cases {
			got := c.send(t, provider, strings.TrimSpace(tenant), body, header...)
			got.header.Del("X-Request-Id")
			got.header.Del("Date")
			if got.status != http.StatusUnauthorized {
				t.Errorf("%s %q: status %d", provider, tenant, got.status)
			}
			if first == nil {
				first = got
				continue
			}
			if diff := cmp.Diff(first.header, got.header); diff != "" || !bytes.Equal(first.body, got.body) {
				t.Errorf("%s %q: header (-want +got):\n%s\ngot body %s, want %s", provider, tenant, diff, got.body, first.body)
			}
		}
	}
	refused, err := c.acme.Inbox.ListRefusedWebhooks(t.Context(), access.Operator(), "")
	if err != nil || len(refused) == 0 || !strings.HasPrefix(refused[0].Reason, "401: ") {
		t.Errorf("got refused webhooks %+v, %v", refused, err)
	}
	if page, err := c.acme.Inbox.ListWebhooks(t.Context(), access.Operator(), inbox.WebhookFilter{}); err != nil || page.Meta.TotalCount != 0 {
		t.Errorf("got %d refused webhooks stored, %v", page.Meta.TotalCount, err)
	}
}
