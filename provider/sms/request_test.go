package sms_test

import (
	"encoding/json"
	"encoding/xml"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"storefront/provider/sms"
)

// hostile is a text that breaks every position in which a value is not escaped.
const hostile = "\"'` \\ \r\n\t & = + % %41 # ? / ; : {to} {text} {secret.key} <b> ]]> &amp; \x00 \u2028 কোড ৪৮২১ 😀 ../.."

// The gateway receives exactly the text that was sent, in every position.
func TestSend_Escaping(t *testing.T) {
	t.Parallel()
	query := func(name string) func(*testing.T, request) string {
		return func(t *testing.T, r request) string {
			values, err := url.ParseQuery(r.URL.RawQuery)
			if err != nil {
				t.Fatal(err)
			}
			return values.Get(name)
		}
	}
	tests := map[string]struct {
		cfg  sms.Config
		read func(*testing.T, request) string
	}{
		"path": {
			sms.Config{URL: "/send/{to}/{text}/now"},
			func(t *testing.T, r request) string {
				segments := strings.Split(r.URL.EscapedPath(), "/")
				if len(segments) != 5 || segments[4] != "now" {
					t.Fatalf("got path %s", r.URL.EscapedPath())
				}
				text, err := url.PathUnescape(segments[3])
				if err != nil {
					t.Fatal(err)
				}
				return text
			},
		},
		"query of the URL": {sms.Config{Method: http.MethodGet, URL: "/send?to={to}&m={text}&last=1"}, query("m")},
		"query":            {sms.Config{Method: http.MethodGet, URL: "/send", Query: map[string]string{"to": "{to}", "m": "{text}"}}, query("m")},
		"query in addition to the URL's": {
			sms.Config{Method: http.MethodGet, URL: "/send?json", Query: map[string]string{"to": "{to}", "m": "{text}"}},
			query("m"),
		},
		"form": {
			sms.Config{Body: sms.Body{Kind: sms.BodyForm, Params: map[string]string{"to": "{to}", "m": "{text}", "last": "1"}}},
			func(t *testing.T, r request) string {
				if got := r.Header.Get("Content-Type"); got != "application/x-www-form-urlencoded" {
					t.Errorf("got Content-Type %s", got)
				}
				values, err := url.ParseQuery(r.body)
				if err != nil || len(values) != 3 {
					t.Fatalf("%s: %v", r.body, err)
				}
				return values.Get("m")
			},
		},
		"json": {
			sms.Config{Body: sms.Body{
				Kind: sms.BodyJSON,
				JSON: json.RawMessage(`{"messages":[{"to":["{to}"],"m":"{text}"}],"n":12345678901234567890,"flag":true}`),
			}},
			func(t *testing.T, r request) string {
				var body struct {
					Messages []struct {
						To []string
						M  string
					}
					N    json.Number
					Flag bool
				}
				if err := json.Unmarshal([]byte(r.body), &body); err != nil {
					t.Fatal(err)
				}
				if body.N != "12345678901234567890" || !body.Flag || len(body.Messages) != 1 || body.Messages[0].To[0] != phone {
					t.Errorf("got body %s", r.body)
				}
				return body.Messages[0].M
			},
		},
		"xml": {
			sms.Config{Body: sms.Body{
				Kind: sms.BodyRaw, ContentType: "text/xml; charset=utf-8",
				Raw: `<sms to="{to}" copy="{text}"><text>{text}</text></sms>`,
			}},
			func(t *testing.T, r request) string {
				var body struct {
					Copy string `xml:"copy,attr"`
					Text string `xml:"text"`
				}
				if err := xml.Unmarshal([]byte(r.body), &body); err != nil {
					t.Fatal(err)
				}
				if body.Copy != body.Text {
					t.Errorf("got attribute %q, want %q", body.Copy, body.Text)
				}
				return strings.Replace(body.Text, "\uFFFD", "\x00", 1) // XML cannot contain NUL
			},
		},
		"plain text": {
			sms.Config{Body: sms.Body{Kind: sms.BodyRaw, ContentType: "text/plain", Raw: "{to}:{text}"}},
			func(_ *testing.T, r request) string { return strings.TrimPrefix(r.body, phone+":") },
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			g := newGateway(t, respond(http.StatusOK, ""))
			test.cfg.Secrets = sms.Secrets{"key": "s3cret"}
			s := newSender(t, withURL(g.URL, test.cfg))
			if _, err := s.Send(t.Context(), phone, hostile); err != nil {
				t.Fatal(err)
			}
			if got := test.read(t, g.onlyRequest(t)); got != hostile {
				t.Errorf("got\n%q, want\n%q", got, hostile)
			}
		})
	}
}

