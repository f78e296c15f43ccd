package transport_test

import (
	"flag"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "write enums.txt anew")

// The APIs show each type with the directive //api:enum NAME. Its doc comment is the description,
// and the comment of each constant its meaning. The APIs omit a constant if its comment begins with
// its name.
func TestEnums_OfComments(t *testing.T) {
	t.Parallel()
	types, texts := map[string][]string{}, map[string]string{}
	for name, files := range packages(t) {
		for typ, enum := range enumsOf(t, files) {
			types[enum.name] = append(types[enum.name], "storefront/"+name+"."+typ)
			if text := texts[enum.name]; text != "" && text != enum.text() {
				t.Errorf("%s has two descriptions:\n%s\n%s", enum.name, text, enum.text())
			}
			texts[enum.name] = enum.text()
		}
	}
	var all strings.Builder
	for i, name := range slices.Sorted(maps.Keys(types)) {
		if i > 0 {
			all.WriteByte('\n')
		}
		slices.Sort(types[name])
		fmt.Fprintf(&all, "%s %s\n%s", name, strings.Join(types[name], " "), texts[name])
	}
	if *update {
		if err := os.WriteFile("enums.txt", []byte(all.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile("enums.txt")
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(all.String(), string(got)); diff != "" {
		t.Errorf("enums.txt is not that of the comments (-want +got): run go test ./transport -update\n%s", diff)
	}
}

// packages returns the files of the packages that have enumerated types, by their folder.
func packages(t *testing.T) map[string][]*ast.File {
	t.Helper()
	all := map[string][]*ast.File{}
	for _, top := range []string{"provider", "server", "shop", "tenants"} {
		err := fs.WalkDir(os.DirFS(".."), top, func(name string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() || !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go") {
				return err
			}
			mode := parser.ParseComments | parser.SkipObjectResolution
			file, err := parser.ParseFile(token.NewFileSet(), filepath.Join("..", name), nil, mode)
			all[path.Dir(name)] = append(all[path.Dir(name)], file)
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	return all
}

type describedEnum struct {
	name, description string
	values            []string
}

func (e *describedEnum) text() string {
	return "\t" + e.description + "\n\t" + strings.Join(e.values, "\n\t") + "\n"
}

var enumDirective = regexp.MustCompile(`(?m)^//api:enum (\w+)$`)

// enumsOf returns the enumerated types of a package by their names in Go.
func enumsOf(t *testing.T, files []*ast.File) map[string]*describedEnum {
	t.Helper()
	enums := map[string]*describedEnum{}
	each := func(visit func(*ast.GenDecl, ast.Spec)) {
		for _, file := range files {
			for _, decl := range file.Decls {
				if group, ok := decl.(*ast.GenDecl); ok {
					for _, spec := range group.Specs {
						visit(group, spec)
					}
				}
			}
		}
	}
	each(func(group *ast.GenDecl, spec ast.Spec) {
		typ, ok := spec.(*ast.TypeSpec)
		if !ok {
			return
		}
		for _, doc := range []*ast.CommentGroup{group.Doc, typ.Doc} {
			if name := directiveOf(doc); name != "" {
				enums[typ.Name.Name] = &describedEnum{name: name, description: descriptionOf(typ.Name.Name, doc.Text())}
			}
		}
	})
	each(func(group *ast.GenDecl, spec ast.Spec) {
		value, ok := spec.(*ast.ValueSpec)
		if !ok || group.Tok != token.CONST || value.Type == nil {
			return
		}
		name, _ := value.Type.(*ast.Ident)
		if name == nil || enums[name.Name] == nil {
			return
		}
		literal, ok := value.Values[0].(*ast.BasicLit)
		comment := value.Comment.Text() + value.Doc.Text()
		if group.Lparen == token.NoPos {
			comment = group.Doc.Text()
		}
		switch {
		case !ok || literal.Value == `""` || strings.HasPrefix(comment, value.Names[0].Name+" "):
		case comment == "":
			t.Errorf("%s has no comment: what does it mean?", value.Names[0])
		default:
			text, err := strconv.Unquote(literal.Value)
			if err != nil {
				t.Fatal(err)
			}
			enums[name.Name].values = append(enums[name.Name].values, text+": "+sentence(comment))
		}
	})
	return enums
}

// directiveOf returns the name that a doc comment states for the APIs, "" if there is none.
func directiveOf(doc *ast.CommentGroup) string {
	if doc == nil {
		return ""
	}
	for _, line := range doc.List {
		if name := enumDirective.FindStringSubmatch(line.Text); name != nil {
			return name[1]
		}
	}
	return ""
}

// descriptionOf returns the first paragraph of a type's comment without the name in front.
func descriptionOf(name, doc string) string {
	doc, _, _ = strings.Cut(doc, "\n\n")
	doc = strings.TrimPrefix(strings.TrimPrefix(doc, name+" "), "is ")
	return sentence(doc)
}

// sentence returns a comment in one line, with a capital letter and a full stop.
func sentence(comment string) string {
	comment = strings.Join(strings.Fields(comment), " ")
	first, size := utf8.DecodeRuneInString(comment)
	if second, _ := utf8.DecodeRuneInString(comment[size:]); !unicode.IsUpper(second) && size > 0 {
		comment = string(unicode.ToUpper(first)) + comment[size:]
	}
	return strings.TrimSuffix(comment, ".") + "."
}
