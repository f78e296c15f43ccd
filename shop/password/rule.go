package password

import (
	_ "embed"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"storefront/shop/fault"
	"storefront/shop/phone"
)

// Lengths of a password, in characters (Unicode code points after normalization).
const (
	MinLength = 8
	MaxLength = 256
)

// MaxBytes limits the work of normalizing a password; 256 characters never need as many.
const MaxBytes = 16 * MaxLength

// The lists of the most common passwords, one per line, in lower case. Their sources are at their
// beginning, in lines that begin with "#"; update.sh writes the first one.
var (
	//go:embed leaked/passwords.txt
	leakedPasswordText string
	//go:embed local.txt
	localPasswordText string
)

var commonPasswords = sync.OnceValue(func() map[string]bool {
	common := make(map[string]bool, 19_000)
	for _, list := range []string{leakedPasswordText, localPasswordText} {
		for line := range strings.Lines(list) {
			if password := strings.TrimSpace(line); !strings.HasPrefix(password, "#") {
				common[password] = true
			}
		}
	}
	return common
})

// Normalize returns the form of a password for hashing: different keyboards send different code
// points for the same characters. It applies both to setting and to checking a password.
func Normalize(password string) string { return norm.NFKC.String(password) }

// Owner is the account of a new password. Unknown fields are "".
type Owner struct {
	Name    string
	Email   string // lower case
	Phone   string // E.164
	Country string // for parsing a phone without calling code
	Shop    string // the name of the account's shop
}

// Check adds the reason to bad if password may not be set. The message never contains the password.
func Check(bad *fault.Invalid, field, password string, owner Owner) {
	if len(password) > MaxBytes {
		bad.Add(field, fault.CodePasswordRejected, "The password is too long: use at most %d characters.", MaxLength)
		return
	}
	password = Normalize(password)
	length := utf8.RuneCountInString(password)
	switch {
	case length == 0:
		bad.Add(field, fault.CodeRequired, "Choose a password of at least %d characters.", MinLength)
	case !strings.ContainsFunc(password, isVisible):
		bad.Add(field, fault.CodePasswordRejected, "The password must not consist of spaces only.")
	case length < MinLength:
		bad.Add(field, fault.CodePasswordRejected, "The password is too short: use at least %d characters.", MinLength)
	case length > MaxLength:
		bad.Add(field, fault.CodePasswordRejected, "The password is too long: use at most %d characters.", MaxLength)
	case commonPasswords()[strings.ToLower(password)]:
		bad.Add(field, fault.CodePasswordRejected, "This password is too common: choose another one.")
	case owner.isName(password):
		bad.Add(field, fault.CodePasswordRejected, "The password is your own name: choose one that others cannot guess.")
	case owner.isEmail(password):
		bad.Add(field, fault.CodePasswordRejected, "The password is your own e-mail address: choose one that others cannot guess.")
	case owner.isPhone(password):
		bad.Add(field, fault.CodePasswordRejected, "The password is your own phone number: choose one that others cannot guess.")
	case owner.isShop(password):
		bad.Add(field, fault.CodePasswordRejected, "The password is the name of the shop: choose one that others cannot guess.")
	}
}

// isVisible reports whether a character is visible: neither a space nor one such as U+200B.
func isVisible(r rune) bool { return unicode.IsGraphic(r) && !unicode.IsSpace(r) }

// isShop reports whether text is the shop's name, once or several times, with or without digits at
// the end.
func (o Owner) isShop(text string) bool {
	const digits = "0123456789"
	shop := strings.TrimRight(bareText(o.Shop), digits)
	return repeats(strings.TrimRight(bareText(text), digits), shop)
}

// repeats reports whether text is a word, once or several times.
func repeats(text, word string) bool {
	return word != "" && text != "" && strings.ReplaceAll(text, word, "") == ""
}

// isName reports whether text is the name, or one long word of it, ignoring case, spaces and
// punctuation.
func (o Owner) isName(text string) bool {
	bare := bareText(text)
	if repeats(bare, bareText(o.Name)) {
		return true
	}
	for word := range strings.FieldsSeq(o.Name) {
		if repeats(bare, bareText(word)) {
			return true
		}
	}
	return false
}

func (o Owner) isEmail(text string) bool {
	local, _, found := strings.Cut(o.Email, "@")
	bare := bareText(text)
	return found && (repeats(bare, bareText(o.Email)) || repeats(bare, bareText(local)))
}

func (o Owner) isPhone(text string) bool {
	phone, ok := phone.Parse(text, o.Country)
	return ok && phone == o.Phone
}

// bareText returns the letters, marks and digits of text in lower case.
func bareText(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.In(r, unicode.L, unicode.M, unicode.N) {
			return r
		}
		return -1
	}, strings.ToLower(norm.NFKC.String(text)))
}
