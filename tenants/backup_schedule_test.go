package tenants

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"storefront/db"
	"storefront/db/dbtest"
	"storefront/shop"
	"storefront/shop/access"
	"storefront/shop/shoptest"
)

// planned is a data folder with a backup plan, and a clock that a test can advance.
type planned struct {
	t     *testing.T
	all   *Tenants
	dir   string // the data folder
	ahead time.Duration
	*backupSchedule
}

func newPlanned(t *testing.T) *planned {
	t.Helper()
	p := &planned{t: t, dir: t.TempDir()}
	p.all = openFolder(t, p.dir)
	p.all.now = func() time.Time { return time.Now().Add(p.ahead) }
	for _, uid := range []string{"acme", "maple"} {
		if _, err := p.all.Create(t.Context(), uid, shoptest.Raw(t, map[string]any{"name": uid, "currency": "BDT", "country": "BD"})); err != nil {
			t.Fatal(err)
		}
		p.written(uid)
	}
	p.restart(t.TempDir())
	return p
}

// restart creates a new schedule, as a new process does.
func (p *planned) restart(to string) {
	p.backupSchedule = &backupSchedule{
		tenants: p.all, plan: BackupPlan{Dir: to, Every: 24 * time.Hour, Retain: 2}, log: slog.New(slog.DiscardHandler), retry: map[db.ID]time.Time{},
	}
}

// written sets the modification time of a shop's file to a minute ago by the test's clock.
func (p *planned) written(uid string) {
	p.t.Helper()
	at := p.all.now().Add(-time.Minute)
	for _, suffix := range []string{".db", ".db-wal"} {
		if err := os.Chtimes(filepath.Join(p.dir, "tenants", uid+suffix), at, at); err != nil && !os.IsNotExist(err) {
			p.t.Fatal(err)
		}
	}
}

// rename changes a shop's name.
func (p *planned) rename(uid, name string) {
	p.t.Helper()
	change := map[string]json.RawMessage{"name": json.RawMessage(strconv.Quote(name))}
	if _, err := p.all.SetSettings(p.t.Context(), access.Operator(), uid, change, nil); err != nil {
		p.t.Fatal(err)
	}
	p.written(uid)
}

// countBackups returns the number of a shop's backups. Each must have a manifest.
func (p *planned) countBackups(uid string) int {
	p.t.Helper()
	found, err := filepath.Glob(filepath.Join(p.plan.Dir, uid+"-*.db"))
	if err != nil {
		p.t.Fatal(err)
	}
	manifests, err := filepath.Glob(filepath.Join(p.plan.Dir, uid+"-*.db.json"))
	if err != nil || len(manifests) != len(found) {
		p.t.Fatalf("got %d backups and %d manifests, %v", len(found), len(manifests), err)
	}
	return len(found)
}

// want runs the due backups and compares the number of each shop's backups.
func (p *planned) want(when string, acme, maple int) {
	p.t.Helper()
	p.runDue(p.t.Context())
	if a, m := p.countBackups("acme"), p.countBackups("maple"); a != acme || m != maple {
		p.t.Errorf("%s: got %d and %d backups, want %d and %d", when, a, m, acme, maple)
	}
}

func TestBackupPlan(t *testing.T) {
	t.Parallel()
	p := newPlanned(t)
	p.want("first run", 1, 1)
	if s := p.all.BackupStatus(); s.LastSuccess.IsZero() || s.Failing != 0 {
		t.Errorf("got status %+v", s)
	}
	rows, err := p.all.shopRows(t.Context())
	if err != nil || len(rows) != 2 || rows[0].BackupAt == nil || rows[1].BackupAt == nil {
		t.Errorf("got %+v, %v, want two shops with a backup", rows, err)
	}
	p.rename("acme", "changed early")
	p.want("before the interval has passed", 1, 1)
	p.ahead += 25 * time.Hour
	p.written("acme")
	p.restart(p.plan.Dir)
	p.want("a day later and after a restart", 2, 1)
	p.ahead += 25 * time.Hour
	p.written("maple") // a new modification time without a change
	p.want("without a change", 2, 1)
	p.ahead += 25 * time.Hour
	p.rename("acme", "changed again")
	p.want("beyond Retain", 2, 1)

	// The newest are retained.
	names, err := p.listBackups("acme")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		path := filepath.Join(p.plan.Dir, name)
		b, err := readManifest(path)
		if err != nil || b.check(path) != nil {
			t.Fatalf("%s: %v", name, err)
		}
	}
	if _, err := p.all.Restore(t.Context(), RestoreOptions{File: filepath.Join(p.plan.Dir, names[1])}); err != nil {
		t.Fatal(err)
	}
	s, err := p.all.FindIncludingSuspended(t.Context(), "acme")
	if err != nil {
		t.Fatal(err)
	}
	if set, err := s.Settings(t.Context()); err != nil || set.Name != "changed again" {
		t.Errorf("restored settings: got %+v, %v", set, err)
	}
}

