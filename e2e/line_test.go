package e2e_test

import (
	"fmt"
	"io/fs"
	"os"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
	"unicode/utf8"
)

// Lengths of lines, a tab counting as one column.
const (
	maxColumns        = 150
	maxCommentColumns = 100 // of a Go comment that has the line to itself
	maxPageColumns    = 100 // of scripts and style sheets of pages, except texts
)

// pageScript matches scripts and style sheets of the dashboard and the storefront.
var pageScript = regexp.MustCompile(`^server/(?:admin|storefront)/page/.*\.(?:js|css)$`)

// TestLines checks the length of lines of code and prose. Data, and tables and examples in
// Markdown, cannot be wrapped.
func TestLines(t *testing.T) {
	t.Parallel()
	for _, line := range longLines(t, os.DirFS("..")) {
		t.Error(line)
	}
}

func TestLines_PlantedViolations(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("৳", maxColumns+1)
	tree := fstest.MapFS{
		"shop/order.go":          {Data: []byte("package shop\n\n\t\t// " + long[3*55:] + "\nvar x = 1 // " + long[3*12:])},
		"docs/a.md":              {Data: []byte("| " + long + " |\n" + long + "\n```\n" + long + "\n```\n")},
		"docs/chart.svg":         {Data: []byte(long)},
		"page/a.min.js":          {Data: []byte(long)},
		"page/a.css":             {Data: []byte(long)},
		"server/admin/page/a.js": {Data: []byte(long[:3*101])},
		"tenants/testdata/a.go":  {Data: []byte("package a // " + long)},
	}
	got, want := longLines(t, tree), []string{
		"docs/a.md:2: got 151 columns, want at most 150", "page/a.css:1: got 151 columns, want at most 150",
		"server/admin/page/a.js:1: got 101 columns, want at most 100",
		"shop/order.go:3: got 101 columns, want at most 100", "shop/order.go:4: got 152 columns, want at most 150",
	}
	if !slices.Equal(got, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// longLines returns the place and length of each line that is too long.
func longLines(t *testing.T, tree fs.FS) []string {
	t.Helper()
	var found []string
	walkSources(t, tree, func(name, content string) {
		if path.Ext(name) != ".go" && pieces[path.Ext(name)] == nil {
			return
		}
		number, isExample := 0, false
		for line := range strings.Lines(content) {
			number++
			limit := maxColumns
			switch {
			case path.Ext(name) == ".go" && strings.HasPrefix(strings.TrimSpace(line), "//"):
				limit = maxCommentColumns
			case pageScript.MatchString(name) && !strings.Contains(name, "/page/js/strings"):
				limit = maxPageColumns
			case path.Ext(name) == ".md" && strings.HasPrefix(line, "```"):
				isExample = !isExample
			case path.Ext(name) == ".md" && (isExample || strings.HasPrefix(line, "|")):
				continue
			}
			if n := utf8.RuneCountInString(strings.TrimRight(line, "\r\n")); n > limit {
				found = append(found, fmt.Sprintf("%s:%d: got %d columns, want at most %d", name, number, n, limit))
			}
		}
	})
	return found
}
