package server

import (
	"context"

	"github.com/danielgtaylor/huma/v2"

	"storefront/shop/access"
	"storefront/shop/catalogue"
	"storefront/shop/fault"
	"storefront/shop/page"
)

// ListQuery are the query parameters of every list. It is exported because huma finds parameters
// only in exported embedded types.
type ListQuery struct {
	Page  page.Optional[int] `query:"page" doc:"Page number, from 1" example:"1"`
	Limit page.Optional[int] `query:"limit" doc:"Items per page, 1 to 100, or -1 for all. Defaults to 20" example:"2"`
}

func (q *ListQuery) input() page.Request {
	return page.Request{Page: q.Page.Pointer(), Limit: q.Limit.Pointer()}
}

// LangQuery is the query parameter of texts that can be translated. It is exported for the reason
// that [ListQuery] states.
type LangQuery struct {
	Lang string `query:"lang" doc:"Language of translated texts. Defaults to the shop's own, as for one that it does not have" example:"en"`
}

// catalogue returns the catalogue of the exchange's shop in the language. Codes: validation_failed.
func (q *LangQuery) catalogue(ctx context.Context, x *exchange) (*catalogue.Catalogue, error) {
	return x.shop.CatalogueIn(ctx, q.Lang)
}

// caller returns the exchange's caller with the language. Codes: validation_failed.
func (q *LangQuery) caller(ctx context.Context, x *exchange) (access.Caller, error) {
	caller := x.caller
	var err error
	caller.Language, err = x.shop.LanguageOf(ctx, q.Lang)
	return caller, err
}

// productSort is a sort key of products.
type productSort string

// Schema returns the keys, by which huma validates. It implements [huma.SchemaProvider].
func (productSort) Schema(huma.Registry) *huma.Schema { return oneOf(catalogue.ProductSorts()) }

// sortDirection is the direction of a sort order.
type sortDirection string

// Schema returns the directions, by which huma validates. It implements [huma.SchemaProvider].
func (sortDirection) Schema(huma.Registry) *huma.Schema { return oneOf(catalogue.SortDirections()) }

func oneOf(words []string) *huma.Schema {
	s := &huma.Schema{Type: huma.TypeString}
	for _, word := range words {
		s.Enum = append(s.Enum, word)
	}
	return s
}

// ProductQuery are the query parameters that select products. It is exported for the reason that
// [ListQuery] states.
type ProductQuery struct {
	Search        string   `query:"search" doc:"Words or their beginnings, in any spelling. Quotes and operators have no meaning; see Search"`
	CollectionIDs []string `query:"collectionIds[],explode" nullable:"false" doc:"Any of these; also collectionIds, or with commas"`
	Tags          []string `query:"tags[],explode" nullable:"false" doc:"Any of these; also tags, or with commas"`
	Vendors       []string `query:"vendors[],explode" nullable:"false" doc:"Any of these, in any case; also vendors"`
	Types         []string `query:"types[],explode" nullable:"false" doc:"Any of these product types, in any case; also types"`
	Options       []string `query:"options[],explode" nullable:"false" doc:"Such as Size:L; also options. One variant has any value of each name"`

	MinPrice page.Optional[int64] `query:"minPrice" doc:"Lowest price, in minor units: 125000 is ৳1,250.00"`
	MaxPrice page.Optional[int64] `query:"maxPrice" doc:"Highest price, in minor units"`
	InStock  page.Optional[bool]  `query:"inStock" doc:"true: products that can be bought now, with options in such a variant; false: the others"`
	OnSale   page.Optional[bool]  `query:"onSale" doc:"true: products with a reduced variant; false: the others"`
}

func (q *ProductQuery) filter() catalogue.ProductFilter {
	return catalogue.ProductFilter{
		Search: q.Search, CollectionIDs: q.CollectionIDs, Tags: q.Tags, Vendors: q.Vendors, Types: q.Types, Options: q.Options,
		MinPrice: q.MinPrice.Pointer(), MaxPrice: q.MaxPrice.Pointer(), InStock: q.InStock.Pointer(), OnSale: q.OnSale.Pointer(),
	}
}

