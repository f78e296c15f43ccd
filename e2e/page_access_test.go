package e2e

import (
	"fmt"
	"testing"

	"storefront/e2e/browsertest"
)

// tabTo presses the tab key until the focus is on what the selector names, where it has to be seen.
func (s *shopper) tabTo(selector string) {
	s.t.Helper()
	for range 150 {
		s.Press(browsertest.Tab)
		var on, seen bool
		s.Eval(fmt.Sprintf(`document.activeElement.matches(%q)`, selector), &on)
		if !on {
			continue
		}
		s.Eval(`(() => {
			const mark = (e, pseudo) => getComputedStyle(e, pseudo).outlineStyle !== "none"
			const a = document.activeElement
			return mark(a) || mark(a, "::after") || mark(a.parentElement) || a.nextElementSibling !== null && mark(a.nextElementSibling)
		})()`, &seen)
		if !seen {
			s.t.Errorf("nothing shows that the focus is on %s", selector)
		}
		return
	}
	s.t.Fatalf("the tab key never comes to %s", selector)
}

// focused waits until the focus is on what the selector names.
func (s *shopper) focused(selector string) {
	s.t.Helper()
	s.Wait(fmt.Sprintf(`document.activeElement.matches(%q)`, selector))
}

// turnTo shows one of the page's addresses as the browser's way back does, without loading the page.
func (s *shopper) turnTo(query string) {
	s.t.Helper()
	s.Eval(fmt.Sprintf(`(() => { history.pushState(null, "", "/" + %q); dispatchEvent(new PopStateEvent("popstate")); return true })()`, query), nil)
	s.settled()
	s.still()
}

func TestPage_ByKeyboardAlone(t *testing.T) {
	t.Parallel()
	s := newShopper(t, serve(t, "--dev", "--data", t.TempDir()), 1280)
	s.visit("")
	s.Press(browsertest.Tab)
	s.focused("#skip")
	s.tabTo("#search")
	s.Press("kurti" + browsertest.Enter)
	s.heading("kurti")
	s.focused("h1")
	s.tabTo(`.card-title a[href="/?product=cotton-kurti"]`)
	s.Press(browsertest.Enter)
	s.heading("Everyday Cotton Kurti")
	s.focused("h1")
	s.tabTo("[name=Colour]")
	s.Press(browsertest.ArrowRight)
	s.becomes(".offer", "KRT-CTN-BLU")
	s.focused("[name=Colour][value=Blue]")
	s.tabTo("#add")
	s.Press(browsertest.Enter)
	s.See("dialog .figures")
	s.Press(browsertest.Escape)
	s.Wait(`!document.querySelector("dialog")`)
	s.focused("#add")
	s.Press(browsertest.Enter)
	s.becomes("dialog .figures", "৳1,780.00")
	s.tabTo("[id^=less-]")
	s.Press(" ")
	s.becomes("dialog .figures", "৳890.00")
	s.focused("[id^=less-]") // redrawn, and still there
	s.tabTo("#to-checkout")
	s.Press(browsertest.Enter)
	s.heading("Checkout")
	for _, field := range [][2]string{
		{"customer.name", "Rahima"}, {"customer.phoneNumber", "01711000000"},
		{"shippingAddress.line1", "House 12"}, {"shippingAddress.city", "Dhaka"},
	} {
		s.tabTo("[name='" + field[0] + "']")
		s.Press(field[1])
	}
	s.tabTo("[name=paymentMethod]")
	s.Press(browsertest.ArrowDown)
	s.Wait(`document.querySelector("#paymentMethod-gateway_a").checked`)
	s.Press(browsertest.ArrowUp)
	s.tabTo("#place")
	s.Press(browsertest.Enter)
	s.ordered()
	s.focused("h1")
}

// Each view, on a phone by day and on a desk by night.
func TestPage_Accessible(t *testing.T) {
	t.Parallel()
	p := serve(t, "--dev", "--data", t.TempDir())
	id, _ := p.product("demo", "mango-pickle")
	order := p.must(request{method: "POST", path: "/api/v1/orders", tenant: "demo", body: orderOf(id, 1)}).text("_id")
	views := []string{
		"", "?view=products", "?search=zzz", "?collection=women", "?product=rajshahi-silk-saree", "?product=katan-bridal-saree",
		"?product=none", "?view=checkout", "?view=account", "?view=account&by=register", "?view=track", "?policy=returns", "?order=" + order,
	}
	for _, of := range []struct {
		width  int
		scheme string
	}{{390, "light"}, {1280, "dark"}} {
		t.Run(of.scheme, func(t *testing.T) {
			s := newShopper(t, p, of.width)
			s.Allow("status of 404")
			s.Prefer("prefers-color-scheme", of.scheme)
			s.visit("?product=rajshahi-silk-saree")
			s.Click("#add")
			s.See("dialog .figures")
			s.still()
			s.Accessible("basket")
			s.Press(browsertest.Escape)
			for _, view := range views {
				s.turnTo(view)
				s.Accessible("/" + view)
				var wide bool
				s.Eval(`document.documentElement.scrollWidth > innerWidth`, &wide)
				if wide {
					t.Errorf("/%s is wider than %d pixels", view, of.width)
				}
			}
			s.look(of.scheme)
		})
	}
}
