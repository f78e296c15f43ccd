package e2e

import (
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

var shellBlock = regexp.MustCompile("(?s)```sh\n(.*?)```")

// readText returns the content of a file whose path starts at this package's folder.
func readText(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// commands returns the shell commands of a document between two of its comments.
func commands(t *testing.T, document, from, to string) string {
	t.Helper()
	_, part, found := strings.Cut(readText(t, document), "<!-- "+from+" -->")
	part, _, ended := strings.Cut(part, "<!-- "+to+" -->")
	if !found || !ended {
		t.Fatalf("%s has no part from %q to %q", document, from, to)
	}
	var script strings.Builder
	for _, block := range shellBlock.FindAllStringSubmatch(part, -1) {
		script.WriteString(block[1])
	}
	return script.String()
}

// shell runs commands as a reader would paste them and returns their output. Unlike a terminal it
// stops at the first failure, a refused request included.
func shell(t *testing.T, dir, script string) string {
	t.Helper()
	for _, tool := range []string{"bash", "curl"} {
		if _, err := exec.LookPath(tool); err != nil {
			t.Skipf("commands of documents need %s: %v", tool, err)
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

// linkProgram links ./storefront to the program in a folder where commands of a document run.
func linkProgram(t *testing.T, dir string) {
	t.Helper()
	if err := os.Symlink(os.Args[0], filepath.Join(dir, "storefront")); err != nil {
		t.Skipf("symbolic links are not available: %v", err)
	}
}

var simulatorAddress = regexp.MustCompile(`(http://127\.0\.0\.1:\d+)\s+\(simulated`)

// localCommands returns a document's commands with the addresses of this server and its simulator.
func (p *process) localCommands(t *testing.T, script string) string {
	t.Helper()
	var simulator []string
	eventually(t, "the server prints the simulator's address", func() bool {
		simulator = simulatorAddress.FindStringSubmatch(p.logged())
		return simulator != nil
	}, p.logged)
	return "export STOREFRONT_SIMULATOR=" + simulator[1] + " STOREFRONT_API_PUBLIC_URL=" + p.url + "\n" +
		strings.NewReplacer("localhost:8080", strings.TrimPrefix(p.url, "http://"), "http://127.0.0.1:8082", simulator[1]).Replace(script)
}

// TestREADME_Commands runs every command of the README. The three that build, test and start the
// program are those by which this test runs; the server starts with the flags that are written there.
func TestREADME_Commands(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	var p *process
	found := map[string]bool{}
	for _, block := range shellBlock.FindAllStringSubmatch(readText(t, "../README.md"), -1) {
		for line := range strings.Lines(block[1]) {
			line, _, _ = strings.Cut(line, " #")
			line = strings.TrimSpace(line)
			found[line] = true
			switch {
			case line == "go build .", line == "go test ./...":
			case strings.HasPrefix(line, "go run . serve "):
				p = serve(t, append(strings.Fields(line)[4:], "--data", filepath.Join(dir, "data"))...)
			case p == nil:
				t.Errorf("%q comes before the command that starts a server", line)
			default:
				if out := shell(t, dir, p.localCommands(t, line)); !strings.Contains(out, `"handle":"kids-panjabi-set"`) {
					t.Errorf("%q shows no panjabi:\n%s", line, out)
				}
			}
		}
	}
	for _, want := range []string{"go run . serve --dev", "go test ./..."} {
		if !found[want] {
			t.Errorf("README.md lacks the command %q", want)
		}
	}
}

// Every command of the tour runs in its order, on one data folder, in one shell.
func TestTour(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	linkProgram(t, dir)
	p := serve(t, "--dev", "--data", filepath.Join(dir, "data"))
	out := shell(t, dir, p.localCommands(t, commands(t, "../docs/tour.md", "tour", "end of tour")))
	rest := out
	for _, fact := range []string{ // in this order
		`পাঞ্জাবি`, `"name":"Ayesha Khan"`, `"phoneNumber":"+8801711000000"`, `"orderToken":`, "Idempotent-Replayed: true",
		`{"data":{"myOrders":{"nodes":[{"orderNumber":1001`, "/courier/webhook/courier_a/demo", "HTTP/1.1 202 Accepted",
		"X-CourierA-Merchant-Webhook-Integration-Secret: choose-one", "courier_a address  ok", "1424101", "order.delivered",
		"completed, payment paid", "1424101", "applied", "৳310.00", "৳250.00", `"redirectUrl":`, "confirmed, payment paid",
		"cancelled, payment refund_due", "refunded", "mango-pickle",
	} {
		_, after, found := strings.Cut(rest, fact)
		if !found {
			t.Fatalf("got no %q, or in another order:\n%s", fact, out)
		}
		rest = after
	}
	if strings.Contains(out, `"errors":[{`) {
		t.Errorf("a GraphQL request fails:\n%s", out)
	}
}

// benchRows are the README's rows of figures and the row of bench/result.md that each rounds.
var benchRows = []struct{ readme, result string }{
	{"List of 20 products, prepared", "list of 20, prepared"},
	{"List of 20 products, uncached", "list of 20 with total, uncached"},
	{"Search, uncached", "search, uncached"},
	{"One product, uncached", "one product, uncached"},
	{"Orders of 64 buyers, a dozen rows each", "order, 64 buyers"},
	{"The same, on a disk whose fsync takes 2 ms more", "order, fsync + 2 ms, 64 buyers"},
}

var ratio = regexp.MustCompile(`([0-9.]+) ×`)

func TestREADME_Figures(t *testing.T) {
	t.Parallel()
	readme := readText(t, "../README.md")
	_, gates, _ := strings.Cut(readText(t, "../bench/result.md"), "| gate |")
	rowOf := func(text, first string) string {
		row := regexp.MustCompile(`(?m)^\| ` + regexp.QuoteMeta(first) + ` +\|.*$`).FindString(text)
		if row == "" {
			t.Fatalf("no row %q", first)
		}
		return row
	}
	for _, row := range benchRows {
		stated := ratio.FindStringSubmatch(rowOf(readme, row.readme))
		measured := ratio.FindStringSubmatch(rowOf(gates, row.result))
		if stated == nil || measured == nil {
			t.Fatalf("%s: no ratio", row.readme)
		}
		value, err := strconv.ParseFloat(measured[1], 64)
		if err != nil {
			t.Fatal(err)
		}
		_, decimals, _ := strings.Cut(stated[1], ".")
		if want := strconv.FormatFloat(value, 'f', len(decimals), 64); stated[1] != want {
			t.Errorf("%s: got %s, want %s as in bench/result.md", row.readme, stated[1], want)
		}
	}
	total, missed := strings.Count(gates, "\n| "), strings.Count(gates, " MISSED ")
	if want := fmt.Sprintf("%d of %d targets", missed, total); !strings.Contains(readme, want) {
		t.Errorf("README.md does not state %q", want)
	}
}

// documents returns the paths of all Markdown files of the project.
func documents(t *testing.T) []string {
	t.Helper()
	var found []string
	err := filepath.WalkDir("..", func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if name := d.Name(); d.IsDir() && (name == "node_modules" || name == "testdata" || name == "data" || len(name) > 2 && name[0] == '.') {
			return filepath.SkipDir
		}
		if strings.HasSuffix(path, ".md") {
			found = append(found, path)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return found
}

var (
	fence     = regexp.MustCompile("(?s)```.*?```")
	link      = regexp.MustCompile(`\]\(([^)\s]+)\)`)
	heading   = regexp.MustCompile(`(?m)^#+ (.+)$`)
	notInSlug = regexp.MustCompile(`[^\p{L}\p{N} _-]`)
)

// anchors returns the fragments by which a document's headings are linked.
func anchors(text string) map[string]bool {
	slugs := map[string]bool{}
	for _, h := range heading.FindAllStringSubmatch(fence.ReplaceAllString(text, ""), -1) {
		slugs[strings.ReplaceAll(notInSlug.ReplaceAllString(strings.ToLower(h[1]), ""), " ", "-")] = true
	}
	return slugs
}

func TestDocuments_Links(t *testing.T) {
	t.Parallel()
	checked := 0
	for _, document := range documents(t) {
		text := readText(t, document)
		for _, found := range link.FindAllStringSubmatch(fence.ReplaceAllString(text, ""), -1) {
			if strings.Contains(found[1], "://") {
				continue
			}
			checked++
			path, fragment, _ := strings.Cut(found[1], "#")
			target := text
			if path != "" {
				path = filepath.Join(filepath.Dir(document), filepath.FromSlash(path))
				if _, err := os.Stat(path); err != nil {
					t.Errorf("%s: the link %s leads nowhere", document, found[1])
					continue
				}
			}
			if fragment == "" {
				continue
			}
			if path != "" {
				target = readText(t, path)
			}
			if !anchors(target)[fragment] {
				t.Errorf("%s: the link %s names no heading", document, found[1])
			}
		}
	}
	if checked < 20 {
		t.Errorf("got %d links, want more: the documents or the test have changed", checked)
	}
}

// Every subcommand that a document names exists, under its current name.
func TestDocuments_CommandNames(t *testing.T) {
	t.Parallel()
	named := regexp.MustCompile("(?:`|\\./)storefront ([a-z]+)(?: ([a-z]+))?")
	helps := map[string]string{}
	for _, document := range documents(t) {
		for _, found := range named.FindAllStringSubmatch(readText(t, document), -1) {
			command, subcommand := found[1], found[2]
			help, ok := helps[command]
			if !ok {
				help = run(t, command, "--help")
				helps[command] = help
			}
			isGroup := strings.Contains(help, "\n  storefront "+command+" [flags]\n  storefront "+command+" [command]\n")
			if !strings.Contains(help, "\n  storefront "+command) || isGroup && subcommand != "" && !strings.Contains(help, "\n  "+subcommand+" ") {
				t.Errorf("%s: no command %q", document, strings.TrimSpace(command+" "+subcommand))
			}
		}
	}
	if len(helps) < 10 {
		t.Errorf("got %d commands, want more: the documents or the test have changed", len(helps))
	}
}
