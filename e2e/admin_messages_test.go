package e2e

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"reflect"
	"strings"
	"sync/atomic"
	"testing"

	"storefront/provider/mail/mailtest"
)

// adminOf returns a function that calls operations of the Admin API of the shop "acme" with an API
// key of these scopes, and decodes the response.
func (p *process) adminOf(data string, scopes ...string) func(method, operation string, body any, header ...string) (int, map[string]any) {
	p.t.Helper()
	var key struct{ Token string }
	args := []string{"token", "create", "acme", "--name", "Test", "--json", "--data", data}
	if len(scopes) > 0 {
		args = append(args, "--scope", strings.Join(scopes, ","))
	}
	if err := json.Unmarshal([]byte(run(p.t, args...)), &key); err != nil {
		p.t.Fatal(err)
	}
	return func(method, operation string, body any, header ...string) (int, map[string]any) {
		p.t.Helper()
		with := map[string]string{}
		for i := 0; i < len(header); i += 2 {
			with[header[i]] = header[i+1]
		}
		got, err := p.do(request{method: method, path: "/admin/v1/shops/acme/" + operation, token: key.Token, body: body, header: with})
		if err != nil {
			p.t.Fatal(err)
		}
		var decoded map[string]any
		if err := json.Unmarshal(got.body, &decoded); err != nil {
			p.t.Fatalf("%s %s: got %d %s", method, operation, got.status, got.body)
		}
		return got.status, decoded
	}
}

// fieldsOf returns the fields of a problem.
func fieldsOf(problem map[string]any) (fields []string) {
	list, _ := problem["errors"].([]any)
	for _, entry := range list {
		fields = append(fields, fmt.Sprint(entry.(map[string]any)["field"]))
	}
	return fields
}

// Staff configure and test the SMS gateway as the command line does. A secret goes in and never
// comes out: not from the configuration, its faults, a refusal, the audit log or an event.
func TestAdmin_SMS(t *testing.T) {
	t.Parallel()
	const secret = "s3cret-of-the-gateway"
	var response atomic.Value
	var sent atomic.Int64
	gateway := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		if !strings.Contains(string(body), secret) {
			t.Errorf("got %s, want the secret", body)
		}
		sent.Add(1)
		_, _ = io.WriteString(w, response.Load().(string))
	}))
	t.Cleanup(gateway.Close)
	data := t.TempDir()
	run(t, "tenant", "create", "acme", "--name", "Acme", "--data", data)
	p := serve(t, "--data", data, "--private-providers")
	call := p.adminOf(data)
	want := func(status int, method, operation string, body any, header ...string) map[string]any {
		t.Helper()
		got, decoded := call(method, operation, body, header...)
		text, err := json.Marshal(decoded)
		if err != nil {
			t.Fatal(err)
		}
		if got != status || strings.Contains(string(text), secret) {
			t.Errorf("%s %s: got %d %s, want %d without the secret", method, operation, got, text, status)
		}
		return decoded
	}
	if got := want(200, "GET", "sms", nil); got["configured"] != false || got["config"] != nil {
		t.Errorf("got %v, want no gateway", got)
	}
	if got := want(200, "POST", "sms/test", map[string]any{"phoneNumber": "01711-000000"}); got["status"] != "failed" ||
		got["reason"] != "the shop has no SMS gateway" {
		t.Errorf("without a gateway: got %v", got)
	}
	presets := want(200, "GET", "sms/presets", nil)["nodes"].([]any)
	if len(presets) < 5 || presets[0].(map[string]any)["params"] == nil {
		t.Errorf("got presets %v", presets)
	}
	config := map[string]any{
		"url": gateway.URL, "allowHttp": true,
		"body":    map[string]any{"kind": "json", "json": map[string]any{"to": "{to}", "text": "{text}", "key": "{secret.key}"}},
		"success": map[string]any{"json": map[string]any{"path": "ok", "equals": "true"}}, "messageId": "id", "error": []any{"why"},
		"secrets": map[string]any{"key": secret},
	}
	for name, bad := range map[string]struct {
		body   any
		fields []string
	}{
		"nothing":           {map[string]any{}, []string{"config"}},
		"both":              {map[string]any{"preset": "bulksmsbd", "config": config}, []string{"config"}},
		"unknown preset":    {map[string]any{"preset": "pigeon"}, []string{"preset"}},
		"without parameter": {map[string]any{"preset": "bulksmsbd", "params": map[string]any{"sender": "Acme"}}, []string{"params.apiKey"}},
		"parameters alone":  {map[string]any{"config": config, "params": map[string]any{"apiKey": secret}}, []string{"params"}},
		"not an address":    {map[string]any{"config": map[string]any{"url": "acme"}}, []string{"config.url", "config.{to}", "config.{text}"}},
	} {
		if got := want(422, "PUT", "sms", bad.body); !reflect.DeepEqual(fieldsOf(got), bad.fields) {
			t.Errorf("%s: got fields %v, want %v", name, fieldsOf(got), bad.fields)
		}
	}
	shown := want(200, "PUT", "sms", map[string]any{"config": config})
	if got := want(200, "GET", "sms", nil); !reflect.DeepEqual(got, shown) || got["configured"] != true {
		t.Errorf("got %v, want the gateway as it was set: %v", got, shown)
	}
	// What GET returns must not be stored: its secrets are hidden.
	if got := want(422, "PUT", "sms", map[string]any{"config": shown["config"]}); !reflect.DeepEqual(fieldsOf(got), []string{"config.secrets.key"}) {
		t.Errorf("with the hidden secret: got fields %v", fieldsOf(got))
	}
	for _, answer := range []struct{ response, status, id, reason string }{
		{`{"ok":true,"id":"m-1"}`, "sent", "m-1", ""},
		{`{"ok":false,"why":"no credit for ` + secret + `"}`, "failed", "", "no credit"},
	} {
		response.Store(answer.response)
		got := want(200, "POST", "sms/test", map[string]any{"phoneNumber": "01711-000000"})
		if got["status"] != answer.status || got["messageId"] != answer.id || !strings.Contains(got["reason"].(string), answer.reason) {
			t.Errorf("got %v, want %+v", got, answer)
		}
	}
	response.Store(`{"ok":true,"id":"m-2"}`)
	before := sent.Load()
	for range 2 { // a double click costs one message
		if got := want(200, "POST", "sms/test", map[string]any{"phoneNumber": "01711-000000"}, "Idempotency-Key", "click-0001"); got["messageId"] != "m-2" {
			t.Errorf("got %v, want the first response", got)
		}
	}
	if n := sent.Load() - before; n != 1 {
		t.Errorf("got %d messages, want 1", n)
	}
	message := want(200, "POST", "messages/test", map[string]any{"event": "shipped", "to": "01711-000000"})
	if message["status"] != "sent" || !strings.Contains(message["text"].(string), "1042") {
		t.Errorf("got %v, want an example of the message", message)
	}
	want(422, "POST", "messages/test", map[string]any{"event": "lost", "to": "01711-000000"})
	if got := want(200, "DELETE", "sms", nil); got["configured"] != false {
		t.Errorf("got %v, want no gateway", got)
	}
	var actions []string
	for _, entry := range want(200, "GET", "audit", nil)["nodes"].([]any) {
		actions = append(actions, entry.(map[string]any)["action"].(string))
	}
	if want := []string{
		"sms.configure", "message.test", "sms.test", "sms.test", "sms.test", "sms.configure", "key.create",
	}; !reflect.DeepEqual(actions[:min(len(actions), len(want))], want) {
		t.Errorf("got audit entries %v, want %v", actions, want)
	}
	if log := p.logged(); strings.Contains(log, secret) {
		t.Errorf("got the secret in the log:\n%s", log)
	}
}

