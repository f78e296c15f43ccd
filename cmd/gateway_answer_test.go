package cmd_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"sync"
	"testing"

	"storefront/cmd"
	"storefront/shop/order"
	"storefront/shop/status"
)

// fakeGateway answers as gateway_b does, with bodies that a test sets.
type fakeGateway struct {
	*httptest.Server
	mu      sync.Mutex
	answers map[string]string // "status body" by the last element of the path, instead of the usual answer
	calls   map[string]int
}

func newFakeGateway(t *testing.T) *fakeGateway {
	g := &fakeGateway{answers: map[string]string{}, calls: map[string]int{}}
	g.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		g.mu.Lock()
		defer g.mu.Unlock()
		call := r.URL.Path[strings.LastIndex(r.URL.Path, "/")+1:]
		g.calls[call]++
		status, body := 200, ""
		answer, found := g.answers[call]
		if found {
			_, err := fmt.Sscanf(answer, "%d", &status)
			if _, body, found = strings.Cut(answer, " "); err != nil || !found {
				t.Errorf("answer %q is not \"status body\"", answer)
			}
		}
		switch {
		case found:
		case call == "grant":
			body = `{"statusCode":"0000","id_token":"t` + fmt.Sprint(g.calls[call]) + `","refresh_token":"r","expires_in":3600}`
		case call == "create":
			body = fmt.Sprintf(`{"statusCode":"0000","paymentID":"P%d","bkashURL":"%s/pay"}`, g.calls[call], g.URL)
		}
		w.WriteHeader(status)
		fmt.Fprint(w, body)
	}))
	t.Cleanup(g.Close)
	return g
}

// answer sets the answer to a call; "" is the usual one.
func (g *fakeGateway) answer(call, answer string) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if answer == "" {
		delete(g.answers, call)
		return
	}
	g.answers[call] = answer
}

func (g *fakeGateway) count(call string) int {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.calls[call]
}

// placedByHTTP is the response to an order.
type placedByHTTP struct {
	ID         string `json:"_id"`
	OrderToken string
	Total      struct{ Amount int64 }
	Payment    startedPayment
}

func placeAtGatewayB(t *testing.T, r ready) (order placedByHTTP) {
	t.Helper()
	status, text := post(t, r, "/api/v1/orders", "", `{"items":[{"productId":"`+r.Demo.ProductID+`","variantId":"`+r.Demo.VariantID+`","quantity":1}],
		"customer":{"name":"Rahima Khatun","phoneNumber":"01711-000000"},"paymentMethod":"gateway_b",
		"shippingAddress":{"line1":"House 12, Road 5","city":"Dhaka"}}`, &order)
	if status != http.StatusCreated {
		t.Fatalf("place order: got %d, %s, want 201", status, text)
	}
	return order
}

// openCallback opens the callback of gateway_b in a browser, and returns where it is redirected to.
func openCallback(t *testing.T, r ready, paymentID, status string) string {
	t.Helper()
	client := &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	res, err := client.Get(r.URL + "/payment/callback/gateway_b/demo?paymentID=" + paymentID + "&status=" + status)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	if res.StatusCode != http.StatusFound {
		t.Fatalf("callback: got %s, want 302", res.Status)
	}
	return res.Header.Get("Location")
}

// A system error of gateway_b decides nothing: the order waits. The payment is executed again only
// if the gateway reports that it was not.
func TestGatewayB_SystemError(t *testing.T) {
	t.Parallel()
	const systemError = `200 {"statusCode":"9999","statusMessage":"System Error."}`
	gateway := newFakeGateway(t)
	_, r := serveDemo(t, newConsole(t).dir, "--provider-url", "gateway_b:live="+gateway.URL)
	for answer, executions := range map[string]int{
		systemError: 1, `200 {"statusCode":"0000","transactionStatus":"Initiated"}`: 2,
		`200 {"statusCode":"0000","transactionStatus":"Completed","trxID":"T1","amount":"TOTAL","currency":"BDT"}`: 1,
	} {
		before := gateway.count("execute")
		order := placeAtGatewayB(t, r)
		payment := fmt.Sprintf("P%d", gateway.count("create"))
		gateway.answer("execute", systemError)
		gateway.answer("status", strings.Replace(answer, "TOTAL", fmt.Sprintf("%d.%02d", order.Total.Amount/100, order.Total.Amount%100), 1))
		target, wantStatus, wantPaid := "payment=pending", status.OrderPendingPayment, status.PaymentPending
		if strings.Contains(answer, "Completed") {
			target, wantStatus, wantPaid = "payment=success", status.OrderConfirmed, status.PaymentPaid
		}
		for range 2 { // and a reload
			if got := openCallback(t, r, payment, "success"); !strings.Contains(got, target) {
				t.Errorf("%s: got %s, want %s", answer, got, target)
			}
		}
		if status, paid := paymentStatus(t, r, order.ID); status != string(wantStatus) || paid != string(wantPaid) {
			t.Errorf("%s: got order %s, payment %s; want %s, %s", answer, status, paid, wantStatus, wantPaid)
		}
		if n := gateway.count("execute") - before; n != executions {
			t.Errorf("%s: got %d executions, want %d", answer, n, executions)
		}
	}
}

