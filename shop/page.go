package shop

// Limits of a page.
const (
	DefaultLimit = 20
	MaxLimit     = 100
	// NoLimit asks for everything in one page.
	NoLimit = -1
)

// PageInput asks for one page of a list.
type PageInput struct {
	Page  *int // from 1; nil: 1
	Limit *int // 1 to MaxLimit, or NoLimit; nil: DefaultLimit
}

// Page is one page of a list.
type Page[T any] struct {
	Nodes []T      `json:"nodes" nullable:"false" doc:"The items of this page"`
	Meta  PageMeta `json:"meta" doc:"Where this page stands in the whole list"`
}

// PageMeta says where a page stands in its list.
type PageMeta struct {
	TotalCount  int  `json:"totalCount" doc:"Items in the whole list"`
	CurrentPage int  `json:"currentPage" doc:"Number of this page, from 1"`
	HasNextPage bool `json:"hasNextPage"`
	TotalPages  int  `json:"totalPages" doc:"Pages in all, at least 1 where there are items"`
}

// window is a checked PageInput.
type window struct{ page, limit int }

func (in PageInput) window(bad *invalid) window {
	w := window{page: 1, limit: DefaultLimit}
	if in.Page != nil {
		if w.page = *in.Page; w.page < 1 {
			bad.add("page", CodeInvalidValue, "Pages count from 1.")
		}
	}
	if in.Limit != nil {
		if w.limit = *in.Limit; w.limit != NoLimit && (w.limit < 1 || w.limit > MaxLimit) {
			bad.add("limit", CodeInvalidValue, "A limit is 1 to %d, or -1 for everything.", MaxLimit)
		}
	}
	if w.limit == NoLimit {
		w.page = 1
	}
	return w
}

// offset gives how many rows come before the window. A page beyond any list that fits in a file
// is clamped, so that the product cannot overflow.
func (w window) offset() int {
	if w.limit == NoLimit {
		return 0
	}
	const beyond = 1 << 40
	if w.page > beyond/w.limit {
		return beyond
	}
	return (w.page - 1) * w.limit
}

func (w window) meta(total int) PageMeta {
	if w.limit == NoLimit {
		return PageMeta{TotalCount: total, CurrentPage: 1, TotalPages: 1}
	}
	pages := (total + w.limit - 1) / w.limit
	return PageMeta{TotalCount: total, CurrentPage: w.page, HasNextPage: w.page < pages, TotalPages: pages}
}
