package sqlite_test

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"storefront/db"
	"storefront/db/sqlite"
)

// Another process opened the tenant after its log was removed, and wrote to a new one: the tenant
// stops, and a copy in the trash has every acknowledged order. Restoring it starts the tenant
// again.
func TestFilesRemoved_ForeignLog(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	s := openStore(t, dir, sqlite.Options{})
	create(t, s, shop)
	update(t, s, shop, addOrder(1))
	update(t, s, shop, addOrder(2))
	log := filepath.Join(dir, "tenants", "demo.db-wal")
	if err := os.Remove(log); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(log, make([]byte, 8192), 0o600); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if err := s.Update(t.Context(), shop, addOrder(3)); !errors.Is(err, db.ErrFilesRemoved) {
			t.Errorf("update: got %v, want ErrFilesRemoved", err)
		}
	}
	if f := s.Failures(); len(f) != 1 || f[0].ID != shop || !errors.Is(f[0].Err, db.ErrFilesRemoved) {
		t.Errorf("failures: got %v, want that of demo", f)
	}
	copies, err := filepath.Glob(filepath.Join(dir, "trash", "demo-*.db"))
	if err != nil || len(copies) != 1 {
		t.Fatalf("copies: got %v, %v, want one", copies, err)
	}
	if _, err := s.Restore(t.Context(), shop, copies[0], nil); err != nil {
		t.Fatal(err)
	}
	update(t, s, shop, addOrder(4))
	wantOrders(t, s, shop, 1, 2, 4)
	if f := s.Failures(); len(f) != 0 {
		t.Errorf("failures after the restore: got %v, want none", f)
	}
}

// Another process reads an earlier state when the log is removed, so the tenant's file cannot have
// every acknowledged order: the tenant stops in every process, also after a restart, until the copy
// is restored.
func TestFilesRemoved_ReaderOfOtherProcess(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	s := openStore(t, dir, sqlite.Options{})
	create(t, s, shop)
	update(t, s, shop, addOrder(1))
	reader, writer := startProcess(t, dir), startProcess(t, dir)
	reader.mustDo("read %s", shop)
	update(t, s, shop, addOrder(2))
	for _, suffix := range []string{"-wal", "-shm"} {
		if err := os.Remove(filepath.Join(dir, "tenants", "demo.db"+suffix)); err != nil {
			t.Fatal(err)
		}
	}
	for range 2 {
		if err := s.Update(t.Context(), shop, addOrder(3)); !errors.Is(err, db.ErrFilesRemoved) {
			t.Errorf("update: got %v, want ErrFilesRemoved", err)
		}
		s.EndRemovedPause(shop)
	}
	reader.mustDo("release")
	copies, err := filepath.Glob(filepath.Join(dir, "trash", "demo-*.db"))
	if err != nil || len(copies) != 1 {
		t.Fatalf("copies: got %v, %v, want one", copies, err)
	}
	if got := writer.do("order %s 3", shop); !strings.Contains(got, "restore "+copies[0]) {
		t.Errorf("update by another process: got %s, want it refused", got)
	}
	restarted := openStore(t, dir, sqlite.Options{})
	if err := restarted.Update(t.Context(), shop, addOrder(3)); !errors.Is(err, db.ErrFilesRemoved) {
		t.Errorf("update after a restart: got %v, want ErrFilesRemoved", err)
	}
	if _, err := restarted.Restore(t.Context(), shop, copies[0], nil); err != nil {
		t.Fatal(err)
	}
	update(t, s, shop, addOrder(4))
	writer.mustDo("order %s 5", shop)
	wantOrders(t, restarted, shop, 1, 2, 4, 5)
}

