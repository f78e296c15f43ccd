package sender

import (
	"context"
	"errors"

	"storefront/db"
	"storefront/shop/access"
	"storefront/shop/fault"
	"storefront/shop/input"
	"storefront/shop/phone"
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
	// ErrSMSRefused means that nothing was sent: the gateway refused the message or was not
	// reached.
	ErrSMSRefused = errors.New("the message was not sent")
	// ErrSMSUnknown means that the gateway's response is missing or unclear: the message may arrive
	// and may be billed.
	ErrSMSUnknown = errors.New("the message may or may not have been sent")
)

// NewSMS creates a shop's SMS gateway from the configuration passed to [Sender.ConfigureSMS], or
// from nil if there is none; the error is then [ErrSMSNotConfigured], unless none is needed.
// callingCode is the calling code of the shop's country, "" if it has none.
type NewSMS func(config []byte, callingCode string) (SMS, error)

// ErrSMSNotConfigured means that the shop has no SMS gateway.
var ErrSMSNotConfigured = errors.New("the shop has no SMS gateway")

func newSMSChannel(cfg Config) *channel[SMS] {
	return newChannel(cfg, kind[SMS]{
		name: "SMS", secret: "sms", subject: access.SubjectSMS,
		toConfigure: access.ToConfigureSMS, toRead: access.ToSMSConfig, toTest: access.ToSendTestSMS,
		limitTests: true, of: func(s *Sender) *channel[SMS] { return s.sms },
		create: cfg.NewSMS,
		setting: func(set Settings) string {
			callingCode, _ := phone.CallingCode(set.Country)
			return callingCode
		},
		notConfigured: ErrSMSNotConfigured, unknown: ErrSMSUnknown,
		busy:    errors.New("too many messages are being sent: the SMS gateway is slow"),
		code:    fault.CodeSMSUnavailable,
		message: "The message could not be sent. Try again in a moment, or sign in with a password.",
		observe: cfg.Observer.MessageSent,
	})
}

// ConfigureSMS sets the configuration of the shop's SMS gateway; nil removes it. It contains
// credentials and is stored sealed. An invalid configuration returns the error of [NewSMS]. Codes:
// unauthenticated, forbidden.
func (s *Sender) ConfigureSMS(ctx context.Context, caller access.Caller, config []byte) error {
	return s.sms.configure(ctx, caller, config)
}

// SMSConfig returns the configuration, including credentials, which no response may contain. The
// error is [ErrSMSNotConfigured] if there is none. Codes: unauthenticated, forbidden.
func (s *Sender) SMSConfig(ctx context.Context, caller access.Caller) ([]byte, error) {
	return s.sms.config(ctx, caller)
}

// HasSMS reports whether the shop has configured an SMS gateway.
func (s *Sender) HasSMS(tx *db.Tx) (bool, error) {
	return s.sms.Secrets.Has(tx, s.sms.secret)
}

// ReachesPhone reports whether the shop's SMS gateway sends messages to a phone number in E.164.
// Codes: sms_unavailable.
func (s *Sender) ReachesPhone(ctx context.Context, to string) (bool, error) {
	gateway, err := s.sms.load(ctx)
	if err != nil {
		return false, err
	}
	return gateway.Reaches(to), nil
}

// SendTestSMS sends a message with the shop's name and returns the gateway's ID of it. It costs as
// much as any message and counts towards no limit but [LimitTests]. Codes: unauthenticated,
// forbidden, validation_failed, rate_limited, sms_unavailable.
func (s *Sender) SendTestSMS(
	ctx context.Context, caller access.Caller, phoneNumber string,
) (messageID string, err error) {
	check := func(bad *fault.Invalid, set Settings) string {
		return input.RequirePhone(bad, "phoneNumber", phoneNumber, set.Country)
	}
	return s.sms.sendTest(ctx, caller, check,
		func(ctx context.Context, gateway SMS, to string, set Settings) (string, error) {
			text := Compose(set.Language, testTexts(set.Language).sms, set.Name)
			return gateway.Send(ctx, to, Plain(text))
		})
}
