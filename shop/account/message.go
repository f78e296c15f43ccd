package account

import (
	"context"
	"fmt"

	"storefront/shop/fault"
	"storefront/shop/input"
)

// SendText sends a text message to a phone number in E.164. It is for the program's own messages,
// whose budget the caller counts. The error is an [ErrSMSUnknown] or, if nothing was sent, one of
// code sms_unavailable.
func (a *Accounts) SendText(ctx context.Context, to, text string) (messageID string, err error) {
	sender, err := a.loadSMS(ctx)
	if err != nil {
		return "", err
	}
	if !sender.Reaches(to) {
		return "", smsUnavailable(fmt.Errorf("%w: the shop sends no messages to this country", ErrSMSRefused))
	}
	return a.sendSMS(ctx, sender, to, text)
}

// SendMail is SendText for e-mails. The error is an [ErrMailUnknown] or, if nothing was sent, one
// of code email_unavailable.
func (a *Accounts) SendMail(ctx context.Context, mail Email) (messageID string, err error) {
	mailer, err := a.loadMailer(ctx)
	if err != nil {
		return "", err
	}
	return a.sendMail(ctx, mailer, mail)
}

// SendTo sends an e-mail to an address or, if to is none, its text to a phone number in any common
// notation. Codes: validation_failed, sms_unavailable, email_unavailable.
func (a *Accounts) SendTo(ctx context.Context, to string, mail Email) (messageID string, err error) {
	if email, ok := input.ParseEmail(to); ok {
		mail.To, mail.Text = email, mail.Text+"\n"
		return a.SendMail(ctx, mail)
	}
	set, err := a.cfg.Settings(ctx)
	if err != nil {
		return "", err
	}
	var bad fault.Invalid
	phone := input.RequirePhone(&bad, "to", to, set.Country)
	if err := bad.Err(); err != nil {
		return "", err
	}
	return a.SendText(ctx, phone, mail.Text)
}
