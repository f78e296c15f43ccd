package sms

import (
	"regexp"
	"strings"
)

// placeholder matches what is meant as one, known or not. Other braces are text.
var placeholder = regexp.MustCompile(`\{[A-Za-z][A-Za-z0-9_.-]*\}`)

const secretPrefix = "secret."

// template is a text with places for values.
type template []part

// part is a literal, or where that is empty a placeholder.
type part struct{ literal, name string }

// values are what the placeholders stand for, by name.
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

// render puts values in, each passed through escape. What a value holds is never read as a template.
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
