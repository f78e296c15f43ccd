package replica

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"time"

	"github.com/benbjohnson/litestream"

	"storefront/db"
)

// ErrNothingToRestore says that the replica has nothing of a tenant, or nothing so old.
var ErrNothingToRestore = errors.New("the replica has nothing to restore")

// Tenants gives the UIDs of all tenants on the target, sorted.
func (t *Target) Tenants(ctx context.Context) ([]db.ID, error) {
	names, err := t.place.list(ctx, "")
	if err != nil {
		return nil, fmt.Errorf("list the replica %s: %w", t, err)
	}
	var ids []db.ID
	for _, name := range names {
		if id, err := db.ParseID(name); err == nil {
			ids = append(ids, id)
		}
	}
	return ids, nil
}

// Restore makes a file at dest of a tenant as it was at a time, the zero time being the newest
// there is. It gives the time of the last change in it. Nothing must be at dest; what is there then
// has not been checked for damage.
// Errors: [ErrNothingToRestore].
func (t *Target) Restore(ctx context.Context, id db.ID, at time.Time, dest string) (asOf time.Time, err error) {
	all, err := t.generations(ctx, id)
	if err != nil {
		return time.Time{}, fmt.Errorf("restore %s from %s: %w", id, t, err)
	}
	slices.Reverse(all)
	for _, g := range all {
		if !at.IsZero() && g.began.After(at) {
			continue
		}
		asOf, err := t.restore(ctx, string(id)+"/"+g.name, at, dest)
		// A generation may have begun, and its first snapshot not have come here or be younger.
		if errors.Is(err, litestream.ErrTxNotAvailable) {
			continue
		}
		if err != nil {
			return time.Time{}, fmt.Errorf("restore %s from %s (generation %s): %w", id, t, g.name, err)
		}
		return asOf, nil
	}
	if at.IsZero() {
		return time.Time{}, fmt.Errorf("restore %s from %s: %w", id, t, ErrNothingToRestore)
	}
	return time.Time{}, fmt.Errorf("restore %s from %s as of %s: %w", id, t, at.UTC().Format(time.RFC3339), ErrNothingToRestore)
}

func (t *Target) restore(ctx context.Context, path string, at time.Time, dest string) (asOf time.Time, err error) {
	c := t.place.client(path)
	plan, err := litestream.CalcRestorePlan(ctx, c, 0, at, slog.New(slog.DiscardHandler))
	if err != nil {
		return time.Time{}, err
	}
	options := litestream.NewRestoreOptions()
	options.OutputPath, options.TXID = dest, plan[len(plan)-1].MaxTXID
	if err := litestream.NewReplicaWithClient(nil, newClient(c)).Restore(ctx, options); err != nil {
		return time.Time{}, err
	}
	return plan[len(plan)-1].CreatedAt, nil
}
