package meta_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"storefront/provider"
	"storefront/provider/meta"
	"storefront/shop/conversion"
)

const token = "EAAtoken-of-the-shop"

// The examples of the documentation: normalized text and expected hash.
func TestHash_Documented(t *testing.T) {
	t.Parallel()
	first, last := conversion.NormalName(" Valéry  de la O'Neil-Smith ")
	city := conversion.NormalWord("St. Louis")
	for _, tt := range []struct{ got, want string }{
		{provider.Hash(conversion.NormalEmail(" John_Smith@gmail.com ")), "62a14e44f765419d10fea99367361a727c12365e2520f32218d505ed9aa0f62f"},
		{provider.Hash(conversion.NormalDigits("1 (650)555-1212")), "e323ec626319ca94ee8bff2e4c87cf613be6ea19919ed1364124e16807ab3176"},
		{provider.Hash(conversion.NormalWord("Mary")), "6915771be1c5aa0c886870b6951b03d7eafc121fea0e80a5ea83beb7c449f4ec"},
		{provider.Hash(conversion.NormalWord("정")), "8fa8cd9c440be61d0151429310034083132b35975c4bea67fdd74158eb51db14"},
		{provider.Hash(first), "08e1996b5dd49e62a4b4c010d44e4345592a863bb9f8e3976219bac29417149c"},
		{last, "oneilsmith"}, {city, "stlouis"}, {conversion.NormalWord("চট্টগ্রাম"), "চট্টগ্রাম"}, {provider.Hash(""), ""},
		{conversion.NormalDigits("+880 1711-000000"), "8801711000000"},
	} {
		if tt.got != tt.want {
			t.Errorf("got %s, want %s", tt.got, tt.want)
		}
	}
}

// server answers with a status and a body, and stores the last request.
type server struct {
	*httptest.Server
	status int
	body   string
	path   string
	got    []byte
}

func newServer(t *testing.T) *server {
	t.Helper()
	s := &server{status: 200, body: `{"events_received":1,"messages":[],"fbtrace_id":"A"}`}
	s.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.path = r.URL.String()
		s.got, _ = io.ReadAll(r.Body)
		w.Header().Set("Retry-After", "60")
		w.WriteHeader(s.status)
		fmt.Fprint(w, s.body)
	}))
	t.Cleanup(s.Close)
	return s
}

func purchase() conversion.Event {
	return conversion.Event{
		Name: "Purchase", ID: "0123456789ABCDEF", At: time.Unix(1_772_000_000, 0), Page: "https://shop.example/checkout", OrderID: "0123456789ABCDEF",
		Value: "1250.50", Currency: "BDT", Contents: []conversion.Content{{ID: "01KAJ3V5W7X9Y1Z3A5B7C9D1E3", Quantity: 2, Price: "600.00"}},
		User: conversion.User{
			Phone: "+16505551212", Email: "John_Smith@gmail.com", Name: "Mary", City: "Dhaka", Country: "BD", Fbp: "fb.1.1558571054389.1098115397",
			Fbc: "fb.1.1554763741205.AbCd", Address: "203.0.113.7", Agent: "Mozilla/5.0",
		},
	}
}

// The body of a purchase, with the documented hashes.
const golden = `{
  "data": [
    {
      "event_name": "Purchase",
      "event_time": 1772000000,
      "event_id": "0123456789ABCDEF",
      "action_source": "website",
      "event_source_url": "https://shop.example/checkout",
      "user_data": {
        "em": [
          "62a14e44f765419d10fea99367361a727c12365e2520f32218d505ed9aa0f62f"
        ],
        "ph": [
          "e323ec626319ca94ee8bff2e4c87cf613be6ea19919ed1364124e16807ab3176"
        ],
        "fn": [
          "6915771be1c5aa0c886870b6951b03d7eafc121fea0e80a5ea83beb7c449f4ec"
        ],
        "ct": [
          "%s"
        ],
        "country": [
          "%s"
        ],
        "client_ip_address": "203.0.113.7",
        "client_user_agent": "Mozilla/5.0",
        "fbp": "fb.1.1558571054389.1098115397",
        "fbc": "fb.1.1554763741205.AbCd"
      },
      "custom_data": {
        "currency": "BDT",
        "value": 1250.50,
        "content_type": "product",
        "contents": [
          {
            "id": "01KAJ3V5W7X9Y1Z3A5B7C9D1E3",
            "quantity": 2,
            "item_price": 600.00
          }
        ],
        "order_id": "0123456789ABCDEF"
      }
    }
  ],
  "access_token": "EAAtoken-of-the-shop"
}
`

