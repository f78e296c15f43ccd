package sms_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"storefront/provider"
	"storefront/provider/sms"
	"storefront/shop/sender"
)

// The response determines whether the message was sent, refused, or possibly sent.
func TestSend_Responses(t *testing.T) {
	t.Parallel()
	byStatus := sms.Config{}
	byJSON := sms.Config{
		Success:   sms.Rule{JSON: &sms.JSONRule{Path: "code", In: []string{"200", "ok"}}},
		MessageID: "data.0.id",
		Error:     []string{"code", "why"},
	}
	byText := sms.Config{Success: sms.Rule{Body: `^Ok\b`}}
	failing := sms.Config{Failure: &sms.Rule{Body: `(?i)error`}}
	exists := sms.Config{Success: sms.Rule{Status: &sms.StatusRange{From: 201, To: 201}, JSON: &sms.JSONRule{Path: "id", Exists: true}}, MessageID: "id"}
	tests := map[string]struct {
		cfg    sms.Config
		status int
		body   string
		want   string // outcome
		detail string // message ID, or the end of the error
	}{
		"status: 200":             {byStatus, 200, "", "sent", ""},
		"status: 204":             {byStatus, 204, "", "sent", ""},
		"status: 400":             {byStatus, 400, `{"a":1}`, "refused", "status 400"},
		"status: 401, plain text": {byStatus, 401, "bad  key\n", "refused", "status 401: bad key"},
		"status: 403, HTML":       {byStatus, 403, "<html>no", "refused", "status 403"},
		"status: 302":             {byStatus, 302, "", "refused", "status 302, a redirect; configure its target as url"},
		"status: 429":             {byStatus, 429, "", "refused", "status 429"},
		"status: 500":             {byStatus, 500, "", "unknown", "status 500"},
		"status: 504":             {byStatus, 504, "<html>", "unknown", "status 504"},
		"json: number":            {byJSON, 200, `{"code":200,"data":[{"id":77}]}`, "sent", "77"},
		"json: string":            {byJSON, 200, `{"code":"OK","data":[{"id":"m-1"}]}`, "sent", "m-1"},
		"json: byte order mark":   {byJSON, 200, "\ufeff" + `{"code":200}` + "\n", "sent", ""},
		"json: refusal under 200": {
			byJSON, 200, `{"code":1007,"why":"Balance\n  Insufficient"}`, "refused", "status 200: 1007: Balance Insufficient",
		},
		"json: missing member":           {byJSON, 200, `{"why":"no"}`, "refused", "status 200: no"},
		"json: null":                     {byJSON, 200, `{"code":null}`, "refused", "status 200"},
		"json: an object":                {byJSON, 200, `{"code":{"ok":1}}`, "refused", "status 200"},
		"json: an array":                 {byJSON, 200, `[{"code":200}]`, "refused", "status 200"},
		"json: empty body":               {byJSON, 200, "", "unknown", "status 200"},
		"json: HTML":                     {byJSON, 200, "<html>We are back soon", "unknown", "status 200"},
		"json: truncated":                {byJSON, 200, `{"code":200`, "unknown", `status 200: {"code":200`},
		"json: two values":               {byJSON, 200, `{"code":200}{"code":500}`, "unknown", `status 200: {"code":200}{"code":500}`},
		"json: success under 500":        {byJSON, 500, `{"code":200}`, "unknown", "status 500: 200"},
		"json: HTML under 400":           {byJSON, 400, "<html>", "refused", "status 400"},
		"text: success":                  {byText, 200, "Ok: SMS sent", "sent", ""},
		"text: refusal under 200":        {byText, 200, "1002", "refused", "status 200: 1002"},
		"text: empty":                    {byText, 200, " ", "unknown", "status 200"},
		"failure: matches":               {failing, 200, "ERROR 1002", "refused", "status 200: ERROR 1002"},
		"failure: no match":              {failing, 200, "done", "sent", ""},
		"failure: match under 500":       {failing, 500, "error 7", "refused", "status 500: error 7"},
		"exists: present":                {exists, 201, `{"id":"SM1"}`, "sent", "SM1"},
		"exists: empty":                  {exists, 201, `{"id":""}`, "refused", "status 201"},
		"exists: other status":           {exists, 200, `{"id":"SM1"}`, "refused", "status 200"},
		"long reason":                    {byStatus, 400, strings.Repeat("ক", 300), "refused", "status 400: " + strings.Repeat("ক", 200) + "…"},
		"reason with control characters": {byStatus, 400, "a\x1b[31mb\r\nc", "refused", "status 400: a [31mb c"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			g := newGateway(t, respond(test.status, test.body))
			cfg := test.cfg
			cfg.Body = requiredParams
			id, err := newSender(t, withURL(g.URL, cfg)).Send(t.Context(), phone, codeText)
			if got := outcome(err); got != test.want {
				t.Fatalf("got %s, want %s", got, test.want)
			}
			if err == nil && id != test.detail {
				t.Errorf("got message ID %q, want %q", id, test.detail)
			}
			if err != nil && !strings.HasSuffix(err.Error(), "the gateway returned "+test.detail) {
				t.Errorf("got error %v, want …%s", err, test.detail)
			}
			g.onlyRequest(t)
		})
	}
}

