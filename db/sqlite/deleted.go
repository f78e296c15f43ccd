package sqlite

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"storefront/db"
)

// deletedSuffix ends the name of a file in the trash that records when a tenant was dropped, so
// that copies of it elsewhere are not mistaken for a lost tenant. It is removed with the next
// tenant of that UID.
const deletedSuffix = ".deleted"

func (s *Files) deletedPath(id db.ID) string {
	return filepath.Join(s.dir, trashDir, string(id)+deletedSuffix)
}

// RecordDeleted records that a tenant was dropped at that time, in this folder or in the folder of
// its copies' origin.
func (s *Files) RecordDeleted(id db.ID, at time.Time) error {
	if err := id.Check(); err != nil {
		return err
	}
	path := s.deletedPath(id)
	err := os.WriteFile(path, []byte(at.UTC().Format(time.RFC3339Nano)+"\n"), 0o600)
	if err == nil {
		err = s.SetOwner(path)
	}
	if err != nil {
		return fmt.Errorf("record the deletion of tenant %s: %w", id, err)
	}
	return nil
}

// Deleted returns the dropped tenants that do not exist, with the times of the drops.
func (s *Files) Deleted(ctx context.Context) (map[db.ID]time.Time, error) {
	entries, err := os.ReadDir(filepath.Join(s.dir, trashDir))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("list deleted tenants: %w", err)
	}
	deleted := map[db.ID]time.Time{}
	for _, e := range entries {
		name, is := strings.CutSuffix(e.Name(), deletedSuffix)
		id := db.ID(name)
		if !is || !id.IsValid() {
			continue
		}
		exists, err := s.exists(id)
		if err != nil {
			return nil, fmt.Errorf("list deleted tenants: %w", err)
		}
		if exists {
			continue
		}
		text, err := os.ReadFile(s.deletedPath(id))
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return nil, fmt.Errorf("list deleted tenants: %w", err)
		}
		if at, err := time.Parse(time.RFC3339Nano, strings.TrimSpace(string(text))); err == nil {
			deleted[id] = at
		}
	}
	return deleted, nil
}
