package graphql

import (
	"strconv"
	"strings"
)

// token is a kind of lexical token of a document: a punctuator, or one of the following.
type token byte

// The kinds of tokens that are not punctuators.
const (
	tokenEnd    token = 0
	tokenName   token = 'a'
	tokenNumber token = '0'
	tokenString token = '"'
	tokenSpread token = '.'
	tokenBad    token = '?'
)

// scanner splits a document into tokens. It rejects anything that the library's lexer would split
// in another way, so that measurement and validation agree.
type scanner struct {
	text       string
	start, end int // of the current token
	kind       token
	badEscape  bool // set if a string has an escape that GraphQL does not have
}

// next reads the next token.
func (s *scanner) next() {
	s.skipIgnored()
	s.start = s.end
	if s.start == len(s.text) {
		s.kind = tokenEnd
		return
	}
	switch c := s.text[s.start]; {
	case isDigit(c):
		s.readWhile(tokenNumber, func(c byte) bool { return isNameByte(c) || c == '.' || s.isSign() })
	case isNameByte(c):
		s.readWhile(tokenName, isNameByte)
	case c == '"':
		s.readString()
	case strings.HasPrefix(s.text[s.start:], "..."):
		s.end += len("...")
		s.endWord(tokenSpread)
	case strings.IndexByte("{}()[]:=!@$-", c) >= 0:
		s.kind = token(c)
		s.end++
	default:
		s.kind = tokenBad
	}
}

// readWhile reads a token of the bytes that belong to it.
func (s *scanner) readWhile(kind token, belongs func(c byte) bool) {
	for s.end < len(s.text) && belongs(s.text[s.end]) {
		s.end++
	}
	s.endWord(kind)
}

// endWord ends a token that no letter may follow.
func (s *scanner) endWord(kind token) {
	s.kind = kind
	if s.end < len(s.text) && s.text[s.end] >= 0x80 { // the library's names may have other letters
		s.kind = tokenBad
	}
}

func isDigit(c byte) bool { return c >= '0' && c <= '9' }

// isSign reports whether the next byte of a number is the sign of its exponent.
func (s *scanner) isSign() bool {
	c, before := s.text[s.end], s.text[s.end-1]
	return (c == '+' || c == '-') && (before == 'e' || before == 'E')
}

// skipIgnored skips white space, commas and comments.
func (s *scanner) skipIgnored() {
	if s.end == 0 && strings.HasPrefix(s.text, "\ufeff") {
		s.end = len("\ufeff")
	}
	for ; s.end < len(s.text); s.end++ {
		switch s.text[s.end] {
		case ' ', '\t', '\n', '\r', ',':
		case '#':
			length := strings.IndexAny(s.text[s.end:], "\r\n")
			if length < 0 {
				length = len(s.text) - s.end - 1
			}
			s.end += length
		default:
			return
		}
	}
}

func (s *scanner) readString() {
	s.kind = tokenString
	const quotes = `"""`
	if strings.HasPrefix(s.text[s.start:], quotes) {
		length := strings.Index(s.text[s.start+len(quotes):], quotes)
		if length < 0 {
			s.kind = tokenBad
			return
		}
		s.end += length + 2*len(quotes)
		return
	}
	end, ok := endOfString(s.text, s.start+1)
	if !ok || end == len(s.text) || s.text[end] != '"' {
		s.kind, s.badEscape = tokenBad, !ok
		return
	}
	s.end = end + 1
}

// endOfString returns the index of the end of the string that begins at i, or false if it has an
// unsupported escape. The library parses strings by Go's rules, so that "\xff" would be invalid
// UTF-8.
func endOfString(query string, i int) (int, bool) {
	for ; i < len(query) && query[i] != '"' && query[i] != '\n'; i++ {
		if query[i] != '\\' {
			continue
		}
		i++
		switch {
		case i == len(query) || !strings.ContainsRune(`"\bfnrtu`, rune(query[i])):
			return 0, false
		case query[i] == 'u':
			code, err := strconv.ParseUint(query[i+1:min(i+5, len(query))], 16, 16)
			if err != nil || code == 0 || code >= 0xD800 && code < 0xE000 {
				return 0, false
			}
		}
	}
	return i, true
}
