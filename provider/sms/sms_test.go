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
	"storefront/shop"
)

const (
	phone    = "+8801711000000"
	codeText = "Your code is 4821."
)

// request is what a gateway was sent.
type request struct {
	*http.Request
	body string
}

// gateway stands in for one: it answers always the same and keeps what it was sent.
type gateway struct {
	*httptest.Server
	requests chan request
}

func newGateway(t *testing.T, answer http.HandlerFunc) *gateway {
	t.Helper()
	g := &gateway{requests: make(chan request, 10)}
	g.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			t.Error(err)
		}
		r.Body = io.NopCloser(bytes.NewReader(body))
		g.requests <- request{r, string(body)}
		answer(w, r)
	}))
	t.Cleanup(g.Close)
	return g
}

// onlyRequest gives the one request that came.
func (g *gateway) onlyRequest(t *testing.T) request {
	t.Helper()
	if n := len(g.requests); n != 1 {
		t.Fatalf("the gateway was sent %d requests, want 1", n)
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

// withURL completes a configuration with what it must have.
func withURL(url string, cfg sms.Config) sms.Config {
	cfg.URL, cfg.AllowHTTP = url+cfg.URL, true
	return cfg
}

func newSender(t *testing.T, cfg sms.Config) *sms.Sender {
	t.Helper()
	s, err := sms.New(cfg, client)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// leaks looks for words in every error of a chain, however it is printed.
func leaks(err error, words ...string) string {
	var look func(err error) string
	look = func(err error) string {
		for _, text := range []string{err.Error(), fmt.Sprintf("%+v", err), fmt.Sprintf("%#v", err)} {
			for _, word := range words {
				if strings.Contains(text, word) {
					return text
				}
			}
		}
		switch err := err.(type) {
		case interface{ Unwrap() error }:
			if cause := err.Unwrap(); cause != nil {
				return look(cause)
			}
		case interface{ Unwrap() []error }:
			for _, cause := range err.Unwrap() {
				if text := look(cause); text != "" {
					return text
				}
			}
		}
		return ""
	}
	return look(err)
}

// outcome names which of the shop's errors err is.
func outcome(err error) string {
	refused, unknown := errors.Is(err, shop.ErrSMSRefused), errors.Is(err, shop.ErrSMSUnknown)
	switch {
	case err == nil:
		return "sent"
	case refused && !unknown:
		return "refused"
	case unknown && !refused:
		return "unknown"
	}
	return fmt.Sprintf("neither: %v", err)
}
