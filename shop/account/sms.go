package account

import (
	"context"
	"errors"
)

// SMS is an SMS gateway. Each Send is one attempt without retries: gateways do not reliably detect
// duplicates, and each message costs money.
type SMS interface {
	// Reaches reports whether messages may be sent to a phone number in E.164: the operator chooses
	// the countries.
	Reaches(to string) bool
	// Send sends text to a phone number in E.164. If err is nil, the gateway accepted the message;
	// messageID is the gateway's ID of it, or "". Any error is ErrSMSRefused or ErrSMSUnknown; its
	// text is for the operator and contains no secret, message or phone number.
	Send(ctx context.Context, to, text string) (messageID string, err error)
}

// Errors of [SMS].
var (
	// ErrSMSRefused means that nothing was sent: the gateway refused the message or was not reached.
	ErrSMSRefused = errors.New("the message was not sent")
	// ErrSMSUnknown means that the gateway's response is missing or unclear: the message may arrive
	// and may be billed.
	ErrSMSUnknown = errors.New("the message may or may not have been sent")
)
