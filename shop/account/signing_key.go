package account

import (
	"context"
	"time"

	"storefront/db"
	"storefront/shop/access"
	"storefront/shop/secret"
)

// SigningKey describes a key that signs access tokens, without its secret.
type SigningKey struct {
	ID        string     `json:"id"` // the header kid of its tokens
	CreatedAt time.Time  `json:"createdAt"`
	RetiredAt *time.Time `json:"retiredAt"` // null while it signs
	// HonouredUntil is when the last token of a retired key expires; null while it signs.
	HonouredUntil *time.Time `json:"honouredUntil"`
}

// RotateSigningKey creates the key that signs access tokens from now on. Tokens of earlier keys
// remain valid until they expire. Keys without valid tokens are deleted. Codes: unauthenticated,
// forbidden.
func (a *Accounts) RotateSigningKey(ctx context.Context, caller access.Caller) (*SigningKey, error) {
	who, err := a.cfg.Data.Authorize(ctx, caller, access.ToRotateSigningKey)
	if err != nil {
		return nil, err
	}
	key, err := a.cfg.Secrets.RotateSigningKey(ctx, TokenLifetime+retiredGrace, func(tx *db.Tx, key secret.SigningKey) error {
		return who.Audit(tx, access.Subject{Kind: access.SubjectSigningKey, ID: key.ID})
	})
	if err != nil {
		return nil, err
	}
	rotated := newSigningKey(key)
	return &rotated, nil
}

// SigningKeys returns the keys whose tokens are valid, the active key first.
// Codes: unauthenticated, forbidden.
func (a *Accounts) SigningKeys(ctx context.Context, caller access.Caller) ([]SigningKey, error) {
	if err := access.Permit(ctx, a.cfg.Data, caller, access.ToSigningKeys); err != nil {
		return nil, err
	}
	found, err := a.cfg.Secrets.ListSigningKeys(ctx, TokenLifetime)
	if err != nil {
		return nil, err
	}
	keys := make([]SigningKey, len(found))
	for i, key := range found {
		keys[i] = newSigningKey(key)
	}
	return keys, nil
}

func newSigningKey(key secret.SigningKey) SigningKey {
	k := SigningKey{ID: key.ID, CreatedAt: key.CreatedAt, RetiredAt: key.RetiredAt}
	if k.RetiredAt != nil {
		until := k.RetiredAt.Add(TokenLifetime)
		k.HonouredUntil = &until
	}
	return k
}
