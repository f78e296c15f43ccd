package graphql

import "storefront/shop/catalogue"

type suggestions struct {
	Products    []suggestedProduct
	Collections []suggestedCollection
	Searches    []string
}

func newSuggestions(s *catalogue.Suggestions) *suggestions {
	return &suggestions{
		Products: convert(s.Products, newSuggestedProduct), Collections: convert(s.Collections, newSuggestedCollection),
		Searches: orEmpty(s.Searches),
	}
}

type suggestedProduct struct {
	ID        ID
	Handle    string
	Title     string
	Image     *image
	Price     moneyValue
	Available bool
}

func newSuggestedProduct(p *catalogue.SuggestedProduct) suggestedProduct {
	return suggestedProduct{
		ID: ID(p.ID), Handle: p.Handle, Title: p.Title, Image: convertNull(p.Image, newImage), Price: newMoney(&p.Price),
		Available: p.Available,
	}
}

type suggestedCollection struct {
	ID     ID
	Handle string
	Title  string
}

func newSuggestedCollection(c *catalogue.SuggestedCollection) suggestedCollection {
	return suggestedCollection{ID: ID(c.ID), Handle: c.Handle, Title: c.Title}
}
