package postgres

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
)

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

// add writes text of the translator.
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
