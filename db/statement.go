package db

import "strings"

// verb is what a statement does, as far as the store must know.
type verb int

const (
	verbOther  verb = iota // not for transactions
	verbRead               // writes nothing
	verbChange             // writes if rows are affected or returned
	verbWith               // may do either
)

// verbOf looks at the statement's first word. SQLite knows better, but does
// not tell through the driver.
func parseVerb(query string) verb {
	q := skipBlank(query)
	if !isSingleStatement(q) {
		return verbOther
	}
	word := q
	if i := strings.IndexFunc(q, func(r rune) bool { return !isLetter(r) }); i >= 0 {
		word = q[:i]
	}
	switch strings.ToUpper(word) {
	case "SELECT", "VALUES", "EXPLAIN":
		return verbRead
	case "INSERT", "UPDATE", "DELETE":
		return verbChange
	case "WITH":
		return verbWith
	}
	return verbOther
}

func isLetter(r rune) bool { return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' }

// single reports whether nothing but blanks follows the first semicolon that
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

// skipBlank drops leading white space and comments.
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
