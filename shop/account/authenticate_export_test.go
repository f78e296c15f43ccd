package account

import (
	"context"

	"storefront/db"
	"storefront/shop/access"
)

// Authentication is one of the three ways in which use cases authenticate a caller.
type Authentication func(*Accounts, context.Context, access.Caller) (Identity, error)

// The three ways, for tests.
var (
	RequireIdentity  Authentication = (*Accounts).RequireIdentity
	OptionalIdentity Authentication = (*Accounts).OptionalIdentity
	LenientIdentity  Authentication = (*Accounts).IdentityOrGuest
)

// Of returns the ID of the caller's account, or "" for a guest.
func (way Authentication) Of(ctx context.Context, a *Accounts, caller access.Caller) (id string, err error) {
	who, err := way(a, ctx, caller)
	if err != nil {
		return "", err
	}
	err = a.cfg.Data.View(ctx, func(ctx context.Context, tx *db.Tx) error {
		row, err := who.Customer(tx)
		id = row.id
		return err
	})
	return id, err
}
