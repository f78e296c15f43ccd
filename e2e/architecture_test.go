package e2e_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
)

const module = "storefront"

// imports lists the packages of the project that a package may import. A folder without its own row
// follows the row of its top-level folder, and may import what is in there.
var imports = map[string][]string{
	".": {"cmd"},
	"cmd": {
		"server", "server/certificate", "site/check", "tenants", "tenants/album", "tenants/doctor", "provider/simulator", "replica",
		"shop", "shop/demo", "db",
	},
	"server":         {"server/certificate", "site", "site/orderpage", "graphql", "transport", "tenants", "prepared", "shop"},
	"graphql":        {"transport", "shop", "tenants", "prepared"},
	"transport":      {"shop"},
	"prepared":       {"shop"},
	"tenants":        {"tenants/album", "provider", "replica", "shop", "media", "bucket", "db", "db/sqlite", "db/postgres"},
	"tenants/doctor": {"tenants", "tenants/album", "provider", "replica", "shop", "db", "db/sqlite"},
	"tenants/album":  {"provider", "replica", "shop", "media", "bucket", "db/sqlite"},
	"replica":        {"bucket", "db", "db/sqlite"},
	"media":          {"shop/picture"},
	"bucket":         {},
	"provider":       {"shop/plugin"},
	"shop":           {"db"},
	"shop/access":    {"db", "shop/locale"},
	"shop/dispatch":  {},
	"shop/queue":     {"db"},
	"shop/district":  {"shop/fault", "shop/input"},
	"shop/fault":     {},
	"shop/input":     {"shop/fault", "shop/phone"},
	"shop/money":     {},
	"shop/picture":   {},
	"shop/page":      {"shop/fault"},
	"shop/password":  {"shop/fault", "shop/phone"},
	"shop/phone":     {},
	"shop/account": {
		"db", "shop/access", "shop/fault", "shop/input", "shop/locale", "shop/onetime", "shop/outbox", "shop/page",
		"shop/passkey", "shop/password", "shop/phone", "shop/secret", "shop/sender", "shop/sequence", "shop/throttle",
	},
	"shop/sender": {
		"db", "shop/access", "shop/fault", "shop/input", "shop/locale", "shop/outbox", "shop/phone", "shop/secret",
	},
	"shop/intake":  {"shop/district", "shop/input", "shop/phone"},
	"shop/locale":  {},
	"shop/design":  {"db", "shop/access", "shop/fault", "shop/input", "shop/locale", "shop/secret"},
	"shop/content": {"db", "shop/access", "shop/fault", "shop/input", "shop/page"},
	"shop/review": {
		"db", "shop/access", "shop/catalogue", "shop/fault", "shop/input", "shop/page", "shop/sequence", "shop/throttle",
	},
	"shop/message": {
		"db", "shop/access", "shop/fault", "shop/input", "shop/locale", "shop/money", "shop/outbox", "shop/page",
		"shop/plan", "shop/plugin", "shop/queue", "shop/sender", "shop/status",
	},
	"shop/outbox": {"db", "shop/sequence"},
	"shop/conversion": {
		"db", "shop/access", "shop/campaign", "shop/dispatch", "shop/fault", "shop/input", "shop/money", "shop/outbox", "shop/page", "shop/queue",
		"shop/secret", "shop/sequence", "shop/status",
	},
	"shop/endpoint": {
		"db", "shop/access", "shop/dispatch", "shop/fault", "shop/input", "shop/outbox", "shop/page", "shop/queue", "shop/secret", "shop/sequence",
	},
	"shop/notify": {
		"db", "shop/access", "shop/dispatch", "shop/fault", "shop/input", "shop/outbox", "shop/queue", "shop/secret", "shop/sequence",
	},
	"shop/job":      {"db", "shop/access", "shop/dispatch", "shop/fault", "shop/outbox", "shop/page", "shop/queue", "shop/sequence"},
	"shop/secret":   {"db", "shop/sequence"},
	"shop/sequence": {"db"},
	"shop/catalogue": {
		"db", "shop/access", "shop/catalogue/productfile", "shop/fault", "shop/fulltext", "shop/input", "shop/locale",
		"shop/money", "shop/outbox", "shop/page", "shop/picture", "shop/plan", "shop/sequence", "shop/timezone", "shop/translation",
	},
	"shop/catalogue/productfile": {"shop/fault", "shop/input", "shop/money", "shop/timezone"},

	"shop/onetime":  {"db", "shop/fault", "shop/phone"},
	"shop/passkey":  {"db", "shop/fault", "shop/throttle"},
	"shop/timezone": {},
	"shop/status":   {},
	"shop/live":     {"db", "shop/access", "shop/fault", "shop/outbox"},
	"shop/inbox":    {"db", "shop/access", "shop/fault", "shop/input", "shop/outbox", "shop/page", "shop/plugin", "shop/sequence"},
	"shop/cash": {
		"db", "shop/access", "shop/fault", "shop/input", "shop/money", "shop/outbox", "shop/page", "shop/plugin", "shop/sequence", "shop/status",
	},
	"shop/campaign": {"db", "shop/access", "shop/fault", "shop/input", "shop/money", "shop/page", "shop/status"},
	"shop/sales": {
		"db", "shop/access", "shop/campaign", "shop/district", "shop/fault", "shop/input", "shop/money", "shop/outbox", "shop/page", "shop/status",
		"shop/timezone",
	},
	"shop/order": {
		"db", "shop/access", "shop/account", "shop/campaign", "shop/cash", "shop/catalogue", "shop/conversion", "shop/district",
		"shop/fault", "shop/fulltext", "shop/inbox",
		"shop/input", "shop/intake", "shop/job", "shop/locale", "shop/message", "shop/money", "shop/outbox", "shop/page", "shop/phone", "shop/plugin",
		"shop/review", "shop/sales", "shop/secret", "shop/sequence", "shop/staff", "shop/status", "shop/throttle", "shop/translation",
	},
	"shop/incident": {"db", "shop/access", "shop/fault", "shop/input", "shop/sequence"},
	"shop/plan":     {"db", "shop/access", "shop/fault", "shop/input", "shop/outbox", "shop/timezone"},
	"shop/plugin":   {"db", "shop/input", "shop/locale", "shop/money", "shop/status"},
	"shop/staff": {
		"db", "shop/access", "shop/fault", "shop/input", "shop/onetime", "shop/outbox", "shop/page", "shop/passkey", "shop/password",
		"shop/phone", "shop/plan", "shop/secret", "shop/sequence", "shop/throttle",
	},
	"shop/throttle":    {"db", "shop/fault"},
	"shop/translation": {"db", "shop/access", "shop/fault", "shop/input", "shop/locale"},
	"shop/demo": {
		"shop", "shop/access", "shop/account", "shop/catalogue", "shop/fault", "shop/money", "shop/order", "shop/page", "shop/plugin",
		"shop/status",
	},
	"shop/shoptest":   {"shop", "db", "db/sqlite", "db/postgres", "db/dbtest"},
	"shop/fulltext":   {"db"},
	"db":              {},
	"db/sqlite":       {"db"},
	"db/postgres":     {"db"},
	"db/dbtest":       {"db", "db/postgres"},
	"e2e":             {"cmd", "tenants", "tenants/doctor", "shop", "replica", "media", "bucket", "provider", "provider/simulator", "db"},
	"e2e/browsertest": {"db/dbtest"},
	"deploy/sbom":     {},

	"server/certificate": {},
	"media/mediatest":    {"media", "shop/picture"},
	"site":               {"site/orderpage", "prepared", "shop"},
	"site/check":         {"shop"},
	"site/orderpage":     {"shop"},

	"provider/simulator": {"provider", "shop"}, // for development: nothing that serves a shop imports it
}

