package replica

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/benbjohnson/litestream"
	"github.com/superfly/ltx"

	"storefront/db"
)

// Range returns the oldest and the newest time to which a tenant can be restored. Errors:
// [ErrNothingToRestore].
func (t *Target) Range(ctx context.Context, id db.ID) (from, to time.Time, err error) {
	all, err := t.generations(ctx, id)
	if err != nil {
		return from, to, fmt.Errorf("list %s in %s: %w", id, t, err)
	}
	for _, g := range all {
		first, last, err := generationRange(ctx, t.place.client(string(id)+"/"+g.name))
		if errors.Is(err, litestream.ErrTxNotAvailable) { // no snapshot yet
			continue
		}
		if err != nil {
			return from, to, fmt.Errorf("list %s in %s (generation %s): %w", id, t, g.name, err)
		}
		if from.IsZero() {
			from = first
		}
		to = last
	}
	if from.IsZero() {
		return from, to, fmt.Errorf("list %s in %s: %w", id, t, ErrNothingToRestore)
	}
	return from, to, nil
}

// generationRange is Range of one generation. Errors: litestream.ErrTxNotAvailable.
func generationRange(ctx context.Context, c litestream.ReplicaClient) (from, to time.Time, err error) {
	plan, err := litestream.CalcRestorePlan(ctx, c, 0, time.Time{}, slog.New(slog.DiscardHandler))
	if err != nil {
		return from, to, err
	}
	every := func(*ltx.FileInfo) (bool, error) { return true, nil }
	snapshots, err := litestream.FindLTXFiles(ctx, c, litestream.SnapshotLevel, true, every)
	if err != nil {
		return from, to, err
	}
	from = plan[0].CreatedAt
	if len(snapshots) > 0 {
		from = snapshots[0].CreatedAt
	}
	return from, plan[len(plan)-1].CreatedAt, nil
}
