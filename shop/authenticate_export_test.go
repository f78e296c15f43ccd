package shop

import (
	"context"

	"storefront/db"
	"storefront/shop/access"
)

// Authentication is one of the three ways in which use cases find out who calls.
type Authentication func(*Shop, context.Context, access.Caller) (identity, error)

// The ways, for tests.
var (
	RequireIdentity  Authentication = (*Shop).requireIdentity
	OptionalIdentity Authentication = (*Shop).optionalIdentity
	KnownIdentity    Authentication = (*Shop).identityOrGuest
)

// Of gives the id of the account that calls, "" for a guest, as a use case finds it.
func (a Authentication) Of(ctx context.Context, s *Shop, caller access.Caller) (id string, err error) {
	who, err := a(s, ctx, caller)
	if err != nil {
		return "", err
	}
	err = s.view(ctx, func(ctx context.Context, tx *db.Tx) error {
		row, err := who.customer(tx)
		id = row.id
		return err
	})
	return id, err
}
