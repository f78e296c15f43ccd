package sqlite

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"storefront/db"
)

// A copy has a rollback journal, and SQLite does not wait for the write lock when it switches a
// file to WAL.
func TestOpen_FileWithoutWALLockedByAnotherProcess(t *testing.T) {
	t.Parallel()
	nothing := func(context.Context, *db.Tx) error { return nil }
	uses := map[string]func(*Store) error{
		"view": func(s *Store) error { return s.View(t.Context(), "demo", nothing) },
		"check": func(s *Store) error {
			_, err := s.Check(t.Context(), "demo")
			return err
		},
		"drop": func(s *Store) error { return s.Drop(t.Context(), "demo") },
	}
	for name, use := range uses {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := storeWithoutWAL(t)
			release := lockFile(t, s.tenantPath("demo"))
			used := make(chan error, 1)
			go func() { used <- use(s) }()
			select {
			case err := <-used:
				t.Errorf("got %v while the file was locked, want the use to wait", err)
				release()
			case <-time.After(200 * time.Millisecond):
				release()
				if err := <-used; err != nil {
					t.Errorf("got %v after the lock was released, want nil", err)
				}
			}
		})
	}
	t.Run("timeout", func(t *testing.T) {
		t.Parallel()
		s := storeWithoutWAL(t)
		s.SetBusyTimeout(100)
		release := lockFile(t, s.tenantPath("demo"))
		if err := s.View(t.Context(), "demo", nothing); !errors.Is(err, db.ErrBusy) {
			t.Errorf("got %v, want db.ErrBusy", err)
		}
		release()
	})
}

// storeWithoutWAL returns a store whose one tenant, demo, has a file with a rollback journal.
func storeWithoutWAL(t *testing.T) *Store {
	t.Helper()
	open := func() *Store {
		s, err := Open(t.TempDir(), Options{Schema: "CREATE TABLE items (id INTEGER PRIMARY KEY) STRICT"})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() {
			if err := s.Close(context.Background()); err != nil {
				t.Errorf("close: %v", err)
			}
		})
		return s
	}
	from, s := open(), open()
	if err := from.Create(t.Context(), "demo", nil); err != nil {
		t.Fatal(err)
	}
	backup := filepath.Join(t.TempDir(), "demo.db")
	if err := from.Backup(t.Context(), "demo", backup); err != nil {
		t.Fatal(err)
	}
	if err := copyFile(backup, s.tenantPath("demo")); err != nil {
		t.Fatal(err)
	}
	file, err := os.ReadFile(backup)
	if err != nil {
		t.Fatal(err)
	}
	if got := file[18]; got != 1 { // the file format's write version: 1 is a rollback journal, 2 WAL
		t.Fatalf("write version of a backup: got %d, want 1", got)
	}
	return s
}

// lockFile acquires the write lock of the database file at path, as another process does. With a
// rollback journal, its commit waits for the readers of that moment.
func lockFile(t *testing.T, path string) (release func()) {
	t.Helper()
	c, err := connect(path, "rw", commonPragmas[:1])
	if err != nil {
		t.Fatal(err)
	}
	if err := c.run("BEGIN IMMEDIATE"); err != nil {
		t.Fatal(err)
	}
	return func() {
		if err := errors.Join(c.run("COMMIT"), c.close()); err != nil {
			t.Error(err)
		}
	}
}
