package account

import (
	"context"

	"storefront/db"
	"storefront/shop/access"
	"storefront/shop/password"
	"storefront/shop/throttle"
)

// passwordAttempt is one attempt at a password. It is counted as wrong before the password is
// hashed and uncounted if it was correct, so that concurrent attempts do not exceed the limit.
type passwordAttempt struct {
	throttle.Guesses
	accounts *Accounts
	caller   access.Caller
	limits   throttles
}

// hashUse returns the owner of the hashed password.
func (a *Accounts) hashUse(caller access.Caller, registration bool) password.Use {
	return password.Use{Shop: string(a.cfg.Data.ID), Client: caller.Client, Registration: registration}
}

// newPasswordAttempt returns an attempt at the password of the account with a throttle key.
func (a *Accounts) newPasswordAttempt(ctx context.Context, caller access.Caller, account string) (passwordAttempt, error) {
	t, err := a.loadThrottles(ctx)
	if err != nil {
		return passwordAttempt{}, err
	}
	return passwordAttempt{
		accounts: a, caller: caller, limits: t,
		Guesses: throttle.Guesses{
			Own:    t.wrongPasswordsPerAccount(account, caller.Client),
			Client: t.wrongPasswordsPerClient(caller.Client), Everywhere: t.wrongPasswordsEverywhere(account),
		},
	}, nil
}

// check returns an error while no attempt at the account is allowed; account is "" if there is
// none. It writes nothing, so that a flood costs little. Codes: rate_limited.
func (p passwordAttempt) check(tx *db.Tx, customerID string) error {
	known, err := isKnownClient(tx, customerID, p.limits.knownClient(customerID, p.caller.Client))
	if err != nil {
		return err
	}
	return p.Check(tx, known)
}

// verify reports whether password is an account's. It does the same work if row is the zero Account
// or has no password. Codes: rate_limited.
func (p passwordAttempt) verify(ctx context.Context, password string, row Account) (correct bool, err error) {
	ticket, err := p.accounts.cfg.Hasher.Enqueue(p.accounts.hashUse(p.caller, false))
	if err != nil {
		return false, err
	}
	defer ticket.Release()
	err = p.accounts.cfg.Data.Update(ctx, func(ctx context.Context, tx *db.Tx) error {
		if err := p.check(tx, row.id); err != nil {
			return err
		}
		return p.Count(tx)
	})
	if err != nil {
		return false, err
	}
	correct, err = ticket.Verify(ctx, password, db.TextOf(row.passwordHash))
	if err != nil {
		return false, err
	}
	if !correct {
		return false, nil
	}
	return true, p.accounts.cfg.Data.Update(ctx, func(ctx context.Context, tx *db.Tx) error {
		if err := p.Succeed(tx); err != nil {
			return err
		}
		if row.passwordReset {
			return nil
		}
		return saveKnownClient(tx, row.id, p.limits.knownClient(row.id, p.caller.Client))
	})
}
