package graphql

import (
	"context"
	"encoding/json"

	graphqlgo "github.com/graph-gophers/graphql-go"

	"storefront/shop/catalogue"
)

type productsArgs struct {
	pageArgs
	langArgs
	productArgs
	Sort   *string
	SortBy *string
}

// productArgs are the arguments that select products.
type productArgs struct {
	Search        *string
	CollectionIDs *[]ID
	Tags          *[]string
	Vendors       *[]string
	Types         *[]string
	Options       *[]string
	MinPrice      *Long
	MaxPrice      *Long
	InStock       *bool
	OnSale        *bool
}

func (a *productArgs) filter() catalogue.ProductFilter {
	filter := catalogue.ProductFilter{
		Search: orZero(a.Search), Tags: orZero(a.Tags), Vendors: orZero(a.Vendors), Types: orZero(a.Types), Options: orZero(a.Options),
		MinPrice: a.MinPrice.number(), MaxPrice: a.MaxPrice.number(), InStock: a.InStock, OnSale: a.OnSale,
	}
	for _, id := range orZero(a.CollectionIDs) {
		filter.CollectionIDs = append(filter.CollectionIDs, string(id))
	}
	return filter
}

func (a *productsArgs) filter() catalogue.ProductFilter {
	filter := a.productArgs.filter()
	filter.Request, filter.Sort, filter.SortBy = a.input(), orZero(a.Sort), orZero(a.SortBy)
	return filter
}

// orZero returns the value of an optional argument, or the zero value if it is omitted or null.
func orZero[T any](value *T) (zero T) {
	if value == nil {
		return zero
	}
	return *value
}

// Products returns one page of the published products.
func (*publicQuery) Products(ctx context.Context, args productsArgs) (*pageOf[*product], error) {
	filter := args.filter()
	r, done, err := beginList(ctx, args.cost()+costWork*filter.FilterWork(), filter.Work())
	if err != nil {
		return nil, err
	}
	defer done()
	products, err := args.catalogue(ctx, r)
	if err != nil {
		return nil, err
	}
	found, err := products.FindProducts(ctx, filter)
	if err != nil {
		return nil, err
	}
	return newPage(found, r.product), nil
}

// ProductFacets returns the facets of the published products that the arguments select.
func (*publicQuery) ProductFacets(ctx context.Context, args struct {
	langArgs
	productArgs
}) (*facets, error) {
	filter := args.filter()
	r, done, err := beginList(ctx, costWork*filter.FacetWork(), filter.FacetWork())
	if err != nil {
		return nil, err
	}
	defer done()
	products, err := args.catalogue(ctx, r)
	if err != nil {
		return nil, err
	}
	found, err := products.FindFacets(ctx, filter)
	if err != nil {
		return nil, err
	}
	return newFacets(found), nil
}

// ProductChanges returns changed products, and the IDs of removed ones.
func (*publicQuery) ProductChanges(ctx context.Context, args struct {
	langArgs
	Since *string
	Limit *int32
}) (*productChanges, error) {
	size := pageArgs{Limit: args.Limit}
	limit := size.input().Limit
	r, done, err := beginList(ctx, size.cost(), catalogue.ChangesWork(limit))
	if err != nil {
		return nil, err
	}
	defer done()
	products, err := args.catalogue(ctx, r)
	if err != nil {
		return nil, err
	}
	found, err := products.ListChanges(ctx, orZero(args.Since), limit)
	if err != nil {
		return nil, err
	}
	return &productChanges{convert(found.Nodes, r.product), ids(found.RemovedIDs), found.Cursor, found.HasMore}, nil
}

type productChanges struct {
	Nodes      []*product
	RemovedIDs []ID
	Cursor     string
	HasMore    bool
}

// Product returns one published product.
func (*publicQuery) Product(ctx context.Context, args struct {
	langArgs
	ID     *ID
	Handle *string
}) (*product, error) {
	r, done, err := beginRecord(ctx, costOne)
	if err != nil {
		return nil, err
	}
	defer done()
	products, err := args.catalogue(ctx, r)
	if err != nil {
		return nil, err
	}
	var found *catalogue.Product
	switch {
	case args.ID != nil && args.Handle == nil:
		found, err = products.FindProduct(ctx, string(*args.ID))
	case args.Handle != nil && args.ID == nil:
		found, err = products.FindProductByHandle(ctx, *args.Handle)
	default:
		return nil, errIDOrHandle()
	}
	if err != nil {
		return nil, err
	}
	return r.product(found), nil
}

// RelatedProducts returns one page of the products related to a product.
func (*publicQuery) RelatedProducts(ctx context.Context, args struct {
	pageArgs
	langArgs
	ID ID
}) (*pageOf[*product], error) {
	r, done, err := beginList(ctx, args.cost(), catalogue.RelatedWork(args.input()))
	if err != nil {
		return nil, err
	}
	defer done()
	products, err := args.catalogue(ctx, r)
	if err != nil {
		return nil, err
	}
	found, err := products.FindRelated(ctx, string(args.ID), args.input())
	if err != nil {
		return nil, err
	}
	return newPage(found, r.product), nil
}

