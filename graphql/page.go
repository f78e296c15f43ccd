package graphql

import (
	"context"

	"storefront/shop/access"
	"storefront/shop/catalogue"
	"storefront/shop/page"
)

// pageArgs are the arguments of every list.
type pageArgs struct {
	Page  *int32
	Limit *int32
}

func (a pageArgs) input() page.Request {
	return page.Request{Page: fromNullInt(a.Page), Limit: fromNullInt(a.Limit)}
}

// cost returns the complexity cost of a page, which grows with its size.
func (a pageArgs) cost() int {
	switch {
	case a.Limit == nil:
		return page.DefaultLimit
	case *a.Limit == page.NoLimit:
		return costAll
	}
	return min(max(int(*a.Limit), costOne), page.MaxLimit) // the use case rejects limits out of range
}

// langArgs are the arguments of fields with texts that can be translated.
type langArgs struct{ Lang *string }

// catalogue returns the catalogue of the request's shop in the language. Codes: validation_failed.
func (a langArgs) catalogue(ctx context.Context, r *request) (*catalogue.Catalogue, error) {
	return r.shop.CatalogueIn(ctx, orZero(a.Lang))
}

// caller returns the request's caller with the language. Codes: validation_failed.
func (a langArgs) caller(ctx context.Context, r *request) (access.Caller, error) {
	caller := r.caller
	var err error
	caller.Language, err = r.shop.LanguageOf(ctx, orZero(a.Lang))
	return caller, err
}

type pageOf[T any] struct {
	Nodes []T
	Meta  pageMeta
}

type pageMeta struct {
	TotalCount  int32
	CurrentPage int32
	HasNextPage bool
	TotalPages  int32
}

func newPage[From, To any](p *page.Page[From], one func(*From) To) *pageOf[To] {
	return &pageOf[To]{
		Nodes: convert(p.Nodes, one),
		Meta: pageMeta{
			TotalCount: toInt(p.Meta.TotalCount), CurrentPage: toInt(p.Meta.CurrentPage),
			HasNextPage: p.Meta.HasNextPage, TotalPages: toInt(p.Meta.TotalPages),
		},
	}
}
