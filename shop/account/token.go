package account

import (
	"errors"
	"slices"
	"time"

	"github.com/golang-jwt/jwt/v5"

	"storefront/shop/fault"
	"storefront/shop/secret"
)

// TokenLifetime is how long an access token is good for.
const TokenLifetime = 7 * 24 * time.Hour

const (
	tokenIssuer   = "storefront-api"
	tokenAudience = "storefront"
	// maxTokenBytes is far above any token made here: longer ones are refused unread.
	maxTokenBytes = 2048
	// retiredGrace covers tokens that another process made while it did not yet know that the
	// key is retired.
	retiredGrace = time.Minute
)

// accessClaims are what an access token says.
type accessClaims struct {
	jwt.RegisteredClaims
	Tenant  string `json:"tid"`
	Version int64  `json:"ver"` // the account's token_version; raising that one revokes the token
}

func errTokenInvalid() *fault.Error {
	return fault.Errorf(fault.CodeTokenInvalid, "The access token does not pass: sign in again.")
}

func errTokenExpired() *fault.Error {
	return fault.Errorf(fault.CodeTokenExpired, "The access token has run out: sign in again.")
}

// issueToken gives a fresh access token for an account.
func (a *Accounts) issueToken(keys *secret.Keys, customerID string, version int64) (string, error) {
	now := a.cfg.Now()
	token := jwt.NewWithClaims(jwt.SigningMethodHS256, accessClaims{
		RegisteredClaims: jwt.RegisteredClaims{
			Issuer:    tokenIssuer,
			Audience:  jwt.ClaimStrings{tokenAudience},
			Subject:   customerID,
			IssuedAt:  jwt.NewNumericDate(now),
			ExpiresAt: jwt.NewNumericDate(now.Add(TokenLifetime)),
			ID:        a.cfg.IDs.Next(now),
		},
		Tenant:  string(a.cfg.ID),
		Version: version,
	})
	key := keys.Signing[0]
	token.Header["kid"] = key.ID
	return token.SignedString(key.Secret)
}

// parseToken gives the claims of a token that this shop made and that is good now. Whether its
// version is still the account's is not known yet. Codes: token_expired (good but for its age),
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
	// The claims are checked below instead: only there can "expired" be told from "expired, and
	// wrong besides".
	parser := jwt.NewParser(jwt.WithValidMethods([]string{jwt.SigningMethodHS256.Alg()}),
		jwt.WithStrictDecoding(), jwt.WithoutClaimsValidation())
	claims := &accessClaims{}
	if _, err := parser.ParseWithClaims(text, claims, findKey); err != nil {
		// The cause may quote the token, so it goes nowhere.
		return nil, errTokenInvalid()
	}
	now := a.cfg.Now()
	if !claims.passes(string(a.cfg.ID), key, now) {
		return nil, errTokenInvalid()
	}
	if !now.Before(claims.ExpiresAt.Time) {
		return nil, errTokenExpired()
	}
	return claims, nil
}

// clockSlack is how far the clock may be set back without a fresh token being refused.
const clockSlack = 30 * time.Second

// passes reports whether everything but the age is right. A retired key vouches only for tokens
// from before its retirement, so it stops counting one lifetime after it.
func (c *accessClaims) passes(tenant string, key secret.SigningKey, now time.Time) bool {
	if c.Issuer != tokenIssuer || !slices.Equal(c.Audience, jwt.ClaimStrings{tokenAudience}) ||
		c.Tenant != tenant || c.Subject == "" || c.IssuedAt == nil || c.ExpiresAt == nil {
		return false
	}
	if c.IssuedAt.After(now.Add(clockSlack)) || c.NotBefore != nil && c.NotBefore.After(now) ||
		c.ExpiresAt.Sub(c.IssuedAt.Time) > TokenLifetime {
		return false
	}
	return key.RetiredAt == nil || !c.IssuedAt.After(key.RetiredAt.Add(retiredGrace))
}
