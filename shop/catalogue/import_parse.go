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

// productFile is a parsed product file, before it is compared with the shop.
type productFile struct {
	rows     int                 // without the header and blank rows
	ignored  []string            // names of unsupported columns
	has      [columnCount]bool   // the columns of the file
	header   [columnCount]string // the names of the columns in the file; defaults for missing ones
	products []*fileProduct
}

// fileProduct is one product of a file.
type fileProduct struct {
	line     int
	input    ProductInput // fields of the columns in the file, without Variants and Images
	addTo    string       // a collection to add the product to; empty means none
	variants []fileVariant
	images   []fileImage
}

type fileVariant struct {
	line  int
	input VariantInput
}

type fileImage struct {
	line     int
	position int // 0 if the cell is empty: sorted after the others
	input    ImageInput
}

// fileParser reads a product file row by row.
type fileParser struct {
	csv        *csv.Reader
	currency   money.Currency
	file       *productFile
	problems   *importProblems
	columns    [columnCount]int // index in a record; -1 if the file lacks the column
	record     []string
	width      int // of the header
	current    *fileProduct
	firstLines map[string]int // line of the first row of each handle
}

// parseProductFile parses a whole file and adds its problems to problems. The error is not nil only
// if r fails.
func parseProductFile(r io.Reader, currency money.Currency, problems *importProblems) (*productFile, error) {
	buffered := bufio.NewReaderSize(r, 1<<16)
	start, err := buffered.Peek(1 << 14)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("read the file: %w", err)
	}
	p := &fileParser{currency: currency, file: &productFile{}, problems: problems, firstLines: map[string]int{}}
	text := string(start)
	if strings.HasPrefix(text, "\xff\xfe") || strings.HasPrefix(text, "\xfe\xff") {
		problems.add(1, "", "The file is encoded in UTF-16: save it as CSV UTF-8.")
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
			// The boundaries of the cells that follow are unknown.
			problems.add(parse.StartLine, "", "Line %d, column %d is not valid CSV, so the file was not read further: %v.",
				parse.Line, parse.Column, parse.Err)
			return p.file, nil
		}
		switch {
		case errors.Is(err, io.EOF):
			if first {
				problems.add(1, "", "The file is empty: export it again.")
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

// separator returns the separator of the cells of the header: a comma, a semicolon or a tab.
// Spreadsheets write the one of their locale.
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

// readHeader finds the columns. ok is false if the rows cannot be read with this header.
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
			p.problems.add(1, name, "The column occurs twice: remove one of the two.")
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
		p.problems.add(1, columnNames[colHandle][0], "The column is missing: the first row must contain the column names of Shopify's product export.")
		ok = false
	}
	return ok
}

func findColumn(name string) column {
	for c, names := range columnNames {
		if slices.ContainsFunc(names, func(alias string) bool { return strings.EqualFold(alias, name) }) {
			return column(c)
		}
	}
	return columnCount
}

// readRow reads one record: the first row of a product, or a further variant, image or both.
func (p *fileParser) readRow() {
	if !slices.ContainsFunc(p.record, func(cell string) bool { return strings.TrimSpace(cell) != "" }) {
		return
	}
	p.file.rows++
	for i, cell := range p.record {
		if !utf8.ValidString(cell) {
			p.problems.add(p.lineOf(i), "", "Cell %d is not valid UTF-8: save the file as CSV UTF-8.", i+1)
			return
		}
		if i >= p.width && strings.TrimSpace(cell) != "" {
			p.problems.add(p.lineOf(i), "", "The row has more cells than the header: enclose cells that contain a separator in quotes.")
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
		p.addProblem(colTitle, "The title differs from that of the first row of the handle %s: correct it or leave it empty.", p.current.input.Handle)
	}
	if first || p.hasVariant() {
		p.readVariant(first)
	}
	p.readImage()
}

// startProduct sets current to the product of the row. first reports whether it is the product's
// first row.
func (p *fileParser) startProduct() (first bool) {
	handle := CleanHandle(p.cell(colHandle))
	if handle == "" {
		handle = input.Slug(cleanLine(p.cell(colTitle)))
	}
	switch {
	case handle == "" && p.file.has[colHandle]:
		p.addProblem(colHandle, "The handle is required.")
		return false
	case handle == "":
		p.addProblem(colTitle, "No handle can be derived from this title: add a column Handle.")
		return false
	case p.current != nil && p.current.input.Handle == handle:
		return false
	}
	line := p.line()
	if first, again := p.firstLines[handle]; again {
		p.addProblem(colHandle, "The rows of a product must be consecutive: move this row to those of %s, which begin on line %d.", handle, first)
		p.current = nil
		return false
	}
	p.firstLines[handle] = line
	p.current = &fileProduct{line: line, input: ProductInput{Handle: handle}}
	p.file.products = append(p.file.products, p.current)
	return true
}

// finish sorts the images of each product by position.
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

// cell returns a cell of the current row. It is empty if the file lacks the column.
func (p *fileParser) cell(c column) string {
	if i := p.columns[c]; i >= 0 && i < len(p.record) {
		return input.UnguardFormulas(p.record[i])
	}
	return ""
}

// line returns the line on which the current row begins.
func (p *fileParser) line() int { return p.lineOf(0) }

func (p *fileParser) lineOf(cell int) int {
	line, _ := p.csv.FieldPos(cell)
	return line
}

// addProblem adds a problem of a cell of the current row.
func (p *fileParser) addProblem(c column, format string, args ...any) {
	line := p.line()
	if i := p.columns[c]; i >= 0 && i < len(p.record) {
		line = p.lineOf(i)
	}
	p.problems.add(line, p.file.header[c], format, args...)
}
