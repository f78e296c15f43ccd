package graphql

import "storefront/shop"

// pageArgs are the arguments of every list.
type pageArgs struct {
	Page  *int32
	Limit *int32
}

func (a pageArgs) input() shop.PageInput {
	return shop.PageInput{Page: fromNullInt(a.Page), Limit: fromNullInt(a.Limit)}
}

// cost returns the complexity cost of a page, which grows with its size.
func (a pageArgs) cost() int {
	switch {
	case a.Limit == nil:
		return shop.DefaultLimit
	case *a.Limit == shop.NoLimit:
		return costAll
	}
	return min(max(int(*a.Limit), costOne), shop.MaxLimit) // the use case rejects limits out of range
}

type page[T any] struct {
	Nodes []T
	Meta  pageMeta
}

type pageMeta struct {
	TotalCount  int32
	CurrentPage int32
	HasNextPage bool
	TotalPages  int32
}

func newPage[From, To any](p *shop.Page[From], one func(*From) To) *page[To] {
	return &page[To]{
		Nodes: convert(p.Nodes, one),
		Meta: pageMeta{
			TotalCount: toInt(p.Meta.TotalCount), CurrentPage: toInt(p.Meta.CurrentPage),
			HasNextPage: p.Meta.HasNextPage, TotalPages: toInt(p.Meta.TotalPages),
		},
	}
}