type findProductsRequest struct {
	request
	ListQuery
	LangQuery
	SortBy productSort   `query:"sortBy" doc:"Defaults to createdAt, with search to relevance. manual is the merchant's order of a collection"`
	Sort   sortDirection `query:"sort" doc:"Defaults to desc, for title, price and manual to asc"`
	ProductQuery
}

func (in *findProductsRequest) filter() catalogue.ProductFilter {
	filter := in.ProductQuery.filter()
	filter.Request, filter.SortBy, filter.Sort = in.input(), string(in.SortBy), string(in.Sort)
	return filter
}

func (s *Server) registerProducts() {
	registerCatalogue(s, operation{
		id: "listProducts", path: "/api/v1/products", tag: tagCatalogue,
		summary:     "List published products",
		description: "Pages never repeat or skip an item. A page past the end has no nodes and a correct meta.",
		codes:       []fault.Code{fault.CodeValidationFailed},
	}, func(ctx context.Context, in *findProductsRequest) (*page.Page[catalogue.Product], error) {
		filter := in.filter()
		products, err := in.catalogue(ctx, in.x)
		if err != nil {
			return nil, err
		}
		done, err := in.beginList(ctx, filter.Work())
		if err != nil {
			return nil, err
		}
		defer done()
		if limit := filter.Limit; limit != nil && *limit == page.NoLimit {
			ids, err := products.FindProductIDs(ctx, filter)
			if err == nil {
				err = in.x.holdLongList(products, ids)
			}
			if err != nil {
				return nil, err
			}
			if in.x.longList != nil {
				return &page.Page[catalogue.Product]{Nodes: []catalogue.Product{}}, nil
			}
		}
		return products.FindProducts(ctx, filter)
	})

	registerCatalogue(s, operation{
		id: "getProductFacets", path: "/api/v1/products/facets", tag: tagCatalogue,
		summary: "Facets of a list of products",
		description: "The values by which the products that the parameters select can be filtered further, with the number of products for each. " +
			"Each option, and each other facet, is counted without its own parameter, so that its other values have counts too.",
		codes: []fault.Code{fault.CodeValidationFailed},
	}, func(ctx context.Context, in *struct {
		request
		LangQuery
		ProductQuery
	}) (*catalogue.ProductFacets, error) {
		filter := in.filter()
		products, err := in.catalogue(ctx, in.x)
		if err != nil {
			return nil, err
		}
		done, err := in.beginList(ctx, filter.FacetWork())
		if err != nil {
			return nil, err
		}
		defer done()
		return products.FindFacets(ctx, filter)
	})
	s.registerProductChanges()
	s.registerOneProduct()
	s.registerSuggestions()
}

func (s *Server) registerProductChanges() {
	registerCatalogue(s, operation{
		id: "listProductChanges", path: "/api/v1/products/changes", tag: tagCatalogue,
		summary: "List changed products",
		description: "For clients that store a copy of the catalogue. Without since it begins with the first product, so that the first copy and later " +
			"updates are one loop: delete removedIds, save the nodes, store the cursor, and continue with it as since. " +
			"While hasMore is true, continue immediately. A product that changes in the meantime appears again. " +
			"Changes of stock, ratings and collections are included. A cursor is valid for one language. " +
			"If since is refused, because the shop was restored or moved, its currency has changed or the like, delete the copy and start without it.",
		codes: []fault.Code{fault.CodeValidationFailed},
	}, func(ctx context.Context, in *struct {
		request
		LangQuery
		Since string             `query:"since" doc:"The cursor of the last response. Without one, all products are listed"`
		Limit page.Optional[int] `query:"limit" doc:"Changes per response, 1 to 100. Defaults to 20" example:"2"`
	}) (*catalogue.ProductChanges, error) {
		products, err := in.catalogue(ctx, in.x)
		if err != nil {
			return nil, err
		}
		done, err := in.beginList(ctx, catalogue.ChangesWork(in.Limit.Pointer()))
		if err != nil {
			return nil, err
		}
		defer done()
		return products.ListChanges(ctx, in.Since, in.Limit.Pointer())
	})
}

