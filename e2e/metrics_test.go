package e2e

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"storefront/db/dbtest"
)

var metricsAt = regexp.MustCompile(`http://[^\s"]+/metrics`)

// metricsURL waits until the server has said where its metrics are.
func (p *process) metricsURL() string {
	p.t.Helper()
	for {
		if url := metricsAt.FindString(p.logged()); url != "" {
			return url
		}
		select {
		case <-p.done:
			p.t.Fatalf("the server ended:\n%s", p.logged())
		case <-time.After(10 * time.Millisecond):
		}
	}
}

// scrape requests the metrics as Prometheus does.
func (p *process) scrape() string {
	p.t.Helper()
	return p.fetch(p.metricsURL())
}

func (p *process) fetch(url string) string {
	p.t.Helper()
	res, err := client.Get(url)
	if err != nil {
		p.t.Fatal(err)
	}
	defer res.Body.Close()
	text, err := io.ReadAll(res.Body)
	if err != nil || res.StatusCode != http.StatusOK {
		p.t.Fatalf("%s: %d, %v\n%s", url, res.StatusCode, err, text)
	}
	return string(text)
}

func TestMetrics(t *testing.T) {
	t.Parallel()
	p := serve(t, "--data", newShop(t, "acme", 5), "--metrics-listen", "127.0.0.1:0")
	for range 3 {
		p.must(request{method: "GET", path: "/api/v1/products", tenant: "acme"})
	}
	p.must(request{method: "GET", path: "/api/v1/products/none", tenant: "acme"})
	p.must(request{method: "POST", path: "/courier/webhook/courier_a/acme", body: "{}"})
	id, _ := p.product("acme", "item-0")
	p.must(request{method: "POST", path: "/api/v1/orders", tenant: "acme", body: orderOf(id, 1)}).want(t, http.StatusCreated, "")
	text := p.scrape()
	for _, line := range []string{
		`storefront_http_requests_total{method="GET",route="/api/v1/products",status="200"} 3`,
		`storefront_http_requests_total{method="GET",route="/api/v1/products/{id}",status="404"} 1`,
		`storefront_http_request_duration_seconds_count{method="POST",route="/api/v1/orders"} 1`,
		`storefront_provider_calls_total{provider="courier_a",verdict="refused"} 1`,
		`storefront_payment_attempts_total{gateway="gateway_a",status="succeeded"} 0`,
		`storefront_sms_total{fate="sent"} 0`,
		`storefront_tenants_open 1`,
		`storefront_ready 1`,
		`storefront_prepared_answers_total{result="hit"} 2`,
		`storefront_plan_orders_total{plan=""} 1`,
	} {
		if !strings.Contains(text, line+"\n") {
			t.Errorf("no line %s", line)
		}
	}
	if strings.Contains(text, "acme") {
		t.Error("a shop is named: there would be as many series as shops")
	}
	wantExposition(t, text)

	base := strings.TrimSuffix(p.metricsURL(), "/metrics")
	if profile := p.fetch(base + "/debug/pprof/goroutine?debug=1"); !strings.HasPrefix(profile, "goroutine profile:") {
		t.Errorf("no profile: %.80s", profile)
	}
	for _, path := range []string{"/metrics", "/debug/pprof/"} {
		if got := p.must(request{method: "GET", path: path}); got.status != http.StatusNotFound {
			t.Errorf("%s is public: %d", path, got.status)
		}
	}
}

// A server without prepared answers is what benchmarks of everything else run against.
func TestMetrics_WithoutPreparedResponses(t *testing.T) {
	t.Parallel()
	p := serve(t, "--data", newShop(t, "acme", 1), "--metrics-listen", "127.0.0.1:0", "--cache-size", "0")
	for range 2 {
		p.must(request{method: "GET", path: "/api/v1/products", tenant: "acme"}).want(t, http.StatusOK, "")
	}
	text := p.scrape()
	for _, line := range []string{
		`storefront_prepared_answers_total{result="hit"} 0`,
		`storefront_prepared_answers_total{result="miss"} 2`,
		`storefront_prepared_bytes 0`,
	} {
		if !strings.Contains(text, line+"\n") {
			t.Errorf("no line %s", line)
		}
	}
}

