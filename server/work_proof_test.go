package server_test

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"math/bits"
	"strings"
	"testing"
	"time"

	"storefront/shop/access"
	"storefront/shop/fault"
	"storefront/shop/shoptest"
)

// solve returns a proof of work for the challenge in a problem's details.
func solve(details map[string]any) string {
	for nonce := 0; ; nonce++ {
		proof := fmt.Sprintf("%s.%d", details["challenge"], nonce)
		sum := sha256.Sum256([]byte(proof))
		if float64(bits.LeadingZeros32(binary.BigEndian.Uint32(sum[:4]))) >= details["difficulty"].(float64) {
			return proof
		}
	}
}

// A shop can require a proof of work for codes and for guests' orders, through REST and GraphQL.
func TestProofOfWork(t *testing.T) {
	t.Parallel()
	s := newAccountSite(t)
	_, products := stockShop(t, s.shop)
	set := func(purposes ...string) {
		t.Helper()
		err := s.shop.SetSettings(t.Context(), access.Operator(), shoptest.Raw(t, map[string]any{"proofOfWork": purposes}))
		if err != nil {
			t.Fatal(err)
		}
	}
	send := func(phone string, header ...string) *reply {
		return s.send("POST", "/api/v1/auth/otp/send", `{"phoneNumber":"`+phone+`"}`, header...)
	}
	order := `{"items":[{"productId":"` + products[0].ID + `","quantity":1}],"customer":{"name":"Rahima","phoneNumber":"01711-223344"},` +
		`"shippingAddress":{"line1":"House 12","city":"Dhaka"}}`
	place := func(header ...string) *reply { return s.send("POST", "/api/v1/orders", order, header...) }

	send("01711000001").ok(200, new(map[string]any)) // by default nothing is required
	set("otp")
	challenge := send("01711000002").problem(403, fault.CodeWorkRequired).Details
	proof := solve(challenge)
	for name, bad := range map[string]string{
		"no work": challenge["challenge"].(string) + ".x", "no nonce": challenge["challenge"].(string) + ".",
		"text": "x", "another challenge": "BBBB" + proof[4:],
	} {
		if got := send("01711000002", "X-Work-Proof", bad); got.status != 403 {
			t.Errorf("%s: got status %d, want 403", name, got.status)
		}
	}
	send("01711000002", "X-Work-Proof", proof).ok(200, new(map[string]any))
	again := send("01711000003", "X-Work-Proof", proof).problem(403, fault.CodeWorkRequired).Details // once only
	place().ok(201, new(map[string]any))                                                             // orders require none

	set("otp", "orders")
	proof = solve(again)
	place("X-Work-Proof", proof).problem(403, fault.CodeWorkRequired) // of another purpose
	place("X-Work-Proof", solve(place().problem(403, fault.CodeWorkRequired).Details)).ok(201, new(map[string]any))
	s.clock.Advance(10 * time.Minute)
	send("01711000003", "X-Work-Proof", proof).problem(403, fault.CodeWorkRequired) // expired

	var response struct {
		Data   struct{ R map[string]any }
		Errors []struct {
			Extensions struct {
				Code    fault.Code
				Details map[string]any
			}
		}
	}
	document := `{"query":"mutation { r: sendOtp(input: {phoneNumber: \"01711000004\"}) { success } }"}`
	s.send("POST", "/graphql", document).decode(&response)
	if len(response.Errors) != 1 || response.Errors[0].Extensions.Code != fault.CodeWorkRequired {
		t.Fatalf("GraphQL: got %+v, want %s", response, fault.CodeWorkRequired)
	}
	proof = solve(response.Errors[0].Extensions.Details)
	response.Errors = nil
	s.send("POST", "/graphql", document, "X-Work-Proof", proof).decode(&response)
	if len(response.Errors) != 0 || response.Data.R["success"] != true {
		t.Errorf("GraphQL with a proof: got %+v, want success", response)
	}
	if err := s.shop.SetSettings(t.Context(), access.Operator(),
		shoptest.Raw(t, map[string]any{"proofOfWork": []string{"login"}})); !fault.HasCode(err, fault.CodeValidationFailed) {
		t.Errorf("unknown purpose: got %v, want %s", err, fault.CodeValidationFailed)
	}
}

