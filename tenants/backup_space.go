package tenants

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"storefront/db"
)

// checkSpace reports whether the disk of a folder has room for a copy of a shop and for sales beside it,
// since both may be on one disk. The error is db.ErrFull.
func (t *Tenants) checkSpace(ctx context.Context, id db.ID, dir string) error {
	need, err := t.store.Size(ctx, id)
	if err != nil {
		return err
	}
	disk, err := diskOf(dir)
	if errors.Is(err, errors.ErrUnsupported) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("look for room: %w", err)
	}
	if disk.Free < uint64(need)+MinFree {
		return fmt.Errorf("%w: %d MiB are free on the disk of %s, a copy takes %d, and %d stay free: make room there",
			db.ErrFull, disk.Free>>20, dir, need>>20, MinFree>>20)
	}
	return nil
}

// removeBackup deletes a copy and what is told of it.
func removeBackup(path string) error {
	// The copy first: one that is told of and missing is a fault, the reverse is not.
	err := os.Remove(path)
	if tell := os.Remove(path + manifestSuffix); err == nil && !errors.Is(tell, os.ErrNotExist) {
		err = tell
	}
	if err != nil {
		return fmt.Errorf("delete the copy %s: %w", filepath.Base(path), err)
	}
	return nil
}
