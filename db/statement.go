package db

import "strings"

// Syntax describes the effects of a statement.
type Syntax struct {
	Verb  Verb
	Table string // that the statement writes, "" if unknown
}

// Verb classifies a statement by its effects.
type Verb int

const (
	VerbOther  Verb = iota // not permitted in a transaction
	VerbRead               // writes nothing
	VerbChange             // writes if rows are affected or returned
	VerbWith               // may or may not write
)

// ParseSyntax returns the effects that a statement may have.
func ParseSyntax(query string) Syntax {
	syntax := Syntax{Verb: parseVerb(query)}
	if syntax.Verb == VerbChange {
		syntax.Table = writtenTable(query)
	}
	return syntax
}

// parseVerb classifies a statement by its first keyword, since drivers do not expose
// their own classification.
func parseVerb(query string) Verb {
	q := skipBlank(query)
	if !isSingleStatement(q) {
		return VerbOther
	}
	keyword := q
	if i := strings.IndexFunc(q, func(r rune) bool { return !isLetter(r) }); i >= 0 {
		keyword = q[:i]
	}
	switch strings.ToUpper(keyword) {
	case "SELECT", "VALUES", "EXPLAIN":
		return VerbRead
	case "INSERT", "UPDATE", "DELETE":
		return VerbChange
	case "WITH":
		return VerbWith
	}
	return VerbOther
}

func isLetter(r rune) bool { return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' }

// isSingleStatement reports whether only white space and comments follow the first semicolon that
// is neither quoted nor in a comment.
func isSingleStatement(q string) bool {
	for i := 0; i < len(q); {
		switch c := q[i]; {
		case c == ';':
			return skipBlank(q[i+1:]) == ""
		case c == '\'' || c == '"' || c == '`':
			end := strings.IndexByte(q[i+1:], c)
			if end < 0 {
				return true // SQLite will refuse it
			}
			i += end + 2
		case strings.HasPrefix(q[i:], "--") || strings.HasPrefix(q[i:], "/*"):
			i = len(q) - len(skipBlank(q[i:]))
		default:
			i++
		}
	}
	return true
}

// skipBlank removes leading white space and comments.
func skipBlank(q string) string {
	for {
		q = strings.TrimLeft(q, " \t\r\n\f")
		end := ""
		switch {
		case strings.HasPrefix(q, "--"):
			end = "\n"
		case strings.HasPrefix(q, "/*"):
			end = "*/"
		default:
			return q
		}
		i := strings.Index(q[2:], end)
		if i < 0 {
			return ""
		}
		q = q[2+i+len(end):]
	}
}