// Staff configure and test the mail server; the password never comes out.
func TestAdmin_Mail(t *testing.T) {
	t.Parallel()
	mails := mailtest.New(t, &mailtest.Options{Plain: true})
	data := t.TempDir()
	run(t, "tenant", "create", "acme", "--name", "Acme", "--data", data)
	p := serve(t, "--data", data, "--private-providers")
	call := p.adminOf(data, "providers.read", "providers.write")
	secured := map[string]any{"host": "smtp.example.com", "from": "orders@acme.example", "username": "acme", "password": "s3cret"}
	status, got := call("PUT", "mail", secured)
	config, _ := got["config"].(map[string]any)
	if status != 200 || config["password"] != "[hidden]" || config["port"] != 587.0 || config["security"] != "starttls" {
		t.Fatalf("got %d %v, want the mail server without its password", status, got)
	}
	if _, read := call("GET", "mail", nil); !reflect.DeepEqual(read, got) {
		t.Errorf("got %v, want %v", read, got)
	}
	if status, got := call("PUT", "mail", config); status != 422 || !reflect.DeepEqual(fieldsOf(got), []string{"password"}) {
		t.Errorf("with the hidden password: got %d %v", status, got)
	}
	if status, got := call("PUT", "mail", map[string]any{"host": "a b", "from": "nobody", "security": "ssl"}); status != 422 ||
		!reflect.DeepEqual(fieldsOf(got), []string{"host", "security", "port", "from"}) {
		t.Errorf("got %d with the fields %v", status, fieldsOf(got))
	}
	local := map[string]any{"host": mails.Host, "port": mails.Port, "security": "none", "from": "orders@acme.example"}
	if status, got := call("PUT", "mail", local); status != 200 {
		t.Fatalf("got %d %v", status, got)
	}
	if status, got := call("POST", "mail/test", map[string]any{"email": "me@example.com"}); status != 200 || got["status"] != "sent" {
		t.Errorf("got %d %v, want a sent e-mail", status, got)
	}
	if m := mails.Next(t, "me@example.com"); m.From != "orders@acme.example" {
		t.Errorf("got an e-mail from %s", m.From)
	}
	if status, got := call("DELETE", "mail", nil); status != 200 || got["configured"] != false {
		t.Errorf("got %d %v, want no mail server", status, got)
	}
	if status, got := call("POST", "mail/test", map[string]any{"email": "me@example.com"}); status != 200 || got["status"] != "failed" {
		t.Errorf("without a mail server: got %d %v", status, got)
	}
}
