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

// shipPause lies between two looks for commits that other processes made to shops that are closed.
const shipPause = 10 * time.Second

// RunReplication has the replica catch up with what other processes write, until ctx ends; what
// this process writes goes there by itself. It does nothing when Config.Replica is not set. One
// process of a data folder opens it with a replica: the one that holds the lock of LockServer.
func (t *Tenants) RunReplication(ctx context.Context, log *slog.Logger) {
	if t.replica == nil {
		return
	}
	tick := time.NewTicker(shipPause)
	defer tick.Stop()
	looked, told := false, false
	for {
		if !looked {
			err := t.replica.RefreshTarget(ctx)
			looked = err == nil
			if err != nil && !told && ctx.Err() == nil {
				told = true
				log.Error("replication: which shops the replica has is not known: see that it can be reached", "error", err)
			}
		}
		if err := t.store.Ship(ctx); err != nil && ctx.Err() == nil {
			log.Error("replication: the shops could not be looked at", "error", err)
		}
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
	}
}

// Replication says how the replica is doing; ok is false when there is none.
func (t *Tenants) Replication() (status replica.Status, ok bool) {
	if t.replica == nil {
		return replica.Status{}, false
	}
	return t.replica.Status(), true
}

// RestoreAt brings a shop back from a replica as it was at a time; the zero time is the newest that
// is there. It gives the time of the last change in what it found. What Restore says holds here
// too; its File is not looked at. Errors: replica.ErrNothingToRestore.
func (t *Tenants) RestoreAt(ctx context.Context, from *replica.Target, at time.Time, r Restore) (done *Restored, asOf time.Time, err error) {
	id, err := parseUID(r.Of)
	if err != nil {
		return nil, time.Time{}, err
	}
	// In the data folder, where there must be room for it anyway.
	dir, err := os.MkdirTemp(t.dir, ".restore-")
	if err != nil {
		return nil, time.Time{}, fmt.Errorf("restore: %w", err)
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	r.File = filepath.Join(dir, string(id)+".db")
	if asOf, err = from.Restore(ctx, id, at, r.File); err != nil {
		return nil, time.Time{}, err
	}
	done, err = t.Restore(ctx, r)
	return done, asOf, err
}

// replicator makes what the settings want, nil for none.
func (cfg *Config) replicator() *replica.Replicator {
	if cfg.Replica == nil {
		return nil
	}
	settings := *cfg.Replica
	settings.Logger = cfg.Logger
	return replica.New(settings)
}
