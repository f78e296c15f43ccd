package sqlite_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"storefront/db"
	"storefront/db/sqlite"
)

// Durability in a power cut cannot be tested, so this checks the settings that provide it.
func TestConnection_Pragmas(t *testing.T) {
	t.Parallel()
	s := newShop(t, sqlite.Options{})
	checkPragmas := func(_ context.Context, tx *db.Tx) error {
		for pragma, want := range map[string]string{
			"synchronous": "2", "journal_mode": "wal", "foreign_keys": "1", "trusted_schema": "0", "secure_delete": "1",
			"cache_size": "-2000",
		} {
			var got string
			if err := tx.QueryRow(`SELECT CAST(` + pragma + ` AS TEXT) FROM pragma_` + pragma).Scan(&got); err != nil || got != want {
				t.Errorf("%s: got %q, want %q (%v)", pragma, got, want, err)
			}
		}
		return nil
	}
	if err := errors.Join(s.Update(t.Context(), shop, checkPragmas), s.View(t.Context(), shop, checkPragmas)); err != nil {
		t.Error(err)
	}
}

// There are more different statements than a connection caches.
func TestStatementCache_Full(t *testing.T) {
	t.Parallel()
	s := newShop(t, sqlite.Options{})
	update(t, s, shop, func(_ context.Context, tx *db.Tx) error {
		for range 2 {
			for i := range 300 {
				var n int
				q := "SELECT length('" + strings.Repeat("x", i) + "')"
				if err := tx.QueryRow(q).Scan(&n); err != nil || n != i {
					return fmt.Errorf("%s: got %d: %w", q, n, err)
				}
			}
		}
		return nil
	})
}

// Text may contain NUL, which other engines refuse.
func TestTx_TextWithNUL(t *testing.T) {
	t.Parallel()
	s := newShop(t, sqlite.Options{})
	err := s.View(t.Context(), shop, func(_ context.Context, tx *db.Tx) error {
		var got string
		err := tx.QueryRow(`SELECT ?`, "a\x00é").Scan(&got)
		if got != "a\x00é" {
			t.Errorf("got %q", got)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}
