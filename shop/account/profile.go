package account

import (
	"context"
	"fmt"

	"storefront/db"
	"storefront/shop/access"
	"storefront/shop/fault"
	"storefront/shop/input"
	"storefront/shop/passkey"
	"storefront/shop/throttle"
)

// MaxAddresses is the largest number of addresses of an account.
const MaxAddresses = 10

// ProfileInput is the input of [Accounts.UpdateProfile]. Omitted fields do not change. An empty
// email or phoneNumber removes it, if the account has the other one.
type ProfileInput struct {
	Name        *string    `json:"name,omitempty"`
	Email       *string    `json:"email,omitempty" doc:"An empty text removes it. A new one is unverified"`
	PhoneNumber *string    `json:"phoneNumber,omitempty" doc:"An empty text removes it. A new one is unverified until a code sent to it is used"`
	Address     *Address   `json:"address,omitempty" doc:"Replaces the default address"`
	Addresses   *[]Address `json:"addresses,omitempty" doc:"Replaces all addresses, the default one first; at most 10"`

	CurrentPassword *string            `json:"currentPassword,omitempty" doc:"Required, or currentCode, to replace or remove an email or phoneNumber"`
	CurrentCode     *string            `json:"currentCode,omitempty" doc:"A code sent to a verified contact of the account, instead of currentPassword"`
	CurrentPasskey  *passkey.Assertion `json:"currentPasskey,omitempty" doc:"A proof by a passkey instead; see beginPasskeyProof"`
}

// UpdateProfile changes the caller's account and returns it. Replacing or removing the e-mail
// address or the phone requires re-authentication, and the owner is notified at the contacts that
// were verified before. A contact of another account counts as a failure of the client, so that
// nobody can search for customers. Codes: validation_failed, customer_exists,
// reauthentication_required, invalid_credentials, otp_invalid, rate_limited, unauthenticated,
// token_expired, token_invalid.
func (a *Accounts) UpdateProfile(ctx context.Context, caller access.Caller, in ProfileInput) (*Customer, error) {
	who, err := a.RequireIdentity(ctx, caller)
	if err != nil {
		return nil, err
	}
	set, err := a.cfg.Settings(ctx)
	if err != nil {
		return nil, err
	}
	change, err := in.check(set.Country)
	if err != nil {
		return nil, err
	}
	claims, err := a.ClientThrottle(ctx, "contact in use", caller.Client)
	if err != nil {
		return nil, err
	}
	owner, err := a.reauthenticate(ctx, caller, who, change, in)
	if err != nil {
		return nil, err
	}
	var old, row Account
	var user Customer
	err = a.updateOrRefuse(ctx, func(tx *db.Tx) (refusal, err error) {
		if old, err = who.Customer(tx); err != nil {
			return nil, err
		}
		row = old
		if err := change.apply(&row); err != nil {
			return nil, err
		}
		if change.changesContact(old) {
			if refusal, err := change.checkContacts(tx, owner, claims, old, &row); refusal != nil || err != nil {
				return refusal, err
			}
		}
		if err := saveProfile(tx, row); err != nil {
			return nil, err
		}
		if err := a.changeAddresses(tx, row.id, change); err != nil {
			return nil, err
		}
		user, err = row.View(tx)
		return nil, err
	})
	if err != nil {
		return nil, err
	}
	a.notifyContactsChanged(ctx, old, row)
	return &user, nil
}

// reauthenticate returns the proof in a request that changes a contact, with its password compared.
// The zero value means that no contact changes. Codes: invalid_credentials, rate_limited,
// token_invalid.
func (a *Accounts) reauthenticate(
	ctx context.Context, caller access.Caller, who Identity, change profileChange, in ProfileInput,
) (r reauthentication, err error) {
	if !change.changesEmail && !change.changesPhone {
		return r, nil
	}
	var row Account
	err = a.cfg.Data.View(ctx, func(ctx context.Context, tx *db.Tx) (err error) {
		row, err = who.Customer(tx)
		return err
	})
	if err != nil {
		return r, err
	}
	if !change.changesContact(row) {
		return r, nil
	}
	if r, err = a.newReauthentication(ctx, caller, accountKey(row.id), ProofInput{in.CurrentPassword, in.CurrentCode, in.CurrentPasskey}); err != nil {
		return r, err
	}
	return r, r.verifyPassword(ctx, row)
}

// profileChange is a checked [ProfileInput].
type profileChange struct {
	name         string // "" means unchanged
	email, phone *string
	changesEmail bool // email is in the request; nil removes it
	changesPhone bool // phone is in the request; nil removes it
	address      *Address
	addresses    []Address // nil means unchanged
}

