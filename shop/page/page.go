package page

import "storefront/shop/fault"

// Limits of a page.
const (
	DefaultLimit = 20
	MaxLimit     = 100
	// NoLimit requests all items in one page.
	NoLimit = -1
)

// Request selects one page of a list.
type Request struct {
	Page  *int // from 1; nil means 1
	Limit *int // 1 to MaxLimit, or NoLimit; nil means DefaultLimit
}

// allWork is the work of a list without a limit.
const allWork = 20

// skippedPerUnit is the number of items before a page that cost one unit of work.
const skippedPerUnit = 1000

// Work returns the cost of the list for rate limits: 1 for each DefaultLimit items, and 1 for each
// skippedPerUnit items before the page, up to allWork.
func (in Request) Work() int {
	limit := DefaultLimit
	if in.Limit != nil {
		if *in.Limit == NoLimit {
			return allWork
		}
		limit = min(max(*in.Limit, 1), MaxLimit)
	}
	work := (limit + DefaultLimit - 1) / DefaultLimit
	if in.Page != nil {
		skipped := Window{Page: max(*in.Page, 1), Limit: limit}.Offset()
		work += min(skipped/skippedPerUnit, allWork)
	}
	return work
}

// Page is one page of a list.
type Page[T any] struct {
	Nodes []T  `json:"nodes" nullable:"false" doc:"The items of this page"`
	Meta  Meta `json:"meta" doc:"Position of this page in the whole list"`
}

// Meta is the position of a page in its list.
type Meta struct {
	TotalCount  int  `json:"totalCount" doc:"Items in the whole list"`
	CurrentPage int  `json:"currentPage" doc:"Number of this page, from 1"`
	HasNextPage bool `json:"hasNextPage"`
	TotalPages  int  `json:"totalPages" doc:"Number of pages; 0 if the list is empty and a limit was set"`
}

// Window is a checked [Request].
type Window struct{ Page, Limit int }

// Window checks the request and adds invalid fields to bad.
func (in Request) Window(bad *fault.Invalid) Window {
	w := Window{Page: 1, Limit: DefaultLimit}
	if in.Page != nil {
		if w.Page = *in.Page; w.Page < 1 {
			bad.Add("page", fault.CodeInvalidValue, "The page must be at least 1.")
		}
	}
	if in.Limit != nil {
		if w.Limit = *in.Limit; w.Limit != NoLimit && (w.Limit < 1 || w.Limit > MaxLimit) {
			bad.Add("limit", fault.CodeInvalidValue, "The limit must be 1 to %d, or -1 for all items.", MaxLimit)
		}
	}
	if w.Limit == NoLimit {
		w.Page = 1
	}
	return w
}

// Offset returns the number of rows before the window. A page beyond any list that fits in a file
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

// MetaFor returns the position of the window in a list of total items.
func (w Window) MetaFor(total int) Meta {
	if w.Limit == NoLimit {
		return Meta{TotalCount: total, CurrentPage: 1, TotalPages: 1}
	}
	pages := (total + w.Limit - 1) / w.Limit
	return Meta{TotalCount: total, CurrentPage: w.Page, HasNextPage: w.Page < pages, TotalPages: pages}
}
