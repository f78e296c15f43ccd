package replica_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"storefront/db"
	"storefront/db/dbtest"
	"storefront/db/sqlite"
	"storefront/replica"
)

const schema = `CREATE TABLE notes (n INTEGER PRIMARY KEY, text TEXT NOT NULL) STRICT;`

// place is a data folder with a target beside it.
type place struct {
	t      *testing.T
	dir    string
	target *replica.Target
	store  *sqlite.Store
	rep    *replica.Replicator
}

func newPlace(t *testing.T) *place {
	t.Helper()
	folder := t.TempDir()
	target, err := replica.ParseTarget(folder)
	if err != nil {
		t.Fatal(err)
	}
	p := &place{t: t, dir: t.TempDir(), target: target}
	t.Cleanup(p.stop)
	return p
}

// start opens the store with a replicator, as a server does.
func (p *place) start(maxOpen int) {
	p.t.Helper()
	p.rep = replica.New(replica.Config{Target: p.target, Delay: 10 * time.Millisecond})
	p.store = p.open(sqlite.Options{Shipper: p.rep, MaxOpen: maxOpen})
}

func (p *place) open(o sqlite.Options) *sqlite.Store {
	p.t.Helper()
	o.Schema = schema
	store, err := sqlite.Open(p.dir, o)
	if err != nil {
		p.t.Fatal(err)
	}
	return store
}

// stop closes the store and the replicator, as a server does.
func (p *place) stop() {
	p.t.Helper()
	if p.store == nil {
		return
	}
	ctx, cancel := context.WithDeadline(context.Background(), dbtest.Deadline(p.t))
	defer cancel()
	if err := errors.Join(p.store.Close(ctx), p.rep.Close(ctx)); err != nil {
		p.t.Error(err)
	}
	p.store = nil
}

func (p *place) create(ids ...db.ID) {
	p.t.Helper()
	for _, id := range ids {
		if err := p.store.Create(p.t.Context(), id, nil); err != nil {
			p.t.Fatal(err)
		}
	}
}

