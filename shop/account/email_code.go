package account

import (
	"cmp"
	"context"
	"fmt"
	"time"

	"storefront/db"
	"storefront/shop/access"
	"storefront/shop/fault"
	"storefront/shop/input"
	"storefront/shop/onetime"
	"storefront/shop/passkey"
	"storefront/shop/sender"
)

// Limits of the one-time codes that are sent by e-mail.
const (
	EmailCodeLifetime = 15 * time.Minute
	emailCodeDigits   = 6
)

// EmailCodeInput is the input of [Accounts.SendEmailCode].
type EmailCodeInput struct {
	Email string `json:"email"`
}

// EmailCodeSent is the result of sending a code by e-mail, the same for every address.
type EmailCodeSent struct {
	Success bool   `json:"success"`
	Message string `json:"message" doc:"Text to show to the customer"`
}

// SendEmailCode sends a code of six digits to an e-mail address and invalidates the one sent
// before. The response does not depend on whether the address has an account. Codes:
// validation_failed, rate_limited, email_unavailable, work_required.
func (a *Accounts) SendEmailCode(ctx context.Context, caller access.Caller, in EmailCodeInput) (*EmailCodeSent, error) {
	c, err := a.newEmailCode(ctx, caller, in.Email, forSignIn)
	if err != nil {
		return nil, err
	}
	if err := c.store(ctx); err != nil {
		return nil, err
	}
	if err := c.deliver(ctx); err != nil {
		return nil, err
	}
	return &EmailCodeSent{Success: true, Message: fmt.Sprintf(
		"A code was sent to %s. It is valid for %d minutes.", c.limits.contact, int(EmailCodeLifetime/time.Minute))}, nil
}

// emailCode is a code to be sent by e-mail.
type emailCode struct {
	accounts *Accounts
	limits   otpLimits
	work     WorkProof
	hashes   onetime.Hashes
	code     string
	mail     sender.Email
	purpose  string
	row      otpRow // after store
	withheld bool   // after store; nothing is to be sent
}

// newEmailCode checks the request for a code. It checks the limits without a write, so that refused
// requests cost little. Codes: validation_failed, rate_limited, email_unavailable, work_required.
func (a *Accounts) newEmailCode(ctx context.Context, caller access.Caller, address string, purpose string) (*emailCode, error) {
	var bad fault.Invalid
	email := input.RequireEmail(&bad, "email", address)
	if err := bad.Err(); err != nil {
		return nil, err
	}
	set, err := a.cfg.Settings(ctx)
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
	if err := a.cfg.Sender.CheckMail(ctx); err != nil {
		return nil, err
	}
	code, err := onetime.Digits(a.cfg.Rand, emailCodeDigits)
	if err != nil {
		return nil, err
	}
	hashes, err := a.otpHashes(ctx)
	if err != nil {
		return nil, err
	}
	c := &emailCode{
		accounts: a, work: work, hashes: hashes, code: code,
		limits:  otpLimits{throttles: t, kind: byEmail, contact: email, client: caller.Client, segments: 1, work: work},
		mail:    mailTexts(cmp.Or(caller.Language, set.Language)).code(email, set.Name, code, purpose),
		purpose: purpose,
	}
	return c, a.cfg.Data.View(ctx, func(_ context.Context, tx *db.Tx) error { return c.checkLimits(tx) })
}

// store stores the hash of the code, before the e-mail is sent. Conditions that depend on the owner
// of the address withhold the e-mail without an error, because a response would reveal who has an
// account: a missing account when a password is to be set, and the part of the budget reserved for
// customers. Codes: rate_limited, work_required.
func (c *emailCode) store(ctx context.Context) error {
	return c.accounts.cfg.Data.Update(ctx, func(_ context.Context, tx *db.Tx) error {
		if err := c.checkLimits(tx); err != nil {
			return err
		}
		if err := c.work.Use(tx); err != nil {
			return err
		}
		if err := byEmail.rules().DeleteOld(tx, tx.Now().Add(-otpDay)); err != nil {
			return err
		}
		allowed, err := c.isAllowed(tx)
		if err != nil {
			return err
		}
		c.withheld = !allowed
		c.row = c.limits.newRow(c.accounts.cfg.IDs.Next(tx.Now()), c.purpose, tx.Now())
		c.hashes.Seal(&c.row.Code, c.code)
		return insertCode(tx, c.row, c.withheld)
	})
}

