package sms

import (
	"encoding/json"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

// Every configuration is accepted or rejected with its faults. One that is accepted sends each
// message to its own host, whatever the text is, and stays the same when it is stored.
func FuzzParseConfig(f *testing.F) {
	presets, err := Presets()
	if err != nil {
		f.Fatal(err)
	}
	for _, preset := range presets {
		params := map[string]string{}
		for _, p := range preset.Params {
			params[p.Name] = "value1"
		}
		if cfg, err := Preset(preset.Name, params); err == nil {
			text, err := json.Marshal(cfg)
			if err != nil {
				f.Fatal(err)
			}
			f.Add(text, "Your code is 1234.")
		}
	}
	f.Add([]byte(`{"url":"https://sms.example.com/{to}/send?x={text}","headers":{"X-A":"{text}"},"secrets":{"key":"k"}}`), "..\r\nHost: b")
	f.Add([]byte(`{"url":"https://sms.example.com","json":{"a":[{"to":"{to}","text":"{text}"}]},`+
		`"success":{"json":{"path":"a.0.b","equals":["1"]}}}`), `"\u2028`)
	f.Add([]byte(`{"url":"https://sms.example.com","body":{"kind":"json","json":{"<t>":"{text}&"}},`+
		`"success":{"status":{"from":200,"to":299}}}`), "x") // & is stored as an escape
	f.Add([]byte(`{"url":"https://{text}.example.com","body":{}} {}`), "x")
	f.Add([]byte(`{"url":"https://sms.exämple.com:/send?to={to}&text={text}","success":{"status":{"from":200,"to":299}}}`), "x")
	f.Add([]byte(`{"url":"https://[2001:db8::1]:8443/send?to={to}&text={text}","success":{"status":{"from":200,"to":299}}}`), "x")
	f.Fuzz(func(t *testing.T, text []byte, message string) {
		cfg, err := ParseConfig(text)
		if err != nil || cfg.Validate() != nil {
			return
		}
		for name, value := range cfg.Redacted().Secrets {
			if value != redacted {
				t.Errorf("redacted secret %s: got %q", name, value)
			}
		}
		stored, err := json.Marshal(cfg)
		if err != nil {
			t.Fatal(err)
		}
		again, err := ParseConfig(stored)
		if err != nil || again.Validate() != nil {
			t.Fatalf("%s: got %v, %v when stored as %s", text, err, again.Validate(), stored)
		}
		if diff := cmp.Diff(cfg, again, cmpopts.EquateEmpty(), cmpopts.IgnoreFields(Body{}, "JSON")); diff != "" {
			t.Errorf("%s: configuration (-stored +read again):\n%s", text, diff)
		}
		if diff := cmp.Diff(decoded(t, cfg.Body.JSON), decoded(t, again.Body.JSON)); diff != "" {
			t.Errorf("%s: JSON of the body (-stored +read again):\n%s", text, diff)
		}
		sender, err := New(cfg, nil, "880")
		if err != nil {
			t.Fatalf("%s: got error %v of a valid configuration", text, err)
		}
		values, err := sender.values("+8801711223344", message)
		if err != nil {
			return
		}
		req, err := sender.gateway.request.build(t.Context(), values)
		if err != nil {
			return
		}
		want, err := url.Parse(cfg.URL)
		if err == nil && (req.URL.Host != want.Host || req.URL.Scheme != want.Scheme || req.URL.User != nil) {
			t.Errorf("%s: got a request to %s, want the host %s", text, req.URL, want.Host)
		}
		for name, all := range map[string][]string(req.Header) {
			if name != http.CanonicalHeaderKey(name) || len(all) != 1 || strings.ContainsAny(all[0], "\r\n\x00") {
				t.Errorf("%s: got the header %q: %q", text, name, all)
			}
		}
	})
}

// decoded returns the value of a JSON text: what is stored may escape it in another way.
func decoded(t *testing.T, text json.RawMessage) any {
	t.Helper()
	if len(text) == 0 {
		return nil
	}
	var value any
	if err := json.Unmarshal(text, &value); err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return value
}
