package postgres

import (
	"fmt"
	"slices"
	"strings"

	"storefront/db"
)

// scoped is a statement that is restricted to one tenant.
type scoped struct {
	text   string // for PostgreSQL; the last parameter is the tenant's number
	params int    // number of the caller's parameters
	syntax db.Syntax
	tables []string // read by the statement
}

// scope translates a statement of the common subset so that it reads and writes only the rows of
// one tenant. It refuses everything unknown: each name in the position of a table must be a table
// of the schema, which it restricts, or a name defined by WITH. Errors: [db.ErrStatement].
//
//	FROM orders o           → FROM (SELECT * FROM orders WHERE shop = $n) o
//	INSERT INTO items (id)  → INSERT INTO items (shop, id), and $n before each row's values
//	ON CONFLICT (id)        → ON CONFLICT (shop, id)
//	UPDATE items … WHERE x  → UPDATE items … WHERE items.shop = $n AND (x)
//
// PostgreSQL's planner merges the subqueries with the statement.
func scope(s *schema, query string) (*scoped, error) {
	refused := func(cause error) (*scoped, error) { return nil, fmt.Errorf("%w: %w", db.ErrStatement, cause) }
	tokens, err := tokenize(query)
	if err != nil {
		return refused(err)
	}
	if n := len(tokens); n > 0 && tokens[n-1].is(";") {
		tokens = tokens[:n-1]
	}
	sc := scoper{schema: s, tokens: tokens, defined: map[string]bool{}, shop: 1}
	for _, t := range tokens {
		if t.kind == mark {
			sc.shop++
		}
	}
	if err := sc.statement(); err != nil {
		return refused(err)
	}
	return &scoped{text: sc.out.String(), params: sc.shop - 1, syntax: db.ParseSyntax(query), tables: sc.tables}, nil
}

type scoper struct {
	schema  *schema
	tokens  []token
	at      int
	out     strings.Builder
	last    token           // the last one written
	marks   int             // placeholders written
	shop    int             // number of the parameter with the tenant's
	defined map[string]bool // names defined by WITH
	tables  []string        // read by the statement
}

func (sc *scoper) statement() error {
	for _, t := range sc.tokens {
		if t.kind == option || t.kind == word && t.text == shopColumn || t.is(";") {
			return fmt.Errorf("%q is not allowed", t.text)
		}
	}
	if sc.peek(0).is("explain") {
		sc.copy()
	}
	if sc.peek(0).is("with") {
		if err := sc.with(); err != nil {
			return err
		}
	}
	var err error
	switch t := sc.peek(0); {
	case t.is("select", "values"):
		err = sc.clauses(query)
	case t.is("insert"):
		err = sc.insert()
	case t.is("update"):
		err = sc.update()
	case t.is("delete"):
		err = sc.delete()
	default:
		err = sc.errScope("not a statement")
	}
	if err == nil && !sc.done() {
		err = sc.errScope("not expected")
	}
	return err
}

// with translates the definitions of WITH. They must not write.
func (sc *scoper) with() error {
	sc.copy()
	if sc.peek(0).is("recursive") {
		sc.copy()
	}
	for {
		name := sc.peek(0)
		if name.kind != word || name.isKeyword() || sc.reserved(name.text) {
			return sc.errScope("not a name for WITH")
		}
		sc.defined[name.text] = true
		sc.copy()
		if sc.peek(0).is("(") {
			if err := sc.names(); err != nil {
				return err
			}
		}
		if err := sc.expect("as"); err != nil {
			return err
		}
		if !sc.peek(0).is("(") || !sc.peek(1).is("select", "values") {
			return sc.errScope("want a query")
		}
		if err := sc.parentheses(query); err != nil {
			return err
		}
		if !sc.peek(0).is(",") {
			return nil
		}
		sc.copy()
	}
}

// reserved reports whether a name in the position of a table may be another table of the database.
func (sc *scoper) reserved(name string) bool {
	return sc.schema.tables[name] != nil || slices.Contains(engineTables, name) || strings.HasPrefix(name, "pg_")
}

// names copies a list of names in parentheses.
func (sc *scoper) names() error {
	sc.copy()
	for {
		if t := sc.peek(0); t.kind != word || t.isKeyword() {
			return sc.errScope("want a name")
		}
		sc.copy()
		if sc.peek(0).is(")") {
			sc.copy()
			return nil
		}
		if err := sc.expect(","); err != nil {
			return err
		}
	}
}
