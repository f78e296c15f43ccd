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
)

// shape is a word order that sounds translated.
type shape struct {
	usage
	// most is the number of times that comments have it. It falls as they are rewritten, and never
	// rises.
	most int
}

// shapes are word orders that API descriptions, error texts, help and documents must not have.
var shapes = []shape{
	{usage{regexp.MustCompile(`(?:^|[.:;]\s+)Of\s+(?:(?:an?|the|several|those|all|each|some|two|\d+)\s|[a-z]+(?:[,.]|\s+and\s))`), "the noun first, or: If …, For …"}, 0},
	{phrase(`of (which|whom)`, "two sentences, or: with"), 4},
	{phrase(`(that|those) of`, "repeat the noun"), 16},
	{phrase(`whatever`, "in any, regardless of"), 1},
	{usage{regexp.MustCompile(`\b(?:is|are)\s+about(?:\s+(?:an?|the|its?|their|one|no|another|which|what|orders?|money)\b|[,.;:)])`), "the subject, affected"}, 0},
	{phrase(`(it|this|that|which|they|\w+s) (is|are) none`, "if there is none, is missing"), 0},
	{phrase(`at once`, "immediately, at the same time"), 1},
	{phrase(`meanwhile`, "in the meantime, since"), 0},
	{usage{regexp.MustCompile(`(?:^|[.:;,(]\s*)(?i:null|nil|empty):\s+\w+`), "null if, empty if"}, 0},
}

// commentShapes are further shapes, which sometimes are the shortest way. Comments have few.
var commentShapes = []shape{
	{phrase(`whose`, "with, or two sentences"), 71},
	{phrase(`(of|with|to|from|on|in|by|for|than|as) what`, "a noun"), 10},
	{usage{regexp.MustCompile(`(?:^|[.:;]\s+)(?:Who|What|Whom)\s+\w+`), "the noun first"}, 0},
	{phrase(`names (a|an|the|no|it|its|what|another)`, "contains, states, refers to"), 6},
}

// maxTexts is the number of shapes in error texts, help and documents.
const maxTexts = 0

func TestLanguage_Shapes(t *testing.T) {
	t.Parallel()
	found := shapesIn(t, os.DirFS(".."))
	if len(found.texts) > maxTexts {
		t.Errorf("got %d texts with a shape, want at most %d", len(found.texts), maxTexts)
		for _, f := range found.texts {
			t.Log(f)
		}
	}
	for _, s := range slices.Concat(shapes, commentShapes) {
		in := slices.DeleteFunc(slices.Clone(found.comments), func(f finding) bool { return f.phrase != s.phrase })
		if *languageCounts {
			fmt.Printf("%6d of %d: %s\n", len(in), s.most, s.phrase)
		}
		if len(in) <= s.most {
			continue
		}
		t.Errorf("got %d comments with %s, want at most %d: rewrite those that you have changed", len(in), s.phrase, s.most)
		for _, f := range in {
			t.Log(f)
		}
	}
}

func TestLanguage_PlantedCommentShapes(t *testing.T) {
	t.Parallel()
	tree := fstest.MapFS{
		"shop/order.go": {Data: []byte("package shop\n\n// Order is placed.\n// Of a\n// buyer.\ntype Order struct{}\n\n" +
			"var x = f(\"It is moved at once.\") // nil: none is due\nvar q = \"SELECT at once\"\n")},
		"shop/order_test.go": {Data: []byte("package shop\n\n// Whatever.\n")},
		"docs/a.md":          {Data: []byte("Paid,\nwhatever it costs; `at once` is a name.\n")},
	}
	found := shapesIn(t, tree)
	var got []string
	for _, f := range slices.Concat(found.comments, found.texts) {
		got = append(got, fmt.Sprintf("%s:%d %s", f.file, f.line, f.text))
	}
	slices.Sort(got)
	want := []string{"docs/a.md:2 whatever", "shop/order.go:4 Of a", "shop/order.go:8 at once", "shop/order.go:8 nil: none"}
	if !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

// shaped is the findings in comments, and in what users read.
type shaped struct{ comments, texts []finding }

// shapesIn returns the shapes in the Go files and documents of a tree.
func shapesIn(t *testing.T, tree fs.FS) shaped {
	t.Helper()
	var found shaped
	walkSources(t, tree, func(name, content string) {
		if path.Ext(name) == ".md" {
			found.texts = append(found.texts, prose{line: 1, text: content}.shapes(name)...)
		}
		if path.Ext(name) != ".go" || strings.HasSuffix(name, "_test.go") {
			return
		}
		texts, err := goProse(name, content)
		if err != nil {
			t.Error(err)
		}
		for _, p := range texts {
			if p.isComment {
				found.comments = append(found.comments, p.shapes(name, commentShapes...)...)
			} else {
				found.texts = append(found.texts, p.shapes(name)...)
			}
		}
	})
	return found
}

// shapes returns the shapes of a text: those of every text, and the further ones.
func (p prose) shapes(file string, further ...shape) []finding {
	var found []finding
	text := strings.TrimLeft(blank(names, p.text), " \t")
	for _, s := range slices.Concat(shapes, further) {
		for _, at := range s.phrase.FindAllStringIndex(text, -1) {
			matched := strings.TrimLeft(text[at[0]:at[1]], ".:; \t\n")
			line := p.line + strings.Count(text[:at[1]], "\n") - strings.Count(matched, "\n")
			found = append(found, finding{file, line, strings.Join(strings.Fields(matched), " "), s.usage})
		}
	}
	return found
}
