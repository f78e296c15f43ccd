package cmd_test

import (
	"compress/gzip"
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"io"
	"math/big"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"storefront/cmd"
	"storefront/db"
	"storefront/shop/shoptest"
	"storefront/tenants"
)

// newDoctor gives a data folder with shops, and an address at which a server seems to answer.
func newDoctor(t *testing.T, uids ...string) *console {
	t.Helper()
	c := newConsole(t)
	for _, uid := range uids {
		c.must("tenant", "create", uid, "--name", uid)
	}
	answering := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.Header().Set("X-Api-Version", "1") }))
	t.Cleanup(answering.Close)
	c.env["STOREFRONT_API_PUBLIC_URL"] = answering.URL
	return c
}

// examined gives all findings by "name" of the folder and "uid/name" of shops, and the exit code.
func (c *console) examined(args ...string) (map[string]tenants.Finding, int) {
	c.t.Helper()
	r := c.run(append([]string{"doctor", "--json"}, args...)...)
	var x tenants.Examination
	if err := json.Unmarshal([]byte(r.stdout), &x); err != nil {
		c.t.Fatalf("doctor: %v in\n%s%s", err, r.stdout, r.stderr)
	}
	found := map[string]tenants.Finding{}
	for _, f := range x.Folder {
		found[f.Name] = f
	}
	for _, s := range x.Shops {
		for _, f := range s.Findings {
			found[s.UID+"/"+f.Name] = f
		}
	}
	return found, r.code
}

func wantFinding(t *testing.T, found map[string]tenants.Finding, name string, state tenants.State, says string) {
	t.Helper()
	if f := found[name]; f.State != state || !strings.Contains(f.Message, says) {
		t.Errorf("%s: %q, want %s with %q", name, f, state, says)
	}
}

func TestDoctor(t *testing.T) {
	t.Parallel()
	c := newDoctor(t, "acme", "broken", "maple")
	found, code := c.examined()
	warnings := 0
	for name, f := range found {
		if f.State != tenants.StateOK {
			warnings++
			if name != "public address" && name != "disk" { // which are this machine's
				t.Errorf("of sound shops: %s is %s: %s", name, f.State, f.Message)
			}
		}
	}
	if code != cmd.ExitOK || len(found) < 20 {
		t.Errorf("exit %d with %d findings", code, len(found))
	}
	if said := c.must("doctor"); !strings.Contains(said, "3 of 3 shops are sound.") || strings.Contains(said, "secrets") {
		t.Errorf("doctor says\n%s", said)
	}
	if said := c.must("doctor", "acme"); !strings.Contains(said, "The key opens them all.") || strings.Contains(said, "maple") {
		t.Errorf("of one shop doctor says\n%s", said)
	}
	if r := c.run("doctor", "--strict"); r.code != cmd.ExitFailed || !strings.Contains(r.stderr, fmt.Sprintf("0 failing, %d warnings", warnings)) {
		t.Errorf("with --strict exit %d\n%s", r.code, r.stderr)
	}
	c.fails(cmd.ExitFailed, "No shop has this UID", "doctor", "nobody")

	// One damaged shop of three.
	file := filepath.Join(c.dir, "tenants", "broken.db")
	content, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	copy(content[2*4096:], strings.Repeat("not what was written here ", 1000))
	if err := os.WriteFile(file, content, 0o600); err != nil {
		t.Fatal(err)
	}
	found, code = c.examined()
	if code != cmd.ExitFailed {
		t.Errorf("with a damaged shop exit %d", code)
	}
	wantFinding(t, found, "broken/file", tenants.StateFailing, "restore the shop's file from a backup")
	wantFinding(t, found, "acme/file", tenants.StateOK, "")
	wantFinding(t, found, "maple/secrets", tenants.StateOK, "")
	if r := c.run("doctor"); !strings.Contains(r.stdout, "2 of 3 shops are sound.") || !strings.Contains(r.stdout, "\nbroken\n") {
		t.Errorf("doctor says\n%s", r.stdout)
	}
	newConsole(t).fails(cmd.ExitFailed, "there is no data folder", "doctor")
}

