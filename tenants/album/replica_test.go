package album

import (
	"context"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"storefront/media"
	"storefront/media/mediatest"
	"storefront/replica"
	"storefront/shop/picture"
)

func newTestImageReplica(t *testing.T, dir, target string) *Replica {
	t.Helper()
	at, err := replica.ParseTarget(target)
	if err != nil {
		t.Fatal(err)
	}
	claim := func(context.Context) error { return nil }
	return NewReplica(
		media.NewFolder(dir, nil),
		&replica.Config{Target: at},
		claim,
		slog.New(slog.DiscardHandler),
	)
}

// An upload is in the replica before it is answered.
func TestImageReplica_Upload(t *testing.T) {
	t.Parallel()
	dir, target := filepath.Join(t.TempDir(), "media"), t.TempDir()
	r := newTestImageReplica(t, dir, target)
	img := mediatest.Processed(t, 300)
	if err := r.Put(t.Context(), "acme", img); err != nil {
		t.Fatal(err)
	}
	wantStored(t, "replica", Album{Store: r.target, Shop: "acme"}, img)
	if err := r.Delete(t.Context(), "acme", img.ID); err != nil {
		t.Fatal(err)
	}
	wantStored(t, "replica, deleted", Album{Store: r.target, Shop: "acme"})
	if n := r.Pending(); n != 0 {
		t.Errorf("got %d pending, want none", n)
	}
}

// A replica that is not mounted costs the shop nothing, and has all images later.
func TestImageReplica_Unreachable(t *testing.T) {
	t.Parallel()
	dir, target := filepath.Join(t.TempDir(), "media"), filepath.Join(t.TempDir(), "mount")
	r := newTestImageReplica(t, dir, target)
	first, second := mediatest.Processed(t, 300), mediatest.Processed(t, 400)
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
	r.Run(t.Context())
	wantStored(t, "replica", Album{Store: r.target, Shop: "acme"}, first)
	if n := r.Pending(); n != 0 {
		t.Errorf("got %d pending, want none", n)
	}
}

// What another process has stored, or a server that was killed, is found and copied.
func TestImageReplica_Scan(t *testing.T) {
	t.Parallel()
	dir, target := filepath.Join(t.TempDir(), "media"), t.TempDir()
	r := newTestImageReplica(t, dir, target)
	img := mediatest.Processed(t, 300)
	if err := media.NewFolder(dir, nil).Put(t.Context(), "acme", img); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if err := r.Scan(t.Context()); err != nil {
			t.Fatal(err)
		}
		r.Run(t.Context())
	}
	wantStored(t, "replica", Album{Store: r.target, Shop: "acme"}, img)
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
	img := mediatest.Processed(t, 300)
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

// wantStored compares the images in an album with those wanted, all of whose files must be there.
func wantStored(t *testing.T, what string, a Album, want ...picture.Image) {
	t.Helper()
	got, err := a.List(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	byID := func(a, b picture.Image) int { return strings.Compare(a.ID, b.ID) }
	slices.SortFunc(want, byID)
	if len(got) != len(want) {
		t.Fatalf("%s: got images %v, want %d", what, got, len(want))
	}
	for i, img := range want {
		read, err := a.Read(t.Context(), got[i])
		if err != nil || read.ID != img.ID || len(read.Files) != len(img.Files) {
			t.Errorf("%s: got %s with %d files, %v, want %s with %d",
				what, got[i].ID, len(read.Files), err, img.ID, len(img.Files))
		}
	}
}
