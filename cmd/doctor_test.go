package cmd_test

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"encoding/json"
	"encoding/pem"
	"errors"
	"fmt"
	"maps"
	"math/big"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"storefront/cmd"
	"storefront/db"
	"storefront/db/dbtest"
	"storefront/db/postgres"
	"storefront/db/sqlite"
	"storefront/shop/shoptest"
	"storefront/tenants"
	"storefront/tenants/doctor"
)

// newDoctor returns a console on a data folder with shops, and simulates a server at its public
// URL.
func newDoctor(t *testing.T, uids ...string) *console {
	t.Helper()
	c := newConsole(t)
	for _, uid := range uids {
		c.must("tenant", "create", uid, "--name", uid)
	}
	publicServer := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.Header().Set("X-Api-Version", "1") }))
	t.Cleanup(publicServer.Close)
	c.env["STOREFRONT_API_PUBLIC_URL"] = publicServer.URL
	return c
}

// findings returns all findings, by "name" of the folder and "uid/name" of shops, and the exit
// code.
func (c *console) findings(args ...string) (map[string]doctor.Finding, int) {
	c.t.Helper()
	r := c.run(append([]string{"doctor", "--json"}, args...)...)
	var x doctor.Examination
	if err := json.Unmarshal([]byte(r.stdout), &x); err != nil {
		c.t.Fatalf("doctor: decode output: %v\n%s%s", err, r.stdout, r.stderr)
	}
	found := map[string]doctor.Finding{}
	for _, f := range x.Folder {
		found[f.Name] = f
	}
	for _, s := range x.Shops {
		for _, f := range s.Findings {
			found[s.UID+"/"+f.Name] = f
		}
	}
	if dbtest.OnPostgres() && failing(x) == "database" { // that one is fast instead of safe
		return found, cmd.ExitOK
	}
	return found, r.code
}

// failing returns the names of the failing findings.
func failing(x doctor.Examination) string {
	var names []string
	add := func(findings []doctor.Finding) {
		for _, f := range findings {
			if f.State == doctor.StateFailing && !slices.Contains(names, f.Name) {
				names = append(names, f.Name)
			}
		}
	}
	add(x.Folder)
	for _, s := range x.Shops {
		add(s.Findings)
	}
	return strings.Join(names, " ")
}

func wantFinding(t *testing.T, found map[string]doctor.Finding, name string, state doctor.State, message string) {
	t.Helper()
	if f := found[name]; f.State != state || !strings.Contains(f.Message, message) {
		t.Errorf("finding %s: got %q, want %s with %q", name, f, state, message)
	}
}

