package productfile

import (
	"encoding/json"
	"fmt"
	"html"
	"io"
	"regexp"
	"slices"
	"strings"

	"storefront/shop/fault"
	"storefront/shop/input"
)

// wooSource reads the products of a WooCommerce export. The variations of a product may be anywhere
// in the file, so all rows are read first and spooled.
type wooSource struct {
	*parser    // reads the cells of the current row
	woo        wooColumns
	attributes []wooAttributeColumns
	weightUnit string

	spool    *TempFile
	size     int64 // of the spool, in bytes
	products []wooProduct
	byKey    map[string]int // index in products by "id:100" and "sku:…"
	orphans  []wooOrphan    // variations, until all products are known
	returned int            // products returned
	handles  map[string]int // products by handle
	suffixes map[string]int // the last one of a handle that several products would have

	categories map[string]map[string]bool // the paths that end in a category, by its folded name
	places     int                        // how many paths categories has
	noted      map[string]bool            // categories that have a note
}

// wooProduct is the place of a product's rows in the spool.
type wooProduct struct {
	row        int64
	skipped    bool
	variations []int64
}

// wooOrphan is a variation.
type wooOrphan struct {
	row    int64
	line   int
	parent string
}

// wooRow is a spooled row.
type wooRow struct {
	Cells []string
	Lines []int
}

// openWooFile reads all rows and returns the source of their products.
func openWooFile(reader *rowReader, header []string) (*File, Source, error) {
	s := &wooSource{
		parser: &parser{rowReader: reader, file: &File{Format: WooCommerce}},
		byKey:  map[string]int{}, handles: map[string]int{}, suffixes: map[string]int{},
		categories: map[string]map[string]bool{}, noted: map[string]bool{},
	}
	if !s.readHeader(header) {
		return s.file, nil, nil
	}
	var err error
	if s.spool, err = CreateTemp(); err != nil {
		return nil, nil, err
	}
	if err := s.readRows(); err != nil {
		_ = s.Close()
		return nil, nil, err
	}
	return s.file, s, nil
}

func (s *wooSource) Close() error {
	s.spool.Close()
	return nil
}

// readRows spools all rows and finds the variations of each product.
func (s *wooSource) readRows() error {
	for {
		ok, err := s.read()
		if err != nil {
			return err
		}
		if !ok {
			break
		}
		s.file.Rows++
		if s.check() {
			s.unquoteNegatives()
			s.readRow()
		}
		switch {
		case len(s.products) > maxProducts:
			s.stop(tooManyProducts)
		case len(s.orphans) > maxVariations:
			s.stop("A file must have at most 1,000,000 variations.")
		case s.places > MaxCollections:
			s.stop("A file must have at most 10,000 categories.")
		}
	}
	for _, v := range s.orphans {
		i, ok := s.byKey[v.parent]
		switch {
		case !ok:
			s.Findings.Add(Place{v.line, "Parent"}, ProblemNoParent,
				"The file has no product %s: export the products with all their types.",
				strings.TrimPrefix(v.parent, "sku:"))
		default:
			s.products[i].variations = append(s.products[i].variations, v.row)
		}
	}
	s.orphans, s.byKey = nil, nil
	if err := s.spool.Out.Flush(); err != nil {
		return fmt.Errorf("write temporary file: %w", err)
	}
	return nil
}

// quotedNegative is a negative number as older versions of WooCommerce wrote it.
var quotedNegative = regexp.MustCompile(`^\s*['’](-\d[\d.,]*)['’]\s*$`)

// unquoteNegatives removes the quotes around the negative numbers of the current row.
func (s *wooSource) unquoteNegatives() {
	for i, cell := range s.record {
		if match := quotedNegative.FindStringSubmatch(cell); match != nil {
			s.record[i] = match[1]
		}
	}
}

func (s *wooSource) readRow() {
	row, line := s.spoolRow(), s.line()
	s.addCategories()
	base, _ := s.kind()
	if base == "variation" {
		parent := strings.TrimSpace(s.at(s.woo.parent))
		if parent == "" {
			s.Findings.Add(Place{s.lineOf(s.woo.parent), "Parent"}, ProblemParentMissing,
				"A variation must have the SKU of its product, or id: and its ID.")
			return
		}
		if !strings.HasPrefix(parent, "id:") {
			parent = "sku:" + parent
		}
		s.orphans = append(s.orphans, wooOrphan{row: row, line: line, parent: strings.Clone(parent)})
		return
	}
	product := wooProduct{row: row}
	if base != "simple" && base != "variable" {
		product.skipped = true
		name := s.text(s.at(s.columns[ColTitle]))
		reason := "its type " + base + " belongs to an extension"
		switch base {
		case "grouped":
			reason = "it only groups other products; create a collection of them"
		case "external":
			reason = "it is sold elsewhere"
		}
		s.Findings.Note(Place{line, "Type"}, NoteRowSkipped, "The product %s is not imported: %s.", name,
			reason)
	}
	s.products = append(s.products, product)
	index := len(s.products) - 1
	if id := strings.TrimSpace(s.at(s.woo.id)); id != "" {
		s.byKey["id:"+strings.Clone(id)] = index
	}
	if sku := strings.TrimSpace(s.cell(ColSKU)); sku != "" {
		if _, ok := s.byKey["sku:"+sku]; !ok {
			s.byKey["sku:"+strings.Clone(sku)] = index
		}
	}
}

