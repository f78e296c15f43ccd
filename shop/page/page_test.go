package page_test

import (
	"math"
	"testing"

	"storefront/shop/fault"
	"storefront/shop/page"
)

// A list has the pages that its limit divides it into. A page beyond the last has no next page.
func TestRequest_Pages(t *testing.T) {
	t.Parallel()
	tests := []struct {
		request page.Request
		total   int
		offset  int
		want    page.Meta
	}{
		{page.Request{}, 0, 0, page.Meta{CurrentPage: 1}},
		{
			page.Request{},
			21,
			0,
			page.Meta{TotalCount: 21, CurrentPage: 1, HasNextPage: true, TotalPages: 2},
		},
		{
			page.Request{Page: new(2)},
			21,
			20,
			page.Meta{TotalCount: 21, CurrentPage: 2, TotalPages: 2},
		},
		{
			page.Request{Page: new(3), Limit: new(7)},
			21,
			14,
			page.Meta{TotalCount: 21, CurrentPage: 3, TotalPages: 3},
		},
		{
			page.Request{Page: new(9), Limit: new(7)},
			21,
			56,
			page.Meta{TotalCount: 21, CurrentPage: 9, TotalPages: 3},
		},
		{
			page.Request{Page: new(5), Limit: new(page.NoLimit)},
			21,
			0,
			page.Meta{TotalCount: 21, CurrentPage: 1, TotalPages: 1},
		},
	}
	for _, test := range tests {
		var bad fault.Invalid
		w := test.request.Window(&bad)
		if err := bad.Err(); err != nil || w.Offset() != test.offset ||
			w.MetaFor(test.total) != test.want {
			t.Errorf(
				"%+v: got offset %d, %+v, %v, want %d, %+v",
				w,
				w.Offset(),
				w.MetaFor(test.total),
				err,
				test.offset,
				test.want,
			)
		}
	}
}

func TestRequest_Invalid(t *testing.T) {
	t.Parallel()
	for _, request := range []page.Request{
		{Page: new(0)}, {Page: new(-1)}, {Limit: new(0)}, {Limit: new(-2)}, {Limit: new(page.MaxLimit + 1)},
	} {
		var bad fault.Invalid
		request.Window(&bad)
		if !fault.HasCode(bad.Err(), fault.CodeValidationFailed) {
			t.Errorf("%+v: got %v, want %s", request, bad.Err(), fault.CodeValidationFailed)
		}
	}
}

// The row before any page fits in an int64, for the database.
func TestWindow_Beyond(t *testing.T) {
	t.Parallel()
	w := page.Window{Page: math.MaxInt, Limit: page.MaxLimit}
	if offset := w.Offset(); offset < 1<<30 || offset > 1<<41 {
		t.Errorf("got offset %d, want one beyond any list", offset)
	}
}

// A bounded list has a next page as long as its pages are full.
func TestWindow_Bounded(t *testing.T) {
	t.Parallel()
	last := page.Window{Page: page.MaxCount / 20, Limit: 20}
	bounded := page.Count{Total: page.MaxCount, Bounded: true}
	if meta := last.ListMetaFor(bounded, 20); !meta.HasNextPage || !meta.Bounded {
		t.Errorf("full page: got %+v, want a next page", meta)
	}
	if meta := last.ListMetaFor(bounded, 19); meta.HasNextPage {
		t.Errorf("last page: got %+v, want no next page", meta)
	}
}

// Rate limits count a list by its length, and one without a limit as the longest.
func TestRequest_Work(t *testing.T) {
	t.Parallel()
	for limit, want := range map[int]int{1: 1, 20: 1, 21: 2, 100: 5, 5000: 5, -7: 1, page.NoLimit: 20} {
		if got := (page.Request{Limit: &limit}).Work(); got != want {
			t.Errorf("limit %d: got %d, want %d", limit, got, want)
		}
	}
}

// A page costs what is skipped before it, too.
func TestRequest_WorkByPage(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ page, limit, want int }{
		{1, 20, 1}, {-5, 20, 1}, {50, 20, 1}, {51, 20, 2}, {199, 100, 24}, {1 << 40, 100, 25}, {math.MaxInt, 1, 21}, {9, page.NoLimit, 20},
	} {
		if got := (page.Request{Page: &test.page, Limit: &test.limit}).Work(); got != test.want {
			t.Errorf("page %d of %d: got %d, want %d", test.page, test.limit, got, test.want)
		}
	}
	if got := (page.Request{Page: new(101)}).Work(); got != 3 {
		t.Errorf("page 101 of 20: got %d, want 3", got)
	}
}
