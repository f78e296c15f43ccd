package shop

import (
	"net/mail"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Longest inputs about a customer.
const (
	MaxName  = 100 // characters
	MaxEmail = 254 // bytes, as SMTP has it
)

// checkName gives a person's name as it is kept: NFC, with single spaces.
func checkName(bad *invalid, field, text string) string {
	name := strings.Join(strings.Fields(cleanText(text)), " ")
	switch {
	case name == "":
		bad.add(field, CodeRequired, "Give a name.")
	case utf8.RuneCountInString(name) > MaxName:
		bad.add(field, CodeInvalidValue, "A name is at most %d characters.", MaxName)
	case strings.ContainsFunc(name, unicode.IsControl):
		bad.add(field, CodeInvalidValue, "A name has no control characters.")
	}
	return name
}

// checkEmail gives an e-mail address as it is kept; nil where none was sent.
func checkEmail(bad *invalid, field string, text *string) *string {
	if isBlank(text) {
		return nil
	}
	email, ok := parseEmail(*text)
	if !ok {
		bad.add(field, CodeInvalidValue, "This is not an e-mail address such as name@example.com.")
		return nil
	}
	return &email
}

// checkPhone gives a phone number as it is kept; nil where none was sent.
func checkPhone(bad *invalid, field string, text *string, country string) *string {
	if isBlank(text) {
		return nil
	}
	phone, ok := parsePhone(*text, country)
	if !ok {
		bad.add(field, CodeInvalidValue, "This is not a phone number: check the digits, and begin with + and the country's code if it is from abroad.")
		return nil
	}
	return &phone
}

// requirePhone gives a phone number as it is kept, "" where it is missing or none.
func requirePhone(bad *invalid, field, text, country string) string {
	if isBlank(&text) {
		bad.add(field, CodeRequired, "Give a phone number.")
	}
	return deref(checkPhone(bad, field, &text, country))
}

// parseEmail gives an e-mail address in lower case, in which addresses are compared. It takes the
// shape that mail is sent to: no display name, no quotes, a domain with a dot.
func parseEmail(text string) (string, bool) {
	text = strings.TrimSpace(cleanText(text))
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
func isBlank(text *string) bool { return text == nil || strings.TrimSpace(*text) == "" }

// deref gives "" for nil.
func deref(text *string) string {
	if text == nil {
		return ""
	}
	return *text
}