func TestSender_Payload(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	sender := meta.New(provider.ClientConfig{AllowPrivate: true}, s.URL+"/v24.0")
	a := sender.Send(t.Context(), conversion.Account{PixelID: "1234567890", Token: token}, purchase())
	if a.Verdict != conversion.Accepted || a.Status != 200 || a.Problem != "" {
		t.Errorf("got %+v, want it accepted", a)
	}
	var got bytes.Buffer
	if err := json.Indent(&got, s.got, "", "  "); err != nil {
		t.Fatal(err)
	}
	if want := fmt.Sprintf(golden, provider.Hash("dhaka"), provider.Hash("bd")); got.String() != want {
		t.Errorf("got %s\nwant %s", got.String(), want)
	}
	if s.path != "/v24.0/1234567890/events" {
		t.Errorf("got %s, want the pixel's address without the token", s.path)
	}
	without := purchase()
	without.User.Agent = ""
	sender.Send(t.Context(), conversion.Account{PixelID: "1234567890", Token: token, TestCode: "TEST1"}, without)
	if text := string(s.got); !strings.Contains(text, `"action_source":"other"`) || !strings.Contains(text, `"test_event_code":"TEST1"`) {
		t.Errorf("got %s, want no website's event without its browser, and the test code", text)
	}
}

// Only a refusal is final. The token is in no answer.
func TestSender_Answers(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	sender := meta.New(provider.ClientConfig{AllowPrivate: true}, s.URL)
	for _, tt := range []struct {
		status  int
		body    string
		want    conversion.Verdict
		account bool
		problem string
	}{
		{200, `{"events_received":0}`, conversion.Unknown, false, "The response does not confirm that the event was received."},
		{200, `<html>`, conversion.Unknown, false, "The response does not confirm that the event was received."},
		{400, `{"error":{"message":"Invalid parameter","code":100,"error_user_msg":"Too old"}}`, conversion.Refused, false, "Invalid parameter Too old"},
		{400, `{"error":{"message":"Cannot parse ` + token + `","code":190}}`, conversion.Refused, true, "Cannot parse ***"},
		{403, `no`, conversion.Refused, true, "Forbidden"},
		{429, ``, conversion.NotReceived, false, "Too Many Requests"},
		{500, `{"error":{"message":"An unknown error occurred","code":1}}`, conversion.Unknown, false, "An unknown error occurred"},
		{503, ``, conversion.Unknown, false, "Service Unavailable"},
	} {
		s.status, s.body = tt.status, tt.body
		a := sender.Send(t.Context(), conversion.Account{PixelID: "1", Token: token}, purchase())
		if a.Verdict != tt.want || a.Account != tt.account || a.Problem != tt.problem || a.Status != tt.status || strings.Contains(a.Text, token) ||
			a.RetryAfter != time.Minute {
			t.Errorf("%d %s: got %+v, want %s, %q", tt.status, tt.body, a, tt.want, tt.problem)
		}
	}
	s.Close()
	a := sender.Send(t.Context(), conversion.Account{PixelID: "1", Token: token}, purchase())
	if a.Verdict != conversion.NotReceived || a.Problem == "" {
		t.Errorf("got %+v, want an event that surely did not arrive", a)
	}
}
