package account

import (
	"context"

	"storefront/db"
	"storefront/shop/access"
	"storefront/shop/fault"
	"storefront/shop/passkey"
)

// ProofInput is a signed-in caller's proof to own the account.
type ProofInput struct {
	CurrentPassword *string            `json:"currentPassword,omitempty" doc:"Password of the account"`
	CurrentCode     *string            `json:"currentCode,omitempty" doc:"A code sent to a verified contact of the account, instead"`
	CurrentPasskey  *passkey.Assertion `json:"currentPasskey,omitempty" doc:"A proof by a passkey instead; see beginPasskeyProof"`
}

// Proof is a caller's proof, beside the access token, to be the owner of the account.
type Proof struct {
	owner reauthentication
	who   Identity
	found proof // by check
}

// NewProof returns the proof in a request, with its password compared. Codes: validation_failed,
// invalid_credentials, rate_limited, token_invalid.
func (a *Accounts) NewProof(ctx context.Context, caller access.Caller, who Identity, in ProofInput) (*Proof, error) {
	var bad fault.Invalid
	checkCurrentCode(&bad, in.CurrentCode)
	if err := bad.Err(); err != nil {
		return nil, err
	}
	var row Account
	err := a.cfg.Data.View(ctx, func(_ context.Context, tx *db.Tx) (err error) {
		row, err = who.Customer(tx)
		return err
	})
	if err != nil {
		return nil, err
	}
	owner, err := a.newReauthentication(ctx, caller, accountKey(row.id), in)
	if err != nil {
		return nil, err
	}
	return &Proof{owner: owner, who: who}, owner.verifyPassword(ctx, row)
}

// Use checks the proof, uses it up and returns the account. refusal must not roll back the
// transaction, because a wrong code counts: it is otp_invalid or reauthentication_required. Codes:
// rate_limited, token_invalid.
func (p *Proof) Use(tx *db.Tx) (row Account, refusal, err error) {
	if row, refusal, err = p.check(tx); refusal != nil || err != nil {
		return row, refusal, err
	}
	return row, nil, p.use(tx)
}

// check is Use without using the proof up.
func (p *Proof) check(tx *db.Tx) (row Account, refusal, err error) {
	if row, err = p.who.Customer(tx); err != nil {
		return Account{}, nil, err
	}
	p.found, refusal, err = p.owner.check(tx, row, true)
	return row, refusal, err
}

func (p *Proof) use(tx *db.Tx) error { return p.found.use(tx) }

// NotifyDeleted notifies the owner of an account that was deleted, after the deletion was
// committed.
func (a *Accounts) NotifyDeleted(ctx context.Context, row Account) {
	a.notifyOwner(ctx, row, accountDeleted)
}
