package account

import (
	"context"

	"storefront/db"
	"storefront/shop/access"
)

// passwordAttempt is one attempt at a password. It is counted as wrong before the password is
// hashed and uncounted if it was correct, so that concurrent attempts do not exceed the limit.
type passwordAttempt struct {
	accounts *Accounts
	account  Throttle
	byClient Throttle
}

// newPasswordAttempt returns an attempt at the password of the account with a throttle key.
func (a *Accounts) newPasswordAttempt(ctx context.Context, caller access.Caller, account string) (passwordAttempt, error) {
	t, err := a.loadThrottles(ctx)
	if err != nil {
		return passwordAttempt{}, err
	}
	return passwordAttempt{
		accounts: a, account: t.wrongPasswordsPerAccount(account, caller.Client), byClient: t.wrongPasswordsPerClient(caller.Client),
	}, nil
}

// check returns an error while no attempt is allowed. It writes nothing, so that a flood costs
// little. Codes: rate_limited.
func (p passwordAttempt) check(tx *db.Tx) error {
	if err := p.account.Check(tx); err != nil {
		return err
	}
	return p.byClient.Check(tx)
}

// verify reports whether password matches a hash in PHC format. It does the same work if the hash
// is empty. Codes: rate_limited.
func (p passwordAttempt) verify(ctx context.Context, password, phc string) (correct bool, err error) {
	ticket, err := p.accounts.cfg.Hasher.Enqueue()
	if err != nil {
		return false, err
	}
	defer ticket.Release()
	err = p.accounts.update(ctx, func(ctx context.Context, tx *db.Tx) error {
		if err := p.check(tx); err != nil {
			return err
		}
		if err := p.account.Count(tx); err != nil {
			return err
		}
		return p.byClient.Count(tx)
	})
	if err != nil {
		return false, err
	}
	correct, err = ticket.Verify(ctx, password, phc)
	if err != nil || !correct {
		return false, err
	}
	return true, p.accounts.update(ctx, func(ctx context.Context, tx *db.Tx) error {
		if err := p.account.reset(tx); err != nil {
			return err
		}
		return p.byClient.uncount(tx)
	})
}
