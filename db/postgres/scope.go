package postgres

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"storefront/db"
)

// scoped is a statement that is restricted to one tenant.
type scoped struct {
	text   string // for PostgreSQL; the last parameter is the tenant's number
	params int    // number of the caller's parameters
	syntax db.Syntax
	tables []string // that it reads
}

// scope translates a statement of the common subset so that it reads and writes the rows of one
// tenant alone. It refuses what it does not understand: each name in the position of a table must
// be a table of the schema, which it restricts, or a name that WITH defines. Errors:
// [db.ErrStatement].
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
	defined map[string]bool // names that WITH defines
	tables  []string        // that the statement reads
}

// errScope returns the error for a statement at the current token.
func (sc *scoper) errScope(what string) error {
	if sc.at < len(sc.tokens) {
		return fmt.Errorf("%s at %q", what, sc.tokens[sc.at].text)
	}
	return errors.New(what + " at the end")
}

// peek returns a token that follows, an empty one behind the end.
func (sc *scoper) peek(n int) token {
	if sc.at+n < len(sc.tokens) {
		return sc.tokens[sc.at+n]
	}
	return token{kind: symbol}
}

func (sc *scoper) done() bool { return sc.at >= len(sc.tokens) }

// copy writes the next token.
func (sc *scoper) copy() {
	t := sc.tokens[sc.at]
	sc.at++
	if t.kind == mark {
		sc.marks++
		t.text = "$" + strconv.Itoa(sc.marks)
	}
	sc.write(t)
}

func (sc *scoper) write(t token) {
	if sc.out.Len() > 0 && spaced(sc.last, t) {
		sc.out.WriteByte(' ')
	}
	t.write(&sc.out)
	sc.last = t
}

// add writes text that is not the caller's.
func (sc *scoper) add(s string) { sc.write(token{kind: text, text: s}) }

// param returns the parameter with the tenant's number.
func (sc *scoper) param() string { return "$" + strconv.Itoa(sc.shop) }

