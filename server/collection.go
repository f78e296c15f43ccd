package server

import (
	"context"

	"storefront/shop"
)

type findCollectionsRequest struct {
	request
	ListQuery
	SortBy string `query:"sortBy" doc:"manual, the merchant's order, when left out" enum:"manual,title,createdAt,updatedAt"`
	Sort   string `query:"sort" doc:"asc when left out, desc for createdAt and updatedAt" enum:"asc,desc"`
	Search string `query:"search" doc:"Words of the title"`
}

func (s *Server) registerCollections() {
	registerCatalogue(s, operation{
		id: "listCollections", path: "/api/v1/collections", tag: tagCatalogue,
		summary:     "List collections",
		description: "In the merchant's order unless asked otherwise. productCount counts what a visitor can see.",
		codes:       []shop.Code{shop.CodeValidationFailed},
	}, func(ctx context.Context, in *findCollectionsRequest) (*shop.Page[shop.Collection], error) {
		return in.x.shop.ListCollections(ctx, shop.CollectionFilter{
			PageInput: in.input(), SortBy: in.SortBy, Sort: in.Sort, Search: in.Search,
		})
	})

	registerCatalogue(s, operation{
		id: "getCollection", path: "/api/v1/collections/{id}", tag: tagCatalogue,
		summary:     "One collection by its id",
		description: "Its products: list products with collectionIds[].",
		codes:       []shop.Code{shop.CodeNotFound},
	}, func(ctx context.Context, in *struct {
		request
		ID string `path:"id" doc:"The collection's _id" example:"6EDGHJNPG773AW373DVP6D1AQ8"`
	}) (*shop.Collection, error) {
		return in.x.shop.FindCollection(ctx, in.ID)
	})
}