func TestSend_Redirect(t *testing.T) {
	t.Parallel()
	inner := newGateway(t, respond(http.StatusOK, ""))
	g := newGateway(t, func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, inner.URL+"/?key=s3cret", http.StatusTemporaryRedirect)
	})
	_, err := newSender(t, withURL(g.URL, sms.Config{Body: requiredParams})).Send(t.Context(), phone, codeText)
	if outcome(err) != "refused" || len(inner.requests) != 0 || findSecret(err, "s3cret") != "" {
		t.Errorf("got %v, %d requests at the target; want refused, 0 requests", err, len(inner.requests))
	}
}

// A check sends no message: it only proves that the gateway is reached.
func TestCheck(t *testing.T) {
	t.Parallel()
	var methods []string
	g := newGateway(t, func(_ http.ResponseWriter, r *http.Request) { methods = append(methods, r.Method+" "+r.URL.Path) })
	s := newSender(t, sms.Config{URL: g.URL + "/send", AllowHTTP: true, Query: map[string]string{"to": "{to}", "text": "{text}"}, Method: "GET"})
	if proved, err := s.Check(t.Context()); err != nil || proved || !slices.Equal(methods, []string{"HEAD /"}) {
		t.Errorf("got %t (%v) by %v, want it reached by HEAD alone", proved, err, methods)
	}
	g.Close()
	if _, err := s.Check(t.Context()); !errors.Is(err, sender.ErrSMSRefused) {
		t.Errorf("closed: got %v, want not reached", err)
	}
}

func TestSend_Unreachable(t *testing.T) {
	t.Parallel()
	hangUp := func(w http.ResponseWriter, _ *http.Request) {
		if conn, _, err := w.(http.Hijacker).Hijack(); err == nil {
			conn.Close()
		}
	}
	t.Run("connection closed after the request", func(t *testing.T) {
		t.Parallel()
		g := newGateway(t, hangUp)
		_, err := newSender(t, withURL(g.URL, sms.Config{Body: requiredParams})).Send(t.Context(), phone, codeText)
		if outcome(err) != "unknown" || !errors.Is(err, provider.ErrBroken) {
			t.Errorf("got %v, want unknown, ErrBroken", err)
		}
	})
	t.Run("cancelled after the request", func(t *testing.T) {
		t.Parallel()
		ctx, cancel := context.WithCancel(t.Context())
		done := make(chan struct{})
		g := newGateway(t, func(http.ResponseWriter, *http.Request) {
			cancel()
			<-done
		})
		t.Cleanup(func() { close(done) })
		_, err := newSender(t, withURL(g.URL, sms.Config{Body: requiredParams})).Send(ctx, phone, codeText)
		if outcome(err) != "unknown" || !errors.Is(err, context.Canceled) {
			t.Errorf("got %v, want unknown, context.Canceled", err)
		}
	})
	t.Run("configured timeout", func(t *testing.T) {
		t.Parallel()
		ctx, cancel := context.WithCancel(t.Context())
		watchdog := time.AfterFunc(30*time.Second, cancel)
		defer watchdog.Stop()
		done := make(chan struct{})
		g := newGateway(t, func(http.ResponseWriter, *http.Request) { <-done })
		t.Cleanup(func() { close(done) })
		slowClient := provider.NewClient(provider.ClientConfig{AllowPrivate: true, Timeout: time.Hour})
		s, err := sms.New(withURL(g.URL, sms.Config{Body: requiredParams, TimeoutSeconds: 1}), slowClient, "880")
		if err != nil {
			t.Fatal(err)
		}
		if _, err := s.Send(ctx, phone, codeText); !errors.Is(err, provider.ErrTimeout) {
			t.Errorf("got %v, want ErrTimeout", err)
		}
	})
	t.Run("closed port", func(t *testing.T) {
		t.Parallel()
		g := newGateway(t, hangUp)
		g.Close()
		_, err := newSender(t, withURL(g.URL, sms.Config{Body: requiredParams})).Send(t.Context(), phone, codeText)
		if outcome(err) != "refused" {
			t.Errorf("got %v, want refused", err)
		}
	})
	t.Run("private address", func(t *testing.T) {
		t.Parallel()
		g := newGateway(t, respond(http.StatusOK, ""))
		s, err := sms.New(withURL(g.URL, sms.Config{Body: requiredParams}), provider.NewClient(provider.ClientConfig{}), "880")
		if err != nil {
			t.Fatal(err)
		}
		_, err = s.Send(t.Context(), phone, codeText)
		if outcome(err) != "refused" || !errors.Is(err, provider.ErrAddressNotAllowed) || len(g.requests) != 0 {
			t.Errorf("got %v, %d requests; want refused, ErrAddressNotAllowed, 0 requests", err, len(g.requests))
		}
	})
}

