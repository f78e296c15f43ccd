package sender

import (
	"context"
	"errors"
	"fmt"

	"storefront/shop/access"
	"storefront/shop/fault"
	"storefront/shop/input"
)

// Mailer sends e-mails. Each Send is one attempt without retries.
type Mailer interface {
	// Send sends an e-mail. If err is nil, the mail server accepted it; messageID is its
	// Message-ID. Any error is ErrMailRefused or ErrMailUnknown; its text is for the operator and
	// contains no secret, text or address of a customer.
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

// NewMail creates a shop's sender of e-mails from the configuration passed to
// [Sender.ConfigureMail], or from nil if there is none; the error is then [ErrMailNotConfigured],
// unless none is needed. shopName is the sender's name unless the configuration has one.
type NewMail func(config []byte, shopName string) (Mailer, error)

// ErrMailNotConfigured means that the shop has no mail server.
var ErrMailNotConfigured = errors.New("the shop has no mail server")

func newMailChannel(cfg Config) *channel[Mailer] {
	return newChannel(cfg, kind[Mailer]{
		name: "mail", secret: "mail", subject: access.SubjectMail,
		toConfigure: access.ToConfigureMail, toRead: access.ToMailConfig, toTest: access.ToSendTestMail,
		of:            func(s *Sender) *channel[Mailer] { return s.mail },
		create:        cfg.NewMail,
		setting:       func(set Settings) string { return set.Name },
		notConfigured: ErrMailNotConfigured, unknown: ErrMailUnknown,
		busy:    errors.New("too many e-mails are being sent: the mail server is slow"),
		code:    fault.CodeEmailUnavailable,
		message: "The e-mail could not be sent. Try again in a moment, or sign in in another way.",
		observe: cfg.Observer.MailSent,
	})
}

// ConfigureMail is [Sender.ConfigureSMS] for the shop's mail server. Codes: unauthenticated,
// forbidden.
func (s *Sender) ConfigureMail(ctx context.Context, caller access.Caller, config []byte) error {
	return s.mail.configure(ctx, caller, config)
}

// MailConfig is [Sender.SMSConfig] for the shop's mail server. The error is [ErrMailNotConfigured]
// if there is none. Codes: unauthenticated, forbidden.
func (s *Sender) MailConfig(ctx context.Context, caller access.Caller) ([]byte, error) {
	return s.mail.config(ctx, caller)
}

// HasMail reports whether the shop can send e-mails.
func (s *Sender) HasMail(ctx context.Context) (bool, error) {
	err := s.CheckMail(ctx)
	if fault.HasCode(err, fault.CodeEmailUnavailable) {
		return false, nil
	}
	return err == nil, err
}

// CheckMail checks that the shop can send e-mails. Codes: email_unavailable.
func (s *Sender) CheckMail(ctx context.Context) error {
	_, err := s.mail.load(ctx)
	return err
}

// SendTestMail sends an e-mail with the shop's name and returns its Message-ID. It does not count
// towards limits. Codes: unauthenticated, forbidden, validation_failed, email_unavailable.
func (s *Sender) SendTestMail(
	ctx context.Context, caller access.Caller, address string,
) (messageID string, err error) {
	check := func(bad *fault.Invalid, _ Settings) string {
		return input.RequireEmail(bad, "email", address)
	}
	return s.mail.sendTest(ctx, caller, check,
		func(ctx context.Context, server Mailer, to string, set Settings) (string, error) {
			texts := testTexts(set.Language)
			return server.Send(ctx, Email{
				To: to, Subject: fmt.Sprintf(texts.subject, set.Name), Text: fmt.Sprintf(texts.mail, set.Name),
			})
		})
}
