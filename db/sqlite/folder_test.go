package sqlite_test

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"storefront/db/sqlite"
)

func tidyStore(t *testing.T, s *sqlite.Store) {
	t.Helper()
	if err := s.Tidy(t.Context()); err != nil {
		t.Fatal(err)
	}
}

// Tidy deletes old unfinished files, and no recent ones, which may still be in progress.
func TestTidy(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	s := openStore(t, dir, sqlite.Options{})
	if has, err := s.HasTenants(); has || err != nil {
		t.Errorf("HasTenants of an empty folder: got %v, %v, want false", has, err)
	}
	old, young := filepath.Join(dir, "tenants", ".new-old-1"), filepath.Join(dir, "tenants", ".new-young-1")
	for _, path := range []string{old, young} {
		if err := os.WriteFile(path, []byte("half"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	lastWeek := time.Now().Add(-7 * 24 * time.Hour)
	if err := os.Chtimes(old, lastWeek, lastWeek); err != nil {
		t.Fatal(err)
	}
	if has, err := s.HasTenants(); has || err != nil {
		t.Errorf("HasTenants with unfinished files: got %v, %v, want false", has, err)
	}
	create(t, s, shop)
	tidyStore(t, s)
	if _, err := os.Stat(old); !os.IsNotExist(err) {
		t.Errorf("old file: got %v, want it removed", err)
	}
	if _, err := os.Stat(young); err != nil {
		t.Errorf("recent file: got %v, want it unchanged", err)
	}
	if has, err := s.HasTenants(); !has || err != nil {
		t.Errorf("HasTenants: got %v, %v, want true", has, err)
	}
	update(t, s, shop, addOrder(1))
}
