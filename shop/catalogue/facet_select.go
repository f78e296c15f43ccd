package catalogue

import "slices"

// facetSelection are the conditions of a filter on the products of a table.
type facetSelection struct {
	conditions                       *productConditions
	now                              int64
	found                            map[int64]bool // numbers of the products that a search has found; nil without one
	vendors, types, tags, collection facetSet
	groups                           []optionGroup // of the options in the filter
}

// optionGroup are the chosen values of one option.
type optionGroup struct {
	group  int // noGroup if no product has the option
	values facetSet
}

const noGroup = -1

// selection returns the selection of conditions at a time, in milliseconds.
func (t *facetTable) selection(c *productConditions, now int64) *facetSelection {
	s := &facetSelection{
		conditions: c, now: now, vendors: t.vendors.find(c.vendors), types: t.types.find(c.types), tags: t.tags.find(c.tags),
		collection: t.collections.find(c.collections),
	}
	names := map[string]int{} // index in groups by folded name
	for _, option := range c.options {
		key, name := t.options.findOption(option)
		at, ok := names[name]
		if !ok {
			at, names[name] = len(s.groups), len(s.groups)
			group, known := t.groupByName[name]
			if !known {
				group = noGroup
			}
			s.groups = append(s.groups, optionGroup{group, make(facetSet, len(t.options.texts))})
		}
		if first, ok := t.options.byKey[key]; ok {
			s.groups[at].values.add(&t.options, first)
		}
	}
	return s
}

// isListed reports whether a product meets the conditions that facets do not count.
func (s *facetSelection) isListed(p *facetProduct) bool {
	return p.publishedAt <= s.now && (s.found == nil || s.found[p.number]) && s.collection.hasAny(p.collections) &&
		(s.conditions.onSale == nil || p.onSale == *s.conditions.onSale)
}

func (s *facetSelection) hasPrice(p *facetProduct) bool {
	c := s.conditions
	return (c.minPrice == nil || p.price >= *c.minPrice) && (c.maxPrice == nil || p.price <= *c.maxPrice)
}

// Results of facetSelection.misses.
const (
	missesNone = -1 // it meets all conditions
	missesMany = -2 // it does not meet several conditions
)

// misses returns the index in groups of the only option that a variant does not have.
func (s *facetSelection) misses(v *facetVariant) int {
	missed := missesNone
	for i := range s.groups {
		values := s.groups[i].values
		if values[v.options[0]] || values[v.options[1]] || values[v.options[2]] {
			continue
		}
		if missed != missesNone {
			return missesMany
		}
		missed = i
	}
	return missed
}

// stockOf returns whether a product has variants with the options, and whether one of them can be
// bought.
func (s *facetSelection) stockOf(p *facetProduct) (stock variantStock) {
	for i := range p.variants {
		if s.misses(&p.variants[i]) == missesNone {
			stock.add(&p.variants[i])
		}
	}
	return stock
}

// variantStock is the stock of some variants of a product.
type variantStock struct {
	exists, canBuy bool
}

func (s *variantStock) add(v *facetVariant) {
	s.exists, s.canBuy = true, s.canBuy || v.canBuy
}

// matches reports whether the variants meet the filter InStock.
func (s variantStock) matches(inStock *bool) bool {
	return s.exists && (inStock == nil || s.canBuy == *inStock)
}

// selectNumbers returns the numbers of the products that meet the conditions at a time, in
// milliseconds.
func (t *facetTable) selectNumbers(c *productConditions, now int64) (numbers []int64) {
	s := t.selection(c, now)
	for _, p := range t.products {
		if s.isListed(p) && s.vendors.has(p.vendor) && s.types.has(p.kind) && s.tags.hasAny(p.tags) && s.hasPrice(p) &&
			s.stockOf(p).matches(c.inStock) {
			numbers = append(numbers, p.number)
		}
	}
	slices.Sort(numbers)
	return numbers
}
