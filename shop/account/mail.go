package account

import (
	"context"
	"errors"
)

// Mailer sends e-mails. Each Send is one attempt without retries.
type Mailer interface {
	// Send sends an e-mail. If err is nil, the mail server accepted it; messageID is its Message-ID.
	// Any error is ErrMailRefused or ErrMailUnknown; its text is for the operator and contains no
	// secret, text or address of a customer.
	Send(ctx context.Context, mail Email) (messageID string, err error)
}

// Email is an e-mail. The sender's address and name are part of the [Mailer].
type Email struct {
	To      string // an address only, in lower case
	Subject string
	Text    string
	HTML    string // the same as a page; "": none. It has no code and no secret that Text has not
}

// Errors of [Mailer].
var (
	// ErrMailRefused means that nothing was sent: the mail server refused the e-mail or was not
	// reached.
	ErrMailRefused = errors.New("the e-mail was not sent")
	// ErrMailUnknown means that the mail server's last response is missing: the e-mail may arrive.
	ErrMailUnknown = errors.New("the e-mail may or may not have been sent")
)

// Language is the language of messages to buyers.
type Language string

// The languages.
const (
	English Language = "en"
	Bangla  Language = "bn"
)
