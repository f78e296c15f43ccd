package sms

import (
	"cmp"
	"encoding/json"
	"html"
	"mime"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"unicode"
)

// reason gives the gateway's own words on what went wrong, "" where it has none: what is at the
// paths of Error, or the whole of a plain text. Gateways quote what they were sent, so secrets, the
// text, its digits (they are a code) and the number are hidden.
func (s *Sender) reason(a answer, v values) string {
	var words []string
	for _, path := range s.cfg.Error {
		if text := a.text(path); text != "" {
			words = append(words, text)
		}
	}
	if len(words) == 0 && a.isPlainText() {
		words = append(words, string(a.Body))
	}
	reason := strings.ToValidUTF8(strings.Join(words, ": "), "\uFFFD")
	reason = redactAll(reason, append([]string{v["text"]}, s.redactions...))
	reason = redactDigits(reason, v["text"], v["to"])
	reason = strings.Join(strings.FieldsFunc(reason, isGap), " ") // one line of a log
	if runes := []rune(reason); len(runes) > maxReason {
		reason = string(runes[:maxReason]) + "…"
	}
	return reason
}

func isGap(r rune) bool { return !unicode.IsGraphic(r) || unicode.IsSpace(r) }

// isPlainText tells the short answers of simple gateways from JSON and from pages for a browser,
// whatever their header says. A bare 1002 is JSON too, and meant as text.
func (a answer) isPlainText() bool {
	if _, bare := scalar(a.json); a.isJSON && !bare {
		return false
	}
	kind, _, err := mime.ParseMediaType(a.Header.Get("Content-Type"))
	return (err != nil || kind == "text/plain" || kind == "text/html" || a.isJSON) &&
		!strings.HasPrefix(strings.TrimSpace(string(a.Body)), "<")
}

// secretForms gives each secret as it is and as it was written for the places it was put in.
func secretForms(cfg *Config) []string {
	var forms []string
	for _, secret := range cfg.Secrets {
		quoted, _ := json.Marshal(secret) // a string always encodes
		forms = append(forms, secret, url.QueryEscape(secret), url.PathEscape(secret),
			strings.Trim(string(quoted), `"`), html.EscapeString(secret), escapeXML(secret))
	}
	if cfg.Auth.Kind == AuthBasic {
		v := values{"sender": cfg.Sender}
		for name, secret := range cfg.Secrets {
			v[secretPrefix+name] = secret
		}
		user, password := parseTemplate(cfg.Auth.User).render(v, unescaped), parseTemplate(cfg.Auth.Password).render(v, unescaped)
		forms = append(forms, basicCredentials(user, password))
	}
	return forms
}

// redactAll replaces each of the words in text, longer ones first: one may be part of another.
func redactAll(text string, words []string) string {
	words = slices.Clone(words)
	slices.SortFunc(words, func(a, b string) int { return cmp.Compare(len(b), len(a)) })
	for _, word := range words {
		if word != "" {
			text = strings.ReplaceAll(text, word, redacted)
		}
	}
	return text
}

// Runs of digits that are worth hiding: a code has four, and a number more than any error code.
const (
	minCodeDigits   = 4
	minNumberDigits = 7
)

var digitRun = regexp.MustCompile(`\p{Nd}+`)

// redactDigits replaces the runs of digits in reason that came from the text, or that are the number
// in some form: with or without calling code, or with a zero before it.
func redactDigits(reason, text, number string) string {
	return digitRun.ReplaceAllStringFunc(reason, func(run string) string {
		significant := strings.TrimLeft(run, "0")
		switch n := len([]rune(run)); {
		case n >= minCodeDigits && strings.Contains(text, run),
			n >= minNumberDigits && (strings.Contains(number, significant) || strings.Contains(run, strings.TrimLeft(number, "+0"))):
			return redacted
		}
		return run
	})
}
