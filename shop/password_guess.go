package shop

import (
	"context"

	"storefront/db"
	"storefront/shop/access"
)

// passwordAttempt is one try at a password. It counts as wrong before the password is hashed and is taken
// back when it was right, so that many at once get no more tries than one after another.
type passwordAttempt struct {
	shop     *Shop
	account  throttle
	byClient throttle
}

// newPasswordAttempt gives a try at the password of what the key account stands for.
func (s *Shop) newPasswordAttempt(ctx context.Context, caller access.Caller, account string) (passwordAttempt, error) {
	t, err := s.throttles(ctx)
	if err != nil {
		return passwordAttempt{}, err
	}
	return passwordAttempt{shop: s, account: t.wrongPasswords(account, caller.Client), byClient: t.wrongPasswordsOf(caller.Client)}, nil
}

// check gives an error while no try is allowed. To ask costs no write, whatever the flood.
// Codes: rate_limited.
func (g passwordAttempt) check(tx *db.Tx) error {
	if err := g.account.check(tx); err != nil {
		return err
	}
	return g.byClient.check(tx)
}

// verify makes the try: whether password is the one of the hash. It does the same work where there
// is no hash. Codes: rate_limited.
func (g passwordAttempt) verify(ctx context.Context, password, phc string) (right bool, err error) {
	place, err := g.shop.hasher.Enqueue()
	if err != nil {
		return false, err
	}
	defer place.Release()
	err = g.shop.update(ctx, func(ctx context.Context, tx *db.Tx) error {
		if err := g.check(tx); err != nil {
			return err
		}
		if err := g.account.count(tx); err != nil {
			return err
		}
		return g.byClient.count(tx)
	})
	if err != nil {
		return false, err
	}
	right, err = place.Verify(ctx, password, phc)
	if err != nil || !right {
		return false, err
	}
	return true, g.shop.update(ctx, func(ctx context.Context, tx *db.Tx) error {
		if err := g.account.reset(tx); err != nil {
			return err
		}
		return g.byClient.uncount(tx)
	})
}
