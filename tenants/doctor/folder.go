package doctor

import (
	"storefront/tenants"

	"context"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"time"

	"storefront/db/sqlite"
)

// lowDisk is the fraction of free space below which a disk counts as almost full.
const lowDisk = 0.1

// examineFolder checks a data folder's permissions and its disk.
func examineFolder(found *findings, dir string) {
	found.addResult(CodeDataFolder, "Accessible to its owner only.", checkPermissions(dir))
	found.addResult(CodeOwner, "All files belong to one user.", checkOwners(dir))
	if err := tenants.Probe(dir); err != nil {
		found.addResult(CodeDisk, "", err)
		return
	}
	disk, err := tenants.DiskOf(dir)
	switch {
	case err != nil: // the system does not report its free space
		found.ok(CodeDisk, "Writable.")
	case float64(disk.Free) < lowDisk*float64(disk.Size):
		found.warn(CodeDiskLow,
			"Only %d of %d MiB are free: free some space, or use a larger "+
				"disk.", disk.Free>>20, disk.Size>>20)
	default:
		found.ok(CodeDisk, "Writable; %d MiB are free.", disk.Free>>20)
	}
}

// checkPermissions checks that other users of this machine cannot access the data folder.
func checkPermissions(dir string) error {
	info, err := os.Stat(dir)
	if err != nil {
		return fmt.Errorf("check data folder: %w", err)
	}
	// Windows has no such modes: there the permissions of the parent folder count.
	if mode := info.Mode().Perm(); mode&0o077 != 0 && runtime.GOOS != "windows" {
		return fmt.Errorf("%s is accessible to other users (mode %04o): run `chmod 700 "+
			"%s`", dir, mode, dir)
	}
	return nil
}

// checkOwners checks that all files belong to the user of the folder tenants, who is the server's.
func checkOwners(dir string) error {
	owner, foreign, err := sqlite.FindForeignFiles(dir)
	if err != nil {
		return fmt.Errorf("check the files' owner: %w", err)
	}
	if len(foreign) > 0 {
		return fmt.Errorf("files do not belong to the owner of %s: %d, such as %s: run `chown -R %s %s`",
			filepath.Join(dir, "tenants"), len(foreign), foreign[0], owner, dir)
	}
	return nil
}

// examineTimes checks for files with a modification time in the future, from a clock that was set
// back or is slow.
func (t *examiner) examineTimes(ctx context.Context, found *findings) {
	newest, at, err := t.LastChange(ctx)
	if err != nil {
		found.addResult(CodeClock, "", err)
		return
	}
	if ahead := at.Sub(t.now()); ahead > tenants.MaxClockSkew {
		found.fail(CodeClock,
			"The shop %s was last written %s in the future: this machine's clock was set back or is wrong. "+
				"Synchronize it with NTP; codes, payments and tokens depend on "+
				"it.", newest, ahead.Round(time.Second))
		return
	}
	found.ok(CodeClock, "No file has a time in the future.")
}