// The shops in a database are backed up by one of all servers with scheduled backups, and by
// another one when it ends. The deletion of one is recorded, and a move is not mistaken for one.
func TestEngine_BackupPlan(t *testing.T) {
	t.Parallel()
	cluster := dbtest.NewCluster(t)
	server := func(ahead time.Duration) *planned {
		p := &planned{t: t, dir: t.TempDir(), ahead: ahead}
		var err error
		p.all, err = Open(Config{
			Dir: p.dir, Schema: shoptest.Schema(t), Engine: cluster.Address("postgres"), Key: "BwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwc=",
		})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { p.all.Close(context.Background()) })
		p.all.now = func() time.Time { return time.Now().Add(p.ahead) }
		p.restart(t.TempDir())
		return p
	}
	files := func(p *planned, pattern string) int {
		t.Helper()
		p.runDue(t.Context())
		found, err := filepath.Glob(filepath.Join(p.plan.Dir, pattern))
		if err != nil {
			t.Fatal(err)
		}
		return len(found)
	}
	first, second := server(0), server(0)
	for uid, place := range map[string]Place{"acme": InPostgres, "maple": InPostgres, "paper": InFiles} {
		settings := shoptest.Raw(t, map[string]any{"name": uid, "currency": "BDT", "country": "BD"})
		if _, err := first.all.Create(WithPlace(t.Context(), place), uid, settings); err != nil {
			t.Fatal(err)
		}
	}
	if a, p := files(first, "*.jsonl.gz"), files(first, "paper-*.db"); a != 2 || p != 1 {
		t.Errorf("got %d and %d backups, want 2 of the database and 1 of a file", a, p)
	}
	if n := files(second, "*"); n != 0 {
		t.Errorf("the other server: got %d files, want none", n)
	}
	day := func(p *planned) {
		p.ahead += 25 * time.Hour
		if err := p.all.Suspend(t.Context(), access.Operator(), "acme", shop.Suspension{}); err != nil {
			t.Fatal(err)
		}
		if err := p.all.Resume(t.Context(), access.Operator(), "acme"); err != nil {
			t.Fatal(err)
		}
	}
	for range 3 {
		day(first)
		files(first, "*")
	}
	if a, m := files(first, "acme-*.jsonl.gz"), files(first, "maple-*.jsonl.gz"); a != 2 || m != 1 {
		t.Errorf("after three days: got %d and %d backups, want 2 of the shop that is written to and 1 of the other", a, m)
	}
	if _, err := first.all.Move(t.Context(), "paper", MoveOptions{To: InPostgres}); err != nil {
		t.Fatal(err)
	}
	if err := first.all.Delete(t.Context(), "maple"); err != nil {
		t.Fatal(err)
	}
	if m, p := files(first, "maple.deleted"), files(first, "paper.deleted"); m != 1 || p != 0 {
		t.Errorf("got %d and %d records of a deletion, want that of the shop in the database alone", m, p)
	}
	first.all.Close(t.Context())
	dbtest.Eventually(t, "the other server takes over", func() bool {
		return files(second, "acme-*.jsonl.gz") == 1 && files(second, "paper-*.jsonl.gz") == 1
	})
}

func TestBackupPlan_Failures(t *testing.T) {
	t.Parallel()
	p := newPlanned(t)
	path := filepath.Join(p.dir, "tenants", "broken.db")
	if err := os.WriteFile(path, []byte("not a database"), 0o600); err != nil {
		t.Fatal(err)
	}
	var log strings.Builder
	p.log = slog.New(slog.NewJSONHandler(&log, nil))
	p.want("with a broken shop", 1, 1)
	if s := p.all.BackupStatus(); !s.LastSuccess.IsZero() || s.Failing != 1 {
		t.Errorf("got status %+v", s)
	}
	var line struct{ Tenant, Msg, Error string }
	if err := json.Unmarshal([]byte(log.String()), &line); err != nil || line.Tenant != "broken" || !strings.Contains(line.Msg, "storefront doctor") {
		t.Errorf("got log %s (%v)", log.String(), err)
	}
	log.Reset()
	p.want("before the retry", 1, 1)
	if log.Len() > 0 {
		t.Errorf("before the retry: got log %s, want none", log.String())
	}
	p.ahead += backupRetry + time.Second
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	p.want("without the broken shop", 1, 1)
	if s := p.all.BackupStatus(); s.LastSuccess.IsZero() || s.Failing != 0 {
		t.Errorf("got status %+v", s)
	}

	// An unusable folder is logged once, and retried.
	blocked := filepath.Join(t.TempDir(), "blocked")
	if err := os.WriteFile(blocked, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	p.restart(blocked)
	log.Reset()
	p.log = slog.New(slog.NewJSONHandler(&log, nil))
	for range 3 {
		p.runDue(t.Context())
	}
	if strings.Count(log.String(), "backups failed") != 1 {
		t.Errorf("got log %s, want one error", log.String())
	}
	if s := p.all.BackupStatus(); s.Failing == 0 {
		t.Errorf("got status %+v", s)
	}
	if err := errors.Join(os.Remove(blocked), os.Mkdir(blocked, 0o700)); err != nil {
		t.Fatal(err)
	}
	p.ahead += backupRetry + time.Second
	p.want("usable folder", 1, 1)
}