// requiredParams is a body with the placeholders that every configuration must have.
var requiredParams = sms.Body{Kind: sms.BodyForm, Params: map[string]string{"to": "{to}", "m": "{text}"}}

func TestSend_HeadersAndAuth(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		cfg     sms.Config
		header  string
		want    string
		refused bool
	}{
		"header": {
			sms.Config{Headers: map[string]string{"x-api-key": "k {secret.key}"}, Secrets: sms.Secrets{"key": `a"b; c`}}, "X-Api-Key", `k a"b; c`,
			false,
		},
		"line break in a header": {
			sms.Config{Headers: map[string]string{"X-Key": "{secret.key}"}, Secrets: sms.Secrets{"key": "a\r\nX-Evil: 1"}}, "", "", true,
		},
		"NUL in a header": {sms.Config{Headers: map[string]string{"X-Key": "{secret.key}"}, Secrets: sms.Secrets{"key": "a\x00"}}, "", "", true},
		"basic": {
			sms.Config{
				Auth:    sms.Auth{Kind: sms.AuthBasic, User: "{secret.user}", Password: "{secret.key}"},
				Secrets: sms.Secrets{"user": "me", "key": "p:w\n"},
			},
			"Authorization", "Basic bWU6cDp3Cg==", false,
		},
		"colon in the user": {sms.Config{Auth: sms.Auth{Kind: sms.AuthBasic, User: "{secret.user}"}, Secrets: sms.Secrets{"user": "a:b"}}, "", "", true},
		"bearer": {
			sms.Config{Auth: sms.Auth{Kind: sms.AuthBearer, Token: "{secret.key}"}, Secrets: sms.Secrets{"key": "t0ken"}}, "Authorization",
			"Bearer t0ken", false,
		},
		"line break in the token": {
			sms.Config{Auth: sms.Auth{Kind: sms.AuthBearer, Token: "{secret.key}"}, Secrets: sms.Secrets{"key": "t\nX: y"}}, "", "", true,
		},
		"dot segment in the path": {sms.Config{URL: "/{secret.key}/send", Secrets: sms.Secrets{"key": ".."}}, "", "", true},
		"default user agent":      {sms.Config{}, "User-Agent", "storefront", false},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			g := newGateway(t, respond(http.StatusOK, ""))
			test.cfg.Body = requiredParams
			_, err := newSender(t, withURL(g.URL, test.cfg)).Send(t.Context(), phone, codeText)
			if test.refused {
				if outcome(err) != "refused" || len(g.requests) != 0 {
					t.Errorf("got %s, %d requests; want refused, 0 requests", outcome(err), len(g.requests))
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if got := g.onlyRequest(t).Header.Get(test.header); got != test.want {
				t.Errorf("%s: got %q, want %q", test.header, got, test.want)
			}
		})
	}
}

