package account

import (
	"context"

	"storefront/db"
	"storefront/shop/access"
)

// Authentication is one of the three ways in which use cases find out who calls.
type Authentication func(*Accounts, context.Context, access.Caller) (Identity, error)

// The ways, for tests.
var (
	RequireIdentity  Authentication = (*Accounts).RequireIdentity
	OptionalIdentity Authentication = (*Accounts).OptionalIdentity
	LenientIdentity  Authentication = (*Accounts).IdentityOrGuest
)

// Of gives the id of the account that calls, "" for a guest, as a use case finds it.
func (a Authentication) Of(ctx context.Context, s *Accounts, caller access.Caller) (id string, err error) {
	who, err := a(s, ctx, caller)
	if err != nil {
		return "", err
	}
	err = s.view(ctx, func(ctx context.Context, tx *db.Tx) error {
		row, err := who.Customer(tx)
		id = row.id
		return err
	})
	return id, err
}
