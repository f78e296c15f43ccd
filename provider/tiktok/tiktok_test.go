package tiktok_test

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"storefront/provider"
	"storefront/provider/tiktok"
	"storefront/shop/conversion"
)

const token = "tiktok-token-of-the-shop"

func event() conversion.Event {
	return conversion.Event{
		Name: "Purchase", ID: "0123456789ABCDEF", At: time.Unix(1_772_000_000, 0), Page: "https://shop.example/l/eid", OrderID: "0123456789ABCDEF",
		Value: "1250.50", Currency: "BDT", Contents: []conversion.Content{{ID: "V1", Quantity: 2, Price: "600.00"}},
		User: conversion.User{
			Phone: "+8801711000000", Email: "Rahim@Example.com", Name: "Rahim", Fbp: "fb.1.2.3", Address: "203.0.113.7", Agent: "Mozilla/5.0",
		},
	}
}

// The body of a purchase: phones are hashed with the plus sign. What Meta stores is not sent.
func TestSender_Payload(t *testing.T) {
	t.Parallel()
	var path, header, got string
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		path, header, got = r.URL.String(), r.Header.Get("Access-Token"), strings.TrimSpace(string(body))
		fmt.Fprint(w, `{"code":0,"message":"OK","data":{}}`)
	}))
	t.Cleanup(server.Close)
	sender := tiktok.New(provider.ClientConfig{AllowPrivate: true}, server.URL)
	a := sender.Send(t.Context(), conversion.Account{PixelID: "C9ABCDEF0123456789", Token: token, TestCode: "TEST2"}, event())
	want := `{"event_source":"web","event_source_id":"C9ABCDEF0123456789","test_event_code":"TEST2","data":[{"event":"Purchase",` +
		`"event_time":1772000000,"event_id":"0123456789ABCDEF","user":{"email":"` + provider.Hash("rahim@example.com") + `","phone":"` +
		provider.Hash("+8801711000000") + `","ip":"203.0.113.7","user_agent":"Mozilla/5.0"},"page":{"url":"https://shop.example/l/eid"},` +
		`"properties":{"currency":"BDT","value":1250.50,"content_type":"product","contents":[{"content_id":"V1","quantity":2,"price":600.00}],` +
		`"order_id":"0123456789ABCDEF"}}]}`
	if a.Verdict != conversion.Accepted || got != want || path != "/event/track/" || header != token {
		t.Errorf("got %+v, %s %s\n%s\nwant %s", a, path, header, got, want)
	}
}

// Refusals have the status 200.
func TestSender_Answers(t *testing.T) {
	t.Parallel()
	status, body := 200, ""
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(status)
		fmt.Fprint(w, body)
	}))
	t.Cleanup(server.Close)
	sender := tiktok.New(provider.ClientConfig{AllowPrivate: true}, server.URL)
	for _, tt := range []struct {
		status  int
		body    string
		want    conversion.Verdict
		account bool
	}{
		{200, `{"code":40002,"message":"Invalid"}`, conversion.Refused, false},
		{200, `{"code":40105,"message":"Token ` + token + ` is incorrect"}`, conversion.Refused, true},
		{200, `{"code":40100,"message":"Too many requests"}`, conversion.NotReceived, false},
		{200, `{"code":51004,"message":"Internal error"}`, conversion.Unknown, false},
		{200, `<html>`, conversion.Unknown, false},
		{401, `{}`, conversion.Refused, true},
		{502, `bad gateway`, conversion.Unknown, false},
	} {
		status, body = tt.status, tt.body
		a := sender.Send(t.Context(), conversion.Account{PixelID: "C9ABCDEF0123456789", Token: token}, event())
		if a.Verdict != tt.want || a.Account != tt.account || a.Problem == "" || strings.Contains(a.Problem+a.Text, token) {
			t.Errorf("%s: got %+v, want %s", tt.body, a, tt.want)
		}
	}
}
