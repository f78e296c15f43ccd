package tenants

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"time"

	"storefront/replica"
)

// shipPause is the interval of checks for commits of other processes to shops whose files are
// closed.
const shipPause = 10 * time.Second

// RunReplication replicates the commits of other processes until ctx ends; commits of this process
// are replicated without it. It returns at once if Config.Replica is nil. Only the process that
// holds the lock of [Tenants.LockServer] opens a data folder with a replica.
func (t *Tenants) RunReplication(ctx context.Context, log *slog.Logger) {
	if t.replica == nil {
		return
	}
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
		if err := t.store.Ship(ctx); err != nil && ctx.Err() == nil {
			log.Error("replication: check shops for changes failed", "error", err)
		}
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
	}
}

// Replication returns the status of the replica. ok is false if there is no replica.
func (t *Tenants) Replication() (status replica.Status, ok bool) {
	if t.replica == nil {
		return replica.Status{}, false
	}
	return t.replica.Status(), true
}

// RestoreAt restores a shop from a replica as it was at the given time; a zero time means the
// newest state. asOf is the time of the last change in the restored state. o and the errors are
// those of [Tenants.Restore]; o.File is ignored. Errors: replica.ErrNothingToRestore.
func (t *Tenants) RestoreAt(
	ctx context.Context, from *replica.Target, at time.Time, o RestoreOptions,
) (done *Restored, asOf time.Time, err error) {
	id, err := parseUID(o.Of)
	if err != nil {
		return nil, time.Time{}, err
	}
	// In the data folder, which needs the space anyway.
	dir, err := os.MkdirTemp(t.dir, ".restore-")
	if err != nil {
		return nil, time.Time{}, fmt.Errorf("restore: %w", err)
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	o.File = filepath.Join(dir, string(id)+".db")
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
