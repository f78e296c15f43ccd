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

// reason returns the gateway's error message in one line, or "": the values at the paths of Error,
// or a whole plain-text body. Gateways quote requests, so reason redacts secrets, the text, its
// digits (they are a sign-in code) and the phone number.
func (s *Sender) reason(resp response, v values) string {
	var texts []string
	for _, path := range s.cfg.Error {
		if text := resp.text(path); text != "" {
			texts = append(texts, text)
		}
	}
	if len(texts) == 0 && resp.isPlainText() {
		texts = append(texts, string(resp.Body))
	}
	reason := strings.ToValidUTF8(strings.Join(texts, ": "), "\uFFFD")
	reason = redactAll(reason, append([]string{v["text"]}, s.redactions...))
	reason = redactDigits(reason, v["text"], v["to"])
	reason = strings.Join(strings.FieldsFunc(reason, isGap), " ")
	if runes := []rune(reason); len(runes) > maxReason {
		reason = string(runes[:maxReason]) + "…"
	}
	return reason
}

func isGap(r rune) bool { return !unicode.IsGraphic(r) || unicode.IsSpace(r) }

// isPlainText reports whether a response is a short text, as simple gateways send, rather than JSON
// or an HTML page. It does not rely on the Content-Type. A bare 1002 is valid JSON but counts as
// text.
func (r response) isPlainText() bool {
	if _, bare := scalar(r.json); r.isJSON && !bare {
		return false
	}
	kind, _, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	return (err != nil || kind == "text/plain" || kind == "text/html" || r.isJSON) &&
		!strings.HasPrefix(strings.TrimSpace(string(r.Body)), "<")
}

// secretForms returns each secret in plain form and in the encodings in which it may have been
// sent.
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

// redactAll replaces each of values in text, longer ones first, because one may be part of another.
func redactAll(text string, values []string) string {
	values = slices.Clone(values)
	slices.SortFunc(values, func(a, b string) int { return cmp.Compare(len(b), len(a)) })
	for _, value := range values {
		if value != "" {
			text = strings.ReplaceAll(text, value, redacted)
		}
	}
	return text
}

// Minimum lengths of runs of digits that are redacted. A sign-in code has four digits, and a phone
// number has more than any error code.
const (
	minCodeDigits   = 4
	minNumberDigits = 7
)

var digitRun = regexp.MustCompile(`\p{Nd}+`)

// redactDigits replaces the runs of digits in reason that occur in the text or are the phone number
// in some format: with or without calling code or leading zero.
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
