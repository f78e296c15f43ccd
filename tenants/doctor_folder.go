package tenants

import (
	"context"
	"fmt"
	"os"
	"runtime"
	"time"

	"storefront/db"
)

// lowDisk is the part of a disk below which it is about to fill.
const lowDisk = 0.1

// examineFolder looks at a data folder's rights and at its disk.
func examineFolder(found *findings, dir string) {
	found.addResult("data folder", "It is for the owner alone.", checkRights(dir))
	if err := probe(dir); err != nil {
		found.addResult("disk", "", err)
		return
	}
	disk, err := diskOf(dir)
	switch {
	case err != nil: // the system does not tell
		found.add("disk", StateOK, "It can be written to.")
	case float64(disk.Free) < lowDisk*float64(disk.Size):
		found.add("disk", StateWarning, "Only %d MiB of %d are free: make room, or take a larger one.", disk.Free>>20, disk.Size>>20)
	default:
		found.add("disk", StateOK, "%d MiB are free, and it can be written to.", disk.Free>>20)
	}
}

// checkRights looks whether others on this machine can enter the data folder.
func checkRights(dir string) error {
	info, err := os.Stat(dir)
	if err != nil {
		return fmt.Errorf("look at the data folder: %w", err)
	}
	// Windows has no such modes: there the rights of the folder above count.
	if mode := info.Mode().Perm(); mode&0o077 != 0 && runtime.GOOS != "windows" {
		return fmt.Errorf("others can enter %s (mode %04o): take that away with `chmod 700 %s`", dir, mode, dir)
	}
	return nil
}

// examineTimes looks for a clock that was set back, or runs behind: files from the future.
func (t *Tenants) examineTimes(ctx context.Context, found *findings) {
	touched, err := t.store.ModTimes(ctx)
	if err != nil {
		found.addResult("clock", "", err)
		return
	}
	var newest db.ID
	for id, at := range touched {
		if at.After(touched[newest]) {
			newest = id
		}
	}
	if ahead := touched[newest].Sub(t.now()); ahead > maxSkew {
		found.add("clock", StateFailing, "The shop %s was last written to %s from now: the clock of this machine was set back or is wrong. Set it by NTP; codes, payments and tokens go by it.", newest, ahead.Round(time.Second))
		return
	}
	found.add("clock", StateOK, "No shop was written to in the future.")
}
