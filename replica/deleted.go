package replica

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"time"

	"storefront/db"
)

// deletedFile in a tenant's folder on the target records when the tenant was deleted. Generations
// that start later belong to another tenant with the same UID.
const deletedFile = "deleted"

// RecordDeleted records deleted tenants on the target, so that [Target.Deleted] can distinguish
// them from lost ones. Each is written once.
func (r *Replicator) RecordDeleted(ctx context.Context, deleted map[db.ID]time.Time) error {
	for id, at := range deleted {
		r.mu.Lock()
		known := !r.onTarget[id] || r.deleted[id].Equal(at)
		r.mu.Unlock()
		if known {
			continue
		}
		if err := r.Claim(ctx); err != nil {
			return err
		}
		text := at.UTC().Format(time.RFC3339Nano) + "\n"
		if err := r.target.place.write(ctx, string(id)+"/"+deletedFile, []byte(text), true); err != nil {
			return fmt.Errorf("record the deletion of %s in replica %s: %w", id, r.target, err)
		}
		r.mu.Lock()
		r.deleted[id] = at
		r.mu.Unlock()
	}
	return nil
}

// PruneDeleted deletes from the target the data of tenants that were deleted longer ago than the
// retention: they cannot be restored any more. The record of the deletion stays.
func (r *Replicator) PruneDeleted(ctx context.Context, deleted map[db.ID]time.Time) error {
	for id, at := range deleted {
		r.mu.Lock()
		skip := !r.onTarget[id] || r.pruned[id].Equal(at)
		r.mu.Unlock()
		if skip || time.Since(at) < r.retention {
			continue
		}
		if err := r.Claim(ctx); err != nil {
			return err
		}
		if err := r.target.pruneDeleted(ctx, id, at); err != nil {
			return fmt.Errorf("delete the history of deleted shop %s in replica %s: %w", id, r.target, err)
		}
		r.mu.Lock()
		r.pruned[id] = at
		r.mu.Unlock()
	}
	return nil
}

// pruneDeleted deletes the generations of a tenant that was deleted at a time. Later ones belong to
// another tenant with the same UID.
func (t *Target) pruneDeleted(ctx context.Context, id db.ID, at time.Time) error {
	all, err := t.generations(ctx, id)
	if err != nil {
		return err
	}
	for _, g := range all {
		if g.began.After(at) {
			continue
		}
		if err := t.place.client(string(id) + "/" + g.name).DeleteAll(ctx); err != nil {
			return fmt.Errorf("delete generation %s: %w", g.name, err)
		}
	}
	return nil
}

// Deleted returns the time at which a tenant was deleted, as known at a time; a zero time means
// now. The result is zero if the tenant was not deleted then, or was created again.
func (t *Target) Deleted(ctx context.Context, id db.ID, at time.Time) (time.Time, error) {
	content, err := t.place.read(ctx, string(id)+"/"+deletedFile)
	if errors.Is(err, fs.ErrNotExist) {
		return time.Time{}, nil
	}
	if err != nil {
		return time.Time{}, fmt.Errorf("read replica %s: %w", t, err)
	}
	deleted, err := time.Parse(time.RFC3339Nano, strings.TrimSpace(string(content)))
	if err != nil {
		return time.Time{}, fmt.Errorf("read replica %s: %s/%s: %w", t, id, deletedFile, err)
	}
	if !at.IsZero() && deleted.After(at) {
		return time.Time{}, nil
	}
	all, err := t.generations(ctx, id)
	if err != nil {
		return time.Time{}, err
	}
	for _, g := range all {
		if g.began.After(deleted) && (at.IsZero() || !g.began.After(at)) {
			return time.Time{}, nil
		}
	}
	return deleted, nil
}
