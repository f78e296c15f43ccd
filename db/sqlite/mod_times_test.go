package sqlite_test

import (
	"context"
	"os"
	"path/filepath"
	"testing"
	"time"

	"storefront/db"
	"storefront/db/sqlite"
)

func TestModTimes(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	const notes = `CREATE TABLE notes (id INTEGER PRIMARY KEY, text TEXT) STRICT;`
	store, err := sqlite.Open(dir, sqlite.Options{Schema: notes})
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close(context.Background())
	for _, id := range []db.ID{"busy", "idle"} {
		if err := store.Create(t.Context(), id, func(context.Context, *db.Tx) error { return nil }); err != nil {
			t.Fatal(err)
		}
	}
	lastHour := time.Now().Add(-time.Hour)
	for _, name := range []string{"busy.db", "idle.db"} {
		if err := os.Chtimes(filepath.Join(dir, "tenants", name), lastHour, lastHour); err != nil {
			t.Fatal(err)
		}
	}
	err = store.Update(t.Context(), "busy", func(_ context.Context, tx *db.Tx) error {
		_, err := tx.Exec(`INSERT INTO notes (text) VALUES ('x')`)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	modified, err := store.ModTimes(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if len(modified) != 2 || !modified["busy"].After(lastHour.Add(time.Minute)) || modified["idle"].After(lastHour.Add(time.Second)) {
		t.Errorf("got %v, want only busy to be recent", modified)
	}
	if n := store.Stats().Open; n != 1 {
		t.Errorf("got %d open files, want only the updated one", n)
	}

	// Reading opens and closes a file, but does not change its time.
	if err := store.View(t.Context(), "idle", func(context.Context, *db.Tx) error { return nil }); err != nil {
		t.Fatal(err)
	}
	if err := store.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	again, err := sqlite.Open(dir, sqlite.Options{Schema: notes})
	if err != nil {
		t.Fatal(err)
	}
	defer again.Close(context.Background())
	if modified, err = again.ModTimes(t.Context()); err != nil || modified["idle"].After(lastHour.Add(time.Second)) {
		t.Errorf("after reading: got %v, %v, want idle to be unchanged", modified, err)
	}
}
