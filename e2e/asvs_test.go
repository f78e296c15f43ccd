package e2e

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

var (
	asvsRow    = regexp.MustCompile(`^\| (\d+)\.\d+\.\d+ \| [12] \| [^|]+ \| (met|partly|not met|does not apply) \| ([^|]+) \|$`)
	asvsQuoted = regexp.MustCompile("`([^`]+)`|\\b((?:Test|Fuzz)[A-Z][A-Za-z0-9_]*)")
)

// asvsCounts is how many requirements of levels 1 and 2 each chapter of ASVS 5.0.0 has.
var asvsCounts = map[string]int{
	"1": 27, "2": 11, "3": 19, "4": 10, "5": 9, "6": 35, "7": 18, "8": 7, "9": 7, "10": 29, "11": 14, "12": 9, "13": 13, "14": 9,
	"15": 13, "16": 16, "17": 7,
}

// docs/asvs.md has a row for each requirement, and the tests and files that it names as evidence
// exist.
func TestASVS_Evidence(t *testing.T) {
	t.Parallel()
	text := readText(t, filepath.Join("..", "docs", "asvs.md"))
	rows, chapters, verdicts := map[string]bool{}, map[string]int{}, map[string]int{}
	for line := range strings.Lines(text) {
		line = strings.TrimSuffix(line, "\n")
		if !strings.HasPrefix(line, "| ") || strings.HasPrefix(line, "| Requirement") {
			continue
		}
		found := asvsRow.FindStringSubmatch(line)
		if found == nil {
			t.Errorf("got the row %s, want a requirement, its level, text, verdict and evidence", line)
			continue
		}
		id, _, _ := strings.Cut(line[2:], " ")
		if rows[id] {
			t.Errorf("%s is there twice", id)
		}
		rows[id] = true
		chapters[found[1]]++
		verdicts[found[2]]++
		evidence := checkEvidence(t, id, found[3])
		if evidence == 0 && (found[2] == "met" || found[2] == "partly") && !strings.Contains(found[3], "see ") {
			t.Errorf("%s is %s, want a test or a file as evidence: %s", id, found[2], found[3])
		}
	}
	for chapter, want := range asvsCounts {
		if chapters[chapter] != want {
			t.Errorf("chapter %s: got %d requirements, want %d", chapter, chapters[chapter], want)
		}
	}
	sum := fmt.Sprintf("There are %d requirements: %d are met, %d partly, %d are not met, and %d do not apply.",
		len(rows), verdicts["met"], verdicts["partly"], verdicts["not met"], verdicts["does not apply"])
	if !strings.Contains(strings.Join(strings.Fields(text), " "), sum) {
		t.Errorf("the page must state: %s", sum)
	}
}

// checkEvidence checks the tests and files in a row, and returns how many there are. A test is in
// the folder that is named before it.
func checkEvidence(t *testing.T, id, text string) (n int) {
	t.Helper()
	folder := ""
	for _, found := range asvsQuoted.FindAllStringSubmatch(text, -1) {
		if name := found[1]; name != "" {
			top, _, _ := strings.Cut(name, "/")
			if _, err := os.Stat(filepath.Join("..", top)); err != nil || strings.Contains(top, " ") {
				continue // not a path of this repository
			}
			info, err := os.Stat(filepath.Join("..", name))
			switch {
			case err != nil:
				t.Errorf("%s: no file %s", id, name)
			case info.IsDir():
				folder = name
			default:
				n++
			}
			continue
		}
		n++
		if folder == "" || !hasTest(t, folder, found[2]) {
			t.Errorf("%s: no test %s in %s", id, found[2], strconv.Quote(folder))
		}
	}
	return n
}

// hasTest reports whether a folder has a test function of this name.
func hasTest(t *testing.T, folder, name string) bool {
	t.Helper()
	files, err := filepath.Glob(filepath.Join("..", folder, "*_test.go"))
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		if strings.Contains(readText(t, file), "\nfunc "+name+"(") {
			return true
		}
	}
	return false
}
