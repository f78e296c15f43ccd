package cmd_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"storefront/cmd"
)

func TestSMS(t *testing.T) {
	t.Parallel()
	c := newConsole(t)
	c.must("tenant", "create", "acme", "--name", "Acme")
	if out := c.must("sms", "show", "acme"); !strings.Contains(out, "sends no text messages") {
		t.Errorf("show:\n%s", out)
	}
	c.fails(cmd.ExitFailed, "sms configure acme", "sms", "test", "acme", "01711-000000")
	c.fails(cmd.ExitUsage, "preset file remove", "sms", "configure", "acme")
	c.fails(cmd.ExitUsage, "KEY=VALUE goes with --preset", "sms", "configure", "acme", "a=b", "--remove")
	c.fails(cmd.ExitFailed, "apiKey", "sms", "configure", "acme", "--preset", "bulksmsbd")
	c.fails(cmd.ExitFailed, "bulksmsbd", "sms", "configure", "acme", "--preset", "pigeon")
	if r := c.run("sms", "configure", "acme", "--preset", "bulksmsbd", "s3cret"); r.code != cmd.ExitUsage || strings.Contains(r.stderr, "s3cret") {
		t.Errorf("exit %d: %s", r.code, r.stderr)
	}
	for _, preset := range []string{"alphasms", "bulksmsbd", "mimsms", "sslwireless", "twilio"} {
		if out := c.must("sms", "presets"); !strings.Contains(out, preset) {
			t.Errorf("presets without %s:\n%s", preset, out)
		}
	}

	c.stdin = "s3cret\n"
	out := c.must("sms", "configure", "acme", "--preset", "bulksmsbd", "apiKey=@-", "sender=Acme")
	for _, out := range []string{out, c.must("sms", "show", "acme"), c.must("sms", "show", "acme", "--json")} {
		if strings.Contains(out, "s3cret") || !strings.Contains(out, "bulksmsbd.net") || !strings.Contains(out, "Acme") {
			t.Errorf("shown:\n%s", out)
		}
	}
	c.must("sms", "configure", "acme", "--remove")
	if out := c.must("sms", "show", "acme"); !strings.Contains(out, "sends no text messages") {
		t.Errorf("show:\n%s", out)
	}
}

func TestSMSTest(t *testing.T) {
	t.Parallel()
	answer, got := `{"ok":true,"id":"m-1"}`, ""
	gateway := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		got = string(body)
		_, _ = io.WriteString(w, answer)
	}))
	defer gateway.Close()
	c := newConsole(t)
	c.must("tenant", "create", "acme", "--name", "Acme")
	file := filepath.Join(t.TempDir(), "gateway.json")
	config := `{"url":"` + gateway.URL + `","allowHttp":true,"body":{"kind":"json","json":{"to":"{to}","text":"{text}","key":"{secret.key}"}},
		"success":{"json":{"path":"ok","equals":"true"}},"messageId":"id","error":["why"],"secrets":{"key":"s3cret"}}`
	if err := os.WriteFile(file, []byte(config), 0o600); err != nil {
		t.Fatal(err)
	}
	c.must("sms", "configure", "acme", "--file", file)

	c.fails(cmd.ExitFailed, "not sent", "sms", "test", "acme", "01711-000000") // a private address
	if out := c.must("sms", "test", "acme", "01711-000000", "--private-providers"); !strings.Contains(out, "m-1") {
		t.Errorf("test:\n%s", out)
	}
	if want := `{"key":"s3cret","text":"A test message of Acme.","to":"+8801711000000"}`; got != want {
		t.Errorf("the gateway got %s, want %s", got, want)
	}
	answer = `{"ok":false,"why":"no balance for s3cret"}`
	c.fails(cmd.ExitFailed, "no balance", "sms", "test", "acme", "01711-000000", "--private-providers")
	if r := c.run("sms", "test", "acme", "01711-000000", "--private-providers"); strings.Contains(r.stderr, "s3cret") {
		t.Errorf("the secret is shown: %s", r.stderr)
	}
	c.fails(cmd.ExitFailed, "not a phone number", "sms", "test", "acme", "1", "--private-providers")
}
