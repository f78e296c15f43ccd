package simulator

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
)

// Result is what a buyer does on the payment page.
type Result string

// The results.
const (
	Pays    Result = "pay"
	Fails   Result = "fail"   // the card is declined; the buyer may try again
	Cancels Result = "cancel" // the buyer gives up
)

// Return is how the buyer's browser goes back to the shop.
type Return struct {
	Method string     `json:"method"`
	URL    string     `json:"url"`
	Form   url.Values `json:"form"` // of a POST
}

// payment is a payment at one of the gateways.
type payment struct {
	gateway          string // gateway_a or gateway_b
	ref              string // the shop's name for it
	id               string // the gateway's: a session key, or a paymentID
	store, password  string // gateway_a
	amount, currency string
	invoice          string
	webhookURL       string
	returnURLs       map[Result]string
	signature        string // gateway_b

	status           string // gateway_a: VALID, FAILED, …; gateway_b: Initiated, Completed, …
	agreed           bool   // gateway_b: the buyer has
	validID          string
	transactionID    string
	risky            bool
	captures         int    // how often money was taken
	capturedAmount   string // the amount that was taken
	capturedCurrency string
	refundID         string
	validated        bool
}

// find gives a copy of the payment of a name.
func (s *Simulator) find(name string) (payment, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	p := s.payments[name]
	if p == nil {
		return payment{}, false
	}
	return *p, true
}

// change changes the payment of a name and gives a copy.
func (s *Simulator) change(name string, fn func(p *payment)) (payment, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	p := s.payments[name]
	if p == nil {
		return payment{}, false
	}
	fn(p)
	return *p, true
}

func (s *Simulator) add(p *payment) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.payments[p.ref], s.payments[p.id] = p, p
}

// capture is what the gateway takes, right or, with a fault, wrong.
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

// Finish does what a buyer does on the page of a payment, named by the shop's or the gateway's name
// for it, and says how the browser goes back. The gateway's own notice is sent before it returns, where
// no fault has it otherwise.
func (s *Simulator) Finish(ctx context.Context, name string, result Result) (Return, error) {
	if result != Pays && result != Fails && result != Cancels {
		return Return{}, fmt.Errorf("a buyer can %s, %s or %s", Pays, Fails, Cancels)
	}
	p, ok := s.find(name)
	switch {
	case !ok:
		return Return{}, errors.New("there is no such payment")
	case p.gateway == "gateway_a":
		return s.finishA(ctx, name, result)
	}
	return s.finishB(name, result)
}

// post sends a form as a provider's server would.
func (s *Simulator) post(ctx context.Context, address string, form url.Values) (status int, err error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, address, strings.NewReader(form.Encode()))
	if err != nil {
		return 0, err
	}
	req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	answer, err := s.client.Do(req)
	if err != nil {
		return 0, err
	}
	return answer.Status, nil
}

// HasMoney reports whether the gateway has the money of a payment.
func (s *Simulator) HasMoney(name string) bool {
	p, ok := s.find(name)
	return ok && p.transactionID != ""
}

// CountTransactions gives how often the gateways took money for an order, and how often they gave it back.
func (s *Simulator) CountTransactions(invoice string) (taken, returned int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for name, p := range s.payments {
		if name != p.id || p.invoice != invoice { // each is there by two names
			continue
		}
		taken += p.captures
		if p.refundID != "" {
			returned++
		}
	}
	return taken, returned
}
