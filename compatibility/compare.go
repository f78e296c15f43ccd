package main

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/oasdiff/oasdiff/checker"
	"github.com/oasdiff/oasdiff/diff"
	"github.com/oasdiff/oasdiff/load"
)

// release is what changed with a version.
type release struct {
	Version  string    `json:"version,omitempty"` // "" is the working tree
	Date     string    `json:"date,omitempty"`
	Surfaces []surface `json:"surfaces,omitempty"` // those with changes
}

type surface struct {
	Name    string   `json:"name"`
	Changes []change `json:"changes"`
}

type change struct {
	Subject  string `json:"subject"` // an operation, a type or a command
	Text     string `json:"text"`
	Breaking bool   `json:"breaking,omitempty"`
}

// compareAll returns the changes of each version, the newest first.
func compareAll(contracts []contract) ([]release, error) {
	all := make([]release, len(contracts))
	for i, c := range contracts {
		r := release{Version: c.Version, Date: c.Date}
		if i > 0 {
			var err error
			if r.Surfaces, err = compare(contracts[i-1], c); err != nil {
				return nil, err
			}
		}
		all[len(all)-1-i] = r
	}
	return all, nil
}

func compare(before, after contract) ([]surface, error) {
	var all []surface
	add := func(name string, changes []change, err error) error {
		if len(changes) > 0 {
			slices.SortFunc(changes, func(a, b change) int { return cmp.Or(cmp.Compare(a.Subject, b.Subject), cmp.Compare(a.Text, b.Text)) })
			all = append(all, surface{name, slices.Compact(changes)})
		}
		return err
	}
	rest, err := compareOpenAPI(before.Storefront, after.Storefront)
	if err := add("REST API", rest, err); err != nil {
		return nil, err
	}
	graphql, err := compareGraphQL(before.GraphQL, after.GraphQL)
	if err := add("GraphQL", graphql, err); err != nil {
		return nil, err
	}
	admin, err := compareOpenAPI(before.Admin, after.Admin)
	if err := add("Admin API", admin, err); err != nil {
		return nil, err
	}
	return all, add("Commands", compareCommands(before.Commands, after.Commands), nil)
}

// levels are the changes that programs must expect: new values of a response, and new statuses.
var levels = map[string]checker.Level{
	checker.ResponsePropertyEnumValueAddedId:  checker.INFO,
	checker.ResponseMediaTypeEnumValueAddedId: checker.INFO,
}

// graceDays are the days from a deprecation to its sunset, at least.
const graceDays = 365

func compareOpenAPI(before, after []byte) ([]change, error) {
	first, err := load.NewSpecInfoFromData(openapi3.NewLoader(), before, "before")
	if err != nil {
		return nil, err
	}
	second, err := load.NewSpecInfoFromData(openapi3.NewLoader(), after, "after")
	if err != nil {
		return nil, err
	}
	differences, sources, err := diff.GetWithOperationsSourcesMap(diff.NewConfig(), first, second)
	if err != nil || differences == nil { // equal documents
		return nil, err
	}
	config := checker.NewConfig(checker.GetAllChecks(), checker.WithSeverityLevels(levels), checker.WithDeprecation(0, graceDays))
	english := checker.NewDefaultLocalizer()
	operations := map[change][]string{} // those with the same change
	for _, c := range checker.CheckBackwardCompatibilityUntilLevel(config, differences, sources, checker.INFO) {
		if c.GetPath() == "" { // the name of a schema, which programs do not see
			continue
		}
		text := sentence(c.GetUncolorizedText(english))
		same := change{Text: text, Breaking: c.GetLevel() >= checker.WARN} // a removed parameter is refused as unknown
		operation := strings.TrimSpace(c.GetOperation() + " " + c.GetPath())
		if !slices.Contains(operations[same], operation) {
			operations[same] = append(operations[same], operation)
		}
	}
	all := removedAfterSunset(differences.PathsDiff, operations)
	for c, subjects := range operations {
		if len(subjects) > 5 && !strings.HasPrefix(c.Text, "Endpoint") {
			subjects = []string{fmt.Sprintf("%d operations", len(subjects))}
		}
		for _, c.Subject = range subjects {
			all = append(all, c)
		}
	}
	return all, nil
}

// removedAfterSunset returns the removed operations that the checks do not report, since they
// had been deprecated.
func removedAfterSunset(paths *diff.PathsDiff, reported map[change][]string) []change {
	if paths == nil {
		return nil
	}
	var removed []string
	for _, path := range paths.Deleted {
		for method := range paths.Base.Value(path).Operations() {
			removed = append(removed, method+" "+path)
		}
	}
	for path, item := range paths.Modified {
		if item.OperationsDiff != nil {
			for _, method := range item.OperationsDiff.Deleted {
				removed = append(removed, method+" "+path)
			}
		}
	}
	var all []change
	for _, operation := range removed {
		if !slices.ContainsFunc(slices.Collect(maps.Values(reported)), func(of []string) bool { return slices.Contains(of, operation) }) {
			all = append(all, change{Subject: operation, Text: "Removed, after its sunset"})
		}
	}
	return all
}

var ofStatus = regexp.MustCompile(" (for the response status|with the) `[0-9]+`( status)?| \\(shared schema: .*\\)")

// sentence returns the text of a change without details such as the status, so that equal changes
// of many operations are one.
func sentence(text string) string {
	text = strings.TrimRight(ofStatus.ReplaceAllString(text, ""), ". ")
	return strings.ToUpper(text[:1]) + text[1:]
}

// compareGraphQL compares two schemas with the program changes.js.
func compareGraphQL(before, after string) ([]change, error) {
	folder, err := os.MkdirTemp("", "compatibility")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(folder)
	files := []string{filepath.Join(folder, "before.graphql"), filepath.Join(folder, "after.graphql")}
	for i, text := range []string{before, after} {
		if err := os.WriteFile(files[i], []byte(text), 0o600); err != nil {
			return nil, err
		}
	}
	node := exec.Command("node", append([]string{"changes.js"}, files...)...)
	node.Dir = "../clients/generators"
	node.Stderr = os.Stderr
	out, err := node.Output()
	if err != nil {
		return nil, fmt.Errorf("changes.js, after npm ci --ignore-scripts in clients/generators: %w", err)
	}
	var found []struct {
		change
		Type string
	}
	if err := json.Unmarshal(out, &found); err != nil {
		return nil, err
	}
	added := map[string]bool{}
	for _, c := range found {
		if c.Type == "TYPE_ADDED" {
			added[c.Subject] = true
		}
	}
	var all []change
	for _, c := range found {
		if parent, _, is := strings.Cut(c.Subject, "."); !is || !added[parent] { // a new type is one change
			all = append(all, c.change)
		}
	}
	return all, nil
}

// compareCommands compares lists of commands and flags, one a line: a line that is gone breaks
// scripts.
func compareCommands(before, after string) []change {
	old, now := strings.Split(strings.TrimSpace(before), "\n"), strings.Split(strings.TrimSpace(after), "\n")
	var all []change
	for _, line := range old {
		if !slices.Contains(now, line) {
			all = append(all, change{Subject: line, Text: "Removed", Breaking: true})
		}
	}
	for _, line := range now {
		if !slices.Contains(old, line) {
			all = append(all, change{Subject: line, Text: "Added"})
		}
	}
	return all
}
