package shop

import (
	"context"
	"time"

	"storefront/shop/access"
	"storefront/shop/secret"
)

// SigningKey tells of a key that access tokens are signed with, without the key.
type SigningKey struct {
	ID        string     `json:"id"` // the header kid of its tokens
	CreatedAt time.Time  `json:"createdAt"`
	RetiredAt *time.Time `json:"retiredAt"` // null: it signs
	// HonouredUntil is when the last token that a retired key signed has run out; null: it signs.
	HonouredUntil *time.Time `json:"honouredUntil"`
}

// RotateSigningKey has access tokens signed with a new key from now on. Those signed with the old
// one pass until they have run out. Keys that no token needs any more are deleted.
func (s *Shop) RotateSigningKey(ctx context.Context, caller access.Caller) (*SigningKey, error) {
	if err := s.requireAdmin(ctx, caller); err != nil {
		return nil, err
	}
	key, err := s.secrets.RotateSigningKey(ctx, TokenLifetime+retiredGrace)
	if err != nil {
		return nil, err
	}
	rotated := newSigningKey(key)
	return &rotated, nil
}

// SigningKeys lists the keys whose tokens are valid, the active key first.
func (s *Shop) SigningKeys(ctx context.Context, caller access.Caller) ([]SigningKey, error) {
	if err := s.requireAdmin(ctx, caller); err != nil {
		return nil, err
	}
	found, err := s.secrets.ListSigningKeys(ctx, TokenLifetime)
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
