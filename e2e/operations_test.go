package e2e

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// The page on operations tells of every alert, and its commands work beside a server.
func TestOperationsPage(t *testing.T) {
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
			t.Errorf("the page does not say what to do about %s", alert[1])
		}
	}
	if len(alerts) == 0 || strings.Count(string(text), "\n| Storefront") != len(alerts) {
		t.Errorf("the page has others than the %d alerts", len(alerts))
	}

	data := filepath.Join(t.TempDir(), "data")
	dir := t.TempDir()
	linkProgram(t, dir)
	p := serve(t, "--data", data)
	script := commands(t, page, "doctor", "end of doctor") + commands(t, page, "ready", "end of ready")
	script = strings.ReplaceAll(script, "localhost:8080", strings.TrimPrefix(p.url, "http://"))
	out := shell(t, dir, "export STOREFRONT_DATA="+data+"\n"+script)
	for _, says := range []string{"1 of 1 shops are sound.", `"uid": "acme"`, `"status":"ok"`} {
		if !strings.Contains(out, says) {
			t.Errorf("the commands do not show %s:\n%s", says, out)
		}
	}
}
