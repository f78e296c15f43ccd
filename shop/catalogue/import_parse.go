package catalogue

import (
	"net/url"
	"slices"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"

	"storefront/shop/input"
)

// fileParser reads the products of a file of Shopify, of Matrixify, or of an own export. The rows
// of a product are consecutive.
type fileParser struct {
	*rowReader
	file       *productFile
	columns    [columnCount]int // index in a record; -1 if the file lacks the column
	locations  []int            // indexes of columns with the stock of one location
	current    *fileProduct
	raw        string // cell of the handle of current, cleaned
	skipped    string // handle of the product with skipped rows
	firstLines map[string]firstLine
}

// firstLine is the first row of a product.
type firstLine struct {
	line int
	raw  string // cell of the handle, cleaned, if it differs from the handle
}

// readHeader finds the columns. ok is false if the rows cannot be read with this header.
func (p *fileParser) readHeader(header []string) (ok bool) {
	for c := range p.columns {
		p.columns[c] = -1
	}
	ok = true
	for i, name := range header {
		c := findColumn(name)
		switch {
		case c == columnCount && name != "":
			if strings.HasPrefix(strings.ToLower(name), locationPrefix) {
				p.locations = append(p.locations, i)
			}
			p.file.ignored = append(p.file.ignored, name)
		case c == columnCount:
		case p.columns[c] >= 0:
			p.findings.add(filePlace{p.line(), name}, ProblemColumnTwice, "The column occurs twice: remove one of the two.")
			ok = false
		default:
			p.columns[c], p.file.has[c], p.file.header[c] = i, true, name
		}
	}
	p.mergeColumns()
	p.ignoreCosts()
	for c, names := range columnNames {
		if p.file.header[c] == "" && names != nil {
			p.file.header[c] = names[0]
		}
	}
	if !p.file.has[colHandle] && !p.file.has[colTitle] {
		p.findings.add(filePlace{p.line(), columnNames[colHandle][0]}, ProblemColumnMissing,
			"The column is missing: the first row must contain the column names of a "+
				"product export of Shopify, Matrixify or WooCommerce.")
		ok = false
	}
	return ok
}

// mergeColumns decides which of several columns with the same meaning is read.
func (p *fileParser) mergeColumns() {
	has, ignore := &p.file.has, func(c column) { p.file.ignored = append(p.file.ignored, p.file.header[c]) }
	switch {
	case has[colWeight] && !has[colGrams]:
		has[colGrams], p.file.header[colGrams] = true, p.file.header[colWeight]
	case has[colGrams] && has[colWeightUnit]:
		ignore(colWeightUnit) // in which Shopify shows the grams
		if has[colWeight] {
			ignore(colWeight)
		}
	}
	if has[colStock] {
		p.locations = nil
	} else if len(p.locations) > 0 {
		has[colStock], p.file.header[colStock] = true, locationName
		p.file.ignored = slices.DeleteFunc(p.file.ignored, func(name string) bool { return strings.HasPrefix(strings.ToLower(name), locationPrefix) })
	}
}

// ignoreCosts ignores the column of costs for an importer who may not view them.
func (p *fileParser) ignoreCosts() {
	if p.noCosts && p.columns[colCost] >= 0 {
		p.file.ignored = append(p.file.ignored, p.file.header[colCost])
		p.columns[colCost], p.file.has[colCost] = -1, false
	}
}

// Matrixify has a column such as "Inventory Available: Dhaka" for each location of the shop.
const (
	locationPrefix = "inventory available: "
	locationName   = "Inventory Available"
)

func findColumn(name string) column {
	if before, _, ok := strings.Cut(name, " ["); ok {
		name = before
	}
	for c, names := range columnNames {
		if slices.ContainsFunc(names, func(alias string) bool { return strings.EqualFold(alias, name) }) {
			return column(c)
		}
	}
	return columnCount
}

// next implements productSource.
func (p *fileParser) next() (*fileProduct, error) {
	for {
		before := p.current
		ok, err := p.read()
		if err != nil {
			return nil, err
		}
		if ok {
			p.file.rows++
			if p.check() {
				p.readRow()
			}
		} else {
			p.current = nil
		}
		if before != nil && p.current != before {
			before.sortImages()
			return before, nil
		}
		if !ok {
			return nil, nil
		}
	}
}

func (p *fileParser) close() error { return nil }

// readRow reads one record: the first row of a product, or a further variant, image or both.
func (p *fileParser) readRow() {
	first := p.startProduct()
	if p.current == nil {
		return
	}
	if first {
		p.readProduct()
	} else if title := cleanLine(p.cell(colTitle)); title != "" && title != p.current.Input.Title {
		p.addProblem(colTitle, ProblemTitleDiffers,
			"The title differs from the first row of the handle %s: correct it or leave it empty.", p.current.Input.Handle)
	}
	if first || p.hasVariant() {
		p.readVariant(first)
	}
	p.readImage()
}

