package account

import (
	"context"
	"fmt"

	"storefront/db"
	"storefront/shop/access"
	"storefront/shop/fault"
	"storefront/shop/input"
	"storefront/shop/passkey"
)

// passkeys is the table of the passkeys of customers.
var passkeys = passkey.Table{Name: "customer_passkeys", Owner: "customer_id"}

// maxPasskeyName limits the name of a passkey, in characters.
const maxPasskeyName = 60

// errPasskey is the same for every passkey that is not accepted, so that it reveals nobody.
func errPasskey() error {
	return fault.Errorf(fault.CodeInvalidCredentials, "The passkey was not accepted. Start again, or sign in with a code.")
}

// passkeySubject returns the subject of challenges for an account. Revoking the account's tokens
// ends them. Challenges of staff members have other subjects.
func passkeySubject(customerID string, version int64) string {
	return fmt.Sprint("customer ", customerID, " ", version)
}

// signInSubject is the subject of challenges to sign in.
const signInSubject = "customer"

// ceremony returns a ceremony at the page of the caller. Codes: state_conflict (the page is not one
// of the shop, or there are no passkeys at such a page).
func (a *Accounts) ceremony(ctx context.Context, caller access.Caller, purpose passkey.Purpose, subject string) (passkey.Ceremony, error) {
	if caller.Origin == "" {
		return passkey.Ceremony{}, fault.Errorf(fault.CodeStateConflict,
			"Passkeys require a page of the shop: send its origin, which must be a domain, the storefront or a listed origin of the shop.")
	}
	site, err := passkey.SiteOf(caller.Origin)
	if err != nil {
		return passkey.Ceremony{}, err
	}
	keys, err := a.loadThrottles(ctx)
	return passkey.Ceremony{Purpose: purpose, Site: site, Subject: subject, Keys: keys.Source}, err
}

// PasskeyProof is a proof by a passkey.
type PasskeyProof struct {
	Credential passkey.Assertion `json:"credential"`
}

// BeginPasskeySignIn returns options to sign in with any passkey that was created at the host of
// the page. Nothing is stored. Codes: state_conflict (no HTTPS, an IP address, or a page of
// somebody else).
func (a *Accounts) BeginPasskeySignIn(ctx context.Context, caller access.Caller) (*passkey.RequestOptions, error) {
	c, err := a.ceremony(ctx, caller, passkey.ToSignIn, signInSubject)
	if err != nil {
		return nil, err
	}
	return c.Site.Request(c.NewChallenge(a.cfg.Now()), nil), nil
}

// SignInByPasskey signs in with a passkey. Every failure returns the same error. Codes:
// invalid_credentials, rate_limited.
func (a *Accounts) SignInByPasskey(ctx context.Context, caller access.Caller, in PasskeyProof) (*AuthPayload, error) {
	c, err := a.ceremony(ctx, caller, passkey.ToSignIn, signInSubject)
	if fault.HasCode(err, fault.CodeStateConflict) {
		return nil, errPasskey()
	}
	if err != nil {
		return nil, err
	}
	if _, ok := c.FindChallenge(in.Credential.ClientData(), a.cfg.Now()); !ok || in.Credential.UserHandle == nil {
		return nil, errPasskey()
	}
	keys, err := a.cfg.Secrets.Keys(ctx)
	if err != nil {
		return nil, err
	}
	attempt, err := a.newPasskeyAttempt(ctx, caller, in.Credential)
	if err != nil {
		return nil, err
	}
	// Checked first without a write, so that refused requests cost little.
	err = a.cfg.Data.View(ctx, func(_ context.Context, tx *db.Tx) error { return attempt.Check(tx, true) })
	if err != nil {
		return nil, err
	}
	var row Account
	var user Customer
	err = a.updateOrRefuse(ctx, func(tx *db.Tx) (refusal, err error) {
		if row, refusal, err = attempt.signIn(tx, c); refusal != nil || err != nil {
			return refusal, err
		}
		if err := saveKnownClient(tx, row.id, attempt.limits.knownClient(row.id, caller.Client)); err != nil {
			return nil, err
		}
		user, err = row.View(tx)
		return nil, err
	})
	if err != nil {
		return nil, err
	}
	return a.authPayload(keys, row, user, a.cfg.Now())
}

// BeginPasskeyProof returns options to prove, with one of the caller's passkeys, to own the
// account. Codes: state_conflict (there is none for the host of the page), unauthenticated,
// token_expired, token_invalid.
func (a *Accounts) BeginPasskeyProof(ctx context.Context, caller access.Caller) (*passkey.RequestOptions, error) {
	who, err := a.RequireIdentity(ctx, caller)
	if err != nil {
		return nil, err
	}
	c, err := a.ceremony(ctx, caller, passkey.ToProve, passkeySubject(who.customerID, who.version))
	if err != nil {
		return nil, err
	}
	rows, err := a.listPasskeys(ctx, who)
	if err != nil {
		return nil, err
	}
	options := c.Site.Request(c.NewChallenge(a.cfg.Now()), rows)
	if len(options.Allow) == 0 {
		return nil, fault.Errorf(fault.CodeStateConflict, "There is no passkey for %s: use a code or your password.", c.Site.Host())
	}
	return options, nil
}

