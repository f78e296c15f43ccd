package e2e

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"storefront/tenants/doctor"
)

// The page lists every alert, and its commands work beside a server.
func TestOperationsPage_AlertsAndCommands(t *testing.T) {
	parallelOnFiles(t)
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
	script := commands(t, page, "doctor", "end of doctor") + commands(t, page, "ready", "end of ready") +
		commands(t, page, "status", "end of status") +
		commands(t, "../docs/site.md", "languages", "end of languages") +
		commands(t, "../docs/design.md", "design", "end of design") + commands(t, "../docs/design.md", "landing", "end of landing") +
		commands(t, "../docs/site.md", "redirects", "end of redirects") + commands(t, "../docs/selling.md", "discounts", "end of discounts") +
		commands(t, "../docs/selling.md", "spend", "end of spend") + commands(t, "../docs/selling.md", "advertisers", "end of advertisers")
	script = strings.ReplaceAll(script, "localhost:8080", strings.TrimPrefix(p.url, "http://"))
	out := shell(t, dir, "export STOREFRONT_DATA="+data+"\n"+script+script+commands(t, "../docs/site.md", "check", "end of check"))
	for _, want := range []string{"Shops without problems: 1 of 1.", `"uid": "acme"`, `"status":"ok"`, "running since", "The server is healthy.",
		"/index.php?id=7", ", products 64, problems 0."} {
		if !strings.Contains(out, want) {
			t.Errorf("got\n%s\nwant %s", out, want)
		}
	}
}

// The page lists every code of doctor, and no other; each declared code has a name.
func TestOperationsPage_FindingCodes(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile("../docs/operations.md")
	if err != nil {
		t.Fatal(err)
	}
	_, table, _ := strings.Cut(string(page), "| Code | If it is not `ok` |\n")
	table, _, _ = strings.Cut(table, "\n\n")
	var listed []string
	for _, row := range regexp.MustCompile("(?m)^\\| `([a-z_]+)` \\| .+ \\|$").FindAllStringSubmatch(table, -1) {
		listed = append(listed, row[1])
	}
	source, err := os.ReadFile("../tenants/doctor/finding.go")
	if err != nil {
		t.Fatal(err)
	}
	var declared, named []string
	for _, match := range regexp.MustCompile(`FindingCode = "([a-z_]+)"`).FindAllStringSubmatch(string(source), -1) {
		declared = append(declared, match[1])
	}
	for _, code := range doctor.FindingCodes() {
		named = append(named, string(code))
	}
	if len(listed) == 0 || !slices.Equal(listed, named) || !slices.Equal(declared, named) {
		t.Errorf("got codes\n%v in the page,\n%v declared,\n%v with names, want the same", listed, declared, named)
	}
}

// The commands about many shops work, and so do those about erasing one.
func TestOperationsPage_ManyShops(t *testing.T) {
	parallelOnFiles(t)
	data, dir := filepath.Join(t.TempDir(), "data"), t.TempDir()
	linkProgram(t, dir)
	script := commands(t, "../docs/operations.md", "many shops", "end of many shops") + commands(t, "../docs/backup.md", "erase", "end of erase")
	out := shell(t, dir, "export STOREFRONT_DATA="+data+"\n"+script)
	for _, want := range []string{
		"Shops to create: 2 (rose, lily).", "Shops created: 2.", "rose is suspended.", "lily is open.", "Settings of template changed.",
		"Erased the shop leaving",
	} {
		if !strings.Contains(out, want) {
			t.Errorf("got\n%s\nwant %s", out, want)
		}
	}
}
