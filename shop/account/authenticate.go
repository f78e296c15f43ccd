package account

import (
	"context"
	"errors"
	"time"

	"storefront/db"
	"storefront/shop/access"
	"storefront/shop/fault"
)

// Identity is the account of a valid access token, or a guest. It is determined before a
// transaction, since verifying a signature needs no rows. In the transaction that depends on it,
// [Identity.Customer] checks that the account exists and the token is not revoked. The zero value
// is a guest.
type Identity struct {
	customerID string
	version    int64
	proved     time.Time // when the customer entered a password or a code
	retired    bool      // the token was signed with a key that signs no more
	aging      bool      // the token is to be renewed; see [Identity.IsAging]
	lenient    bool      // treat a revoked token as a guest instead of an error
}

// RequireIdentity returns the identity of a caller who must be signed in.
// Codes: unauthenticated, token_expired, token_invalid.
func (a *Accounts) RequireIdentity(ctx context.Context, caller access.Caller) (Identity, error) {
	who, err := a.OptionalIdentity(ctx, caller)
	if err == nil && who.IsGuest() {
		return Identity{}, fault.Errorf(fault.CodeUnauthenticated, "Authentication is required: sign in and send the access token as a Bearer token.")
	}
	return who, err
}

// OptionalIdentity returns the identity of a caller who may be a guest. An invalid token is an
// error. Codes: token_expired, token_invalid.
func (a *Accounts) OptionalIdentity(ctx context.Context, caller access.Caller) (Identity, error) {
	switch {
	case caller.BadAuthorization:
		return Identity{}, fault.Errorf(fault.CodeTokenInvalid, "The Authorization header must be a Bearer token.")
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
	last := claims.AuthTime.Add(maxSignedIn)
	return Identity{
		customerID: claims.Subject, version: claims.Version, proved: claims.AuthTime.Time, retired: claims.retired,
		aging: !claims.retired && a.cfg.Now().Sub(claims.IssuedAt.Time) >= renewalAge && claims.ExpiresAt.Before(last),
	}, nil
}

// IdentityOrGuest returns the identity of a caller, or a guest if the token is invalid, expired or
// revoked. It is for use cases that are open to everyone and show more to the owner.
func (a *Accounts) IdentityOrGuest(ctx context.Context, caller access.Caller) (Identity, error) {
	who, err := a.OptionalIdentity(ctx, caller)
	if e, ok := errors.AsType[*fault.Error](err); ok && e.Kind() == fault.KindUnauthenticated {
		return Identity{}, nil
	}
	who.lenient = true
	return who, err
}

// CustomerID returns the account ID in the token, or "" for a guest. Unlike [Identity.Customer] it
// does not check that the account exists and the token is not revoked.
func (who Identity) CustomerID() string { return who.customerID }

// IsAging reports whether the caller's token is older than a day and can be renewed.
func (who Identity) IsAging() bool { return who.aging }

// IsGuest reports whether the caller sent no valid token.
func (who Identity) IsGuest() bool { return who.customerID == "" }

// Customer returns the caller's account, or the zero Account for a guest. A deleted account and a
// revoked token return the same error. Codes: token_invalid.
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
