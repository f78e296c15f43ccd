package shop

import (
	_ "embed"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// Lengths of a password, in characters (Unicode code points after normalization).
const (
	MinPassword = 8
	MaxPassword = 256
)

// maxPasswordBytes bounds the work of normalizing what was sent; no 256 characters need as much.
const maxPasswordBytes = 16 * MaxPassword

// commonPasswordText lists what guessers try first, one a line, in lower case.
//
//go:embed password_common.txt
var commonPasswordText string

var commonPasswords = sync.OnceValue(func() map[string]bool {
	common := make(map[string]bool, 1000)
	for line := range strings.Lines(commonPasswordText) {
		common[strings.TrimSpace(line)] = true
	}
	return common
})

// normalizePassword makes one password of what different keyboards send for the same characters.
// The same is done when a password is set and when it is checked.
func normalizePassword(password string) string { return norm.NFKC.String(password) }

// passwordOwner is whose password is to be set; "" for what is not known.
type passwordOwner struct {
	name    string
	email   string // lower case
	phone   string // E.164
	country string // how a phone without calling code is read
}

// checkPassword adds why password may not be set, where it may not. The reason is named, the
// password never.
func checkPassword(bad *invalid, field, password string, owner passwordOwner) {
	if len(password) > maxPasswordBytes {
		bad.add(field, CodePasswordRejected, "The password is too long: use at most %d characters.", MaxPassword)
		return
	}
	password = normalizePassword(password)
	length := utf8.RuneCountInString(password)
	switch {
	case length == 0:
		bad.add(field, CodeRequired, "Choose a password of at least %d characters.", MinPassword)
	case length < MinPassword:
		bad.add(field, CodePasswordRejected, "The password is too short: use at least %d characters.", MinPassword)
	case length > MaxPassword:
		bad.add(field, CodePasswordRejected, "The password is too long: use at most %d characters.", MaxPassword)
	case commonPasswords()[strings.ToLower(password)]:
		bad.add(field, CodePasswordRejected, "The password is one of the most common ones, which are tried first: choose another.")
	case owner.isName(password):
		bad.add(field, CodePasswordRejected, "The password is your own name: choose one that others can not guess.")
	case owner.isEmail(password):
		bad.add(field, CodePasswordRejected, "The password is your own e-mail address: choose one that others can not guess.")
	case owner.isPhone(password):
		bad.add(field, CodePasswordRejected, "The password is your own phone number: choose one that others can not guess.")
	}
}

// isName reports whether text is the name, or one long word of it, whatever the case, the spaces
// and the punctuation.
func (o passwordOwner) isName(text string) bool {
	bare := bareText(text)
	if bare == "" {
		return false
	}
	if bare == bareText(o.name) {
		return true
	}
	for word := range strings.FieldsSeq(o.name) {
		if bare == bareText(word) {
			return true
		}
	}
	return false
}

func (o passwordOwner) isEmail(text string) bool {
	local, _, found := strings.Cut(o.email, "@")
	bare := bareText(text)
	return found && bare != "" && (bare == bareText(o.email) || bare == bareText(local))
}

func (o passwordOwner) isPhone(text string) bool {
	phone, ok := parsePhone(text, o.country)
	return ok && phone == o.phone
}

// bareText gives the letters, marks and digits of text in lower case.
func bareText(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.In(r, unicode.L, unicode.M, unicode.N) {
			return r
		}
		return -1
	}, strings.ToLower(norm.NFKC.String(text)))
}