// A creation that gateway_b could not process is not refused for good.
func TestGatewayB_CreateUnavailable(t *testing.T) {
	t.Parallel()
	gateway := newFakeGateway(t)
	c := newConsole(t)
	_, r := serveDemo(t, c.dir, "--provider-url", "gateway_b:live="+gateway.URL)
	for _, answer := range []string{
		`200 {"statusCode":"9999","statusMessage":"System Error."}`, `200 {"statusCode":"2020","statusMessage":"Try later"}`,
		`200 {"errorCode":"503","errorMessage":"Maintenance"}`, `429 {"message":"Too many requests"}`, `503 <html>down</html>`,
	} {
		gateway.answer("create", answer)
		order := placeAtGatewayB(t, r)
		if code := order.Payment.ErrorCode; code == nil || *code != "gateway_unavailable" || order.Payment.RedirectURL != nil {
			t.Errorf("%s: got %+v, want gateway_unavailable", answer, order.Payment)
		}
	}
	gateway.answer("create", `200 {"statusCode":"2001","statusMessage":"Invalid App Key"}`)
	if order := placeAtGatewayB(t, r); order.Payment.ErrorCode == nil || *order.Payment.ErrorCode != "gateway_refused" {
		t.Errorf("code 2001: got %+v, want gateway_refused", order.Payment)
	}
}

// gateway_b rejects tokens that were granted a moment ago, as after a restart: a new one is
// requested at once.
func TestGatewayB_YoungTokenRejected(t *testing.T) {
	t.Parallel()
	gateway := newFakeGateway(t)
	c := newConsole(t)
	p, r := serveDemo(t, c.dir, "--provider-url", "gateway_b:live="+gateway.URL)
	placeAtGatewayB(t, r)
	p.stop(os.Interrupt)
	rejecting := newFakeGateway(t)
	rejecting.answer("create", `401 {"message":"Unauthorized"}`)
	_, r = serve(t, c.dir, "--dev", "--provider-url", "gateway_b:live="+rejecting.URL)
	if order := placeAtGatewayB(t, r); order.Payment.RedirectURL != nil || rejecting.count("grant")+rejecting.count("refresh") == 0 {
		t.Errorf("got %+v after %d grants, want a new grant", order.Payment, rejecting.count("grant"))
	}
	rejecting.answer("create", "")
	if order := placeAtGatewayB(t, r); order.Payment.RedirectURL == nil {
		t.Errorf("the next payment: got %+v, want a redirect", order.Payment)
	}
}

// After one gateway has paid an order, the callback of the other's older attempt returns with
// success, and executes nothing.
func TestGatewayB_CallbackOfOlderAttempt(t *testing.T) {
	t.Parallel()
	gateway := newFakeGateway(t)
	c := newConsole(t)
	_, r := serveDemo(t, c.dir, "--provider-url", "gateway_b:live="+gateway.URL)
	order := placeAtGatewayB(t, r)
	var again startedPayment
	path, body := "/api/v1/orders/"+order.ID+"/payments", `{"paymentMethod":"gateway_a"}`
	if status, text := post(t, r, path, order.OrderToken, body, &again); status != http.StatusCreated {
		t.Fatalf("start payment: got %d, %s", status, text)
	}
	c.must("simulate", "demo", "gateway_a", "pay", "--order", order.ID, "--simulator", r.Simulator)
	for _, status := range []string{"success", "cancel", "failure"} {
		if got := openCallback(t, r, "P1", status); !strings.Contains(got, "payment=success") {
			t.Errorf("%s: got %s, want payment=success", status, got)
		}
	}
	if n := gateway.count("execute"); n != 0 {
		t.Errorf("got %d executions, want 0", n)
	}
}

// A refund that gateway_b answers with a code that is unknown for refunds may have been made: its
// amount stays reserved until the gateway lists it, or staff resolve it. The amount of one that is
// refused does not.
func TestGatewayB_RefundCodes(t *testing.T) {
	t.Parallel()
	gateway := newFakeGateway(t)
	c := newConsole(t)
	_, r := serveDemo(t, c.dir, "--provider-url", "gateway_b:live="+gateway.URL)
	c.env["STOREFRONT_PRIVATE_PROVIDERS"], c.env["STOREFRONT_PROVIDER_URL"] = "true", "gateway_b:live="+gateway.URL
	bought := placeAtGatewayB(t, r)
	gateway.answer("execute", fmt.Sprintf(`200 {"statusCode":"0000","transactionStatus":"Completed","trxID":"T1","amount":"%d.%02d","currency":"BDT"}`,
		bought.Total.Amount/100, bought.Total.Amount%100))
	if got := openCallback(t, r, "P1", "success"); !strings.Contains(got, "payment=success") {
		t.Fatalf("got %s, want payment=success", got)
	}
	var shown struct{ Payments []order.AttemptRecord }
	c.json(&shown, "order", "show", "demo", bought.ID)
	refund := []string{"payment", "refund", "demo", shown.Payments[0].ID, "--amount", "10"}
	for _, refusal := range []string{
		`400 {"internalCode":"refund_not_allowed","externalCode":"2072","errorMessageEn":"Refund amount is invalid"}`,
		`200 {"statusCode":"2023","statusMessage":"Insufficient Balance"}`, `403 {"message":"Forbidden"}`,
	} {
		gateway.answer("transaction", refusal)
		for range 2 { // the amount is free again
			c.fails(cmd.ExitFailed, "The refund is not complete", refund...)
		}
	}
	before := gateway.count("transaction")
	gateway.answer("transaction", `200 {"statusCode":"2029","statusMessage":"Duplicate for all transactions"}`)
	c.fails(cmd.ExitFailed, "Duplicate for all transactions", refund...)
	c.fails(cmd.ExitFailed, "another refund could pay the buyer twice", refund...)
	if n := gateway.count("transaction") - before; n != 1 {
		t.Errorf("got %d requests, want 1", n)
	}
	if _, page := get(t, r.URL+"/api/v1/orders/"+bought.ID, "demo"); strings.Contains(string(page), "Duplicate") {
		t.Errorf("the buyer reads the gateway's words: %s", page)
	}
}
