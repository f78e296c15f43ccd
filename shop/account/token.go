package account

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/golang-jwt/jwt/v5"

	"storefront/db"
	"storefront/shop/access"
	"storefront/shop/fault"
	"storefront/shop/secret"
)

// TokenLifetime is the validity period of an access token.
const TokenLifetime = 7 * 24 * time.Hour

const (
	// maxSignedIn is how long after a password or a code a token can be renewed at most.
	maxSignedIn = 90 * 24 * time.Hour
	// renewalAge is the age from which the site renews a token.
	renewalAge    = 24 * time.Hour
	tokenIssuer   = "storefront-api"
	tokenAudience = "storefront"
	// maxTokenBytes is far above the length of an issued token. Longer texts are refused without
	// parsing.
	maxTokenBytes = 2048
	// retiredGrace covers tokens that another process issued before it noticed that the key was
	// retired.
	retiredGrace = time.Minute
)

// accessClaims are the claims of an access token.
type accessClaims struct {
	jwt.RegisteredClaims
	Audience audience `json:"aud"` // instead of the registered list
	Tenant   string   `json:"tid"`
	Version  int64    `json:"ver"` // the account's token_version at the time of issue; raising it revokes the token
	// AuthTime is when the customer proved to own the account; OpenID Connect Core 1.0, section 2.
	AuthTime *jwt.NumericDate `json:"auth_time"`

	retired bool // it was signed with a key that signs no more
}

// audience is a single audience, written as a text. Earlier tokens have a list of one.
type audience string

func (a *audience) UnmarshalJSON(data []byte) error {
	var list jwt.ClaimStrings
	if err := list.UnmarshalJSON(data); err != nil {
		return err
	}
	if len(list) == 1 {
		*a = audience(list[0])
	}
	return nil
}

func errTokenInvalid() *fault.Error {
	return fault.Errorf(fault.CodeTokenInvalid, "The access token is invalid: sign in again.")
}

func errTokenExpired() *fault.Error {
	return fault.Errorf(fault.CodeTokenExpired, "The access token has expired: sign in again.")
}

// issueToken returns a new access token for an account after the proof of its owner at a time.
func (a *Accounts) issueToken(keys *secret.Keys, customerID string, version int64, proved time.Time) (string, error) {
	now := a.cfg.Now()
	expires := now.Add(TokenLifetime)
	if last := proved.Add(maxSignedIn); last.Before(expires) {
		expires = last
	}
	token := jwt.NewWithClaims(jwt.SigningMethodHS256, accessClaims{
		RegisteredClaims: jwt.RegisteredClaims{
			Issuer:    tokenIssuer,
			Subject:   customerID,
			IssuedAt:  jwt.NewNumericDate(now),
			ExpiresAt: jwt.NewNumericDate(expires),
			ID:        a.cfg.IDs.Next(now),
		},
		Audience: tokenAudience,
		Tenant:   string(a.cfg.Data.ID),
		Version:  version,
		AuthTime: jwt.NewNumericDate(proved),
	})
	key := keys.Signing[0]
	token.Header["kid"] = key.ID
	return token.SignedString(key.Secret)
}

// parseToken returns the claims of a token that this shop issued and that has not expired. It does
// not compare the version with the account's. Codes: token_expired (otherwise valid),
// token_invalid.
func (a *Accounts) parseToken(keys *secret.Keys, text string) (*accessClaims, error) {
	if len(text) > maxTokenBytes {
		return nil, errTokenInvalid()
	}
	var key secret.SigningKey
	findKey := func(token *jwt.Token) (any, error) {
		i := slices.IndexFunc(keys.Signing, func(k secret.SigningKey) bool { return k.ID == token.Header["kid"] })
		if i < 0 {
			return nil, errors.New("unknown key")
		}
		key = keys.Signing[i]
		return key.Secret, nil
	}
	// The claims are checked below, where "expired" can be distinguished from "expired and otherwise
	// invalid".
	parser := jwt.NewParser(jwt.WithValidMethods([]string{jwt.SigningMethodHS256.Alg()}),
		jwt.WithStrictDecoding(), jwt.WithoutClaimsValidation())
	claims := &accessClaims{}
	if _, err := parser.ParseWithClaims(text, claims, findKey); err != nil {
		// The cause may quote the token, so it is dropped.
		return nil, errTokenInvalid()
	}
	now := a.cfg.Now()
	if !claims.passes(string(a.cfg.Data.ID), key, now) {
		return nil, errTokenInvalid()
	}
	if !now.Before(claims.ExpiresAt.Time) {
		return nil, errTokenExpired()
	}
	claims.retired = key.RetiredAt != nil
	return claims, nil
}

// RenewToken returns a token that is valid longer than the caller's: for 7 days, and for at most 90
// days after the customer entered a password or a code. A token of a retired signing key cannot be
// renewed, because somebody else who had the key could have signed it.
// Codes: unauthenticated, token_expired, token_invalid.
func (a *Accounts) RenewToken(ctx context.Context, caller access.Caller) (*AuthPayload, error) {
	who, err := a.RequireIdentity(ctx, caller)
	if err != nil {
		return nil, err
	}
	if who.retired {
		return nil, errTokenExpired()
	}
	keys, err := a.cfg.Secrets.Keys(ctx)
	if err != nil {
		return nil, err
	}
	var row Account
	var user Customer
	err = a.cfg.Data.View(ctx, func(_ context.Context, tx *db.Tx) error {
		if row, err = who.Customer(tx); err != nil {
			return err
		}
		user, err = row.View(tx)
		return err
	})
	if err != nil {
		return nil, err
	}
	return a.authPayload(keys, row, user, who.proved)
}

// clockSlack is the time by which the clock may be set back before new tokens are refused.
const clockSlack = 30 * time.Second

// passes reports whether the token is valid except for its age. A retired key is accepted only for
// tokens issued before its retirement, and thus for at most one token lifetime.
func (c *accessClaims) passes(tenant string, key secret.SigningKey, now time.Time) bool {
	if c.Issuer != tokenIssuer || c.Audience != tokenAudience ||
		c.Tenant != tenant || c.Subject == "" || c.IssuedAt == nil || c.ExpiresAt == nil || c.AuthTime == nil {
		return false
	}
	if c.IssuedAt.After(now.Add(clockSlack)) || c.NotBefore != nil && c.NotBefore.After(now) ||
		c.ExpiresAt.Sub(c.IssuedAt.Time) > TokenLifetime || c.AuthTime.After(c.IssuedAt.Time) || c.ExpiresAt.Sub(c.AuthTime.Time) > maxSignedIn {
		return false
	}
	return key.RetiredAt == nil || !c.IssuedAt.After(key.RetiredAt.Add(retiredGrace))
}
