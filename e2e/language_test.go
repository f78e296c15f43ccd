package e2e_test

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
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/fstest"
)

var languageCounts = flag.Bool("language.counts", false, "print how often each folder breaks a rule of language, and in what files")

// usage is one rule of the project's language: a phrase that must not occur in prose, and what to
// write.
type usage struct {
	phrase *regexp.Regexp
	write  string
}

// phrase compiles a rule. A space matches any white space, so that a phrase may span two lines.
func phrase(pattern, write string) usage {
	return usage{regexp.MustCompile(`(?i)\b(?:` + strings.ReplaceAll(pattern, " ", `\s+`) + `)\b`), write}
}

// usages are the rules that can be checked without false alarms.
var usages = []usage{
	phrase(`can not`, "cannot"),
	phrase(`gives?|gave|given (back|up|out)`, "returns, refunds, releases, aborts"),
	phrase(`told|tells?|telling`, "returns, reports, notifies, distinguishes"),
	phrase(`(that|which|it|this) (is|are) none|where there (is|are) none|that is no [a-km-z]\w*`, "invalid, missing, if there is none"),
	phrase(`what (became|becomes|came|comes) of`, "the result of"),
	phrase(`hand(s|ed|ing)? (\w+ )?over`, "sends, books"),
	phrase(`(a|each|every|one|first|last|next|another|wrong|many|few) (try|tries)`, "attempt"),
	phrase(`parcels?`, "shipment"),
	phrase(`who(m)?ever`, "name the actor"),
	phrase(`the shop's staff`, "a staff member"),
	phrase(`twins?`, "clone"),
	phrase(`shoppers?`, "customer, buyer"),
	phrase(`editions?`, "content version"),
	phrase(`news|fates?`, "event, history, result"),
	phrase(`kept|keeps`, "stores, caches, saves, retains"),
	phrase(`hears?|heard`, "receives, handles"),
	phrase(`settl(e|es|ed|ing)`, "saves, resolves, completes, reconciles"),
	phrase(`forgets?|forgotten|remembers?|remembered`, "clears, erases, saves, loads"),
	phrase(`look(s|ed|ing)? at`, "checks, inspects"),
	phrase(`asks?|asked|asking`, "requests, queries"),
	phrase(`says? (what|which|whether|how|that|who|when|where|so|it)`, "reports, returns, states"),
	phrase(`(takes?|taken|took) (back|over)`, "undoes, replaces, adopts"),
	phrase(`anew`, "again"),
	phrase(`go(es|ing)? on|went on`, "continues"),
	phrase(`call(s|ed)? (\w+ \w+ )?off`, "cancels"),
	phrase(`vouchers?`, "coupon"),
	phrase(`dead orders?|the dead`, "closed order"),
}

// factAsRule matches an error that states the rule as a fact, such as "A code is four digits."
var factAsRule = regexp.MustCompile(`^(?:This is an? |An? [a-z]+(?: [a-z]+)? (?:is|has|are) )`)

// languageExceptions are texts that the rules do not fit, by file. There must be at most ten.
var languageExceptions = map[string]string{
	"server/admin/page/js/strings/book.js":   "hand over", // the name of a view
	"server/admin/page/js/strings/orders.js": "hand over", // the name of a view
	"server/openapi_provider.go":             "parcel",    // the provider's own example
}

// unread are files that are not checked: the phrases themselves, and what is generated from checked
// files.
var unread = []string{
	"e2e/language_test.go", "e2e/language_description_test.go", "e2e/language_shape_test.go",
	"clients/typescript/src/schema.ts", "clients/typescript/src/admin-schema.ts",
	"clients/typescript/openapi.yaml", "clients/typescript/admin.yaml",
}

// finding is one broken rule.
type finding struct {
	file string
	line int
	text string
	usage
}

func (f finding) String() string {
	return fmt.Sprintf("%s:%d: %q, write: %s", f.file, f.line, f.text, f.write)
}

// prose is a text of a file that people read, and the line where it begins.
type prose struct {
	line      int
	text      string
	isError   bool
	isComment bool
}

