package account

import (
	"context"
	"errors"

	"storefront/db"
	"storefront/shop/access"
	"storefront/shop/fault"
)

// Identity is whom a good access token names. It is found before a transaction, because checking
// a signature needs no rows; whether the account is still there, and the token not revoked, is
// found by [identity.customer] inside the transaction that relies on it. The zero value is a guest.
type Identity struct {
	customerID string
	version    int64
	lenient    bool // a revoked token makes a guest instead of an error
}

// RequireIdentity is for what only a signed-in customer may do.
// Codes: unauthenticated, token_expired, token_invalid.
func (a *Accounts) RequireIdentity(ctx context.Context, caller access.Caller) (Identity, error) {
	who, err := a.OptionalIdentity(ctx, caller)
	if err == nil && who.IsGuest() {
		return Identity{}, fault.Errorf(fault.CodeUnauthenticated, "Sign in first, and send the access token as a Bearer.")
	}
	return who, err
}

// OptionalIdentity is for what guests may do too. A bad token is never silently a guest.
// Codes: token_expired, token_invalid.
func (a *Accounts) OptionalIdentity(ctx context.Context, caller access.Caller) (Identity, error) {
	switch {
	case caller.BadAuthorization:
		return Identity{}, fault.Errorf(fault.CodeTokenInvalid, "The Authorization header is not a Bearer token.")
	case caller.Bearer == "":
		return Identity{}, nil
	}
	keys, err := a.cfg.Secrets.Keys(ctx)
	if err != nil {
		return Identity{}, err
	}
	claims, err := a.parseToken(keys, caller.Bearer)
	if err != nil {
		return Identity{}, err
	}
	return Identity{customerID: claims.Subject, version: claims.Version}, nil
}

// IdentityOrGuest is for what needs the tenant only and shows its owner more: every fault of a token
// makes a guest.
func (a *Accounts) IdentityOrGuest(ctx context.Context, caller access.Caller) (Identity, error) {
	who, err := a.OptionalIdentity(ctx, caller)
	if e, ok := errors.AsType[*fault.Error](err); ok && e.Kind() == fault.KindUnauthenticated {
		return Identity{}, nil
	}
	who.lenient = true
	return who, err
}

// CustomerID returns the ID in the token; "" for a guest. The account may be deleted or the token
// revoked.
func (who Identity) CustomerID() string { return who.customerID }

// IsGuest reports whether no account was named.
func (who Identity) IsGuest() bool { return who.customerID == "" }

// Customer gives the account of who, as it stands in this transaction; a guest's is the zero row,
// which [Account.IsGuest] tells. An account that is gone and a token that was revoked are the
// same to the caller. Codes: token_invalid.
func (who Identity) Customer(tx *db.Tx) (Account, error) {
	if who.IsGuest() {
		return Account{}, nil
	}
	row, err := findCustomer(tx, who.customerID)
	switch {
	case err != nil && !errors.Is(err, db.ErrNotFound):
		return Account{}, err
	case err == nil && row.tokenVersion == who.version:
		return row, nil
	case who.lenient:
		return Account{}, nil
	}
	return Account{}, errTokenInvalid()
}
