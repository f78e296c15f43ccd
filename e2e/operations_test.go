package e2e

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// The page lists every alert, and its commands work beside a server.
func TestOperationsPage_AlertsAndCommands(t *testing.T) {
	t.Parallel()
	const page = "../docs/operations.md"
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	rules, err := os.ReadFile("../deploy/monitoring/alerts.yml")
	if err != nil {
		t.Fatal(err)
	}
	alerts := regexp.MustCompile(`- alert: (\w+)`).FindAllStringSubmatch(string(rules), -1)
	for _, alert := range alerts {
		if !strings.Contains(string(text), "\n| "+alert[1]+" | ") {
			t.Errorf("no remedy for %s", alert[1])
		}
	}
	if len(alerts) == 0 || strings.Count(string(text), "\n| Storefront") != len(alerts) {
		t.Errorf("got other rows than the %d alerts", len(alerts))
	}

	data := filepath.Join(t.TempDir(), "data")
	dir := t.TempDir()
	linkProgram(t, dir)
	p := serve(t, "--data", data)
	script := commands(t, page, "doctor", "end of doctor") + commands(t, page, "ready", "end of ready")
	script = strings.ReplaceAll(script, "localhost:8080", strings.TrimPrefix(p.url, "http://"))
	out := shell(t, dir, "export STOREFRONT_DATA="+data+"\n"+script)
	for _, want := range []string{"1 of 1 shops are sound.", `"uid": "acme"`, `"status":"ok"`} {
		if !strings.Contains(out, want) {
			t.Errorf("got\n%s\nwant %s", out, want)
		}
	}
}
