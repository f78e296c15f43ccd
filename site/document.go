package site

import (
	"bytes"
	"context"
	"encoding/xml"
	"slices"

	"storefront/shop/catalogue"
	"storefront/shop/fault"
	"storefront/shop/page"
)

// Document is a page that is written in parts, because it lists the whole catalogue.
type Document struct {
	Media string
	// Products are the IDs of the products that the document lists, in their order.
	Products []string

	begin, end string
	product    func(*xmlText, *catalogue.Product)
}

// documents are the pages that are written in parts, by their paths.
var documents = []struct {
	pattern   string
	languages bool // each of the site's languages has its own
	open      func(*Site, context.Context, *request) (*Document, error)
}{
	{"/feed.xml", true, (*Site).feed},
	{"/sitemap.xml", false, (*Site).sitemap},
	{"/sitemap-{name}.xml", false, (*Site).sitemapFile},
}

// Streamed reports whether the page is a document; see [Site.Open].
func (p Page) Streamed() bool { return p.open != nil }

// Open returns the document of a streamed page. Codes: not_found.
func (s *Site) Open(ctx context.Context, page Page, v Visit) (*Document, error) {
	return page.open(s, ctx, &request{Visit: v, page: page})
}

// Begin returns the part before the products.
func (d *Document) Begin() []byte { return []byte(xml.Header + d.begin) }

// Part returns the part with these products.
func (d *Document) Part(products []catalogue.Product) []byte {
	var part xmlText
	for i := range products {
		d.product(&part, &products[i])
	}
	return part.Bytes()
}

// End returns the part after the products.
func (d *Document) End() []byte { return []byte(d.end) }

// DocumentFilter selects the products of all documents. They are sorted by their last change, so
// that the first product of a part was changed last.
func DocumentFilter() catalogue.ProductFilter {
	limit := page.NoLimit
	return catalogue.ProductFilter{Request: page.Request{Limit: &limit}, SortBy: "updatedAt"}
}

func (r *request) productIDs(ctx context.Context) ([]string, error) {
	return r.catalogue().FindProductIDs(ctx, DocumentFilter())
}

// findDocument sets the page's document if its path is one.
func (p *Page) findDocument() {
	for _, d := range documents {
		if name, ok := matchPath(d.pattern, p.rest); ok && (d.languages || p.prefix() == "") {
			p.Route, p.name, p.open = "site "+d.pattern, name, d.open
			return
		}
	}
}

// xmlText is a part of an XML document.
type xmlText struct{ bytes.Buffer }

// element adds an element with a text, unless the text is empty.
func (t *xmlText) element(name, text string) {
	if text == "" {
		return
	}
	t.WriteString("<" + name + ">")
	_ = xml.EscapeText(t, []byte(text)) // a buffer never fails
	t.WriteString("</" + name + ">")
}

// attribute adds an attribute.
func (t *xmlText) attribute(name, value string) {
	t.WriteString(" " + name + `="`)
	_ = xml.EscapeText(t, []byte(value))
	t.WriteString(`"`)
}

// eachCollection calls fn with the collections that have products.
func (r *request) eachCollection(ctx context.Context, fn func(*catalogue.Collection)) error {
	limit, after := page.MaxLimit, 1
	for {
		filter := catalogue.CollectionFilter{Request: page.Request{Limit: &limit, Page: &after}}
		found, err := r.catalogue().ListCollections(ctx, filter)
		if err != nil {
			return err
		}
		for i := range found.Nodes {
			if found.Nodes[i].ProductCount > 0 {
				fn(&found.Nodes[i])
			}
		}
		if !found.Meta.HasNextPage {
			return nil
		}
		after++
	}
}

// part returns one of the parts of a list, counted from 1. Codes: not_found.
func part(ids []string, size, number int) ([]string, error) {
	begin := (number - 1) * size
	if number < 1 || begin >= max(len(ids), 1) {
		return nil, &fault.Error{Code: fault.CodeNotFound}
	}
	return slices.Clone(ids[begin:min(begin+size, len(ids))]), nil
}
