package graphql

import "storefront/shop/catalogue"

type facets struct {
	Options      []optionFacet
	Vendors      []facetValue
	Types        []facetValue
	Tags         []facetValue
	Price        *priceRange
	Availability availabilityFacet
}

func newFacets(f *catalogue.ProductFacets) *facets {
	return &facets{
		Options: convert(f.Options, newOptionFacet), Vendors: convert(f.Vendors, newFacetValue),
		Types: convert(f.Types, newFacetValue), Tags: convert(f.Tags, newFacetValue), Price: convertNull(f.Price, newPriceRange),
		Availability: availabilityFacet{InStock: toInt(f.Availability.InStock), OutOfStock: toInt(f.Availability.OutOfStock)},
	}
}

type optionFacet struct {
	Name   string
	Label  string
	Values []facetValue
}

func newOptionFacet(o *catalogue.OptionFacet) optionFacet {
	return optionFacet{Name: o.Name, Label: o.Label, Values: convert(o.Values, newFacetValue)}
}

type facetValue struct {
	Value        string
	Label        string
	ProductCount int32
}

func newFacetValue(v *catalogue.FacetValue) facetValue {
	return facetValue{Value: v.Value, Label: v.Label, ProductCount: toInt(v.ProductCount)}
}

type availabilityFacet struct{ InStock, OutOfStock int32 }
