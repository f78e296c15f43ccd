package certificate

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"path"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/caddyserver/certmagic"
)

// Store stores the shared data of several servers with the same names: certificates, their keys,
// the account and pending challenges. Names have parts that are separated by slashes.
type Store interface {
	Put(ctx context.Context, name string, value []byte) error
	// Get returns a value and the time at which it was stored. Errors: [fs.ErrNotExist].
	Get(ctx context.Context, name string) (value []byte, storedAt time.Time, err error)
	// Delete deletes the value of that name and those below it. A missing value is no error.
	Delete(ctx context.Context, name string) error
	// List returns the names of the values below a name, or of all values for "".
	List(ctx context.Context, name string) ([]string, error)
	// Lock waits for the lock of that name among all servers. The lock of a server that has ended
	// becomes free after a while. unlock must be called once.
	Lock(ctx context.Context, name string) (unlock func() error, err error)
}

// sharedStorage is certmagic's storage in a [Store]. The certificates of this server are copied to
// its folder, so that it can serve TLS even if it starts while the store cannot be reached.
type sharedStorage struct {
	store  Store
	copies *certmagic.FileStorage
	log    *slog.Logger
	failed atomic.Bool // the last access to the store

	mu    sync.Mutex
	locks map[string]func() error // held by this server
}

func newSharedStorage(store Store, dir string, log *slog.Logger) *sharedStorage {
	return &sharedStorage{
		store:  store,
		copies: &certmagic.FileStorage{Path: dir},
		log:    log,
		locks:  map[string]func() error{},
	}
}

// String is the storage's name in certmagic's log.
func (s *sharedStorage) String() string { return "database" }

// note records whether an access to the store has failed, and returns its error.
func (s *sharedStorage) note(ctx context.Context, err error) error {
	failed := err != nil && !errors.Is(err, fs.ErrNotExist)
	if ctx.Err() == nil || !failed {
		s.failed.Store(failed)
	}
	return err
}

// isCopied reports whether this server copies the value because it needs it to serve TLS.
func isCopied(key string) bool { return strings.HasPrefix(key, "certificates/") }

// copy copies a value to the folder, unless it is there.
func (s *sharedStorage) copy(ctx context.Context, key string, value []byte) {
	if !isCopied(key) {
		return
	}
	if present, err := s.copies.Load(ctx, key); err == nil && bytes.Equal(present, value) {
		return
	}
	if err := s.copies.Store(ctx, key, value); err != nil && ctx.Err() == nil {
		s.log.Warn("certificate not copied to the data folder", "error", err)
	}
}

// Store implements [certmagic.Storage].
func (s *sharedStorage) Store(ctx context.Context, key string, value []byte) error {
	if err := s.note(ctx, s.store.Put(ctx, key, value)); err != nil {
		return err
	}
	s.copy(ctx, key, value)
	return nil
}

// Load implements [certmagic.Storage].
func (s *sharedStorage) Load(ctx context.Context, key string) ([]byte, error) {
	value, _, err := s.store.Get(ctx, key)
	switch {
	case s.note(ctx, err) == nil:
		s.copy(ctx, key, value)
		return value, nil
	case errors.Is(err, fs.ErrNotExist) || !isCopied(key):
		return nil, err
	}
	if present, cerr := s.copies.Load(ctx, key); cerr == nil {
		return present, nil
	}
	return nil, err
}

// Delete implements [certmagic.Storage].
func (s *sharedStorage) Delete(ctx context.Context, key string) error {
	if err := s.note(ctx, s.store.Delete(ctx, key)); err != nil {
		return err
	}
	if err := s.copies.Delete(ctx, key); err != nil {
		return fmt.Errorf("delete the copy: %w", err)
	}
	return nil
}

// Exists implements [certmagic.Storage].
func (s *sharedStorage) Exists(ctx context.Context, key string) bool {
	_, err := s.Stat(ctx, key)
	return err == nil
}