func write(t *testing.T, s *sqlite.Store, id db.ID, numbers ...int) {
	t.Helper()
	for _, n := range numbers {
		err := s.Update(t.Context(), id, func(_ context.Context, tx *db.Tx) error {
			_, err := tx.Exec("INSERT INTO notes (n, text) VALUES (?, ?)", n, fmt.Sprint("note ", n))
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
}

func numbers(t *testing.T, s *sqlite.Store, id db.ID) (found []int) {
	t.Helper()
	err := s.View(t.Context(), id, func(_ context.Context, tx *db.Tx) error {
		found = nil
		return tx.Each("SELECT n FROM notes ORDER BY n", nil, func(r db.Row) error {
			var n int
			err := r.Scan(&n)
			found = append(found, n)
			return err
		})
	})
	if err != nil {
		t.Fatal(err)
	}
	return found
}

// waitShipped waits until all changes are on the target.
func (p *place) waitShipped() {
	p.t.Helper()
	if err := p.store.Ship(p.t.Context()); err != nil {
		p.t.Fatal(err)
	}
	dbtest.Eventually(p.t, "all changes on the target", func() bool { return p.rep.Status().Pending == 0 })
}

// restored returns the numbers in the replica.
func (p *place) restored(id db.ID, at time.Time) []int {
	p.t.Helper()
	file := filepath.Join(p.t.TempDir(), "restored.db")
	if _, err := p.target.Restore(p.t.Context(), id, at, file); err != nil {
		p.t.Fatal(err)
	}
	other, err := sqlite.Open(p.t.TempDir(), sqlite.Options{Schema: schema})
	if err != nil {
		p.t.Fatal(err)
	}
	defer other.Close(context.Background())
	if _, err := other.Restore(p.t.Context(), id, file, nil); err != nil {
		p.t.Fatal(err)
	}
	return numbers(p.t, other, id)
}

func (p *place) expect(what string, id db.ID, at time.Time, want ...int) {
	p.t.Helper()
	if got := p.restored(id, at); !slices.Equal(got, want) {
		p.t.Errorf("%s: replica of %s: got %v, want %v", what, id, got, want)
	}
}

func TestReplicator(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	p.start(0)
	p.create("acme", "other")
	write(t, p.store, "acme", 1, 2)
	p.waitShipped()
	p.expect("while serving", "acme", time.Time{}, 1, 2)
	p.expect("never written to", "other", time.Time{})

	write(t, p.store, "acme", 3)
	p.stop()
	p.expect("after a stop", "acme", time.Time{}, 1, 2, 3)

	p.start(0)
	write(t, p.store, "acme", 4)
	p.waitShipped()
	p.expect("after a restart", "acme", time.Time{}, 1, 2, 3, 4)
}

// With a limit of one open file, each tenant is closed right after it was written to.
func TestReplicator_ClosedTenants(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	p.start(1)
	ids := []db.ID{"aaa", "bbb", "ccc", "ddd"}
	p.create(ids...)
	for n := range 5 {
		for _, id := range ids {
			write(t, p.store, id, n)
		}
	}
	p.waitShipped()
	for _, id := range ids {
		p.expect("closed", id, time.Time{}, 0, 1, 2, 3, 4)
	}
}

func TestReplicator_OtherProcesses(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	p.start(1)
	p.create("open", "closed")
	p.waitShipped()
	numbers(t, p.store, "open") // evicts the other

	command := p.open(sqlite.Options{})
	write(t, command, "open", 1)
	write(t, command, "closed", 2)
	if err := command.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	p.waitShipped()
	p.expect("written by a command", "open", time.Time{}, 1)
	p.expect("written by a command", "closed", time.Time{}, 2)
	if got := numbers(t, p.store, "open"); !slices.Equal(got, []int{1}) {
		t.Errorf("numbers in the server's store: got %v, want [1]", got)
	}
}

func TestRestore_PointInTime(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	p.start(0)
	p.create("acme")
	before := time.Now()
	var after []time.Time
	for n := range 4 {
		time.Sleep(20 * time.Millisecond) // times on the target are in milliseconds
		write(t, p.store, "acme", n)
		p.waitShipped()
		time.Sleep(20 * time.Millisecond)
		after = append(after, time.Now())
	}
	for n, at := range after {
		want := []int{0, 1, 2, 3}[:n+1]
		p.expect("at a time", "acme", at, want...)
	}
	_, err := p.target.Restore(t.Context(), "acme", before.Add(-time.Hour), filepath.Join(t.TempDir(), "x.db"))
	if !errors.Is(err, replica.ErrNothingToRestore) {
		t.Errorf("before the first commit: got %v, want replica.ErrNothingToRestore", err)
	}
	_, err = p.target.Restore(t.Context(), "nobody", time.Time{}, filepath.Join(t.TempDir(), "x.db"))
	if !errors.Is(err, replica.ErrNothingToRestore) {
		t.Errorf("unknown tenant: got %v, want replica.ErrNothingToRestore", err)
	}
}

// A tenant that another process replaced, or dropped and created again, starts a new generation.
// Moments of the previous one can still be restored.
func TestReplicator_ReplacedTenants(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	p.start(0)
	p.create("acme", "again")
	write(t, p.store, "acme", 1)
	write(t, p.store, "again", 1)
	copied := filepath.Join(t.TempDir(), "copy.db")
	if err := p.store.Backup(t.Context(), "acme", copied); err != nil {
		t.Fatal(err)
	}
	write(t, p.store, "acme", 2)
	p.waitShipped()
	time.Sleep(20 * time.Millisecond)
	old := time.Now()

	command := p.open(sqlite.Options{})
	if _, err := command.Restore(t.Context(), "acme", copied, nil); err != nil {
		t.Fatal(err)
	}
	if err := command.Drop(t.Context(), "again"); err != nil {
		t.Fatal(err)
	}
	if err := command.Create(t.Context(), "again", nil); err != nil {
		t.Fatal(err)
	}
	if err := command.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	p.waitShipped()
	write(t, p.store, "acme", 3)
	write(t, p.store, "again", 4)
	p.waitShipped()
	p.expect("restored", "acme", time.Time{}, 1, 3)
	p.expect("before", "acme", old, 1, 2)
	p.expect("created again", "again", time.Time{}, 4)
	p.expect("before", "again", old, 1)
}

// What the target has of a deleted tenant goes with the retention; the record of the deletion and a
// new tenant of the same UID stay.
func TestReplicator_PruneDeleted(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	p.start(0)
	p.create("acme", "again", "young")
	for _, id := range []db.ID{"acme", "again", "young"} {
		write(t, p.store, id, 1)
	}
	p.waitShipped()
	deleted := map[db.ID]time.Time{}
	for _, id := range []db.ID{"acme", "again", "young"} {
		if err := p.store.Drop(t.Context(), id); err != nil {
			t.Fatal(err)
		}
		deleted[id] = time.Now()
	}
	p.create("again")
	write(t, p.store, "again", 2)
	p.waitShipped()
	p.stop()

	week := replica.New(replica.Config{Target: p.target})
	instant := replica.New(replica.Config{Target: p.target, Retention: time.Nanosecond})
	for _, rep := range []*replica.Replicator{week, instant} {
		if err := rep.RefreshTarget(t.Context()); err != nil {
			t.Fatal(err)
		}
		if err := rep.RecordDeleted(t.Context(), deleted); err != nil {
			t.Fatal(err)
		}
	}
	if err := week.PruneDeleted(t.Context(), deleted); err != nil {
		t.Fatal(err)
	}
	p.expect("within the retention", "acme", time.Time{}, 1)
	old := map[db.ID]time.Time{"acme": deleted["acme"], "again": deleted["again"]}
	if err := instant.PruneDeleted(t.Context(), old); err != nil {
		t.Fatal(err)
	}
	if _, _, err := p.target.Range(t.Context(), "acme"); !errors.Is(err, replica.ErrNothingToRestore) {
		t.Errorf("deleted before the retention: got %v, want nothing to restore", err)
	}
	if at, err := p.target.Deleted(t.Context(), "acme", time.Time{}); err != nil || !at.Equal(deleted["acme"]) {
		t.Errorf("got deleted at %v, %v, want %v", at, err, deleted["acme"])
	}
	p.expect("created again", "again", time.Time{}, 2)
	if from, _, err := p.target.Range(t.Context(), "again"); err != nil || from.Before(deleted["again"]) {
		t.Errorf("created again: got a history from %v, %v, want one after the deletion at %v", from, err, deleted["again"])
	}
	p.expect("not in the list", "young", time.Time{}, 1)
}

// Changes during an outage of the target are buffered and uploaded afterwards.
func TestReplicator_UnreachableTarget(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	p.start(0)
	p.create("acme")
	write(t, p.store, "acme", 1)
	p.waitShipped()

	away := p.target.Folder() + ".away"
	if err := os.Rename(p.target.Folder(), away); err != nil {
		t.Fatal(err)
	}
	write(t, p.store, "acme", 2)
	dbtest.Eventually(t, "the failure in the status", func() bool { return p.rep.Status().Failing })
	p.create("newcomer")
	write(t, p.store, "newcomer", 1)
	write(t, p.store, "acme", 3)
	if got := numbers(t, p.store, "acme"); !slices.Equal(got, []int{1, 2, 3}) {
		t.Errorf("numbers during the outage: got %v, want [1 2 3]", got)
	}
	if _, err := os.Stat(p.target.Folder()); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("missing folder of the target: got %v, want os.ErrNotExist", err)
	}
	if err := os.Rename(away, p.target.Folder()); err != nil {
		t.Fatal(err)
	}
	p.waitShipped()
	if st := p.rep.Status(); st.Failing || st.Lag != 0 {
		t.Errorf("status: got %+v, want no failure and no lag", st)
	}
	p.expect("afterwards", "acme", time.Time{}, 1, 2, 3)
	p.expect("afterwards", "newcomer", time.Time{}, 1)
}

// If the local state of a replica is lost or deleted, a new generation starts.
func TestReplicator_LostState(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	p.start(0)
	p.create("acme")
	write(t, p.store, "acme", 1)
	p.stop()
	if err := os.RemoveAll(sqlite.ShippingDir(filepath.Join(p.dir, "tenants", "acme.db"))); err != nil {
		t.Fatal(err)
	}
	p.start(0)
	write(t, p.store, "acme", 2)
	p.waitShipped()
	p.expect("afterwards", "acme", time.Time{}, 1, 2)
}

// Tenants without unshipped changes are not opened when the server starts.
func TestReplicator_IdleTenants(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	p.start(0)
	ids := []db.ID{"aaa", "bbb", "ccc"}
	p.create(ids...)
	for _, id := range ids {
		write(t, p.store, id, 1)
	}
	p.stop()
	p.age(ids...)
	p.start(0)
	p.refreshTarget()
	if err := p.store.Ship(t.Context()); err != nil {
		t.Fatal(err)
	}
	if n := p.store.Stats().Opened; n != 0 {
		t.Errorf("got %d opened files, want 0", n)
	}
	tenants, err := p.target.Tenants(t.Context())
	if err != nil || !slices.Equal(tenants, ids) {
		t.Errorf("tenants on the target: got %v, %v, want %v", tenants, err, ids)
	}
}

// age sets the modification times of closed tenants to long ago.
func (p *place) age(ids ...db.ID) {
	p.t.Helper()
	old := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	for _, id := range ids {
		path := filepath.Join(p.dir, "tenants", string(id)+".db")
		for _, name := range []string{path, path + "-wal"} {
			if err := os.Chtimes(name, old, old); err != nil {
				p.t.Fatal(err)
			}
		}
	}
}

func (p *place) refreshTarget() {
	p.t.Helper()
	if err := p.rep.RefreshTarget(p.t.Context()); err != nil {
		p.t.Fatal(err)
	}
}

// All tenants, idle ones included, are copied to a new target and to one that was emptied.
func TestReplicator_NewTarget(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	ids := []db.ID{"aaa", "bbb"}
	p.start(0)
	p.create(ids...)
	first := p.target
	another, err := replica.ParseTarget(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	emptied := func() *replica.Target {
		if err := errors.Join(os.RemoveAll(first.Folder()), os.Mkdir(first.Folder(), 0o700)); err != nil {
			t.Fatal(err)
		}
		return first
	}
	for n, next := range []func() *replica.Target{
		func() *replica.Target { return another },
		func() *replica.Target { return first },
		emptied,
	} {
		for _, id := range ids {
			write(t, p.store, id, n)
		}
		p.stop()
		p.age(ids...)
		p.target = next()
		p.start(0)
		p.refreshTarget()
		p.waitShipped()
		for _, id := range ids {
			p.expect(fmt.Sprint("change ", n), id, time.Time{}, []int{0, 1, 2}[:n+1]...)
		}
	}
}

func TestParseTarget(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"", "file://host/folder", "file://", "s3://", "ftp://x", "s3://key:hunter2@bucket/prefix", "s3://%zz-hunter2"} {
		target, err := replica.ParseTarget(text)
		if err == nil {
			t.Errorf("%q: got %v, want an error", text, target)
		} else if msg := err.Error(); strings.Contains(msg, "hunter2") {
			t.Errorf("%q: the error contains the secret: %s", text, msg)
		}
	}
	target, err := replica.ParseTarget("file:///backups/shops")
	if err != nil || target.Folder() != filepath.FromSlash("/backups/shops") {
		t.Errorf("got %v, %v, want folder /backups/shops", target, err)
	}
}
