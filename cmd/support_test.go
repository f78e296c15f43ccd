package cmd_test

import (
	"archive/tar"
	"compress/gzip"
	"encoding/base64"
	"encoding/json"
	"errors"
	"io"
	"maps"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"storefront/cmd"
	"storefront/db"
	"storefront/db/dbtest"
	"storefront/shop/shoptest"
)

// readBundle returns the files of a bundle by name.
func readBundle(t *testing.T, name string) map[string]string {
	t.Helper()
	f, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	zipped, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	files, archive := map[string]string{}, tar.NewReader(zipped)
	for {
		header, err := archive.Next()
		if errors.Is(err, io.EOF) {
			return files
		}
		if err != nil {
			t.Fatal(err)
		}
		content, err := io.ReadAll(archive)
		if err != nil {
			t.Fatal(err)
		}
		files[path.Base(header.Name)] = string(content)
	}
}

// spellings returns the forms in which a value could leave the installation.
func spellings(value string) []string {
	bytes := []byte(value)
	return []string{
		value, url.QueryEscape(value), url.PathEscape(value), base64.StdEncoding.EncodeToString(bytes),
		base64.RawURLEncoding.EncodeToString(bytes), base64.RawStdEncoding.EncodeToString([]byte("x" + value)),
	}
}

// A bundle has no secret and no personal data of a buyer, also if a stored error quotes them in
// another spelling.
func TestSupport_Private(t *testing.T) {
	t.Parallel()
	c := newDoctor(t)
	c.must("tenant", "create", "acme", "--name", "Acme", "--currency", "BDT", "--country", "BD")
	c.must("product", "import", "acme", writeFile(t, "products.csv", twoProducts))
	invoice := placeOrder(t, c.dir, "acme")
	const (
		password, smtp, inbound = "gate way+pass/word=1", "smtp:Correct-Horse", "courier-inbound-7781"
		email                   = "rahima.khatun@buyers.example"
	)
	c.must("plugin", "configure", "acme", "gateway_a", "store_id=acme0live", "store_password="+password)
	c.must("plugin", "configure", "acme", "courier_a", "webhook_secret="+inbound)
	c.must("mail", "configure", "acme", "host=smtp.example.com", "from=orders@shop.example", "username=orders", "password="+smtp)
	var token struct{ Token string }
	c.json(&token, "token", "create", "acme", "--name", "shop")
	var endpoint struct{ Secret string }
	c.json(&endpoint, "api", "acme", "createWebhookEndpoint", "--url", "https://127.0.0.1:9/hooks/PATHSECRET", "--types", "order.placed")
	private := []string{
		password, smtp, inbound, token.Token, endpoint.Secret, strings.TrimPrefix(endpoint.Secret, "whsec_"),
		"Rahima Khatun", "Rahima", "Khatun", "01711-000000", "01711000000", "+8801711000000", "8801711000000", email, "House 12, Road 5",
	}
	if token.Token == "" || endpoint.Secret == "" {
		t.Fatal("got no secrets")
	}
	withShops(t, c.dir, func(s *db.Store) error {
		shoptest.Exec(t, s, "acme", `UPDATE orders SET customer_email = ?`, email)
		shoptest.Exec(t, s, "acme", `INSERT INTO jobs (id, kind, actor, client, request_id, options, status, total, failed, created_at)
			VALUES ('1', 'book', '{}', '', '', '{}', 'done', 1, 1, 1)`)
		for i, value := range private {
			message := "refused: " + value + " is invalid: " + strings.Join(spellings(value), ", ") + `, at https://u:p@a.example/PATHSECRET?t=1`
			shoptest.Exec(t, s, "acme", `INSERT INTO job_items (job_id, position, subject, label, status, code, message)
				VALUES ('1', ?, ?, '', 'failed', 'provider_failed', ?)`, i+1, invoice, message)
		}
		shoptest.Exec(t, s, "acme", `DELETE FROM connections`)
		shoptest.Exec(t, s, "acme", `INSERT INTO connections (name, mode, state, words, request_id, checked_at, failed)
			VALUES ('gateway_a', 'live', 'refused', ?, '', 1, 3)`, "wrong password "+password+" of "+email)
		return nil
	})
	out := filepath.Join(t.TempDir(), "acme.tar.gz")
	if text := c.must("support", "acme", "--out", out); text != "Wrote "+out+".\n" {
		t.Errorf("got %q", text)
	}
	files := readBundle(t, out)
	want := []string{
		"bundle.json", "doctor.json", "failures.json", "mail.json", "providers.json", "settings.json", "sms.json", "storage.json",
		"webhook-endpoints.json", "work.json",
	}
	if got := slices.Sorted(maps.Keys(files)); !slices.Equal(got, want) {
		t.Errorf("got files %v, want %v", got, want)
	}
	for name, content := range files {
		for _, value := range append(private, "PATHSECRET") {
			for _, spelling := range spellings(value) {
				if strings.Contains(content, spelling) {
					t.Errorf("%s has %q, a spelling of %q", name, spelling, value)
				}
			}
		}
	}
	for file, text := range map[string]string{
		"failures.json": `"error": "refused: *** is invalid: ***`, "providers.json": "acme0live", "mail.json": "smtp.example.com",
		"webhook-endpoints.json": "https://127.0.0.1:9", "settings.json": `"country": "BD"`, "bundle.json": `"go": "go1`,
		"doctor.json": "The key opens all secrets.",
	} {
		if !strings.Contains(files[file], text) {
			t.Errorf("%s: got\n%.2000s\nwant %s", file, files[file], text)
		}
	}
	var storage struct{ Tables []db.TableSize }
	if err := json.Unmarshal([]byte(files["storage.json"]), &storage); err != nil {
		t.Fatal(err)
	}
	orders := slices.IndexFunc(storage.Tables, func(s db.TableSize) bool { return s.Table == "orders" })
	if orders < 0 || storage.Tables[orders].Rows != 1 || storage.Tables[orders].Bytes < 100 {
		t.Errorf("got sizes %v, want one order", storage.Tables)
	}
}

