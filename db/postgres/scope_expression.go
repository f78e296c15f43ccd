package postgres

import "strings"

// open translates the parentheses at the current token.
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

// conditionToken copies a token or parentheses.
func (sc *scoper) conditionToken() error {
	switch {
	case sc.peek(0).is(")"):
		return sc.errScope("not expected")
	case sc.peek(0).is("("):
		return sc.open(expression)
	}
	return sc.token()
}

// token copies a token of an expression or between clauses.
func (sc *scoper) token() error {
	t := sc.peek(0)
	switch {
	case t.is("+") && sc.isUnary(): // for SQLite, which then uses no index; not defined for text
		sc.at++
		return nil
	case t.is("*") && sc.isAllColumns():
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

// isAllColumns reports whether the * at the current token means all columns. In count(*) it does
// not.
func (sc *scoper) isAllColumns() bool {
	if sc.last.is("(") {
		return !sc.peek(1).is(")")
	}
	return sc.last.is(".") || sc.isUnary()
}

// isUnary reports whether the operator at the current token has no operand before it.
func (sc *scoper) isUnary() bool {
	if sc.last.kind == text {
		return strings.HasSuffix(sc.last.text, "(") || strings.HasSuffix(sc.last.text, ",")
	}
	return sc.last.kind == symbol && !sc.last.is(")") || sc.last.isKeyword() && !sc.last.is("end", "null")
}
