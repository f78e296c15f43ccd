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
	"storefront/shop/phone"
	"storefront/shop/secret"
)

// NewSMS creates a shop's SMS gateway from the configuration passed to [Accounts.ConfigureSMS], or
// from nil if there is none; the error is then [ErrSMSNotConfigured], unless none is needed.
// callingCode is that of the shop's country, "" if it has none.
type NewSMS func(config []byte, callingCode string) (SMS, error)

// ErrSMSNotConfigured means that the shop has no SMS gateway.
var ErrSMSNotConfigured = errors.New("the shop has no SMS gateway")

const (
	smsSecret = "sms" // name of the configuration in the table secrets
	// smsTimeout limits one call of the adapter, which has a shorter timeout of its own.
	smsTimeout = 40 * time.Second
	// maxSending limits the messages that one shop sends concurrently, so that a gateway that does not
	// respond blocks no more requests than that.
	maxSending = 32
)

// cachedSMS is the shop's SMS gateway with the state of the secrets and the country that it was
// created from.
type cachedSMS struct {
	key    smsKey
	sender SMS // nil if err is set
	err    error
}

type smsKey struct {
	secrets     secret.State
	callingCode string
}

// ConfigureSMS sets the configuration of the shop's SMS gateway; nil removes it. It contains
// credentials and is stored sealed. An invalid configuration returns the error of [NewSMS]. Codes:
// unauthenticated, forbidden.
func (a *Accounts) ConfigureSMS(ctx context.Context, caller access.Caller, config []byte) error {
	if err := a.cfg.Authorize(ctx, caller); err != nil {
		return err
	}
	if config != nil && a.cfg.NewSMS != nil {
		callingCode, err := a.callingCode(ctx)
		if err != nil {
			return err
		}
		if _, err := a.cfg.NewSMS(config, callingCode); err != nil {
			return fmt.Errorf("configure SMS: %w", err)
		}
	}
	return a.cfg.Secrets.Replace(ctx, smsSecret, config)
}

// SMSConfig returns the configuration, including credentials. The error is [ErrSMSNotConfigured] if
// there is none. Codes: unauthenticated, forbidden.
func (a *Accounts) SMSConfig(ctx context.Context, caller access.Caller) ([]byte, error) {
	if err := a.cfg.Authorize(ctx, caller); err != nil {
		return nil, err
	}
	return a.findSMSConfig(ctx)
}

func (a *Accounts) findSMSConfig(ctx context.Context) ([]byte, error) {
	var config []byte
	err := a.view(ctx, func(ctx context.Context, tx *db.Tx) (err error) {
		config, err = a.cfg.Secrets.Find(tx, smsSecret)
		if errors.Is(err, db.ErrNotFound) {
			return ErrSMSNotConfigured
		}
		return err
	})
	return config, err
}

// SendTestSMS sends a message with the shop's name and returns the gateway's ID of it. It costs as
// much as any message and does not count towards limits. Codes: unauthenticated, forbidden,
// validation_failed, sms_unavailable.
func (a *Accounts) SendTestSMS(ctx context.Context, caller access.Caller, phoneNumber string) (messageID string, err error) {
	if err := a.cfg.Authorize(ctx, caller); err != nil {
		return "", err
	}
	set, err := a.cfg.Settings(ctx)
	if err != nil {
		return "", err
	}
	var bad fault.Invalid
	to := input.RequirePhone(&bad, "phoneNumber", phoneNumber, set.Country)
	if err := bad.Err(); err != nil {
		return "", err
	}
	sender, err := a.loadSMS(ctx)
	if err != nil {
		return "", err
	}
	return a.sendSMS(ctx, sender, to, "A test message of "+shortName(set.Name)+".")
}

// loadSMS returns the shop's SMS gateway. Codes: sms_unavailable.
func (a *Accounts) loadSMS(ctx context.Context) (SMS, error) {
	secrets, err := a.cfg.Secrets.State(ctx)
	if err != nil {
		return nil, err
	}
	callingCode, err := a.callingCode(ctx)
	if err != nil {
		return nil, err
	}
	key := smsKey{secrets, callingCode}
	c := a.sms.Load()
	if c == nil || c.key != key {
		c = &cachedSMS{key: key}
		config, err := a.findSMSConfig(ctx)
		switch {
		case err != nil && !errors.Is(err, ErrSMSNotConfigured):
			return nil, err
		case a.cfg.NewSMS == nil:
			c.err = ErrSMSNotConfigured
		default:
			c.sender, c.err = a.cfg.NewSMS(config, callingCode)
		}
		a.sms.Store(c)
	}
	if c.err != nil {
		return nil, smsUnavailable(c.err)
	}
	return c.sender, nil
}

// callingCode returns the calling code of the shop's country, "" if it has none.
func (a *Accounts) callingCode(ctx context.Context) (string, error) {
	set, err := a.cfg.Settings(ctx)
	if err != nil {
		return "", err
	}
	code, _ := phone.CallingCode(set.Country)
	return code, nil
}

// sendSMS sends one message. It continues if ctx is cancelled, so that the outcome becomes known.
// The error is an [ErrSMSUnknown] or, if nothing was sent, one of code sms_unavailable.
func (a *Accounts) sendSMS(ctx context.Context, sender SMS, to, text string) (messageID string, err error) {
	select {
	case a.sending <- struct{}{}:
		defer func() { <-a.sending }()
	default:
		a.cfg.Observer.MessageSent(SMSRefused)
		return "", smsUnavailable(errors.New("too many messages are being sent: the SMS gateway is slow"))
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), smsTimeout)
	defer cancel()
	messageID, err = sender.Send(ctx, to, text)
	switch {
	case err == nil:
		a.cfg.Observer.MessageSent(SMSAccepted)
	case errors.Is(err, ErrSMSUnknown):
		a.cfg.Observer.MessageSent(SMSUnknown)
	default:
		a.cfg.Observer.MessageSent(SMSRefused)
		return "", smsUnavailable(err)
	}
	return messageID, err
}

// smsRetrySeconds is the Retry-After of a message that was not sent.
const smsRetrySeconds = 30

func smsUnavailable(cause error) error {
	return &fault.Error{
		Code: fault.CodeSMSUnavailable, Err: cause, RetryAfter: smsRetrySeconds,
		Message: "The message could not be sent. Try again in a moment, or sign in with a password.",
	}
}

// shortName returns a shop's name, cut so that a message with it fits in one segment.
func shortName(name string) string {
	const limit = 30
	if runes := []rune(name); len(runes) > limit {
		return string(runes[:limit-1]) + "…"
	}
	return name
}