// addCategories adds the categories of the current row.
func (s *wooSource) addCategories() {
	paths, _ := s.paths() // a problem of the product, when it is built
	for _, path := range paths {
		for n := range path {
			key, whole := input.FoldKey(path[n]), strings.Join(path[:n+1], wooPathSeparator)
			if s.categories[key] == nil {
				s.categories[key] = map[string]bool{}
			}
			if !s.categories[key][whole] {
				s.categories[key][whole] = true
				s.places++
			}
		}
	}
}

// kind returns the type of the current row without "virtual" and "downloadable", and these.
func (s *wooSource) kind() (base string, flags []string) {
	base = "simple"
	for part := range strings.SplitSeq(strings.ToLower(s.at(s.woo.kind)), ",") {
		switch part = strings.TrimSpace(part); part {
		case "":
		case "virtual", "downloadable":
			flags = append(flags, part)
		default:
			base = strings.Clone(part)
		}
	}
	return base, flags
}

// spoolRow writes the current row to the spool and returns its place.
func (s *wooSource) spoolRow() (at int64) {
	row := wooRow{Cells: s.record, Lines: make([]int, len(s.record))}
	for i := range row.Lines {
		row.Lines[i] = s.lineOf(i)
	}
	text, err := json.Marshal(row)
	if err != nil {
		panic(err) // impossible: strings and numbers
	}
	at = s.size
	written, _ := fmt.Fprintf(s.spool.Out, "%s\n", text) // readRows reports an error when it flushes
	s.size += int64(written)
	return at
}

// load makes a spooled row the current one.
func (s *wooSource) load(at int64) error {
	var row wooRow
	section := io.NewSectionReader(s.spool.File, at, s.size-at)
	if err := json.NewDecoder(section).Decode(&row); err != nil {
		return fmt.Errorf("read temporary file: %w", err)
	}
	s.record, s.lines = row.Cells, row.Lines
	return nil
}

// text returns a cell of plain text, in which WooCommerce may have escaped HTML.
func (s *wooSource) text(cell string) string { return input.CleanLine(html.UnescapeString(cell)) }

// list splits a cell at its commas, unless they are escaped. ok is false if there are too many
// entries; the excess is omitted.
func (s *wooSource) list(cell string) (items []string, ok bool) {
	const comma = "\x00"
	for item := range strings.SplitSeq(strings.ReplaceAll(cell, `\,`, comma), ",") {
		if item = s.text(strings.ReplaceAll(item, comma, ",")); item == "" {
			continue
		}
		if len(items) == maxListed {
			return items, false
		}
		items = append(items, item)
	}
	return items, true
}

// listOf is list of a column. Too many entries are a problem.
func (s *wooSource) listOf(c Column) []string {
	items, ok := s.list(s.cell(c))
	if !ok {
		s.problemListed(c)
	}
	return items
}

const (
	wooPathSeparator = " > "
	wooPathDepth     = 20 // categories above each other
)

// paths returns the categories of the current row, each with its ancestors. ok is false if there
// are too many; the excess is omitted.
func (s *wooSource) paths() (paths [][]string, ok bool) {
	items, ok := s.list(s.cell(ColCollections))
	for _, item := range items {
		var path []string
		for part := range strings.SplitSeq(item, ">") {
			if part = strings.TrimSpace(part); part == "" {
				continue
			}
			if len(path) == wooPathDepth {
				ok = false
				break
			}
			path = append(path, part)
		}
		if len(path) > 0 {
			paths = append(paths, path)
		}
	}
	return paths, ok
}

// collections returns the titles of the collections of the current row: its categories and their
// ancestors, because WooCommerce also lists the product there.
func (s *wooSource) collections() []string {
	titles := []string{}
	note := func(name, format string, args ...any) {
		if !s.noted[name] {
			s.noted[name] = true
			s.addNote(ColCollections, NoteCategoryChanged, format, args...)
		}
	}
	paths, ok := s.paths()
	if !ok {
		s.addProblem(ColCollections, ProblemCode(fault.CodeInvalidValue),
			"Must have at most %d categories, at most %d above each other.", maxListed, wooPathDepth)
	}
	for _, path := range paths {
		for n, name := range path {
			if strings.EqualFold(name, "uncategorized") {
				note(name, "The category %s is not imported.", name)
				continue
			}
			if whole := strings.Join(path[:n+1], wooPathSeparator); len(
				s.categories[input.FoldKey(name)],
			) > 1 &&
				n > 0 {
				note(whole, "Several categories are named %s: the collection of this one is %s.", name, whole)
				name = whole
			}
			if !slices.Contains(titles, name) {
				titles = append(titles, name)
			}
		}
	}
	return titles
}

// Next implements [Source].
func (s *wooSource) Next() (*Product, error) {
	for s.returned < len(s.products) {
		place := s.products[s.returned]
		s.returned++
		if place.skipped {
			if err := s.skipVariations(place); err != nil {
				return nil, err
			}
			continue
		}
		product, err := s.build(place)
		if err != nil {
			return product, err
		}
		if product != nil {
			return product, nil
		}
	}
	return nil, nil
}

func (s *wooSource) skipVariations(place wooProduct) error {
	for _, at := range place.variations {
		if err := s.load(at); err != nil {
			return err
		}
		s.Findings.Note(Place{s.line(), "Type"}, NoteRowSkipped,
			"The variation is not imported, because its product is not.")
	}
	return nil
}
