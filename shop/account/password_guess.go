package account

import (
	"context"

	"storefront/db"
	"storefront/shop/access"
)

// passwordAttempt is one try at a password. It counts as wrong before the password is hashed and is taken
// back when it was right, so that many at once get no more tries than one after another.
type passwordAttempt struct {
	accounts *Accounts
	account  Throttle
	byClient Throttle
}

// newPasswordAttempt gives a try at the password of what the key account stands for.
func (a *Accounts) newPasswordAttempt(ctx context.Context, caller access.Caller, account string) (passwordAttempt, error) {
	t, err := a.throttles(ctx)
	if err != nil {
		return passwordAttempt{}, err
	}
	return passwordAttempt{accounts: a, account: t.wrongPasswords(account, caller.Client), byClient: t.wrongPasswordsOf(caller.Client)}, nil
}

// check gives an error while no try is allowed. To ask costs no write, whatever the flood.
// Codes: rate_limited.
func (g passwordAttempt) check(tx *db.Tx) error {
	if err := g.account.Check(tx); err != nil {
		return err
	}
	return g.byClient.Check(tx)
}

// verify makes the try: whether password is the one of the hash. It does the same work where there
// is no hash. Codes: rate_limited.
func (g passwordAttempt) verify(ctx context.Context, password, phc string) (right bool, err error) {
	place, err := g.accounts.cfg.Hasher.Enqueue()
	if err != nil {
		return false, err
	}
	defer place.Release()
	err = g.accounts.update(ctx, func(ctx context.Context, tx *db.Tx) error {
		if err := g.check(tx); err != nil {
			return err
		}
		if err := g.account.Count(tx); err != nil {
			return err
		}
		return g.byClient.Count(tx)
	})
	if err != nil {
		return false, err
	}
	right, err = place.Verify(ctx, password, phc)
	if err != nil || !right {
		return false, err
	}
	return true, g.accounts.update(ctx, func(ctx context.Context, tx *db.Tx) error {
		if err := g.account.reset(tx); err != nil {
			return err
		}
		return g.byClient.uncount(tx)
	})
}
