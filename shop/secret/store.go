package secret

import (
	"context"
	"errors"
	"fmt"
	"io"
	"sync/atomic"

	"storefront/db"
	"storefront/shop/sequence"
)

// Sealer encrypts and decrypts the secrets of one shop. The name is bound to the sealed bytes: they
// open under no other name and for no other shop.
type Sealer interface {
	Seal(name string, plain []byte) ([]byte, error)
	Open(name string, sealed []byte) ([]byte, error)
}

// ErrSealed means that the data folder's key does not open a secret of the shop.
var ErrSealed = errors.New("a secret of the shop does not open")

// Config is the configuration of a Store. Every field is required.
type Config struct {
	Store  *db.Store
	ID     db.ID // of the shop
	Sealer Sealer
	Rand   io.Reader
	IDs    *sequence.Source
}

// Store reads and writes the secrets of one shop. It is safe for concurrent use.
type Store struct {
	cfg      Config
	keys     atomic.Pointer[cachedKeys]
	revision atomic.Uint64 // counts the changes by this Store that cached values depend on
}

// NewStore returns the secrets of the shop cfg.ID in cfg.Store. It reads nothing.
func NewStore(cfg Config) *Store { return &Store{cfg: cfg} }

// State identifies the secrets that a cached value was read from. Equal states of one Store mean
// equal secrets, except for those written by [Store.Save] and [Store.Delete]. Other commits of this
// process do not change it.
type State struct{ external, revision uint64 }

// State returns the current state. A secret read after the call is at least as new.
func (s *Store) State(ctx context.Context) (State, error) {
	external, err := s.cfg.Store.ExternalVersion(ctx, s.cfg.ID)
	return State{external, s.revision.Load()}, err
}

// Replace saves a secret in a transaction of its own and changes the state. A nil plain deletes the
// secret. also runs in the same transaction.
func (s *Store) Replace(ctx context.Context, name string, plain []byte, also func(tx *db.Tx) error) error {
	return s.update(ctx, func(_ context.Context, tx *db.Tx) error {
		if err := also(tx); err != nil {
			return err
		}
		if plain == nil {
			return s.Delete(tx, name)
		}
		return s.Save(tx, name, plain)
	})
}

// Save creates or replaces a secret. It does not change the state.
func (s *Store) Save(tx *db.Tx, name string, plain []byte) error {
	sealed, err := s.Seal(name, plain)
	if err != nil {
		return err
	}
	return upsertSecret(tx, name, sealed)
}

// Find returns a secret. The error is db.ErrNotFound if there is none with this name, or ErrSealed.
func (s *Store) Find(tx *db.Tx, name string) ([]byte, error) {
	sealed, err := findSecret(tx, name)
	if err != nil {
		return nil, err
	}
	return s.open(name, sealed)
}

// Has reports whether there is a secret with this name, without opening it.
func (s *Store) Has(tx *db.Tx, name string) (bool, error) {
	_, err := findSecret(tx, name)
	if errors.Is(err, db.ErrNotFound) {
		return false, nil
	}
	return err == nil, err
}

// Value is an opened secret.
type Value struct {
	Name  string
	Plain []byte
}

// List returns the secrets with names that begin with prefix, which must end in a dot. The error is
// ErrSealed if one of them does not open.
func (s *Store) List(tx *db.Tx, prefix string) ([]Value, error) {
	rows, err := findSecrets(tx, prefix)
	if err != nil {
		return nil, err
	}
	values := make([]Value, len(rows))
	for i, row := range rows {
		values[i].Name = row.name
		if values[i].Plain, err = s.open(row.name, row.sealed); err != nil {
			return nil, err
		}
	}
	return values, nil
}

// Delete deletes a secret, if there is one with this name. It does not change the state.
func (s *Store) Delete(tx *db.Tx, name string) error { return deleteSecret(tx, name) }

// Check opens every secret of the shop. The error is ErrSealed if the data folder's key does not
// open them all.
func (s *Store) Check(ctx context.Context) error {
	return s.view(ctx, func(_ context.Context, tx *db.Tx) error { return CheckAll(tx, s.cfg.Sealer) })
}

// OpenAll calls fn with each secret, opened. Errors: [ErrSealed], and fn's.
func (s *Store) OpenAll(ctx context.Context, fn func(name string, plain []byte) error) error {
	return s.view(ctx, func(_ context.Context, tx *db.Tx) error { return OpenAll(tx, s.cfg.Sealer, fn) })
}

// CheckAll opens every secret in a shop's file and discards the values. The error is ErrSealed with
// the first secret that sealer does not open: without its key the file is unusable.
func CheckAll(tx *db.Tx, sealer Sealer) error {
	return OpenAll(tx, sealer, func(string, []byte) error { return nil })
}

// OpenAll calls fn with each secret, opened by a sealer. Errors: [ErrSealed], and fn's.
func OpenAll(tx *db.Tx, sealer Sealer, fn func(name string, plain []byte) error) error {
	rows, err := findAllSecrets(tx)
	if err != nil {
		return err
	}
	for _, row := range rows {
		plain, err := sealer.Open(row.name, row.sealed)
		if err != nil {
			return fmt.Errorf("%w: %s: %w", ErrSealed, row.name, err)
		}
		if err := fn(row.name, plain); err != nil {
			return err
		}
	}
	return nil
}

// Seal returns plain sealed under a name, for storage outside of [Store.Save].
func (s *Store) Seal(name string, plain []byte) ([]byte, error) {
	sealed, err := s.cfg.Sealer.Seal(name, plain)
	if err != nil {
		return nil, fmt.Errorf("seal %s: %w", name, err)
	}
	return sealed, nil
}

// Open returns the content of a value from Seal with the same name, or ErrSealed.
func (s *Store) Open(name string, sealed []byte) ([]byte, error) { return s.open(name, sealed) }

func (s *Store) open(name string, sealed []byte) ([]byte, error) {
	plain, err := s.cfg.Sealer.Open(name, sealed)
	if err != nil {
		return nil, fmt.Errorf("%w: %s of %s: %w", ErrSealed, name, s.cfg.ID, err)
	}
	return plain, nil
}

func (s *Store) view(ctx context.Context, fn func(ctx context.Context, tx *db.Tx) error) error {
	return s.cfg.Store.View(ctx, s.cfg.ID, fn)
}

// update runs fn in a write transaction and changes the state once it is committed.
func (s *Store) update(ctx context.Context, fn func(ctx context.Context, tx *db.Tx) error) error {
	err := s.cfg.Store.Update(ctx, s.cfg.ID, fn)
	if err == nil {
		s.revision.Add(1)
	}
	return err
}
