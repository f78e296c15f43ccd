package shop

import (
	"context"
	"fmt"
	"strings"
	"time"

	"storefront/db"
	"storefront/shop/access"
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
	var made SigningKey
	err := s.update(ctx, func(ctx context.Context, tx *db.Tx) error {
		made = SigningKey{ID: s.ids.Next(tx.Now()), CreatedAt: tx.Now()}
		if err := retireSigningKeys(tx); err != nil {
			return err
		}
		return s.generateKey(tx, signingPrefix+made.ID)
	})
	if err != nil {
		return nil, err
	}
	s.revision.Add(1)
	return &made, nil
}

// SigningKeys lists the keys whose tokens pass, the one that signs first.
func (s *Shop) SigningKeys(ctx context.Context, caller access.Caller) ([]SigningKey, error) {
	if err := s.requireAdmin(ctx, caller); err != nil {
		return nil, err
	}
	var keys []SigningKey
	err := s.view(ctx, func(ctx context.Context, tx *db.Tx) (err error) {
		keys, err = findSigningKeys(tx)
		return err
	})
	return keys, err
}

func findSigningKeys(tx *db.Tx) ([]SigningKey, error) {
	keys, err := db.Query(tx, func(r db.Row) (k SigningKey, err error) {
		var created int64
		var retired *int64
		err = r.Scan(&k.ID, &created, &retired)
		k.ID = strings.TrimPrefix(k.ID, signingPrefix)
		k.CreatedAt, k.RetiredAt = db.FromMillis(created), db.FromNullMillis(retired)
		if k.RetiredAt != nil {
			until := k.RetiredAt.Add(TokenLifetime)
			k.HonouredUntil = &until
		}
		return k, err
	}, `
		SELECT name, created_at, retired_at
		FROM secrets
		WHERE name >= ? AND name < ? AND (retired_at IS NULL OR retired_at > ?)
		ORDER BY retired_at IS NOT NULL, created_at DESC, name DESC`,
		signingPrefix, signingEnd, db.Millis(tx.Now().Add(-TokenLifetime)))
	if err != nil {
		return nil, fmt.Errorf("find signing keys: %w", err)
	}
	return keys, nil
}

// retireSigningKeys retires the key that signs and deletes those retired for longer than a token
// and the grace for other processes can last.
func retireSigningKeys(tx *db.Tx) error {
	_, err := tx.Exec(`
		UPDATE secrets
		SET retired_at = ?
		WHERE name >= ? AND name < ? AND retired_at IS NULL`, db.Millis(tx.Now()), signingPrefix, signingEnd)
	if err == nil {
		_, err = tx.Exec(`
			DELETE FROM secrets
			WHERE name >= ? AND name < ? AND retired_at <= ?`,
			signingPrefix, signingEnd, db.Millis(tx.Now().Add(-TokenLifetime-retiredGrace)))
	}
	if err != nil {
		return fmt.Errorf("retire signing key: %w", err)
	}
	return nil
}
