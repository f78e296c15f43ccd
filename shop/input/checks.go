package input

import (
	"net/mail"
	"net/url"
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"

	"storefront/shop/fault"
	"storefront/shop/phone"
)

// Maximum lengths of inputs about a customer.
const (
	MaxName  = 100 // characters
	MaxEmail = 254 // bytes, the limit of SMTP
)

// CheckText adds to bad if text exceeds limit characters or has control characters other than \n
// and \t.
func CheckText(bad *fault.Invalid, field, text string, limit int) {
	if utf8.RuneCountInString(text) > limit {
		bad.Add(field, fault.CodeInvalidValue, "Must be at most %d characters.", limit)
	}
	if strings.ContainsFunc(text, func(r rune) bool { return unicode.IsControl(r) && r != '\n' && r != '\t' }) {
		bad.Add(field, fault.CodeInvalidValue, "Must not contain control characters.")
	}
}

// maxBytesPerCharacter times a text's limit in characters is the longest text that is normalized:
// normalizing shortens a text at most by this factor.
const maxBytesPerCharacter = 32

// isFarTooLong reports whether text exceeds limit characters by so much that it need not be
// normalized, and adds that to bad. Normalizing costs more than reading, so the length is checked
// first.
func isFarTooLong(bad *fault.Invalid, field, text string, limit int) bool {
	if len(text) <= maxBytesPerCharacter*limit {
		return false
	}
	bad.Add(field, fault.CodeInvalidValue, "Must be at most %d characters.", limit)
	return true
}

// CheckLine returns text in the stored form of a single line: NFC, with single spaces.
func CheckLine(bad *fault.Invalid, field, text string, limit int) string {
	if isFarTooLong(bad, field, text, limit) {
		return Cut(text, limit)
	}
	line := strings.Join(strings.Fields(Clean(text)), " ")
	CheckText(bad, field, line, limit)
	return line
}

// CheckNote returns text in the stored form of several lines: NFC, trimmed, with \n as line ends.
func CheckNote(bad *fault.Invalid, field, text string, limit int) string {
	if isFarTooLong(bad, field, text, limit) {
		return Cut(text, limit)
	}
	note := strings.TrimSpace(strings.ReplaceAll(Clean(text), "\r\n", "\n"))
	CheckText(bad, field, note, limit)
	return note
}

// CheckName returns the stored form of a person's name: NFC, with single spaces. A name is
// required.
func CheckName(bad *fault.Invalid, field, text string) string {
	if isFarTooLong(bad, field, text, MaxName) {
		return Cut(text, MaxName)
	}
	name := strings.Join(strings.Fields(Clean(text)), " ")
	switch {
	case name == "":
		bad.Add(field, fault.CodeRequired, "A name is required.")
	case utf8.RuneCountInString(name) > MaxName:
		bad.Add(field, fault.CodeInvalidValue, "The name must be at most %d characters.", MaxName)
	case strings.ContainsFunc(name, unicode.IsControl):
		bad.Add(field, fault.CodeInvalidValue, "The name must not contain control characters.")
	}
	return name
}

// CheckPhone returns the stored form of a phone number; nil if text is blank or invalid. country is
// the ISO 3166 code assumed for a number without a country code.
func CheckPhone(bad *fault.Invalid, field string, text *string, country string) *string {
	if IsBlank(text) {
		return nil
	}
	number, ok := phone.Parse(*text, country)
	if !ok {
		bad.Add(field, fault.CodeInvalidValue, "The phone number is not valid: check the digits, and start a foreign number with + and its country code.")
		return nil
	}
	return &number
}

// RequirePhone returns the stored form of a phone number; "" if text is blank or invalid.
func RequirePhone(bad *fault.Invalid, field, text, country string) string {
	if IsBlank(&text) {
		bad.Add(field, fault.CodeRequired, "A phone number is required.")
	}
	if number := CheckPhone(bad, field, &text, country); number != nil {
		return *number
	}
	return ""
}

// RequireEmail returns the stored form of an e-mail address; "" if text is blank or invalid.
func RequireEmail(bad *fault.Invalid, field, text string) string {
	if IsBlank(&text) {
		bad.Add(field, fault.CodeRequired, "An e-mail address is required.")
	}
	if email := CheckEmail(bad, field, &text); email != nil {
		return *email
	}
	return ""
}

// CheckEmail returns the stored form of an e-mail address; nil if text is blank or invalid.
func CheckEmail(bad *fault.Invalid, field string, text *string) *string {
	if IsBlank(text) {
		return nil
	}
	email, ok := ParseEmail(*text)
	if !ok {
		bad.Add(field, fault.CodeInvalidValue, "Must be an e-mail address such as name@example.com.")
		return nil
	}
	return &email
}

// ParseEmail returns an e-mail address in lower case, the form in which addresses are compared. It
// accepts only deliverable forms: no display name, no quotes, a domain with a dot.
func ParseEmail(text string) (string, bool) {
	if len(text) > maxBytesPerCharacter*MaxEmail {
		return "", false
	}
	text = strings.TrimSpace(Clean(text))
	if len(text) > MaxEmail || strings.ContainsAny(text, `"<>()[]\, `) {
		return "", false
	}
	address, err := mail.ParseAddress(text)
	if err != nil || address.Address != text || strings.ContainsFunc(text, unicode.IsControl) {
		return "", false
	}
	_, domain, _ := strings.Cut(text, "@")
	if !strings.Contains(domain, ".") {
		return "", false
	}
	return strings.ToLower(text), true
}

// IsBlank reports whether a form's field was omitted, or shows nothing. Both mean the same.
func IsBlank(text *string) bool { return text == nil || ShowsNothing(*text) }

// IsWebURL reports whether text is an absolute http or https URL without user information.
func IsWebURL(text string) bool {
	u, err := url.Parse(text)
	return err == nil && (u.Scheme == "https" || u.Scheme == "http") && u.Host != "" && u.User == nil
}

var countryPattern = regexp.MustCompile(`^[A-Z]{2}$`)

// IsCountry reports whether code has the form of an ISO 3166 alpha-2 code in upper case.
func IsCountry(code string) bool { return countryPattern.MatchString(code) }
