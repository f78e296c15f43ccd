package cmd

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"time"
	"unicode"
)

// print prints a result: as JSON with --json, otherwise as a table by text, with times in the time
// zone of the shop. text may be nil if --json is set.
func (a *app) print(result any, text func(w *table)) error {
	if a.json {
		if err := encode(a.Stdout, result, "  "); err != nil {
			return fmt.Errorf("print: %w", err)
		}
		return nil
	}
	w := &table{zone: cmp.Or(a.zone, time.Local), screen: a.screen()}
	text(w)
	if _, err := a.Stdout.Write(w.bytes()); err != nil { // one write, so that a log on the same terminal does not interleave
		return fmt.Errorf("print: %w", err)
	}
	return nil
}

// encode writes value as JSON without escaping <, > and &, because the output is not HTML.
func encode(w io.Writer, value any, indent string) error {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", indent)
	return enc.Encode(value)
}

const timeFormat = "2006-01-02 15:04 -07:00"

// time formats t with the offset of its zone, because the reader may be in another.
func (w *table) time(t time.Time) string { return t.In(w.zone).Format(timeFormat) }

// localTime formats t in this machine's time zone, for times outside of a shop.
func localTime(t time.Time) string { return t.Local().Format(timeFormat) }

// printable replaces the control characters of text by U+FFFD.
func printable(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) {
			return '\uFFFD'
		}
		return r
	}, text)
}

// optional returns the text, or "" for nil.
func optional(text *string) string {
	if text == nil {
		return ""
	}
	return *text
}

// shortened truncates a text to 160 characters.
func shortened(text string) string {
	const most = 160
	if runes := []rune(text); len(runes) > most {
		return string(runes[:most]) + "…"
	}
	return text
}
