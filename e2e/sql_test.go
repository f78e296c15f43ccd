package e2e_test

import (
	"go/ast"
	"go/token"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// sqlText matches the text of a statement or a part of one.
var sqlText = regexp.MustCompile(
	`^\s*(?:SELECT|INSERT|UPDATE|DELETE|WITH|VALUES|FROM|WHERE|ON CONFLICT|RETURNING|ORDER BY|LIMIT|SET|AND|OR|(?:LEFT )?JOIN)\s`)

// sqlString matches a string in a statement.
var sqlString = regexp.MustCompile(`'[^']*'`)

// sqlOfOneEngine lists what a statement must not contain, because SQLite and PostgreSQL differ in
// it, and what to write instead.
var sqlOfOneEngine = []struct {
	pattern *regexp.Regexp
	instead string
}{
	{regexp.MustCompile(`(?i)\bINSERT\s+OR\b|\bREPLACE\s+INTO\b|\bUPDATE\s+OR\b`), "ON CONFLICT"},
	{regexp.MustCompile(`(?i)\b(?:last_insert_rowid|total_changes|changes)\s*\(|\b_?rowid\b|\boid\b`),
		"keys generated in Go, and the number of affected rows"},
	{regexp.MustCompile(`(?i)\b(?:date|time|datetime|julianday|strftime|unixepoch|timediff|now|age|extract)\s*\(|\bCURRENT_(?:TIME|DATE|TIMESTAMP)\b`),
		"times from Go, in milliseconds"},
	{regexp.MustCompile(`(?i)\b(?:random|randomblob|gen_random_uuid)\s*\(`), "random values from Go"},
	{regexp.MustCompile(`(?i)\b(?:ifnull|iif|typeof|printf|format|instr|group_concat|string_agg|total|hex|quote|unhex|zeroblob|likely|unlikely)\s*\(`),
		"COALESCE, CASE, or Go"},
	{regexp.MustCompile(`(?i)\bjsonb?_\w+\s*\(|->`), "JSON that is read in Go"},
	{regexp.MustCompile(`(?i)\b(?:GLOB|REGEXP|MATCH|ILIKE|SIMILAR|COLLATE)\b`), "keys folded in Go, and LIKE after lower()"},
	{regexp.MustCompile(`(?i)(?:[^)y]|[^e]y|[^k]ey|[^_]key)\s+LIKE\b`), "lower(column) LIKE, or a folded _key, since only SQLite ignores case"},
	{regexp.MustCompile(`(?i)\b(?:MAX|MIN)\s*\([^()]*,`), "CASE: with several arguments PostgreSQL has GREATEST and LEAST"},
	{regexp.MustCompile(`(?i)\b(?:MAX|MIN|SUM|AVG|COUNT)\s*\(\s*[\w.]+\s*(?:=|<|>)`),
		"CASE WHEN … THEN 1 ELSE 0 END: PostgreSQL has no sums of booleans"},
	{regexp.MustCompile(`(?i)\bINDEXED\s+BY\b|\bNOT\s+INDEXED\b`), "an expression such as +column"},
	{regexp.MustCompile(`(?i)\b(?:PRAGMA|ATTACH|DETACH|VACUUM|REINDEX|ANALYZE|CREATE|DROP|ALTER|TRUNCATE|GRANT)\s`), "the store's own methods"},
	{regexp.MustCompile(`(?i)\bLIMIT\s+-|\bLIMIT\s+[\w?]+\s*,`), "LIMIT ? OFFSET ?"},
	{regexp.MustCompile(`==|\?\d|[:@$][A-Za-z]\w*`), "=, and ? placeholders"},
	{regexp.MustCompile(`(?i)\bIS\s+(?:NOT\s+)?[^NDnd\s]`), "IS NOT DISTINCT FROM"},
	{regexp.MustCompile("[`\\[\"]"), "names that need no quotes"},
	{regexp.MustCompile(`(?is)\bINSERT\b.*\bSELECT\b.*\bDO\s+NOTHING\b`), "two statements: some engines count the rows that conflict as affected"},
}

// searchIndexes are the files with the statements of the full-text indexes, which are different in
// each engine.
var searchIndexes = []string{"shop/catalogue/search_query.go", "shop/order/search_query.go"}

// Statements run on SQLite and PostgreSQL, see the rules in package db.
func TestSQL_CommonSubset(t *testing.T) {
	t.Parallel()
	set, files := sources(t)
	statements := 0
	for _, file := range files {
		if file.test || slices.Contains(searchIndexes, file.path) || !strings.HasPrefix(file.pkg, "shop") {
			continue
		}
		ast.Inspect(file.File, func(n ast.Node) bool {
			text, ok := constantText(n)
			if !ok {
				return true
			}
			if sqlText.MatchString(text) {
				statements++
				for _, problem := range foreignSQL(text) {
					t.Errorf("%s: %s", set.Position(n.Pos()), problem)
				}
			}
			_, whole := n.(*ast.BinaryExpr)
			return !whole // its parts belong to it
		})
	}
	if least := 250; statements < least {
		t.Errorf("got %d statements, want at least %d: the test does not find them", statements, least)
	}
}

func TestSQL_CommonSubset_Rules(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		"INSERT OR IGNORE INTO items VALUES (?)", "SELECT last_insert_rowid()", "SELECT datetime('now')", "SELECT ifnull(a, b) FROM items",
		"SELECT a->>'$.b' FROM items", "SELECT id FROM items WHERE name LIKE ?", "SELECT MAX(a, b) FROM items", "SELECT SUM(kind = 'x') FROM items",
		"SELECT id FROM items INDEXED BY i", "SELECT id FROM items LIMIT -1", "SELECT id FROM items WHERE a = ?1", "SELECT id FROM items WHERE a IS ?",
		`SELECT "id" FROM items`, "INSERT INTO a (x)\nSELECT y FROM b\nWHERE z = ?\nON CONFLICT (x) DO NOTHING", "SELECT rowid FROM items",
		"SELECT id FROM items WHERE name GLOB ?", "UPDATE items SET at = CURRENT_TIMESTAMP", "SELECT abs(random()) FROM items",
	} {
		if got := foreignSQL(text); len(got) != 1 {
			t.Errorf("%s: got %q, want one problem", text, got)
		}
	}
	for _, text := range []string{
		"SELECT id, MAX(at) FROM items WHERE lower(name) LIKE lower(?) ESCAPE '\\' AND note IS NOT NULL AND a IS NOT DISTINCT FROM ?",
		"INSERT INTO items (id, stock) VALUES (?, ?) ON CONFLICT (id) DO UPDATE SET stock = items.stock + excluded.stock",
	} {
		if got := foreignSQL(text); len(got) != 0 {
			t.Errorf("%s: got %q, want no problem", text, got)
		}
	}
}

// foreignSQL returns what is wrong with a statement of which one engine would not run, or would run
// differently.
func foreignSQL(text string) []string {
	text = sqlString.ReplaceAllString(text, "''")
	var problems []string
	for _, rule := range sqlOfOneEngine {
		if found := rule.pattern.FindString(text); found != "" {
			problems = append(problems, strconv.Quote(strings.TrimSpace(found))+" differs between the engines: use "+rule.instead)
		}
	}
	return problems
}

// constantText returns the text of a string literal, or of a concatenation that begins with one. In
// place of its other operands there is a space.
func constantText(n ast.Node) (text string, ok bool) {
	switch n := n.(type) {
	case *ast.BasicLit:
		if n.Kind != token.STRING {
			return "", false
		}
		text, err := strconv.Unquote(n.Value)
		return text, err == nil
	case *ast.BinaryExpr:
		if n.Op != token.ADD {
			return "", false
		}
		left, ok := constantText(n.X)
		if !ok {
			return "", false
		}
		right, ok := constantText(n.Y)
		if !ok {
			right = " "
		}
		return left + right, true
	}
	return "", false
}
