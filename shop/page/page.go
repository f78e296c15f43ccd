package page

import "storefront/shop/fault"

// Limits of a page.
const (
	DefaultLimit = 20
	MaxLimit     = 100
	// NoLimit asks for everything in one page.
	NoLimit = -1
)

// Request asks for one page of a list.
type Request struct {
	Page  *int // from 1; nil: 1
	Limit *int // 1 to MaxLimit, or NoLimit; nil: DefaultLimit
}

// Page is one page of a list.
type Page[T any] struct {
	Nodes []T  `json:"nodes" nullable:"false" doc:"The items of this page"`
	Meta  Meta `json:"meta" doc:"Where this page stands in the whole list"`
}

// Meta says where a page stands in its list.
type Meta struct {
	TotalCount  int  `json:"totalCount" doc:"Items in the whole list"`
	CurrentPage int  `json:"currentPage" doc:"Number of this page, from 1"`
	HasNextPage bool `json:"hasNextPage"`
	TotalPages  int  `json:"totalPages" doc:"Pages in all, at least 1 where there are items"`
}

// window is a checked Request.
type Window struct{ Page, Limit int }

func (in Request) Window(bad *fault.Invalid) Window {
	w := Window{Page: 1, Limit: DefaultLimit}
	if in.Page != nil {
		if w.Page = *in.Page; w.Page < 1 {
			bad.Add("page", fault.CodeInvalidValue, "Pages count from 1.")
		}
	}
	if in.Limit != nil {
		if w.Limit = *in.Limit; w.Limit != NoLimit && (w.Limit < 1 || w.Limit > MaxLimit) {
			bad.Add("limit", fault.CodeInvalidValue, "A limit is 1 to %d, or -1 for everything.", MaxLimit)
		}
	}
	if w.Limit == NoLimit {
		w.Page = 1
	}
	return w
}

// offset gives how many rows come before the window. A page beyond any list that fits in a file
// is clamped, so that the product cannot overflow.
func (w Window) Offset() int {
	if w.Limit == NoLimit {
		return 0
	}
	const beyond = 1 << 40
	if w.Page > beyond/w.Limit {
		return beyond
	}
	return (w.Page - 1) * w.Limit
}

func (w Window) MetaFor(total int) Meta {
	if w.Limit == NoLimit {
		return Meta{TotalCount: total, CurrentPage: 1, TotalPages: 1}
	}
	pages := (total + w.Limit - 1) / w.Limit
	return Meta{TotalCount: total, CurrentPage: w.Page, HasNextPage: w.Page < pages, TotalPages: pages}
}
