package doctor

import (
	"storefront/tenants"

	"cmp"
	"context"
	"errors"
	"os"
	"time"

	"storefront/replica"
)

// defaultBackupEvery is the interval of scheduled backups unless the server has another.
const defaultBackupEvery = 24 * time.Hour

// examineBackups checks that the folder of scheduled backups is writable and that each shop has a
// recent backup in it.
func (t *examiner) examineBackups(
	ctx context.Context, found *findings, dir string, every time.Duration,
) {
	if dir == "" {
		found.ok(CodeBackups,
			"None scheduled: set STOREFRONT_BACKUP_DIR for the server, or make backups another way.")
		return
	}
	every = cmp.Or(every, defaultBackupEvery)
	err := tenants.CheckBackupDir(dir)
	if err == nil {
		err = probeBackupDir(dir)
	}
	var late []string
	if err == nil {
		late, err = t.FindLateBackups(ctx, dir, every)
	}
	if err != nil {
		found.addResult(CodeBackups, "", err)
		return
	}
	if n := len(late); n > 0 {
		found.fail(CodeBackupsLate,
			"Shops with changes older than %s that are in no backup in %s: %d, such as %s. "+
				"See the server's log.", 2*every, dir, n, late[n-1])
		return
	}
	found.ok(CodeBackups, "%s is writable, and has a recent backup of each shop.", dir)
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
func (t *examiner) examineReplica(ctx context.Context, found *findings, target *replica.Target) {
	if target == nil {
		found.ok(CodeReplica,
			"None: if the disk fails, the newest changes are lost. See STOREFRONT_REPLICA.")
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
		found.fail(CodeReplicaIncomplete,
			"Shops that are not in %s: %d, such as %s. See the server's log.", target, missing, example)
		return
	}
	found.ok(CodeReplica, "%s is reachable, and has every shop.", target)
}
