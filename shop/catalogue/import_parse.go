package catalogue

import (
	"bufio"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode/utf8"

	"storefront/shop/input"
	"storefront/shop/money"
)

// productFile is what a file says, before it is held against the shop.
type productFile struct {
	rows     int // without the header and blank ones
	ignored  []string
	has      [columnCount]bool // which columns the file has: what it has not stays as it is
	header   [columnCount]string
	products []*fileProduct
}

// fileProduct is what a file says of one product.
type fileProduct struct {
	line     int
	input    ProductInput // of the columns that the file has; Variants and Images are below
	joins    string       // a collection that it is put into; "": none
	variants []fileVariant
	images   []fileImage
}

type fileVariant struct {
	line  int
	input VariantInput
}

type fileImage struct {
	line     int
	position int // as the file has it; 0: after those that have one
	input    ImageInput
}

// fileParser reads a product file row by row.
type fileParser struct {
	csv      *csv.Reader
	money    money.Currency
	file     *productFile
	problems *importProblems
	columns  [columnCount]int // where in a record; -1: not in the file
	record   []string
	width    int // of the header
	current  *fileProduct
	begun    map[string]int // handle to the line on which its rows begin
}

// parseProductFile reads a whole file. What is wrong with it goes to problems; the error is only
// for a reader that fails.
func parseProductFile(r io.Reader, money money.Currency, problems *importProblems) (*productFile, error) {
	buffered := bufio.NewReaderSize(r, 1<<16)
	start, err := buffered.Peek(1 << 14)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("read the file: %w", err)
	}
	p := &fileParser{money: money, file: &productFile{}, problems: problems, begun: map[string]int{}}
	text := string(start)
	if strings.HasPrefix(text, "\xff\xfe") || strings.HasPrefix(text, "\xfe\xff") {
		problems.add(1, "", "The file is UTF-16: save it as CSV UTF-8.")
		return p.file, nil
	}
	if strings.HasPrefix(text, "\ufeff") {
		text = text[len("\ufeff"):]
		if _, err := buffered.Discard(len("\ufeff")); err != nil {
			return nil, fmt.Errorf("read the file: %w", err)
		}
	}
	p.csv = csv.NewReader(buffered)
	p.csv.Comma = separator(text)
	p.csv.FieldsPerRecord = -1
	p.csv.ReuseRecord = true
	for first := true; ; first = false {
		p.record, err = p.csv.Read()
		if parse, ok := errors.AsType[*csv.ParseError](err); ok {
			// From here on it is not known where cells begin and end.
			problems.add(parse.StartLine, "", "The file is no CSV from line %d, column %d on: %v.", parse.Line, parse.Column, parse.Err)
			return p.file, nil
		}
		switch {
		case errors.Is(err, io.EOF):
			if first {
				problems.add(1, "", "The file is empty.")
			}
			p.finish()
			return p.file, nil
		case err != nil:
			return nil, fmt.Errorf("read the file: %w", err)
		case first:
			if !p.readHeader() {
				return p.file, nil
			}
		default:
			p.readRow()
		}
	}
}

// separator gives what stands between the cells of the header: spreadsheets write what their
// country uses.
func separator(text string) rune {
	header, _, _ := strings.Cut(text, "\n")
	best := ','
	for _, candidate := range ";\t" {
		if strings.Count(header, string(candidate)) > strings.Count(header, string(best)) {
			best = candidate
		}
	}
	return best
}

