package album

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"storefront/media"
	"storefront/replica"
	"storefront/shop/catalogue"
	"storefront/shop/picture"
)

const (
	// imageUploadWait is how long an upload waits for the replica.
	imageUploadWait = 2 * time.Second
	// maxImageUploads limits the concurrent uploads to the replica, which pile up while it hangs.
	maxImageUploads = 4
)

// Replica is a [media.Store] with a copy of its images in the folder "media" of a replica.
type Replica struct {
	*media.Folder
	target media.Store
	claim  func(context.Context) error
	log    *slog.Logger
	slots  chan struct{}
	wait   time.Duration
	// retention is the time for which the images of a deleted shop stay; pruned are the deleted
	// ones.
	retention time.Duration
	pruned    map[string]bool

	mu      sync.Mutex
	pending map[imageKey]*imageChange
	busy    map[imageKey]bool    // whose change is being applied
	scanned map[string]time.Time // by shop: the modification time of its folder when it was compared
	failing bool
}

type imageKey struct{ shop, id string }

// imageChange is a change that is not in the replica yet.
type imageChange struct {
	image   catalogue.StoredImage
	deleted bool
}

// NewReplica returns the store of images with a copy in a replica.
func NewReplica(
	folder *media.Folder,
	cfg *replica.Config,
	claim func(context.Context) error,
	log *slog.Logger,
) *Replica {
	if cfg.Target.Folder() != "" { // its disk may have been unmounted
		claimed := claim
		claim = func(ctx context.Context) error {
			return errors.Join(cfg.Target.Check(ctx), claimed(ctx))
		}
	}
	return &Replica{
		Folder: folder, target: Replicated(cfg.Target), claim: claim, log: log, wait: imageUploadWait,
		retention: cmp.Or(cfg.Retention, replica.DefaultRetention), pruned: map[string]bool{},
		slots:   make(chan struct{}, maxImageUploads),
		pending: map[imageKey]*imageChange{}, busy: map[imageKey]bool{}, scanned: map[string]time.Time{},
	}
}

// Replicated returns the images in a replica.
func Replicated(target *replica.Target) media.Store {
	if folder := target.Folder(); folder != "" {
		return media.NewFolder(filepath.Join(folder, Dir), nil)
	}
	return media.NewBucket(target.Bucket(), Dir)
}

// Put implements [media.Store]. It waits for the replica, but not for long: RunReplication uploads
// the rest.
func (r *Replica) Put(ctx context.Context, shop string, img picture.Image) error {
	if err := r.Folder.Put(ctx, shop, img); err != nil {
		return err
	}
	image := catalogue.StoredImage{ID: img.ID, Format: string(img.Format)}
	for _, f := range img.Files {
		image.Widths = append(image.Widths, f.Width)
	}
	r.change(ctx, imageKey{shop, img.ID}, imageChange{image: image})
	return nil
}

// Delete implements [media.Store].
func (r *Replica) Delete(ctx context.Context, shop, id string) error {
	if err := r.Folder.Delete(ctx, shop, id); err != nil {
		return err
	}
	r.change(ctx, imageKey{shop, id}, imageChange{deleted: true})
	return nil
}

// change records a change, and waits until it is in the replica, for at most r.wait.
func (r *Replica) change(ctx context.Context, key imageKey, c imageChange) {
	r.mu.Lock()
	r.pending[key] = &c
	r.mu.Unlock()
	select {
	case r.slots <- struct{}{}:
	default:
		return
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		defer func() { <-r.slots }()
		r.apply(context.WithoutCancel(ctx), key)
	}()
	timer := time.NewTimer(r.wait)
	defer timer.Stop()
	select {
	case <-done:
	case <-timer.C:
	case <-ctx.Done():
	}
}