func TestDoctor(t *testing.T) {
	dbtest.NeedFiles(t, "it damages the file of a shop")
	t.Parallel()
	c := newDoctor(t, "acme", "broken", "maple")
	found, code := c.findings()
	warnings := 0
	for name, f := range found {
		if f.State != doctor.StateOK {
			warnings++
			if name != "public address" && name != "disk" { // of this machine
				t.Errorf("sound shops: got finding %s %s: %s", name, f.State, f.Message)
			}
		}
	}
	if code != cmd.ExitOK || len(found) < 20 {
		t.Errorf("sound shops: got exit code %d with %d findings, want 0 with at least 20", code, len(found))
	}
	if out := c.must("doctor"); !strings.Contains(out, "Shops without problems: 3 of 3.") || strings.Contains(out, "secrets") {
		t.Errorf("doctor: got\n%s\nwant only a summary of the shops", out)
	}
	if out := c.must("doctor", "acme"); !strings.Contains(out, "The key opens all secrets.") || strings.Contains(out, "maple") {
		t.Errorf("doctor acme: got\n%s\nwant all findings of acme", out)
	}
	want := fmt.Sprintf("failing 0, warnings %d", warnings)
	if r := c.run("doctor", "--strict"); r.code != cmd.ExitFailed || !strings.Contains(r.stderr, want) {
		t.Errorf("doctor --strict: got exit code %d\n%s\nwant %s", r.code, r.stderr, want)
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
	found, code = c.findings()
	if code != cmd.ExitFailed {
		t.Errorf("doctor with a damaged shop: got exit code %d, want 1", code)
	}
	wantFinding(t, found, "broken/file", doctor.StateFailing, "restore the shop's file from a backup")
	if text := found["broken/file"].Message; strings.Contains(text, "\n") || len(text) > 2000 {
		t.Errorf("a damaged file: got a message of %d bytes\n%s\nwant one line of at most 2000", len(text), text)
	}
	wantFinding(t, found, "acme/file", doctor.StateOK, "")
	wantFinding(t, found, "maple/secrets", doctor.StateOK, "")
	if r := c.run("doctor"); !strings.Contains(r.stdout, "Shops without problems: 2 of 3.") || !strings.Contains(r.stdout, "\nbroken\n") {
		t.Errorf("doctor with a damaged shop: got\n%s", r.stdout)
	}
	newConsole(t).fails(cmd.ExitFailed, "does not exist", "doctor")
}

func TestDoctor_Folder(t *testing.T) {
	dbtest.NeedFiles(t, "it changes the time of a file")
	t.Parallel()
	c := newDoctor(t, "acme", "maple")
	key := filepath.Join(c.dir, "key")
	tests := []struct {
		name    string
		damage  func() error
		repair  func() error
		finding string
		message string
		sound   string // a finding that stays sound
	}{
		{"folder permissions", func() error { return os.Chmod(c.dir, 0o755) }, func() error { return os.Chmod(c.dir, 0o700) },
			"data folder", "chmod 700", "key"},
		{"key permissions", func() error { return os.Chmod(key, 0o644) }, func() error { return os.Chmod(key, 0o600) },
			"key", "chmod 600", "acme/file"},
		{"missing key", func() error { return os.Rename(key, key+".away") }, func() error { return os.Rename(key+".away", key) },
			"key", "from a backup", "acme/sums"},
		{"another key", func() error { c.env["STOREFRONT_KEY"] = strings.Repeat("A", 43) + "="; return nil },
			func() error { delete(c.env, "STOREFRONT_KEY"); return nil },
			"key", "restore that key", "acme/file"},
		{"clock set back", func() error { return touch(c.dir, time.Now().Add(time.Hour)) }, func() error { return touch(c.dir, time.Now()) },
			"clock", "maple", "maple/file"},
	}
	for _, tt := range tests {
		if err := tt.damage(); err != nil {
			t.Fatal(err)
		}
		found, code := c.findings()
		if code != cmd.ExitFailed {
			t.Errorf("%s: got exit code %d, want 1", tt.name, code)
		}
		wantFinding(t, found, tt.finding, doctor.StateFailing, tt.message)
		wantFinding(t, found, tt.sound, doctor.StateOK, "")
		if tt.finding == "key" {
			wantFinding(t, found, "acme/secrets", doctor.StateFailing, "remedy: restore the key")
		}
		if err := tt.repair(); err != nil {
			t.Fatal(err)
		}
		if _, code := c.findings(); code != cmd.ExitOK {
			t.Errorf("%s, repaired: got exit code %d, want 0", tt.name, code)
		}
	}

	c.env["STOREFRONT_API_PUBLIC_URL"] = "http://127.0.0.1:1"
	found, code := c.findings()
	wantFinding(t, found, "reach", doctor.StateFailing, "does not respond")
	wantFinding(t, found, "public address", doctor.StateWarning, "providers cannot reach")
	if code != cmd.ExitFailed {
		t.Errorf("unreachable server: got exit code %d, want 1", code)
	}
}

func touch(dir string, at time.Time) error {
	return os.Chtimes(filepath.Join(dir, "tenants", "maple.db"), at, at)
}

// A file of another schema version is reported and not changed.
func TestDoctor_Schema(t *testing.T) {
	dbtest.NeedFiles(t, "shops of several schemas")
	t.Parallel()
	c := newDoctor(t, "acme", "newer", "older")
	c.later = 2
	c.must("migrate", "newer")
	c.later = 1
	c.must("migrate", "acme")
	for range 2 {
		found, code := c.findings()
		wantFinding(t, found, "older/schema", doctor.StateWarning, "storefront migrate older")
		wantFinding(t, found, "newer/schema", doctor.StateFailing, "start that version")
		wantFinding(t, found, "acme/schema", doctor.StateOK, "")
		if code != cmd.ExitFailed {
			t.Errorf("got exit code %d", code)
		}
	}
}

// Overdue work is counted, with a command that lists it.
func TestDoctor_Backlog(t *testing.T) {
	t.Parallel()
	c := newDoctor(t, "acme")
	c.must("product", "import", "acme", writeFile(t, "products.csv", twoProducts))
	insert := func(statement string, args ...any) {
		t.Helper()
		withShops(t, c.dir, func(s *db.Store) error {
			return s.Update(t.Context(), "acme", func(_ context.Context, tx *db.Tx) error {
				_, err := tx.Exec(statement, args...)
				return err
			})
		})
	}
	const webhook = `INSERT INTO provider_webhooks (id, provider, key, content_type, body, event, verdict, reason, copies, received_at, last_at)
		VALUES (?, 'courier_a', ?, '', x'', '', ?, '', 1, ?, ?)`
	now := time.Now().UnixMilli()
	long := time.Now().Add(-2 * time.Hour).UnixMilli()
	insert(webhook, "1", []byte("1"), "unmatched", now, now)
	insert(webhook, "2", []byte("2"), "failed", now, now)
	insert(webhook, "3", []byte("3"), "stored", now, now) // just received
	insert(webhook, "4", []byte("4"), "stored", long, long)
	found, code := c.findings("acme")
	wantFinding(t, found, "acme/provider calls", doctor.StateWarning,
		"Without a matching order or shipment: 1, failed: 1, unprocessed: 1. List them with `storefront webhook list acme")
	wantFinding(t, found, "acme/payments", doctor.StateOK, "")
	if code != cmd.ExitOK {
		t.Errorf("got exit code %d", code)
	}
	const attempt = `INSERT INTO payment_attempts
			(id, order_id, method, mode, status, amount, transaction_id, redirect_url, error_code, created_at, updated_at)
		SELECT ?, id, 'gateway_a', 'live', ?, 100, '', '', '', ?, ? FROM orders LIMIT 1`
	placeOrder(t, c.dir, "acme")
	insert(attempt, "1", "needs_review", long, long)
	insert(attempt, "2", "pending", now, now) // under way
	found, _ = c.findings("acme")
	wantFinding(t, found, "acme/payments", doctor.StateWarning, "Payments to review: 1, to refund: 0. Run `storefront payment list acme`")
	insert(attempt, "3", "pending", long, long)
	found, code = c.findings("acme")
	wantFinding(t, found, "acme/payments", doctor.StateFailing, "Overdue status checks of payments: 1. Start the server")
	if code != cmd.ExitFailed {
		t.Errorf("got exit code %d", code)
	}
}

// A booking without response and a shipment of a cancelled order are reported with their orders.
func TestDoctor_Shipments(t *testing.T) {
	t.Parallel()
	c := newDoctor(t, "acme")
	c.must("product", "import", "acme", writeFile(t, "products.csv", twoProducts))
	c.must("stock", "set", "acme", "MUG-L", "4")
	cancelled, unanswered := placeOrder(t, c.dir, "acme"), placeOrder(t, c.dir, "acme")
	c.must("order", "ship", "acme", cancelled, "--courier", "courier_a", "--consignment", "DD-1")
	found, _ := c.findings("acme")
	wantFinding(t, found, "acme/parcels", doctor.StateOK, "")
	c.must("order", "cancel", "acme", cancelled)
	found, _ = c.findings("acme")
	wantFinding(t, found, "acme/parcels", doctor.StateWarning, "still with a courier: "+cancelled+". Cancel the shipment")
	withShops(t, c.dir, func(s *db.Store) error {
		return s.Update(t.Context(), "acme", func(_ context.Context, tx *db.Tx) error {
			_, err := tx.Exec(`INSERT INTO parcel_bookings (id, order_id, provider, ref, mode, cash, asked_at)
				VALUES ('1', ?, 'courier_a', ?, 'live', 0, 1)`, unanswered, unanswered)
			return err
		})
	})
	found, code := c.findings("acme")
	wantFinding(t, found, "acme/parcels", doctor.StateWarning, "the booking for "+unanswered+": run `storefront order ship`")
	if code != cmd.ExitOK {
		t.Errorf("got exit code %d", code)
	}
}

// A certificate that was not renewed is reported.
func TestDoctor_Certificates(t *testing.T) {
	t.Parallel()
	c := newDoctor(t, "acme")
	found, _ := c.findings()
	wantFinding(t, found, "certificates", doctor.StateOK, "None: no server has run")
	writeCertificate(t, c.dir, "api.example.com", time.Now().Add(60*24*time.Hour))
	found, _ = c.findings()
	wantFinding(t, found, "certificates", doctor.StateOK, "Stored: 1; the first expires on")
	writeCertificate(t, c.dir, "shop.example.com", time.Now().Add(3*24*time.Hour))
	found, _ = c.findings()
	wantFinding(t, found, "certificates", doctor.StateWarning, "The certificate of shop.example.com expires on")
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

// withShops runs fn with the store of a data folder or its database.
func withShops(t *testing.T, dir string, fn func(s *db.Store) error) {
	t.Helper()
	var s *db.Store
	if address := dbtest.Database(t, dir, script(t)); address != "" {
		engine, err := postgres.Open(t.Context(), address, postgres.Options{Schema: shoptest.Schema(t), Steps: tenants.Steps()})
		if err != nil {
			t.Fatal(err)
		}
		s = db.New(engine, db.Options{})
	} else {
		files, err := sqlite.Open(dir, sqlite.Options{Schema: shoptest.Schema(t), Steps: tenants.Steps()})
		if err != nil {
			t.Fatal(err)
		}
		s = files.Store
	}
	if err := errors.Join(fn(s), s.Close(context.Background())); err != nil {
		t.Error(err)
	}
}

// The JSON of doctor has the same keys, codes and order each time, and no other code than those
// listed.
func TestDoctor_JSON(t *testing.T) {
	t.Parallel()
	c := newDoctor(t, "acme", "maple")
	type finding = map[string]any
	examine := func() (codes []string) {
		t.Helper()
		var x struct {
			Folder []finding
			Shops  []struct {
				UID      string
				Findings []finding
			}
		}
		if err := json.Unmarshal([]byte(c.run("doctor", "--json").stdout), &x); err != nil {
			t.Fatal(err)
		}
		if len(x.Shops) != 2 || x.Shops[0].UID != "acme" || x.Shops[1].UID != "maple" {
			t.Fatalf("got shops %+v, want acme and maple", x.Shops)
		}
		for _, f := range slices.Concat(x.Folder, x.Shops[0].Findings, x.Shops[1].Findings) {
			if keys := slices.Sorted(maps.Keys(f)); !slices.Equal(keys, []string{"code", "message", "name", "state"}) {
				t.Errorf("finding %v: got keys %v", f, keys)
			}
			code, _ := f["code"].(string)
			if !slices.Contains(doctor.FindingCodes(), doctor.FindingCode(code)) || f["name"] == "" {
				t.Errorf("finding %v: got a code or name that is not listed", f)
			}
			codes = append(codes, code)
		}
		return codes
	}
	if first, second := examine(), examine(); !slices.Equal(first, second) {
		t.Errorf("got codes %v, then %v, want the same", first, second)
	}
}
