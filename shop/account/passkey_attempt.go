package account

import (
	"context"
	"errors"
	"log/slog"

	"storefront/db"
	"storefront/shop/access"
	"storefront/shop/fault"
	"storefront/shop/passkey"
	"storefront/shop/throttle"
)

// passkeyAttempt is one proof by a passkey. Failures are counted by passkey and client: a signature
// cannot be guessed, so strangers need not delay anybody else.
type passkeyAttempt struct {
	throttle.Guesses
	accounts *Accounts
	limits   throttles
	in       passkey.Assertion
}

func (a *Accounts) newPasskeyAttempt(ctx context.Context, caller access.Caller, in passkey.Assertion) (*passkeyAttempt, error) {
	t, err := a.loadThrottles(ctx)
	if err != nil {
		return nil, err
	}
	own := throttle.NewDelayed(t.Hash("passkey", string(in.CredentialID()), caller.Client), t.WrongPasswords, passwordWindow, passwordDelay)
	return &passkeyAttempt{
		Guesses:  throttle.Guesses{Own: own, Client: t.PerClient("passkey", caller.Client, t.WrongPasswordsPerClient)},
		accounts: a, limits: t, in: in,
	}, nil
}

// findOwner returns the ID of the account that has the passkey, "" if none has. Codes:
// rate_limited.
func (p *passkeyAttempt) findOwner(tx *db.Tx) (customerID string, err error) {
	if err := p.Check(tx, true); err != nil {
		return "", err
	}
	key, err := passkeys.Find(tx, p.in.CredentialID())
	if errors.Is(err, db.ErrNotFound) {
		return "", nil
	}
	return key.Owner, err
}

// provedPasskey is a passkey that was proved, with a challenge that is not used up yet.
type provedPasskey struct {
	passkeyAttempt
	challenge passkey.Challenge
	key       passkey.Row
}

// verify verifies the proof by a passkey of the account. A sign count that was used before is
// refused and logged: a second device has the private key. Codes of the refusal:
// invalid_credentials.
func (p *passkeyAttempt) verify(tx *db.Tx, c passkey.Ceremony, row Account) (proved *provedPasskey, refusal, err error) {
	if err := p.Check(tx, true); err != nil {
		return nil, nil, err
	}
	challenge, ok := c.FindChallenge(p.in.ClientData(), tx.Now())
	if !ok {
		return nil, errPasskey(), p.Count(tx)
	}
	key, err := passkeys.Find(tx, p.in.CredentialID())
	if errors.Is(err, db.ErrNotFound) || err == nil && key.Owner != row.id {
		return nil, errPasskey(), p.Count(tx)
	}
	if err != nil {
		return nil, nil, err
	}
	cloned, err := c.Site.Check(challenge, &key, p.in)
	if fault.HasCode(err, fault.CodeInvalidCredentials) {
		return nil, errPasskey(), p.Count(tx)
	}
	if err != nil {
		return nil, nil, err
	}
	if !cloned {
		return &provedPasskey{*p, challenge, key}, nil, nil
	}
	fresh, err := challenge.Use(tx)
	if err != nil {
		return nil, nil, err
	}
	if fresh { // otherwise it is the same proof again
		tx.AfterCommit(func() {
			p.accounts.cfg.Log.Warn("passkey refused, sign count was used before",
				slog.String("customer", row.id), slog.String("passkey", key.ID))
		})
	}
	return nil, errPasskey(), p.Count(tx)
}

// signIn returns the account of the passkey, and uses up the challenge. Codes of the refusal:
// invalid_credentials.
func (p *passkeyAttempt) signIn(tx *db.Tx, c passkey.Ceremony) (row Account, refusal, err error) {
	customerID, err := p.findOwner(tx)
	if err != nil {
		return Account{}, nil, err
	}
	if customerID == "" {
		return Account{}, errPasskey(), p.Count(tx)
	}
	if row, err = findCustomer(tx, customerID); err != nil {
		return Account{}, nil, err
	}
	proved, refusal, err := p.verify(tx, c, row)
	if refusal != nil || err != nil {
		return Account{}, refusal, err
	}
	fresh, err := proved.use(tx)
	if err != nil {
		return Account{}, nil, err
	}
	if !fresh {
		return Account{}, errPasskey(), p.Count(tx)
	}
	return row, nil, nil
}

// use uses up the challenge, and reports false if it was used before.
func (p *provedPasskey) use(tx *db.Tx) (fresh bool, err error) {
	if fresh, err = p.challenge.Use(tx); err != nil {
		return false, err
	}
	if !fresh {
		return false, nil
	}
	if err := p.Own.Reset(tx); err != nil {
		return false, err
	}
	if err := passkeys.SaveUse(tx, &p.key); err != nil {
		return false, err
	}
	return true, nil
}
