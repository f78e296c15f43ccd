package tenants

import (
	"context"
	"errors"
	"io/fs"
	"log/slog"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"storefront/db"
	"storefront/shop/fault"
)

// BackupPlan configures scheduled backups.
type BackupPlan struct {
	Dir    string        // folder of the backups and of nothing else; must exist, see [CheckBackupDir]
	Every  time.Duration // interval of the backups of a changing shop
	Retain int           // number of newest backups of each shop to retain; at least 1
}

// BackupStatus is the status of the scheduled backups.
type BackupStatus struct {
	// LastSuccess is the last time at which all shops had a backup as recent as the plan requires. A
	// zero time means not since the process started.
	LastSuccess time.Time
	Failing     int // shops with a failed last backup

	last map[db.ID]time.Time // of each shop; never changed
}

// BackupStatus returns the status of the scheduled backups.
func (t *Tenants) BackupStatus() BackupStatus {
	if s := t.backups.Load(); s != nil {
		return *s
	}
	return BackupStatus{}
}

const (
	// backupPause is the interval of checks for shops with a due backup.
	backupPause = time.Minute
	// backupRetry is the delay after a failed backup.
	backupRetry = 10 * time.Minute
)

// backupSchedule backs up the shops of a data folder by plan. It has no state on disk except the
// backups themselves, so a restart changes nothing.
type backupSchedule struct {
	tenants *Tenants
	plan    BackupPlan
	log     *slog.Logger
	// lastBackup is the time at which a shop was last backed up, or found equal to its last backup.
	lastBackup map[db.ID]time.Time
	retry      map[db.ID]time.Time // time to retry the shops with failed backups
	retryAt    time.Time           // time to retry after the folder failed
}

// RunBackups backs up shops by plan until ctx ends: each shop that has changed since its last
// backup, one at a time and with pauses, so that sales are not slowed down. Only one process of a
// data folder may run it.
func (t *Tenants) RunBackups(ctx context.Context, plan BackupPlan, log *slog.Logger) {
	b := &backupSchedule{tenants: t, plan: plan, log: log, retry: map[db.ID]time.Time{}}
	for {
		b.runDue(ctx)
		if !sleep(ctx, backupPause) {
			return
		}
	}
}

// sleep waits for d. It returns false if ctx ended first.
func sleep(ctx context.Context, d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return false
	case <-timer.C:
		return true
	}
}

// runDue backs up the shops that are due, unless the folder failed recently.
func (b *backupSchedule) runDue(ctx context.Context) {
	if now := b.tenants.now(); now.Before(b.retryAt) {
		return
	}
	err := b.backUpDue(ctx)
	if err == nil || ctx.Err() != nil {
		return
	}
	b.retryAt = b.tenants.now().Add(backupRetry)
	b.log.Error("backups failed: check that the folder is writable and has free space",
		"folder", b.plan.Dir, "error", err, "again", b.retryAt)
	b.setStatus(time.Time{}, max(1, len(b.retry)))
}

// backUpDue backs up the shops that are due. An error concerns the folder, where every backup would
// fail.
func (b *backupSchedule) backUpDue(ctx context.Context) error {
	if err := CheckBackupDir(b.plan.Dir); err != nil { // its disk may have been unmounted
		return err
	}
	if b.lastBackup == nil {
		last, err := b.loadLastBackups()
		if err != nil {
			return err
		}
		b.lastBackup = last
	}
	modified, err := b.modTimes(ctx)
	if err != nil {
		return err
	}
	if err := b.recordDeletions(ctx); err != nil {
		return err
	}
	maps.DeleteFunc(b.retry, func(id db.ID, _ time.Time) bool { return modified[id].IsZero() })
	for _, id := range slices.Sorted(maps.Keys(modified)) {
		if !b.due(id, modified[id]) {
			continue
		}
		began := time.Now()
		if err := b.backUpShop(ctx, id); err != nil {
			return err
		}
		if !sleep(ctx, min(time.Since(began), backupPause)) { // at most half of the time is spent on backups
			return ctx.Err()
		}
	}
	if len(b.retry) == 0 {
		b.setStatus(b.tenants.now(), 0)
	} else {
		b.setStatus(time.Time{}, len(b.retry))
	}
	return nil
}

// modTimes returns the times of the last writes to the shops that this process backs up. Shops in
// the database are backed up by one of all servers with scheduled backups.
func (b *backupSchedule) modTimes(ctx context.Context) (map[db.ID]time.Time, error) {
	if e := b.tenants.engines; e != nil && e.holdsLease(ctx, backupLease) {
		return e.ModTimes(ctx)
	}
	return b.tenants.files.Engine().ModTimes(ctx)
}