// A server with all features on exposes their metrics, and every name that the dashboard and the
// alerts query exists.
func TestMetrics_All(t *testing.T) {
	t.Parallel()
	dbtest.NeedFiles(t, "a replica has shops in files")
	p := serve(t, "--data", newShop(t, "acme", 5), "--metrics-listen", "127.0.0.1:0",
		"--backup-dir", t.TempDir(), "--replica", t.TempDir())
	id, _ := p.product("acme", "item-0")
	p.must(request{method: "POST", path: "/api/v1/orders", tenant: "acme", body: orderOf(id, 1)}).want(t, http.StatusCreated, "")
	var text string
	for _, line := range []string{
		`storefront_backup_last_success_timestamp_seconds [1-9][0-9.e+]+`,
		`storefront_backup_shops_failing 0`,
		`storefront_replica_last_upload_timestamp_seconds [1-9][0-9.e+]+`,
		`storefront_replica_shops [1-9]`,
		`storefront_replica_shops_pending 0`,
		`storefront_replica_lag_seconds 0`,
		`storefront_replica_failing 0`,
	} {
		pattern := regexp.MustCompile("\n" + line + "\n")
		dbtest.Eventually(t, line, func() bool {
			text = p.scrape()
			return pattern.MatchString(text)
		})
	}

	// Its authority is out of reach, and so its name has no certificate.
	secure := start(t, storefront(t, "serve", "--data", filepath.Join(t.TempDir(), "data"), "--metrics-listen", "127.0.0.1:0",
		"--domain", ownName, "--acme-email", "ops@storefront.example", "--acme-ca", "https://127.0.0.1:1/directory",
		"--https-listen", "127.0.0.1:0", "--http-listen", "127.0.0.1:0"))
	dbtest.Eventually(t, "a name without certificate is told of", func() bool {
		return strings.Contains(secure.scrape(), `storefront_certificate_expiry_timestamp_seconds{of="server",name="`+ownName+`"} 0`+"\n")
	})
	wantExposition(t, secure.scrape())
	wantNames(t, text+secure.scrape())
}

var exposition = regexp.MustCompile(`^([a-z_]+)(\{[a-z_]+="(?:[^"\\\n]|\\.)*"(?:,[a-z_]+="(?:[^"\\\n]|\\.)*")*\})? (?:[0-9.e+-]+|\+Inf)$`)

// wantExposition holds a scrape against the format: each name once, with its help and type before
// its samples, and no sample twice.
func wantExposition(t *testing.T, text string) {
	t.Helper()
	described, sampled, family := map[string]bool{}, map[string]bool{}, ""
	for line := range strings.Lines(text) {
		line = strings.TrimSuffix(line, "\n")
		if rest, ok := strings.CutPrefix(line, "# HELP "); ok {
			family, _, _ = strings.Cut(rest, " ")
			if described[family] {
				t.Errorf("%s is described twice", family)
			}
			described[family] = true
			continue
		}
		if strings.HasPrefix(line, "# TYPE "+family+" ") {
			continue
		}
		match := exposition.FindStringSubmatch(line)
		if match == nil || !strings.HasPrefix(match[1], family) {
			t.Errorf("after the help of %s comes %q", family, line)
			continue
		}
		series := match[1] + match[2]
		if sampled[series] {
			t.Errorf("%s comes twice", series)
		}
		sampled[series] = true
	}
	promtool(t, text, "check", "metrics")
}

// promtool has Prometheus's own tool check input, where it is installed.
func promtool(t *testing.T, input string, args ...string) {
	t.Helper()
	path, err := exec.LookPath("promtool")
	if err != nil {
		t.Logf("not checked by Prometheus itself: %v", err)
		return
	}
	cmd := exec.Command(path, args...)
	cmd.Stdin = strings.NewReader(input)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("promtool %s: %v\n%s", strings.Join(args, " "), err, out)
	}
}