// domain lists the packages that a package may import if it may import shop, or shop/plugin. The
// latter does not permit shop/order.
var domain = []string{
	"shop/access", "shop/account", "shop/campaign", "shop/cash", "shop/catalogue", "shop/catalogue/productfile",
	"shop/content", "shop/conversion", "shop/design", "shop/dispatch",
	"shop/district", "shop/endpoint", "shop/fault", "shop/fulltext",
	"shop/inbox", "shop/incident",
	"shop/input", "shop/intake", "shop/job", "shop/live", "shop/locale", "shop/message", "shop/money", "shop/notify", "shop/order",
	"shop/outbox", "shop/page", "shop/passkey", "shop/password", "shop/phone", "shop/picture", "shop/plan", "shop/plugin", "shop/queue", "shop/review",
	"shop/sales",
	"shop/secret", "shop/sender", "shop/sequence", "shop/staff", "shop/status",
	"shop/throttle", "shop/timezone", "shop/translation",
}

// forTests may be imported by the tests of any package.
var forTests = []string{
	"db/dbtest", "db/postgres", "db/sqlite", "shop/shoptest", "shop/demo", "media/mediatest", "e2e/browsertest",
}

// alsoForTests lists what the tests of a package may import beyond that: what its interfaces are
// made for, and what the whole shop is filled with.
var alsoForTests = map[string][]string{
	"server/certificate": {"tenants", "shop/password"},
	"tenants":            {"tenants/doctor"},
	"shop/campaign":      {"shop/catalogue", "shop/plugin", "shop/sales"},
	"shop/cash":          {"shop/sales"},
	"shop/conversion":    {"shop/account", "shop/catalogue", "shop/order"},
	"shop/message":       {"shop/catalogue", "shop/review", "shop/translation"},
	"shop/order":         {"provider", "provider/couriera", "provider/courierb", "shop/sender"},
	"shop/queue":         {"shop/access", "shop/endpoint"},
	"shop/sales":         {"shop/catalogue", "shop/plugin"},
	"shop/staff":         {"shop/catalogue", "shop/notify"},
}

