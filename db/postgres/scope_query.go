package postgres

// part is the role of the tokens between two parentheses, or of the whole statement.
type part int

const (
	expression part = iota
	query           // SELECT or VALUES
	inserted        // a query for the rows to insert
	joined          // tables in a FROM clause
	tail            // the tokens after SET in an UPDATE, or the table in a DELETE
)

// parentheses copies the content of parentheses, possibly a query in place of an expression.
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
	c := clauseReader{scoper: sc, part: p}
	if p == joined {
		c.from = true
		if err := sc.item(); err != nil {
			return err
		}
	}
	for !sc.done() && !c.ends() {
		if err := c.next(); err != nil {
			return err
		}
	}
	return nil
}

// clauseReader copies the clauses of a part.
type clauseReader struct {
	*scoper
	part part
	from bool // in a FROM clause
	rows bool // a SELECT or VALUES has begun
}

// ends reports whether the current token is behind the part.
func (c *clauseReader) ends() bool {
	switch t := c.peek(0); {
	case t.is("returning"):
		return c.part == inserted || c.part == tail
	case t.is("on"):
		return c.part == inserted && c.peek(1).is("conflict")
	default:
		return t.is(")")
	}
}

// next copies a token, with what belongs to it.
func (c *clauseReader) next() error {
	switch t := c.peek(0); {
	case t.is("("):
		return c.open(c.part)
	case t.is("select", "values"):
		return c.beginRows()
	case t.is("from") && c.isDistinctFrom():
		c.copy()
	case t.is("from"):
		return c.beginFrom()
	case c.from && t.is("cross") && c.crossHasCondition():
		c.at++ // SQLite joins in that order, PostgreSQL has statistics
	case c.from && t.is(",", "join"):
		c.copy()
		return c.item()
	case t.is("where", "group", "having", "window", "order", "limit", "union", "except", "intersect"):
		c.from = false
		c.copy()
	default:
		return c.token()
	}
	return nil
}

// beginRows copies SELECT or VALUES, with the tenant's number as first column of inserted rows.
func (c *clauseReader) beginRows() error {
	if c.part != query && c.part != inserted {
		return c.errScope("no query expected")
	}
	c.from, c.rows = false, true
	isSelect := c.peek(0).is("select")
	c.copy()
	if isSelect && c.peek(0).is("distinct", "all") {
		c.copy()
		if c.peek(0).is("on") {
			return c.errScope("no DISTINCT ON expected")
		}
	}
	if isSelect && c.part == inserted {
		c.add(c.param() + ",")
	}
	return nil
}

// beginFrom copies FROM and its first item.
func (c *clauseReader) beginFrom() error {
	if !c.rows {
		return c.errScope("no FROM expected")
	}
	c.copy()
	c.from = true
	return c.item()
}

// isDistinctFrom reports whether FROM belongs to IS DISTINCT FROM.
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
