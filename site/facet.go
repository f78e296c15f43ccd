package site

import (
	"maps"
	"net/url"
	"slices"
	"strconv"

	"storefront/shop/catalogue"
)

// facetGroup is a facet of a list on a page: its values as links.
type facetGroup struct {
	Name   string
	Values []facetLink
}

type facetLink struct {
	Text, Count, Path string
	On                bool
}

// maxFacetValues is the maximum number of values of a facet on a page.
const maxFacetValues = 15

// addFacets adds the facets that can narrow the list down, and the values that are chosen.
func (p *listPage) addFacets(query url.Values, found *catalogue.ProductFacets) {
	for _, option := range found.Options {
		p.addFacet(query, "option", p.in(option.Label), option.Name+":", option.Values)
	}
	p.addFacet(query, "vendor", p.W.Brand, "", found.Vendors)
	p.addFacet(query, "type", p.W.Type, "", found.Types)
	p.addFacet(query, "tag", p.W.Tag, "", found.Tags)
	p.Chips[0].Count = p.Digits(strconv.Itoa(found.Availability.InStock))
	if found.Price != nil {
		scale := int64(p.Currency.Scale())
		p.Lowest = p.Digits(strconv.FormatInt(found.Price.Min.Amount/scale, 10))
		p.Highest = p.Digits(strconv.FormatInt((found.Price.Max.Amount+scale-1)/scale, 10))
	}
}

// addFacet adds a facet unless all products have the same value. prefix begins the values of the
// parameter.
func (p *listPage) addFacet(query url.Values, parameter, name, prefix string, values []catalogue.FacetValue) {
	group := facetGroup{Name: name}
	chosen := false
	for _, value := range values {
		one := prefix + value.Value
		on := slices.Contains(query[parameter], one)
		chosen = chosen || on
		if len(group.Values) == maxFacetValues && !on {
			continue
		}
		to := facetLink{
			Text: p.in(value.Label), Count: p.Digits(strconv.Itoa(value.ProductCount)), Path: p.toggled(query, parameter, one), On: on,
		}
		group.Values = append(group.Values, to)
		if on {
			p.Hidden = append(p.Hidden, hidden{parameter, one})
			p.Chosen = append(p.Chosen, chip{Text: name + ": " + to.Text, Path: to.Path, On: true})
		}
	}
	if len(values) > 1 || chosen {
		p.Facets = append(p.Facets, group)
	}
}

// toggled returns the list's address with a value added to a parameter, or removed from it.
func (p *listPage) toggled(query url.Values, parameter, value string) string {
	other := maps.Clone(query)
	other.Del("page")
	values := slices.Clone(query[parameter])
	if at := slices.Index(values, value); at >= 0 {
		values = slices.Delete(values, at, at+1)
	} else {
		values = append(values, value)
	}
	if other[parameter] = values; len(values) == 0 {
		other.Del(parameter)
	}
	return p.path(p.page.rest) + queryText(other)
}