func TestDoctor_Folder(t *testing.T) {
	t.Parallel()
	c := newDoctor(t, "acme", "maple")
	key := filepath.Join(c.dir, "key")
	tests := []struct {
		name      string
		spoil     func() error
		mend      func() error
		finding   string
		says      string
		otherwise string // a finding that stays sound
	}{
		{"rights", func() error { return os.Chmod(c.dir, 0o755) }, func() error { return os.Chmod(c.dir, 0o700) },
			"data folder", "chmod 700", "key"},
		{"rights of the key", func() error { return os.Chmod(key, 0o644) }, func() error { return os.Chmod(key, 0o600) },
			"key", "chmod 600", "acme/file"},
		{"no key", func() error { return os.Rename(key, key+".away") }, func() error { return os.Rename(key+".away", key) },
			"key", "back from a backup", "acme/sums"},
		{"another key", func() error { c.env["STOREFRONT_KEY"] = strings.Repeat("A", 43) + "="; return nil }, func() error { delete(c.env, "STOREFRONT_KEY"); return nil },
			"key", "bring that one back", "acme/file"},
		{"a clock set back", func() error { return touch(c.dir, time.Now().Add(time.Hour)) }, func() error { return touch(c.dir, time.Now()) },
			"clock", "maple", "maple/file"},
	}
	for _, tt := range tests {
		if err := tt.spoil(); err != nil {
			t.Fatal(err)
		}
		found, code := c.examined()
		if code != cmd.ExitFailed {
			t.Errorf("%s: exit %d", tt.name, code)
		}
		wantFinding(t, found, tt.finding, tenants.StateFailing, tt.says)
		wantFinding(t, found, tt.otherwise, tenants.StateOK, "")
		if tt.finding == "key" {
			wantFinding(t, found, "acme/secrets", tenants.StateFailing, "to do: bring back the key")
		}
		if err := tt.mend(); err != nil {
			t.Fatal(err)
		}
		if _, code := c.examined(); code != cmd.ExitOK {
			t.Errorf("%s, mended: exit %d", tt.name, code)
		}
	}

	c.env["STOREFRONT_API_PUBLIC_URL"] = "http://127.0.0.1:1"
	found, code := c.examined()
	wantFinding(t, found, "reach", tenants.StateFailing, "does not answer")
	wantFinding(t, found, "public address", tenants.StateWarning, "providers can not reach it")
	if code != cmd.ExitFailed {
		t.Errorf("out of reach: exit %d", code)
	}
}

func touch(dir string, at time.Time) error {
	return os.Chtimes(filepath.Join(dir, "tenants", "maple.db"), at, at)
}

// A file of another version is told of, and left as it is.
func TestDoctor_Schema(t *testing.T) {
	t.Parallel()
	c := newDoctor(t, "acme", "newer")
	steps := append(tenants.Steps(), db.Step{Name: "later", SQL: `CREATE TABLE later (id INTEGER PRIMARY KEY) STRICT`})
	withStore(t, c.dir, steps, func(s *db.Store) error {
		_, err := s.Upgrade(t.Context(), "newer")
		return err
	})
	unzip(t, filepath.Join("..", "tenants", "testdata", "shop-1.db.gz"), filepath.Join(c.dir, "tenants", "older.db"))
	for range 2 {
		found, code := c.examined()
		wantFinding(t, found, "older/schema", tenants.StateWarning, "storefront migrate older")
		wantFinding(t, found, "newer/schema", tenants.StateFailing, "start that version")
		wantFinding(t, found, "acme/schema", tenants.StateOK, "")
		if code != cmd.ExitFailed {
			t.Errorf("exit %d", code)
		}
	}
}

// What waits for someone is counted, and says where to look.
func TestDoctor_Backlog(t *testing.T) {
	t.Parallel()
	c := newDoctor(t, "acme")
	c.must("product", "import", "acme", writeFile(t, "products.csv", twoProducts))
	insert := func(statement string, args ...any) {
		t.Helper()
		withStore(t, c.dir, tenants.Steps(), func(s *db.Store) error {
			return s.Update(t.Context(), "acme", func(_ context.Context, tx *db.Tx) error {
				_, err := tx.Exec(statement, args...)
				return err
			})
		})
	}
	const call = `INSERT INTO provider_calls (id, provider, key, content_type, body, event, verdict, reason, copies, received_at, last_at)
		VALUES (?, 'courier_a', ?, '', x'', '', ?, '', 1, ?, ?)`
	now := time.Now().UnixMilli()
	long := time.Now().Add(-2 * time.Hour).UnixMilli()
	insert(call, "1", []byte("1"), "unmatched", now, now)
	insert(call, "2", []byte("2"), "failed", now, now)
	insert(call, "3", []byte("3"), "stored", now, now) // just taken
	insert(call, "4", []byte("4"), "stored", long, long)
	found, code := c.examined("acme")
	wantFinding(t, found, "acme/provider calls", tenants.StateWarning, "1 name no order or parcel of the shop, 1 failed, 1 were left: `storefront webhook list acme")
	wantFinding(t, found, "acme/payments", tenants.StateOK, "")
	if code != cmd.ExitOK {
		t.Errorf("exit %d", code)
	}
	const attempt = `INSERT INTO payment_attempts (id, order_id, method, mode, status, amount, transaction_id, redirect_url, error_code, created_at, updated_at)
		SELECT ?, id, 'gateway_a', 'live', ?, 100, '', '', '', ?, ? FROM orders LIMIT 1`
	placeOrder(t, c.dir, "acme")
	insert(attempt, "1", "needs_review", long, long)
	insert(attempt, "2", "pending", now, now) // under way
	found, _ = c.examined("acme")
	wantFinding(t, found, "acme/payments", tenants.StateWarning, "1 have to be looked at and 0 given back: `storefront payment list acme`")
	insert(attempt, "3", "pending", long, long)
	found, code = c.examined("acme")
	wantFinding(t, found, "acme/payments", tenants.StateFailing, "about 1 payments long ago: start the server")
	if code != cmd.ExitFailed {
		t.Errorf("exit %d", code)
	}
}

