package account

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"
	"unicode"

	"storefront/db"
	"storefront/shop/access"
	"storefront/shop/fault"
	"storefront/shop/input"
	"storefront/shop/phone"
)

// NewSMS creates a shop's SMS gateway from the configuration passed to [Accounts.ConfigureSMS], or
// from nil if there is none; the error is then [ErrSMSNotConfigured], unless none is needed.
// callingCode is the calling code of the shop's country, "" if it has none.
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

// ConfigureSMS sets the configuration of the shop's SMS gateway; nil removes it. It contains
// credentials and is stored sealed. An invalid configuration returns the error of [NewSMS]. Codes:
// unauthenticated, forbidden.
func (a *Accounts) ConfigureSMS(ctx context.Context, caller access.Caller, config []byte) error {
	who, err := a.cfg.Data.Authorize(ctx, caller, access.ToConfigureSMS)
	if err != nil {
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
	return a.replaceConfig(ctx, who, smsSecret, access.SubjectSMS, config)
}

// SMSConfig returns the configuration, including credentials, which no response may contain. The
// error is [ErrSMSNotConfigured] if there is none. Codes: unauthenticated, forbidden.
func (a *Accounts) SMSConfig(ctx context.Context, caller access.Caller) ([]byte, error) {
	if _, err := a.cfg.Data.Authorize(ctx, caller, access.ToSMSConfig); err != nil {
		return nil, err
	}
	config, err := a.findConfig(ctx, smsSecret)
	if errors.Is(err, db.ErrNotFound) {
		return nil, ErrSMSNotConfigured
	}
	return config, err
}

// HasSMS reports whether the shop has an SMS gateway.
func (a *Accounts) HasSMS(tx *db.Tx) (bool, error) {
	_, err := a.cfg.Secrets.Find(tx, smsSecret)
	if errors.Is(err, db.ErrNotFound) {
		return false, nil
	}
	return err == nil, err
}

// SendTestSMS sends a message with the shop's name and returns the gateway's ID of it. It costs as
// much as any message and counts towards no limit but [LimitTests]. Codes: unauthenticated,
// forbidden, validation_failed, rate_limited, sms_unavailable.
func (a *Accounts) SendTestSMS(ctx context.Context, caller access.Caller, phoneNumber string) (messageID string, err error) {
	who, err := a.cfg.Data.Authorize(ctx, caller, access.ToSendTestSMS)
	if err != nil {
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
	err = a.cfg.Data.UpdateAs(ctx, who, func(_ context.Context, tx *db.Tx) error {
		if err := LimitTests(tx, access.ToSendTestSMS); err != nil {
			return err
		}
		return who.Audit(tx, access.Subject{Kind: access.SubjectSMS})
	})
	if err != nil {
		return "", err
	}
	texts := smsTexts(set.Language)
	return a.sendSMS(ctx, sender, to, texts.compose(texts.test, set.Name))
}

// loadSMS returns the shop's SMS gateway. Codes: sms_unavailable.
func (a *Accounts) loadSMS(ctx context.Context) (SMS, error) {
	callingCode, err := a.callingCode(ctx)
	if err != nil {
		return nil, err
	}
	sender, missing, err := a.sms.load(ctx, a, smsSecret, callingCode, func(config []byte) (SMS, error) {
		if a.cfg.NewSMS == nil {
			return nil, ErrSMSNotConfigured
		}
		return a.cfg.NewSMS(config, callingCode)
	})
	if missing != nil {
		return nil, smsUnavailable(missing)
	}
	return sender, err
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
	release, ok := acquireSlot(a.sending)
	if !ok {
		a.cfg.Observer.MessageSent(SMSRefused)
		return "", smsUnavailable(errors.New("too many messages are being sent: the SMS gateway is slow"))
	}
	defer release()
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), smsTimeout)
	defer cancel()
	messageID, err = sender.Send(ctx, to, SMSText(text))
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

// NameIn returns the part of a shop's name that is in a language, if the name is in both, such as
// "Demo Shop — ডেমো শপ". Otherwise it returns the whole name.
func NameIn(language Language, name string) string {
	parts := strings.Split(name, " — ")
	bangla := func(part string) bool {
		return strings.ContainsFunc(part, func(r rune) bool { return unicode.Is(unicode.Bengali, r) })
	}
	if len(parts) != 2 || bangla(parts[0]) == bangla(parts[1]) {
		return name
	}
	if bangla(parts[0]) == (language == Bangla) {
		return parts[0]
	}
	return parts[1]
}
