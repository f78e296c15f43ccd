package cmd

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strings"
	"text/tabwriter"
	"unicode"

	"golang.org/x/term"
)

// print prints a result: as JSON with --json, otherwise as text writes it to a tab-aligned writer.
// text may be nil if --json is set.
func (a *app) print(result any, text func(w io.Writer)) error {
	if a.json {
		if err := encode(a.Stdout, result, "  "); err != nil {
			return fmt.Errorf("print: %w", err)
		}
		return nil
	}
	w := tabwriter.NewWriter(a.Stdout, 0, 8, 2, ' ', 0)
	text(w)
	if err := w.Flush(); err != nil {
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

// row writes one line of a table. Control characters, which could move the cursor or forge a line,
// are replaced; an empty cell becomes "-" because it would end the column.
func row(w io.Writer, cells ...any) {
	texts := make([]string, len(cells))
	for i, c := range cells {
		if texts[i] = printable(fmt.Sprint(c)); texts[i] == "" {
			texts[i] = "-"
		}
	}
	fmt.Fprintln(w, strings.Join(texts, "\t"))
}

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

// terminal reports whether w is a terminal.
func terminal(w io.Writer) bool {
	f, ok := w.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}
