package e2e

import (
	"fmt"
	"slices"
	"testing"
)

// maxHomeBytes bounds what the first visit of the home page transfers, headers and pictures
// included.
const maxHomeBytes = 130_000

// maxShift bounds the cumulative layout shift of a view.
const maxShift = 0.02

// What a view costs the first and the second time. The time until the largest part is painted
// depends on the machine, so it is only reported.
func TestPage_Load(t *testing.T) {
	t.Parallel()
	p := serve(t, "--dev", "--data", demoData(t))
	id, _ := p.product("demo", "mango-pickle")
	order := p.must(request{method: "POST", path: "/api/v1/orders", tenant: "demo", body: orderOf(id, 1)}).text("_id")
	views := []string{
		"", "?product=classic-cotton-panjabi", "?view=checkout", "?view=products", "?search=panjabi", "?collection=women",
		"?order=" + order, "?view=track", "?view=account", "?policy=returns",
	}
	for _, width := range some([]int{360, 1440}, 0, 2) {
		t.Run(fmt.Sprint(width), func(t *testing.T) {
			s := newBuyer(t, p, width)
			s.MeasureLoads()
			if width == 360 && *all { // a slow processor is simulated by a busy one
				s.SlowDown()
			}
			s.visit("")
			first := s.MeasureLoad()
			t.Logf("home: %d requests, %d bytes, LCP %v (%s)", len(first.Requests), first.Bytes, first.LCP, first.Largest)
			if first.Bytes > maxHomeBytes {
				t.Errorf("home: got %d bytes in %d requests, want at most %d", first.Bytes, len(first.Requests), maxHomeBytes)
			}
			s.visit("?product=classic-cotton-panjabi")
			s.Click("#add")
			s.WaitVisible("dialog .figures")
			if width > 360 {
				views = views[:2] // the others differ in width only
			}
			for _, view := range views {
				s.visit(view)
				s.Wait(`[...document.images].every(i => { i.loading = "eager"; return i.complete })`)
				load := s.MeasureLoad()
				t.Logf("/%s: %d requests, %d bytes, CLS %.3f, LCP %v (%s)", view, len(load.Requests), load.Bytes, load.Shift, load.LCP, load.Largest)
				if load.Shift > maxShift {
					t.Errorf("/%s: got a layout shift of %.3f, want at most %v", view, load.Shift, maxShift)
				}
			}
			for _, view := range []string{"", "?product=classic-cotton-panjabi"} {
				s.visit(view)
				again := s.MeasureLoad()
				t.Logf("/%s again: %d bytes, LCP %v", view, again.Bytes, again.LCP)
				if want := []string{"GET " + p.url + "/" + view}; !slices.Equal(again.Requests, want) {
					t.Errorf("/%s again: got requests %q, want %q", view, again.Requests, want)
				}
			}
		})
	}
}
