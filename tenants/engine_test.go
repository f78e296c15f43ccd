package tenants_test

import (
	"bytes"
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"storefront/db"
	"storefront/db/dbtest"
	"storefront/shop"
	"storefront/shop/access"
	"storefront/shop/fault"
	"storefront/shop/order"
	"storefront/shop/shoptest"
	"storefront/tenants"
)

// withDatabase returns the change of a configuration that adds a database.
func withDatabase(c *dbtest.Cluster) func(*tenants.Config) {
	return func(cfg *tenants.Config) { setDatabase(cfg, c.Address("postgres")+" password=top-secret") }
}

func setDatabase(cfg *tenants.Config, address string) {
	cfg.Engine, cfg.Key = address, base64.StdEncoding.EncodeToString(bytes.Repeat([]byte{7}, 32))
}

// Shops in files are sold from while the database cannot be reached, at the start and later. Its
// own shops return when it does.
func TestEngines_DatabaseUnreachable(t *testing.T) {
	t.Parallel()
	c, dir := dbtest.NewCluster(t), t.TempDir()
	var log bytes.Buffer
	config := func(cfg *tenants.Config) {
		withDatabase(c)(cfg)
		cfg.Logger = slog.New(slog.NewTextHandler(&log, nil))
	}
	first := open(t, dir, config)
	create(t, first, "acme")
	if _, err := first.Create(tenants.WithPlace(t.Context(), tenants.InFiles), "paper", named(t, "Paper")); err != nil {
		t.Fatal(err)
	}
	for _, place := range []tenants.Place{tenants.InFiles, tenants.InPostgres} {
		for _, uid := range []string{"acme", "paper"} {
			if _, err := first.Create(tenants.WithPlace(t.Context(), place), uid, named(t, "Again")); !errors.Is(err, db.ErrExists) {
				t.Errorf("create %s again in %s: got %v, want that it exists", uid, place, err)
			}
		}
	}
	list, err := first.List(t.Context())
	var got []string
	for _, s := range list {
		got = append(got, s.UID+" in "+string(s.Place))
	}
	if want := []string{"acme in postgres", "paper in files"}; err != nil || !slices.Equal(got, want) {
		t.Errorf("list: got %q and %v, want %q", got, err, want)
	}
	if _, err := first.BackupTo(t.Context(), "acme", filepath.Join(t.TempDir(), "acme.db")); err == nil ||
		!strings.Contains(err.Error(), "ends in .jsonl.gz") {
		t.Errorf("a file of a shop in the database: got %v, want what to do instead", err)
	}

	c.Kill()
	works := func(all *tenants.Tenants) {
		t.Helper()
		s, err := all.Shop(t.Context(), "paper")
		if err != nil {
			t.Fatal(err)
		}
		if err := s.SetSettings(t.Context(), access.Operator(), shoptest.Raw(t, map[string]any{"name": "Paper & Co"})); err != nil {
			t.Error(err)
		}
	}
	works(first)
	second := open(t, dir, config)
	works(second)
	_, err = second.Shop(t.Context(), "acme")
	if !errors.Is(err, db.ErrConnection) || fault.HasCode(err, fault.CodeTenantNotFound) {
		t.Errorf("shop in a database that is down: got %v, want a lost connection", err)
	}
	c.Start()
	for _, all := range []*tenants.Tenants{first, second} {
		dbtest.Eventually(t, "the shop in the database is back", func() bool {
			_, err := all.Shop(t.Context(), "acme")
			return err == nil
		})
		works(all)
	}
	if strings.Contains(log.String(), "top-secret") {
		t.Errorf("the log has the password:\n%s", log.String())
	}
}

