package productfile

import (
	"net/url"
	"slices"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"

	"storefront/shop/input"
)

// parser reads the products of a file of Shopify, of Matrixify, or of an own export. The rows
// of a product are consecutive.
type parser struct {
	*rowReader
	file       *File
	columns    [columnCount]int // index in a record; -1 if the file lacks the column
	locations  []int            // indexes of columns with the stock of one location
	translated map[Column]int   // indexes of columns with the language in brackets
	current    *Product
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
func (p *parser) readHeader(header []string) (ok bool) {
	for c := range p.columns {
		p.columns[c] = -1
	}
	ok = true
	for i, name := range header {
		if is, valid := p.readTranslated(i, name); is {
			ok = ok && valid
			continue
		}
		c := findColumn(name)
		switch {
		case c == columnCount && name != "":
			if isLocation(name) {
				p.locations = append(p.locations, i)
			}
			p.file.Ignored = append(p.file.Ignored, name)
		case c == columnCount:
		case p.columns[c] >= 0:
			p.Findings.Add(Place{p.line(), name}, ProblemColumnTwice,
				"The column occurs twice: remove one of the two.")
			ok = false
		default:
			p.columns[c], p.file.Has[c], p.file.header[c] = i, true, name
		}
	}
	p.mergeColumns()
	p.ignoreCosts()
	for c, names := range columnNames {
		if p.file.header[c] == "" && names != nil {
			p.file.header[c] = names[0]
		}
	}
	if !p.file.Has[ColHandle] && !p.file.Has[ColTitle] {
		p.Findings.Add(Place{p.line(), columnNames[ColHandle][0]}, ProblemColumnMissing,
			"The column is missing: the first row must contain the column names of a "+
				"product export of Shopify, Matrixify or WooCommerce.")
		ok = false
	}
	return ok
}

// mergeColumns decides which of several columns with the same meaning is read.
func (p *parser) mergeColumns() {
	has := &p.file.Has
	ignore := func(c Column) { p.file.Ignored = append(p.file.Ignored, p.file.header[c]) }
	switch {
	case has[ColWeight] && !has[ColGrams]:
		has[ColGrams], p.file.header[ColGrams] = true, p.file.header[ColWeight]
	case has[ColGrams] && has[ColWeightUnit]:
		ignore(ColWeightUnit) // in which Shopify shows the grams
		if has[ColWeight] {
			ignore(ColWeight)
		}
	}
	if has[ColStock] {
		p.locations = nil
	} else if len(p.locations) > 0 {
		has[ColStock], p.file.header[ColStock] = true, locationName
		p.file.Ignored = slices.DeleteFunc(p.file.Ignored, isLocation)
	}
}

// ignoreCosts ignores the column of costs for an importer who may not view them.
func (p *parser) ignoreCosts() {
	if p.NoCosts && p.columns[ColCost] >= 0 {
		p.file.Ignored = append(p.file.Ignored, p.file.header[ColCost])
		p.columns[ColCost], p.file.Has[ColCost] = -1, false
	}
}

// Matrixify has a column such as "Inventory Available: Dhaka" for each location of the shop.
const (
	locationPrefix = "inventory available: "
	locationName   = "Inventory Available"
)

func isLocation(name string) bool {
	return strings.HasPrefix(strings.ToLower(name), locationPrefix)
}

func findColumn(name string) Column {
	if before, _, ok := strings.Cut(name, " ["); ok {
		name = before
	}
	for c, names := range columnNames {
		if slices.ContainsFunc(
			names,
			func(alias string) bool { return strings.EqualFold(alias, name) },
		) {
			return Column(c)
		}
	}
	return columnCount
}

// Next implements [Source].
func (p *parser) Next() (*Product, error) {
	for {
		before := p.current
		ok, err := p.read()
		if err != nil {
			return nil, err
		}
		if ok {
			p.file.Rows++
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

func (p *parser) Close() error { return nil }

// findExcess returns the line of the first product beyond the limit, 0 if there is none.
func (p *parser) findExcess() (line int, err error) {
	seen := map[string]struct{}{}
	for {
		*p.Findings = Findings{} // rows with problems count, too
		ok, err := p.read()
		if err != nil {
			return 0, err
		}
		if !ok {
			return 0, nil
		}
		handle, _, _ := p.handle()
		if _, known := seen[handle]; known || handle == "" || p.isSkipped() {
			continue
		}
		if len(seen) == maxProducts {
			return p.line(), nil
		}
		seen[strings.Clone(handle)] = struct{}{}
	}
}

const tooManyProducts = "A file must have at most 250,000 products."

// handle returns the handle of the row, as the file has it and as a valid one; "" if it has none.
func (p *parser) handle() (handle, raw string, from Column) {
	if p.file.Has[ColHandle] {
		raw = input.CleanLine(p.cell(ColHandle))
		return slugHandle(raw), raw, ColHandle
	}
	raw = input.CleanLine(p.cell(ColTitle))
	return titleHandle(raw), raw, ColTitle
}

// readRow reads one record: the first row of a product, or a further variant, image or both.
func (p *parser) readRow() {
	first := p.startProduct()
	if p.current == nil {
		return
	}
	if first {
		p.readProduct()
	} else if title := input.CleanLine(p.cell(ColTitle)); title != "" && title != p.current.Title {
		p.addProblem(ColTitle, ProblemTitleDiffers,
			"The title differs from the first row of the handle %s: correct it or leave it empty.",
			p.current.Handle)
	}
	if first || p.hasVariant() {
		p.readVariant(first)
	}
	p.readImage()
}

// startProduct sets current to the product of the row. first reports whether it is the product's
// first row.
func (p *parser) startProduct() (first bool) {
	handle, raw, from := p.handle()
	switch {
	case handle != "":
	case from == ColTitle:
		p.addProblem(ColTitle, ProblemNoHandle,
			"No handle can be derived from this title: add a column Handle.")
		return false
	case raw == "":
		p.addProblem(ColHandle, ProblemMissing, "The handle is required.")
		return false
	default:
		handle = input.CleanHandle(raw) // rejected by the rules of products
	}
	if handle == p.skipped {
		return false
	}
	clean := input.CleanHandle(raw)
	if p.current != nil && p.current.Handle == handle && p.raw == clean {
		return false
	}
	handle = strings.Clone(handle)
	if p.skip(handle) {
		return false
	}
	if len(p.firstLines) == maxProducts {
		p.stop(tooManyProducts)
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
				"The handle becomes %s, which the product on line %d has too: change one of the two.", handle,
				earlier.line)
		} else {
			p.addProblem(from, ProblemRowsApart,
				"The rows of a product must be consecutive: "+
					"move this row to the rows of %s, which begin on line %d.",
				handle, earlier.line)
		}
		p.current = nil
		return false
	}
	if found.raw != "" && from == ColHandle {
		p.addNote(ColHandle, NoteHandleChanged,
			"The handle %q becomes %s. Links to the old address are not redirected.", raw, handle)
	}
	p.firstLines[handle] = found
	p.current, p.raw = &Product{Line: found.line, Handle: handle}, strings.Clone(clean)
	return true
}

// command returns the value of Matrixify's column Command.
func (p *parser) command() string { return strings.ToUpper(strings.TrimSpace(p.cell(ColCommand))) }

// isSkipped reports whether the row is not to be imported.
func (p *parser) isSkipped() bool { return p.command() == "DELETE" || p.command() == "IGNORE" }

// skip reports whether the rows of a product are not to be imported.
func (p *parser) skip(handle string) bool {
	if !p.isSkipped() {
		return false
	}
	p.addNote(ColCommand, NoteRowSkipped,
		"The product %s is not imported, because its command is %s. "+
			"The shop's own product, if there is one, stays.",
		handle, p.command())
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
	handle := input.CleanHandle(text)
	if input.IsHandle(handle) {
		return handle
	}
	var b strings.Builder
	gap := false
	for _, r := range handle {
		switch {
		case unicode.In(r, unicode.L, unicode.N) || r == '_' && b.Len() > 0,
			unicode.Is(unicode.M, r) && b.Len() > 0 && !gap:
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

// cell returns a cell of the current row. It is empty if the file lacks the column.
func (p *parser) cell(c Column) string { return p.at(p.columns[c]) }

// addProblem adds a problem of a cell of the current row.
func (p *parser) addProblem(c Column, code ProblemCode, format string, args ...any) {
	p.Findings.Add(Place{p.lineOf(p.columns[c]), p.file.header[c]}, code, format, args...)
}

// addNote adds a note about a cell of the current row.
func (p *parser) addNote(c Column, kind NoteKind, format string, args ...any) {
	p.Findings.Note(Place{p.lineOf(p.columns[c]), p.file.header[c]}, kind, format, args...)
}
