package shop

import (
	"context"
	"errors"

	"storefront/db"
	"storefront/shop/access"
	"storefront/shop/fault"
)

// identity is whom a good access token names. It is found before a transaction, because checking
// a signature needs no rows; whether the account is still there, and the token not revoked, is
// found by [identity.customer] inside the transaction that relies on it. The zero value is a guest.
type identity struct {
	customerID string
	version    int64
	forgiving  bool // a revoked token makes a guest instead of an error
}

// requireIdentity is for what only a signed-in customer may do.
// Codes: unauthenticated, token_expired, token_invalid.
func (s *Shop) requireIdentity(ctx context.Context, caller access.Caller) (identity, error) {
	who, err := s.optionalIdentity(ctx, caller)
	if err == nil && who.isGuest() {
		return identity{}, fault.Errorf(fault.CodeUnauthenticated, "Sign in first, and send the access token as a Bearer.")
	}
	return who, err
}

// optionalIdentity is for what guests may do too. A bad token is never silently a guest.
// Codes: token_expired, token_invalid.
func (s *Shop) optionalIdentity(ctx context.Context, caller access.Caller) (identity, error) {
	switch {
	case caller.BadAuthorization:
		return identity{}, fault.Errorf(fault.CodeTokenInvalid, "The Authorization header is not a Bearer token.")
	case caller.Bearer == "":
		return identity{}, nil
	}
	keys, err := s.secrets.Keys(ctx)
	if err != nil {
		return identity{}, err
	}
	claims, err := s.parseToken(keys, caller.Bearer)
	if err != nil {
		return identity{}, err
	}
	return identity{customerID: claims.Subject, version: claims.Version}, nil
}

// identityOrGuest is for what needs the tenant only and shows its owner more: every fault of a token
// makes a guest.
func (s *Shop) identityOrGuest(ctx context.Context, caller access.Caller) (identity, error) {
	who, err := s.optionalIdentity(ctx, caller)
	if e, ok := errors.AsType[*fault.Error](err); ok && e.Kind() == fault.KindUnauthenticated {
		return identity{}, nil
	}
	who.forgiving = true
	return who, err
}

func (who identity) isGuest() bool { return who.customerID == "" }

// customer gives the account of who, as it stands in this transaction; a guest's is the zero row,
// which [customerRow.isGuest] tells. An account that is gone and a token that was revoked are the
// same to the caller. Codes: token_invalid.
func (who identity) customer(tx *db.Tx) (customerRow, error) {
	if who.isGuest() {
		return customerRow{}, nil
	}
	row, err := findCustomer(tx, who.customerID)
	switch {
	case err != nil && !errors.Is(err, db.ErrNotFound):
		return customerRow{}, err
	case err == nil && row.tokenVersion == who.version:
		return row, nil
	case who.forgiving:
		return customerRow{}, nil
	}
	return customerRow{}, errTokenInvalid()
}
