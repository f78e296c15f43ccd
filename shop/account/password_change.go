package account

import (
	"context"
	"errors"
	"fmt"
	"io"

	"storefront/db"
	"storefront/shop/access"
	"storefront/shop/fault"
	"storefront/shop/password"
	"storefront/shop/sequence"
)

// ChangePasswordInput sets a new password.
type ChangePasswordInput struct {
	CurrentPassword *string `json:"currentPassword,omitempty" doc:"Not needed for an account that has no password to sign in with"`
	NewPassword     string  `json:"newPassword" doc:"8 to 256 characters"`
}

// ChangePassword sets the password of the caller's account and ends all tokens made before; the
// answer has a fresh one. Codes: validation_failed, password_rejected, invalid_credentials (the
// current password is wrong), rate_limited, unauthenticated, token_expired, token_invalid.
func (a *Accounts) ChangePassword(ctx context.Context, caller access.Caller, in ChangePasswordInput) (*AuthPayload, error) {
	who, err := a.RequireIdentity(ctx, caller)
	if err != nil {
		return nil, err
	}
	set, err := a.cfg.Settings(ctx)
	if err != nil {
		return nil, err
	}
	keys, err := a.cfg.Secrets.Keys(ctx)
	if err != nil {
		return nil, err
	}
	guess, err := a.newPasswordAttempt(ctx, caller, "id:"+who.customerID)
	if err != nil {
		return nil, err
	}
	var row Account
	err = a.view(ctx, func(ctx context.Context, tx *db.Tx) (err error) {
		if row, err = who.Customer(tx); err != nil {
			return err
		}
		return guess.check(tx)
	})
	if err != nil {
		return nil, err
	}
	if err := in.check(row, set.Country); err != nil {
		return nil, err
	}
	if row.HasPassword() {
		right, err := guess.verify(ctx, *in.CurrentPassword, *row.passwordHash)
		if err != nil {
			return nil, err
		}
		if !right {
			return nil, fault.Errorf(fault.CodeInvalidCredentials, "The current password is wrong.")
		}
	}
	hash, err := a.cfg.Hasher.Hash(ctx, in.NewPassword)
	if err != nil {
		return nil, err
	}
	var user Customer
	err = a.update(ctx, func(ctx context.Context, tx *db.Tx) (err error) {
		// Whatever changes a password ends the token, so it is still the one that was checked.
		if row, err = who.Customer(tx); err != nil {
			return err
		}
		if err := setPassword(tx, &row, hash); err != nil {
			return err
		}
		user, err = row.View(tx)
		return err
	})
	if err != nil {
		return nil, err
	}
	return a.authPayload(keys, row, user)
}

func (in ChangePasswordInput) check(row Account, country string) error {
	var bad fault.Invalid
	if row.HasPassword() && db.TextOf(in.CurrentPassword) == "" {
		bad.Add("currentPassword", fault.CodeRequired, "Give your current password.")
	}
	password.Check(&bad, "newPassword", in.NewPassword, password.Owner{
		Name: row.name, Email: db.TextOf(row.email), Phone: db.TextOf(row.phone), Country: country,
	})
	return bad.Err()
}

// ResetPassword gives an account a password that nobody knows but the one who is told it now, and
// ends all its tokens: for the shop's staff, when a customer without a phone has forgotten theirs.
// account is an id, an e-mail address or a phone number. Codes: not_found.
func (a *Accounts) ResetPassword(ctx context.Context, caller access.Caller, account string) (password string, err error) {
	if err := a.cfg.Authorize(ctx, caller); err != nil {
		return "", err
	}
	set, err := a.cfg.Settings(ctx)
	if err != nil {
		return "", err
	}
	if password, err = a.randomPassword(); err != nil {
		return "", err
	}
	hash, err := a.cfg.Hasher.Hash(ctx, password)
	if err != nil {
		return "", err
	}
	err = a.update(ctx, func(ctx context.Context, tx *db.Tx) error {
		row, err := Find(tx, account, set.Country)
		if err != nil {
			return err
		}
		return setPassword(tx, &row, hash)
	})
	return password, err
}

// randomPassword gives 80 random bits in groups that are easy to read out.
func (a *Accounts) randomPassword() (string, error) {
	b := make([]byte, 16)
	if _, err := io.ReadFull(a.cfg.Rand, b); err != nil {
		return "", fmt.Errorf("make password: %w", err)
	}
	var text []byte
	for i, c := range b {
		if i > 0 && i%4 == 0 {
			text = append(text, '-')
		}
		text = append(text, sequence.Crockford[c&31])
	}
	return string(text), nil
}

// Find finds an account by id, e-mail address or phone number. Codes: not_found.
func Find(tx *db.Tx, account, country string) (Account, error) {
	row, err := findCustomer(tx, account)
	if errors.Is(err, db.ErrNotFound) {
		row, err = findCustomerByUser(tx, account, country)
	}
	if errors.Is(err, db.ErrNotFound) {
		return Account{}, fault.Errorf(fault.CodeNotFound, "There is no such customer.")
	}
	return row, err
}
