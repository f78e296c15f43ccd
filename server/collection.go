package server

import (
	"context"

	"github.com/danielgtaylor/huma/v2"

	"storefront/shop/catalogue"
	"storefront/shop/fault"
	"storefront/shop/page"
)

// collectionSort is a sort key of collections.
type collectionSort string

// Schema returns the keys, by which huma validates. It implements [huma.SchemaProvider].
func (collectionSort) Schema(huma.Registry) *huma.Schema { return oneOf(catalogue.CollectionSorts()) }

type findCollectionsRequest struct {
	request
	ListQuery
	LangQuery
	SortBy collectionSort `query:"sortBy" doc:"Defaults to manual, the merchant's order"`
	Sort   sortDirection  `query:"sort" doc:"Defaults to asc, for createdAt and updatedAt to desc"`
	Search string         `query:"search" doc:"Words in the title"`
}

func (s *Server) registerCollections() {
	registerCatalogue(s, operation{
		id: "listCollections", path: "/api/v1/collections", tag: tagCatalogue,
		summary:     "List collections",
		description: "In the merchant's order by default. productCount counts published products.",
		codes:       []fault.Code{fault.CodeValidationFailed},
	}, func(ctx context.Context, in *findCollectionsRequest) (*page.Page[catalogue.Collection], error) {
		collections, err := in.catalogue(ctx, in.x)
		if err != nil {
			return nil, err
		}
		done, err := in.beginList(ctx, in.input().Work())
		if err != nil {
			return nil, err
		}
		defer done()
		return collections.ListCollections(ctx, catalogue.CollectionFilter{
			Request: in.input(), SortBy: string(in.SortBy), Sort: string(in.Sort), Search: in.Search,
		})
	})

	registerCatalogue(s, operation{
		id: "getCollectionByHandle", path: "/api/v1/collections/handle/{handle}", tag: tagCatalogue,
		summary:     "One collection by its handle",
		description: "To list its products, use listProducts with collectionIds[].",
		codes:       []fault.Code{fault.CodeNotFound, fault.CodeValidationFailed},
	}, readRecord(func(ctx context.Context, in *struct {
		request
		LangQuery
		Handle string `path:"handle" doc:"URL slug" example:"eid-collection"`
	}) (*catalogue.Collection, error) {
		collections, err := in.catalogue(ctx, in.x)
		if err != nil {
			return nil, err
		}
		return collections.FindCollectionByHandle(ctx, in.Handle)
	}))

	registerCatalogue(s, operation{
		id: "getCollection", path: "/api/v1/collections/{id}", tag: tagCatalogue,
		summary:     "One collection by ID",
		description: "To list its products, use listProducts with collectionIds[].",
		codes:       []fault.Code{fault.CodeNotFound, fault.CodeValidationFailed},
	}, readRecord(func(ctx context.Context, in *struct {
		request
		LangQuery
		ID string `path:"id" doc:"The collection's _id" example:"6EDGHJNPG773AW373DVP6D1AQ8"`
	}) (*catalogue.Collection, error) {
		collections, err := in.catalogue(ctx, in.x)
		if err != nil {
			return nil, err
		}
		return collections.FindCollection(ctx, in.ID)
	}))
}
