package tenants

import (
	"context"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"testing"
	"testing/synctest"
	"time"

	"storefront/media"
	"storefront/replica"
	"storefront/shop/picture"
	"storefront/shop/shoptest"
)

func newTestImageReplica(t *testing.T, dir, target string) *imageReplica {
	t.Helper()
	at, err := replica.ParseTarget(target)
	if err != nil {
		t.Fatal(err)
	}
	claim := func(context.Context) error { return nil }
	return newImageReplica(media.NewFolder(dir, nil), &replica.Config{Target: at}, claim, slog.New(slog.DiscardHandler))
}

// processed returns an image that is stored nowhere.
func processed(t *testing.T, width int) picture.Image {
	t.Helper()
	all := newImageShop(t)
	return addImage(t, all, "acme", width)
}

// An upload is in the replica before it is answered.
func TestImageReplica_Upload(t *testing.T) {
	t.Parallel()
	dir, target := filepath.Join(t.TempDir(), "media"), t.TempDir()
	r := newTestImageReplica(t, dir, target)
	img := processed(t, 300)
	if err := r.Put(t.Context(), "acme", img); err != nil {
		t.Fatal(err)
	}
	wantImages(t, "replica", album{r.target, "acme"}, img)
	if err := r.Delete(t.Context(), "acme", img.ID); err != nil {
		t.Fatal(err)
	}
	wantImages(t, "replica, deleted", album{r.target, "acme"})
	if n := r.Pending(); n != 0 {
		t.Errorf("got %d pending, want none", n)
	}
}

// A replica that is not mounted costs the shop nothing, and has all images later.
func TestImageReplica_Unreachable(t *testing.T) {
	t.Parallel()
	dir, target := filepath.Join(t.TempDir(), "media"), filepath.Join(t.TempDir(), "mount")
	r := newTestImageReplica(t, dir, target)
	first, second := processed(t, 300), processed(t, 400)
	for _, img := range []picture.Image{first, second} {
		if err := r.Put(t.Context(), "acme", img); err != nil {
			t.Fatal(err)
		}
	}
	if err := r.Delete(t.Context(), "acme", second.ID); err != nil {
		t.Fatal(err)
	}
	if n := r.Pending(); n != 2 {
		t.Errorf("got %d pending, want 2", n)
	}
	if _, err := os.Stat(target); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the folder of an unmounted disk was created: %v", err)
	}
	if err := os.Mkdir(target, 0o700); err != nil {
		t.Fatal(err)
	}
	r.run(t.Context())
	wantImages(t, "replica", album{r.target, "acme"}, first)
	if n := r.Pending(); n != 0 {
		t.Errorf("got %d pending, want none", n)
	}
}

// What another process has stored, or a server that was killed, is found and copied.
func TestImageReplica_Scan(t *testing.T) {
	t.Parallel()
	dir, target := filepath.Join(t.TempDir(), "media"), t.TempDir()
	r := newTestImageReplica(t, dir, target)
	img := processed(t, 300)
	if err := media.NewFolder(dir, nil).Put(t.Context(), "acme", img); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if err := r.scan(t.Context()); err != nil {
			t.Fatal(err)
		}
		r.run(t.Context())
	}
	wantImages(t, "replica", album{r.target, "acme"}, img)
	if n := r.Pending(); n != 0 {
		t.Errorf("got %d pending, want none", n)
	}
}

// hangingStore is a store whose Put hangs until released.
type hangingStore struct {
	media.Store
	release chan struct{}
}

func (s hangingStore) Put(ctx context.Context, shop string, img picture.Image) error {
	<-s.release
	return s.Store.Put(ctx, shop, img)
}

// An upload waits two seconds for a replica that hangs, and no longer.
func TestImageReplica_Hanging(t *testing.T) {
	t.Parallel()
	dir, target := filepath.Join(t.TempDir(), "media"), t.TempDir()
	img := processed(t, 300)
	synctest.Test(t, func(t *testing.T) {
		r := newTestImageReplica(t, dir, target)
		hanging := hangingStore{r.target, make(chan struct{})}
		r.target = hanging
		began := time.Now()
		if err := r.Put(t.Context(), "acme", img); err != nil {
			t.Fatal(err)
		}
		if waited := time.Since(began); waited != imageUploadWait {
			t.Errorf("waited %s, want %s", waited, imageUploadWait)
		}
		if n := r.Pending(); n != 1 {
			t.Errorf("got %d pending, want 1", n)
		}
		close(hanging.release)
		synctest.Wait()
		if n := r.Pending(); n != 0 {
			t.Errorf("released: got %d pending, want none", n)
		}
	})
}

// The files of unused images outlive the oldest moment to which the replica can restore a shop.
func TestImages_OutliveReplica(t *testing.T) {
	t.Parallel()
	target, err := replica.ParseTarget(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	clock := shoptest.NewClock()
	const retention = 90 * 24 * time.Hour
	all, err := Open(Config{
		Dir: t.TempDir(), Schema: shoptest.Schema(t), Now: clock.Now, Replica: &replica.Config{Target: target, Retention: retention},
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = all.Close(context.Background()) })
	if _, err := all.Create(t.Context(), "acme", shoptest.Raw(t, map[string]any{"name": "Acme", "currency": "BDT", "country": "BD"})); err != nil {
		t.Fatal(err)
	}
	img := addImage(t, all, "acme", 300)
	acme, err := all.Shop(t.Context(), "acme")
	if err != nil {
		t.Fatal(err)
	}
	sweep := func() {
		t.Helper()
		if _, err := acme.Catalogue.SweepMedia(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	sweep() // nothing shows it
	clock.Advance(retention)
	sweep()
	wantImages(t, "as long as the replica", all.album("acme"), img)
	clock.Advance(7 * 24 * time.Hour)
	sweep()
	wantImages(t, "later", all.album("acme"))
}
