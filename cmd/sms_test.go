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

// notConfigured is the status of a gateway or a mail server that the shop does not have.
const notConfigured = "configured: false\nconfig: -\ninherited: false\nlocked: false\nhas default: false\n" +
	"connection:\n  state: unchecked\n  checked at: -\n" +
	"  proved at: -\n  words: -\n  request id: -\n  next check at: -\n"

func TestSMS(t *testing.T) {
	t.Parallel()
	c := newConsole(t)
	c.must("tenant", "create", "acme", "--name", "Acme")
	c.prints(notConfigured, "api", "acme", "getSms")
	c.fails(cmd.ExitFailed, "sms configure acme", "sms", "test", "acme", "01711-000000")
	c.fails(cmd.ExitUsage, "needs --preset or --file or --remove", "sms", "configure", "acme")
	c.fails(cmd.ExitUsage, "KEY=VALUE is allowed only with --preset", "sms", "configure", "acme", "a=b", "--remove")
	c.fails(cmd.ExitFailed, "apiKey", "sms", "configure", "acme", "--preset", "bulksmsbd")
	c.fails(cmd.ExitFailed, "bulksmsbd", "sms", "configure", "acme", "--preset", "pigeon")
	if r := c.run("sms", "configure", "acme", "--preset", "bulksmsbd", "s3cret"); r.code != cmd.ExitUsage || strings.Contains(r.stderr, "s3cret") {
		t.Errorf("got exit code %d, %s, want a usage error without the secret", r.code, r.stderr)
	}
	c.stdin = "s3cret\n"
	out := c.must("sms", "configure", "acme", "--preset", "bulksmsbd", "apiKey=@-", "sender=Acme")
	for _, out := range []string{out, c.must("api", "acme", "getSms"), c.must("api", "acme", "getSms", "--json")} {
		if strings.Contains(out, "s3cret") || !strings.Contains(out, "bulksmsbd.net") || !strings.Contains(out, "Acme") {
			t.Errorf("got\n%s\nwant the gateway without its secret", out)
		}
	}
	twilio := []string{"sms", "configure", "acme", "--preset", "twilio", "accountSid=AC1", "authToken=x", "sender=Acme"}
	for _, test := range []struct {
		flags []string
		want  string
	}{{nil, "880"}, {[]string{"--calling-codes", "880,91"}, "880, 91"}, {[]string{"--calling-codes", "*"}, "*"}} {
		c.prints("Address        https://api.twilio.com/2010-04-01/Accounts/{secret.accountSid}/Messages.json\n"+
			"Sender         Acme\nCalling codes  "+test.want+"\nSecrets        [accountSid authToken]\n\n"+
			"Next: storefront --data DATA sms test acme PHONE\n", append(twilio, test.flags...)...)
	}
	c.fails(cmd.ExitFailed, "callingCodes", append(twilio, "--calling-codes", "BD")...)
	c.fails(cmd.ExitUsage, "--calling-codes is allowed only with --preset", "sms", "configure", "acme", "--remove", "--calling-codes", "880")
	c.must("sms", "configure", "acme", "--remove")
	c.prints(notConfigured, "api", "acme", "getSms")
}

func TestSMSTest(t *testing.T) {
	t.Parallel()
	response, got := `{"ok":true,"id":"m-1"}`, ""
	gateway := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		got = string(body)
		_, _ = io.WriteString(w, response)
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
	c.prints("The gateway accepted message m-1.\n", "sms", "test", "acme", "01711-000000", "--private-providers")
	if want := `{"key":"s3cret","text":"A test message of Acme.","to":"+8801711000000"}`; got != want {
		t.Errorf("request to the gateway: got %s, want %s", got, want)
	}
	response = `{"ok":false,"why":"no balance for s3cret"}`
	c.fails(cmd.ExitFailed, "no balance", "sms", "test", "acme", "01711-000000", "--private-providers")
	if r := c.run("sms", "test", "acme", "01711-000000", "--private-providers"); strings.Contains(r.stderr, "s3cret") {
		t.Errorf("error contains the secret: %s", r.stderr)
	}
	c.fails(cmd.ExitFailed, "phone number is not valid", "sms", "test", "acme", "1", "--private-providers")
}

// Gateways write numbers as text, and accept a batch whose only message fails.
func TestSMSTest_ResponsesOfGateways(t *testing.T) {
	t.Parallel()
	response := ""
	gateway := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, response) }))
	defer gateway.Close()
	c := newConsole(t)
	c.must("tenant", "create", "acme", "--name", "Acme")
	file := filepath.Join(t.TempDir(), "gateway.json")
	config := `{"url":"` + gateway.URL + `","allowHttp":true,"body":{"kind":"json","json":{"to":"{to}","text":"{text}"}},
		"success":{"json":{"path":"status","equals":"200"}},"failure":{"json":{"path":"messages.0.status","in":["FAILED"]}},
		"messageId":"messages.0.id","error":["messages.0.why"]}`
	if err := os.WriteFile(file, []byte(config), 0o600); err != nil {
		t.Fatal(err)
	}
	c.must("sms", "configure", "acme", "--file", file)
	test := []string{"sms", "test", "acme", "01711-000000", "--private-providers"}
	for _, sent := range []string{`{"status":"200","messages":[{"id":"m-1"}]}`, `{"status":200,"messages":[{"status":"SENT","id":"m-1"}]}`} {
		response = sent
		c.prints("The gateway accepted message m-1.\n", test...)
	}
	response = `{"status":200,"messages":[{"status":"FAILED","why":"Invalid MSISDN"}]}`
	c.fails(cmd.ExitFailed, "Invalid MSISDN", test...)
}
