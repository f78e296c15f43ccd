package catalogue

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"storefront/db"
	"storefront/shop/input"
)

// facetTable has the values of all published products by which lists are filtered and facets are
// counted. Checking 10,000 products in it takes less than a millisecond, the database would need a
// hundred. It must not be modified.
type facetTable struct {
	version  uint64          // content version
	products []*facetProduct // by ID; also those to be published later
	loads    int             // products loaded since the terms were empty

	vendors, types, tags, collections, options facetTerms

	groups       []string // names of the options, by group
	groupOf      []int    // group of each option
	groupByName  map[string]int
	labels       [facetFields][]string // the text that is shown, by the first text with its key
	optionPlaces []float64             // average place of each option among the values of its product
}

// The fields of products. Prices have no labels.
const (
	vendorField = iota
	typeField
	tagField
	priceField
	optionField
	facetFields
)

// facetProduct has the values of one product.
type facetProduct struct {
	id                string
	number, revision  int64
	publishedAt       int64
	price             int64
	onSale            bool
	vendor, kind      uint32
	tags, collections []uint32
	variants          []facetVariant
}

type facetVariant struct {
	options [MaxOptions]uint32
	canBuy  bool
}

// facetTable returns the table of a content version, or of a newer one. version was read before the
// transaction began.
func (c *Catalogue) facetTable(tx *db.Tx, version uint64) (*facetTable, error) {
	if table := c.products.findTable(c.cacheNumber); table != nil && table.version >= version {
		return table, nil
	}
	c.tableLock.Lock()
	defer c.tableLock.Unlock()
	last := c.products.findTable(c.cacheNumber)
	if last != nil && last.version >= version {
		return last, nil
	}
	if last == nil || last.loads > 2*len(last.products)+fewNumbers { // so that terms without products are dropped
		last = &facetTable{}
	}
	table, err := last.update(tx)
	if err != nil {
		return nil, err
	}
	table.version = version
	c.products.putTable(c.cacheNumber, table)
	return table, nil
}

// maxLoaded limits the products that are loaded at the same time, and so the memory for them.
const maxLoaded = 20_000

// update returns the table of the transaction. It loads the products that the last one lacks.
func (t *facetTable) update(tx *db.Tx) (*facetTable, error) {
	next := &facetTable{
		loads: t.loads, vendors: t.vendors, types: t.types, tags: t.tags, collections: t.collections, options: t.options,
	}
	for _, terms := range []*facetTerms{&next.vendors, &next.types, &next.tags, &next.collections, &next.options} {
		if terms.shared = true; terms.numbers == nil {
			terms.copy()
		}
	}
	revisions, err := findFacetRevisions(tx)
	if err != nil {
		return nil, err
	}
	missing := next.reuse(t.products, revisions)
	if len(missing) == 0 && len(next.products) == len(t.products) {
		same := *t
		return &same, nil
	}
	size := db.MaxList
	if len(missing) > len(next.products)/2 && len(missing) <= maxLoaded {
		size = maxLoaded
	}
	at := 0
	for chunk := range slices.Chunk(missing, size) {
		loaded, err := next.load(tx, chunk)
		if err != nil {
			return nil, err
		}
		for _, id := range chunk {
			for next.products[at] != nil {
				at++
			}
			next.products[at] = loaded[id]
			next.products[at].revision = revisions[at].revision
		}
	}
	next.loads += len(missing)
	next.describe()
	return next, nil
}

// reuse sets the products to the old ones with the same revision, nil for others, and returns the
// IDs of the others. Both lists are sorted by ID.
func (t *facetTable) reuse(old []*facetProduct, revisions []facetRevision) (missing []string) {
	t.products = make([]*facetProduct, len(revisions))
	for i, r := range revisions {
		for len(old) > 0 && old[0].id < r.id {
			old = old[1:]
		}
		if len(old) > 0 && old[0].id == r.id && old[0].revision == r.revision {
			t.products[i] = old[0]
		} else {
			missing = append(missing, r.id)
		}
	}
	return missing
}

