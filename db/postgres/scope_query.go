package postgres

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
