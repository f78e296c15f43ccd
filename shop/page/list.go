package page

// MaxCount limits the count of a filtered list: in a long list, counting is the expensive part.
const MaxCount = 10_000

// List is one page of a list for staff. Its count may be bounded.
type List[T any] struct {
	Nodes []T      `json:"nodes" nullable:"false" doc:"The items of this page"`
	Meta  ListMeta `json:"meta" doc:"Position of this page in the whole list"`
}

// ListMeta is the position of a page in a list for staff.
type ListMeta struct {
	Meta
	Bounded bool `json:"bounded" doc:"The list has more items than totalCount, which is then 10,000"`
	// Indexing is nil if a search has read a complete index.
	Indexing *Indexing `json:"indexing,omitempty" doc:"Sent while the search index of orders is built, as after a move: the list may lack orders"`
}

// Indexing is the state of a search index that does not have every record yet.
type Indexing struct {
	Remaining int `json:"remaining" doc:"Orders that a search may not find yet, at most"`
}

// Count is the number of items of a list.
type Count struct {
	Total   int
	Bounded bool // there are more than Total
}

// ListMetaFor returns the position of the window in a list; the page has items.
func (w Window) ListMetaFor(count Count, items int) ListMeta {
	if w.Limit == NoLimit { // the page has all, and counts them
		return ListMeta{Meta: w.MetaFor(items)}
	}
	meta := ListMeta{Meta: w.MetaFor(count.Total), Bounded: count.Bounded}
	if count.Bounded && items == w.Limit {
		meta.HasNextPage = true
	}
	return meta
}