// owners lists the only packages that may import a third-party module, tests included.
var owners = map[string]string{
	"github.com/spf13/cobra":              "cmd",
	"github.com/coreos/go-systemd":        "cmd",
	"github.com/julienschmidt/httprouter": "server",
	"github.com/caddyserver/certmagic":    "server/certificate",
	"github.com/danielgtaylor/huma":       "server",
	"github.com/boombuler/barcode":        "server",
	"github.com/graph-gophers/graphql-go": "graphql",
	"github.com/maypok86/otter":           "prepared shop/catalogue",
	"github.com/klauspost/compress":       "prepared server", // server: its tests read what prepared wrote
	"github.com/golang-jwt/jwt":           "shop/account",
	"golang.org/x/crypto":                 "shop/password",
	"golang.org/x/image":                  "media",
	"modernc.org/sqlite":                  "db/sqlite",
	"modernc.org/libc":                    "db/sqlite",
	"github.com/jackc/pgx":                "db/postgres",
	"github.com/benbjohnson/litestream":   "replica bucket", // bucket: the settings of Litestream's client of S3
	"github.com/superfly/ltx":             "replica",
	"github.com/aws/aws-sdk-go-v2":        "bucket",
	"github.com/chromedp":                 "e2e/browsertest",
}

// sourceFile is one Go file of the project.
type sourceFile struct {
	*ast.File
	path string // with slashes, from the top
	pkg  string // folder
	test bool
}

// sources returns every Go file of the module, which nobody modifies.
func sources(t *testing.T) (*token.FileSet, []sourceFile) {
	t.Helper()
	parsed, err := parsedSources()
	if err != nil {
		t.Fatal(err)
	}
	if len(parsed.files) == 0 {
		t.Fatal("no Go files found")
	}
	return parsed.set, parsed.files
}

type moduleSources struct {
	set   *token.FileSet
	files []sourceFile
}

var parsedSources = sync.OnceValues(func() (moduleSources, error) {
	set := token.NewFileSet()
	var files []sourceFile
	top := os.DirFS("..")
	err := fs.WalkDir(top, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() {
			if base := d.Name(); base != "." && (strings.HasPrefix(base, ".") || base == "testdata" || base == "node_modules" || isModule(top, name)) {
				return fs.SkipDir
			}
			return nil
		}
		if !strings.HasSuffix(name, ".go") {
			return nil
		}
		text, err := fs.ReadFile(top, name)
		if err != nil {
			return err
		}
		file, err := parser.ParseFile(set, name, text, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		files = append(files, sourceFile{file, name, path.Dir(name), strings.HasSuffix(name, "_test.go")})
		return nil
	})
	return moduleSources{set, files}, err
})

// isModule reports whether a folder below the top is a module of its own.
func isModule(top fs.FS, folder string) bool {
	if folder == "." {
		return false
	}
	_, err := fs.Stat(top, path.Join(folder, "go.mod"))
	return err == nil
}

// The table in CONTRIBUTING.md states the same imports. Folders below another need no row there.
func TestImports_Documented(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../CONTRIBUTING.md")
	if err != nil {
		t.Fatal(err)
	}
	row := regexp.MustCompile("(?m)^\\| `([a-z0-9/.]+)`[^|]*\\|[^|]*\\| ([^|]+) \\|$")
	documented := map[string][]string{}
	for _, found := range row.FindAllStringSubmatch(string(text), -1) {
		folder := strings.Replace(found[1], "main.go", ".", 1)
		documented[folder] = []string{}
		if found[2] != "–" {
			documented[folder] = strings.Split(found[2], ", ")
		}
	}
	for folder, allowed := range imports {
		got, ok := documented[folder]
		if !ok && strings.Contains(folder, "/") {
			continue
		}
		slices.Sort(got)
		if want := slices.Sorted(slices.Values(allowed)); !ok || !slices.Equal(got, want) {
			t.Errorf("%s: got %v, want %v", folder, got, want)
		}
		delete(documented, folder)
	}
	for folder := range documented {
		t.Errorf("the table names %s, which has no row in this test", folder)
	}
}

