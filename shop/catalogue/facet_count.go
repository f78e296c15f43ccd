package catalogue

import (
	"cmp"
	"slices"
	"strings"
)

// Limits of the values of a facet.
const (
	maxFacetValues  = 100
	maxFacetOptions = 20 // names
)

// facetCounts are numbers of products of a table, by the first term with the same key.
type facetCounts struct {
	table     *facetTable
	selection *facetSelection
	terms     [facetFields][]int // by field
	price     struct{ lowest, highest int64 }
	priced    int // products that price has
	in, out   int // products that can be bought, and others

	// of the options of one product
	stocks  []variantStock // by the first option with the same key
	touched []uint32       // the options in stocks
}

// count counts the products that meet a selection. Each group is counted without its own condition.
func (t *facetTable) count(s *facetSelection) *facetCounts {
	c := &facetCounts{table: t, selection: s, stocks: make([]variantStock, len(t.options.texts))}
	for field := range c.terms {
		c.terms[field] = make([]int, len(t.labels[field]))
	}
	for _, p := range t.products {
		if s.isListed(p) {
			c.add(p)
		}
	}
	return c
}

// add counts a product.
func (c *facetCounts) add(p *facetProduct) {
	s, t := c.selection, c.table
	misses, missed := 0, -1
	for field, met := range [...]bool{
		vendorField: s.vendors.has(p.vendor), typeField: s.types.has(p.kind), tagField: s.tags.hasAny(p.tags), priceField: s.hasPrice(p),
	} {
		if !met {
			misses, missed = misses+1, field
		}
	}
	if misses > 1 {
		return
	}
	counts := func(field int) bool { return misses == 0 || missed == field }
	stock := s.stockOf(p)
	if misses == 0 {
		c.addOptions(p)
		if stock.canBuy {
			c.in++
		} else if stock.exists {
			c.out++
		}
	}
	if !stock.matches(s.conditions.inStock) {
		return
	}
	if counts(vendorField) {
		c.terms[vendorField][t.vendors.firsts[p.vendor]]++
	}
	if counts(typeField) {
		c.terms[typeField][t.types.firsts[p.kind]]++
	}
	if counts(tagField) {
		for _, tag := range p.tags {
			c.terms[tagField][t.tags.firsts[tag]]++
		}
	}
	if counts(priceField) {
		c.addPrice(p.price)
	}
}

// addOptions counts the options of a product. An option's other values count without its
// condition.
func (c *facetCounts) addOptions(p *facetProduct) {
	for i := range p.variants {
		v := &p.variants[i]
		missed := c.selection.misses(v)
		if missed == missesMany {
			continue
		}
		for _, option := range v.options {
			if option == 0 || missed != missesNone && c.table.groupOf[option] != c.selection.groups[missed].group {
				continue
			}
			first := c.table.options.firsts[option]
			if !c.stocks[first].exists {
				c.touched = append(c.touched, first)
			}
			c.stocks[first].add(v)
		}
	}
	for _, option := range c.touched {
		if c.stocks[option].matches(c.selection.conditions.inStock) {
			c.terms[optionField][option]++
		}
		c.stocks[option] = variantStock{}
	}
	c.touched = c.touched[:0]
}

func (c *facetCounts) addPrice(price int64) {
	if c.priced == 0 || price < c.price.lowest {
		c.price.lowest = price
	}
	c.price.highest = max(c.price.highest, price)
	c.priced++
}

// values returns the most frequent values of a field, and the values in the filter.
func (c *facetCounts) values(field int, chosen facetSet) []FacetValue {
	values := []FacetValue{}
	for n, count := range c.terms[field] {
		if label := c.table.labels[field][n]; label != "" && (count > 0 || chosen != nil && chosen[n]) {
			values = append(values, FacetValue{Value: label, ProductCount: count})
		}
	}
	slices.SortFunc(values, func(a, b FacetValue) int {
		return cmp.Or(cmp.Compare(b.ProductCount, a.ProductCount), strings.Compare(a.Value, b.Value))
	})
	return values[:min(len(values), maxFacetValues)]
}

// options returns the most frequent options, each with its values in the order that the products
// have them.
func (c *facetCounts) options() []OptionFacet {
	type value struct {
		FacetValue
		place float64
	}
	groups := make([][]value, len(c.table.groups))
	for n, count := range c.terms[optionField] {
		group := c.table.groupOf[n]
		label := c.table.labels[optionField][n]
		if label == "" || count == 0 && !c.selection.hasOption(group, n) {
			continue
		}
		_, text, _ := strings.Cut(label, optionSeparator)
		groups[group] = append(groups[group], value{FacetValue{Value: text, ProductCount: count}, c.table.optionPlaces[n]})
	}
	byCount := func(a, b value) int { return cmp.Compare(b.ProductCount, a.ProductCount) }
	byPlace := func(a, b value) int {
		return cmp.Or(cmp.Compare(a.place, b.place), byCount(a, b), strings.Compare(a.Value, b.Value))
	}
	options := []OptionFacet{}
	most := make(map[string]int, len(groups)) // products of an option's most frequent value
	for group, values := range groups {
		if len(values) == 0 {
			continue
		}
		slices.SortFunc(values, func(a, b value) int { return cmp.Or(byCount(a, b), byPlace(a, b)) })
		option := OptionFacet{Name: c.table.groups[group]}
		most[option.Name] = values[0].ProductCount
		values = values[:min(len(values), maxFacetValues)]
		slices.SortFunc(values, byPlace)
		for _, v := range values {
			option.Values = append(option.Values, v.FacetValue)
		}
		options = append(options, option)
	}
	slices.SortStableFunc(options, func(a, b OptionFacet) int { return cmp.Compare(most[b.Name], most[a.Name]) })
	return options[:min(len(options), maxFacetOptions)]
}

// hasOption reports whether an option of a group is in the filter.
func (s *facetSelection) hasOption(group, option int) bool {
	return slices.ContainsFunc(s.groups, func(g optionGroup) bool { return g.group == group && g.values[option] })
}
