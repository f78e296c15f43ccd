package db_test

import (
	"context"
	"os"
	"path/filepath"
	"testing"
	"time"

	"storefront/db"
)

func TestStore_Touched(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	store, err := db.Open(dir, db.Options{Schema: `CREATE TABLE notes (id INTEGER PRIMARY KEY, text TEXT) STRICT;`})
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close(context.Background())
	for _, id := range []db.ID{"busy", "idle"} {
		if err := store.Create(t.Context(), id, func(context.Context, *db.Tx) error { return nil }); err != nil {
			t.Fatal(err)
		}
	}
	long := time.Now().Add(-time.Hour)
	for _, name := range []string{"busy.db", "idle.db"} {
		if err := os.Chtimes(filepath.Join(dir, "tenants", name), long, long); err != nil {
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
	touched, err := store.Touched(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if len(touched) != 2 || !touched["busy"].After(long.Add(time.Minute)) || touched["idle"].After(long.Add(time.Second)) {
		t.Errorf("touched: %v", touched)
	}
	if n := store.Stats().Open; n != 1 {
		t.Errorf("%d files are open: looking opens none", n)
	}
}
