package e2e

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// commands gives the shell commands of a document between two of its comments.
func commands(t *testing.T, document, from, to string) string {
	t.Helper()
	text, err := os.ReadFile(document)
	if err != nil {
		t.Fatal(err)
	}
	_, part, found := strings.Cut(string(text), "<!-- "+from+" -->")
	part, _, ended := strings.Cut(part, "<!-- "+to+" -->")
	if !found || !ended {
		t.Fatalf("%s has no part from %q to %q", document, from, to)
	}
	var script strings.Builder
	for _, block := range regexp.MustCompile("(?s)```sh\n(.*?)```").FindAllStringSubmatch(part, -1) {
		script.WriteString(block[1])
	}
	return script.String()
}

// shell runs commands as a newcomer would paste them, except that it stops at the first that fails, a
// refused request included.
func shell(t *testing.T, dir, script string) string {
	t.Helper()
	for _, tool := range []string{"bash", "curl"} {
		if _, err := exec.LookPath(tool); err != nil {
			t.Skipf("the README's commands need %s: %v", tool, err)
		}
	}
	cmd := exec.Command("bash", "-c", "set -euo pipefail\ncurl() { command curl --fail-with-body \"$@\"; }\n"+script)
	cmd.Dir = dir
	cmd.Env = asProgram(t)
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s\nfrom the commands\n%s", err, out, script)
	}
	return string(out)
}

// linkProgram makes ./storefront the program in a folder where commands of a document run.
func linkProgram(t *testing.T, dir string) {
	t.Helper()
	if err := os.Symlink(os.Args[0], filepath.Join(dir, "storefront")); err != nil {
		t.Skipf("no symbolic links here: %v", err)
	}
}

func TestTourOfTheREADME(t *testing.T) {
	t.Parallel()
	p := serve(t, "--dev", "--data", t.TempDir())
	script := strings.ReplaceAll(commands(t, "../README.md", "tour", "end of the tour"), "localhost:8080", strings.TrimPrefix(p.url, "http://"))
	out := shell(t, t.TempDir(), script)
	for _, fact := range []string{`পাঞ্জাবি`, `"name":"Ayesha Khan"`, `"phoneNumber":"+8801711000000"`, `"orderToken":`, `{"data":{"myOrders":{"nodes":[{"orderNumber":1001`} {
		if !strings.Contains(out, fact) {
			t.Errorf("the tour does not show %s:\n%s", fact, out)
		}
	}
	if strings.Contains(out, `"errors":[{`) {
		t.Errorf("the tour shows an error:\n%s", out)
	}
}

func TestOwnShopOfTheREADME(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	linkProgram(t, dir)
	out := shell(t, dir, commands(t, "../README.md", "own shop", "end of own shop"))
	if !strings.Contains(out, "mango-pickle") {
		t.Errorf("product list does not show the catalogue:\n%s", out)
	}
}

var simulatorAddress = regexp.MustCompile(`(http://127\.0\.0\.1:\d+)\s+\(simulated`)

// demoCommands gives a part of the README with the addresses of this server and its simulator.
func (p *process) demoCommands(t *testing.T, part string) string {
	t.Helper()
	var simulator []string
	until(t, "the server says where the simulator is", func() bool {
		simulator = simulatorAddress.FindStringSubmatch(p.logged())
		return simulator != nil
	}, p.logged)
	return strings.NewReplacer("localhost:8080", strings.TrimPrefix(p.url, "http://"), "http://127.0.0.1:8082", simulator[1]).
		Replace("export STOREFRONT_SIMULATOR=" + simulator[1] + "\n" + commands(t, "../README.md", part, "end of "+part))
}

func TestPaymentsOfTheREADME(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	linkProgram(t, dir)
	p := serve(t, "--dev", "--data", filepath.Join(dir, "data"))
	out := shell(t, dir, p.demoCommands(t, "payments"))
	for _, fact := range []string{"confirmed, payment paid", "cancelled, payment refund_due", "What was paid will be refunded."} {
		if !strings.Contains(out, fact) {
			t.Errorf("the commands do not show %s:\n%s", fact, out)
		}
	}
}
