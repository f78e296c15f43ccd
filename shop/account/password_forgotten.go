package account

import (
	"context"
	"errors"
	"strings"

	"storefront/db"
	"storefront/shop/access"
	"storefront/shop/fault"
	"storefront/shop/input"
	"storefront/shop/onetime"
	"storefront/shop/password"
	"storefront/shop/secret"
)

// RequestPasswordReset sends a code for setting a new password to the owner of an e-mail address.
// Nothing is sent to an address without an account. The response is the same and is returned before
// the e-mail is sent, so that neither text nor time reveals accounts. Codes: validation_failed,
// rate_limited, email_unavailable (the shop sends no e-mails), work_required.
func (a *Accounts) RequestPasswordReset(ctx context.Context, caller access.Caller, in EmailCodeInput) (*EmailCodeSent, error) {
	c, err := a.newEmailCode(ctx, caller, in.Email, forReset)
	if err != nil {
		return nil, err
	}
	if err := c.store(ctx); err != nil {
		return nil, err
	}
	// The outcome is in the table, and the observer counts it: the customer requests another code.
	go func() { _ = c.deliver(context.WithoutCancel(ctx)) }()
	return &EmailCodeSent{
		Success: true, Message: "If this e-mail address has an account, a code to set a new password was sent to it.",
	}, nil
}

// isRecoverable reports whether the owner of an e-mail address can set the password of an account:
// the account must have verified the address, or have no verified contact at all.
func isRecoverable(tx *db.Tx, email string) (bool, error) {
	row, err := findCustomerByEmail(tx, email)
	if errors.Is(err, db.ErrNotFound) {
		return false, nil
	}
	return err == nil && (row.isVerified(byEmail) || !row.isVerified(byPhone)), err
}

// ResetPasswordInput is the input of [Accounts.ResetForgottenPassword].
type ResetPasswordInput struct {
	Email       string `json:"email" doc:"The e-mail address that the code was sent to"`
	Code        string `json:"code" doc:"The six digits"`
	NewPassword string `json:"newPassword" doc:"8 to 256 characters"`
}

// ResetForgottenPassword verifies an e-mail address by a code, sets the password of its account,
// revokes all tokens, removes all passkeys and signs in: somebody else may have signed in and added
// a passkey.
//
// If the account had not verified the address, its creator may not be the owner: the owner gets an
// account with only the name and the orders with that address. A rejected password does not use up
// the code. Codes: validation_failed, password_rejected, otp_invalid, rate_limited.
func (a *Accounts) ResetForgottenPassword(ctx context.Context, caller access.Caller, in ResetPasswordInput) (*AuthPayload, error) {
	r, err := a.newPasswordReset(ctx, caller, in)
	if err != nil {
		return nil, err
	}
	var row Account
	var correct bool
	// Checked first without a write and a hash, so that refused requests cost little.
	err = a.cfg.Data.View(ctx, func(_ context.Context, tx *db.Tx) (err error) {
		row, _, correct, err = r.find(tx)
		return err
	})
	if err != nil {
		return nil, err
	}
	hash := ""
	if correct {
		if err := checkNewPassword(in.NewPassword, row, r.country); err != nil {
			return nil, err
		}
		if hash, err = a.cfg.Hasher.Hash(ctx, a.hashUse(caller, false), in.NewPassword); err != nil {
			return nil, err
		}
	}
	var user Customer
	err = a.updateOrRefuse(ctx, func(tx *db.Tx) (refusal, err error) {
		var code onetime.Code
		row, code, correct, err = r.find(tx)
		if err != nil {
			return nil, err
		}
		if !correct || hash == "" {
			return onetime.ErrInvalid(), r.countWrong(tx, code)
		}
		if err := code.Use(tx); err != nil {
			return nil, err
		}
		if row, err = r.open(tx, row); err != nil {
			return nil, err
		}
		if err := setPassword(tx, &row, hash); err != nil {
			return nil, err
		}
		if err := removePasskeys(tx, row.id); err != nil {
			return nil, err
		}
		if err := saveKnownClient(tx, row.id, r.limits.knownClient(row.id, caller.Client)); err != nil {
			return nil, err
		}
		user, err = row.View(tx)
		return nil, err
	})
	if err != nil {
		return nil, err
	}
	a.notifyOwner(ctx, row, passwordChanged)
	return a.authPayload(r.keys, row, user, a.cfg.Now())
}

// passwordReset is one attempt at a code to set a password.
type passwordReset struct {
	codeAttempt
	accounts *Accounts
	keys     *secret.Keys
	country  string
}

func (a *Accounts) newPasswordReset(ctx context.Context, caller access.Caller, in ResetPasswordInput) (r passwordReset, err error) {
	var bad fault.Invalid
	email := input.RequireEmail(&bad, "email", in.Email)
	code := requireEmailCode(&bad, in.Code)
	set, err := a.cfg.Settings(ctx)
	if err != nil {
		return r, err
	}
	password.Check(&bad, "newPassword", in.NewPassword, password.Owner{Email: email, Country: set.Country})
	if err := bad.Err(); err != nil {
		return r, err
	}
	r.accounts, r.country = a, set.Country
	if r.keys, err = a.cfg.Secrets.Keys(ctx); err != nil {
		return r, err
	}
	r.codeAttempt, err = a.newCodeAttempt(ctx, caller, byEmail, email, code)
	r.purpose = forReset
	return r, err
}

// find compares the code and returns the account that it recovers. Without such an account the code
// is wrong. Codes: rate_limited.
func (r passwordReset) find(tx *db.Tx) (row Account, code onetime.Code, correct bool, err error) {
	code, correct, err = r.compare(tx)
	if err != nil {
		return Account{}, code, false, err
	}
	if !correct {
		return Account{}, code, false, nil
	}
	recoverable, err := isRecoverable(tx, r.contact)
	if err != nil {
		return Account{}, code, false, err
	}
	if !recoverable {
		return Account{}, code, false, nil
	}
	row, err = findCustomerByEmail(tx, r.contact)
	return row, code, err == nil, err
}

// open returns the account with the password to be set by the owner of the e-mail address. If
// somebody else may have created it, none of their data remains, and its name is derived from the
// address.
func (r passwordReset) open(tx *db.Tx, row Account) (Account, error) {
	if !row.isVerified(byEmail) {
		name, _, _ := strings.Cut(r.contact, "@")
		var err error
		if row, err = r.accounts.newOwner(tx, byEmail, r.contact, name, row); err != nil {
			return Account{}, err
		}
	}
	return row, r.accounts.attachOrders(tx, byEmail, row.id, r.contact)
}

// checkNewPassword checks a password against the data of the account. Codes: validation_failed,
// password_rejected.
func checkNewPassword(text string, row Account, country string) error {
	var bad fault.Invalid
	password.Check(&bad, "newPassword", text, password.Owner{
		Name: row.name, Email: db.TextOf(row.email), Phone: db.TextOf(row.phone), Country: country,
	})
	return bad.Err()
}
