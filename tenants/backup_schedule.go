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
	"storefront/shop"
)

// BackupPlan says when shops are copied without being asked to.
type BackupPlan struct {
	Dir    string        // of the copies, and of nothing else; made if need be
	Every  time.Duration // a shop that sells is copied so often
	Retain int           // copies of each shop that stay, the newest; at least 1
}

// BackupStatus tells how the plan goes.
type BackupStatus struct {
	// LastSuccess is when all shops were last seen to have a copy as new as the plan wants; the zero
	// time: not since the program began.
	LastSuccess time.Time
	Failing     int // shops that could not be copied when it was last tried
}

// BackupStatus tells how the copies by plan go.
func (t *Tenants) BackupStatus() BackupStatus {
	if s := t.backups.Load(); s != nil {
		return *s
	}
	return BackupStatus{}
}

const (
	// backupPause lies between two looks at which shops are due.
	backupPause = time.Minute
	// backupRetry is when copying is tried again after it failed.
	backupRetry = 10 * time.Minute
)

// backupSchedule copies the shops of a data folder by plan. What it did is told by the copies
// themselves, so that a restart changes nothing.
type backupSchedule struct {
	tenants *Tenants
	plan    BackupPlan
	log     *slog.Logger
	// lastBackup is when a shop's copy was made, or seen to be equal to what would be copied.
	lastBackup map[db.ID]time.Time
	retry      map[db.ID]time.Time // when a shop that could not be copied is tried again
	retryAt    time.Time           // when the folder is tried again after it was of no use
}

// RunBackups copies shops by plan until ctx ends: each that was written to since its last copy, one
// after the other and with pauses, so that sales are not felt. One process of a data folder runs it.
func (t *Tenants) RunBackups(ctx context.Context, plan BackupPlan, log *slog.Logger) {
	b := &backupSchedule{tenants: t, plan: plan, log: log, retry: map[db.ID]time.Time{}}
	for {
		b.runDue(ctx)
		if !sleep(ctx, backupPause) {
			return
		}
	}
}

// sleep waits and reports whether ctx still runs.
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

// runDue copies the shops that are due.
func (b *backupSchedule) runDue(ctx context.Context) {
	if now := b.tenants.now(); now.Before(b.retryAt) {
		return
	}
	err := b.backUpDue(ctx)
	if err == nil || ctx.Err() != nil {
		return
	}
	b.retryAt = b.tenants.now().Add(backupRetry)
	b.log.Error("no shop is backed up: see that the folder can be written to and has room", "folder", b.plan.Dir, "error", err, "again", b.retryAt)
	b.setStatus(time.Time{}, max(1, len(b.retry)))
}

// backUpDue copies the shops that are due. The error is one of the folder, which no copy would survive.
func (b *backupSchedule) backUpDue(ctx context.Context) error {
	if b.lastBackup == nil {
		copied, err := b.loadLastBackups()
		if err != nil {
			return err
		}
		b.lastBackup = copied
	}
	touched, err := b.tenants.store.ModTimes(ctx)
	if err != nil {
		return err
	}
	maps.DeleteFunc(b.retry, func(id db.ID, _ time.Time) bool { return touched[id].IsZero() })
	for _, id := range slices.Sorted(maps.Keys(touched)) {
		if !b.due(id, touched[id]) {
			continue
		}
		began := time.Now()
		if err := b.backUpShop(ctx, id); err != nil {
			return err
		}
		if !sleep(ctx, min(time.Since(began), backupPause)) { // half of the time belongs to sales alone
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

// due reports whether a shop is to be copied now.
func (b *backupSchedule) due(id db.ID, touched time.Time) bool {
	now := b.tenants.now()
	if again, failed := b.retry[id]; failed {
		return !now.Before(again)
	}
	last, ok := b.lastBackup[id]
	old := now.Sub(last) >= b.plan.Every || now.Before(last) // or the clock was set back
	return !ok || old && touched.After(last.Add(-minModTimeAge))
}

// backUpShop copies one shop. Its own faults are logged; the error is one of the folder.
func (b *backupSchedule) backUpShop(ctx context.Context, id db.ID) error {
	made, err := b.tenants.Backup(ctx, string(id), b.plan.Dir)
	switch {
	case ctx.Err() != nil, shop.HasCode(err, shop.CodeTenantNotFound): // deleted since
		return ctx.Err()
	case errors.Is(err, db.ErrFull), errors.Is(err, db.ErrReadOnly), errors.Is(err, fs.ErrPermission), errors.Is(err, fs.ErrNotExist):
		return err
	case err != nil:
		b.retry[id] = b.tenants.now().Add(backupRetry)
		b.log.Error("a shop is not backed up: examine it with storefront doctor, and restore an earlier copy if it is damaged",
			"tenant", string(id), "error", err, "again", b.retry[id])
		return nil
	}
	delete(b.retry, id)
	b.lastBackup[id] = made.CreatedAt
	return b.prune(id, made)
}

// prune deletes what the plan does not keep: a new copy that is equal to the one before, and copies
// beyond the newest.
func (b *backupSchedule) prune(id db.ID, made *Backup) error {
	copies, err := b.listBackups(id)
	if err != nil {
		return err
	}
	drop := copies[:max(0, len(copies)-b.plan.Retain)]
	if n := len(copies); n > 1 {
		before, err := readManifest(filepath.Join(b.plan.Dir, copies[n-2]))
		if err == nil && before != nil && before.SHA256 == made.SHA256 {
			drop = copies[n-1:]
		}
	}
	for _, name := range drop {
		if err := removeBackup(filepath.Join(b.plan.Dir, name)); err != nil {
			return err
		}
	}
	return nil
}

// listBackups gives the names of a shop's copies, the oldest first.
func (b *backupSchedule) listBackups(id db.ID) ([]string, error) {
	names, err := filepath.Glob(filepath.Join(b.plan.Dir, string(id)+"-*"+backupSuffix))
	if err != nil {
		return nil, err
	}
	var copies []string
	for _, name := range names {
		name = filepath.Base(name)
		if parts := backupName.FindStringSubmatch(name); parts != nil && parts[1] == string(id) {
			copies = append(copies, name) // sorted, and times in names sort by age
		}
	}
	return copies, nil
}

// loadLastBackups finds when each shop was last copied, and deletes what an earlier process left half done.
func (b *backupSchedule) loadLastBackups() (map[db.ID]time.Time, error) {
	if err := os.MkdirAll(b.plan.Dir, 0o700); err != nil {
		return nil, err
	}
	entries, err := os.ReadDir(b.plan.Dir)
	if err != nil {
		return nil, err
	}
	copied := map[db.ID]time.Time{}
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
		if err == nil && b != nil && b.CreatedAt.After(copied[db.ID(b.UID)]) {
			copied[db.ID(b.UID)] = b.CreatedAt
		}
	}
	return copied, nil
}

// staleBackupAge is how old a copy that is not whole must be to be nobody's any more.
const staleBackupAge = 24 * time.Hour

// setStatus keeps the status; a zero time keeps the last success.
func (b *backupSchedule) setStatus(success time.Time, failing int) {
	if success.IsZero() {
		success = b.tenants.BackupStatus().LastSuccess
	}
	b.tenants.backups.Store(&BackupStatus{LastSuccess: success, Failing: failing})
}