func TestImports(t *testing.T) {
	t.Parallel()
	_, files := sources(t)
	for _, file := range files {
		allowed, ok := imports[rowOf(file.pkg)]
		if !ok {
			t.Errorf("%s: the package %s has no row in the table of imports", file.path, file.pkg)
			continue
		}
		for _, spec := range file.Imports {
			imported, err := strconv.Unquote(spec.Path.Value)
			if err != nil {
				t.Fatal(err)
			}
			ours, isOurs := strings.CutPrefix(imported, module+"/")
			switch {
			case imported == "os/exec" && !file.test && !strings.HasPrefix(file.pkg, "e2e") && !slices.Contains(forTests, file.pkg):
				// nothing can be injected into a command
				t.Errorf("%s: the program must not start others", file.path)
			case isOurs && file.test && (slices.Contains(forTests, ours) || ours == file.pkg):
			case isOurs && file.test && slices.Contains(alsoForTests[file.pkg], ours):
			case isOurs && file.test && (ours == "shop" || ours == "shop/order") && strings.HasPrefix(file.pkg, "shop/"): // tests of a part use the whole
			case isOurs && rowOf(ours) == rowOf(file.pkg):
			case isOurs && file.pkg == "shop" && slices.Contains(domain, ours):
			case isOurs && !isRoom(file.pkg) && (slices.Contains(allowed, "shop") || slices.Contains(allowed, "shop/plugin") && ours != "shop/order") &&
				slices.Contains(domain, ours):
			case isOurs && !slices.Contains(allowed, rowOf(ours)):
				t.Errorf("%s: %s may not import %s", file.path, file.pkg, ours)
			case !isOurs:
				if owners := ownersOf(imported); len(owners) > 0 && !slices.Contains(owners, rowOf(file.pkg)) {
					t.Errorf("%s: only %v may import %s", file.path, owners, imported)
				}
			}
		}
	}
}

// isRoom reports whether a package is a part of the domain, with a row of its own imports.
func isRoom(pkg string) bool {
	return strings.HasPrefix(pkg, "shop/") && !slices.Contains(forTests, pkg)
}

// rowOf returns the row of the table that applies to a package.
func rowOf(pkg string) string {
	if _, ok := imports[pkg]; ok {
		return pkg
	}
	top, _, _ := strings.Cut(pkg, "/")
	return top
}

func ownersOf(imported string) []string {
	for prefix, owners := range owners {
		if imported == prefix || strings.HasPrefix(imported, prefix+"/") {
			return strings.Fields(owners)
		}
	}
	return nil
}

// A transaction's function gets a context of its own, by which the store knows a nested
// transaction and refuses it. The outer context in there would wait for itself for ever.
func TestTransactions_OwnContext(t *testing.T) {
	t.Parallel()
	set, files := sources(t)
	for _, file := range files {
		if file.test { // the store's own tests do what is forbidden
			continue
		}
		ast.Inspect(file.File, func(n ast.Node) bool {
			fn, ok := n.(*ast.FuncLit)
			if !ok || !isTransactionFunc(fn.Type) {
				return true
			}
			if names := fn.Type.Params.List[0].Names; len(names) == 1 && names[0].Name == "ctx" {
				return true
			}
			ast.Inspect(fn.Body, func(n ast.Node) bool {
				if id, ok := n.(*ast.Ident); ok && id.Name == "ctx" {
					t.Errorf("%s: the outer ctx inside a transaction", set.Position(id.Pos()))
				}
				return true
			})
			return true
		})
	}
}

// isTransactionFunc reports whether a function is one that View and Update take, or Read and Write
// of package access.
func isTransactionFunc(fn *ast.FuncType) bool {
	params := fn.Params.List
	if len(params) != 2 {
		return false
	}
	return isTx(params[1].Type) || isTx(params[0].Type) && nameOf(params[1].Type) == "Staff"
}

func isTx(param ast.Expr) bool {
	_, isPointer := param.(*ast.StarExpr)
	return isPointer && nameOf(param) == "Tx"
}

var statement = regexp.MustCompile(`(?m)^\s*(SELECT|INSERT INTO|UPDATE \w+|DELETE FROM|CREATE TABLE|PRAGMA)\b`)

func TestSQL_Packages(t *testing.T) {
	t.Parallel()
	set, files := sources(t)
	for _, file := range files {
		top, _, _ := strings.Cut(file.pkg, "/")
		if file.test || top == "db" || top == "shop" {
			continue
		}
		ast.Inspect(file.File, func(n ast.Node) bool {
			literal, ok := n.(*ast.BasicLit)
			if !ok || literal.Kind != token.STRING {
				return true
			}
			if text, err := strconv.Unquote(literal.Value); err == nil && statement.MatchString(text) {
				t.Errorf("%s: SQL in the package %s", set.Position(literal.Pos()), file.pkg)
			}
			return true
		})
	}
}