func TestSend_Placeholders(t *testing.T) {
	t.Parallel()
	g := newGateway(t, respond(http.StatusOK, ""))
	cfg := withURL(g.URL, sms.Config{
		Sender:   "Shop",
		Encoding: sms.Encoding{GSM7: "text", Unicode: "unicode"},
		Body: sms.Body{Kind: sms.BodyForm, Params: map[string]string{
			"to": "{to}", "m": "{text}", "from": "{sender}", "type": "{encoding}", "ref": "{ref}", "odd": "{ {0} {",
		}},
	})
	s := newSender(t, cfg)
	refs := make(map[string]bool)
	for _, test := range []struct{ text, encoding string }{{codeText, "text"}, {"কোড ৪৮২১", "unicode"}} {
		if _, err := s.Send(t.Context(), phone, test.text); err != nil {
			t.Fatal(err)
		}
		values, err := url.ParseQuery(g.onlyRequest(t).body)
		if err != nil {
			t.Fatal(err)
		}
		if got := values.Get("type"); got != test.encoding {
			t.Errorf("%q: got encoding %s, want %s", test.text, got, test.encoding)
		}
		if values.Get("from") != "Shop" || values.Get("odd") != "{ {0} {" {
			t.Errorf("got values %v", values)
		}
		ref := values.Get("ref")
		if !regexp.MustCompile(`^[A-Z2-7]{20}$`).MatchString(ref) || refs[ref] {
			t.Errorf("got ref %q, want 20 letters and digits, unique", ref)
		}
		refs[ref] = true
	}
}

func TestSend_EmptyParameters(t *testing.T) {
	t.Parallel()
	g := newGateway(t, respond(http.StatusOK, ""))
	cfg := withURL(g.URL, sms.Config{
		Query: map[string]string{"from": "{sender}"},
		Body:  sms.Body{Kind: sms.BodyForm, Params: map[string]string{"to": "{to}", "m": "{text}", "sender_id": "{sender}"}},
	})
	if _, err := newSender(t, cfg).Send(t.Context(), phone, "x"); err != nil {
		t.Fatal(err)
	}
	if r := g.onlyRequest(t); r.body != "m=x&to=%2B8801711000000" || r.URL.RawQuery != "" {
		t.Errorf("got query %q, body %q, want no empty parameters", r.URL.RawQuery, r.body)
	}
}

func TestSend_NumberFormats(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		format sms.NumberFormat
		codes  []string
		to     string
		want   string // "": refused
	}{
		"default":                      {"", nil, phone, "+8801711000000"},
		"E.164":                        {sms.E164, nil, phone, "+8801711000000"},
		"international":                {sms.International, nil, phone, "8801711000000"},
		"national":                     {sms.National, []string{"880"}, phone, "01711000000"},
		"listed country":               {sms.International, []string{"1", "880"}, phone, "8801711000000"},
		"another than the shop's":      {sms.International, nil, "+919812345678", ""},
		"national of the shop's":       {sms.National, nil, phone, "01711000000"},
		"all countries":                {sms.International, []string{"*"}, "+919812345678", "919812345678"},
		"unlisted country":             {sms.International, []string{"880"}, "+919812345678", ""},
		"national of unlisted country": {sms.National, []string{"880"}, "+919812345678", ""},
		"no plus sign":                 {sms.E164, nil, "8801711000000", ""},
		"several numbers":              {sms.E164, nil, phone + "," + phone, ""},
		"trailing line break":          {sms.E164, nil, phone + "\n", ""},
		"Bangla digits":                {sms.E164, nil, "+৮৮০১৭১১০০০০০০", ""},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			g := newGateway(t, respond(http.StatusOK, ""))
			cfg := withURL(g.URL, sms.Config{Body: requiredParams, NumberFormat: test.format, CallingCodes: test.codes})
			_, err := newSender(t, cfg).Send(t.Context(), test.to, "x")
			if test.want == "" {
				if outcome(err) != "refused" || len(g.requests) != 0 || strings.Contains(err.Error(), "98123") {
					t.Errorf("got %v, %d requests; want refused without the number, 0 requests", err, len(g.requests))
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			values, err := url.ParseQuery(g.onlyRequest(t).body)
			if err != nil || values.Get("to") != test.want {
				t.Errorf("got to=%q, %v; want %q", values.Get("to"), err, test.want)
			}
		})
	}
}
