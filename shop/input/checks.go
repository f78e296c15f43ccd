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

// Longest inputs about a customer.
const (
	MaxName  = 100 // characters
	MaxEmail = 254 // bytes, as SMTP has it
)

func CheckText(bad *fault.Invalid, field, text string, limit int) {
	if utf8.RuneCountInString(text) > limit {
		bad.Add(field, fault.CodeInvalidValue, "This is longer than %d characters.", limit)
	}
	if strings.ContainsFunc(text, func(r rune) bool { return unicode.IsControl(r) && r != '\n' && r != '\t' }) {
		bad.Add(field, fault.CodeInvalidValue, "This has control characters.")
	}
}

// checkLine gives text of one line as it is kept: NFC, with single spaces.
func CheckLine(bad *fault.Invalid, field, text string, limit int) string {
	line := strings.Join(strings.Fields(Clean(text)), " ")
	CheckText(bad, field, line, limit)
	return line
}

// checkNote gives text of several lines as it is kept.
func CheckNote(bad *fault.Invalid, field, text string, limit int) string {
	note := strings.TrimSpace(strings.ReplaceAll(Clean(text), "\r\n", "\n"))
	CheckText(bad, field, note, limit)
	return note
}

// checkName gives a person's name as it is kept: NFC, with single spaces.
func CheckName(bad *fault.Invalid, field, text string) string {
	name := strings.Join(strings.Fields(Clean(text)), " ")
	switch {
	case name == "":
		bad.Add(field, fault.CodeRequired, "Give a name.")
	case utf8.RuneCountInString(name) > MaxName:
		bad.Add(field, fault.CodeInvalidValue, "A name is at most %d characters.", MaxName)
	case strings.ContainsFunc(name, unicode.IsControl):
		bad.Add(field, fault.CodeInvalidValue, "A name has no control characters.")
	}
	return name
}

// checkPhone gives a phone number as it is kept; nil where none was sent.
func CheckPhone(bad *fault.Invalid, field string, text *string, country string) *string {
	if IsBlank(text) {
		return nil
	}
	phone, ok := phone.Parse(*text, country)
	if !ok {
		bad.Add(field, fault.CodeInvalidValue, "This is not a phone number: check the digits, and begin with + and the country's code if it is from abroad.")
		return nil
	}
	return &phone
}

// requirePhone gives a phone number as it is kept, "" where it is missing or none.
func RequirePhone(bad *fault.Invalid, field, text, country string) string {
	if IsBlank(&text) {
		bad.Add(field, fault.CodeRequired, "Give a phone number.")
	}
	if number := CheckPhone(bad, field, &text, country); number != nil {
		return *number
	}
	return ""
}

// checkEmail gives an e-mail address as it is kept; nil where none was sent.
func CheckEmail(bad *fault.Invalid, field string, text *string) *string {
	if IsBlank(text) {
		return nil
	}
	email, ok := ParseEmail(*text)
	if !ok {
		bad.Add(field, fault.CodeInvalidValue, "This is not an e-mail address such as name@example.com.")
		return nil
	}
	return &email
}

// parseEmail gives an e-mail address in lower case, in which addresses are compared. It takes the
// shape that mail is sent to: no display name, no quotes, a domain with a dot.
func ParseEmail(text string) (string, bool) {
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

// isBlank reports whether a form's field was left out or sent empty, which is the same.
func IsBlank(text *string) bool { return text == nil || strings.TrimSpace(*text) == "" }

func IsWebURL(text string) bool {
	u, err := url.Parse(text)
	return err == nil && (u.Scheme == "https" || u.Scheme == "http") && u.Host != "" && u.User == nil
}

var countryPattern = regexp.MustCompile(`^[A-Z]{2}$`)

// isCountry reports whether code has the form of an ISO 3166 code, in upper case.
func IsCountry(code string) bool { return countryPattern.MatchString(code) }