func TestLanguage(t *testing.T) {
	t.Parallel()
	found := checkLanguage(t, os.DirFS(".."))
	if *languageCounts {
		printLanguage(found)
	}
	for _, f := range found {
		t.Error(f)
	}
	if len(languageExceptions) > 10 {
		t.Errorf("got %d exceptions, want at most 10", len(languageExceptions))
	}
}

// Each kind of file is read, and a finding names file, line, phrase and remedy.
func TestLanguage_PlantedViolations(t *testing.T) {
	t.Parallel()
	tree := fstest.MapFS{
		"shop/order.go": {Data: []byte("package shop\n\n// Order is placed.\n// It can\n// not be moved.\ntype Order struct {\n" +
			"\tA int `json:\"told\" doc:\"What the courier told.\"`\n}\n\nvar x = f(\"A code is four digits.\") // `told` is a name\n")},
		"shop/order_test.go":    {Data: []byte("package shop\n\n// It is told.\nvar y = f(\"It can not.\")\n")},
		"shop/rows.sql":         {Data: []byte("CREATE TABLE parcel (a); -- one parcel\n")},
		"graphql/order.graphql": {Data: []byte("\"An order.\"\ntype Order {\n  \"The parcel.\"\n  parcel: ID\n}\n")},
		"page/a.js":             {Data: []byte("const parcel = 'no parcel here' // the\n// shopper\n")},
		"page/index.html":       {Data: []byte("<p>\nWhoever comes</p>\n")},
		"docs/a.md":             {Data: []byte("# News\n\n```sh\norder parcels\n```\nUse `order parcels` to hand it over.\n")},
		"deploy/run.sh":         {Data: []byte("parcel # asked for\n")},
		"shop/testdata/a.md":    {Data: []byte("can not\n")},
	}
	var got []string
	for _, f := range checkLanguage(t, tree) {
		got = append(got, fmt.Sprintf("%s:%d %s", f.file, f.line, f.text))
	}
	slices.Sort(got)
	want := []string{
		"deploy/run.sh:1 asked", "docs/a.md:1 News", "docs/a.md:6 hand it over", "graphql/order.graphql:3 parcel",
		"page/a.js:1 parcel", "page/a.js:2 shopper", "page/index.html:2 Whoever",
		"shop/order.go:10 A code is", "shop/order.go:4 can not", "shop/order.go:7 told", "shop/order_test.go:3 told", "shop/rows.sql:1 parcel",
	}
	if !slices.Equal(got, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// checkLanguage returns the findings in the files of a tree.
func checkLanguage(t *testing.T, tree fs.FS) []finding {
	t.Helper()
	var found []finding
	walkSources(t, tree, func(name, content string) {
		texts, err := proseOf(name, content)
		if err != nil {
			t.Error(err)
		}
		for _, p := range texts {
			found = append(found, p.check(name)...)
		}
	})
	return found
}

// walkSources calls visit with each file of a tree, except generated files, test data and vendored
// code.
func walkSources(t *testing.T, tree fs.FS, visit func(name, content string)) {
	t.Helper()
	err := fs.WalkDir(tree, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() {
			base := d.Name()
			if base != "." && (strings.HasPrefix(base, ".") || slices.Contains([]string{"testdata", "node_modules", "dist", "axe", "vendor"}, base)) {
				return fs.SkipDir
			}
			return nil
		}
		if strings.Contains(name, ".min.") || slices.Contains(unread, name) {
			return nil
		}
		content, err := fs.ReadFile(tree, name)
		if err == nil {
			visit(name, string(content))
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

// names are identifiers in prose: code spans, quoted words and paths.
var names = regexp.MustCompile("(?s)```.*?```|`[^`]*`" + `|"[^"\s]*"|\S*[-_/]\S*|\[[\w.*]+\]`)

// blank replaces what a pattern matches by blanks, so that lines keep their numbers.
func blank(pattern *regexp.Regexp, text string) string {
	return pattern.ReplaceAllStringFunc(text, func(s string) string { return " ," + strings.Repeat("\n", strings.Count(s, "\n")) })
}

func (p prose) check(file string) []finding {
	var found []finding
	add := func(u usage, at []int, text string) {
		matched := strings.Join(strings.Fields(text[at[0]:at[1]]), " ")
		if languageExceptions[file] != matched {
			found = append(found, finding{file, p.line + strings.Count(text[:at[0]], "\n"), matched, u})
		}
	}
	text := blank(names, p.text)
	for _, u := range usages {
		for _, at := range u.phrase.FindAllStringIndex(text, -1) {
			add(u, at, text)
		}
	}
	if p.isError {
		if at := factAsRule.FindStringIndex(p.text); at != nil && !strings.Contains(p.text, " is required") {
			add(usage{write: "the rule with must, or the problem and the remedy"}, at, p.text)
		}
	}
	return found
}

// pieces are the texts that people read in files of other languages than Go.
var pieces = map[string]*regexp.Regexp{
	".md":      regexp.MustCompile(`(?s).+`),
	".html":    regexp.MustCompile(`(?s).+`),
	".sql":     regexp.MustCompile(`(?:[ \t]*--[^\n]*\n)+|--[^\n]*`),
	".graphql": regexp.MustCompile(`(?s)""".*?"""|"[^"\n]*"|#[^\n]*`),
	".js":      script, ".ts": script,
	".css": regexp.MustCompile(`(?s)/\*.*?\*/`),
	".sh":  hashes, ".yml": hashes, ".service": hashes,
}

var (
	script = regexp.MustCompile(`(?s)'(?:[^'\\\n]|\\.)*'|"(?:[^"\\\n]|\\.)*"|/\*.*?\*/|//[^\n]*(?:\n[ \t]*//[^\n]*)*` + "|`[^`]*`")
	hashes = regexp.MustCompile(`(?m)(?:^|[ \t])#[^\n]*`)
	markup = regexp.MustCompile(`(?m)^[ \t]*(?://|--|#|\*)|//`)
)

func proseOf(name, content string) ([]prose, error) {
	if path.Ext(name) == ".go" {
		return goProse(name, content)
	}
	pattern := pieces[path.Ext(name)]
	if pattern == nil {
		return nil, nil
	}
	var texts []prose
	for _, at := range pattern.FindAllStringIndex(content, -1) {
		text := content[at[0]:at[1]]
		if text[0] == '\'' || text[0] == '"' || text[0] == '`' {
			text = text[1 : len(text)-1]
			if path.Ext(name) != ".graphql" && !strings.ContainsAny(text, " \n") {
				continue // a key or an address
			}
		}
		texts = append(texts, prose{line: 1 + strings.Count(content[:at[0]], "\n"), text: markup.ReplaceAllString(text, "")})
	}
	return texts, nil
}

// goProse returns the comments of a Go file and, unless it is a test, its string literals of
// several words.
func goProse(name, content string) ([]prose, error) {
	set := token.NewFileSet()
	file, err := parser.ParseFile(set, name, content, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		return nil, err
	}
	var texts []prose
	for _, group := range file.Comments {
		line, text := set.Position(group.Pos()).Line, content[set.Position(group.Pos()).Offset:set.Position(group.End()).Offset]
		texts = append(texts, prose{line: line, text: markup.ReplaceAllString(text, ""), isComment: true})
	}
	if strings.HasSuffix(name, "_test.go") {
		return texts, nil
	}
	arguments := map[ast.Node]bool{}
	ast.Inspect(file, func(n ast.Node) bool {
		if call, ok := n.(*ast.CallExpr); ok {
			for _, argument := range call.Args {
				arguments[argument] = true
			}
		}
		literal, ok := n.(*ast.BasicLit)
		if !ok || literal.Kind != token.STRING {
			return true
		}
		text, err := strconv.Unquote(literal.Value)
		if err == nil && strings.Contains(text, " ") && !statement.MatchString(text) {
			texts = append(texts, prose{line: set.Position(literal.Pos()).Line, text: text, isError: arguments[literal]})
		}
		return true
	})
	return texts, nil
}

// printLanguage prints the counts of folders and files, and each finding.
func printLanguage(found []finding) {
	folders, files := map[string]int{}, map[string]int{}
	for _, f := range found {
		fmt.Println(f)
		folders[path.Dir(f.file)]++
		files[f.file]++
	}
	for _, counts := range []map[string]int{folders, files} {
		for _, name := range slices.Sorted(maps.Keys(counts)) {
			fmt.Printf("%6d %s\n", counts[name], name)
		}
	}
}