// A server that has another key, or none, does not touch the shops of the others.
func TestEngines_OtherKey(t *testing.T) {
	t.Parallel()
	c := dbtest.NewCluster(t)
	create(t, open(t, "", withDatabase(c)), "acme")
	for name, key := range map[string]string{
		"with another key": base64.StdEncoding.EncodeToString(bytes.Repeat([]byte{8}, 32)),
		"key is missing":   "",
	} {
		dir := t.TempDir()
		_, err := tenants.Open(tenants.Config{Dir: dir, Schema: shoptest.Schema(t), Engine: c.Address("postgres"), Key: key})
		if err == nil || !strings.Contains(err.Error(), name) || !strings.Contains(err.Error(), "STOREFRONT_KEY") {
			t.Errorf("key %q: got %v, want %q with its remedy", key, err, name)
		}
		if _, err := os.Stat(filepath.Join(dir, "key")); err == nil {
			t.Errorf("key %q: got a new key, want none", key)
		}
	}
}

// A change by one of two servers is seen by the other, and one of them does the background work.
func TestEngines_TwoServers(t *testing.T) {
	t.Parallel()
	c := dbtest.NewCluster(t)
	first, second := open(t, "", withDatabase(c)), open(t, "", withDatabase(c))
	create(t, first, "acme")
	if !first.DoesBackground(t.Context()) || second.DoesBackground(t.Context()) || !first.DoesBackground(t.Context()) {
		t.Error("got background work by another than the first server")
	}
	s, err := second.Shop(t.Context(), "acme")
	if err != nil {
		t.Fatal(err)
	}
	if err := first.Suspend(t.Context(), access.Operator(), "acme", shop.Suspension{}); err != nil {
		t.Fatal(err)
	}
	dbtest.Eventually(t, "the other server sees the change", func() bool {
		settings, err := s.Settings(t.Context())
		return err == nil && settings.IsClosed()
	})
	if err := first.Close(context.Background()); err != nil {
		t.Fatal(err)
	}
	dbtest.Eventually(t, "the other server takes over", func() bool { return second.DoesBackground(t.Context()) })
	c.SQL(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'storefront'`)
	dbtest.Eventually(t, "it takes over again after its connection is lost", func() bool { return second.DoesBackground(t.Context()) })

	if err := second.Delete(t.Context(), "acme"); err != nil {
		t.Fatal(err)
	}
	trash, _ := filepath.Glob(filepath.Join(second.Dir(), "trash", "acme-*.jsonl.gz"))
	if len(trash) != 1 {
		t.Fatalf("got %q in the trash, want one export", trash)
	}
	f, err := os.Open(trash[0])
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if _, err := second.Import(tenants.WithPlace(t.Context(), tenants.InFiles), tenants.ImportOptions{From: f}); err != nil {
		t.Errorf("import into files: %v", err)
	}
	if _, err := second.FindIncludingSuspended(t.Context(), "acme"); err != nil {
		t.Error(err)
	}
}

// A file is not restored as a shop that is in the database, of which two copies would be used then.
// Without the database, shops that are in files are restored.
func TestEngines_Restore(t *testing.T) {
	t.Parallel()
	c, backups := dbtest.NewCluster(t), t.TempDir()
	all := open(t, "", withDatabase(c))
	files := map[string]string{}
	for _, uid := range []string{"acme", "paper"} {
		if _, err := all.Create(tenants.WithPlace(t.Context(), tenants.InFiles), uid, named(t, uid)); err != nil {
			t.Fatal(err)
		}
		b, err := all.Backup(t.Context(), uid, backups)
		if err != nil {
			t.Fatal(err)
		}
		files[uid] = filepath.Join(backups, b.File)
	}
	if _, err := all.Move(t.Context(), "acme", tenants.MoveOptions{To: tenants.InPostgres}); err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		file, as string
		want     error
	}{
		{files["acme"], "", tenants.ErrInDatabase},
		{files["paper"], "acme", db.ErrExists},
		{files["acme"], "copy", nil},
		{files["paper"], "", nil},
	} {
		if _, err := all.Restore(t.Context(), tenants.RestoreOptions{File: test.file, As: test.as}); !errors.Is(err, test.want) {
			t.Errorf("restore %s as %q: got %v, want %v", filepath.Base(test.file), test.as, err, test.want)
		}
	}
	list, err := all.List(t.Context())
	var got []string
	for _, s := range list {
		got = append(got, s.UID+" in "+string(s.Place))
	}
	if want := []string{"acme in postgres", "copy in files", "paper in files"}; err != nil || !slices.Equal(got, want) {
		t.Errorf("list: got %q, %v, want %q", got, err, want)
	}

	c.Kill()
	offline := open(t, all.Dir(), withDatabase(c))
	if _, err := offline.Restore(t.Context(), tenants.RestoreOptions{File: files["paper"]}); err != nil {
		t.Errorf("restore a shop in files without the database: got %v", err)
	}
	if _, err := offline.Restore(t.Context(), tenants.RestoreOptions{File: files["acme"]}); err == nil || errors.Is(err, tenants.ErrInDatabase) {
		t.Errorf("restore a shop that may be in the database: got %v, want that the database cannot be reached", err)
	}
}

// What is left in the trash of a shop in the database has each order that was acknowledged before
// the shop was deleted, by another server too.
func TestEngines_DeleteUnderLoad(t *testing.T) {
	t.Parallel()
	c := dbtest.NewCluster(t)
	all, beside := open(t, "", withDatabase(c)), open(t, "", withDatabase(c))
	mug := addMug(t, create(t, all, "acme"))
	var buyers sync.WaitGroup
	var placed sync.Map
	enough := make(chan struct{}, 1000)
	for buyer := range 4 {
		buyers.Go(func() {
			for n := 0; ; n++ {
				in := shoptest.GuestOrder(mug, 1)
				in.Customer.PhoneNumber = new(fmt.Sprintf("017%08d", buyer*100_000+n))
				s, err := beside.Shop(context.Background(), "acme")
				var order *order.Placed
				if err == nil {
					order, err = s.Orders.PlaceOrder(context.Background(), access.Caller{}, in, "")
				}
				if err != nil { // it is deleted
					return
				}
				placed.Store(order.ID, true)
				select {
				case enough <- struct{}{}:
				default:
				}
			}
		})
	}
	for range 20 {
		<-enough
	}
	if err := all.Delete(t.Context(), "acme"); err != nil {
		t.Fatal(err)
	}
	buyers.Wait()
	trash, _ := filepath.Glob(filepath.Join(all.Dir(), "trash", "acme-*.jsonl.gz"))
	if len(trash) != 1 {
		t.Fatalf("got %q in the trash, want one export", trash)
	}
	export := unpack(t, trash[0])
	placed.Range(func(id, _ any) bool {
		if !bytes.Contains(export, []byte(id.(string))) {
			t.Errorf("order %s was acknowledged and is not in the trash", id)
		}
		return true
	})
}

// A shop that is lost in the place that it leaves, while the record of its move remains, is not
// served from anywhere until the operator decides, and its other copy is not removed.
func TestEngines_MoveLost(t *testing.T) {
	t.Parallel()
	for _, to := range []tenants.Place{tenants.InPostgres, tenants.InFiles} {
		t.Run(string(to), func(t *testing.T) {
			t.Parallel()
			c := dbtest.NewCluster(t)
			all := open(t, "", withDatabase(c))
			from := map[tenants.Place]tenants.Place{tenants.InFiles: tenants.InPostgres, tenants.InPostgres: tenants.InFiles}[to]
			s, err := all.Create(tenants.WithPlace(t.Context(), from), "acme", named(t, "Acme"))
			if err != nil {
				t.Fatal(err)
			}
			mug := addMug(t, s)
			func() {
				defer func() { _ = recover() }()
				_, err := all.Move(t.Context(), "acme", tenants.MoveOptions{To: to, Reached: func(p db.MovePhase) {
					if p == db.MoveArrived {
						panic("interrupted")
					}
				}})
				t.Errorf("got %v, want an interrupted move", err)
			}()
			dir := all.Dir()
			if err := all.Close(context.Background()); err != nil {
				t.Fatal(err)
			}
			if to == tenants.InPostgres {
				for _, suffix := range []string{".db", ".db-wal", ".db-shm"} {
					if err := os.Remove(filepath.Join(dir, "tenants", "acme"+suffix)); err != nil && !errors.Is(err, os.ErrNotExist) {
						t.Fatal(err)
					}
				}
			} else {
				c.SQL(`UPDATE storefront.engine_state SET state = 'dropped'`)
			}
			for range 2 {
				all = open(t, dir, withDatabase(c))
				if _, err := all.Shop(t.Context(), "acme"); !errors.Is(err, db.ErrCopyLost) || !strings.Contains(err.Error(), "--use "+string(to)) {
					t.Errorf("shop: got %v, want that it is lost, with what to do", err)
				}
				if err := all.Delete(t.Context(), "acme"); !errors.Is(err, db.ErrCopyLost) {
					t.Errorf("delete: got %v, want that it is lost", err)
				}
				if err := all.EndMove(t.Context(), "acme", from); !errors.Is(err, db.ErrCopyLost) {
					t.Errorf("use the copy that is lost: got %v, want that it is lost", err)
				}
			}
			if err := all.EndMove(t.Context(), "acme", to); err != nil {
				t.Fatal(err)
			}
			if p, err := find(t, all, "acme").Catalogue.FindProduct(t.Context(), mug); err != nil || p.Title != "Blue mug" {
				t.Errorf("product: got %+v and %v, want the one that was copied", p, err)
			}
			if done, err := all.Move(t.Context(), "acme", tenants.MoveOptions{To: to}); err != nil || done.Rows != 0 {
				t.Errorf("move: got %+v and %v, want that the shop is there", done, err)
			}
		})
	}
}

// The export of the old copy is in the trash also if the process ends before that, and the next one
// completes the move.
func TestEngines_MoveKeepInterrupted(t *testing.T) {
	t.Parallel()
	c := dbtest.NewCluster(t)
	all := open(t, "", withDatabase(c))
	s, err := all.Create(tenants.WithPlace(t.Context(), tenants.InPostgres), "acme", named(t, "Acme"))
	if err != nil {
		t.Fatal(err)
	}
	mug := addMug(t, s)
	func() {
		defer func() { _ = recover() }()
		_, err := all.Move(t.Context(), "acme", tenants.MoveOptions{To: tenants.InFiles, Keep: true, Reached: func(p db.MovePhase) {
			if p == db.MoveAdmitted {
				panic("interrupted")
			}
		}})
		t.Errorf("got %v, want an interrupted move", err)
	}()
	dir := all.Dir()
	if err := all.Close(context.Background()); err != nil {
		t.Fatal(err)
	}
	all = open(t, dir, withDatabase(c))
	if p, err := find(t, all, "acme").Catalogue.FindProduct(t.Context(), mug); err != nil || p.Title != "Blue mug" {
		t.Errorf("product: got %+v and %v, want the one that was moved", p, err)
	}
	wantPlace(t, all, tenants.InFiles)
	trash, err := filepath.Glob(filepath.Join(dir, "trash", "acme-*.jsonl.gz"))
	if err != nil || len(trash) != 1 {
		t.Fatalf("got %q, %v in the trash, want an export", trash, err)
	}
	if export := unpack(t, trash[0]); !bytes.Contains(export, []byte(mug)) {
		t.Errorf("got %d bytes without the product", len(export))
	}
	if rows := c.SQL(`SELECT (SELECT count(*) FROM storefront.shops) + (SELECT count(*) FROM storefront.products)`); rows != "0" {
		t.Errorf("got %s rows in the database, want none", rows)
	}
}