// readHeader finds the columns. ok is false when the rows below it could not be understood.
func (p *fileParser) readHeader() (ok bool) {
	p.width = len(p.record)
	for c := range p.columns {
		p.columns[c] = -1
	}
	ok = true
	for i, name := range p.record {
		name = cleanLine(name)
		c := findColumn(name)
		switch {
		case c == columnCount && name != "":
			p.file.ignored = append(p.file.ignored, name)
		case c == columnCount:
		case p.columns[c] >= 0:
			p.problems.add(1, name, "The file has this column twice.")
			ok = false
		default:
			p.columns[c], p.file.has[c], p.file.header[c] = i, true, name
		}
	}
	for c, name := range p.file.header {
		if name == "" {
			p.file.header[c] = columnNames[c][0]
		}
	}
	if !p.file.has[colHandle] && !p.file.has[colTitle] {
		p.problems.add(1, columnNames[colHandle][0], "The file lacks this column: its first row names the columns as Shopify's product export does.")
		ok = false
	}
	return ok
}

func findColumn(name string) column {
	for c, names := range columnNames {
		if slices.ContainsFunc(names, func(known string) bool { return strings.EqualFold(known, name) }) {
			return column(c)
		}
	}
	return columnCount
}

// readRow reads one record: the first of a product, another variant or image of it, or both.
func (p *fileParser) readRow() {
	if !slices.ContainsFunc(p.record, func(cell string) bool { return strings.TrimSpace(cell) != "" }) {
		return
	}
	p.file.rows++
	for i, cell := range p.record {
		if !utf8.ValidString(cell) {
			p.problems.add(p.lineOf(i), "", "Cell %d is not UTF-8: save the file as CSV UTF-8.", i+1)
			return
		}
		if i >= p.width && strings.TrimSpace(cell) != "" {
			p.problems.add(p.lineOf(i), "", "The row has more cells than the header: a separator in a cell needs quotes around it.")
			return
		}
	}
	first := p.startProduct()
	if p.current == nil {
		return
	}
	if first {
		p.readProduct()
	} else if title := cleanLine(p.cell(colTitle)); title != "" && title != p.current.input.Title {
		p.bad(colTitle, "The rows of handle %s have another title above.", p.current.input.Handle)
	}
	if first || p.hasVariant() {
		p.readVariant(first)
	}
	p.readImage()
}

// startProduct makes the row's product the current one; first tells whether it begins here.
func (p *fileParser) startProduct() (first bool) {
	handle := CleanHandle(p.cell(colHandle))
	if handle == "" {
		handle = input.Slug(cleanLine(p.cell(colTitle)))
	}
	switch {
	case handle == "" && p.file.has[colHandle]:
		p.bad(colHandle, "The row has no handle.")
		return false
	case handle == "":
		p.bad(colTitle, "No handle can be made from this title: add a column Handle.")
		return false
	case p.current != nil && p.current.input.Handle == handle:
		return false
	}
	line := p.line()
	if begun, again := p.begun[handle]; again {
		p.bad(colHandle, "The rows of a product stand together, and those of %s begin on line %d.", handle, begun)
		p.current = nil
		return false
	}
	p.begun[handle] = line
	p.current = &fileProduct{line: line, input: ProductInput{Handle: handle}}
	p.file.products = append(p.file.products, p.current)
	return true
}

// finish puts images into the order that their positions give.
func (p *fileParser) finish() {
	for _, product := range p.file.products {
		slices.SortStableFunc(product.images, func(a, b fileImage) int {
			if (a.position == 0) != (b.position == 0) {
				return b.position - a.position
			}
			return a.position - b.position
		})
	}
}

// cell gives a cell of the current row, "" where the file has none.
func (p *fileParser) cell(c column) string {
	if i := p.columns[c]; i >= 0 && i < len(p.record) {
		return p.record[i]
	}
	return ""
}

// line gives the line on which the current row begins.
func (p *fileParser) line() int { return p.lineOf(0) }

func (p *fileParser) lineOf(cell int) int {
	line, _ := p.csv.FieldPos(cell)
	return line
}

// bad tells of a cell of the current row.
func (p *fileParser) bad(c column, format string, args ...any) {
	line := p.line()
	if i := p.columns[c]; i >= 0 && i < len(p.record) {
		line = p.lineOf(i)
	}
	p.problems.add(line, p.file.header[c], format, args...)
}