// An existing file is not replaced, and no shop has no file.
func TestSupport_Refused(t *testing.T) {
	t.Parallel()
	c := newDoctor(t, "acme")
	out := filepath.Join(t.TempDir(), "acme.tar.gz")
	c.fails(cmd.ExitFailed, "No shop has this UID", "support", "maple", "--out", out)
	if _, err := os.Stat(out); err == nil {
		t.Error("got a file of a shop that does not exist")
	}
	if err := os.WriteFile(out, []byte("mine"), 0o600); err != nil {
		t.Fatal(err)
	}
	c.fails(cmd.ExitFailed, "exists", "support", "acme", "--out", out)
	if content, err := os.ReadFile(out); err != nil || string(content) != "mine" {
		t.Errorf("got %q, %v, want the old file", content, err)
	}
}

// A suspended shop has a whole bundle. A damaged one, and one with a lost key, has the parts that
// can be read.
func TestSupport_Damaged(t *testing.T) {
	dbtest.NeedFiles(t, "it damages the file of a shop")
	t.Parallel()
	c := newDoctor(t, "acme", "broken", "closed")
	dir := t.TempDir()
	unread := func(uid string) (names []string, files map[string]string) {
		t.Helper()
		var done struct {
			File   string
			Unread map[string]string
		}
		c.json(&done, "support", uid, "--out", filepath.Join(dir, uid+".tar.gz"))
		return slices.Sorted(maps.Keys(done.Unread)), readBundle(t, done.File)
	}
	c.must("tenant", "suspend", "closed")
	if names, files := unread("closed"); len(names) > 0 || len(files) != 10 {
		t.Errorf("a suspended shop: got %d files, unread %v", len(files), names)
	}
	if err := os.WriteFile(filepath.Join(c.dir, "tenants", "broken.db"), []byte(strings.Repeat("x", 8192)), 0o600); err != nil {
		t.Fatal(err)
	}
	names, files := unread("broken")
	if !slices.Equal(names, []string{"shop"}) || !strings.Contains(files["doctor.json"], `"state": "failing"`) ||
		!strings.Contains(files["storage.json"], `"problem"`) {
		t.Errorf("a damaged shop: got unread %v\n%s\n%s", names, files["doctor.json"], files["storage.json"])
	}
	if err := os.Remove(filepath.Join(c.dir, "key")); err != nil {
		t.Fatal(err)
	}
	if names, files := unread("acme"); !slices.Contains(names, "key") || !strings.Contains(files["settings.json"], `"acme"`) {
		t.Errorf("without a key: got unread %v\n%s", names, files["settings.json"])
	}
}