// startProduct sets current to the product of the row. first reports whether it is the product's
// first row.
func (p *fileParser) startProduct() (first bool) {
	raw, from := cleanLine(p.cell(colHandle)), colHandle
	handle := slugHandle(raw)
	if !p.file.has[colHandle] {
		raw, from = cleanLine(p.cell(colTitle)), colTitle
		handle = titleHandle(raw)
	}
	switch {
	case handle != "":
	case from == colTitle:
		p.addProblem(colTitle, ProblemNoHandle, "No handle can be derived from this title: add a column Handle.")
		return false
	case raw == "":
		p.addProblem(colHandle, ProblemMissing, "The handle is required.")
		return false
	default:
		handle = CleanHandle(raw) // rejected by the rules of products
	}
	if handle == p.skipped {
		return false
	}
	clean := CleanHandle(raw)
	if p.current != nil && p.current.Input.Handle == handle && p.raw == clean {
		return false
	}
	handle = strings.Clone(handle)
	if p.skip(handle) {
		return false
	}
	if len(p.firstLines) == maxFileProducts {
		p.stop("A file must have at most 250,000 products.")
		p.current = nil
		return false
	}
	found := firstLine{line: p.line()}
	if clean != "" && clean != handle {
		found.raw = strings.Clone(clean)
	}
	if earlier, again := p.firstLines[handle]; again {
		if earlier.raw != found.raw {
			p.addProblem(from, ProblemHandleTaken,
				"The handle becomes %s, which the product on line %d has too: change one of the two.", handle, earlier.line)
		} else {
			p.addProblem(from, ProblemRowsApart,
				"The rows of a product must be consecutive: move this row to the rows of %s, which begin on line %d.", handle, earlier.line)
		}
		p.current = nil
		return false
	}
	if found.raw != "" && from == colHandle {
		p.addNote(colHandle, NoteHandleChanged, "The handle %q becomes %s. Links to the old address are not redirected.", raw, handle)
	}
	p.firstLines[handle] = found
	p.current, p.raw = &fileProduct{Line: found.line, Input: ProductInput{Handle: handle}}, strings.Clone(clean)
	return true
}

// skip reports whether the rows of a product are not to be imported, by Matrixify's column Command.
func (p *fileParser) skip(handle string) bool {
	command := strings.ToUpper(strings.TrimSpace(p.cell(colCommand)))
	if command != "DELETE" && command != "IGNORE" {
		return false
	}
	p.addNote(colCommand, NoteRowSkipped,
		"The product %s is not imported, because its command is %s. The shop's own product, if there is one, stays.", handle, command)
	p.current, p.skipped = nil, handle
	return true
}

// titleHandle returns the handle for a title: plain Latin letters and digits if they are all that
// the title has, because titles that share their Latin words need different handles.
func titleHandle(title string) string {
	for _, r := range norm.NFKD.String(title) {
		if r > unicode.MaxASCII && (unicode.IsLetter(r) || unicode.IsDigit(r)) {
			return slugHandle(title)
		}
	}
	return input.Slug(title)
}

// slugHandle returns the valid handle for the text of a cell: letters, digits, hyphens and
// underscores. It is "" for a text without letters and digits.
func slugHandle(text string) string {
	if strings.Contains(text, "%") {
		if decoded, err := url.PathUnescape(text); err == nil {
			text = input.Clean(decoded)
		}
	}
	handle := CleanHandle(text)
	if handlePattern.MatchString(handle) {
		return handle
	}
	var b strings.Builder
	gap := false
	for _, r := range handle {
		switch {
		case unicode.In(r, unicode.L, unicode.N) || r == '_' && b.Len() > 0, unicode.Is(unicode.M, r) && b.Len() > 0 && !gap:
			if gap && b.Len() > 0 {
				b.WriteByte('-')
			}
			gap = false
			b.WriteRune(r)
		case r == '™' || r == '®' || r == '©' || r == '\'' || r == '’': // part of a word
		default:
			gap = true
		}
	}
	return b.String()
}

// sortImages sorts the images by position.
func (p *fileProduct) sortImages() {
	slices.SortStableFunc(p.Images, func(a, b fileImage) int {
		if (a.Position == 0) != (b.Position == 0) {
			return b.Position - a.Position
		}
		return a.Position - b.Position
	})
}

// cell returns a cell of the current row. It is empty if the file lacks the column.
func (p *fileParser) cell(c column) string { return p.at(p.columns[c]) }

// addProblem adds a problem of a cell of the current row.
func (p *fileParser) addProblem(c column, code ProblemCode, format string, args ...any) {
	p.findings.add(filePlace{p.lineOf(p.columns[c]), p.file.header[c]}, code, format, args...)
}

// addNote adds a note about a cell of the current row.
func (p *fileParser) addNote(c column, kind NoteKind, format string, args ...any) {
	p.findings.note(p.lineOf(p.columns[c]), p.file.header[c], kind, format, args...)
}
