package db_test

import (
	"context"
	"os"
	"path/filepath"
	"testing"
	"time"

	"storefront/db"
)

func TestModTimes(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	const notes = `CREATE TABLE notes (id INTEGER PRIMARY KEY, text TEXT) STRICT;`
	store, err := db.Open(dir, db.Options{Schema: notes})
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
	touched, err := store.ModTimes(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if len(touched) != 2 || !touched["busy"].After(long.Add(time.Minute)) || touched["idle"].After(long.Add(time.Second)) {
		t.Errorf("touched: %v", touched)
	}
	if n := store.Stats().Open; n != 1 {
		t.Errorf("%d files are open: looking opens none", n)
	}

	// Reading, which opens a file and closes it later, is no news.
	if err := store.View(t.Context(), "idle", func(context.Context, *db.Tx) error { return nil }); err != nil {
		t.Fatal(err)
	}
	if err := store.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	again, err := db.Open(dir, db.Options{Schema: notes})
	if err != nil {
		t.Fatal(err)
	}
	defer again.Close(context.Background())
	if touched, err = again.ModTimes(t.Context()); err != nil || touched["idle"].After(long.Add(time.Second)) {
		t.Errorf("after reading, touched: %v, %v", touched, err)
	}
}
