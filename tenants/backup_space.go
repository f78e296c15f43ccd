package tenants

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"storefront/db"
)

// checkSpace checks that the disk of a folder has space for a backup of that size and MinFree in
// addition, since the shops may be on the same disk. Errors: db.ErrFull.
func checkSpace(dir string, need int64) error {
	disk, err := DiskOf(dir)
	if errors.Is(err, errors.ErrUnsupported) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("check disk space: %w", err)
	}
	if disk.Free < uint64(need)+MinFree {
		return fmt.Errorf("%w: %d MiB are free on the disk of %s, a backup needs %d MiB, and %d MiB must stay free: free some space",
			db.ErrFull, disk.Free>>20, dir, need>>20, MinFree>>20)
	}
	return nil
}

// removeBackup deletes a backup and its manifest.
func removeBackup(path string) error {
	// The backup first: verification reports a manifest without its backup, not the reverse.
	err := os.Remove(path)
	if manifestErr := os.Remove(path + manifestSuffix); err == nil && !errors.Is(manifestErr, os.ErrNotExist) {
		err = manifestErr
	}
	if err != nil {
		return fmt.Errorf("delete backup %s: %w", filepath.Base(path), err)
	}
	return nil
}
