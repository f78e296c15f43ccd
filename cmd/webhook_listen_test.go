package cmd_test

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"

	"storefront/cmd"
	"storefront/shop/shoptest"
)

// A program that is developed receives the events as webhooks, which the reference library of
// Standard Webhooks accepts with the printed secret.
func TestWebhookListen(t *testing.T) {
	t.Parallel()
	c := newConsole(t)
	c.must("tenant", "create", "acme", "--name", "Acme", "--currency", "BDT", "--country", "BD")
	c.must("coupon", "create", "acme", "--code", "EID", "--percent", "10")
	c.must("seed", "acme")
	type received struct {
		header http.Header
		body   []byte
	}
	var webhooks []received // written before the response, read after the last one
	receiver := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			t.Error(err)
		}
		webhooks = append(webhooks, received{r.Header, body})
		w.WriteHeader(http.StatusNoContent)
	}))
	defer receiver.Close()
	ctx, interrupt := context.WithCancel(t.Context())
	out, stderr := &endAfter{lines: 100, end: interrupt}, &bytes.Buffer{}
	program := cmd.Program{Schema: shoptest.Schema(t), Stdin: strings.NewReader(""), Stdout: out, Stderr: stderr, Environ: c.environ()}
	code := program.Run(ctx, []string{"webhook", "listen", "acme", "--forward", receiver.URL, "--after", "0", "--full", "--data", c.dir})
	first, rest, _ := strings.Cut(out.String(), "\n")
	secret, found := strings.CutPrefix(first, "Signed with ")
	if code != cmd.ExitOK || !found || !strings.Contains(rest, " coupon.created ") || !strings.HasSuffix(strings.TrimSpace(rest), " 204") {
		t.Fatalf("got exit code %d, %s%s", code, out.String(), stderr.String())
	}
	verifier, err := standardwebhooks.NewWebhook(secret)
	if err != nil {
		t.Fatal(err)
	}
	orders := 0
	for _, w := range webhooks {
		if err := verifier.Verify(w.body, w.header); err != nil {
			t.Fatalf("%v: %s", err, w.body)
		}
		var body struct {
			Type, Tenant string
			Data         struct {
				OrderNumber int64
				Order       struct{ OrderNumber int64 }
			}
		}
		if err := json.Unmarshal(w.body, &body); err != nil || body.Tenant != "acme" {
			t.Fatalf("got %v, %s", err, w.body)
		}
		if body.Data.OrderNumber > 0 {
			orders++
			if body.Data.Order.OrderNumber != body.Data.OrderNumber {
				t.Errorf("got %s, want the order in it", w.body)
			}
		}
	}
	if len(webhooks) < 98 || orders == 0 {
		t.Errorf("got %d webhooks, %d of orders", len(webhooks), orders)
	}
}

func TestWebhookListen_Invalid(t *testing.T) {
	t.Parallel()
	c := newConsole(t)
	c.must("tenant", "create", "acme", "--name", "Acme", "--currency", "BDT", "--country", "BD")
	for _, target := range []string{"localhost:3000", "file:///etc/passwd", ""} {
		c.fails(cmd.ExitUsage, "http://localhost:3000/hooks", "webhook", "listen", "acme", "--forward", target)
	}
}
