package account

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"storefront/db"
	"storefront/shop/access"
	"storefront/shop/fault"
	"storefront/shop/input"
	"storefront/shop/onetime"
	"storefront/shop/sender"
)

// Limits of the one-time codes that sign a customer in.
const (
	OTPLifetime    = 5 * time.Minute
	MaxOTPAttempts = onetime.MaxAttempts
	otpDigits      = 4
)

// SendOTPInput is the input of [Accounts.SendOTP].
type SendOTPInput struct {
	PhoneNumber string `json:"phoneNumber" doc:"In any common notation; the shop's country is assumed"`
}

// OTPSent is the result of sending a code.
type OTPSent struct {
	Success       bool   `json:"success"`
	Message       string `json:"message" doc:"Text to show to the customer"`
	IsNewCustomer bool   `json:"isNewCustomer" doc:"No account has verified this phone number: send a name with the code"`
}

// SendOTP sends a code of four digits to a phone and invalidates the one sent before. The caller
// may be signed in, and then needs no name to attach a phone to the account.
//
// A hash of the code is stored before the message is sent, so that no transaction waits for the SMS
// gateway. If the gateway refuses the message, the stored code is deleted. If the outcome is
// unknown, as after a crash, the code is valid and counts as sent. Codes: validation_failed,
// rate_limited, sms_unavailable, work_required.
func (a *Accounts) SendOTP(ctx context.Context, caller access.Caller, in SendOTPInput) (*OTPSent, error) {
	set, err := a.cfg.Settings(ctx)
	if err != nil {
		return nil, err
	}
	var bad fault.Invalid
	phone := input.RequirePhone(&bad, "phoneNumber", in.PhoneNumber, set.Country)
	if err := bad.Err(); err != nil {
		return nil, err
	}
	who, err := a.IdentityOrGuest(ctx, caller)
	if err != nil {
		return nil, err
	}
	work, err := a.codeWork(ctx, caller)
	if err != nil {
		return nil, err
	}
	t, err := a.loadThrottles(ctx)
	if err != nil {
		return nil, err
	}
	if err := a.checkReach(ctx, phone); err != nil {
		return nil, err
	}
	code, err := onetime.Digits(a.cfg.Rand, otpDigits)
	if err != nil {
		return nil, err
	}
	language := cmp.Or(caller.Language, set.Language)
	text := codeText(language, set.Name, code, caller.PageHost)
	hashes, err := a.otpHashes(ctx)
	if err != nil {
		return nil, err
	}
	limits := otpLimits{throttles: t, kind: byPhone, contact: phone, client: caller.Client, segments: sender.Segments(text), work: work}
	isNew := false
	var row otpRow
	// Checked first without a write, so that refused requests cost little.
	err = a.cfg.Data.View(ctx, func(ctx context.Context, tx *db.Tx) error { return limits.check(tx) })
	if err != nil {
		return nil, err
	}
	err = a.cfg.Data.Update(ctx, func(ctx context.Context, tx *db.Tx) error {
		if err := limits.check(tx); err != nil {
			return err
		}
		if err := work.Use(tx); err != nil {
			return err
		}
		owners, err := findContactOwners(tx, byPhone, phone, who)
		if err != nil {
			return err
		}
		isNew = owners.isNewCustomer()
		row, err = a.insertOTP(tx, limits, hashes, code)
		return err
	})
	if err != nil {
		return nil, err
	}
	err = a.deliverCode(ctx, row, func() (messageID string, err error) {
		return a.cfg.Sender.SendText(ctx, phone, text)
	})
	if err != nil {
		return nil, err
	}
	return &OTPSent{Success: true, IsNewCustomer: isNew, Message: fmt.Sprintf(
		"A code was sent to the number that ends in %s. It is valid for %d minutes.", phone[len(phone)-2:], int(OTPLifetime/time.Minute))}, nil
}

// checkReach checks that the shop sends messages to a phone. Codes: sms_unavailable,
// validation_failed.
func (a *Accounts) checkReach(ctx context.Context, phone string) error {
	reaches, err := a.cfg.Sender.ReachesPhone(ctx, phone)
	if err != nil {
		return err
	}
	var bad fault.Invalid
	if !reaches {
		bad.Add("phoneNumber", fault.CodeInvalidValue,
			"The shop does not send codes to this country: use another number, or sign in with a password.")
	}
	return bad.Err()
}

// insertOTP stores a code to sign in with, and deletes old ones.
func (a *Accounts) insertOTP(tx *db.Tx, limits otpLimits, hashes onetime.Hashes, code string) (otpRow, error) {
	if err := byPhone.rules().DeleteOld(tx, tx.Now().Add(-otpDay)); err != nil {
		return otpRow{}, err
	}
	row := limits.newRow(a.cfg.IDs.Next(tx.Now()), forSignIn, tx.Now())
	hashes.Seal(&row.Code, code)
	return row, insertCode(tx, row, false)
}

// newRow returns a code within the limits, without its hash.
func (l otpLimits) newRow(id string, purpose string, now time.Time) otpRow {
	return otpRow{
		Code: onetime.Code{ID: id, Recipient: l.contact, Purpose: purpose, Client: l.clientKey(l.client), CreatedAt: now},
		kind: l.kind, network: l.networkKey(l.client), segments: l.segments,
	}
}

// deliverCode calls send, which sends the message of a stored code, and records the outcome.
func (a *Accounts) deliverCode(ctx context.Context, row otpRow, send func() (messageID string, err error)) error {
	messageID, sendErr := send()
	isUnknown, codes := sender.IsUnknown(sendErr), row.kind.rules()
	// The outcome is recorded even if the caller has disconnected.
	err := a.cfg.Data.Update(context.WithoutCancel(ctx), func(ctx context.Context, tx *db.Tx) error {
		switch {
		case sendErr == nil:
			return codes.SaveState(tx, row.ID, onetime.Sent, messageID)
		case isUnknown:
			return codes.SaveState(tx, row.ID, onetime.Unknown, "")
		}
		return codes.Delete(tx, row.ID)
	})
	if isUnknown {
		sendErr = nil
	}
	return errors.Join(sendErr, err)
}

// otpHashes returns the hashes of codes.
func (a *Accounts) otpHashes(ctx context.Context) (onetime.Hashes, error) {
	keys, err := a.cfg.Secrets.Keys(ctx)
	if err != nil {
		return onetime.Hashes{}, err
	}
	return onetime.NewHashes(keys.OTP), nil
}
