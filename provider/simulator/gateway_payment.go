package simulator

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"storefront/shop/money"
)

// Result is a buyer's action on the payment page.
type Result string

// The buyer's actions.
const (
	Pays    Result = "pay"
	Fails   Result = "fail"   // the card is declined; the buyer may pay again
	Cancels Result = "cancel" // the buyer cancels the payment
)

// Return is the request with which the buyer's browser returns to the shop.
type Return struct {
	Method string     `json:"method"`
	URL    string     `json:"url"`
	Form   url.Values `json:"form"` // of a POST
}

// payment is a payment at a gateway.
type payment struct {
	gateway          string // gateway_a or gateway_b
	ref              string // the shop's reference
	id               string // the gateway's ID: session key or paymentID
	store, password  string // gateway_a
	amount, currency string
	invoice          string
	webhookURL       string
	returnURLs       map[Result]string
	signature        string // gateway_b

	status           string // gateway_a: VALID, FAILED, …; gateway_b: Initiated, Completed, …
	approved         bool   // gateway_b: by the buyer
	validID          string
	transactionID    string
	risky            bool
	captures         int    // number of captures
	capturedAmount   string // amount
	capturedCurrency string
	refunds          []refund
	validated        bool
}

// refund is a refund of a part of a payment.
type refund struct {
	ref    string // the shop's reference; "" at gateway_b
	id     string
	amount int64 // in minor units
}

// refunded returns the sum of the refunds.
func (p *payment) refunded() (sum int64) {
	for _, r := range p.refunds {
		sum += r.amount
	}
	return sum
}

// taka is the currency of refunds.
var taka = money.Currency{Code: "BDT", Digits: 2}

// addRefund refunds an amount unless it exceeds the rest of the payment. The caller must hold s.mu.
func (p *payment) addRefund(ref, amount string) (refund, bool) {
	n, ok := taka.Parse(amount)
	captured, _ := taka.Parse(p.capturedAmount)
	if !ok || n <= 0 || p.refunded()+n > captured {
		return refund{}, false
	}
	r := refund{ref: ref, id: newID("refund"), amount: n}
	p.refunds = append(slices.Clone(p.refunds), r) // copies of the payment are in use
	return r, true
}

// find returns a copy of the payment with the shop's reference or the gateway's ID.
func (s *Simulator) find(id string) (payment, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	p := s.payments[id]
	if p == nil {
		return payment{}, false
	}
	return *p, true
}

// change applies fn to the payment with the reference or ID and returns a copy.
func (s *Simulator) change(id string, fn func(p *payment)) (payment, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	p := s.payments[id]
	if p == nil {
		return payment{}, false
	}
	fn(p)
	return *p, true
}

// add creates a payment. With the fault [IDRepeated], it gets the ID of the gateway's last one.
func (s *Simulator) add(p *payment) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if last := s.last[p.gateway]; last != nil && s.on[IDRepeated] {
		p.id = last.id
		return
	}
	s.payments[p.ref], s.payments[p.id], s.last[p.gateway] = p, p, p
	s.order = append(s.order, p)
}

// capture records a captured amount, which is wrong with some faults. The caller must hold s.mu.
func (s *Simulator) capture(p *payment) {
	p.captures++
	p.capturedAmount, p.capturedCurrency, p.risky = p.amount, p.currency, s.on[Risky]
	p.transactionID = newID("money")
	if s.on[WrongAmount] {
		p.capturedAmount = "1.00"
	}
	if s.on[WrongCurrency] {
		p.capturedCurrency = "USD"
	}
}

// Finish performs a buyer's action on the payment page and returns the browser's request to the
// shop. id is the shop's reference or the gateway's ID. Finish sends the gateway's webhook before
// it returns, unless a fault prevents that.
func (s *Simulator) Finish(ctx context.Context, id string, result Result) (Return, error) {
	if result != Pays && result != Fails && result != Cancels {
		return Return{}, fmt.Errorf("result must be %s, %s or %s", Pays, Fails, Cancels)
	}
	p, ok := s.find(id)
	switch {
	case !ok:
		return Return{}, errors.New("unknown payment")
	case p.gateway == "gateway_a":
		return s.finishA(ctx, id, result)
	}
	return s.finishB(id, result)
}

// post sends a form, as a provider's server does, and returns the status of the response.
func (s *Simulator) post(ctx context.Context, address string, form url.Values) (status int, err error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, address, strings.NewReader(form.Encode()))
	if err != nil {
		return 0, err
	}
	req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	resp, err := s.client.Do(req)
	if err != nil {
		return 0, err
	}
	return resp.Status, nil
}

// HasMoney reports whether a payment, given by its reference or ID, was captured.
func (s *Simulator) HasMoney(id string) bool {
	p, ok := s.find(id)
	return ok && p.transactionID != ""
}

// CountTransactions returns the number of captures and refunds at the gateways for an order.
func (s *Simulator) CountTransactions(invoice string) (captures, refunds int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for key, p := range s.payments {
		if key != p.id || p.invoice != invoice { // each payment has two keys
			continue
		}
		captures += p.captures
		refunds += len(p.refunds)
	}
	return captures, refunds
}

// Refunded returns the sum of the refunds of a payment, given by its reference or ID, in minor
// units.
func (s *Simulator) Refunded(id string) int64 {
	p, _ := s.find(id)
	return p.refunded()
}
