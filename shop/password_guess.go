package shop

import (
	"context"

	"storefront/db"
)

// guess is one try at a password. It counts as wrong before the password is hashed and is taken
// back when it was right, so that many at once get no more tries than one after another.
type guess struct {
	shop     *Shop
	account  throttle
	byClient throttle
}

// newGuess gives a try at the password of what the key account stands for.
func (s *Shop) newGuess(ctx context.Context, caller Caller, account string) (guess, error) {
	t, err := s.throttles(ctx)
	if err != nil {
		return guess{}, err
	}
	return guess{shop: s, account: t.wrongPasswords(account, caller.Client), byClient: t.wrongPasswordsOf(caller.Client)}, nil
}

// refuse gives an error while no try is allowed. To ask costs no write, whatever the flood.
// Codes: rate_limited.
func (g guess) refuse(tx *db.Tx) error {
	if err := g.account.refuse(tx); err != nil {
		return err
	}
	return g.byClient.refuse(tx)
}

// verify makes the try: whether password is the one of the hash. It does the same work where there
// is no hash. Codes: rate_limited.
func (g guess) verify(ctx context.Context, password, phc string) (right bool, err error) {
	place, err := g.shop.hasher.join()
	if err != nil {
		return false, err
	}
	defer place.leave()
	err = g.shop.update(ctx, func(ctx context.Context, tx *db.Tx) error {
		if err := g.refuse(tx); err != nil {
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
	right, err = place.verify(ctx, password, phc)
	if err != nil || !right {
		return false, err
	}
	return true, g.shop.update(ctx, func(ctx context.Context, tx *db.Tx) error {
		if err := g.account.forgive(tx); err != nil {
			return err
		}
		return g.byClient.takeBack(tx)
	})
}
