package postgres

import (
	"errors"
	"strings"
)

// kind is the kind of a token.
type kind int

const (
	word   kind = iota // a keyword or a name, in lower case unless it is quoted
	text               // a string, quotes included
	number             //
	mark               // the placeholder ?
	symbol             // an operator or punctuation
	option             // text in double quotes that is not a name, as in the options of a full-text table
)

// token is a token of a statement or of a schema.
type token struct {
	kind   kind
	text   string
	quoted bool // a name in double quotes, which is never a keyword
}

var errToken = errors.New("the text is not in the common subset of SQL")

// symbols of two characters.
var symbols = []string{"<=", ">=", "<>", "!=", "||", "::", "@@"}

// tokenize returns the tokens of a text in the subset of SQL that both engines have, without white
// space and comments. It refuses everything else, such as dollar quotes.
func tokenize(s string) ([]token, error) {
	var tokens []token
	for {
		s = skipBlank(s)
		if s == "" {
			return tokens, nil
		}
		t, n, err := nextToken(s)
		if err != nil {
			return nil, err
		}
		tokens = append(tokens, t)
		s = s[n:]
	}
}

// nextToken returns the first token of s and how many bytes it has.
func nextToken(s string) (token, int, error) {
	switch c := s[0]; {
	case strings.HasPrefix(s, "x'") || strings.HasPrefix(s, "X'"):
		return blobToken(s)
	case isWordStart(c):
		return wordToken(s)
	case isDigit(c):
		return numberToken(s)
	case c == '\'':
		return textToken(s)
	case c == '"':
		return quotedToken(s)
	case c == '?':
		return token{kind: mark, text: "?"}, 1, nil
	}
	return symbolToken(s)
}

func wordToken(s string) (token, int, error) {
	n := prefixLen(s, func(c byte) bool { return isWordStart(c) || isDigit(c) })
	if strings.HasPrefix(s[n:], "'") { // E'…', B'…', N'…': strings with other rules
		return token{}, 0, errToken
	}
	return token{kind: word, text: strings.ToLower(s[:n])}, n, nil
}

func numberToken(s string) (token, int, error) {
	n := prefixLen(s, func(c byte) bool { return isDigit(c) || c == '.' })
	if n < len(s) && isWordStart(s[n]) {
		return token{}, 0, errToken
	}
	return token{kind: number, text: s[:n]}, n, nil
}

// prefixLen returns how many bytes at the start of s are in a set.
func prefixLen(s string, in func(c byte) bool) int {
	n := 0
	for n < len(s) && in(s[n]) {
		n++
	}
	return n
}

func textToken(s string) (token, int, error) {
	n, err := quotedLen(s)
	if err != nil {
		return token{}, 0, err
	}
	if strings.IndexByte(s[:n], 0) >= 0 {
		return token{}, 0, errToken
	}
	return token{kind: text, text: s[:n]}, n, nil
}

// quotedToken returns a name in double quotes, or an option.
func quotedToken(s string) (token, int, error) {
	n, err := quotedLen(s)
	if err != nil {
		return token{}, 0, err
	}
	name := strings.ReplaceAll(s[1:n-1], `""`, `"`)
	if !isName(name) {
		return token{kind: option}, n, nil
	}
	return token{kind: word, text: name, quoted: true}, n, nil
}

func symbolToken(s string) (token, int, error) {
	for _, op := range symbols {
		if strings.HasPrefix(s, op) {
			return token{kind: symbol, text: op}, len(op), nil
		}
	}
	if strings.IndexByte("()+-*/%=<>,.;", s[0]) < 0 {
		return token{}, 0, errToken
	}
	return token{kind: symbol, text: s[:1]}, 1, nil
}

// blobToken returns a blob literal x'…' as a literal of PostgreSQL.
func blobToken(s string) (token, int, error) {
	n, err := quotedLen(s[1:])
	if err != nil {
		return token{}, 0, err
	}
	digits := s[2:n]
	if len(digits)%2 != 0 || strings.Trim(digits, "0123456789abcdefABCDEF") != "" {
		return token{}, 0, errToken
	}
	return token{kind: text, text: `'\x` + digits + `'::bytea`}, n + 1, nil
}

// quotedLen returns the length of the quoted text at the start of s. A doubled quote does not end
// it.
func quotedLen(s string) (int, error) {
	for i := 1; i < len(s); i++ {
		if s[i] != s[0] {
			continue
		}
		if i+1 < len(s) && s[i+1] == s[0] {
			i++
			continue
		}
		return i + 1, nil
	}
	return 0, errToken
}

func isWordStart(c byte) bool { return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c == '_' }

func isDigit(c byte) bool { return c >= '0' && c <= '9' }

// isName reports whether a name needs no quotes to be the same in both engines.
func isName(s string) bool {
	for i := range len(s) {
		if c := s[i]; !(c >= 'a' && c <= 'z' || c == '_' || i > 0 && isDigit(c)) {
			return false
		}
	}
	return s != ""
}

// skipBlank removes leading white space and comments. Comments do not nest: PostgreSQL's do, but
// none is ever sent.
func skipBlank(s string) string {
	for {
		s = strings.TrimLeft(s, " \t\r\n\f")
		end := ""
		switch {
		case strings.HasPrefix(s, "--"):
			end = "\n"
		case strings.HasPrefix(s, "/*"):
			end = "*/"
		default:
			return s
		}
		_, rest, _ := strings.Cut(s[2:], end)
		s = rest
	}
}

// is reports whether the token is that symbol or unquoted word.
func (t token) is(texts ...string) bool {
	if t.kind != word && t.kind != symbol || t.quoted {
		return false
	}
	for _, s := range texts {
		if t.text == s {
			return true
		}
	}
	return false
}

// join returns the text of tokens.
func join(tokens []token) string {
	var b strings.Builder
	for i, t := range tokens {
		if i > 0 && spaced(tokens[i-1], t) {
			b.WriteByte(' ')
		}
		t.write(&b)
	}
	return b.String()
}

// spaced reports whether a space separates two tokens. The space matters only between words and
// between operators.
func spaced(a, b token) bool {
	switch {
	case a.is(".", "(", "::") || b.is(".", ")", ",", "::"):
		return false
	case a.kind == word && b.is("("):
		return a.isKeyword()
	}
	return true
}

func (t token) write(b *strings.Builder) {
	if t.quoted {
		b.WriteString(`"` + t.text + `"`)
		return
	}
	b.WriteString(t.text)
}
