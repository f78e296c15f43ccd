package cmd

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"time"

	"storefront/tenants"
)

// restoredAsOf is a restored shop with the time of its data.
type restoredAsOf struct {
	*tenants.Restored
	AsOf time.Time `json:"asOf"` // time of its last change, or of the backup
}

// restoreReport is the result of restoring all shops.
type restoreReport struct {
	Restored []*restoredAsOf `json:"restored"`
	Present  []string        `json:"present"` // in the data folder already, not restored
	Deleted  []string        `json:"deleted"` // deleted after the copy, not restored
	Failed   []failedShop    `json:"failed"`
}

// restoreFolder restores each shop from its newest backup in a folder.
func (a *app) restoreFolder(ctx context.Context, r tenants.RestoreOptions) error {
	if r.As != "" || r.Of != "" {
		return &usageError{err: errors.New("--all cannot be combined with --as or --of"), command: "storefront restore"}
	}
	newest, err := tenants.NewestBackups(r.File)
	if err != nil {
		return err
	}
	if len(newest) == 0 {
		return fmt.Errorf("no backup found in %s", r.File)
	}
	if err := a.requireKey(r); err != nil {
		return err
	}
	var uids []string
	backups := map[string]tenants.BackupFile{}
	for _, c := range newest {
		uids, backups[c.UID] = append(uids, c.UID), c
	}
	return a.withNewTenants(ctx, func(t *tenants.Tenants) error {
		recorded, err := t.DeletedShops(ctx)
		if err != nil {
			return err
		}
		deleted := func(uid string) (bool, error) {
			return !backups[uid].DeletedAt.IsZero() || recorded[uid].After(backups[uid].CreatedAt), nil
		}
		return a.restoreAll(ctx, t, uids, deleted, func(uid string) (*restoredAsOf, error) {
			r.File = backups[uid].File
			done, err := t.Restore(ctx, r)
			return &restoredAsOf{done, backups[uid].CreatedAt}, err
		})
	})
}

// requireKey returns an error if the data folder has no key, because opening it would create
// another key than the shops'.
func (a *app) requireKey(r tenants.RestoreOptions) error {
	if _, named := a.LookupEnv(keyVariable); named || r.DropSecrets {
		return nil
	}
	key := filepath.Join(a.dataDir, "key")
	if _, err := os.Stat(key); !errors.Is(err, os.ErrNotExist) {
		return err
	}
	return withHint(fmt.Errorf("the data folder %s has no key, and backups and replicas do not contain it", a.dataDir),
		"copy the key of the old data folder to %s, or set %s; if it is lost, use --drop-secrets", key, keyVariable)
}

// restoreAll restores the shops that are missing in the data folder, unless they were deleted on
// purpose.
func (a *app) restoreAll(ctx context.Context, t *tenants.Tenants, uids []string,
	deleted func(uid string) (bool, error), restore func(uid string) (*restoredAsOf, error)) error {
	present, err := t.StoredUIDs(ctx)
	if err != nil {
		return err
	}
	report := restoreReport{Restored: []*restoredAsOf{}, Present: []string{}, Deleted: []string{}, Failed: []failedShop{}}
	bar := a.progress("restoring")
	defer bar.end()
	for i, uid := range uids {
		bar.set(i, len(uids))
		if slices.Contains(present, uid) {
			report.Present = append(report.Present, uid)
			continue
		}
		gone, err := deleted(uid)
		if gone && err == nil {
			report.Deleted = append(report.Deleted, uid)
			continue
		}
		var done *restoredAsOf
		if err == nil {
			done, err = restore(uid)
		}
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case err != nil:
			report.Failed = append(report.Failed, failedShop{uid, message(err)})
		default:
			report.Restored = append(report.Restored, done)
		}
	}
	bar.end()
	err = a.print(report, func(w *table) { printRestoreReport(w, report) })
	if n := len(report.Failed); n > 0 {
		err = errors.Join(err, fmt.Errorf("shops not restored: %d of %d", n, len(uids)))
	}
	return err
}

func printRestoreReport(w *table, report restoreReport) {
	if len(report.Restored) > 0 {
		heading(w, "UID", "AS OF")
	}
	for _, done := range report.Restored {
		row(w, done.UID, done.AsOf.Format(time.RFC3339))
	}
	if len(report.Restored) > 0 {
		fmt.Fprintln(w, "Staff members and API keys have access as in the copies. Disable or revoke those that should have none.")
	}
	for _, uid := range report.Present {
		fmt.Fprintf(w, "%s is in the data folder already and was not restored.\n", uid)
	}
	for _, uid := range report.Deleted {
		fmt.Fprintf(w, "%s was deleted and was not restored; to restore it, pass its UID.\n", uid)
	}
	for _, f := range report.Failed {
		fmt.Fprintf(w, "%s: %s\n", f.UID, printable(f.Error))
	}
}