// BeginPasskey returns options to create a passkey of the caller for the host of the page. It
// requires re-authentication, and the options are the proof of it: so nothing is stored in an
// authenticator before the proof is accepted. Codes: state_conflict (no HTTPS, an IP address, a
// page of somebody else, or too many), validation_failed, reauthentication_required,
// invalid_credentials, otp_invalid, rate_limited, unauthenticated, token_expired, token_invalid.
func (a *Accounts) BeginPasskey(ctx context.Context, caller access.Caller, in ProofInput) (*passkey.CreationOptions, error) {
	who, err := a.RequireIdentity(ctx, caller)
	if err != nil {
		return nil, err
	}
	c, err := a.ceremony(ctx, caller, passkey.ToAdd, passkeySubject(who.customerID, who.version))
	if err != nil {
		return nil, err
	}
	set, err := a.cfg.Settings(ctx)
	if err != nil {
		return nil, err
	}
	proof, err := a.NewProof(ctx, caller, who, in)
	if err != nil {
		return nil, err
	}
	var options *passkey.CreationOptions
	err = a.updateOrRefuse(ctx, func(tx *db.Tx) (refusal, err error) {
		row, refusal, err := proof.check(tx)
		if refusal != nil || err != nil {
			return refusal, err
		}
		rows, err := passkeys.List(tx, row.id)
		if err != nil {
			return nil, err
		}
		if err := passkey.CheckCount(rows); err != nil {
			return nil, err
		}
		if !row.canReauthenticate() && len(rows) == 0 {
			// A stolen token would be sufficient, and its passkey stay.
			return nil, fault.Errorf(fault.CodeReauthenticationRequired, "Verify your phone number or e-mail address with a code first.")
		}
		if err := proof.use(tx); err != nil {
			return nil, err
		}
		user := passkey.NewUser(a.handleOf(row.id), row.contactText()+" ("+set.Name+")", row.name)
		options = c.Site.Create(c.NewChallenge(tx.Now()), set.Name, user, rows)
		return nil, nil
	})
	if err != nil {
		return nil, err
	}
	return options, nil
}

// handleOf returns the user handle of an account.
func (a *Accounts) handleOf(customerID string) []byte {
	return passkey.HandleOf(string(a.cfg.Data.ID), customerID)
}

// contactText returns the phone number or the e-mail address, by which customers know the account.
func (c Account) contactText() string {
	if c.phone != nil {
		return *c.phone
	}
	return db.TextOf(c.email)
}

// AddPasskeyInput is the input of [Accounts.AddPasskey].
type AddPasskeyInput struct {
	Name       string              `json:"name" doc:"Such as the device; at most 60 characters"`
	Credential passkey.Attestation `json:"credential"`
}

// AddPasskey adds a passkey that was created with [Accounts.BeginPasskey], and notifies the owner.
// Codes: validation_failed, invalid_credentials (it was not created with live options of this
// account and page), state_conflict (too many, or it is set up already), unauthenticated,
// token_expired, token_invalid.
func (a *Accounts) AddPasskey(ctx context.Context, caller access.Caller, in AddPasskeyInput) (*passkey.Passkey, error) {
	who, err := a.RequireIdentity(ctx, caller)
	if err != nil {
		return nil, err
	}
	var bad fault.Invalid
	name := checkPasskeyName(&bad, in.Name)
	if err := bad.Err(); err != nil {
		return nil, err
	}
	c, err := a.ceremony(ctx, caller, passkey.ToAdd, passkeySubject(who.customerID, who.version))
	if err != nil {
		return nil, err
	}
	challenge, ok := c.FindChallenge(in.Credential.ClientData(), a.cfg.Now())
	if !ok {
		return nil, errPasskey()
	}
	created, err := c.Site.Verify(challenge, a.handleOf(who.customerID), in.Credential)
	if err != nil {
		return nil, err
	}
	var row Account
	err = a.cfg.Data.Update(ctx, func(_ context.Context, tx *db.Tx) error {
		if row, err = who.Customer(tx); err != nil {
			return err
		}
		fresh, err := challenge.Use(tx)
		if err != nil {
			return err
		}
		if !fresh {
			return errPasskey()
		}
		created.ID, created.Owner, created.Name, created.CreatedAt = a.cfg.IDs.Next(tx.Now()), row.id, name, tx.Now()
		return passkeys.Insert(tx, &created)
	})
	if err != nil {
		return nil, err
	}
	a.notifyOwner(ctx, row, passkeyAdded)
	return &created.Passkey, nil
}

