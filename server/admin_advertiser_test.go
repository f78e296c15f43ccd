package server_test

import (
	"context"
	"strings"
	"testing"

	"storefront/shop/conversion"
	"storefront/shop/fault"
)

// auditAdvertiser accepts every event.
type auditAdvertiser struct{}

func (auditAdvertiser) Send(context.Context, conversion.Account, conversion.Event) conversion.Answer {
	return conversion.Answer{Verdict: conversion.Accepted, Status: 200, Text: `{"events_received":1}`}
}

// advertiserToken is a secret of the shop's account at Meta.
const advertiserToken = "EAAhushhushhushhush"

// configureAdvertiser configures Meta as a receiver.
func (s *auditShop) configureAdvertiser() {
	s.t.Helper()
	s.secrets = append(s.secrets, advertiserToken)
	s.must("PATCH", "settings", `{"advertising":{"meta":{"pixelId":"1234567890","testCode":"TEST1"}}}`)
	s.must("PUT", "advertisers/meta/token", `{"token":"`+advertiserToken+`"}`)
}

// refuseConversion adds an order that Meta has refused.
func (s *auditShop) refuseConversion() {
	s.t.Helper()
	s.values["conversion"] = "01KAJ3V5W7X9Y1Z3A5B7C9D1E3"
	s.shop.Exec(s.t, `
		INSERT INTO conversions (id, receiver, order_number, step, at, status, attempts, answer, error)
		SELECT ?, 'meta', number, 'placing', ?, 'refused', 1, '', 'Invalid parameter'
		FROM orders
		WHERE id = ?`, s.values["conversion"], s.shop.Clock.Now().UnixMilli(), auditedOrder)
}

// Receivers are configured by those who may change settings. Their tokens are shown to nobody, and
// those who may read analytics read the log.
func TestAdmin_Advertisers(t *testing.T) {
	t.Parallel()
	s := newAuditShop(t)
	s.as("POST", "advertisers/meta/test", "", "Cookie", s.owner).problem(409, fault.CodeStateConflict)
	s.as("POST", "advertisers/other/test", "", "Cookie", s.owner).problem(404, fault.CodeNotFound)
	s.as("PUT", "advertisers/other/token", `{"token":"x"}`, "Cookie", s.owner).problem(404, fault.CodeNotFound)
	s.as("PUT", "advertisers/meta/token", `{"token":"a b"}`, "Cookie", s.owner).problem(422, fault.CodeValidationFailed)
	s.as("POST", "conversions/none/send", "", "Cookie", s.owner).problem(404, fault.CodeNotFound)
	s.as("PATCH", "settings", `{"advertising":{"google":{"tagId":"UA-1"}}}`, "Cookie", s.owner).problem(422, fault.CodeValidationFailed)
	s.configureAdvertiser()
	s.refuseConversion()
	if got := s.must("POST", "advertisers/meta/test", ""); got["accepted"] != true || got["responseStatus"] != 200.0 {
		t.Errorf("got %v, want an accepted test", got)
	}
	list := s.as("GET", "advertisers", "", "Cookie", s.owner)
	if text := string(list.body); strings.Contains(text, advertiserToken) || !strings.Contains(text, `"ready":true`) ||
		!strings.Contains(text, `"state":"works"`) {
		t.Errorf("got %s, want Meta ready, without its token", text)
	}
	reader, writer := s.shop.APIKey(t, "analytics.read"), s.shop.APIKey(t, "settings.write")
	found := s.as("GET", "conversions?receiver=meta&status=refused&order="+auditedOrder, "", "Authorization", "Bearer "+reader)
	if text := string(found.body); found.status != 200 || !strings.Contains(text, `"resendable":true`) || !strings.Contains(text, auditedOrder) {
		t.Errorf("got %d %s, want the refused event", found.status, text)
	}
	if other := s.as("GET", "conversions?receiver=tiktok", "", "Authorization", "Bearer "+reader); !strings.Contains(string(other.body), `"nodes":[]`) {
		t.Errorf("got %s, want no event to TikTok", other.body)
	}
	s.as("GET", "conversions", "", "Authorization", "Bearer "+writer).problem(403, fault.CodeForbidden)
	s.as("POST", "advertisers/meta/test", "", "Authorization", "Bearer "+reader).problem(403, fault.CodeForbidden)
	s.must("POST", "conversions/<conversion>/send", "")
	s.as("POST", "conversions/<conversion>/send", "", "Cookie", s.owner).problem(409, fault.CodeStateConflict)
}