// A parcel that nobody may know of, and one that nobody waits for, are named by their order.
func TestDoctor_Parcels(t *testing.T) {
	t.Parallel()
	c := newDoctor(t, "acme")
	c.must("product", "import", "acme", writeFile(t, "products.csv", twoProducts))
	c.must("stock", "set", "acme", "MUG-L", "4")
	stray, unanswered := placeOrder(t, c.dir, "acme"), placeOrder(t, c.dir, "acme")
	c.must("order", "ship", "acme", stray, "--courier", "courier_a", "--consignment", "DD-1")
	found, _ := c.examined("acme")
	wantFinding(t, found, "acme/parcels", tenants.StateOK, "")
	c.must("order", "cancel", "acme", stray)
	found, _ = c.examined("acme")
	wantFinding(t, found, "acme/parcels", tenants.StateWarning, "still with a courier, is "+stray+": cancel the parcel")
	withStore(t, c.dir, tenants.Steps(), func(s *db.Store) error {
		return s.Update(t.Context(), "acme", func(_ context.Context, tx *db.Tx) error {
			_, err := tx.Exec(`INSERT INTO parcel_bookings (id, order_id, provider, ref, mode, cash, asked_at) VALUES ('1', ?, 'courier_a', ?, 'live', 0, 1)`, unanswered, unanswered)
			return err
		})
	})
	found, code := c.examined("acme")
	wantFinding(t, found, "acme/parcels", tenants.StateWarning, "took the parcel of "+unanswered+": `storefront order ship`")
	if code != cmd.ExitOK {
		t.Errorf("exit %d", code)
	}
}

// A certificate that was not renewed is told of.
func TestDoctor_Certificates(t *testing.T) {
	t.Parallel()
	c := newDoctor(t, "acme")
	found, _ := c.examined()
	wantFinding(t, found, "certificates", tenants.StateOK, "none")
	writeCertificate(t, c.dir, "api.example.com", time.Now().Add(60*24*time.Hour))
	found, _ = c.examined()
	wantFinding(t, found, "certificates", tenants.StateOK, "There are 1")
	writeCertificate(t, c.dir, "shop.example.com", time.Now().Add(3*24*time.Hour))
	found, _ = c.examined()
	wantFinding(t, found, "certificates", tenants.StateWarning, "The one of shop.example.com ends on")
}

func writeCertificate(t *testing.T, data, name string, end time.Time) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{SerialNumber: big.NewInt(1), DNSNames: []string{name}, NotBefore: time.Now(), NotAfter: end}
	raw, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	if err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(data, "certificates", "certificates", "authority", name)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, name+".crt"), pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: raw}), 0o600); err != nil {
		t.Fatal(err)
	}
}

// withStore opens the files beneath the shops.
func withStore(t *testing.T, dir string, steps []db.Step, fn func(s *db.Store) error) {
	t.Helper()
	s, err := db.Open(dir, db.Options{Schema: shoptest.Schema(t), Steps: steps})
	if err != nil {
		t.Fatal(err)
	}
	if err := fn(s); err != nil {
		t.Error(err)
	}
	if err := s.Close(context.Background()); err != nil {
		t.Fatal(err)
	}
}

func unzip(t *testing.T, from, to string) {
	t.Helper()
	in, err := os.Open(from)
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	plain, err := gzip.NewReader(in)
	if err != nil {
		t.Fatal(err)
	}
	content, err := io.ReadAll(plain)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(to, content, 0o600); err != nil {
		t.Fatal(err)
	}
}
