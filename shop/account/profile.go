package account

import (
	"context"
	"fmt"

	"storefront/db"
	"storefront/shop/access"
	"storefront/shop/fault"
	"storefront/shop/input"
)

// MaxAddresses is the largest number of addresses of an account.
const MaxAddresses = 10

// ProfileInput is the input of [Accounts.UpdateProfile]. Fields that are left out do not change. An
// empty email or phoneNumber removes it; the account must have the other one then.
type ProfileInput struct {
	Name        *string    `json:"name,omitempty"`
	Email       *string    `json:"email,omitempty" doc:"An empty text removes it. A new one is unverified"`
	PhoneNumber *string    `json:"phoneNumber,omitempty" doc:"An empty text removes it. A new one is unverified until a code sent to it is used"`
	Address     *Address   `json:"address,omitempty" doc:"Replaces the default address"`
	Addresses   *[]Address `json:"addresses,omitempty" doc:"Replaces all addresses, the default one first; at most 10"`
}

// UpdateProfile changes the caller's account and returns it.
// Codes: validation_failed, customer_exists, unauthenticated, token_expired, token_invalid.
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
	var user Customer
	err = a.update(ctx, func(ctx context.Context, tx *db.Tx) error {
		row, err := who.Customer(tx)
		if err != nil {
			return err
		}
		if err := change.apply(&row); err != nil {
			return err
		}
		inUse, err := contactInUse(tx, row)
		if err != nil {
			return err
		}
		if inUse {
			return fault.Errorf(fault.CodeCustomerExists, "Another account has this e-mail address or phone number.")
		}
		if err := saveProfile(tx, row); err != nil {
			return err
		}
		if err := a.changeAddresses(tx, row.id, change); err != nil {
			return err
		}
		user, err = row.View(tx)
		return err
	})
	if err != nil {
		return nil, err
	}
	return &user, nil
}

// profileChange is a checked [ProfileInput].
type profileChange struct {
	name         string // "" means unchanged
	email, phone *string
	changesEmail bool // set email, which may be nil
	changesPhone bool // set phone, which may be nil
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
		bad.Add("addresses", fault.CodeInvalidValue, "An account can have at most %d addresses.", MaxAddresses)
		return c, bad.Err()
	}
	c.addresses = make([]Address, len(*in.Addresses))
	for i, address := range *in.Addresses {
		c.addresses[i] = CheckAddress(&bad, fmt.Sprintf("addresses[%d]", i), address, country)
	}
	return c, bad.Err()
}

// apply changes row. A verified e-mail address or phone stays verified unless it changes.
// Codes: validation_failed.
func (c profileChange) apply(row *Account) error {
	if c.name != "" {
		row.name = c.name
	}
	if c.changesEmail && db.TextOf(c.email) != db.TextOf(row.email) {
		row.email, row.emailVerifiedAt = c.email, nil
	}
	if c.changesPhone && db.TextOf(c.phone) != db.TextOf(row.phone) {
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
