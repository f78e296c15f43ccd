package shop

import "storefront/db"

// Observer is told what has happened in the shops of a process, once it is stored for good, so that
// it can be counted. Its methods return at once, and any goroutine may call them.
type Observer interface {
	// CallTaken is told of a call at a provider's address, with what became of it. A call whose
	// verdict changes later, by a replay or because its order has come, is told again; a mere repeat
	// is not.
	CallTaken(from Provider, verdict Verdict)
	// PaymentMoved is told of a try to pay that came to a state, its first one included.
	PaymentMoved(method PaymentMethod, to AttemptStatus)
	// MessageSent is told what became of a text message.
	MessageSent(fate MessageFate)
}

// MessageFate says what became of a text message.
type MessageFate string

// The fates of a message.
const (
	MessageTaken   MessageFate = "sent"    // its gateway has taken it
	MessageRefused MessageFate = "refused" // surely nothing was sent
	MessageUnknown MessageFate = "unknown" // no answer tells
)

// VerdictRefused is an Observer's word for calls that could not prove themselves; they are not kept.
const VerdictRefused Verdict = "refused"

// Verdicts lists what an [Observer] can be told of a call.
func Verdicts() []Verdict {
	return []Verdict{VerdictStored, VerdictApplied, VerdictIgnored, VerdictUnmatched, VerdictMalformed, VerdictFailed, VerdictRefused}
}

// MessageFates lists the fates of a message.
func MessageFates() []MessageFate { return []MessageFate{MessageTaken, MessageRefused, MessageUnknown} }

// unobserved is the observer of a shop that has none.
type unobserved struct{}

func (unobserved) CallTaken(Provider, Verdict)               {}
func (unobserved) PaymentMoved(PaymentMethod, AttemptStatus) {}
func (unobserved) MessageSent(MessageFate)                   {}

// settleCall writes down what became of a call.
func (s *Shop) settleCall(tx *db.Tx, call *providerCall, outcome callOutcome) error {
	provider := call.provider
	tx.AfterCommit(func() { s.observer.CallTaken(provider, outcome.verdict) })
	return saveOutcome(tx, call.id, outcome)
}
