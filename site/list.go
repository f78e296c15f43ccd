package site

import (
	"context"
	"html/template"
	"maps"
	"net/url"
	"strconv"
	"strings"

	"storefront/shop/catalogue"
	"storefront/shop/fault"
	"storefront/shop/page"
)

// listSize is the number of products on a page of a list.
const listSize = 24

// listPage is the data of a list of products: of a collection, of all, or of a search.
type listPage struct {
	*frame
	Heading string
	Text    template.HTML // sanitized, of the merchant
	Query   string        // of a search
	Count   int
	Cards   []card
	Sorts   []choice
	Chips   []chip
	Facets  []facetGroup
	Chosen  []chip   // values of facets
	Hidden  []hidden // the values, which the form sends again
	Filter  listFilter
	Lowest  string // price, in whole units of the currency; "" if there are no products
	Highest string
	Action  string // path of the form
	Pages   []pageLink
	Others  []link // where to go if the list is empty
	Plain   bool   // no filter is set
	Search  bool
}

// hidden is a hidden field of a form.
type hidden struct{ Name, Value string }

// choice is an option of a select.
type choice struct {
	Value, Text string
	Chosen      bool
}

// chip is a filter that can be switched.
type chip struct {
	Name, Text, Path string
	Count            string // of products; "" means unknown
	On               bool
}

// listFilter are the values of the form's fields.
type listFilter struct{ Min, Max string }

// pageLink is a link to a page of the list. Path is "" for a gap.
type pageLink struct {
	Text, Path, Rel string
	Current         bool
}

// sortOrder is the order of a list, by its name in the address.
type sortOrder struct{ name, by, direction string }

var sortOrders = []sortOrder{
	{"new", "createdAt", "desc"}, {"best", "bestSelling", "desc"}, {"price", "price", "asc"}, {"-price", "price", "desc"},
}

// collection is the list of a collection's products, or of all.
func (s *Site) collection(ctx context.Context, r *request) (*Response, error) {
	f, err := s.newFrame(ctx, r, "list")
	if err != nil {
		return nil, err
	}
	p := listPage{frame: f, Heading: f.W.AllProducts}
	filter := catalogue.ProductFilter{}
	if r.page.name != "all" {
		found, err := r.catalogue().FindCollectionByHandle(ctx, r.page.name)
		if err != nil {
			return nil, err
		}
		if found.Handle != r.page.name {
			return nil, &MovedError{Path: r.page.prefix() + "/collections/" + found.Handle}
		}
		p.Heading, p.Text = f.in(found.Title), template.HTML(found.DescriptionHTML)
		f.Description = plainText(found.DescriptionHTML, 160)
		filter.CollectionIDs, filter.SortBy = []string{found.ID}, "manual"
		f.setPreview(found.Image)
	}
	f.Title = p.Heading
	if f.Description == "" {
		f.Description = p.Heading + " · " + f.Name
	}
	return s.list(ctx, r, &p, filter)
}

// search is the list of the products that match a text.
func (s *Site) search(ctx context.Context, r *request) (*Response, error) {
	f, err := s.newFrame(ctx, r, "list")
	if err != nil {
		return nil, err
	}
	query := strings.TrimSpace(r.Query.Get("q"))
	p := listPage{frame: f, Heading: f.W.Search, Query: query, Search: true}
	f.Title = f.W.Search
	if query != "" {
		p.Heading, f.Title = "“"+query+"”", query+" · "+f.W.Search
	}
	return s.list(ctx, r, &p, catalogue.ProductFilter{Search: query})
}

// list completes the page of a list with the products of a filter and of the query.
func (s *Site) list(ctx context.Context, r *request, p *listPage, filter catalogue.ProductFilter) (*Response, error) {
	p.applyQuery(r.Query, &filter)
	facets, err := r.catalogue().FindFacets(ctx, filter)
	if err != nil {
		return nil, err
	}
	p.addFacets(r.Query, facets)
	limit, number := listSize, pageNumber(r.Query.Get("page"))
	filter.Request = page.Request{Limit: &limit, Page: &number}
	found, err := r.catalogue().FindProducts(ctx, filter)
	if err != nil {
		return nil, err
	}
	if number > 1 && len(found.Nodes) == 0 {
		return nil, &fault.Error{Code: fault.CodeNotFound}
	}
	p.Count, p.Cards = found.Meta.TotalCount, p.cards(found.Nodes)
	p.Pages = p.pageLinks(r.Query, found.Meta)
	p.Action = p.path(r.page.rest)
	if p.Plain && !p.Search {
		listed := url.Values{}
		if number > 1 {
			listed.Set("page", strconv.Itoa(number))
		}
		p.listed(listed)
	}
	if p.Count == 0 {
		p.Others = p.Menu
	}
	return s.respond("list", p)
}

