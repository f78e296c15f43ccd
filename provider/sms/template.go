package sms

import (
	"regexp"
	"strings"
)

// placeholder matches known and unknown placeholders. Other braces are literal.
var placeholder = regexp.MustCompile(`\{[A-Za-z][A-Za-z0-9_.-]*\}`)

const secretPrefix = "secret."

// template is a string with placeholders.
type template []part

// part is a literal or, if that is empty, a placeholder.
type part struct{ literal, name string }

// values holds the values of placeholders by name.
type values map[string]string

func parseTemplate(text string) template {
	var t template
	end := 0
	for _, at := range placeholder.FindAllStringIndex(text, -1) {
		if at[0] > end {
			t = append(t, part{literal: text[end:at[0]]})
		}
		t = append(t, part{name: text[at[0]+1 : at[1]-1]})
		end = at[1]
	}
	if end < len(text) {
		t = append(t, part{literal: text[end:]})
	}
	return t
}

// render replaces the placeholders by escaped values. Placeholders in values are not replaced.
func (t template) render(v values, escape func(string) string) string {
	var b strings.Builder
	for _, p := range t {
		if p.name == "" {
			b.WriteString(p.literal)
		} else {
			b.WriteString(escape(v[p.name]))
		}
	}
	return b.String()
}

func unescaped(value string) string { return value }
