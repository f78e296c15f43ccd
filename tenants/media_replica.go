package tenants

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"storefront/tenants/album"
)

// replicateImages copies the missing images to the replica, until ctx ends. Many images take long,
// so it has a separate loop beside the one for orders.
func (t *Tenants) replicateImages(ctx context.Context, log *slog.Logger) {
	r, ok := t.media.(*album.Replica)
	if !ok {
		return
	}
	tick := time.NewTicker(shipPause)
	defer tick.Stop()
	for {
		t.copyImages(ctx, r, log)
		select {
		case <-ctx.Done():
			last, cancel := context.WithTimeout(context.WithoutCancel(ctx), lastDeletions)
			defer cancel()
			t.copyImages(last, r, log)
			return
		case <-tick.C:
		}
	}
}

// Copy copies the missing images to the replica, and deletes from it the images of shops that
// were deleted long ago.
func (t *Tenants) copyImages(ctx context.Context, r *album.Replica, log *slog.Logger) {
	if err := r.Scan(ctx); err != nil && ctx.Err() == nil {
		log.Warn("images not compared with the replica, retrying", "error", err)
	}
	r.Run(ctx)
	deleted, err := t.files.Deleted(ctx)
	for id, at := range deleted {
		err = errors.Join(err, r.Prune(ctx, string(id), at))
	}
	if err != nil && ctx.Err() == nil {
		log.Warn("images of deleted shops not deleted in the replica, retrying", "error", err)
	}
}

// PendingImages returns the number of images whose upload or deletion is not in the replica yet.
func (t *Tenants) PendingImages() int {
	if r, ok := t.media.(*album.Replica); ok {
		return r.Pending()
	}
	return 0
}
