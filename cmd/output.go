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

// print shows a result: as JSON with --json, else as people writes it, who may be nil with --json.
func (a *app) print(result any, people func(w io.Writer)) error {
	if a.json {
		if err := encode(a.Stdout, result, "  "); err != nil {
			return fmt.Errorf("print: %w", err)
		}
		return nil
	}
	w := tabwriter.NewWriter(a.Stdout, 0, 8, 2, ' ', 0)
	people(w)
	if err := w.Flush(); err != nil {
		return fmt.Errorf("print: %w", err)
	}
	return nil
}

// encode writes value as JSON and leaves <, > and & legible: this is no web page.
func encode(w io.Writer, value any, indent string) error {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", indent)
	return enc.Encode(value)
}

// row writes one line of a table. Control characters in a cell could move the cursor or forge a
// line, so they are shown as what they are; an empty cell would end the table's column.
func row(w io.Writer, cells ...any) {
	texts := make([]string, len(cells))
	for i, c := range cells {
		if texts[i] = printable(fmt.Sprint(c)); texts[i] == "" {
			texts[i] = "-"
		}
	}
	fmt.Fprintln(w, strings.Join(texts, "\t"))
}

func printable(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) {
			return '\uFFFD'
		}
		return r
	}, text)
}

// optional shows what may be missing.
func optional(text *string) string {
	if text == nil {
		return ""
	}
	return *text
}

// shortened cuts a text that would fill the screen.
func shortened(text string) string {
	const most = 160
	if runes := []rune(text); len(runes) > most {
		return string(runes[:most]) + "…"
	}
	return text
}

// terminal reports whether w is a terminal, which a person reads.
func terminal(w io.Writer) bool {
	f, ok := w.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}