// Suggestions returns suggestions for a text that a buyer types.
func (*publicQuery) Suggestions(ctx context.Context, args struct {
	langArgs
	Q *string
}) (*suggestions, error) {
	typed := orZero(args.Q)
	work := catalogue.SuggestionWork(typed)
	r, done, err := beginList(ctx, costWork*work, work)
	if err != nil {
		return nil, err
	}
	defer done()
	products, err := args.catalogue(ctx, r)
	if err != nil {
		return nil, err
	}
	found, err := products.Suggest(ctx, typed)
	if err != nil {
		return nil, err
	}
	return newSuggestions(found), nil
}

// Vendors returns one page of the vendors of the published products.
func (*publicQuery) Vendors(ctx context.Context, args pageArgs) (*pageOf[vendor], error) {
	r, done, err := beginList(ctx, args.cost(), args.input().Work())
	if err != nil {
		return nil, err
	}
	defer done()
	found, err := r.shop.Catalogue.ListVendors(ctx, args.input())
	if err != nil {
		return nil, err
	}
	return newPage(found, newVendor), nil
}

type vendor struct {
	Name         string
	ProductCount int32
}

func newVendor(v *catalogue.Vendor) vendor {
	return vendor{Name: v.Name, ProductCount: toInt(v.ProductCount)}
}

type product struct {
	ID             ID
	Handle         string
	Title          string
	Vendor         string
	Type           string
	Tags           []string
	Images         []image
	Options        []catalogue.Option
	Variants       []variant
	Price          moneyValue
	CompareAtPrice *moneyValue
	PriceRange     priceRange
	Rating         *rating
	QuantityPrices []quantityPrice
	Available      bool
	StockStatus    catalogue.StockStatus
	SEO            catalogue.SEO
	CollectionIDs  []ID
	PublishedAt    *graphqlgo.Time
	CreatedAt      graphqlgo.Time
	UpdatedAt      graphqlgo.Time

	request  *request
	html     string
	metadata map[string]any
}

func (r *request) product(p *catalogue.Product) *product {
	return &product{
		ID: ID(p.ID), Handle: p.Handle, Title: p.Title, Vendor: p.Vendor, Type: p.Type,
		Tags: orEmpty(p.Tags), Images: convert(p.Images, newImage), Options: orEmpty(p.Options), Variants: convert(p.Variants, newVariant),
		Price: newMoney(&p.Price), CompareAtPrice: convertNull(p.CompareAtPrice, newMoney),
		PriceRange: newPriceRange(&p.PriceRange), Rating: convertNull(p.Rating, newRating), QuantityPrices: convert(p.QuantityPrices, newQuantityPrice),
		Available: p.Available, StockStatus: p.StockStatus, SEO: p.SEO, CollectionIDs: ids(p.CollectionIDs),
		PublishedAt: newNullTime(p.PublishedAt), CreatedAt: newTime(p.CreatedAt), UpdatedAt: newTime(p.UpdatedAt),
		request: r, html: p.DescriptionHTML, metadata: p.Metadata,
	}
}

// DescriptionHTML returns the description, counted by its length.
func (p *product) DescriptionHTML() string { return p.request.text(p.html) }

// Metadata returns the metadata, encoded only if it is selected.
func (p *product) Metadata() (JSON, error) {
	if p.metadata == nil {
		return JSON{json.RawMessage("{}")}, nil
	}
	text, err := json.Marshal(p.metadata)
	return JSON{json.RawMessage(p.request.text(string(text)))}, err
}

type image struct {
	ID     ID
	URL    string
	Alt    string
	Width  *int32
	Height *int32

	Renditions []rendition
}

func newImage(i *catalogue.Image) image {
	return image{
		ID: ID(i.ID), URL: i.URL, Alt: i.Alt, Width: toNullInt(i.Width), Height: toNullInt(i.Height),
		Renditions: convert(i.Renditions, newRendition),
	}
}

type rendition struct {
	Width, Height int32
	URL           string
}

func newRendition(r *catalogue.Rendition) rendition {
	return rendition{Width: toInt(r.Width), Height: toInt(r.Height), URL: r.URL}
}

type variant struct {
	ID                ID
	SKU               *string
	Barcode           *string
	Title             string
	OptionValues      []catalogue.OptionValue
	Price             moneyValue
	CompareAtPrice    *moneyValue
	Available         bool
	StockStatus       catalogue.StockStatus
	AvailableQuantity *int32
	WeightGrams       int32
	Image             *image
}

func newVariant(v *catalogue.Variant) variant {
	return variant{
		ID: ID(v.ID), SKU: v.SKU, Barcode: v.Barcode, Title: v.Title, OptionValues: orEmpty(v.OptionValues),
		Price: newMoney(&v.Price), CompareAtPrice: convertNull(v.CompareAtPrice, newMoney),
		Available: v.Available, StockStatus: v.StockStatus, AvailableQuantity: toNullInt(v.AvailableQuantity),
		WeightGrams: toInt(v.WeightGrams), Image: convertNull(v.Image, newImage),
	}
}

type quantityPrice struct {
	Quantity int32
	Price    moneyValue
}

func newQuantityPrice(p *catalogue.QuantityPrice) quantityPrice {
	return quantityPrice{toInt(p.Quantity), newMoney(&p.Price)}
}

type priceRange struct{ Min, Max moneyValue }

func newPriceRange(r *catalogue.PriceRange) priceRange {
	return priceRange{Min: newMoney(&r.Min), Max: newMoney(&r.Max)}
}
