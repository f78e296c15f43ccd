package shop

import (
	"context"
	"crypto/hkdf"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"time"

	"storefront/db"
)

// Names of a shop's own secrets in the table secrets.
const (
	signingPrefix = "signing:" // and the key's id: signs access tokens
	signingEnd    = "signing;" // the first name after all that begin with signingPrefix
	macSecret     = "mac"      // order tokens and hashes of codes derive from it
)

const keyBytes = 32

// cachedKeys are the shop's own keys with the state of the file that they were read from.
type cachedKeys struct {
	key     settingsKey
	signing []signingKey // the one that signs first, then retired ones

	// One for each purpose, so that no value made for one serves another. All derive from macSecret.
	orderToken, throttle, otp []byte
}

// signingKey makes and checks access tokens.
type signingKey struct {
	id        string
	secret    []byte
	retiredAt *time.Time // nil: signs
}

// Create makes the shop's file with its own keys and with the settings that changes names; either
// all of it is there afterwards or nothing. The error is db.ErrExists when there is such a shop.
// Codes: validation_failed.
func Create(ctx context.Context, cfg Config, changes map[string]json.RawMessage) error {
	s := New(cfg)
	var settings Settings
	if err := settings.apply(changes); err != nil {
		return err
	}
	return s.store.Create(ctx, s.id, func(ctx context.Context, tx *db.Tx) error {
		if err := saveSettings(tx, settings); err != nil {
			return err
		}
		return s.generateKeys(tx)
	})
}

// generateKeys gives the shop fresh keys of its own.
func (s *Shop) generateKeys(tx *db.Tx) error {
	for _, name := range []string{signingPrefix + s.ids.Next(tx.Now()), macSecret} {
		if err := s.generateKey(tx, name); err != nil {
			return err
		}
	}
	return nil
}

func (s *Shop) generateKey(tx *db.Tx, name string) error {
	secret := make([]byte, keyBytes)
	if _, err := io.ReadFull(s.rand, secret); err != nil {
		return fmt.Errorf("make key: %w", err)
	}
	return s.saveSecret(tx, name, secret)
}

func (s *Shop) loadKeys(ctx context.Context) (*cachedKeys, error) {
	key, err := s.settingsKey(ctx)
	if err != nil {
		return nil, err
	}
	if c := s.keys.Load(); c != nil && c.key == key {
		return c, nil
	}
	c := &cachedKeys{key: key}
	err = s.view(ctx, func(ctx context.Context, tx *db.Tx) error {
		c.signing = nil
		return s.findKeys(tx, c)
	})
	if err != nil {
		return nil, err
	}
	s.keys.Store(c)
	return c, nil
}

func (s *Shop) findKeys(tx *db.Tx, c *cachedKeys) error {
	type row struct {
		name    string
		sealed  []byte
		retired *int64
	}
	rows, err := db.Query(tx, func(r db.Row) (v row, err error) {
		return v, r.Scan(&v.name, &v.sealed, &v.retired)
	}, `
		SELECT name, sealed, retired_at
		FROM secrets
		WHERE name = ? OR name >= ? AND name < ?
		ORDER BY retired_at IS NOT NULL, created_at DESC, name DESC`, macSecret, signingPrefix, signingEnd)
	if err != nil {
		return fmt.Errorf("find keys: %w", err)
	}
	var mac []byte
	for _, r := range rows {
		plain, err := s.sealer.Open(r.name, r.sealed)
		if err != nil {
			return fmt.Errorf("%w: %s of %s: %w", ErrSealed, r.name, s.id, err)
		}
		if id, ok := strings.CutPrefix(r.name, signingPrefix); ok {
			c.signing = append(c.signing, signingKey{id: id, secret: plain, retiredAt: db.FromNullMillis(r.retired)})
		} else {
			mac = plain
		}
	}
	if len(c.signing) == 0 || c.signing[0].retiredAt != nil || mac == nil {
		return fmt.Errorf("the file of %s lacks its keys", s.id)
	}
	for purpose, key := range map[string]*[]byte{"order-token": &c.orderToken, "throttle": &c.throttle, "otp": &c.otp} {
		if *key, err = hkdf.Key(sha256.New, mac, nil, purpose, keyBytes); err != nil {
			return fmt.Errorf("derive the key of %s: %w", purpose, err)
		}
	}
	return nil
}
