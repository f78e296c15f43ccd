package catalogue

import (
	"encoding/json"
	"fmt"
	"html"
	"io"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"storefront/shop/fault"
	"storefront/shop/input"
)

// wooSource reads the products of a WooCommerce export. The variations of a product may be anywhere
// in the file, so all rows are read first and spooled.
type wooSource struct {
	*fileParser // reads the cells of the current row
	woo         wooColumns
	attributes  []wooAttributeColumns
	weightUnit  string

	spool    spoolFile
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

// wooColumns are the indexes of the columns that other exports do not have; -1 if the file lacks
// one.
type wooColumns struct {
	id, kind, short, visibility, saleStarts, saleEnds, inStock, parent, position, slug int
}

// wooAttributeColumns are the columns "Attribute 1 name" and "Attribute 1 value(s)".
type wooAttributeColumns struct{ name, values int }

// wooNames are the columns with the same meaning as one of columnNames.
var wooNames = map[string]column{
	"name": colTitle, "description": colBody, "sku": colSKU, "gtin, upc, ean, or isbn": colBarcode, "gtin": colBarcode,
	"published": colPublished, "stock": colStock, "low stock amount": colLowStock, "backorders allowed?": colPolicy,
	"sale price": colComparePrice, "regular price": colPrice, "categories": colCollections, "tags": colTags, "images": colImageURL,
	"brands": colVendor, "cost of goods": colCost, "meta: _wc_cog_cost": colCost, "meta: _cogs_total_value": colCost,
}

var (
	wooAttribute = regexp.MustCompile(`^attribute (\d+) (name|value\(s\))$`)
	wooDetails   = regexp.MustCompile(`^attribute \d+ (visible|global|default)$`)
	wooWeight    = regexp.MustCompile(`^weight(?: \(([a-z]+)\))?$`)
)

// isWooHeader reports whether a header belongs to a WooCommerce export.
func isWooHeader(header []string) bool {
	has := map[string]bool{}
	for _, name := range header {
		has[strings.ToLower(name)] = true
	}
	if has["handle"] || has["url handle"] || has["title"] || !has["name"] {
		return false
	}
	return has["regular price"] || has["type"] && (has["sku"] || has["id"] || has["parent"])
}

// openWooFile reads all rows and returns the source of their products.
func openWooFile(reader *rowReader, header []string) (*productFile, productSource, error) {
	s := &wooSource{
		fileParser: &fileParser{rowReader: reader, file: &productFile{format: FormatWooCommerce}},
		byKey:      map[string]int{}, handles: map[string]int{}, suffixes: map[string]int{},
		categories: map[string]map[string]bool{}, noted: map[string]bool{},
	}
	if !s.readHeader(header) {
		return s.file, nil, nil
	}
	if err := s.spool.create(); err != nil {
		return nil, nil, err
	}
	if err := s.readRows(); err != nil {
		_ = s.close()
		return nil, nil, err
	}
	return s.file, s, nil
}

func (s *wooSource) close() error {
	s.spool.close()
	return nil
}

// readHeader finds the columns. ok is false if one occurs twice.
func (s *wooSource) readHeader(header []string) (ok bool) {
	for c := range s.columns {
		s.columns[c] = -1
	}
	only := map[string]*int{
		"id": &s.woo.id, "type": &s.woo.kind, "short description": &s.woo.short, "visibility in catalog": &s.woo.visibility,
		"visibility in catalogue": &s.woo.visibility, "date sale price starts": &s.woo.saleStarts, "date sale price ends": &s.woo.saleEnds,
		"in stock?": &s.woo.inStock, "parent": &s.woo.parent, "position": &s.woo.position, "slug": &s.woo.slug,
	}
	for _, index := range only {
		*index = -1
	}
	ok = true
	attributes := map[int]*wooAttributeColumns{}
	set := func(index *int, i int, name string) {
		if *index >= 0 {
			s.findings.add(filePlace{s.line(), name}, ProblemColumnTwice, "The column occurs twice: remove one of the two.")
			ok = false
		}
		*index = i
	}
	for i, name := range header {
		key := strings.ToLower(name)
		if c, found := wooNames[key]; found {
			set(&s.columns[c], i, name)
			s.file.header[c] = name
			continue
		}
		if index := only[key]; index != nil {
			set(index, i, name)
			continue
		}
		if match := wooWeight.FindStringSubmatch(key); match != nil {
			set(&s.columns[colGrams], i, name)
			s.file.header[colGrams], s.weightUnit = name, match[1]
			continue
		}
		if match := wooAttribute.FindStringSubmatch(key); match != nil {
			n, err := strconv.Atoi(match[1])
			if err != nil {
				continue // a number of more than 18 digits
			}
			if attributes[n] == nil {
				attributes[n] = &wooAttributeColumns{-1, -1}
			}
			if match[2] == "name" {
				set(&attributes[n].name, i, name)
			} else {
				set(&attributes[n].values, i, name)
			}
			continue
		}
		if name != "" && !wooDetails.MatchString(key) {
			s.file.ignored = append(s.file.ignored, name)
		}
	}
	numbers := make([]int, 0, len(attributes))
	for n := range attributes {
		numbers = append(numbers, n)
	}
	slices.Sort(numbers)
	for _, n := range numbers {
		s.attributes = append(s.attributes, *attributes[n])
	}
	s.ignoreCosts()
	s.setFields()
	return ok
}

// setFields derives the fields of the file from its columns.
func (s *wooSource) setFields() {
	has, header := &s.file.has, &s.file.header
	for c, i := range s.columns {
		has[c] = i >= 0
	}
	same := func(from column, to ...column) {
		for _, c := range to {
			has[c], header[c] = has[from], header[from]
		}
	}
	has[colHandle], header[colHandle] = true, "Name"
	has[colBody] = has[colBody] || s.woo.short >= 0
	same(colPublished, colStatus)
	has[colPrice] = has[colPrice] || has[colComparePrice]
	has[colComparePrice] = has[colPrice]
	has[colStock] = has[colStock] || s.woo.inStock >= 0
	has[colTracker] = has[colStock]
	same(colImageURL, colVariantImage)
	for i := range MaxOptions {
		has[optionName(i)], has[optionValue(i)] = true, true
		header[optionName(i)], header[optionValue(i)] = fmt.Sprintf("Attribute %d name", i+1), fmt.Sprintf("Attribute %d value(s)", i+1)
	}
	for c, name := range map[column]string{
		colTitle: "Name", colBody: "Description", colSKU: "SKU", colStock: "Stock", colPrice: "Regular price", colComparePrice: "Sale price",
		colPublished: "Published", colStatus: "Published", colImageURL: "Images", colVariantImage: "Images", colTracker: "Stock",
	} {
		if header[c] == "" {
			header[c] = name
		}
	}
	for c, names := range columnNames {
		if header[c] == "" && names != nil {
			header[c] = names[0]
		}
	}
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
		s.file.rows++
		if s.check() {
			s.unquoteNegatives()
			s.readRow()
		}
		switch {
		case len(s.products) > maxFileProducts:
			s.stop("A file must have at most 250,000 products.")
		case len(s.orphans) > maxFileVariations:
			s.stop("A file must have at most 1,000,000 variations.")
		case s.places > maxFileCollections:
			s.stop("A file must have at most 10,000 categories.")
		}
	}
	for _, v := range s.orphans {
		i, ok := s.byKey[v.parent]
		switch {
		case !ok:
			s.findings.add(filePlace{v.line, "Parent"}, ProblemNoParent, "The file has no product %s: export the products with all their types.",
				strings.TrimPrefix(v.parent, "sku:"))
		default:
			s.products[i].variations = append(s.products[i].variations, v.row)
		}
	}
	s.orphans, s.byKey = nil, nil
	if err := s.spool.out.Flush(); err != nil {
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
			s.findings.add(filePlace{s.lineOf(s.woo.parent), "Parent"}, ProblemParentMissing,
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
		name := s.text(s.at(s.columns[colTitle]))
		reason := "its type " + base + " belongs to an extension"
		switch base {
		case "grouped":
			reason = "it only groups other products; create a collection of them"
		case "external":
			reason = "it is sold elsewhere"
		}
		s.findings.note(line, "Type", NoteRowSkipped, "The product %s is not imported: %s.", name, reason)
	}
	s.products = append(s.products, product)
	index := len(s.products) - 1
	if id := strings.TrimSpace(s.at(s.woo.id)); id != "" {
		s.byKey["id:"+strings.Clone(id)] = index
	}
	if sku := strings.TrimSpace(s.cell(colSKU)); sku != "" {
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
	written, _ := fmt.Fprintf(s.spool.out, "%s\n", text) // readRows reports an error when it flushes
	s.size += int64(written)
	return at
}

// load makes a spooled row the current one.
func (s *wooSource) load(at int64) error {
	var row wooRow
	if err := json.NewDecoder(io.NewSectionReader(s.spool.file, at, s.size-at)).Decode(&row); err != nil {
		return fmt.Errorf("read temporary file: %w", err)
	}
	s.record, s.lines = row.Cells, row.Lines
	return nil
}

// text returns a cell of plain text, in which WooCommerce may have escaped HTML.
func (s *wooSource) text(cell string) string { return cleanLine(html.UnescapeString(cell)) }

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
func (s *wooSource) listOf(c column) []string {
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
	items, ok := s.list(s.cell(colCollections))
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
			s.addNote(colCollections, NoteCategoryChanged, format, args...)
		}
	}
	paths, ok := s.paths()
	if !ok {
		s.addProblem(colCollections, ProblemCode(fault.CodeInvalidValue), "Must have at most %d categories, at most %d above each other.",
			maxListed, wooPathDepth)
	}
	for _, path := range paths {
		for n, name := range path {
			if strings.EqualFold(name, "uncategorized") {
				note(name, "The category %s is not imported.", name)
				continue
			}
			if whole := strings.Join(path[:n+1], wooPathSeparator); len(s.categories[input.FoldKey(name)]) > 1 && n > 0 {
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

// next implements productSource.
func (s *wooSource) next() (*fileProduct, error) {
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
		s.findings.note(s.line(), "Type", NoteRowSkipped, "The variation is not imported, because its product is not.")
	}
	return nil
}
