package shop

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
func (s *Shop) ChangePassword(ctx context.Context, caller access.Caller, in ChangePasswordInput) (*AuthPayload, error) {
	who, err := s.requireIdentity(ctx, caller)
	if err != nil {
		return nil, err
	}
	set, err := s.loadSettings(ctx)
	if err != nil {
		return nil, err
	}
	keys, err := s.secrets.Keys(ctx)
	if err != nil {
		return nil, err
	}
	guess, err := s.newPasswordAttempt(ctx, caller, "id:"+who.customerID)
	if err != nil {
		return nil, err
	}
	var row customerRow
	err = s.view(ctx, func(ctx context.Context, tx *db.Tx) (err error) {
		if row, err = who.customer(tx); err != nil {
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
	if row.hasPassword() {
		right, err := guess.verify(ctx, *in.CurrentPassword, *row.passwordHash)
		if err != nil {
			return nil, err
		}
		if !right {
			return nil, fault.Errorf(fault.CodeInvalidCredentials, "The current password is wrong.")
		}
	}
	hash, err := s.hasher.Hash(ctx, in.NewPassword)
	if err != nil {
		return nil, err
	}
	var user Customer
	err = s.update(ctx, func(ctx context.Context, tx *db.Tx) (err error) {
		// Whatever changes a password ends the token, so it is still the one that was checked.
		if row, err = who.customer(tx); err != nil {
			return err
		}
		if err := setPassword(tx, &row, hash); err != nil {
			return err
		}
		user, err = customerView(tx, row)
		return err
	})
	if err != nil {
		return nil, err
	}
	return s.authPayload(keys, row, user)
}

func (in ChangePasswordInput) check(row customerRow, country string) error {
	var bad fault.Invalid
	if row.hasPassword() && db.TextOf(in.CurrentPassword) == "" {
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
func (s *Shop) ResetPassword(ctx context.Context, caller access.Caller, account string) (password string, err error) {
	if err := s.requireAdmin(ctx, caller); err != nil {
		return "", err
	}
	set, err := s.loadSettings(ctx)
	if err != nil {
		return "", err
	}
	if password, err = s.randomPassword(); err != nil {
		return "", err
	}
	hash, err := s.hasher.Hash(ctx, password)
	if err != nil {
		return "", err
	}
	err = s.update(ctx, func(ctx context.Context, tx *db.Tx) error {
		row, err := findAccount(tx, account, set.Country)
		if err != nil {
			return err
		}
		return setPassword(tx, &row, hash)
	})
	return password, err
}

// randomPassword gives 80 random bits in groups that are easy to read out.
func (s *Shop) randomPassword() (string, error) {
	b := make([]byte, 16)
	if _, err := io.ReadFull(s.rand, b); err != nil {
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

// findAccount finds an account by id, e-mail address or phone number. Codes: not_found.
func findAccount(tx *db.Tx, account, country string) (customerRow, error) {
	row, err := findCustomer(tx, account)
	if errors.Is(err, db.ErrNotFound) {
		row, err = findCustomerByUser(tx, account, country)
	}
	if errors.Is(err, db.ErrNotFound) {
		return customerRow{}, fault.Errorf(fault.CodeNotFound, "There is no such customer.")
	}
	return row, err
}
