package account

import (
	"context"
	"errors"
	"fmt"
	"time"

	"storefront/db"
	"storefront/shop/access"
	"storefront/shop/fault"
	"storefront/shop/input"
)

// NewMail creates a shop's sender of e-mails from the configuration passed to
// [Accounts.ConfigureMail], or from nil if there is none; the error is then [ErrMailNotConfigured],
// unless none is needed. shopName is the sender's name unless the configuration has one.
type NewMail func(config []byte, shopName string) (Mailer, error)

// ErrMailNotConfigured means that the shop has no mail server.
var ErrMailNotConfigured = errors.New("the shop has no mail server")

const (
	mailSecret = "mail" // name of the configuration in the table secrets
	// mailTimeout limits one call of the adapter, which has a shorter timeout of its own.
	mailTimeout = 40 * time.Second
)

// ConfigureMail sets the configuration of the shop's mail server; nil removes it. It contains
// credentials and is stored sealed. An invalid configuration returns the error of [NewMail]. Codes:
// unauthenticated, forbidden.
func (a *Accounts) ConfigureMail(ctx context.Context, caller access.Caller, config []byte) error {
	who, err := a.cfg.Data.Authorize(ctx, caller, access.ToConfigureMail)
	if err != nil {
		return err
	}
	if config != nil && a.cfg.NewMail != nil {
		set, err := a.cfg.Settings(ctx)
		if err != nil {
			return err
		}
		if _, err := a.cfg.NewMail(config, set.Name); err != nil {
			return fmt.Errorf("configure mail: %w", err)
		}
	}
	return a.replaceConfig(ctx, who, mailSecret, access.SubjectMail, config)
}

// MailConfig returns the configuration, including credentials, which no response may contain. The
// error is [ErrMailNotConfigured] if there is none. Codes: unauthenticated, forbidden.
func (a *Accounts) MailConfig(ctx context.Context, caller access.Caller) ([]byte, error) {
	if _, err := a.cfg.Data.Authorize(ctx, caller, access.ToMailConfig); err != nil {
		return nil, err
	}
	config, err := a.findConfig(ctx, mailSecret)
	if errors.Is(err, db.ErrNotFound) {
		return nil, ErrMailNotConfigured
	}
	return config, err
}

// SendTestMail sends an e-mail with the shop's name and returns its Message-ID. It does not count
// towards limits. Codes: unauthenticated, forbidden, validation_failed, email_unavailable.
func (a *Accounts) SendTestMail(ctx context.Context, caller access.Caller, address string) (messageID string, err error) {
	who, err := a.cfg.Data.Authorize(ctx, caller, access.ToSendTestMail)
	if err != nil {
		return "", err
	}
	var bad fault.Invalid
	to := input.RequireEmail(&bad, "email", address)
	if err := bad.Err(); err != nil {
		return "", err
	}
	set, err := a.cfg.Settings(ctx)
	if err != nil {
		return "", err
	}
	mailer, err := a.loadMailer(ctx)
	if err != nil {
		return "", err
	}
	err = a.cfg.Data.UpdateAs(ctx, who, func(_ context.Context, tx *db.Tx) error {
		return who.Audit(tx, access.Subject{Kind: access.SubjectMail})
	})
	if err != nil {
		return "", err
	}
	return a.sendMail(ctx, mailer, mailTexts(set.Language).test(to, set.Name))
}

// HasMail reports whether the shop can send e-mails.
func (a *Accounts) HasMail(ctx context.Context) (bool, error) {
	_, err := a.loadMailer(ctx)
	if fault.HasCode(err, fault.CodeEmailUnavailable) {
		return false, nil
	}
	return err == nil, err
}

// loadMailer returns the shop's sender of e-mails. Codes: email_unavailable.
func (a *Accounts) loadMailer(ctx context.Context) (Mailer, error) {
	set, err := a.cfg.Settings(ctx)
	if err != nil {
		return nil, err
	}
	mailer, missing, err := a.mail.load(ctx, a, mailSecret, set.Name, func(config []byte) (Mailer, error) {
		if a.cfg.NewMail == nil {
			return nil, ErrMailNotConfigured
		}
		return a.cfg.NewMail(config, set.Name)
	})
	if missing != nil {
		return nil, emailUnavailable(missing)
	}
	return mailer, err
}

// sendMail sends one e-mail. It continues if ctx is cancelled, so that the outcome becomes known.
// The error is an [ErrMailUnknown] or, if nothing was sent, one of code email_unavailable.
func (a *Accounts) sendMail(ctx context.Context, mailer Mailer, mail Email) (messageID string, err error) {
	release, ok := acquireSlot(a.sendingMail)
	if !ok {
		a.cfg.Observer.MailSent(SMSRefused)
		return "", emailUnavailable(errors.New("too many e-mails are being sent: the mail server is slow"))
	}
	defer release()
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), mailTimeout)
	defer cancel()
	messageID, err = mailer.Send(ctx, mail)
	switch {
	case err == nil:
		a.cfg.Observer.MailSent(SMSAccepted)
	case errors.Is(err, ErrMailUnknown):
		a.cfg.Observer.MailSent(SMSUnknown)
	default:
		a.cfg.Observer.MailSent(SMSRefused)
		return "", emailUnavailable(err)
	}
	return messageID, err
}

func emailUnavailable(cause error) error {
	return &fault.Error{
		Code: fault.CodeEmailUnavailable, Err: cause, RetryAfter: smsRetrySeconds,
		Message: "The e-mail could not be sent. Try again in a moment, or sign in in another way.",
	}
}
