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

// ErrNothingToRestore means that the replica has no data of a tenant, or none as old as requested.
var ErrNothingToRestore = errors.New("the replica has nothing to restore")

// Tenants returns the UIDs of all tenants on the target, sorted.
func (t *Target) Tenants(ctx context.Context) ([]db.ID, error) {
	names, err := t.place.list(ctx, "")
	if err != nil {
		return nil, fmt.Errorf("list replica %s: %w", t, err)
	}
	var ids []db.ID
	for _, name := range names {
		id, err := db.ParseID(name)
		if err != nil {
			continue
		}
		if name == ImagesFolder { // unless a shop has this UID
			generations, err := t.generations(ctx, id)
			if err != nil {
				return nil, fmt.Errorf("list replica %s: %w", t, err)
			}
			if len(generations) == 0 {
				continue
			}
		}
		ids = append(ids, id)
	}
	return ids, nil
}

// Restore writes a tenant's file to dest, which must not exist, in the state at a time. A zero time
// means the newest state. asOf is the time of the last change in the file. The file has not been
// checked for damage. Errors: [ErrNothingToRestore].
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
		// The generation may have no snapshot yet, or none as old as requested.
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
