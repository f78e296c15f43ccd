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
	"storefront/shop/secret"
)

// NewSMS makes a shop's sender from its configuration as [Shop.ConfigureSMS] was given it, or from
// nil where there is none: the error is then [ErrSMSNotConfigured], unless messages need none.
type NewSMS func(config []byte) (SMS, error)

// ErrSMSNotConfigured means that nobody has said how the shop's text messages are sent.
var ErrSMSNotConfigured = errors.New("the shop has no SMS gateway")

const (
	smsSecret = "sms" // name of the configuration in the table secrets
	// smsTimeout bounds one sending from outside of the adapter, which has a shorter bound of its own.
	smsTimeout = 40 * time.Second
	// maxSending bounds the messages of one shop under way at once: a gateway that hangs takes no
	// more than that.
	maxSending = 32
)

// cachedSMS is the shop's sender with the state of the file that it was made from.
type cachedSMS struct {
	key    secret.State
	sender SMS // nil: none, err says why
	err    error
}

// ConfigureSMS sets how the shop's text messages are sent; nil removes it. The configuration holds
// a gateway's credentials and is kept sealed. The error of one that can not be used is NewSMS's own.
func (a *Accounts) ConfigureSMS(ctx context.Context, caller access.Caller, config []byte) error {
	if err := a.cfg.Authorize(ctx, caller); err != nil {
		return err
	}
	if config != nil && a.cfg.NewSMS != nil {
		if _, err := a.cfg.NewSMS(config); err != nil {
			return fmt.Errorf("configure SMS: %w", err)
		}
	}
	return a.cfg.Secrets.Replace(ctx, smsSecret, config)
}

// SMSConfig gives the configuration, credentials included. The error is [ErrSMSNotConfigured] where
// there is none.
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

// SendTestSMS sends a message that says whose it is, and gives the gateway's name for it. It costs
// what any message costs and counts for nobody. Codes: validation_failed, sms_unavailable.
func (a *Accounts) SendTestSMS(ctx context.Context, caller access.Caller, phoneNumber string) (messageID string, err error) {
	if err := a.cfg.Authorize(ctx, caller); err != nil {
		return "", err
	}
	set, err := a.cfg.Settings(ctx)
	if err != nil {
		return "", err
	}
	var bad fault.Invalid
	phone := input.RequirePhone(&bad, "phoneNumber", phoneNumber, set.Country)
	if err := bad.Err(); err != nil {
		return "", err
	}
	sender, err := a.loadSMS(ctx)
	if err != nil {
		return "", err
	}
	return a.sendSMS(ctx, sender, phone, "A test message of "+shortName(set.Name)+".")
}

// loadSMS gives the shop's sender. Codes: sms_unavailable.
func (a *Accounts) loadSMS(ctx context.Context) (SMS, error) {
	key, err := a.cfg.Secrets.State(ctx)
	if err != nil {
		return nil, err
	}
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
			c.sender, c.err = a.cfg.NewSMS(config)
		}
		a.sms.Store(c)
	}
	if c.err != nil {
		return nil, smsUnavailable(c.err)
	}
	return c.sender, nil
}

// sendSMS sends one message, and goes on when the one who asked no longer waits: half a sending is
// worse than a late one. The error is nil, an [ErrSMSUnknown] or, where surely nothing was sent,
// one of code sms_unavailable.
func (a *Accounts) sendSMS(ctx context.Context, sender SMS, phone, text string) (messageID string, err error) {
	select {
	case a.sending <- struct{}{}:
		defer func() { <-a.sending }()
	default:
		a.cfg.Observer.MessageSent(SMSRefused)
		return "", smsUnavailable(errors.New("too many messages are under way: the gateway is slow"))
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), smsTimeout)
	defer cancel()
	messageID, err = sender.Send(ctx, phone, text)
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

// smsRetrySeconds is when trying again may make sense after a refusal.
const smsRetrySeconds = 30

func smsUnavailable(cause error) error {
	return &fault.Error{
		Code: fault.CodeSMSUnavailable, Err: cause, RetryAfter: smsRetrySeconds,
		Message: "No message could be sent. Try again in a moment, or sign in with a password.",
	}
}

// shortName is a shop's name cut so that a message with it stays one message.
func shortName(name string) string {
	const most = 30
	if runes := []rune(name); len(runes) > most {
		return string(runes[:most-1]) + "…"
	}
	return name
}