// checkLimits checks the limits that do not depend on the owner of the address. If the budget of
// unknown addresses is used up, every request needs a proof of work. Codes: rate_limited,
// work_required.
func (c *emailCode) checkLimits(tx *db.Tx) error {
	if err := c.limits.checkContact(tx); err != nil {
		return err
	}
	if err := c.limits.checkBudget(tx, true); err != nil {
		return err
	}
	isKnownClient, err := c.limits.isKnownClient(tx)
	if err != nil {
		return err
	}
	if isKnownClient {
		return nil
	}
	return c.limits.checkWork(tx)
}

// isAllowed reports whether the e-mail is to be sent: within the budget of unknown addresses if
// nobody has verified the address and, to set a password, only if the address has an account.
func (c *emailCode) isAllowed(tx *db.Tx) (bool, error) {
	known, err := c.limits.isKnown(tx)
	if err != nil {
		return known, err
	}
	if known {
		return known, nil
	}
	err = c.limits.checkBudget(tx, false)
	switch {
	case fault.HasCode(err, fault.CodeRateLimited):
		return false, nil
	case err != nil:
		return false, err
	case c.purpose == forSignIn:
		return true, nil
	}
	return isRecoverable(tx, c.limits.contact)
}

// deliver sends the e-mail unless it is withheld, and records the outcome. Codes:
// email_unavailable.
func (c *emailCode) deliver(ctx context.Context) error {
	if c.withheld {
		return nil
	}
	return c.accounts.deliverCode(ctx, c.row, func() (messageID string, err error) {
		return c.accounts.cfg.Sender.SendMail(ctx, c.mail)
	})
}

// VerifyEmailInput is the input of [Accounts.VerifyEmail].
type VerifyEmailInput struct {
	Email          string             `json:"email" doc:"The e-mail address that the code was sent to"`
	Code           string             `json:"code" doc:"The six digits"`
	Name           *string            `json:"name,omitempty" doc:"Required if no account has verified this e-mail address yet"`
	Password       *string            `json:"password,omitempty" doc:"The caller's if its address changes, else of the account that has it unverified"`
	CurrentCode    *string            `json:"currentCode,omitempty" doc:"A code sent to a verified contact of that account, instead"`
	CurrentPasskey *passkey.Assertion `json:"currentPasskey,omitempty" doc:"A proof by a passkey instead; see beginPasskeyProof"`
}

// VerifyEmail signs in with a code that was sent to an e-mail address, as [Accounts.VerifyOTP] does
// for a phone. It verifies the address of a signed-in caller, signs in to the account that has
// verified it, or creates one. Guests' orders with the address become the account's. So do the
// orders of an account that loses the address and has no verified phone. Codes: as for VerifyOTP.
func (a *Accounts) VerifyEmail(ctx context.Context, caller access.Caller, in VerifyEmailInput) (*AuthPayload, error) {
	var bad fault.Invalid
	email := input.RequireEmail(&bad, "email", in.Email)
	code := requireEmailCode(&bad, in.Code)
	checkCurrentCode(&bad, in.CurrentCode)
	if err := bad.Err(); err != nil {
		return nil, err
	}
	return a.verifyContact(ctx, caller, contactProof{
		kind: byEmail, contact: email, code: code, name: in.Name, password: in.Password, currentCode: in.CurrentCode,
		currentPasskey: in.CurrentPasskey,
	})
}

// requireEmailCode returns a code of six digits in ASCII.
func requireEmailCode(bad *fault.Invalid, code string) string {
	if input.IsBlank(&code) {
		bad.Add("code", fault.CodeRequired, "The code of six digits that was sent to the e-mail address is required.")
	}
	return checkCode(bad, "code", &code, emailCodeDigits)
}
