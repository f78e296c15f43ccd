package secret

import (
	"context"
	"crypto/hkdf"
	"crypto/sha256"
	"fmt"
	"io"
	"strings"
	"time"

	"storefront/db"
)

// Names of the shop's own keys in the table secrets.
const (
	signingPrefix = "signing:" // followed by the key's ID
	signingEnd    = "signing;" // the first name after all that begin with signingPrefix
	masterKey     = "mac"
)

// KeyBytes is the length of a generated key in bytes.
const KeyBytes = 32

// Keys are the shop's own keys. They must not be modified.
type Keys struct {
	// Signing has the active signing key first, then the retired ones. It is never empty.
	Signing []SigningKey

	// Derived from the master key, one for each purpose, so that a value created for one purpose is
	// invalid for the others.
	OrderToken, Throttle, OTP, Preview []byte
}

// SigningKey signs access tokens.
type SigningKey struct {
	ID        string
	Secret    []byte // set by [Store.Keys] alone
	CreatedAt time.Time
	RetiredAt *time.Time // nil for the active key
}

// cachedKeys are keys with the state of their source.
type cachedKeys struct {
	state State
	Keys
}

// GenerateKeys creates the shop's own keys. They must exist before any use.
func (s *Store) GenerateKeys(tx *db.Tx) error {
	for _, name := range []string{signingPrefix + s.cfg.IDs.Next(tx.Now()), masterKey} {
		if err := s.generateKey(tx, name); err != nil {
			return err
		}
	}
	return nil
}

func (s *Store) generateKey(tx *db.Tx, name string) error {
	key := make([]byte, KeyBytes)
	if _, err := io.ReadFull(s.cfg.Rand, key); err != nil {
		return fmt.Errorf("generate key: %w", err)
	}
	return s.Save(tx, name, key)
}

// Keys returns the shop's own keys. They are cached until the state changes.
func (s *Store) Keys(ctx context.Context) (*Keys, error) {
	state, err := s.State(ctx)
	if err != nil {
		return nil, err
	}
	if c := s.keys.Load(); c != nil && c.state == state {
		return &c.Keys, nil
	}
	c := &cachedKeys{state: state}
	err = s.view(ctx, func(_ context.Context, tx *db.Tx) (err error) {
		c.Keys, err = s.readKeys(tx)
		return err
	})
	if err != nil {
		return nil, err
	}
	s.keys.Store(c)
	return &c.Keys, nil
}

func (s *Store) readKeys(tx *db.Tx) (Keys, error) {
	rows, err := findKeys(tx)
	if err != nil {
		return Keys{}, err
	}
	var keys Keys
	var master []byte
	for _, row := range rows {
		plain, err := s.open(row.name, row.sealed)
		if err != nil {
			return Keys{}, err
		}
		if id, ok := strings.CutPrefix(row.name, signingPrefix); ok {
			keys.Signing = append(keys.Signing, SigningKey{ID: id, Secret: plain, RetiredAt: row.retiredAt})
		} else {
			master = plain
		}
	}
	if len(keys.Signing) == 0 || keys.Signing[0].RetiredAt != nil || master == nil {
		return Keys{}, fmt.Errorf("the file of %s lacks its keys", s.cfg.ID)
	}
	for purpose, key := range map[string]*[]byte{
		"order-token": &keys.OrderToken, "throttle": &keys.Throttle, "otp": &keys.OTP, "preview": &keys.Preview,
	} {
		if *key, err = hkdf.Key(sha256.New, master, nil, purpose, KeyBytes); err != nil {
			return Keys{}, fmt.Errorf("derive the key of %s: %w", purpose, err)
		}
	}
	return keys, nil
}

// RotateSigningKey retires the active signing key, creates the next one, deletes keys that have
// been retired for retention or longer, and returns the new key without its bytes. also runs in the
// same transaction.
func (s *Store) RotateSigningKey(
	ctx context.Context, retention time.Duration, also func(tx *db.Tx, key SigningKey) error,
) (SigningKey, error) {
	var key SigningKey
	err := s.update(ctx, func(_ context.Context, tx *db.Tx) error {
		key = SigningKey{ID: s.cfg.IDs.Next(tx.Now()), CreatedAt: tx.Now()}
		if err := retireSigningKey(tx); err != nil {
			return err
		}
		if err := deleteSigningKeys(tx, tx.Now().Add(-retention)); err != nil {
			return err
		}
		if err := s.generateKey(tx, signingPrefix+key.ID); err != nil {
			return err
		}
		return also(tx, key)
	})
	return key, err
}

// ListSigningKeys returns the active signing key and those retired less than retention ago, the
// active one first, without their bytes.
func (s *Store) ListSigningKeys(ctx context.Context, retention time.Duration) (keys []SigningKey, err error) {
	err = s.view(ctx, func(_ context.Context, tx *db.Tx) (err error) {
		keys, err = findSigningKeys(tx, tx.Now().Add(-retention))
		return err
	})
	return keys, err
}
