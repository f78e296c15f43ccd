package db_test

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"storefront/db"
)

func tidyStore(t *testing.T, s *db.Store) {
	t.Helper()
	if err := s.Tidy(t.Context()); err != nil {
		t.Fatal(err)
	}
}

// What a kill left half made goes, what may still be in the making stays.
func TestTidy(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	s := openStore(t, dir, db.Options{})
	if has, err := s.HasTenants(); has || err != nil {
		t.Errorf("an empty folder has tenants: %v, %v", has, err)
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
		t.Errorf("half-made files are tenants: %v, %v", has, err)
	}
	create(t, s, shop)
	tidyStore(t, s)
	if _, err := os.Stat(old); !os.IsNotExist(err) {
		t.Errorf("the old file: %v", err)
	}
	if _, err := os.Stat(young); err != nil {
		t.Errorf("the young file: %v", err)
	}
	if has, err := s.HasTenants(); !has || err != nil {
		t.Errorf("no tenants: %v, %v", has, err)
	}
	update(t, s, shop, addOrder(1))
}