// apply applies the newest change of an image to the replica, unless another call does: two
// concurrent ones could end in the wrong order. It reports whether the replica works.
func (r *Replica) apply(ctx context.Context, key imageKey) bool {
	for {
		r.mu.Lock()
		c := r.pending[key]
		if c == nil || r.busy[key] {
			r.mu.Unlock()
			return true
		}
		r.busy[key] = true
		r.mu.Unlock()
		err := r.claim(ctx)
		if err == nil && c.deleted {
			err = r.target.Delete(ctx, key.shop, key.id)
		} else if err == nil {
			err = r.upload(ctx, key, c.image)
		}
		if !r.applied(ctx, key, c, err) {
			return false
		}
	}
}

// applied records the result of a change.
func (r *Replica) applied(ctx context.Context, key imageKey, c *imageChange, err error) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.busy, key)
	if err != nil {
		if !r.failing && ctx.Err() == nil {
			r.log.Error(
				"images not copied to the replica, retrying: check that it is reachable, writable and not full",
				"error",
				err,
			)
			r.failing = true
		}
		return false
	}
	r.failing = false
	if r.pending[key] == c {
		delete(r.pending, key)
	}
	return true
}

func (r *Replica) upload(ctx context.Context, key imageKey, image catalogue.StoredImage) error {
	img, err := Album{Store: r.Folder, Shop: key.shop}.Read(ctx, image)
	if err != nil { // deleted in the meantime, or damaged, which doctor reports
		return ctx.Err()
	}
	return r.target.Put(ctx, key.shop, img)
}

// run applies the pending changes, one after the other, until one fails.
func (r *Replica) Run(ctx context.Context) {
	r.mu.Lock()
	keys := slices.Collect(maps.Keys(r.pending))
	r.mu.Unlock()
	for _, key := range keys {
		if ctx.Err() != nil || !r.apply(ctx, key) {
			return
		}
	}
}

// Pending returns the number of images whose change is not in the replica yet.
func (r *Replica) Pending() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return len(r.pending)
}

// scan adds the images that the replica lacks to the pending changes: images of other processes,
// and of a server that was killed. It compares the shops with a changed folder.
func (r *Replica) Scan(ctx context.Context) error {
	entries, err := os.ReadDir(r.Dir(""))
	if os.IsNotExist(err) {
		return nil
	}
	if err != nil {
		return err
	}
	for _, e := range entries {
		info, err := e.Info()
		if err != nil || !e.IsDir() { // deleted in the meantime
			continue
		}
		r.mu.Lock()
		unchanged := r.scanned[e.Name()].Equal(info.ModTime())
		r.mu.Unlock()
		if unchanged {
			continue
		}
		if err := r.compare(ctx, e.Name()); err != nil {
			return err
		}
		r.mu.Lock()
		r.scanned[e.Name()] = info.ModTime()
		r.mu.Unlock()
	}
	return nil
}

// compare adds the images of a shop that the replica lacks to the pending changes.
func (r *Replica) compare(ctx context.Context, shop string) error {
	copied, err := Album{Store: r.target, Shop: shop}.List(ctx)
	if err != nil {
		return err
	}
	local, err := Album{Store: r.Folder, Shop: shop}.List(ctx)
	if err != nil {
		return err
	}
	byID := map[string]catalogue.StoredImage{}
	for _, image := range copied {
		byID[image.ID] = image
	}
	for _, image := range local {
		if slices.Equal(byID[image.ID].Widths, image.Widths) {
			continue
		}
		r.mu.Lock()
		if key := (imageKey{shop, image.ID}); r.pending[key] == nil {
			r.pending[key] = &imageChange{image: image}
		}
		r.mu.Unlock()
	}
	return nil
}

// prune deletes the images of a shop that was deleted at a time, if the replica can no longer
// restore it.
func (r *Replica) Prune(ctx context.Context, shop string, at time.Time) error {
	if r.pruned[shop] || time.Since(at) < r.retention {
		return nil
	}
	if err := r.claim(ctx); err != nil {
		return err
	}
	images, err := Album{Store: r.target, Shop: shop}.List(ctx)
	if err != nil {
		return err
	}
	for _, image := range images {
		if err := r.target.Delete(ctx, shop, image.ID); err != nil {
			return err
		}
	}
	r.pruned[shop] = true
	return nil
}