func checkPasskeyName(bad *fault.Invalid, text string) string {
	name := input.CheckLine(bad, "name", text, maxPasskeyName)
	if input.ShowsNothing(name) {
		bad.Add("name", fault.CodeRequired, "A name is required, such as the device.")
	}
	return name
}

// Passkeys are the passkeys of an account.
type Passkeys struct {
	Nodes []passkey.Passkey `json:"nodes" nullable:"false"`
}

// ListPasskeys returns the caller's passkeys, the oldest first. Codes: unauthenticated,
// token_expired, token_invalid.
func (a *Accounts) ListPasskeys(ctx context.Context, caller access.Caller) (*Passkeys, error) {
	who, err := a.RequireIdentity(ctx, caller)
	if err != nil {
		return nil, err
	}
	rows, err := a.listPasskeys(ctx, who)
	if err != nil {
		return nil, err
	}
	return &Passkeys{passkey.Passkeys(rows)}, nil
}

func (a *Accounts) listPasskeys(ctx context.Context, who Identity) (rows []passkey.Row, err error) {
	err = a.cfg.Data.View(ctx, func(_ context.Context, tx *db.Tx) error {
		row, err := who.Customer(tx)
		if err != nil {
			return err
		}
		rows, err = passkeys.List(tx, row.id)
		return err
	})
	return rows, err
}

// Passkeys returns the account's passkeys, the oldest first.
func (c Account) Passkeys(tx *db.Tx) ([]passkey.Passkey, error) {
	rows, err := passkeys.List(tx, c.id)
	return passkey.Passkeys(rows), err
}

// PasskeyName is the new name of a passkey.
type PasskeyName struct {
	Name string `json:"name" doc:"At most 60 characters"`
}

// RenamePasskey sets the name of one of the caller's passkeys. Codes: validation_failed, not_found,
// unauthenticated, token_expired, token_invalid.
func (a *Accounts) RenamePasskey(ctx context.Context, caller access.Caller, id string, in PasskeyName) (*passkey.Passkey, error) {
	who, err := a.RequireIdentity(ctx, caller)
	if err != nil {
		return nil, err
	}
	var bad fault.Invalid
	name := checkPasskeyName(&bad, in.Name)
	if err := bad.Err(); err != nil {
		return nil, err
	}
	var found passkey.Row
	err = a.cfg.Data.Update(ctx, func(_ context.Context, tx *db.Tx) error {
		row, err := who.Customer(tx)
		if err != nil {
			return err
		}
		if found, err = passkeys.Require(tx, row.id, id); err != nil {
			return err
		}
		found.Name = name
		return passkeys.Rename(tx, &found)
	})
	if err != nil {
		return nil, err
	}
	return &found.Passkey, nil
}

// PasskeyRemoved is the result of [Accounts.RemovePasskey].
type PasskeyRemoved struct {
	Success bool `json:"success"`
}

// RemovePasskey removes one of the caller's passkeys, which may prove this itself, and notifies the
// owner. It requires re-authentication. Tokens stay valid. Codes: not_found, validation_failed,
// reauthentication_required, invalid_credentials, otp_invalid, rate_limited, unauthenticated,
// token_expired, token_invalid.
func (a *Accounts) RemovePasskey(ctx context.Context, caller access.Caller, id string, in ProofInput) (*PasskeyRemoved, error) {
	who, err := a.RequireIdentity(ctx, caller)
	if err != nil {
		return nil, err
	}
	proof, err := a.NewProof(ctx, caller, who, in)
	if err != nil {
		return nil, err
	}
	var row Account
	err = a.updateOrRefuse(ctx, func(tx *db.Tx) (refusal, err error) {
		if row, refusal, err = proof.check(tx); refusal != nil || err != nil {
			return refusal, err
		}
		found, err := passkeys.Require(tx, row.id, id)
		if err != nil {
			return nil, err
		}
		if err := proof.use(tx); err != nil {
			return nil, err
		}
		return nil, passkeys.Delete(tx, found.ID)
	})
	if err != nil {
		return nil, err
	}
	a.notifyOwner(ctx, row, passkeyRemoved)
	return &PasskeyRemoved{Success: true}, nil
}

// removePasskeys removes all passkeys of an account. Its owner has recovered it without one, or
// the shop has ended its password: somebody else may have added them.
func removePasskeys(tx *db.Tx, customerID string) error {
	_, err := tx.Exec(`
		DELETE FROM customer_passkeys
		WHERE customer_id = ?`, customerID)
	if err != nil {
		return fmt.Errorf("remove passkeys: %w", err)
	}
	return nil
}
