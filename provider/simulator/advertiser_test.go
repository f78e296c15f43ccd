package simulator_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"storefront/provider"
	"storefront/provider/meta"
	"storefront/provider/simulator"
	"storefront/provider/tiktok"
	"storefront/shop/conversion"
)

// The simulated advertisers count an event once within 48 hours, refuse old events and wrong
// tokens, and fail on demand. The senders understand their answers.
func TestAdvertisers(t *testing.T) {
	t.Parallel()
	now := time.Now()
	sim := simulator.New()
	sim.Now = func() time.Time { return now }
	server := httptest.NewServer(sim.Handler())
	t.Cleanup(server.Close)
	client := provider.ClientConfig{AllowPrivate: true}
	senders := map[string]conversion.Sender{"meta": meta.New(client, server.URL+"/meta"), "tiktok": tiktok.New(client, server.URL+"/tiktok")}
	for name, sender := range senders {
		send := func(token, id string, at time.Time) conversion.Verdict {
			return sender.Send(t.Context(), conversion.Account{PixelID: "1234567890", Token: token}, conversion.Event{
				Name: "Purchase", ID: id, At: at, Page: "https://shop.example/", Value: "10.00", Currency: "BDT",
				User: conversion.User{Phone: "+8801711000000", Agent: "Mozilla/5.0"},
			}).Verdict
		}
		count := func() (n int) {
			for _, e := range sim.CountedEvents() {
				if e.Advertiser == name {
					n++
				}
			}
			return n
		}
		want := func(what string, got, verdict conversion.Verdict, counted int) {
			t.Helper()
			if got != verdict || count() != counted {
				t.Errorf("%s, %s: got %s and %d counted, want %s and %d", name, what, got, count(), verdict, counted)
			}
		}
		began := now
		want("first", send("t", "A", began), conversion.Accepted, 1)
		want("again", send("t", "A", began), conversion.Accepted, 1)
		want("a wrong token", send("wrong", "B", began), conversion.Refused, 1)
		want("too old", send("t", "C", began.Add(-8*24*time.Hour)), conversion.Refused, 1)
		now = now.Add(49 * time.Hour)
		want("after 48 hours", send("t", "A", began), conversion.Accepted, 2)
		for fault, verdict := range map[simulator.Fault]conversion.Verdict{
			simulator.EventsDown: conversion.Unknown, simulator.EventsLimited: conversion.NotReceived, simulator.EventsRefused: conversion.Refused,
		} {
			sim.Switch(fault, true)
			want(string(fault), send("t", "D", now), verdict, 2)
			sim.Switch(fault, false)
		}
		sim.Switch(simulator.EventsLost, true)
		want("lost", send("t", "E", now), conversion.Unknown, 3)
		sim.Switch(simulator.EventsLost, false)
		want("repeated", send("t", "E", now), conversion.Accepted, 3)
		now = began
	}
	page := httptest.NewRecorder()
	request := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "http://127.0.0.1/", nil)
	request.RemoteAddr = "127.0.0.1:1"
	if sim.Handler().ServeHTTP(page, request); !strings.Contains(page.Body.String(), "<td>Purchase</td><td>E</td><td>10.00 BDT</td>") {
		t.Errorf("got %d %s, want the events listed", page.Code, page.Body)
	}
}
