package account

import (
	"context"
	"errors"

	"storefront/db"
	"storefront/shop/access"
	"storefront/shop/fault"
	"storefront/shop/input"
	"storefront/shop/onetime"
	"storefront/shop/passkey"
	"storefront/shop/secret"
)

// contactProof is the checked input of a sign-in with a code.
type contactProof struct {
	kind                        contactKind
	contact, code               string
	name, password, currentCode *string
	currentPasskey              *passkey.Assertion
}

// verifyContact signs in with a code that was sent to a contact, as [Accounts.VerifyOTP] describes.
func (a *Accounts) verifyContact(ctx context.Context, caller access.Caller, in contactProof) (*AuthPayload, error) {
	v, err := a.newVerification(ctx, caller, in)
	if err != nil {
		return nil, err
	}
	if err := v.verifyPassword(ctx, caller, in); err != nil {
		return nil, err
	}
	var row, old Account
	var user Customer
	err = a.updateOrRefuse(ctx, func(tx *db.Tx) (refusal, err error) {
		row, old, user = Account{}, Account{}, Customer{}
		code, correct, err := v.compare(tx)
		if err != nil {
			return nil, err
		}
		if !correct {
			return onetime.ErrInvalid(), v.countWrong(tx, code)
		}
		owners, err := findContactOwners(tx, v.kind, v.contact, v.who)
		if err != nil {
			return nil, err
		}
		old = owners.caller
		if row, refusal, err = v.account(tx, owners); refusal != nil || err != nil {
			return refusal, err
		}
		if err := code.Use(tx); err != nil {
			return nil, err
		}
		if err := saveKnownClient(tx, row.id, v.limits.knownClient(row.id, caller.Client)); err != nil {
			return nil, err
		}
		if err := a.attachOrders(tx, v.kind, row.id, v.contact); err != nil {
			return nil, err
		}
		user, err = row.View(tx)
		return nil, err
	})
	if err != nil {
		return nil, err
	}
	if old.id == row.id {
		a.notifyContactsChanged(ctx, old, row)
	}
	return a.authPayload(v.keys, row, user, a.cfg.Now())
}

// attachOrders moves guests' orders with a verified contact to the account.
func (a *Accounts) attachOrders(tx *db.Tx, kind contactKind, customerID, contact string) error {
	if kind == byEmail {
		return a.cfg.EmailVerified(tx, customerID, contact)
	}
	return a.cfg.PhoneVerified(tx, customerID, contact)
}

// contactOwners are the accounts concerned by a contact that a code proves. The zero Account means
// that there is none.
type contactOwners struct {
	kind   contactKind
	holder Account // has the contact, verified or not
	caller Account // the caller is signed in to it
}

func findContactOwners(tx *db.Tx, kind contactKind, contact string, who Identity) (o contactOwners, err error) {
	o.kind = kind
	o.holder, err = kind.findHolder(tx, contact)
	if err != nil && !errors.Is(err, db.ErrNotFound) {
		return contactOwners{}, err
	}
	if err != nil {
		o.holder = Account{}
	}
	o.caller, err = who.Customer(tx)
	return o, err
}

// isVerified reports whether the holder has verified the contact, so that the code signs in to that
// account. An unverified contact identifies nobody.
func (o contactOwners) isVerified() bool { return o.holder.isVerified(o.kind) }

// isNewCustomer reports whether the code creates an account, which requires a name.
func (o contactOwners) isNewCustomer() bool { return !o.isVerified() && o.caller.IsGuest() }

// verification is one attempt at a code, with its input checked.
type verification struct {
	codeAttempt
	accounts *Accounts
	name     *string
	who      Identity // the caller; a guest if the token is invalid
	keys     *secret.Keys
	proof    reauthentication // of the caller's account, or of the account with the contact unverified
}

func (a *Accounts) newVerification(ctx context.Context, caller access.Caller, in contactProof) (v verification, err error) {
	v.accounts, v.name = a, in.name
	if v.who, err = a.IdentityOrGuest(ctx, caller); err != nil {
		return v, err
	}
	if v.keys, err = a.cfg.Secrets.Keys(ctx); err != nil {
		return v, err
	}
	v.codeAttempt, err = a.newCodeAttempt(ctx, caller, in.kind, in.contact, in.code)
	return v, err
}