// expect copies the next tokens, which must be those words.
func (sc *scoper) expect(words ...string) error {
	for _, w := range words {
		if !sc.peek(0).is(w) {
			return sc.errScope("want " + strings.ToUpper(w))
		}
		sc.copy()
	}
	return nil
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

// part is what the tokens between two parentheses, or of the whole statement, are.
type part int

const (
	expression part = iota
	query           // SELECT or VALUES
	inserted        // a query whose rows are inserted
	joined          // tables in a FROM clause
	tail            // what follows SET in an UPDATE, or the table in a DELETE
)

// parentheses copies what is in parentheses, which may be a query where an expression is expected.
func (sc *scoper) parentheses(p part) error {
	sc.copy()
	switch {
	case sc.peek(0).is("select", "values"):
		p = query
	case p == query:
		return sc.errScope("want a query")
	case p != joined:
		p = expression
	}
	if err := sc.clauses(p); err != nil {
		return err
	}
	if !sc.peek(0).is(")") {
		return sc.errScope("want )")
	}
	sc.copy()
	return nil
}

// clauses copies tokens up to the end of the statement or to an unmatched parenthesis. In a tail it
// also ends at RETURNING and at ON, in an inserted query at both.
func (sc *scoper) clauses(p part) error {
	from := false // in a FROM clause
	if p == joined {
		from = true
		if err := sc.item(); err != nil {
			return err
		}
	}
	selects := 0
	for !sc.done() {
		t := sc.peek(0)
		switch {
		case t.is(")"):
			return nil
		case t.is("("):
			if err := sc.open(p); err != nil {
				return err
			}
		case (p == inserted || p == tail) && t.is("returning"), p == inserted && t.is("on") && sc.peek(1).is("conflict"):
			return nil
		case t.is("select", "values"):
			if p != query && p != inserted {
				return sc.errScope("no query expected")
			}
			from = false
			selects++
			if err := sc.selectKeyword(p); err != nil {
				return err
			}
		case t.is("from"):
			if sc.isDistinctFrom() {
				sc.copy()
				continue
			}
			if p != query && p != inserted || selects == 0 {
				return sc.errScope("no FROM expected")
			}
			sc.copy()
			from = true
			if err := sc.item(); err != nil {
				return err
			}
		case from && t.is("cross") && sc.crossHasCondition():
			sc.at++ // SQLite joins in that order, PostgreSQL has statistics
		case from && t.is(",", "join"):
			sc.copy()
			if err := sc.item(); err != nil {
				return err
			}
		case t.is("where", "group", "having", "window", "order", "limit", "union", "except", "intersect"):
			from = false
			sc.copy()
		default:
			if err := sc.token(); err != nil {
				return err
			}
		}
	}
	return nil
}

// open translates what is in parentheses at the current token.
func (sc *scoper) open(p part) error {
	if p == inserted && (sc.last.is("values") || sc.last.is(",") && sc.inValues()) {
		return sc.valuesRow()
	}
	before := token{kind: symbol}
	if sc.at > 0 {
		before = sc.tokens[sc.at-1]
	}
	if before.kind == word && !before.isKeyword() && !functions[before.text] {
		return sc.errScope("function " + before.text + " is not allowed")
	}
	return sc.parentheses(expression)
}

// inValues reports whether the last statement part at this level is VALUES: behind its rows only
// further rows follow a comma.
func (sc *scoper) inValues() bool {
	depth := 0
	for i := sc.at - 1; i >= 0; i-- {
		switch t := sc.tokens[i]; {
		case t.is(")"):
			depth++
		case t.is("("):
			depth--
		case depth == 0 && t.is("values"):
			return true
		case depth == 0 && !t.is(","):
			return false
		}
	}
	return false
}

// valuesRow copies a row of VALUES in an INSERT, with the tenant's number in front.
func (sc *scoper) valuesRow() error {
	sc.copy()
	sc.add(sc.param() + ",")
	if sc.peek(0).is(")", "select", "values") {
		return sc.errScope("want a value")
	}
	if err := sc.clauses(expression); err != nil {
		return err
	}
	return sc.expect(")")
}

// selectKeyword copies SELECT, with the tenant's number as first column of inserted rows.
func (sc *scoper) selectKeyword(p part) error {
	isSelect := sc.peek(0).is("select")
	sc.copy()
	if isSelect && sc.peek(0).is("distinct", "all") {
		sc.copy()
		if sc.peek(0).is("on") {
			return sc.errScope("no DISTINCT ON expected")
		}
	}
	if isSelect && p == inserted {
		sc.add(sc.param() + ",")
	}
	return nil
}

// isDistinctFrom reports whether FROM is that of IS DISTINCT FROM.
func (sc *scoper) isDistinctFrom() bool {
	if sc.at < 2 || !sc.tokens[sc.at-1].is("distinct") {
		return false
	}
	return sc.tokens[sc.at-2].is("is") || sc.at > 2 && sc.tokens[sc.at-2].is("not") && sc.tokens[sc.at-3].is("is")
}

// crossHasCondition reports whether ON follows a CROSS JOIN and its table.
func (sc *scoper) crossHasCondition() bool {
	i := 3 // behind CROSS JOIN table
	if sc.peek(i).is("as") {
		i++
	}
	if t := sc.peek(i); t.kind == word && !t.isKeyword() {
		i++
	}
	return sc.peek(i).is("on")
}

// item translates an item of a FROM clause.
func (sc *scoper) item() error {
	t := sc.peek(0)
	switch {
	case t.is("("):
		if sc.peek(1).is("select", "values") {
			return sc.parentheses(query)
		}
		return sc.parentheses(joined)
	case t.kind != word || t.isKeyword() || sc.peek(1).is("(", "."):
		return sc.errScope("want a table")
	case sc.defined[t.text]:
		sc.copy()
		return nil
	case sc.schema.tables[t.text] == nil:
		return sc.errScope("unknown table")
	}
	sc.at++
	sc.tables = append(sc.tables, t.text)
	sc.add("(SELECT * FROM " + t.text + " WHERE " + shopColumn + " = " + sc.param() + ")")
	if sc.peek(0).is("as") {
		sc.at++
	}
	if alias := sc.peek(0); alias.kind == word && !alias.isKeyword() {
		sc.copy()
		return nil
	}
	sc.write(token{kind: word, text: t.text})
	return nil
}

// token copies a token of an expression or between clauses.
func (sc *scoper) token() error {
	t := sc.peek(0)
	switch {
	case t.is("+") && sc.isUnary(): // for SQLite, which then uses no index; not defined for text
		sc.at++
		return nil
	case t.is("*") && (sc.isUnary() && !sc.last.is("(") || sc.last.is(".") || sc.last.is("(") && !sc.peek(1).is(")")):
		return sc.errScope("columns must be named")
	case t.is("::") && !castTypes[sc.peek(1).text]:
		return sc.errScope("type is not allowed")
	case t.is("in") && !sc.peek(1).is("("):
		return sc.errScope("want a list")
	case t.is("join"), t.kind == word && !t.quoted && refusedWords[t.text]:
		return sc.errScope("not allowed")
	}
	sc.copy()
	return nil
}

// isUnary reports whether the operator at the current token has no operand before it.
func (sc *scoper) isUnary() bool {
	if sc.last.kind == text {
		return strings.HasSuffix(sc.last.text, "(") || strings.HasSuffix(sc.last.text, ",")
	}
	return sc.last.kind == symbol && !sc.last.is(")") || sc.last.isKeyword() && !sc.last.is("end", "null")
}

// insert translates INSERT INTO.
func (sc *scoper) insert() error {
	if err := sc.expect("insert", "into"); err != nil {
		return err
	}
	if _, err := sc.target(); err != nil {
		return err
	}
	if sc.peek(0).is("(") {
		at := sc.out.Len()
		if err := sc.names(); err != nil {
			return err
		}
		sc.prefixNames(at)
	}
	if !sc.peek(0).is("select", "values") {
		return sc.errScope("want VALUES or SELECT")
	}
	if err := sc.clauses(inserted); err != nil {
		return err
	}
	if sc.peek(0).is("on") {
		if err := sc.conflict(); err != nil {
			return err
		}
	}
	return sc.returning()
}

// prefixNames inserts the shop's column into a list of names that was written from at.
func (sc *scoper) prefixNames(at int) {
	all := sc.out.String()
	before, names := all[:at], strings.TrimPrefix(strings.TrimLeft(all[at:], " "), "(")
	sc.out.Reset()
	sc.out.WriteString(before + " (" + shopColumn + ", " + names)
}

// conflict translates ON CONFLICT.
func (sc *scoper) conflict() error {
	if err := sc.expect("on", "conflict"); err != nil {
		return err
	}
	if sc.peek(0).is("(") {
		at := sc.out.Len()
		if err := sc.names(); err != nil {
			return err
		}
		sc.prefixNames(at)
	}
	for !sc.done() && !sc.peek(0).is("do") { // the condition of a partial index
		if !sc.peek(0).is("where") && sc.last.is("conflict") {
			return sc.errScope("want DO")
		}
		if err := sc.conditionToken(); err != nil {
			return err
		}
	}
	if err := sc.expect("do"); err != nil {
		return err
	}
	if sc.peek(0).is("nothing") {
		sc.copy()
		return nil
	}
	if err := sc.expect("update", "set"); err != nil {
		return err
	}
	return sc.clauses(tail)
}

// conditionToken copies a token or what is in parentheses.
func (sc *scoper) conditionToken() error {
	switch {
	case sc.peek(0).is(")"):
		return sc.errScope("not expected")
	case sc.peek(0).is("("):
		return sc.open(expression)
	}
	return sc.token()
}

// target copies the table that a statement writes and returns its name or alias.
func (sc *scoper) target() (name string, err error) {
	t := sc.peek(0)
	if t.kind != word || sc.schema.tables[t.text] == nil || sc.peek(1).is(".") {
		return "", sc.errScope("unknown table")
	}
	sc.copy()
	if sc.peek(0).is("as") {
		sc.copy()
		t = sc.peek(0)
		if t.kind != word || t.isKeyword() {
			return "", sc.errScope("want an alias")
		}
		sc.copy()
	} else if alias := sc.peek(0); alias.kind == word && !alias.isKeyword() {
		t = alias
		sc.copy()
	}
	return t.text, nil
}

func (sc *scoper) update() error {
	if err := sc.expect("update"); err != nil {
		return err
	}
	name, err := sc.target()
	if err != nil {
		return err
	}
	if err := sc.expect("set"); err != nil {
		return err
	}
	return sc.restricted(name)
}

func (sc *scoper) delete() error {
	if err := sc.expect("delete", "from"); err != nil {
		return err
	}
	name, err := sc.target()
	if err != nil {
		return err
	}
	return sc.restricted(name)
}

// restricted copies the rest of an UPDATE or DELETE, and restricts the table that it writes.
func (sc *scoper) restricted(name string) error {
	condition := `"` + name + `".` + shopColumn + " = " + sc.param()
	where := false
	for !sc.done() && !sc.peek(0).is("returning") {
		switch t := sc.peek(0); {
		case t.is("where"):
			if where {
				return sc.errScope("not expected")
			}
			where = true
			sc.copy()
			sc.add(condition + " AND (")
		case t.is("from", "using") && !sc.isDistinctFrom(), t.is("select", "values", "with"):
			return sc.errScope("not expected")
		default:
			if err := sc.conditionToken(); err != nil {
				return err
			}
		}
	}
	if where {
		sc.add(")")
	} else {
		sc.add("WHERE " + condition)
	}
	return sc.returning()
}

// returning copies RETURNING, if the statement has it.
func (sc *scoper) returning() error {
	if sc.done() {
		return nil
	}
	if err := sc.expect("returning"); err != nil {
		return err
	}
	for !sc.done() {
		if sc.peek(0).is("from", "where", "select", "values") {
			return sc.errScope("not expected")
		}
		if err := sc.conditionToken(); err != nil {
			return err
		}
	}
	return nil
}
