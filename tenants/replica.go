package tenants

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"sync"
	"time"

	"storefront/replica"
	"storefront/tenants/album"
)

// shipPause is the interval of checks for commits of other processes to shops with closed files.
const shipPause = 10 * time.Second

// RunReplication replicates the commits of other processes until ctx ends; commits of this process
// are replicated without it. It returns immediately if Config.Replica is nil. Only the process that
// holds the lock of [Tenants.LockServer] may open a data folder with a replica.
func (t *Tenants) RunReplication(ctx context.Context, log *slog.Logger) {
	if t.replica == nil {
		return
	}
	var images sync.WaitGroup
	images.Go(func() { t.replicateImages(ctx, log) })
	defer images.Wait()
	tick := time.NewTicker(shipPause)
	defer tick.Stop()
	listed, logged := false, false
	for {
		if !listed {
			err := t.replica.RefreshTarget(ctx)
			listed = err == nil
			if err != nil && !logged && ctx.Err() == nil {
				logged = true
				log.Error("replication: list the replica's shops failed: check that the replica is reachable", "error", err)
			}
		}
		if err := t.files.Ship(ctx); err != nil && ctx.Err() == nil {
			log.Error("replication: check shops for changes failed", "error", err)
		}
		t.replicateDeletions(ctx, log)
		select {
		case <-ctx.Done():
			last, cancel := context.WithTimeout(context.WithoutCancel(ctx), lastDeletions)
			defer cancel()
			t.replicateDeletions(last, log)
			return
		case <-tick.C:
		}
	}
}

// lastDeletions limits the time for recording the last deletions before the server stops.
const lastDeletions = 5 * time.Second

// replicateDeletions records the deleted shops in the replica, and deletes its data of shops that
// were deleted longer ago than its retention.
func (t *Tenants) replicateDeletions(ctx context.Context, log *slog.Logger) {
	deleted, err := t.files.Deleted(ctx)
	if err == nil {
		err = errors.Join(t.replica.RecordDeleted(ctx, deleted), t.replica.PruneDeleted(ctx, deleted))
	}
	if err != nil && ctx.Err() == nil {
		log.Warn("deletions of shops not applied to the replica, retrying", "error", err)
	}
}

// ClaimReplica makes the installation with this data folder's key the owner of the replica. An
// unreachable replica is claimed before the first upload instead. Errors: replica.ErrOtherOwner.
func (t *Tenants) ClaimReplica(ctx context.Context) error {
	if t.replica == nil {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, claimTimeout)
	defer cancel()
	if err := t.replica.Claim(ctx); errors.Is(err, replica.ErrOtherOwner) {
		return err
	}
	return nil
}

// claimTimeout limits the time that a start waits for the replica.
const claimTimeout = 5 * time.Second

// DeletedShops returns the times of deletions of shops in this data folder, including those
// recorded with [Tenants.RecordDeleted].
func (t *Tenants) DeletedShops(ctx context.Context) (map[string]time.Time, error) {
	deleted, err := t.files.Deleted(ctx)
	if err != nil {
		return nil, err
	}
	shops := make(map[string]time.Time, len(deleted))
	for id, at := range deleted {
		shops[string(id)] = at
	}
	return shops, nil
}

// RecordDeleted records that a shop of a replica was deleted at that time, so that later restores
// from backups omit it too.
func (t *Tenants) RecordDeleted(uid string, at time.Time) error {
	id, err := parseUID(uid)
	if err != nil {
		return err
	}
	return t.files.RecordDeleted(id, at)
}

// Replication returns the status of the replica. ok is false if there is no replica.
func (t *Tenants) Replication() (status replica.Status, ok bool) {
	if t.replica == nil {
		return replica.Status{}, false
	}
	return t.replica.Status(), true
}

// RestoreAt restores a shop from a replica to its state at a time; a zero time means the newest
// state. asOf is the time of the last change in the restored state. o and the errors are as for
// [Tenants.Restore]; o.File is ignored. Errors: replica.ErrNothingToRestore.
func (t *Tenants) RestoreAt(
	ctx context.Context, from *replica.Target, at time.Time, o RestoreOptions,
) (done *Restored, asOf time.Time, err error) {
	id, _, err := parseRestored(o.Of, o.As)
	if err != nil {
		return nil, time.Time{}, err
	}
	dir, err := t.files.RestoreFolder() // in the data folder, which needs the space anyway
	if err != nil {
		return nil, time.Time{}, fmt.Errorf("restore: %w", err)
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	o.File = filepath.Join(dir, string(id)+".db")
	o.images = []album.Album{{Store: album.Replicated(from), Shop: string(id)}}
	if asOf, err = from.Restore(ctx, id, at, o.File); err != nil {
		return nil, time.Time{}, err
	}
	done, err = t.Restore(ctx, o)
	return done, asOf, err
}

// replicator returns the configured replicator, or nil.
func (cfg *Config) replicator() *replica.Replicator {
	if cfg.Replica == nil {
		return nil
	}
	settings := *cfg.Replica
	settings.Logger = cfg.Logger
	return replica.New(settings)
}
