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
	cmd.Env = asProgram(t, "--data", filepath.Join(dir, "data"))
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

// localCommands returns a document's commands with the address of this server.
func (p *process) localCommands(script string) string {
	return strings.ReplaceAll(script, "localhost:8080", strings.TrimPrefix(p.url, "http://"))
}

// TestREADME_Commands runs every command of the README in its order, twice on one data folder. The
// two that test and start the program are those by which this test runs; the server starts with the
// flags that are written there.
func TestREADME_Commands(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	var p *process
	found := map[string]bool{}
	for range 2 {
		for _, block := range shellBlock.FindAllStringSubmatch(readText(t, "../README.md"), -1) {
			for line := range strings.Lines(block[1]) {
				line, _, _ = strings.Cut(line, " #")
				line = strings.TrimSpace(line)
				found[line] = true
				switch {
				case line == "go test ./...":
				case strings.HasPrefix(line, "go run . serve "):
					if p != nil {
						p.stop()
					}
					p = serve(t, append(strings.Fields(line)[4:], "--data", filepath.Join(dir, "data"))...)
				case p == nil:
					t.Errorf("%q comes before the command that starts a server", line)
				default:
					if out := shell(t, dir, p.localCommands(line)); !strings.Contains(out, `"handle":"kids-panjabi-set"`) {
						t.Errorf("%q shows no panjabi:\n%s", line, out)
					}
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

// Every command of the tour runs in its order, in one shell: with -all twice on one data folder.
func TestTour(t *testing.T) {
	parallelOnFiles(t)
	dir := t.TempDir()
	linkProgram(t, dir)
	p := serve(t, "--dev", "--data", filepath.Join(dir, "data"))
	tour := p.localCommands(commands(t, "../docs/tour.md", "tour", "end of tour"))
	for round, order := range some([]string{"1002", "1004"}, 0, 2) {
		out := shell(t, dir, tour)
		rest := out
		for _, fact := range []string{ // in this order
			`পাঞ্জাবি`, "Ordered: http://", "/orders/", `"name":"Ayesha Khan"`, `"phoneNumber":"+8801711000000"`, `"orderToken":`, "Idempotent-Replayed: true",
			`{"data":{"myOrders":{"nodes":[{"orderNumber":` + order, "/courier/webhook/courier_a/demo", "HTTP/1.1 202 Accepted",
			"X-CourierA-Merchant-Webhook-Integration-Secret: choose-one", "courier_a address  ok", "order.delivered",
			"completed, payment paid", "applied", "৳310", "৳250", `"redirectUrl":`, "confirmed, payment paid",
			"cancelled, payment refund_due", "refunded", "Order     1001, invoice", "+8801811000000", "listOrders", "units: ", "mango-pickle",
		} {
			_, after, found := strings.Cut(rest, fact)
			if !found {
				t.Fatalf("round %d: got no %q, or in another order:\n%s", round+1, fact, out)
			}
			rest = after
		}
		if strings.Contains(out, `"errors":[{`) {
			t.Errorf("round %d: a GraphQL request fails:\n%s", round+1, out)
		}
	}
}

// README.md states how many targets of the benchmarks are missed, and the ratios of the last run.
func TestREADME_Figures(t *testing.T) {
	t.Parallel()
	readme := readText(t, "../README.md")
	_, gates, _ := strings.Cut(readText(t, "../bench/result.md"), "| gate |")
	gates, _, _ = strings.Cut(gates, "\n## ") // what was measured apart
	total, missed := strings.Count(gates, "\n| "), strings.Count(gates, " MISSED ")
	if want := fmt.Sprintf("%d of %d targets", missed, total); !strings.Contains(readme, want) {
		t.Errorf("README.md does not state %q", want)
	}
	measured := map[string]string{}
	for line := range strings.Lines(gates) {
		if cells := strings.Split(line, "|"); len(cells) > 3 {
			measured[strings.TrimSpace(cells[1])] = strings.TrimSpace(cells[3])
		}
	}
	for row, benchmark := range map[string]string{
		"list of 20 with total, uncached":            "list of 20 with total, uncached",
		"one product, uncached":                      "one product, uncached",
		"search, uncached":                           "search, uncached",
		"whole orders beside single rows, 64 buyers": "order, 64 buyers",
		"the same, on a disk whose fsync takes 2 ms": "order, fsync + 2 ms, 64 buyers",
	} {
		if want := fmt.Sprintf("| %s | %s |", row, measured[benchmark]); !strings.Contains(readme, want) {
			t.Errorf("README.md does not state %q", want)
		}
	}
}

// docs/postgres.md states the ratios of the engines in the table of docs/sizing.md.
func TestDocuments_EngineRatios(t *testing.T) {
	t.Parallel()
	_, table, _ := strings.Cut(readText(t, "../docs/sizing.md"), "## Files and PostgreSQL")
	stated := strings.Join(strings.Fields(readText(t, "../docs/postgres.md")), " ")
	number := func(cell string) float64 {
		n, err := strconv.ParseFloat(strings.ReplaceAll(strings.TrimSpace(cell), ",", ""), 64)
		if err != nil {
			t.Fatal(err)
		}
		return n
	}
	for row, text := range map[string]string{
		"orders, 16 buyers":    "orders of 16 buyers of one shop",
		"lists of 20 products": "lists of 20 products", "single products": "single products", "searches": "searches",
	} {
		_, rest, found := strings.Cut(table, "\n| "+row+" |")
		cells := strings.Split(rest, "|")
		if !found || len(cells) < 2 {
			t.Errorf("docs/sizing.md has no row %q", row)
			continue
		}
		if want := fmt.Sprintf("%s %.2f", text, number(cells[1])/number(cells[0])); !strings.Contains(stated, want) {
			t.Errorf("docs/postgres.md does not state %q", want)
		}
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
			if strings.Contains(found[1], "://") || strings.HasPrefix(found[1], "/docs/") { // of the server
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

// Every subcommand and every operation that a document names exists, under its current name.
func TestDocuments_CommandNames(t *testing.T) {
	t.Parallel()
	operation := regexp.MustCompile("storefront api (?:UID|[a-z]+) ([a-z]+[a-zA-Z]*)")
	named := regexp.MustCompile("(?:`|\\./)storefront ([a-z]+)(?: ([a-z]+(?:-[a-z]+)*))?")
	helps := map[string]string{}
	for _, document := range documents(t) {
		for _, found := range operation.FindAllStringSubmatch(readText(t, document), -1) {
			if help := run(t, "api", "demo", found[1], "--help"); !strings.Contains(help, "storefront api UID "+found[1]) {
				t.Errorf("%s: no operation %q", document, found[1])
			}
		}
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

// Every flag of a command that a document shows exists.
func TestDocuments_CommandFlags(t *testing.T) {
	t.Parallel()
	words := "( api (?:UID|[a-z]+) [a-zA-Z]+|(?: [a-z]+(?:-[a-z]+)*){1,2})" // an operation, or a command
	shown := regexp.MustCompile("(?:^|[` ]|\\./|bin/)storefront( --[a-z-]+ [^ `]+)*" + words + "( [^`|;&\n]*)?")
	flag := regexp.MustCompile(`--[a-z]+(?:-[a-z0-9]+)*`)
	helps := map[string]string{}
	shared := run(t, "help", "flags")
	checked := 0
	for _, document := range documents(t) {
		text := strings.ReplaceAll(readText(t, document), "\\\n", "")
		for line := range strings.Lines(text) {
			for _, found := range shown.FindAllStringSubmatch(line, -1) {
				flags := flag.FindAllString(found[1]+found[3], -1)
				if len(flags) == 0 {
					continue
				}
				command := strings.TrimSpace(found[2])
				help, ok := helps[command]
				if !ok {
					out, err := storefront(t, append(strings.Fields(command), "--help")...).Output()
					if err != nil { // prose
						out = nil
					}
					help = string(out)
					helps[command] = help
				}
				for _, name := range flags {
					checked++
					if help != "" && !regexp.MustCompile(`(?m)(^|[ ,])`+name+`( |$)`).MatchString(help+shared) {
						t.Errorf("%s: %s has no flag %s", document, command, name)
					}
				}
			}
		}
	}
	if checked < 50 {
		t.Errorf("got %d flags, want more: the documents or the test have changed", checked)
	}
	t.Logf("%d flags of %d commands", checked, len(helps))
}
