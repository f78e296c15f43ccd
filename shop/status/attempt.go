package status

// Attempt is the status of a payment attempt.
//
//api:enum AttemptStatus
type Attempt string

// The statuses of a payment attempt.
const (
	AttemptInitiated Attempt = "initiated" // recorded; the gateway has not answered yet
	AttemptPending   Attempt = "pending"   // the gateway waits for the buyer
	AttemptSucceeded Attempt = "succeeded" // paid
	// Refused by the gateway. It can still succeed, since gateways report late.
	AttemptFailed      Attempt = "failed"
	AttemptCancelled   Attempt = "cancelled"    // cancelled by the buyer. It can still succeed.
	AttemptExpired     Attempt = "expired"      // not completed in time. It can still succeed.
	AttemptNeedsReview Attempt = "needs_review" // the payment must be reviewed by the merchant
	AttemptRefundDue   Attempt = "refund_due"   // the money must be refunded to the buyer
	AttemptRefunded    Attempt = "refunded"     // the money was refunded to the buyer
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
