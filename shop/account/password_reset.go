package account

import (
	"context"
	"fmt"
	"io"

	"storefront/db"
	"storefront/shop/access"
	"storefront/shop/fault"
	"storefront/shop/sequence"
)

// PasswordReset is the result of resetting a customer's password.
type PasswordReset struct {
	SentTo   []string `json:"sentTo" nullable:"false" doc:"Contacts that the customer was notified at: phone, email"`
	Password *string  `json:"password" doc:"Null for staff: only the command line sets a password"`
}

// ResetPassword ends a customer's password, passkeys and tokens, and notifies the customer, who
// signs in with a code and sets a new password. Staff members never have a customer's password:
// they could sign in as the customer. account is an ID, an e-mail address or a phone number.
//
// The operator at the command line sets a random password, for a customer who cannot receive a
// code. Codes: unauthenticated, forbidden, not_found, state_conflict (the customer cannot receive a
// code).
func (a *Accounts) ResetPassword(ctx context.Context, caller access.Caller, account string) (*PasswordReset, error) {
	who, err := a.cfg.Data.Authorize(ctx, caller, access.ToResetPassword)
	if err != nil {
		return nil, err
	}
	set, err := a.cfg.Settings(ctx)
	if err != nil {
		return nil, err
	}
	byHand, hash := caller.Operator, ""
	reset := &PasswordReset{}
	if byHand {
		password, err := a.randomPassword()
		if err != nil {
			return nil, err
		}
		reset.Password = &password
		if hash, err = a.cfg.Hasher.Hash(ctx, a.hashUse(caller, false), password); err != nil {
			return nil, err
		}
	}
	if !byHand {
		if err := a.checkReachable(ctx, who, account, set.Country); err != nil {
			return nil, err
		}
	}
	var row Account
	err = a.cfg.Data.UpdateAs(ctx, who, func(_ context.Context, tx *db.Tx) (err error) {
		if row, err = Find(tx, account, set.Country); err != nil {
			return err
		}
		if byHand {
			err = setPassword(tx, &row, hash)
		} else {
			err = endPassword(tx, &row)
		}
		if err == nil {
			err = removePasskeys(tx, row.id)
		}
		if err != nil {
			return err
		}
		subject := access.Subject{Kind: access.SubjectCustomer, ID: row.id, Label: row.name}
		return who.Audit(tx, subject, access.Set("password", access.Secret))
	})
	if err != nil {
		return nil, err
	}
	reset.SentTo = a.notifyOwner(ctx, row, passwordEnded)
	return reset, nil
}

// checkReachable checks that the customer can sign in to the account with a code. Codes: not_found,
// state_conflict.
func (a *Accounts) checkReachable(ctx context.Context, who access.Staff, account, country string) error {
	var row Account
	err := a.cfg.Data.ViewAs(ctx, who, func(_ context.Context, tx *db.Tx) (err error) {
		row, err = Find(tx, account, country)
		return err
	})
	if err != nil {
		return err
	}
	if row.VerifiedEmail() != nil && a.cfg.Sender.CheckMail(ctx) == nil {
		return nil
	}
	if phone := row.VerifiedPhone(); phone != nil {
		reaches, err := a.cfg.Sender.ReachesPhone(ctx, *phone)
		if err != nil {
			return err
		}
		if reaches {
			return nil
		}
	}
	return fault.Errorf(fault.CodeStateConflict,
		"The account has no verified phone number or e-mail address that the shop can send a code to. "+
			"The operator of the server can set a password.")
}

// randomPassword returns 80 random bits in groups that are easy to read out.
func (a *Accounts) randomPassword() (string, error) {
	b := make([]byte, 16)
	if _, err := io.ReadFull(a.cfg.Rand, b); err != nil {
		return "", fmt.Errorf("generate password: %w", err)
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
