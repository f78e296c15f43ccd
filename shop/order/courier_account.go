package order

import (
	"context"
	"sync"
	"time"

	"storefront/shop/access"
	"storefront/shop/money"
	"storefront/shop/plugin"
)

// CourierBalance is the merchant's account at one courier.
type CourierBalance struct {
	Provider plugin.Provider `json:"provider"`
	Mode     plugin.Mode     `json:"mode"`
	At       time.Time       `json:"at" doc:"Time of the query"`
	Balance  *money.Money    `json:"balance" doc:"The courier's debt by its own account; null if it did not answer"`
	Payouts  []Payout        `json:"payouts" nullable:"false" doc:"The newest payouts, newest first"`
	Problem  *string         `json:"problem" doc:"Reason why the courier did not answer; null if it did"`
}

// Payout is a payout of a courier in the form for staff.
type Payout struct {
	ID      string       `json:"_id" doc:"The courier's number of the payout"`
	Amount  money.Money  `json:"amount"`
	Charges *money.Money `json:"charges" doc:"The courier's deductions; null if not reported"`
	Method  string       `json:"method" doc:"The courier's name of the method, such as bank; empty if not reported"`
	Status  string       `json:"status" doc:"The courier's name of the status; empty if not reported"`
	At      *time.Time   `json:"at" doc:"Time of the payment, otherwise of the creation; null if not reported"`
}

// CourierBalances are the accounts at all configured couriers that report one.
type CourierBalances struct {
	Nodes []CourierBalance `json:"nodes" nullable:"false"`
}

const (
	// balanceFresh is the time for which a courier's response is used, even a failure.
	balanceFresh = time.Minute
	// maxPayouts limits the payouts of a response.
	maxPayouts = 50
)

// accountCache has the last response of each courier.
type accountCache struct {
	mu       sync.Mutex
	answers  map[accountKey]CourierBalance
	querying chan struct{} // holds a value while a courier is queried
}

type accountKey struct {
	provider plugin.Provider
	account  [32]byte
}

// ListCourierBalances returns the couriers' own figures of their debts and payouts, for couriers
// that report them and are configured in the shop's mode. A courier that does not respond has a
// problem instead. Codes: unauthenticated, forbidden.
func (s *Orders) ListCourierBalances(ctx context.Context, caller access.Caller) (*CourierBalances, error) {
	if err := access.Permit(ctx, s.data, caller, access.ToListCourierBalances); err != nil {
		return nil, err
	}
	set, err := s.cfg.Settings(ctx)
	if err != nil {
		return nil, err
	}
	list := &CourierBalances{Nodes: []CourierBalance{}}
	for i := range s.cfg.Plugins {
		if s.cfg.Plugins[i].Account == nil {
			continue
		}
		plugin, pluginAccess, ready, err := s.cfg.Plugin(ctx, s.cfg.Plugins[i].Provider, plugin.CanBook, "")
		if err != nil {
			return nil, err
		}
		if !ready {
			continue
		}
		balance, err := s.courierBalance(ctx, plugin, pluginAccess, set.Currency)
		if err != nil {
			return nil, err
		}
		list.Nodes = append(list.Nodes, balance)
	}
	return list, nil
}

// courierBalance returns the account at one courier, which is queried once a minute. The error is
// ctx's.
func (s *Orders) courierBalance(
	ctx context.Context,
	adapter *plugin.Plugin,
	pluginAccess plugin.Access,
	currency money.Currency,
) (CourierBalance, error) {
	c, key := &s.balances, accountKey{adapter.Provider, courierAccount(pluginAccess)}
	c.mu.Lock()
	if c.querying == nil {
		c.querying, c.answers = make(chan struct{}, 1), map[accountKey]CourierBalance{}
	}
	c.mu.Unlock()
	select {
	case c.querying <- struct{}{}:
		defer func() { <-c.querying }()
	case <-ctx.Done():
		return CourierBalance{}, context.Cause(ctx)
	}
	if known, ok := c.answers[key]; ok && s.now().Sub(known.At) < balanceFresh && !known.At.After(s.now()) {
		return known, nil
	}
	answer := CourierBalance{Provider: adapter.Provider, Mode: pluginAccess.Mode, At: s.now(), Payouts: []Payout{}}
	owed, err := adapter.Account.Balance(ctx, pluginAccess, currency)
	var payouts []plugin.CourierPayout
	if err == nil {
		payouts, err = adapter.Account.ListPayouts(ctx, pluginAccess, currency)
		answer.Balance = new(currency.Money(owed))
	}
	if ctx.Err() != nil {
		return CourierBalance{}, context.Cause(ctx)
	}
	if err != nil {
		answer.Problem = new(errCourierList(adapter.Provider, err).Message)
	}
	for _, p := range payouts[:min(len(payouts), maxPayouts)] {
		answer.Payouts = append(answer.Payouts, payoutOf(p, currency))
	}
	if len(c.answers) >= 2*len(s.cfg.Plugins) { // with former credentials
		clear(c.answers)
	}
	c.answers[key] = answer
	return answer, nil
}

// payoutOf returns a payout in the form for staff.
func payoutOf(p plugin.CourierPayout, currency money.Currency) Payout {
	view := Payout{ID: placeText(p.ID), Amount: currency.Money(p.Amount), Method: placeText(p.Method), Status: placeText(p.Status)}
	if p.Charges != nil {
		view.Charges = new(currency.Money(*p.Charges))
	}
	if !p.At.IsZero() {
		view.At = new(p.At.UTC())
	}
	return view
}