func (in ProfileInput) check(country string) (profileChange, error) {
	var bad fault.Invalid
	c := profileChange{changesEmail: in.Email != nil, changesPhone: in.PhoneNumber != nil}
	if in.Name != nil {
		c.name = input.CheckName(&bad, "name", *in.Name)
	}
	c.email = input.CheckEmail(&bad, "email", in.Email)
	c.phone = input.CheckPhone(&bad, "phoneNumber", in.PhoneNumber, country)
	checkCurrentCode(&bad, in.CurrentCode)
	if in.Address != nil {
		address := CheckAddress(&bad, "address", *in.Address, country)
		c.address = &address
	}
	if in.Addresses == nil {
		return c, bad.Err()
	}
	if in.Address != nil {
		bad.Add("address", fault.CodeInvalidValue, "Send address or addresses, not both.")
	}
	if len(*in.Addresses) > MaxAddresses {
		bad.Add("addresses", fault.CodeInvalidValue, "There must be at most %d addresses.", MaxAddresses)
		return c, bad.Err()
	}
	c.addresses = make([]Address, len(*in.Addresses))
	for i, address := range *in.Addresses {
		c.addresses[i] = CheckAddress(&bad, fmt.Sprintf("addresses[%d]", i), address, country)
	}
	return c, bad.Err()
}

// setsEmail reports whether the e-mail address in row changes or is removed.
func (c profileChange) setsEmail(row Account) bool {
	return c.changesEmail && db.TextOf(c.email) != db.TextOf(row.email)
}

// setsPhone reports whether the phone in row changes or is removed.
func (c profileChange) setsPhone(row Account) bool {
	return c.changesPhone && db.TextOf(c.phone) != db.TextOf(row.phone)
}

// changesContact reports whether a contact in row changes or is removed.
func (c profileChange) changesContact(row Account) bool { return c.setsEmail(row) || c.setsPhone(row) }

// replacesContact reports whether row loses a contact, which requires re-authentication. Adding one
// to an account without does not: an unverified contact identifies nobody.
func (c profileChange) replacesContact(row Account) bool {
	return c.setsEmail(row) && row.email != nil || c.setsPhone(row) && row.phone != nil
}

// checkContacts checks whether the caller may set the changed contacts of row, and marks them as
// trusted if the caller has proved to be the owner. refusal is an error that must not roll back the
// transaction. Codes: rate_limited, customer_exists, reauthentication_required, otp_invalid.
func (c profileChange) checkContacts(tx *db.Tx, owner reauthentication, claims throttle.Throttle, old Account, row *Account) (refusal, err error) {
	if err := claims.Check(tx); err != nil {
		return nil, err
	}
	proof, refusal, err := owner.check(tx, old, c.replacesContact(old))
	if refusal != nil || err != nil {
		return refusal, err
	}
	inUse, err := contactInUse(tx, *row)
	if err != nil {
		return nil, err
	}
	if inUse {
		return fault.Errorf(fault.CodeCustomerExists,
			"Another account has this e-mail address or phone number. If the phone is yours, verify it with a code."), claims.Count(tx)
	}
	if c.setsEmail(old) {
		row.emailTrusted = proof.sufficient
	}
	if c.setsPhone(old) {
		row.phoneTrusted = proof.sufficient
	}
	return nil, proof.use(tx)
}

// apply changes row. A verified e-mail address or phone stays verified unless it changes.
// Codes: validation_failed.
func (c profileChange) apply(row *Account) error {
	if c.name != "" {
		row.name = c.name
	}
	if c.setsEmail(*row) {
		row.email, row.emailVerifiedAt = c.email, nil
	}
	if c.setsPhone(*row) {
		row.phone, row.phoneVerifiedAt = c.phone, nil
	}
	if row.email != nil || row.phone != nil {
		return nil
	}
	var bad fault.Invalid
	bad.Add("email", fault.CodeRequired, "An account must have an e-mail address or a phone number.")
	return bad.Err()
}

func (a *Accounts) changeAddresses(tx *db.Tx, customerID string, change profileChange) error {
	addresses := change.addresses
	switch {
	case change.address != nil:
		old, err := findAddresses(tx, customerID)
		if err != nil {
			return err
		}
		addresses = append([]Address{*change.address}, old[min(1, len(old)):]...)
	case addresses == nil:
		return nil
	}
	return a.replaceAddresses(tx, customerID, addresses)
}