func TestSend_EmptyText(t *testing.T) {
	t.Parallel()
	g := newGateway(t, respond(http.StatusOK, ""))
	_, err := newSender(t, withURL(g.URL, sms.Config{Body: requiredParams})).Send(t.Context(), phone, " \n")
	if outcome(err) != "refused" || len(g.requests) != 0 {
		t.Errorf("got %v, %d requests; want refused, 0 requests", err, len(g.requests))
	}
}

// A gateway may quote the whole request, but errors must not contain its secrets.
func TestSend_ErrorsWithoutSecrets(t *testing.T) {
	t.Parallel()
	secrets := sms.Secrets{
		"path": "pa th/S3CRET", "query": "q&S3CRET=1", "header": "h\"S3CRET", "user": "u-S3CRET", "password": "p<S3CRET>", "body": "b\\S3CRET\"",
	}
	cfg := sms.Config{
		URL:     "/v1/{secret.path}/send?a={secret.query}",
		Headers: map[string]string{"X-Key": "{secret.header}"},
		Auth:    sms.Auth{Kind: sms.AuthBasic, User: "{secret.user}", Password: "{secret.password}"},
		Body:    sms.Body{Kind: sms.BodyJSON, JSON: json.RawMessage(`{"to":"{to}","text":"{text}","key":"{secret.body}"}`)},
		Error:   []string{"why"},
		Secrets: secrets,
	}
	everything := func(r *http.Request) string {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			t.Error(err)
		}
		user, password, _ := r.BasicAuth()
		return fmt.Sprintf("%s %s %s %s %v %s %s %s", r.RequestURI, r.URL.Path, r.URL.Query(), r.Header, user, password, body,
			"01711000000 1711000000 008801711000000")
	}
	quote := func(status int, asJSON bool) http.HandlerFunc {
		return func(w http.ResponseWriter, r *http.Request) {
			quoted := everything(r)
			if asJSON {
				text, err := json.Marshal(map[string]string{"why": quoted})
				if err != nil {
					t.Error(err)
				}
				quoted = string(text)
			}
			w.WriteHeader(status)
			io.WriteString(w, quoted)
		}
	}
	tests := map[string]http.HandlerFunc{
		"plain-text refusal": quote(http.StatusBadRequest, false),
		"JSON refusal":       quote(http.StatusBadRequest, true),
		"server error":       quote(http.StatusInternalServerError, true),
		"invalid HTTP": func(w http.ResponseWriter, r *http.Request) {
			if conn, _, err := w.(http.Hijacker).Hijack(); err == nil {
				io.WriteString(conn, everything(r)+"\r\n\r\n")
				conn.Close()
			}
		},
	}
	forbidden := []string{"S3CRET", "4821", "1711000000", "dS1TM0NSRVQ"} // the last is the user in Base64
	for name, handler := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			g := newGateway(t, handler)
			_, err := newSender(t, withURL(g.URL, cfg)).Send(t.Context(), phone, codeText)
			if err == nil {
				t.Fatal("got no error")
			}
			if text := findSecret(err, forbidden...); text != "" {
				t.Errorf("error contains a secret: %s", text)
			}
		})
	}
	t.Run("closed port", func(t *testing.T) {
		t.Parallel()
		g := newGateway(t, respond(http.StatusOK, ""))
		g.Close()
		_, err := newSender(t, withURL(g.URL, cfg)).Send(t.Context(), phone, codeText)
		failure, ok := errors.AsType[*provider.Error](err)
		if !ok || failure.Path != "/v1/{secret.path}/send" || findSecret(err, forbidden...) != "" {
			t.Errorf("got %v, want the path with placeholders and no secret", err)
		}
	})
}
