package cmd_test

import (
	"strings"
	"testing"

	"storefront/cmd"
	"storefront/shop"
	"storefront/shop/plugin"
)

func TestToken(t *testing.T) {
	t.Parallel()
	c := newConsole(t)
	c.must("tenant", "create", "acme", "--name", "Acme")
	var created struct {
		ID    string `json:"_id"`
		Label string
		Token string
	}
	c.json(&created, "token", "create", "acme", "--name", "dashboard")
	if !strings.HasPrefix(created.Token, "sfa_") || created.Label != "dashboard" {
		t.Errorf("token create: got %+v", created)
	}
	if list := c.must("token", "list", "acme"); strings.Contains(list, created.Token) || !strings.Contains(list, created.ID) {
		t.Errorf("token list: got\n%s\nwant the ID without the key", list)
	}
	c.must("token", "revoke", "acme", created.ID)
	c.fails(cmd.ExitFailed, "There is no such API key", "token", "revoke", "acme", created.ID)
}

func TestPluginURLs(t *testing.T) {
	t.Parallel()
	c := newConsole(t)
	c.must("tenant", "create", "acme", "--name", "Acme")
	var urls []shop.WebhookURL
	c.json(&urls, "plugin", "urls", "acme", "--public-url", "https://api.example.com/")
	want := []shop.WebhookURL{
		{Provider: plugin.CourierA, Kind: "webhook", URL: "https://api.example.com/courier/webhook/courier_a/acme"},
		{Provider: plugin.CourierB, Kind: "webhook", URL: "https://api.example.com/courier/webhook/courier_b/acme"},
		{Provider: plugin.GatewayA, Kind: "webhook", URL: "https://api.example.com/payment/webhook/gateway_a/acme"},
		{Provider: plugin.GatewayB, Kind: "callback", URL: "https://api.example.com/payment/callback/gateway_b/acme"},
	}
	if len(urls) != len(want) {
		t.Fatalf("got %v, want %v", urls, want)
	}
	for i := range want {
		if urls[i] != want[i] {
			t.Errorf("got %v, want %v", urls[i], want[i])
		}
	}
}

func TestPluginConfigure_SecretNotPrinted(t *testing.T) {
	t.Parallel()
	c := newConsole(t)
	c.must("tenant", "create", "acme", "--name", "Acme")
	const secret = "hunter2-hunter2"
	for _, args := range [][]string{
		{"plugin", "configure", "acme", "gateway_a", secret},
		{"plugin", "configure", "acme", "gateway_x", "store_password=" + secret},
		{"plugin", "configure", "acme", "gateway_a", "no_such_key=" + secret},
	} {
		if r := c.run(args...); r.code == cmd.ExitOK || strings.Contains(r.stdout+r.stderr, secret) {
			t.Errorf("%v: got exit code %d, %s, want an error without the secret", args, r.code, r.stderr)
		}
	}
}

func TestWebhookList_Empty(t *testing.T) {
	t.Parallel()
	c := newConsole(t)
	c.must("tenant", "create", "acme", "--name", "Acme")
	if out := c.must("webhook", "list", "acme"); out != "No webhooks found.\n" {
		t.Errorf("webhook list: got %q", out)
	}
	c.fails(cmd.ExitFailed, "There is no such webhook", "webhook", "show", "acme", "01KAMZ3V7T9S0E8GQ2W4B6N1XY")
}
