package cmd_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"storefront/cmd"
	"storefront/site/check"
)

// siteReport returns the report about a shop's pages, and the exit code.
func (c *console) siteReport(args ...string) (*check.Report, int) {
	c.t.Helper()
	r := c.run(append([]string{"site", "check", "--json"}, args...)...)
	report := &check.Report{}
	if err := json.Unmarshal([]byte(r.stdout), report); err != nil {
		c.t.Fatalf("site check: decode output: %v\n%s%s", err, r.stdout, r.stderr)
	}
	return report, r.code
}

// The pages of the demo shop have no problems. A broken link of the merchant is found, and doctor
// reports it.
func TestSiteCheck(t *testing.T) {
	t.Parallel()
	c := newDoctor(t, "demo", "acme")
	c.must("seed", "demo", "--no-orders")
	report, code := c.siteReport("demo")
	if failing, _ := report.Count(); failing > 0 || code != cmd.ExitOK || report.Products < 60 || report.Pages < 2*report.Products || !report.Complete {
		t.Errorf("got %+v with the exit code %d, want no failing problem", report, code)
	}
	if found, _ := c.findings("demo"); found["demo/site"].State != "ok" {
		t.Errorf("doctor: got %+v, want ok", found["demo/site"])
	}
	c.must("tenant", "set", "acme", "secondLocale=bn")
	file := filepath.Join(t.TempDir(), "products.csv")
	content := "Handle,Title,Body (HTML),Published,Variant Price\nbroken,Broken,\"<p><a href=\"\"/pages/gone\"\">More</a></p>\",true,100\n"
	if err := os.WriteFile(file, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
	c.must("product", "import", "acme", file)
	report, code = c.siteReport("acme")
	if failing, _ := report.Count(); failing != 2 || code != cmd.ExitFailed || report.Problems[0].Code != check.BrokenLink ||
		report.Problems[0].Path != "/bn/products/broken" || report.Problems[1].Path != "/products/broken" {
		t.Errorf("got %+v with the exit code %d, want the broken link in both languages", report.Problems, code)
	}
	found, _ := c.findings("acme")
	if f := found["acme/site"]; f.State != "warning" || !strings.Contains(f.Message, "/pages/gone") {
		t.Errorf("doctor: got %+v, want the broken link", f)
	}
	if r := c.run("site", "check", "acme", "--strict"); r.code != cmd.ExitFailed || !strings.Contains(r.stdout, "broken_link") {
		t.Errorf("got %+v, want a list with the broken link", r)
	}
	plain := "Handle,Title,Published,Variant Price\n"
	for i := range 12 {
		plain += fmt.Sprintf("plain-%d,Plain %d,true,100\n", i, i)
	}
	c.must("product", "import", "acme", writeFile(t, "plain.csv", plain))
	r := c.run("site", "check", "acme")
	if got := strings.Count(r.stdout, "missing_picture"); got != 11 || !regexp.MustCompile(`And \d+ more, which --json lists\.`).MatchString(r.stdout) {
		t.Errorf("got %d lines of missing pictures, want ten and how many more there are\n%s", got, r.stdout)
	}
	c.must("tenant", "set", "acme", `domains=["shop.example","old.example"]`)
	if report, _ = c.siteReport("acme"); report.Origin != "https://shop.example" || report.Products != 13 {
		t.Errorf("got %+v, want the pages at the shop's domain", report)
	}
	c.must("tenant", "set", "acme", `site={"enabled":false}`)
	if r := c.run("site", "check", "acme"); r.code != cmd.ExitFailed || !strings.Contains(r.stderr, "turned off") {
		t.Errorf("got %+v, want an error", r)
	}
	if found, _ := c.findings("acme"); found["acme/site"].Name != "" {
		t.Errorf("doctor: got %+v, want none", found["acme/site"])
	}
}

// The catalogues of other systems become shops without failing problems.
func TestSiteCheck_Imported(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob(filepath.Join("..", "shop", "catalogue", "testdata", "import", "*.csv"))
	if err != nil || len(files) < 40 {
		t.Fatalf("got %d files, %v, want 40 at least", len(files), err)
	}
	shown := 0
	for _, file := range files {
		c := newConsole(t)
		c.must("tenant", "create", "acme", "--name", "Imported — আমদানি")
		c.must("tenant", "set", "acme", "secondLocale=bn")
		c.run("product", "import", "acme", file) // some are refused
		report, _ := c.siteReport("acme")
		if report.Products > 0 {
			shown++
		}
		for _, p := range report.Problems {
			if p.State == check.Failing {
				t.Errorf("%s: %+v", filepath.Base(file), p)
			}
		}
	}
	if shown < 35 {
		t.Errorf("got %d shops with products, want 35 at least", shown)
	}
}
