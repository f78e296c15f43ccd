package postgres

import "strings"

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

// prefixNames inserts the shop's column into the list of names that begins at the position at.
func (sc *scoper) prefixNames(at int) {
	all := sc.out.String()
	before, names := all[:at], strings.TrimPrefix(strings.TrimLeft(all[at:], " "), "(")
	sc.out.Reset()
	sc.out.WriteString(before + " (" + shopColumn + ", " + names)
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

// target copies the table of a writing statement and returns its name or alias.
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
