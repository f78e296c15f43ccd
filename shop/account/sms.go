package account

import (
	"context"
	"errors"
)

// SMS sends text messages to phones. Each Send is one attempt: nothing behind it tries again, since
// no gateway can be trusted to notice that it was asked twice, and each message costs money.
type SMS interface {
	// Send has text sent to a number in E.164. The gateway has taken it when err is nil; messageID
	// is its name for the message, "" where it gives none. Any error is an [ErrSMSRefused] or an
	// [ErrSMSUnknown]; its text is for the operator and holds no secret, text or number.
	Send(ctx context.Context, to, text string) (messageID string, err error)
}

// What an error of [SMS] says about the message.
var (
	// ErrSMSRefused means that surely nothing was sent: the gateway said no, or was never reached.
	ErrSMSRefused = errors.New("the message was not sent")
	// ErrSMSUnknown means that the gateway was asked and no answer tells what it did: the message
	// may arrive, and may have been paid for.
	ErrSMSUnknown = errors.New("it is not known whether the message was sent")
)
