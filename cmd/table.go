package cmd

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"time"
)

// Tables are written by hand: text/tabwriter counts runes, so that Bangla and wide letters would
// not be aligned, and lipgloss/table fits a terminal by wrapping cells, not by leaving out columns.

const (
	columnGap = 2
	// minShortened is the smallest width of a shortened column.
	minShortened = 8
)

// table is the text of a command's output: lines, written as to an [io.Writer], and rows with
// aligned columns.
type table struct {
	out    bytes.Buffer
	zone   *time.Location
	screen screen
	rows   [][]cell // the last rows, not in out yet, which are aligned together
	names  []columnName
}

// cell is the text of one column in one row.
type cell struct {
	text string
	tone tone
}

// columnName is a column of a list, as declared by its heading.
type columnName struct {
	text      string
	shortened bool // its text may be shortened to fit the terminal
	optional  bool // it may be omitted to fit the terminal
}

// heading writes the names of a list's columns. A narrow terminal omits columns in brackets, empty
// ones before others and otherwise the first one first. Then it shortens the texts of columns with
// an ellipsis: "[INVOICE]", "CUSTOMER…". Other outputs are complete.
func heading(w *table, names ...string) {
	w.flush()
	cells := make([]cell, len(names))
	for i, name := range names {
		var c columnName
		name, c.optional = strings.CutPrefix(name, "[")
		name, c.shortened = strings.CutSuffix(strings.TrimSuffix(name, "]"), "…")
		c.text = name
		w.names = append(w.names, c)
		cells[i] = cell{text: name, tone: toneFaint}
	}
	w.rows = append(w.rows, cells)
}

// row writes one line of a table. Control characters, which could move the cursor or forge a line,
// are replaced; an empty cell becomes "-" because it would hide where columns begin.
func row(w *table, cells ...any) {
	texts := make([]cell, len(cells))
	for i, c := range cells {
		texts[i].text = printable(fmt.Sprint(c))
		if s, ok := c.(coloured); ok {
			texts[i].tone = s.tone
		}
		if texts[i].text == "" {
			texts[i].text = "-"
		}
	}
	w.rows = append(w.rows, texts)
}

// Write writes text that is not aligned.
func (w *table) Write(text []byte) (int, error) {
	w.flush()
	return w.out.Write(text)
}

// bytes returns all that was written.
func (w *table) bytes() []byte {
	w.flush()
	return w.out.Bytes()
}

// flush aligns the last rows.
func (w *table) flush() {
	if len(w.names) > 0 && w.screen.width > 0 {
		w.fit()
	}
	widths := columnWidths(w.rows)
	for _, cells := range w.rows {
		for i, c := range cells {
			w.out.WriteString(w.screen.paint(c))
			if i < len(cells)-1 {
				w.out.WriteString(strings.Repeat(" ", widths[i]-displayWidth(c.text)+columnGap))
			}
		}
		w.out.WriteByte('\n')
	}
	w.rows, w.names = nil, nil
}

// columnWidths returns the widths of the columns of rows. The last column of a line needs no width.
func columnWidths(rows [][]cell) (widths []int) {
	for _, cells := range rows {
		for i, c := range cells {
			if i == len(widths) {
				widths = append(widths, 0)
			}
			if i < len(cells)-1 {
				widths[i] = max(widths[i], displayWidth(c.text))
			}
		}
	}
	return widths
}

// fit omits and shortens columns of a list until it fits the terminal, as its heading permits.
func (w *table) fit() {
	widths := make(lineWidths, len(w.names))
	for _, cells := range w.rows {
		for i, c := range cells[:min(len(cells), len(widths))] {
			widths[i] = max(widths[i], displayWidth(c.text))
		}
	}
	for widths.total() > w.screen.width {
		i := w.dispensable()
		if i < 0 {
			break
		}
		widths = slices.Delete(widths, i, i+1)
		w.omit(i)
	}
	for widths.total() > w.screen.width {
		i := w.widest(widths)
		if i < 0 {
			break
		}
		widths[i]--
	}
	for _, cells := range w.rows {
		for i := range cells[:min(len(cells), len(widths))] {
			cells[i].text = fitText(cells[i].text, widths[i])
		}
	}
}

// lineWidths has the width of each column of a list.
type lineWidths []int

// total returns the width of a line, with the gaps between its columns.
func (widths lineWidths) total() int {
	total := -columnGap
	for _, width := range widths {
		total += width + columnGap
	}
	return total
}

// omit removes a column.
func (w *table) omit(i int) {
	w.names = slices.Delete(w.names, i, i+1)
	for r, cells := range w.rows {
		w.rows[r] = slices.Delete(cells, i, i+1)
	}
}

// widest returns the widest column that may be shortened further, or -1.
func (w *table) widest(widths lineWidths) int {
	widest := -1
	for i, name := range w.names {
		if name.shortened && widths[i] > minShortened && (widest < 0 || widths[i] > widths[widest]) {
			widest = i
		}
	}
	return widest
}

// dispensable returns the next column to be omitted, or -1.
func (w *table) dispensable() int {
	isEmpty := func(i int) bool {
		return !slices.ContainsFunc(w.rows[1:], func(cells []cell) bool { return i < len(cells) && cells[i].text != "-" })
	}
	first := -1
	for i, name := range w.names {
		switch {
		case !name.optional:
		case isEmpty(i):
			return i
		case first < 0:
			first = i
		}
	}
	return first
}