// describe sets the fields that depend on all products.
func (t *facetTable) describe() {
	all := [...]*facetTerms{vendorField: &t.vendors, typeField: &t.types, tagField: &t.tags, optionField: &t.options}
	for field, terms := range all {
		if terms != nil {
			t.labels[field] = make([]string, len(terms.texts))
		}
	}
	show := func(field int, n uint32) {
		terms := all[field]
		label := &t.labels[field][terms.firsts[n]]
		if text := terms.texts[n]; n != 0 && (*label == "" || text < *label) {
			*label = text
		}
	}
	places, counts := make([]int, len(t.options.texts)), make([]int, len(t.options.texts))
	var values []uint32
	for _, p := range t.products {
		show(vendorField, p.vendor)
		show(typeField, p.kind)
		for _, n := range p.tags {
			show(tagField, n)
		}
		for i := range MaxOptions {
			values = values[:0]
			for _, v := range p.variants {
				if n := v.options[i]; n != 0 && !slices.Contains(values, n) {
					show(optionField, n)
					first := t.options.firsts[n]
					places[first], counts[first] = places[first]+len(values), counts[first]+1
					values = append(values, n)
				}
			}
		}
	}
	t.optionPlaces = make([]float64, len(places))
	for n := range places {
		t.optionPlaces[n] = float64(places[n]) / float64(max(counts[n], 1))
	}
	t.group()
}

// group sets the groups of the options.
func (t *facetTable) group() {
	t.groupByName, t.groupOf = map[string]int{}, make([]int, len(t.options.texts))
	names := map[string]string{}
	for n, key := range t.options.keys {
		if label := t.labels[optionField][n]; label != "" {
			name, _, _ := strings.Cut(label, optionSeparator)
			key, _, _ := strings.Cut(key, optionSeparator)
			if shown, ok := names[key]; !ok || name < shown {
				names[key] = name
			}
		}
	}
	for i, key := range slices.Sorted(maps.Keys(names)) {
		t.groupByName[key], t.groups = i, append(t.groups, names[key])
	}
	for n, key := range t.options.keys {
		key, _, _ = strings.Cut(key, optionSeparator)
		t.groupOf[n] = t.groupByName[key]
	}
}

// load returns products by their IDs.
func (t *facetTable) load(tx *db.Tx, ids []string) (map[string]*facetProduct, error) {
	rows, err := findFacetRows(tx, ids)
	if err != nil {
		return nil, err
	}
	products := make(map[string]*facetProduct, len(rows))
	for _, r := range rows {
		p := new(r.facetProduct)
		p.vendor, p.kind = t.vendors.number(r.vendor, input.FoldKey), t.types.number(r.kind, input.FoldKey)
		for _, tag := range r.tags {
			p.tags = append(p.tags, t.tags.number(tag, input.FoldKey))
		}
		for _, id := range r.collections {
			p.collections = append(p.collections, t.collections.number(id, strings.Clone))
		}
		slices.SortFunc(r.rows, func(a, b facetVariantRow) int { return cmp.Compare(a.position, b.position) })
		p.variants = make([]facetVariant, len(r.rows))
		for n, v := range r.rows {
			p.variants[n].canBuy = v.canBuy
			for i, name := range r.optionNames {
				p.variants[n].options[i] = t.options.number(name+optionSeparator+v.values[i], foldOption)
			}
		}
		products[p.id] = p
	}
	return products, nil
}

// find returns the product with an ID, nil if the table lacks it.
func (t *facetTable) find(id string) *facetProduct {
	at, ok := slices.BinarySearchFunc(t.products, id, func(p *facetProduct, id string) int { return cmp.Compare(p.id, id) })
	if !ok {
		return nil
	}
	return t.products[at]
}

// weight estimates the memory that the table uses, in bytes.
func (t *facetTable) weight() int64 {
	const product, number, variant, term = 192, 4, 16, 160
	weight := 0
	for _, p := range t.products {
		weight += product + number*(len(p.tags)+len(p.collections)) + variant*len(p.variants)
	}
	for _, terms := range []*facetTerms{&t.vendors, &t.types, &t.tags, &t.collections, &t.options} {
		weight += term * len(terms.texts)
	}
	return int64(weight)
}
