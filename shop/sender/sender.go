// Package sender owns a shop's text messages and e-mails: the configuration of its SMS gateway and
// of its mail server, and sending, once for each message and without retries.
//
// Use cases are methods of [Sender]. The package must not know accounts, staff members or orders:
// the caller provides a message's text and counts its budget.
package sender

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"storefront/db"
	"storefront/shop/access"
	"storefront/shop/fault"
	"storefront/shop/input"
	"storefront/shop/locale"
	"storefront/shop/secret"
)

// Config is the configuration of a [Sender]. Every field is required unless its comment says
// otherwise.
type Config struct {
	Data    access.Data // of the shop
	Secrets *secret.Store
	NewSMS  NewSMS  // nil means that no text messages are sent
	NewMail NewMail // nil means that no e-mails are sent
	// Settings returns the current settings of the shop.
	Settings func(ctx context.Context) (Settings, error)
	Observer Observer
	// Record is called after each message with the name of its kind, "sms" or "mail", whether it was a
	// test, and its error.
	Record func(ctx context.Context, name string, isTest bool, err error)
	// Inherited returns the sender with the configuration of a kind that the shop uses while it has
	// none, and whether it must use it; nil means that there is none. The configuration stays where it
	// is stored: it is in no case copied into the shop's data.
	Inherited func(ctx context.Context, name string) (from *Sender, locked bool, err error)
	// OfInstallation means that operators configure the channels, for all shops.
	OfInstallation bool
	// Replaced is called in the transaction that replaces the configuration of a kind.
	Replaced func(tx *db.Tx, name string) error
}

// Settings are the shop settings that messages depend on.
type Settings struct {
	Name     string
	Country  string // ISO 3166, two letters: how phone numbers are read
	Language locale.Language
}

// Observer is notified of messages. It must not block and must be safe for concurrent use.
type Observer interface {
	// MessageSent is called with the outcome of each text message.
	MessageSent(outcome Outcome)
	// MailSent is called with the outcome of each e-mail.
	MailSent(outcome Outcome)
}

// Outcome is the outcome of sending a text message or an e-mail.
type Outcome string

// Outcomes of sending a message.
const (
	Accepted Outcome = "sent"    // the gateway or mail server accepted it
	Refused  Outcome = "refused" // nothing was sent
	Unknown  Outcome = "unknown" // it may or may not have been sent
)

// Outcomes returns every outcome.
func Outcomes() []Outcome { return []Outcome{Accepted, Refused, Unknown} }

// Sender sends the messages of one shop. It is safe for concurrent use. Create one with [New].
type Sender struct {
	settings func(ctx context.Context) (Settings, error)
	sms      *channel[SMS]
	mail     *channel[Mailer]
}

// New returns the sender of the shop in cfg.Data. It reads nothing.
func New(cfg Config) *Sender {
	if cfg.Inherited == nil {
		cfg.Inherited = func(context.Context, string) (*Sender, bool, error) { return nil, false, nil }
	}
	return &Sender{settings: cfg.Settings, sms: newSMSChannel(cfg), mail: newMailChannel(cfg)}
}

// FindConfigured reports whether the shop itself has a gateway of text messages and a mail server.
func (s *Sender) FindConfigured(tx *db.Tx) (sms, mail bool, err error) {
	if sms, err = s.HasSMS(tx); err == nil {
		mail, err = s.mail.Secrets.Has(tx, s.mail.secret)
	}
	return sms, mail, err
}

// InheritsSMS reports whether the shop can use the installation's gateway of text messages, and
// whether it can use no other one.
func (s *Sender) InheritsSMS(ctx context.Context) (has, locked bool, err error) {
	return s.sms.inherits(ctx)
}

// InheritsMail is [Sender.InheritsSMS] for the mail server.
func (s *Sender) InheritsMail(ctx context.Context) (has, locked bool, err error) {
	return s.mail.inherits(ctx)
}

// Checker is an [SMS] or a [Mailer] that can be checked without a message.
type Checker interface {
	// Check connects to the provider, and signs in if that sends nothing. proved reports whether that
	// proves that messages can be sent. Its errors are the errors of Send.
	Check(ctx context.Context) (proved bool, err error)
}

// Check checks the gateway of text messages ("sms") or the mail server ("mail") without a message.
// ok is false if the shop has none that can be checked.
func (s *Sender) Check(ctx context.Context, name string) (proved, ok bool, err error) {
	if name == s.sms.secret {
		return s.sms.check(ctx)
	}
	return s.mail.check(ctx)
}

// SendText sends a text message to a phone number in E.164. The caller counts its budget. The error
// is an [ErrSMSUnknown] or, if nothing was sent, one of code sms_unavailable.
func (s *Sender) SendText(ctx context.Context, to, text string) (messageID string, err error) {
	gateway, err := s.sms.load(ctx)
	if err != nil {
		return "", err
	}
	if !gateway.Reaches(to) {
		return "", s.sms.unavailable(
			fmt.Errorf("%w: the shop sends no messages to this country", ErrSMSRefused))
	}
	return s.sms.send(ctx, false, func(ctx context.Context) (string, error) {
		return gateway.Send(ctx, to, Plain(text))
	})
}

// SendMail is SendText for e-mails. The error is an [ErrMailUnknown] or, if nothing was sent, one
// of code email_unavailable.
func (s *Sender) SendMail(ctx context.Context, mail Email) (messageID string, err error) {
	server, err := s.mail.load(ctx)
	if err != nil {
		return "", err
	}
	return s.mail.send(ctx, false,
		func(ctx context.Context) (string, error) { return server.Send(ctx, mail) },
	)
}

// SendTo sends an e-mail to an address, or its text to a phone number in any common notation.
// Codes: validation_failed, sms_unavailable, email_unavailable.
func (s *Sender) SendTo(ctx context.Context, to string, mail Email) (messageID string, err error) {
	if email, ok := input.ParseEmail(to); ok {
		mail.To, mail.Text = email, mail.Text+"\n"
		return s.SendMail(ctx, mail)
	}
	set, err := s.settings(ctx)
	if err != nil {
		return "", err
	}
	var bad fault.Invalid
	phone := input.RequirePhone(&bad, "to", to, set.Country)
	if err := bad.Err(); err != nil {
		return "", err
	}
	return s.SendText(ctx, phone, mail.Text)
}

// IsUnknown reports whether a message with this error may have been sent.
func IsUnknown(err error) bool {
	return errors.Is(err, ErrSMSUnknown) || errors.Is(err, ErrMailUnknown)
}

// Reason returns the provider's words of the error of a message. They contain no secret and no
// contact.
func Reason(err error) string {
	if e, ok := errors.AsType[*fault.Error](err); ok && e.Err != nil {
		err = e.Err
	}
	words := fault.Reason(err)
	for _, kind := range []error{ErrSMSRefused, ErrSMSUnknown, ErrMailRefused, ErrMailUnknown} {
		words = strings.TrimPrefix(words, kind.Error()+": ")
	}
	return words
}
