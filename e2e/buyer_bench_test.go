package e2e

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"storefront/e2e/browsertest"
)

// BenchmarkBuyer_FirstVisit reports the largest contentful paint of the slowest page's first visits
// by a cheap phone on a slow line: 1.6 Mbit/s, a processor divided by 4, two times for a round
// trip. One of the pages is a landing page of twelve sections.
func BenchmarkBuyer_FirstVisit(b *testing.B) {
	data := demoData(b)
	p := serve(b, "--dev", "--data", data)
	site := demoSite(b, p)
	saveLanding(b, data, "twelve", uploadExamples(b, data)(twelveSections))
	paths := []string{"/", "/collections/all", "/products/rajshahi-silk-saree", "/l/twelve"}
	visitOnce(b, site, paths)
	for _, far := range []bool{false, true} {
		b.Run(fmt.Sprintf("far=%t", far), func(b *testing.B) { measurePaint(b, site, paths, far) })
	}
	paths = []string{"/", "/l/twelve"}
	for _, design := range []string{"haat", "alo", "mela"} {
		publishDesign(b, data, `{"design":"`+design+`","tokens":{},"templates":{}}`)
		visitOnce(b, site, paths)
		b.Run("design="+design, func(b *testing.B) { measurePaint(b, site, paths, false) })
	}
}

// twelveSections are the kinds of section of a long landing page.
var twelveSections = []string{
	"announcement", "hero", "productFacts", "orderForm", "gallery", "pictureText", "testimonials", "promises", "text", "video", "questions", "offer",
}

// measurePaint reports the paint of the slowest of some pages.
func measurePaint(b *testing.B, site string, paths []string, far bool) {
	page := browsertest.Open(b)
	page.Resize(360, 780)
	page.MeasureLoads()
	if page.SlowDown(); far {
		page.SlowDownFar()
	}
	waits := map[string][]time.Duration{}
	for b.Loop() {
		for _, path := range paths {
			page.ClearFiles()
			page.Go(site + path)
			page.Wait(`document.readyState === "complete"`)
			waits[path] = append(waits[path], page.MeasureLoad().LCP)
		}
	}
	var slowest time.Duration
	for _, path := range paths {
		b.Logf("%s: %s", path, typical(waits[path]))
		slowest = max(slowest, typical(waits[path]))
	}
	b.ReportMetric(float64(slowest.Milliseconds()), "LCP-ms")
}

// typical returns the wait that three of four visitors have at most, by which the field measures:
// https://web.dev/articles/defining-core-web-vitals-thresholds.
func typical(waits []time.Duration) time.Duration {
	slices.Sort(waits)
	return waits[(len(waits)*3+3)/4-1]
}

// visitOnce visits pages, so that the server has the sizes of their pictures. It makes them at the
// first visit, on the processors of the browser that is measured.
func visitOnce(b *testing.B, site string, paths []string) {
	b.Helper()
	page := browsertest.Open(b)
	page.Resize(360, 780)
	page.MeasureLoads()
	for _, path := range paths {
		page.Go(site + path)
		page.Wait(`document.readyState === "complete"`)
		page.MeasureLoad()
	}
}

// BenchmarkBuyer_Taps reports the time from a tap to the next paint on a cheap phone, with
// a page at rest: filter, variant, picture, adding to the cart and menu, in each design.
func BenchmarkBuyer_Taps(b *testing.B) {
	data := demoData(b)
	p := serve(b, "--dev", "--data", data)
	site := demoSite(b, p)
	for _, design := range []string{"angan", "haat", "alo", "mela"} {
		publishDesign(b, data, `{"design":"`+design+`","tokens":{},"templates":{}}`)
		visitOnce(b, site, []string{"/collections/all", "/products/rajshahi-silk-saree"})
		b.Run("design="+design, func(b *testing.B) { measureTaps(b, site) })
	}
}

func measureTaps(b *testing.B, site string) {
	page := browsertest.Open(b)
	page.Resize(360, 780)
	page.MeasureLoads()
	page.SlowDown()
	waits := map[string][]time.Duration{}
	tap := func(name, selector, then string) {
		page.MeasureLoad() // waits until the page is at rest
		page.Click(selector)
		page.Wait(then)
		waits[name] = append(waits[name], page.MeasureLoad().INP)
	}
	for b.Loop() {
		page.Go(site + "/collections/all")
		tap("filter", ".tools a.chip", `location.search === "?stock=1" && document.activeElement.matches(".tools a.chip[aria-current]")`)
		page.Go(site + "/products/rajshahi-silk-saree")
		tap("variant", ".option label:nth-child(2)", `document.querySelector("[data-chosen]").textContent === "Navy"`)
		page.Go(site + "/products/rajshahi-silk-saree")
		tap("picture", "[data-zoom]", `document.querySelector("[data-zoomed][open] img").naturalWidth > 0`)
		page.Go(site + "/products/rajshahi-silk-saree")
		tap("cart", "[data-buy-later]", `document.querySelector("[data-drawer]").open`)
		page.Go(site + "/collections/all")
		tap("menu", ".menu-button", `document.querySelector("#menu").matches(":popover-open")`)
	}
	for name, all := range waits {
		b.ReportMetric(float64(typical(all).Milliseconds()), strings.ToUpper(name)+"-ms")
	}
}
