package shop

import (
	"storefront/shop/inbox"
	"storefront/shop/plugin"
	"storefront/shop/sender"
	"storefront/shop/status"
)

// Observer receives events of the shops of a process after they are committed, for metrics. Its
// methods must not block and must be safe for concurrent use.
type Observer interface {
	inbox.Observer
	// AttemptMoved is called for every status of a payment attempt, including its first.
	AttemptMoved(method status.PaymentMethod, to status.Attempt)
	sender.Observer
}

// unobserved is the observer of a shop without one. It does nothing.
type unobserved struct{}

func (unobserved) WebhookHandled(plugin.Provider, inbox.Verdict) {}

func (unobserved) AttemptMoved(status.PaymentMethod, status.Attempt) {}

func (unobserved) MessageSent(sender.Outcome) {}

func (unobserved) MailSent(sender.Outcome) {}

// countPlaced returns the function that passes the plan of each placed order to count, which may be
// nil.
func (s *Shop) countPlaced(count func(plan string)) func() {
	if count == nil {
		return nil
	}
	return func() { count(s.PlanName()) }
}
