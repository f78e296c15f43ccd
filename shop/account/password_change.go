package account

import (
	"context"
	"errors"

	"storefront/db"
	"storefront/shop/access"
	"storefront/shop/fault"
	"storefront/shop/input"
	"storefront/shop/passkey"
	"storefront/shop/password"
)

// ChangePasswordInput is the input of [Accounts.ChangePassword].
type ChangePasswordInput struct {
	CurrentPassword *string            `json:"currentPassword,omitempty" doc:"If the account has a password"`
	CurrentCode     *string            `json:"currentCode,omitempty" doc:"A code sent to a verified contact instead; required to set a first password"`
	CurrentPasskey  *passkey.Assertion `json:"currentPasskey,omitempty" doc:"A proof by a passkey instead; see beginPasskeyProof"`
	NewPassword     string             `json:"newPassword" doc:"8 to 256 characters"`
}

// ChangePassword sets the password of the caller's account, revokes all its tokens and returns a
// new one. It requires re-authentication, with a code if the account has no password; the owner is
// then notified at the verified contacts. Codes: validation_failed, password_rejected,
// invalid_credentials (the current password is wrong), otp_invalid, reauthentication_required,
// rate_limited, unauthenticated, token_expired, token_invalid.
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
	owner, err := a.newReauthentication(ctx, caller, accountKey(who.customerID), in.proof())
	if err != nil {
		return nil, err
	}
	// The proof is checked before the new password is hashed, and used up afterwards.
	if err := a.checkOwner(ctx, who, &owner, in, set); err != nil {
		return nil, err
	}
	hash, err := a.cfg.Hasher.Hash(ctx, a.hashUse(caller, false), in.NewPassword)
	if err != nil {
		return nil, err
	}
	var row Account
	var user Customer
	err = a.updateOrRefuse(ctx, func(tx *db.Tx) (refusal, err error) {
		if row, err = who.Customer(tx); err != nil {
			return nil, err
		}
		proof, refusal, err := owner.check(tx, row, true)
		if refusal != nil || err != nil {
			return refusal, err
		}
		if err := proof.use(tx); err != nil {
			return nil, err
		}
		if err := setPassword(tx, &row, hash); err != nil {
			return nil, err
		}
		user, err = row.View(tx)
		return nil, err
	})
	if err != nil {
		return nil, err
	}
	if owner.verified == "" {
		a.notifyOwner(ctx, row, passwordChanged)
	}
	return a.authPayload(keys, row, user, a.cfg.Now())
}

// checkOwner checks the input and the caller's proof to own the account.
func (a *Accounts) checkOwner(ctx context.Context, who Identity, owner *reauthentication, in ChangePasswordInput, set Settings) error {
	var row Account
	err := a.cfg.Data.View(ctx, func(_ context.Context, tx *db.Tx) (err error) {
		row, err = who.Customer(tx)
		return err
	})
	if err != nil {
		return err
	}
	if err := in.check(row, set); err != nil {
		return err
	}
	if err := owner.verifyPassword(ctx, row); err != nil {
		return err
	}
	return a.updateOrRefuse(ctx, func(tx *db.Tx) (refusal, err error) {
		row, err := who.Customer(tx)
		if err != nil {
			return nil, err
		}
		_, refusal, err = owner.check(tx, row, true)
		return refusal, err
	})
}

func (in ChangePasswordInput) proof() ProofInput {
	return ProofInput{CurrentPassword: in.CurrentPassword, CurrentCode: in.CurrentCode, CurrentPasskey: in.CurrentPasskey}
}

func (in ChangePasswordInput) check(row Account, set Settings) error {
	var bad fault.Invalid
	if row.HasPassword() && db.TextOf(in.CurrentPassword) == "" && input.IsBlank(in.CurrentCode) && in.CurrentPasskey == nil {
		bad.Add("currentPassword", fault.CodeRequired, "Your current password is required.")
	}
	checkCurrentCode(&bad, in.CurrentCode)
	password.Check(&bad, "newPassword", in.NewPassword, password.Owner{
		Name: row.name, Email: db.TextOf(row.email), Phone: db.TextOf(row.phone), Country: set.Country, Shop: set.Name,
	})
	return bad.Err()
}

// Find returns an account by ID, e-mail address or phone number. country is the shop's.
// Codes: not_found.
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