// A tenant that is stopped can be dropped and created again.
func TestFilesRemoved_Dropped(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	s := openStore(t, dir, sqlite.Options{})
	create(t, s, shop)
	update(t, s, shop, addOrder(1))
	log := filepath.Join(dir, "tenants", "demo.db-wal")
	if err := os.Remove(log); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(log, make([]byte, 8192), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := s.Update(t.Context(), shop, addOrder(2)); !errors.Is(err, db.ErrFilesRemoved) {
		t.Errorf("update: got %v, want ErrFilesRemoved", err)
	}
	if err := s.Drop(t.Context(), shop); err != nil {
		t.Fatal(err)
	}
	create(t, s, shop)
	update(t, s, shop, addOrder(3))
	wantOrders(t, s, shop, 3)
}

// A commit that was acknowledged after the log was removed is stored, and so is one that was
// queued. Then the tenant is stopped, and opens again by itself.
func TestFilesRemoved_DuringUpdate(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	s := openStore(t, dir, sqlite.Options{})
	create(t, s, shop)
	release := holdWriter(t, s)
	queued := queue(t, s, t.Context(), addOrder(1))
	if err := os.Remove(filepath.Join(dir, "tenants", "demo.db-wal")); err != nil {
		t.Fatal(err)
	}
	if err := release(); err != nil {
		t.Error(err)
	}
	if err := <-queued; err != nil {
		t.Error(err)
	}
	if err := s.Update(t.Context(), shop, addOrder(2)); !errors.Is(err, db.ErrFilesRemoved) {
		t.Errorf("update of the stopped tenant: got %v, want ErrFilesRemoved", err)
	}
	if err := s.View(t.Context(), shop, func(context.Context, *db.Tx) error { return nil }); !errors.Is(err, db.ErrFilesRemoved) {
		t.Errorf("view of the stopped tenant: got %v, want ErrFilesRemoved", err)
	}
	if f := s.Failures(); len(f) != 1 || f[0].ID != shop {
		t.Errorf("failures: got %v, want that of demo", f)
	}
	if got := s.Stats().Removed; got != 1 {
		t.Errorf("removed files: got %d, want 1", got)
	}
	other := startProcess(t, dir)
	other.mustDo("order %s 3", shop)
	s.EndRemovedPause(shop)
	update(t, s, shop, addOrder(4))
	wantOrders(t, s, shop, 1, 3, 4)
	if f := s.Failures(); len(f) != 0 {
		t.Errorf("failures after the pause: got %v, want none", f)
	}
}

// A file that was damaged when its log was removed is not opened again.
func TestFilesRemoved_Damaged(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	s := openStore(t, dir, sqlite.Options{})
	create(t, s, shop)
	for n := range int64(500) {
		update(t, s, shop, addOrder(n))
	}
	path := filepath.Join(dir, "tenants", "demo.db")
	if err := os.Remove(path + "-wal"); err != nil {
		t.Fatal(err)
	}
	s.CheckFiles(t.Context())
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.WriteAt(bytes.Repeat([]byte{0xff}, 4096), 2*4096); err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	s.EndRemovedPause(shop)
	for range 2 {
		if err := s.Update(t.Context(), shop, addOrder(1000)); !errors.Is(err, db.ErrCorrupt) {
			t.Errorf("update: got %v, want ErrCorrupt", err)
		}
	}
}

// CheckFiles finds the removed log of a tenant that nobody uses.
func TestCheckFiles(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	s := openStore(t, dir, sqlite.Options{})
	create(t, s, shop)
	update(t, s, shop, addOrder(1))
	s.CheckFiles(t.Context())
	if got := s.Stats().Removed; got != 0 {
		t.Errorf("removed files: got %d, want 0", got)
	}
	if err := os.Remove(filepath.Join(dir, "tenants", "demo.db-wal")); err != nil {
		t.Fatal(err)
	}
	s.CheckFiles(t.Context())
	if got := s.Stats().Removed; got != 1 {
		t.Errorf("removed files: got %d, want 1", got)
	}
	s.EndRemovedPause(shop)
	wantOrders(t, s, shop, 1)
}
