package tenants

import (
	"encoding/json"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"storefront/db"
	"storefront/shop/shoptest"
)

// planned is a data folder with a plan, and a clock that runs ahead of the real one by a test's
// will.
type planned struct {
	t     *testing.T
	all   *Tenants
	dir   string // of the shops
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
	p.restart(filepath.Join(t.TempDir(), "copies"))
	return p
}

// restart makes the schedule anew, as a new process does.
func (p *planned) restart(to string) {
	p.backupSchedule = &backupSchedule{
		tenants: p.all, plan: BackupPlan{Dir: to, Every: 24 * time.Hour, Retain: 2}, log: slog.New(slog.DiscardHandler), retry: map[db.ID]time.Time{},
	}
}

// written makes a shop's file look as if it was written a minute ago by the test's clock.
func (p *planned) written(uid string) {
	p.t.Helper()
	at := p.all.now().Add(-time.Minute)
	for _, suffix := range []string{".db", ".db-wal"} {
		if err := os.Chtimes(filepath.Join(p.dir, "tenants", uid+suffix), at, at); err != nil && !os.IsNotExist(err) {
			p.t.Fatal(err)
		}
	}
}

// rename changes a shop.
func (p *planned) rename(uid, name string) {
	p.t.Helper()
	if err := p.all.set(p.t.Context(), uid, "name", name); err != nil {
		p.t.Fatal(err)
	}
	p.written(uid)
}

// copies gives how many copies a shop has; each with what is told of it.
func (p *planned) copies(uid string) int {
	p.t.Helper()
	found, err := filepath.Glob(filepath.Join(p.plan.Dir, uid+"-*.db"))
	if err != nil {
		p.t.Fatal(err)
	}
	told, err := filepath.Glob(filepath.Join(p.plan.Dir, uid+"-*.db.json"))
	if err != nil || len(told) != len(found) {
		p.t.Fatalf("%d copies, %d are told of, %v", len(found), len(told), err)
	}
	return len(found)
}

func (p *planned) want(when string, acme, maple int) {
	p.t.Helper()
	p.runDue(p.t.Context())
	if a, m := p.copies("acme"), p.copies("maple"); a != acme || m != maple {
		p.t.Errorf("%s: %d and %d copies, want %d and %d", when, a, m, acme, maple)
	}
}

func TestBackupPlan(t *testing.T) {
	t.Parallel()
	p := newPlanned(t)
	p.want("at first", 1, 1)
	if s := p.all.BackupStatus(); s.LastSuccess.IsZero() || s.Failing != 0 {
		t.Errorf("status %+v", s)
	}
	p.rename("acme", "changed too early")
	p.want("before its time", 1, 1)
	p.ahead += 25 * time.Hour
	p.written("acme")
	p.restart(p.plan.Dir)
	p.want("a day later, after a restart", 2, 1)
	p.ahead += 25 * time.Hour
	p.written("maple") // looks changed, and is not
	p.want("nothing new", 2, 1)
	p.ahead += 25 * time.Hour
	p.rename("acme", "changed again")
	p.want("beyond what is kept", 2, 1)

	// The newest is what stays.
	copies, err := p.listBackups("acme")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range copies {
		path := filepath.Join(p.plan.Dir, name)
		b, err := readManifest(path)
		if err != nil || b.check(path) != nil {
			t.Fatalf("%s: %v", name, err)
		}
	}
	if _, err := p.all.Restore(t.Context(), Restore{File: filepath.Join(p.plan.Dir, copies[1])}); err != nil {
		t.Fatal(err)
	}
	s, err := p.all.FindIncludingSuspended(t.Context(), "acme")
	if err != nil {
		t.Fatal(err)
	}
	if set, err := s.Settings(t.Context()); err != nil || set.Name != "changed again" {
		t.Errorf("restored %+v, %v", set, err)
	}
}

func TestBackupPlan_Failures(t *testing.T) {
	t.Parallel()
	p := newPlanned(t)
	path := filepath.Join(p.dir, "tenants", "broken.db")
	if err := os.WriteFile(path, []byte("rubbish that is no database"), 0o600); err != nil {
		t.Fatal(err)
	}
	var log strings.Builder
	p.log = slog.New(slog.NewJSONHandler(&log, nil))
	p.want("beside a broken shop", 1, 1)
	if s := p.all.BackupStatus(); !s.LastSuccess.IsZero() || s.Failing != 1 {
		t.Errorf("status %+v", s)
	}
	var line struct{ Tenant, Msg, Error string }
	if err := json.Unmarshal([]byte(log.String()), &line); err != nil || line.Tenant != "broken" || !strings.Contains(line.Msg, "storefront doctor") {
		t.Errorf("logged %s (%v)", log.String(), err)
	}
	log.Reset()
	p.want("before it is tried again", 1, 1)
	if log.Len() > 0 {
		t.Errorf("logged again at once: %s", log.String())
	}
	p.ahead += backupRetry + time.Second
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	p.want("healed", 1, 1)
	if s := p.all.BackupStatus(); s.LastSuccess.IsZero() || s.Failing != 0 {
		t.Errorf("status %+v", s)
	}

	// A folder that is of no use is told of once, and tried again.
	taken := filepath.Join(t.TempDir(), "taken")
	if err := os.WriteFile(taken, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	p.restart(taken)
	log.Reset()
	p.log = slog.New(slog.NewJSONHandler(&log, nil))
	for range 3 {
		p.runDue(t.Context())
	}
	if strings.Count(log.String(), "backups failed") != 1 {
		t.Errorf("logged %s", log.String())
	}
	if s := p.all.BackupStatus(); s.Failing == 0 {
		t.Errorf("status %+v", s)
	}
	if err := os.Remove(taken); err != nil {
		t.Fatal(err)
	}
	p.ahead += backupRetry + time.Second
	p.want("of use again", 1, 1)
}