// List implements [certmagic.Storage].
func (s *sharedStorage) List(ctx context.Context, key string, recursive bool) ([]string, error) {
	names, err := s.store.List(ctx, key)
	if s.note(ctx, err) != nil {
		return nil, err
	}
	if len(names) == 0 {
		return nil, fmt.Errorf("list %s: %w", key, fs.ErrNotExist)
	}
	if recursive {
		return names, nil
	}
	for i, name := range names {
		first, _, _ := strings.Cut(strings.TrimPrefix(strings.TrimPrefix(name, key), "/"), "/")
		names[i] = path.Join(key, first)
	}
	return slices.Compact(names), nil
}

// Stat implements [certmagic.Storage].
func (s *sharedStorage) Stat(ctx context.Context, key string) (certmagic.KeyInfo, error) {
	value, storedAt, err := s.store.Get(ctx, key)
	if err == nil {
		return certmagic.KeyInfo{
				Key:        key,
				Modified:   storedAt,
				Size:       int64(len(value)),
				IsTerminal: true,
			}, s.note(
				ctx,
				nil,
			)
	}
	if errors.Is(err, fs.ErrNotExist) {
		var below []string
		if below, err = s.store.List(ctx, key); err == nil && len(below) == 0 {
			err = fs.ErrNotExist
		}
	}
	return certmagic.KeyInfo{Key: key}, s.note(ctx, err)
}

// Lock implements [certmagic.Locker].
func (s *sharedStorage) Lock(ctx context.Context, name string) error {
	unlock, err := s.store.Lock(ctx, name)
	if s.note(ctx, err) != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.locks[name] = unlock
	return nil
}

// Unlock implements [certmagic.Locker].
func (s *sharedStorage) Unlock(ctx context.Context, name string) error {
	s.mu.Lock()
	unlock := s.locks[name]
	delete(s.locks, name)
	s.mu.Unlock()
	if unlock == nil {
		return fmt.Errorf("%s is not locked", name)
	}
	return s.note(ctx, unlock())
}

// maxChallengeChecks limits how many checks for a challenge of another server run at the same time:
// any client can cause one.
const maxChallengeChecks = 2

// isChallenged reports whether the authority is expected to check a canonical name: a challenge of
// this server, or of another server with the same store, is pending.
func (m *Manager) isChallenged(ctx context.Context, name string) bool {
	if _, pending := certmagic.GetACMEChallenge(name); pending {
		return true
	}
	if m.shared == nil || m.Ownership(name) != Owned {
		return false
	}
	select {
	case m.challengeChecks <- struct{}{}:
		defer func() { <-m.challengeChecks }()
	case <-ctx.Done():
		return false
	}
	safe := certmagic.StorageKeys.Safe
	_, _, err := m.shared.store.Get(
		ctx,
		path.Join("acme", safe(m.issuer.IssuerKey()), "challenge_tokens", safe(name)+".json"),
	)
	return err == nil
}

// storagePause is the pause after a certificate could not be obtained because the shared storage
// failed.
const storagePause = 10 * time.Second

// adoptCopies stores the certificates of this server's folder in the shared storage if that has
// none, because its shops were only in files before.
func (s *sharedStorage) adoptCopies(ctx context.Context) (err error) {
	const lock = "adopt"
	if err := s.Lock(ctx, lock); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.Unlock(context.WithoutCancel(ctx), lock)) }()
	if names, err := s.store.List(ctx, ""); err != nil || len(names) > 0 {
		return s.note(ctx, err)
	}
	own, err := s.copies.List(ctx, "", true)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	for _, key := range own {
		if info, err := s.copies.Stat(ctx, key); err != nil || !info.IsTerminal ||
			strings.HasPrefix(key, "locks/") {
			continue
		}
		value, err := s.copies.Load(ctx, key)
		if err == nil {
			err = s.note(ctx, s.store.Put(ctx, key, value))
		}
		if err != nil {
			return fmt.Errorf("store %s for all servers: %w", key, err)
		}
	}
	return err
}
