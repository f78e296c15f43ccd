package e2e_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/fstest"
)

// describing are the folders whose API descriptions must not have the shapes. Those directly in
// shop follow once they are rewritten.
var describing = []string{
	"server", "server/admin", "shop/account", "shop/catalogue", "shop/catalogue/productfile", "shop/district", "shop/endpoint", "shop/fault", "shop/job",
	"shop/money", "shop/notify", "shop/page", "shop/plugin", "shop/staff",
}

func TestLanguage_DescriptionShapes(t *testing.T) {
	t.Parallel()
	found, read := checkDescriptions(t, os.DirFS(".."))
	for _, f := range found {
		t.Error(f)
	}
	if read < 800 {
		t.Errorf("got %d descriptions, want those of both APIs", read)
	}
}

func TestLanguage_PlantedShapes(t *testing.T) {
	t.Parallel()
	tree := fstest.MapFS{
		"server/order.go": {Data: []byte("package server\n\ntype A struct {\n" +
			"\tB int `json:\"b\" doc:\"Of the order\"`\n\tC int `doc:\"When it ended; null: it has not\"`\n}\n\n" +
			"var x = T{summary: \"What it is about, or that is none\", Description: \"Fine; if there is none, too. \" +\n" +
			"\t\"Of a list, that of\\n\" +\n\t\"the day\" + y, Other: \"at once\"}\n")},
		"shop/order.go": {Data: []byte("package shop\n\ntype A struct {\n\tB int `doc:\"Of the order\"`\n}\n")},
	}
	found, _ := checkDescriptions(t, tree)
	var got []string
	for _, f := range found {
		got = append(got, f.file+":"+strconv.Itoa(f.line)+" "+f.text)
	}
	slices.Sort(got)
	want := []string{
		"server/order.go:4 Of the", "server/order.go:5 null: it", "server/order.go:8 Of a", "server/order.go:8 is about,",
		"server/order.go:8 that is none", "server/order.go:8 that of",
	}
	if !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

// checkDescriptions returns the shapes in the API descriptions of a tree, and how many it has read.
func checkDescriptions(t *testing.T, tree fs.FS) (found []finding, read int) {
	t.Helper()
	walkSources(t, tree, func(name, content string) {
		if path.Ext(name) != ".go" || strings.HasSuffix(name, "_test.go") || !slices.Contains(describing, path.Dir(name)) {
			return
		}
		texts, err := descriptionsOf(name, content)
		if err != nil {
			t.Error(err)
		}
		read += len(texts)
		for _, p := range texts {
			found = append(found, p.shapes(name)...)
		}
	})
	return found, read
}

// descriptionsOf returns the doc tags of a Go file, and the texts of its fields Summary and
// Description.
func descriptionsOf(name, content string) ([]prose, error) {
	set := token.NewFileSet()
	file, err := parser.ParseFile(set, name, content, parser.SkipObjectResolution)
	if err != nil {
		return nil, err
	}
	var texts []prose
	add := func(n ast.Node, text string) {
		if text != "" {
			texts = append(texts, prose{line: set.Position(n.Pos()).Line, text: text})
		}
	}
	ast.Inspect(file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.Field:
			if n.Tag != nil {
				add(n.Tag, reflect.StructTag(unquoted(n.Tag)).Get("doc"))
			}
		case *ast.KeyValueExpr:
			key, ok := n.Key.(*ast.Ident)
			if ok && slices.Contains([]string{"summary", "description"}, strings.ToLower(key.Name)) {
				add(n, unquoted(n.Value))
			}
		}
		return true
	})
	return texts, nil
}

// unquoted returns the text of the literals of an expression.
func unquoted(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.BasicLit:
		text, _ := strconv.Unquote(e.Value)
		return text
	case *ast.BinaryExpr:
		return unquoted(e.X) + unquoted(e.Y)
	}
	return ""
}