// verifyPassword compares the password, if the caller sent one and it matters, with the password of
// the caller's account or of the account that has the contact unverified. It does so only after the
// code, so that a caller without the code cannot guess passwords, and counts wrong ones as a
// sign-in does. It also rejects a throttled caller without a write. Codes: rate_limited,
// invalid_credentials.
func (v *verification) verifyPassword(ctx context.Context, caller access.Caller, in contactProof) error {
	var row Account
	err := v.accounts.cfg.Data.View(ctx, func(ctx context.Context, tx *db.Tx) error {
		row = Account{}
		_, correct, err := v.compare(tx)
		if err != nil {
			return err
		}
		if !correct {
			return nil
		}
		owners, err := findContactOwners(tx, v.kind, v.contact, v.who)
		if err != nil {
			return err
		}
		if owners.isVerified() {
			return nil
		}
		if row = owners.caller; row.IsGuest() {
			row = owners.holder
		}
		return nil
	})
	if err != nil {
		return err
	}
	if row.id == "" {
		return nil
	}
	key := v.contact // as in a sign-in with the contact
	if row.id == v.who.customerID {
		key = accountKey(row.id)
	}
	v.proof, err = v.accounts.newReauthentication(ctx, caller, key, ProofInput{in.password, in.currentCode, in.currentPasskey})
	if err != nil {
		return err
	}
	err = v.proof.verifyPassword(ctx, row)
	if fault.HasCode(err, fault.CodeInvalidCredentials) {
		return fault.Errorf(fault.CodeInvalidCredentials, "The password is wrong: send the same code again with the right password or without one.")
	}
	return err
}

// account returns the account of the contact, which is verified now, for the sign-in. refusal is an
// error that does not use up the code.
func (v verification) account(tx *db.Tx, owners contactOwners) (row Account, refusal, err error) {
	switch {
	case owners.isVerified():
		return owners.holder, nil, nil
	case !owners.caller.IsGuest():
		return v.attach(tx, owners)
	case owners.holder.id != "" && v.proof.hasPasswordOf(owners.holder):
		row := owners.holder
		row.verify(v.kind, v.contact, tx.Now(), true)
		return row, nil, saveProfile(tx, row)
	}
	var bad fault.Invalid
	if input.IsBlank(v.name) {
		bad.Add("name", fault.CodeNameRequired, "No account has verified this %s: send the same code again with a name.", v.contactWords())
		return row, bad.Err(), nil
	}
	name := input.CheckName(&bad, "name", *v.name)
	if err := bad.Err(); err != nil {
		return row, err, nil
	}
	row, err = v.accounts.newOwner(tx, v.kind, v.contact, name, owners.holder)
	return row, nil, err
}

// contactWords returns the name of the contact in messages.
func (v verification) contactWords() string {
	if v.kind == byPhone {
		return "phone number"
	}
	return v.kind.rules().contact
}

// attach adds the contact to the caller's account. Codes: reauthentication_required, otp_invalid
// (of the code sent to the replaced contact).
func (v verification) attach(tx *db.Tx, owners contactOwners) (row Account, refusal, err error) {
	row = owners.caller
	isOwn := owners.holder.id == row.id
	proof, refusal, err := v.proof.check(tx, row, row.contact(v.kind) != nil && !isOwn)
	if refusal != nil || err != nil {
		return row, refusal, err
	}
	if err := proof.use(tx); err != nil {
		return row, nil, err
	}
	if !isOwn && owners.holder.id != "" {
		if _, err := v.accounts.removeUnverified(tx, v.kind, owners.holder); err != nil {
			return row, nil, err
		}
	}
	row.verify(v.kind, v.contact, tx.Now(), proof.sufficient || isOwn && row.isTrusted(v.kind))
	return row, nil, saveProfile(tx, row)
}

// newOwner creates an account for the owner of a contact. holder loses the contact if it has not
// verified it. If holder then has no data left, it is replaced: the new account has only its ID.
func (a *Accounts) newOwner(tx *db.Tx, kind contactKind, contact, name string, holder Account) (row Account, err error) {
	now := tx.Now()
	row = Account{id: a.cfg.IDs.Next(now), name: name, tokenVersion: 1, createdAt: now}
	row.verify(kind, contact, now, true)
	if holder.id != "" {
		deleted, err := a.removeUnverified(tx, kind, holder)
		if err != nil {
			return row, err
		}
		if deleted {
			row.id, row.tokenVersion = holder.id, holder.tokenVersion+1
		}
	}
	inserted, err := insertCustomer(tx, row)
	if err == nil && !inserted {
		err = errors.New("the contact has an account that was not found by it")
	}
	return row, err
}

// removeUnverified removes a contact from an account that has not verified it, for the owner of the
// contact. An account without another contact and without orders is deleted. An account without a
// verified contact also loses its orders with the e-mail address: they become the owner's, as
// guests' orders do.
func (a *Accounts) removeUnverified(tx *db.Tx, kind contactKind, row Account) (deleted bool, err error) {
	contact := *row.contact(kind)
	if kind == byEmail && row.VerifiedPhone() == nil {
		if err := a.cfg.ReleaseOrders(tx, row.id, contact); err != nil {
			return false, err
		}
	}
	hasOrders, err := a.cfg.HasOrders(tx, row.id)
	if err != nil {
		return false, err
	}
	row.removeContact(kind)
	if row.email == nil && row.phone == nil && !hasOrders {
		return true, deleteCustomer(tx, row.id)
	}
	return false, saveProfile(tx, row)
}
