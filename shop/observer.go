package shop

// Observer is told what has happened in the shops of a process, once it is stored for good, so that
// it can be counted. Its methods return at once, and any goroutine may call them.
type Observer interface {
	// WebhookHandled is told of a call at a provider's address, with what became of it. A call whose
	// verdict changes later, by a replay or because its order has come, is told again; a mere repeat
	// is not.
	WebhookHandled(from Provider, verdict Verdict)
	// AttemptMoved is told of a try to pay that came to a state, its first one included.
	AttemptMoved(method PaymentMethod, to AttemptStatus)
	// MessageSent is told what became of a text message.
	MessageSent(fate SMSOutcome)
}

// SMSOutcome says what became of a text message.
type SMSOutcome string

// The fates of a message.
const (
	SMSAccepted SMSOutcome = "sent"    // its gateway has taken it
	SMSRefused  SMSOutcome = "refused" // surely nothing was sent
	SMSUnknown  SMSOutcome = "unknown" // no answer tells
)

// VerdictRefused is an Observer's word for calls that could not prove themselves; they are not kept.
const VerdictRefused Verdict = "refused"

// Verdicts lists what an [Observer] can be told of a call.
func Verdicts() []Verdict {
	return []Verdict{VerdictStored, VerdictApplied, VerdictIgnored, VerdictUnmatched, VerdictMalformed, VerdictFailed, VerdictRefused}
}

// SMSOutcomes lists the fates of a message.
func SMSOutcomes() []SMSOutcome { return []SMSOutcome{SMSAccepted, SMSRefused, SMSUnknown} }

// unobserved is the observer of a shop that has none.
type unobserved struct{}

func (unobserved) WebhookHandled(Provider, Verdict)          {}
func (unobserved) AttemptMoved(PaymentMethod, AttemptStatus) {}
func (unobserved) MessageSent(SMSOutcome)                    {}
