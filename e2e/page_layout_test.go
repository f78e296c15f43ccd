package e2e

import (
	"fmt"
	"testing"

	"storefront/e2e/browsertest"
)

// inSight reports whether the selected element is wholly in the window.
func (s *buyer) inSight(selector string) (ok bool) {
	s.t.Helper()
	s.Eval(fmt.Sprintf(`(() => {
		const r = document.querySelector(%q).getBoundingClientRect()
		return r.height > 0 && r.top >= 0 && r.bottom <= innerHeight
	})()`, selector), &ok)
	return ok
}

// scrollTo scrolls the window and waits for the next frame.
func (s *buyer) scrollTo(y int) {
	s.t.Helper()
	s.Eval(fmt.Sprintf(`new Promise((done) => { scrollTo(0, %d); requestAnimationFrame(() => done(true)) })`, y), nil)
}

// A phone and a desk in both languages: what a buyer needs is in sight, and all of it is
// accessible.
func TestPage_Layout(t *testing.T) {
	onlyWithAll(t)
	t.Parallel()
	p := serve(t, "--dev", "--data", demoData(t))
	for i, width := range []int{360, 1440} {
		t.Run(fmt.Sprint(width), func(t *testing.T) {
			s := newBuyer(t, p, width)
			s.AllowProblem("status of 404")
			if width == 360 {
				s.Resize(360, 740)
			}
			for _, scheme := range some([]string{"light", "dark"}, 1-i, 2) {
				language := map[string]string{"light": "en", "dark": "bn"}[scheme]
				s.SetMediaFeature("prefers-color-scheme", scheme)
				s.visit("")
				if language == "bn" {
					s.Click("#language")
					s.Wait(`document.documentElement.lang === "bn"`)
					s.waitLoaded()
				}
				s.shots = fmt.Sprintf("page-%d-%s-", width, language)
				for _, view := range []string{"", "?product=classic-cotton-panjabi", "?collection=beauty", "nothing-here"} {
					s.visit(view)
					s.waitAnimations()
					s.Accessible(s.shots + view)
					s.screenshot("layout-" + view)
				}
				s.visit("?product=classic-cotton-panjabi")
				for _, y := range []int{0, 500} {
					s.scrollTo(y)
					if bar := ".header-bar"; !s.inSight(bar) {
						t.Errorf("%s at %d: the header is out of sight", s.shots, y)
					}
					if width == 360 && (!s.inSight("#add") || !s.inSight(".buy-bar .price")) {
						t.Errorf("%s at %d: price or button is out of sight", s.shots, y)
					}
				}
				s.testFilters(width == 360)
			}
		})
	}
	t.Run("640", func(t *testing.T) {
		s := newBuyer(t, p, 640)
		s.visit("?product=classic-cotton-panjabi")
		var beside bool
		s.Eval(`document.querySelector(".gallery").getBoundingClientRect().right <= document.querySelector("#add").getBoundingClientRect().left`, &beside)
		if !beside || !s.inSight("#add") {
			t.Error("want the picture and the button beside each other")
		}
		s.screenshot("product")
	})
	t.Run("print", func(t *testing.T) { testPrint(t, p) })
}

// testFilters chooses a filter, on a phone in the sheet.
func (s *buyer) testFilters(sheet bool) {
	s.t.Helper()
	s.visit("?view=products")
	if sheet {
		s.Click("#open-filters")
		s.WaitVisible("dialog.sheet #on-sale")
		s.waitAnimations()
		s.Accessible("filters")
		s.screenshot("filters")
	}
	s.Click("#on-sale")
	s.Wait(`location.search.includes("onSale=1") && !document.querySelector(".results").ariaBusy`)
	if !sheet {
		return
	}
	s.Click("#close-filters")
	s.Wait(`!document.querySelector("dialog[open]")`)
	s.waitFocus("#open-filters")
	s.Wait(`document.querySelector("#open-filters .count").textContent.length === 1`)
	s.Click("#open-filters") // the form is there again
	s.WaitVisible("dialog.sheet #on-sale")
	s.Wait(`document.querySelector("#on-sale").checked`)
	s.Press(browsertest.Escape)
	s.Wait(`!document.querySelector("dialog[open]")`)
}

// testPrint checks that a printed order is a receipt: what can only be clicked is not on it.
func testPrint(t *testing.T, p *process) {
	id, _ := p.product("demo", "mango-pickle")
	order := p.must(request{method: "POST", path: "/api/v1/orders", tenant: "demo", body: orderOf(id, 1)}).text("_id")
	s := newBuyer(t, p, 794) // A4 at 96 dpi
	s.SetMediaFeature("prefers-color-scheme", "dark")
	s.visit("?order=" + order)
	s.Print()
	s.wantText("body", "Demo Shop", "Order 1001", "৳310", "Mango")
	for _, selector := range []string{".header-actions", ".search", ".nav", ".footer", ".main button", ".steps"} {
		var shown bool
		s.Eval(fmt.Sprintf(`[...document.querySelectorAll(%q)].some((e) => e.checkVisibility())`, selector), &shown)
		if shown {
			t.Errorf("%s is printed", selector)
		}
	}
	var paper string
	s.Eval(`getComputedStyle(document.body).backgroundColor`, &paper)
	if paper != "rgb(255, 255, 255)" {
		t.Errorf("got a paper of %s, want white", paper)
	}
	s.fullScreenshot("print")
}
