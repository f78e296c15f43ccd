package certificate

import (
	"bytes"
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"path/filepath"
	"slices"
	"sync"
	"testing"

	"github.com/caddyserver/certmagic"

	"storefront/db/dbtest"
	"storefront/shop/password"
	"storefront/shop/shoptest"
	"storefront/tenants"
)

// newServerStorage returns the shared storage of one of the servers of a database.
func newServerStorage(t *testing.T, c *dbtest.Cluster) *sharedStorage {
	t.Helper()
	dir := t.TempDir()
	all, err := tenants.Open(tenants.Config{
		Dir: dir, Schema: shoptest.Schema(t), Hasher: password.HasherConfig{MemoryKiB: 64, Passes: 1},
		Engine: c.Address(
			"postgres",
		), Key: base64.StdEncoding.EncodeToString(bytes.Repeat([]byte{7}, 32)),
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := all.Close(context.Background()); err != nil {
			t.Errorf("close: %v", err)
		}
	})
	return newSharedStorage(
		all.CertificateStore(),
		filepath.Join(dir, "certificates"),
		slog.New(slog.DiscardHandler),
	)
}

// The shared storage has what certmagic expects of a storage, between two servers.
func TestSharedStorage(t *testing.T) {
	t.Parallel()
	c := dbtest.NewCluster(t)
	first, second := newServerStorage(t, c), newServerStorage(t, c)
	ctx := t.Context()
	var _ certmagic.Storage = first
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	const crt = "certificates/ca/shop.example/shop.example.crt"
	const key = "certificates/ca/shop.example/shop.example.key"
	if _, err := second.Load(ctx, crt); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("load nothing: got %v, want fs.ErrNotExist", err)
	}
	if _, err := second.Stat(ctx, crt); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("stat nothing: got %v, want fs.ErrNotExist", err)
	}
	if _, err := second.List(ctx, "certificates", true); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("list nothing: got %v, want fs.ErrNotExist", err)
	}
	must(second.Delete(ctx, crt))
	for _, name := range []string{
		crt, key, "certificates/ca/other.example/other.example.crt", "acme/ca/users/ops/ops.key",
		"certificates2/x",
	} {
		must(first.Store(ctx, name, []byte("value of "+name)))
		got, err := second.Load(ctx, name)
		if err != nil || string(got) != "value of "+name {
			t.Errorf("load %s: got %q, %v", name, got, err)
		}
		info, err := second.Stat(ctx, name)
		if err != nil || !info.IsTerminal || info.Key != name || info.Size != int64(len(got)) ||
			info.Modified.IsZero() {
			t.Errorf("stat %s: got %+v, %v", name, info, err)
		}
	}
	must(first.Store(ctx, key, nil))
	if got, err := second.Load(ctx, key); err != nil || len(got) != 0 {
		t.Errorf("load an empty value: got %q, %v", got, err)
	}
	for _, test := range []struct {
		path      string
		recursive bool
		want      []string
	}{
		{"", false, []string{"acme", "certificates", "certificates2"}},
		{"certificates", false, []string{"certificates/ca"}},
		{"certificates/ca", false, []string{
			"certificates/ca/other.example", "certificates/ca/shop.example",
		}},
		{"certificates/ca/shop.example", false, []string{crt, key}},
		{"certificates", true, []string{"certificates/ca/other.example/other.example.crt", crt, key}},
	} {
		got, err := second.List(ctx, test.path, test.recursive)
		if err != nil || !slices.Equal(got, test.want) {
			t.Errorf(
				"list %q, recursive %v: got %q, %v; want %q",
				test.path,
				test.recursive,
				got,
				err,
				test.want,
			)
		}
	}
	if info, err := second.Stat(ctx, "certificates/ca"); err != nil || info.IsTerminal {
		t.Errorf("stat a folder: got %+v, %v", info, err)
	}
	must(second.Delete(ctx, "certificates/ca/shop.example"))
	for name, want := range map[string]bool{
		crt: false, key: false, "certificates/ca/shop.example": false, "certificates/ca": true,
		"certificates2/x": true,
	} {
		if got := first.Exists(ctx, name); got != want {
			t.Errorf("%s exists: got %v, want %v", name, got, want)
		}
	}

	// A value is stored whole while both servers store and load it.
	var work sync.WaitGroup
	for i := range 4 {
		work.Go(func() {
			s := []*sharedStorage{first, second}[i%2]
			for n := range 10 {
				if err := s.Store(ctx, crt, bytes.Repeat([]byte{byte('a' + i)}, 4000*(i+1))); err != nil {
					t.Error(err)
				}
				got, err := s.Load(ctx, crt)
				if err != nil || len(got) != 4000*int(got[0]-'a'+1) ||
					bytes.Count(got, got[:1]) != len(got) {
					t.Errorf("load %d: got %d bytes, %v; want one of the values", n, len(got), err)
				}
			}
		})
	}
	work.Wait()
}

// A server with certificates of its own stores them for the others, unless they have some. What a
// server has read it can read while the database is down.
func TestSharedStorage_Copies(t *testing.T) {
	t.Parallel()
	c := dbtest.NewCluster(t)
	first, second := newServerStorage(t, c), newServerStorage(t, c)
	ctx := t.Context()
	names := []string{"acme/ca/users/ops/ops.key", "certificates/ca/shop.example/shop.example.crt"}
	for i, s := range []*sharedStorage{first, second} {
		for _, name := range names {
			if err := s.copies.Store(ctx, name, fmt.Append(nil, "of server ", i)); err != nil {
				t.Fatal(err)
			}
		}
	}
	for _, s := range []*sharedStorage{first, second} {
		if err := s.adoptCopies(ctx); err != nil {
			t.Fatal(err)
		}
		for _, name := range names {
			if got, err := s.Load(ctx, name); err != nil || string(got) != "of server 0" {
				t.Errorf("%s: got %q, %v; want that of the first server", name, got, err)
			}
		}
	}
	c.Kill()
	if got, err := second.Load(ctx, names[1]); err != nil || string(got) != "of server 0" {
		t.Errorf("while the database is down: got %q, %v; want the copy", got, err)
	}
	if got, err := second.Load(ctx, names[0]); err == nil || errors.Is(err, fs.ErrNotExist) {
		t.Errorf("an account while the database is down: got %q, %v; want an error", got, err)
	}
	if err := second.Store(ctx, names[1], nil); err == nil || !second.failed.Load() {
		t.Errorf("store while the database is down: got %v, want an error", err)
	}
}
