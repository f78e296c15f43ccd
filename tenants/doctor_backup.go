package tenants

import (
	"cmp"
	"context"
	"errors"
	"os"
	"time"

	"storefront/db"
	"storefront/replica"
)

// defaultBackupEvery is the interval of scheduled backups unless the server has another.
const defaultBackupEvery = 24 * time.Hour

// examineBackups checks that the folder of scheduled backups is writable and that each shop has a
// recent backup in it.
func (t *Tenants) examineBackups(ctx context.Context, found *findings, dir string, every time.Duration) {
	if dir == "" {
		found.add(CodeBackups, StateOK, "None scheduled: set STOREFRONT_BACKUP_DIR for the server, or make backups another way.")
		return
	}
	every = cmp.Or(every, defaultBackupEvery)
	err := CheckBackupDir(dir)
	if err == nil {
		err = probeBackupDir(dir)
	}
	var shops []RestorableShop
	if err == nil {
		shops, err = t.ListRestorable(ctx, RestoreSources{BackupDir: dir}, "")
	}
	modified, modErr := t.store.ModTimes(ctx)
	if err = errors.Join(err, modErr); err != nil {
		found.addResult(CodeBackups, "", err)
		return
	}
	late, example := 0, ""
	for _, s := range shops {
		changedAt, newest := modified[db.ID(s.UID)], s.Newest(KindBackup)
		if s.Present && t.now().Sub(changedAt) > 2*every && (newest == nil || changedAt.After(newest.CreatedAt.Add(minModTimeAge))) {
			late, example = late+1, s.UID
		}
	}
	if late > 0 {
		found.add(CodeBackupsLate, StateFailing, "%d shops have changes older than %s that are in no backup in %s, such as %s: see the server's log.",
			late, 2*every, dir, example)
		return
	}
	found.add(CodeBackups, StateOK, "%s is writable, and has a recent backup of each shop.", dir)
}

// probeBackupDir writes a file to the folder of backups.
func probeBackupDir(dir string) error {
	f, err := os.CreateTemp(dir, ".ready-*")
	if err != nil {
		return err
	}
	return errors.Join(f.Close(), os.Remove(f.Name()))
}

// examineReplica checks that the replica is reachable and has data of each shop.
func (t *Tenants) examineReplica(ctx context.Context, found *findings, target *replica.Target) {
	if target == nil {
		found.add(CodeReplica, StateOK, "None: if the disk fails, the newest changes are lost. See STOREFRONT_REPLICA.")
		return
	}
	err := target.Check(ctx)
	present := map[string]bool{}
	if err == nil {
		ids, listErr := target.Tenants(ctx)
		for _, id := range ids {
			present[string(id)] = true
		}
		err = listErr
	}
	uids, uidErr := t.FileUIDs(ctx)
	if err = errors.Join(err, uidErr); err != nil {
		found.addResult(CodeReplica, "", err)
		return
	}
	missing, example := 0, ""
	for _, uid := range uids {
		if !present[uid] {
			missing, example = missing+1, uid
		}
	}
	if missing > 0 {
		found.add(CodeReplicaIncomplete, StateFailing, "%d shops are not in %s, such as %s: see the server's log.", missing, target, example)
		return
	}
	found.add(CodeReplica, StateOK, "%s is reachable, and has every shop.", target)
}