// recordDeletions records the deletion of shops with backups in the folder, so that restoring all
// shops omits them.
func (b *backupSchedule) recordDeletions(ctx context.Context) error {
	deleted, err := b.tenants.files.Deleted(ctx)
	if err != nil {
		return err
	}
	for id, at := range deleted {
		if _, ok := b.lastBackup[id]; !ok {
			continue
		}
		if exists, err := b.tenants.store.Exists(ctx, id); err != nil || exists { // it may be in the database
			continue
		}
		name := string(id) + deletionSuffix
		if recorded, err := readDeletion(b.plan.Dir, string(id)); err == nil && recorded.Equal(at) {
			continue
		}
		if err := os.RemoveAll(filepath.Join(b.plan.Dir, name)); err != nil {
			return err
		}
		if err := placeFile(b.plan.Dir, name, at.UTC().Format(time.RFC3339Nano)+"\n"); err != nil {
			return err
		}
	}
	return nil
}

// due reports whether the backup of a shop is due.
func (b *backupSchedule) due(id db.ID, modified time.Time) bool {
	now := b.tenants.now()
	if retryAt, failed := b.retry[id]; failed {
		return !now.Before(retryAt)
	}
	last, ok := b.lastBackup[id]
	old := now.Sub(last) >= b.plan.Every || now.Before(last) // the clock may be set back
	return !ok || old && modified.After(last.Add(-minModTimeAge))
}

// backUpShop backs up one shop. It logs errors of the shop and returns errors of the folder.
func (b *backupSchedule) backUpShop(ctx context.Context, id db.ID) error {
	backup, err := b.tenants.Backup(ctx, string(id), b.plan.Dir)
	switch {
	case ctx.Err() != nil, fault.HasCode(err, fault.CodeTenantNotFound): // deleted in the meantime
		return ctx.Err()
	case errors.Is(err, db.ErrFull), errors.Is(err, db.ErrReadOnly), errors.Is(err, fs.ErrPermission), errors.Is(err, fs.ErrNotExist):
		return err
	case err != nil:
		b.retry[id] = b.tenants.now().Add(backupRetry)
		b.log.Error("backup of shop failed: check it with `storefront doctor` and restore an earlier backup if it is damaged",
			"tenant", string(id), "error", err, "again", b.retry[id])
		return nil
	}
	delete(b.retry, id)
	b.lastBackup[id] = backup.CreatedAt
	return b.prune(ctx, id, backup)
}

// prune deletes backups that the plan does not retain: the latest if it equals the one before, and
// the oldest beyond plan.Retain.
func (b *backupSchedule) prune(ctx context.Context, id db.ID, latest *Backup) error {
	names, err := b.listBackups(id)
	if err != nil {
		return err
	}
	drop := names[:max(0, len(names)-b.plan.Retain)]
	if n := len(names); n > 1 {
		previous, err := readManifest(filepath.Join(b.plan.Dir, names[n-2]))
		if err == nil && previous.SHA256 == latest.SHA256 {
			drop = names[n-1:]
		}
	}
	for _, name := range drop {
		if err := removeBackup(filepath.Join(b.plan.Dir, name)); err != nil {
			return err
		}
	}
	if len(drop) == 0 {
		return nil
	}
	return pruneImages(ctx, b.plan.Dir, string(id))
}

// listBackups returns the file names of a shop's backups, oldest first.
func (b *backupSchedule) listBackups(id db.ID) ([]string, error) {
	paths, err := filepath.Glob(filepath.Join(b.plan.Dir, string(id)+"-*"))
	if err != nil {
		return nil, err
	}
	var names []string
	for _, path := range paths {
		name := filepath.Base(path)
		if parts := backupName.FindStringSubmatch(name); parts != nil && parts[1] == string(id) {
			names = append(names, name) // Glob sorts, and the times in the names sort by age
		}
	}
	return names, nil
}

// loadLastBackups reads the time of each shop's last backup, and deletes unfinished backups of
// earlier processes.
func (b *backupSchedule) loadLastBackups() (map[db.ID]time.Time, error) {
	entries, err := os.ReadDir(b.plan.Dir)
	if err != nil {
		return nil, err
	}
	last := map[db.ID]time.Time{}
	for _, e := range entries {
		if strings.HasPrefix(e.Name(), ".backup-") {
			if info, err := e.Info(); err == nil && time.Since(info.ModTime()) > staleBackupAge {
				if err := os.Remove(filepath.Join(b.plan.Dir, e.Name())); err != nil {
					return nil, err
				}
			}
			continue
		}
		b, err := readManifest(filepath.Join(b.plan.Dir, e.Name()))
		if err == nil && b.CreatedAt.After(last[db.ID(b.UID)]) {
			last[db.ID(b.UID)] = b.CreatedAt
		}
	}
	return last, nil
}

// staleBackupAge is the age from which an unfinished backup is abandoned.
const staleBackupAge = 24 * time.Hour

// setStatus sets the status. A zero success leaves the time of the last success unchanged.
func (b *backupSchedule) setStatus(success time.Time, failing int) {
	if success.IsZero() {
		success = b.tenants.BackupStatus().LastSuccess
	}
	b.tenants.backups.Store(&BackupStatus{LastSuccess: success, Failing: failing, last: maps.Clone(b.lastBackup)})
}