// applyQuery sets the filter by the query, and the form's fields.
func (p *listPage) applyQuery(query url.Values, filter *catalogue.ProductFilter) {
	p.Plain = true
	for name := range query {
		p.Plain = p.Plain && (name == "page" || name == "q")
	}
	sorted := query.Get("sort")
	names := map[string]string{"new": p.W.Newest, "best": p.W.BestSelling, "price": p.W.PriceUp, "-price": p.W.PriceDown}
	p.Sorts = append(p.Sorts, choice{"", p.W.Sort, sorted == ""})
	for _, order := range sortOrders {
		p.Sorts = append(p.Sorts, choice{order.name, names[order.name], order.name == sorted})
		if order.name == sorted {
			filter.SortBy, filter.Sort = order.by, order.direction
		}
	}
	yes := true
	for _, c := range []struct {
		name, text string
		to         **bool
	}{{"stock", p.W.InStock, &filter.InStock}, {"sale", p.W.Sale, &filter.OnSale}} {
		on := query.Get(c.name) == "1"
		if on {
			*c.to = &yes
		}
		p.Chips = append(p.Chips, chip{Name: c.name, Text: c.text, On: on, Path: p.with(query, c.name, map[bool]string{false: "1"}[on])})
	}
	filter.Options, filter.Vendors, filter.Types, filter.Tags = query["option"], query["vendor"], query["type"], query["tag"]
	filter.MinPrice, p.Filter.Min = p.price(query.Get("min"))
	filter.MaxPrice, p.Filter.Max = p.price(query.Get("max"))
	if low, high := filter.MinPrice, filter.MaxPrice; low != nil && high != nil && *low > *high {
		filter.MinPrice, filter.MaxPrice = high, low
		p.Filter.Min, p.Filter.Max = p.Filter.Max, p.Filter.Min
	}
}

// price returns a price that a buyer typed, in whole units of the currency, in minor units; nil if
// it is not one.
func (p *listPage) price(typed string) (amount *int64, shown string) {
	whole, err := strconv.ParseInt(asciiDigits(typed), 10, 64)
	if err != nil || whole < 0 || whole > maxPrice {
		return nil, ""
	}
	minor := whole * int64(p.Currency.Scale())
	return &minor, strconv.FormatInt(whole, 10)
}

// maxPrice is the maximum of a price in a filter, in whole units.
const maxPrice = 1_000_000_000

// with returns the list's address with another value of a parameter; "" removes it. The list begins
// at its first page.
func (p *listPage) with(query url.Values, name, value string) string {
	other := maps.Clone(query)
	other.Del("page")
	if name != "page" || value != "1" {
		other.Set(name, value)
	}
	if value == "" {
		other.Del(name)
	}
	return p.path(p.page.rest) + queryText(other)
}

// pageLinks returns the links to the first and last pages and to those around the current one.
func (p *listPage) pageLinks(query url.Values, meta page.Meta) (links []pageLink) {
	if meta.TotalPages < 2 {
		return nil
	}
	add := func(number int, text, rel string) {
		links = append(links, pageLink{
			Text: text, Rel: rel, Path: p.with(query, "page", strconv.Itoa(number)), Current: rel == "" && number == meta.CurrentPage,
		})
	}
	if meta.CurrentPage > 1 {
		add(meta.CurrentPage-1, p.W.Previous, "prev")
	}
	for number := 1; number <= meta.TotalPages; number++ {
		near := number >= meta.CurrentPage-1 && number <= meta.CurrentPage+1
		switch {
		case near, number == 1, number == meta.TotalPages:
			add(number, p.Digits(strconv.Itoa(number)), "")
		case number == meta.CurrentPage-2, number == meta.CurrentPage+2:
			links = append(links, pageLink{Text: "…"})
		}
	}
	if meta.HasNextPage {
		add(meta.CurrentPage+1, p.W.Next, "next")
	}
	return links
}

// Found returns the number of products in words.
func (p *listPage) Found() string {
	count, word := p.Digits(strconv.Itoa(p.Count)), p.W.Products
	if p.Count == 1 {
		word = p.W.Product
	}
	if p.Lang == "bn" {
		return count + word
	}
	return count + " " + word
}

// maxPage is the maximum number of a page that is requested.
const maxPage = 1000

func pageNumber(typed string) int {
	number, err := strconv.Atoi(typed)
	if err != nil || number < 1 || number > maxPage {
		return 1
	}
	return number
}

// asciiDigits returns a text with Bangla digits as ASCII digits, without spaces and commas.
func asciiDigits(text string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r >= '০' && r <= '৯':
			return '0' + r - '০'
		case r == ' ' || r == ',':
			return -1
		}
		return r
	}, text)
}