func (s *Server) registerOneProduct() {
	registerCatalogue(s, operation{
		id: "getProductByHandle", path: "/api/v1/products/handle/{handle}", tag: tagCatalogue,
		summary:     "One product by its handle",
		description: "Drafts and archived products are not found.",
		codes:       []fault.Code{fault.CodeNotFound, fault.CodeValidationFailed},
	}, readRecord(func(ctx context.Context, in *struct {
		request
		LangQuery
		Handle string `path:"handle" doc:"URL slug" example:"mango-pickle"`
	}) (*catalogue.Product, error) {
		products, err := in.catalogue(ctx, in.x)
		if err != nil {
			return nil, err
		}
		return products.FindProductByHandle(ctx, in.Handle)
	}))

	registerCatalogue(s, operation{
		id: "getProduct", path: "/api/v1/products/{id}", tag: tagCatalogue,
		summary:     "One product by its ID",
		description: "Drafts and archived products are not found.",
		codes:       []fault.Code{fault.CodeNotFound, fault.CodeValidationFailed},
	}, readRecord(func(ctx context.Context, in *struct {
		request
		LangQuery
		ID string `path:"id" doc:"The product's _id" example:"0ZRJS5B790K7P6HF38ZGHBY4KD"`
	}) (*catalogue.Product, error) {
		products, err := in.catalogue(ctx, in.x)
		if err != nil {
			return nil, err
		}
		return products.FindProduct(ctx, in.ID)
	}))

	registerCatalogue(s, operation{
		id: "listRelatedProducts", path: "/api/v1/products/{id}/related", tag: tagCatalogue,
		summary: "List products related to a product",
		description: "At most 24 published products with collections, the type, tags or the vendor in common: " +
			"first the available ones, then the ones with most in common.",
		codes: []fault.Code{fault.CodeNotFound, fault.CodeValidationFailed},
	}, func(ctx context.Context, in *struct {
		request
		ListQuery
		LangQuery
		ID string `path:"id" doc:"The product's _id" example:"0ZRJS5B790K7P6HF38ZGHBY4KD"`
	}) (*page.Page[catalogue.Product], error) {
		products, err := in.catalogue(ctx, in.x)
		if err != nil {
			return nil, err
		}
		done, err := in.beginList(ctx, catalogue.RelatedWork(in.input()))
		if err != nil {
			return nil, err
		}
		defer done()
		return products.FindRelated(ctx, in.ID, in.input())
	})
}

func (s *Server) registerSuggestions() {
	registerCatalogue(s, operation{
		id: "getSuggestions", path: "/api/v1/suggestions", tag: tagCatalogue,
		summary:     "Suggestions while a buyer types",
		description: "Products, collections and searches for the text typed so far, in any spelling. A text without a letter or digit has none.",
		codes:       []fault.Code{fault.CodeValidationFailed},
	}, func(ctx context.Context, in *struct {
		request
		LangQuery
		Q string `query:"q" doc:"The text typed so far" example:"pan"`
	}) (*catalogue.Suggestions, error) {
		products, err := in.catalogue(ctx, in.x)
		if err != nil {
			return nil, err
		}
		done, err := in.beginList(ctx, catalogue.SuggestionWork(in.Q))
		if err != nil {
			return nil, err
		}
		defer done()
		return products.Suggest(ctx, in.Q)
	})

	registerCatalogue(s, operation{
		id: "listVendors", path: "/api/v1/vendors", tag: tagCatalogue,
		summary:     "List vendors",
		description: "The manufacturers and brands of published products, by name. productCount counts published products.",
		codes:       []fault.Code{fault.CodeValidationFailed},
	}, func(ctx context.Context, in *struct {
		request
		ListQuery
	}) (*page.Page[catalogue.Vendor], error) {
		done, err := in.beginList(ctx, in.input().Work())
		if err != nil {
			return nil, err
		}
		defer done()
		return in.x.shop.Catalogue.ListVendors(ctx, in.input())
	})
}
