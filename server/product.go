package server

import (
	"context"

	"storefront/shop"
)

// ListQuery are the parameters of every list. It has an exported name because huma looks for
// parameters in embedded types that have one.
type ListQuery struct {
	Page  optional[int] `query:"page" doc:"Which page, from 1" example:"1"`
	Limit optional[int] `query:"limit" doc:"Items in a page, 1 to 100 (20 when left out), or -1 for everything at once" example:"2"`
}

func (q *ListQuery) input() shop.PageInput {
	return shop.PageInput{Page: q.Page.pointer(), Limit: q.Limit.pointer()}
}

type findProductsRequest struct {
	request
	ListQuery
	SortBy        string          `query:"sortBy" doc:"createdAt when left out, relevance with search. manual is the merchant's order inside one collection" enum:"createdAt,updatedAt,title,price,bestSelling,manual,relevance"`
	Sort          string          `query:"sort" doc:"desc when left out, asc for title, price and manual" enum:"asc,desc"`
	Search        string          `query:"search" doc:"Words, each of which begins a word of the product. Quotes and operators are text"`
	CollectionIDs []string        `query:"collectionIds[],explode" nullable:"false" doc:"In any of these collections. Also written collectionIds and collectionIds[0]"`
	Tags          []string        `query:"tags[],explode" nullable:"false" doc:"With any of these tags. Also written tags and tags[0]"`
	MinPrice      optional[int64] `query:"minPrice" doc:"Minor units: 125000 is ৳1,250.00"`
	MaxPrice      optional[int64] `query:"maxPrice" doc:"Minor units"`
	InStock       optional[bool]  `query:"inStock" doc:"true: can be bought now; false: can not"`
	OnSale        optional[bool]  `query:"onSale" doc:"true: some variant is below its former price; false: none is"`
}

func (in *findProductsRequest) filter() shop.ProductFilter {
	return shop.ProductFilter{
		PageInput: in.input(), SortBy: in.SortBy, Sort: in.Sort, Search: in.Search,
		CollectionIDs: in.CollectionIDs, Tags: in.Tags,
		MinPrice: in.MinPrice.pointer(), MaxPrice: in.MaxPrice.pointer(),
		InStock: in.InStock.pointer(), OnSale: in.OnSale.pointer(),
	}
}

func (s *Server) registerProducts() {
	registerCatalogue(s, operation{
		id: "listProducts", path: "/api/v1/products", tag: tagCatalogue,
		summary:     "List published products",
		description: "Every order is total, so pages never repeat or skip an item. A page past the end has no nodes and a true meta.",
		codes:       []shop.Code{shop.CodeValidationFailed},
	}, func(ctx context.Context, in *findProductsRequest) (*shop.Page[shop.Product], error) {
		return in.x.shop.FindProducts(ctx, in.filter())
	})

	registerCatalogue(s, operation{
		id: "getProductByHandle", path: "/api/v1/products/handle/{handle}", tag: tagCatalogue,
		summary:     "One product by its URL slug",
		description: "Drafts and archived products are not found.",
		codes:       []shop.Code{shop.CodeNotFound},
	}, func(ctx context.Context, in *struct {
		request
		Handle string `path:"handle" doc:"URL slug" example:"mango-pickle"`
	}) (*shop.Product, error) {
		return in.x.shop.FindProductByHandle(ctx, in.Handle)
	})

	registerCatalogue(s, operation{
		id: "getProduct", path: "/api/v1/products/{id}", tag: tagCatalogue,
		summary:     "One product by its id",
		description: "Drafts and archived products are not found.",
		codes:       []shop.Code{shop.CodeNotFound},
	}, func(ctx context.Context, in *struct {
		request
		ID string `path:"id" doc:"The product's _id" example:"0ZRJS5B790K7P6HF38ZGHBY4KD"`
	}) (*shop.Product, error) {
		return in.x.shop.FindProduct(ctx, in.ID)
	})
}
