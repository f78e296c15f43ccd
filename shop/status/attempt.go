package status

// Attempt is the status of a payment attempt.
type Attempt string

// The statuses of a payment attempt.
const (
	AttemptInitiated   Attempt = "initiated" // stored; the gateway may not have received it
	AttemptPending     Attempt = "pending"   // the gateway waits for the buyer
	AttemptSucceeded   Attempt = "succeeded"
	AttemptFailed      Attempt = "failed"
	AttemptCancelled   Attempt = "cancelled"
	AttemptExpired     Attempt = "expired"
	AttemptNeedsReview Attempt = "needs_review"
	AttemptRefundDue   Attempt = "refund_due"
	AttemptRefunded    Attempt = "refunded"
)

// MoneyReceived reports whether money for the attempt was received, or may have been and a staff
// member decides.
func (s Attempt) MoneyReceived() bool {
	return s == AttemptSucceeded || s == AttemptRefundDue || s == AttemptRefunded || s == AttemptNeedsReview
}

// Attempts returns all statuses, in the order in which an attempt can reach them.
func Attempts() []Attempt {
	return []Attempt{
		AttemptInitiated, AttemptPending, AttemptSucceeded, AttemptFailed, AttemptCancelled, AttemptExpired,
		AttemptNeedsReview, AttemptRefundDue, AttemptRefunded,
	}
}

func (s Attempt) Waits() bool { return s == AttemptNeedsReview || s == AttemptRefundDue }

// IsOpen reports whether the buyer may still complete the attempt at its gateway.
func (s Attempt) IsOpen() bool { return s == AttemptInitiated || s == AttemptPending }
