package sms_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"storefront/provider"
	"storefront/provider/sms"
	"storefront/shop/sender"
)

const (
	phone    = "+8801711000000"
	codeText = "Your code is 4821."
)

// request is a request that a gateway received.
type request struct {
	*http.Request
	body string
}

// gateway is a fake gateway that answers every request alike and records the requests.
type gateway struct {
	*httptest.Server
	requests chan request
}

func newGateway(t *testing.T, handler http.HandlerFunc) *gateway {
	t.Helper()
	g := &gateway{requests: make(chan request, 10)}
	g.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			t.Error(err)
		}
		r.Body = io.NopCloser(bytes.NewReader(body))
		g.requests <- request{r, string(body)}
		handler(w, r)
	}))
	t.Cleanup(g.Close)
	return g
}

// onlyRequest returns the one request that was received.
func (g *gateway) onlyRequest(t *testing.T) request {
	t.Helper()
	if n := len(g.requests); n != 1 {
		t.Fatalf("got %d requests, want 1", n)
	}
	return <-g.requests
}

func respond(status int, body string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(status)
		io.WriteString(w, body)
	}
}

var client = provider.NewClient(provider.ClientConfig{AllowPrivate: true})

// withURL returns cfg with the URL of a fake gateway before its path.
func withURL(url string, cfg sms.Config) sms.Config {
	cfg.URL, cfg.AllowHTTP = url+cfg.URL, true
	return cfg
}

func newSender(t *testing.T, cfg sms.Config) *sms.Sender {
	t.Helper()
	s, err := sms.New(cfg, client, "880")
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// findSecret returns the first text of an error in the chain that contains one of secrets, with any
// verb, or "".
func findSecret(err error, secrets ...string) string {
	var find func(err error) string
	find = func(err error) string {
		for _, text := range []string{err.Error(), fmt.Sprintf("%+v", err), fmt.Sprintf("%#v", err)} {
			for _, secret := range secrets {
				if strings.Contains(text, secret) {
					return text
				}
			}
		}
		switch err := err.(type) {
		case interface{ Unwrap() error }:
			if cause := err.Unwrap(); cause != nil {
				return find(cause)
			}
		case interface{ Unwrap() []error }:
			for _, cause := range err.Unwrap() {
				if text := find(cause); text != "" {
					return text
				}
			}
		}
		return ""
	}
	return find(err)
}

// outcome returns the outcome that an error of Send stands for.
func outcome(err error) string {
	refused, unknown := errors.Is(err, sender.ErrSMSRefused), errors.Is(err, sender.ErrSMSUnknown)
	switch {
	case err == nil:
		return "sent"
	case refused && !unknown:
		return "refused"
	case unknown && !refused:
		return "unknown"
	}
	return fmt.Sprintf("neither refused nor unknown: %v", err)
}
