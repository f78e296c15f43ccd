package catalogue

import (
	"context"
	"strings"

	"storefront/db"
	"storefront/shop/fault"
)

// ProductFacets are the values by which a list of products can be filtered further, each with the
// number of products that it would select together with the filter's other conditions. Each facet
// is counted without its own condition in the filter.
type ProductFacets struct {
	Options      []OptionFacet     `json:"options" nullable:"false" doc:"Options of variants, the most frequent first; at most 20"`
	Vendors      []FacetValue      `json:"vendors" nullable:"false" doc:"The most frequent first; at most 100, as in every facet"`
	Types        []FacetValue      `json:"types" nullable:"false" doc:"Product types"`
	Tags         []FacetValue      `json:"tags" nullable:"false"`
	Price        *PriceRange       `json:"price" doc:"The lowest and the highest price of the products; null if there are none"`
	Availability AvailabilityFacet `json:"availability"`
}

// OptionFacet is an option of variants, such as size, with its values.
type OptionFacet struct {
	Name   string       `json:"name" doc:"The name before the colon of the parameter options"`
	Label  string       `json:"label" doc:"The name in the language of the request"`
	Values []FacetValue `json:"values" nullable:"false" doc:"In the order of the products' own values"`
}

// FacetValue is a value of a facet. Spellings that differ in case or accents are one value.
type FacetValue struct {
	Value        string `json:"value" doc:"What the parameter has, in any language"`
	Label        string `json:"label" doc:"The value in the language of the request"`
	ProductCount int    `json:"productCount" doc:"Number of products; 0 only for a value in the filter"`
}

// AvailabilityFacet counts products by their availability.
type AvailabilityFacet struct {
	InStock    int `json:"inStock" doc:"Number of products that can be bought now"`
	OutOfStock int `json:"outOfStock" doc:"Number of the others"`
}

// FindFacets returns the facets of the products that a filter selects. It ignores the filter's page
// and sort. Codes: validation_failed.
func (c *Catalogue) FindFacets(ctx context.Context, filter ProductFilter) (*ProductFacets, error) {
	var bad fault.Invalid
	conditions := filter.conditions(&bad)
	if err := bad.Err(); err != nil {
		return nil, err
	}
	shown, err := c.display(ctx)
	if err != nil {
		return nil, err
	}
	synonyms, err := c.synonyms(ctx)
	if err != nil {
		return nil, err
	}
	version, _, err := c.data.Store.ContentVersion(ctx, c.data.ID)
	if err != nil {
		return nil, err
	}
	var facets *ProductFacets
	err = c.data.ViewMany(ctx, func(ctx context.Context, tx *db.Tx) error {
		table, err := c.facetTable(tx, version)
		if err != nil {
			return err
		}
		selection := table.selection(&conditions, db.Millis(tx.Now()))
		if strings.TrimSpace(filter.Search) != "" {
			if selection.found, err = findFacetMatches(ctx, tx, table, filter.Search, synonyms); err != nil {
				return err
			}
		}
		facets = table.count(selection).facets(shown)
		return facets.addLabels(tx, c.language)
	})
	return facets, err
}

// findFacetMatches returns the numbers of the products that a search finds, as a list does: if no
// published product matches, misspelt words are corrected.
func findFacetMatches(
	ctx context.Context, tx *db.Tx, table *facetTable, search string, synonyms *Synonyms,
) (found map[int64]bool, err error) {
	words := searchWords(search)
	if len(words) == 0 {
		return map[int64]bool{}, nil
	}
	sql := searchOn(tx.Dialect())
	find := func(e searchExpression) (published bool, err error) {
		const all = 1 << 40
		numbers, _, err := findMatches(tx, sql, sql.expression(e, searchView{}), all)
		if err != nil {
			return false, err
		}
		found = make(map[int64]bool, len(numbers))
		for _, number := range numbers {
			found[number] = true
		}
		return table.hasPublished(found, db.Millis(tx.Now())), nil
	}
	expression := newSearchExpression(words, synonyms)
	published, err := find(expression)
	if err != nil {
		return nil, err
	}
	if published {
		return found, nil
	}
	visible := visibility{Published, []any{db.Millis(tx.Now())}}
	corrected, err := correctSearch(ctx, tx, expression, synonyms, visible, false)
	if err != nil {
		return nil, err
	}
	if corrected != nil {
		_, err = find(corrected)
	}
	return found, err
}

// hasPublished reports whether a product with one of the numbers is published.
func (t *facetTable) hasPublished(numbers map[int64]bool, now int64) bool {
	for _, p := range t.products {
		if p.publishedAt <= now && numbers[p.number] {
			return true
		}
	}
	return false
}

// facets returns the counts in the form for buyers.
func (c *facetCounts) facets(shown display) *ProductFacets {
	f := &ProductFacets{
		Options: c.options(), Vendors: c.values(vendorField, c.selection.vendors), Types: c.values(typeField, c.selection.types),
		Tags: c.values(tagField, c.selection.tags), Availability: AvailabilityFacet{InStock: c.in, OutOfStock: c.out},
	}
	if c.priced > 0 {
		f.Price = &PriceRange{Min: shown.Money(c.price.lowest), Max: shown.Money(c.price.highest)}
	}
	return f
}