// wantNames compares the dashboard and the alerts with a scrape: an alert on an unknown name would
// never fire.
func wantNames(t *testing.T, scraped string) {
	t.Helper()
	files, err := filepath.Glob("../deploy/monitoring/*")
	if err != nil || len(files) < 2 {
		t.Fatalf("the dashboard and the alerts: %v, %v", files, err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range regexp.MustCompile(`\b(?:storefront|go|process)_[a-z_]+`).FindAllString(string(text), -1) {
			if !strings.Contains(scraped, "\n"+name+" ") && !strings.Contains(scraped, "\n"+name+"{") {
				t.Errorf("%s names %s, which is in no scrape", file, name)
			}
		}
	}
}

func TestMonitoring_Files(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../deploy/monitoring/grafana.json")
	if err != nil {
		t.Fatal(err)
	}
	var dashboard struct {
		Title  string
		Panels []struct{ Targets []struct{ Expr string } }
	}
	if err := json.Unmarshal(text, &dashboard); err != nil || dashboard.Title == "" || len(dashboard.Panels) == 0 {
		t.Errorf("the dashboard has %d panels: %v", len(dashboard.Panels), err)
	}
	rules := []string{"groups: [{name: dashboard, rules: ["}
	for _, panel := range dashboard.Panels {
		for _, target := range panel.Targets {
			expr, err := json.Marshal(strings.ReplaceAll(target.Expr, "$instance", ".*"))
			if err != nil {
				t.Fatal(err)
			}
			rules = append(rules, `{record: "dashboard:panel", labels: {panel: "`+strings.Repeat("x", len(rules))+`"}, expr: `+string(expr)+"},")
		}
	}
	file := filepath.Join(t.TempDir(), "dashboard.yml")
	if err := os.WriteFile(file, []byte(strings.Join(rules, "\n")+"]}]"), 0o600); err != nil {
		t.Fatal(err)
	}
	promtool(t, "", "check", "rules", file)
	promtool(t, "", "check", "rules", "../deploy/monitoring/alerts.yml")
}

// An upload is answered while the replica is not there, is counted until the replica has it, and is
// restored from it after the machine was lost.
func TestMetrics_ImagesPending(t *testing.T) {
	t.Parallel()
	dbtest.NeedFiles(t, "a replica has shops in files")
	data, mount := newShop(t, "acme", 1), t.TempDir()
	target, away := filepath.Join(mount, "replica"), filepath.Join(mount, "away")
	if err := os.Mkdir(target, 0o700); err != nil {
		t.Fatal(err)
	}
	key := mediaKey(t, data, "acme")
	p := serve(t, "--data", data, "--metrics-listen", "127.0.0.1:0", "--replica", target)
	pending := func(n int) {
		t.Helper()
		dbtest.Eventually(t, fmt.Sprint(n, " images are pending"), func() bool {
			text := p.scrape()
			return strings.Contains(text, fmt.Sprintf("\nstorefront_replica_images_pending %d\n", n)) &&
				(n > 0 || strings.Contains(text, "\nstorefront_replica_shops_pending 0\n") && strings.Contains(text, "\nstorefront_replica_lag_seconds 0\n"))
		})
	}
	if got := p.must(upload("acme", key, photo(t, 400, 300, 1))); got.status != http.StatusCreated {
		t.Fatalf("got %d %s, want an image", got.status, got.body)
	}
	pending(0)
	if err := os.Rename(target, away); err != nil {
		t.Fatal(err)
	}
	if got := p.must(upload("acme", key, photo(t, 400, 300, 2))); got.status != http.StatusCreated {
		t.Fatalf("got %d %s, want an image without the replica", got.status, got.body)
	}
	pending(1)
	if err := os.Rename(away, target); err != nil {
		t.Fatal(err)
	}
	pending(0)
	p.kill()
	keyFile := readKey(t, data)
	if err := os.RemoveAll(data); err != nil {
		t.Fatal(err)
	}
	elsewhere := filepath.Join(t.TempDir(), "data")
	restoreMachine(t, target, elsewhere, keyFile)
	if ids := serve(t, "--data", elsewhere).wholeImages("acme", key); len(ids) != 2 {
		t.Errorf("got images %q, want both", ids)
	}
}