// A flood of failures from many addresses, whose counts are limited, makes no used proof valid
// again.
func TestProofOfWork_FloodOfFailures(t *testing.T) {
	t.Parallel()
	clock := shoptest.NewClock()
	store := shoptest.NewStore(t, clock)
	s := newSiteOf(t, shoptest.New(t, &shoptest.Options{
		Store: store, Clock: clock, SMS: &shoptest.SMS{}, Settings: map[string]any{"proofOfWork": []string{"otp"}},
	}), nil)
	send := func(phone string, header ...string) *reply {
		return s.send("POST", "/api/v1/auth/otp/send", `{"phoneNumber":"`+phone+`"}`, header...)
	}
	proof := solve(send("01711000001").problem(403, fault.CodeWorkRequired).Details)
	send("01711000001", "X-Work-Proof", proof).ok(200, new(map[string]any))
	shoptest.FillFailures(t, store, "test", 20_500, clock.Now().Add(time.Hour))
	for i := range 10 { // each new count prunes some
		body := fmt.Sprintf(`{"user":"nobody-%d@example.com","password":"wrong"}`, i)
		s.send("POST", "/api/v1/auth/login", body).problem(401, fault.CodeInvalidCredentials)
	}
	send("01711000002", "X-Work-Proof", proof).problem(403, fault.CodeWorkRequired)

	clock.Advance(time.Hour)
	send("01711000003", "X-Work-Proof", solve(send("01711000003").problem(403, fault.CodeWorkRequired).Details)).ok(200, new(map[string]any))
	if n := shoptest.Number(t, store, "test", `SELECT COUNT(*) FROM work_proofs`); n != 1 {
		t.Errorf("got %d used proofs, want the last one: the others have expired", n)
	}
}

// Strangers who use up the hour's budget of codes do not keep a new customer from signing in: then
// each code costs work.
func TestSendOTP_BudgetUsedUp(t *testing.T) {
	t.Parallel()
	s := newAccountSite(t)
	err := s.shop.SetSettings(t.Context(), access.Operator(), shoptest.Raw(t, map[string]any{
		"limits": map[string]any{"messagesPerDay": 240, "codesPerClient": 1000},
	}))
	if err != nil {
		t.Fatal(err)
	}
	send := func(phone string, header ...string) *reply {
		return s.send("POST", "/api/v1/auth/otp/send", `{"phoneNumber":"`+phone+`"}`, header...)
	}
	sent := 0
	var last *reply
	for i := range 40 {
		if last = send(fmt.Sprintf("017110001%02d", i)); last.status == 200 {
			sent++
		}
	}
	if sent != 7 {
		t.Errorf("got %d codes without work in an hour, want 7", sent)
	}
	challenge := last.problem(403, fault.CodeWorkRequired).Details
	send("01711000999", "X-Work-Proof", solve(challenge)).ok(200, new(map[string]any))
	code := s.sms.Code(t, "+8801711000999")
	s.rest("verifyOtpToLogin", "", map[string]any{"phoneNumber": "01711000999", "code": code, "name": "Rahima"}).ok()
	var response struct {
		Errors []struct{ Extensions struct{ Code fault.Code } }
	}
	document := `{"query":"mutation { r: sendOtp(input: {phoneNumber: \"01711000998\"}) { success } }"}`
	s.send("POST", "/graphql", document).decode(&response)
	if len(response.Errors) != 1 || response.Errors[0].Extensions.Code != fault.CodeWorkRequired {
		t.Errorf("GraphQL: got %+v, want work_required", response.Errors)
	}
}

// Wrong codes of strangers do not use up the attempts of the client that requested the code, nor
// does the guesser get more than six at one code.
func TestVerifyOTP_WrongCodesOfStrangers(t *testing.T) {
	t.Parallel()
	s := newLockout(t)
	send := func(client, path, body string) *reply {
		return s.send("POST", "/api/v1/auth/otp/"+path, body, "X-Forwarded-For", client)
	}
	verify := func(client, code string) *reply {
		return send(client, "verify", `{"phoneNumber":"01711000777","code":"`+code+`","name":"Rahima"}`)
	}
	send("192.0.2.1", "send", `{"phoneNumber":"01711000777"}`).ok(200, new(any))
	code, _, _ := strings.Cut(<-s.sent, " ")
	wrong := map[bool]string{true: "0001", false: "0000"}[code == "0000"]
	for i := range 20 {
		verify(fmt.Sprintf("203.0.%d.1", i), wrong).problem(401, fault.CodeOTPInvalid)
	}
	verify("203.0.99.1", code).problem(401, fault.CodeOTPInvalid) // their attempts are used up
	if n := s.shop.Number(t, `SELECT wrong_tries FROM otp_codes`); n != 3 {
		t.Errorf("got %d attempts of strangers, want 3", n)
	}
	verify("192.0.2.1", code).ok(200, new(any))
}
