package secret_test

import (
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"testing"
	"time"

	"storefront/db"
	"storefront/shop/secret"
	"storefront/shop/sequence"
	"storefront/shop/shoptest"
)

// newSecrets returns the secrets of a new shop, with its keys, and the clock of its store.
func newSecrets(t *testing.T) (*secret.Store, *db.Store, *shoptest.Clock) {
	t.Helper()
	clock := shoptest.NewClock()
	store := shoptest.NewStore(t, clock)
	secrets := openSecrets(store, "test")
	generate := func(_ context.Context, tx *db.Tx) error { return secrets.GenerateKeys(tx) }
	if err := store.Create(t.Context(), "test", generate); err != nil {
		t.Fatal(err)
	}
	return secrets, store, clock
}

// openSecrets returns the secrets of the shop as a sealer opens them.
func openSecrets(store *db.Store, sealer string) *secret.Store {
	return secret.NewStore(secret.Config{
		Store: store, ID: "test", Sealer: shoptest.Sealer(sealer), Rand: rand.Reader,
		IDs: sequence.NewSource(rand.Reader),
	})
}

func update(t *testing.T, store *db.Store, fn func(tx *db.Tx) error) {
	t.Helper()
	run := func(_ context.Context, tx *db.Tx) error { return fn(tx) }
	if err := store.Update(t.Context(), "test", run); err != nil {
		t.Fatal(err)
	}
}

// A secret is sealed in the file, opens under its name, and for no other shop.
func TestStore_Sealed(t *testing.T) {
	t.Parallel()
	secrets, store, _ := newSecrets(t)
	update(
		t,
		store,
		func(tx *db.Tx) error { return secrets.Save(tx, "sms.key", []byte("hunter2")) },
	)
	update(t, store, func(tx *db.Tx) error {
		var sealed []byte
		err := tx.QueryRow(`SELECT sealed FROM secrets WHERE name = 'sms.key'`).Scan(&sealed)
		if bytes.Equal(sealed, []byte("hunter2")) {
			t.Error("got the secret itself in the file")
		}
		plain, ferr := secrets.Find(tx, "sms.key")
		if string(plain) != "hunter2" {
			t.Errorf("got %q, want the secret", plain)
		}
		return errors.Join(err, ferr)
	})
	if err := secrets.Check(t.Context()); err != nil {
		t.Errorf("own sealer: got %v", err)
	}
	if err := openSecrets(store, "another").Check(t.Context()); !errors.Is(err, secret.ErrSealed) {
		t.Errorf("another sealer: got %v, want %v", err, secret.ErrSealed)
	}
}

// A rotation retires the signing key, whose tokens remain valid for a while, and changes no other.
func TestStore_RotateSigningKey(t *testing.T) {
	t.Parallel()
	secrets, _, clock := newSecrets(t)
	keys := func() *secret.Keys {
		t.Helper()
		keys, err := secrets.Keys(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		return keys
	}
	rotate := func() {
		t.Helper()
		clock.Advance(time.Hour)
		var inside string
		also := func(_ *db.Tx, key secret.SigningKey) error {
			inside = key.ID
			return nil
		}
		key, err := secrets.RotateSigningKey(t.Context(), 90*time.Minute, also)
		if err != nil || inside != key.ID {
			t.Fatalf("got the key %s, %v, want %s as in its transaction", key.ID, err, inside)
		}
	}
	first := keys()
	if bytes.Equal(first.OrderToken, first.OTP) || bytes.Equal(first.OTP, first.Throttle) {
		t.Error("got one key for different purposes")
	}
	rotate()
	second := keys()
	if len(second.Signing) != 2 || second.Signing[1].ID != first.Signing[0].ID ||
		second.Signing[1].RetiredAt == nil || !bytes.Equal(second.OrderToken, first.OrderToken) {
		t.Errorf(
			"got %+v after %+v, want the first signing key retired",
			second.Signing,
			first.Signing,
		)
	}
	rotate()
	rotate()
	for _, key := range keys().Signing {
		if key.ID == first.Signing[0].ID {
			t.Errorf(
				"got the first key, retired at %v, want it gone after its retention",
				key.RetiredAt,
			)
		}
	}
}

// A clone has the secrets of its shop and keys of its own. A file whose sealer is lost has new keys
// alone.
func TestStore_Adopt(t *testing.T) {
	t.Parallel()
	secrets, store, _ := newSecrets(t)
	update(
		t,
		store,
		func(tx *db.Tx) error { return secrets.Save(tx, "sms.key", []byte("hunter2")) },
	)
	before, err := secrets.Keys(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	clone := openSecrets(store, "clone")
	update(t, store, func(tx *db.Tx) error {
		if err := clone.Adopt(tx, shoptest.Sealer("test"), true, false); err != nil {
			return err
		}
		plain, err := clone.Find(tx, "sms.key")
		if string(plain) != "hunter2" {
			t.Errorf("got %q, want the shop's secret", plain)
		}
		return err
	})
	after, err := clone.Keys(t.Context())
	if err != nil || bytes.Equal(after.OrderToken, before.OrderToken) {
		t.Errorf("got %v, want other keys", err)
	}
	lost := openSecrets(store, "lost")
	update(t, store, func(tx *db.Tx) error { return lost.Adopt(tx, nil, false, false) })
	update(t, store, func(tx *db.Tx) error {
		if _, err := lost.Find(tx, "sms.key"); !errors.Is(err, db.ErrNotFound) {
			t.Errorf("without a sealer: got %v, want %v", err, db.ErrNotFound)
		}
		return nil
	})
	if err := lost.Check(t.Context()); err != nil {
		t.Errorf("new keys: got %v", err)
	}
}
