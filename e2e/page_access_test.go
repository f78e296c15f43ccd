package e2e

import (
	"fmt"
	"testing"

	"storefront/e2e/browsertest"
)

// tabTo presses the tab key until the focus is on what the selector names, where it has to be seen.
func (s *buyer) tabTo(selector string) {
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
	s.t.Fatalf("the Tab key does not reach %s", selector)
}

// waitFocus waits until the focus is on what the selector names.
func (s *buyer) waitFocus(selector string) {
	s.t.Helper()
	s.Wait(fmt.Sprintf(`document.activeElement.matches(%q)`, selector))
}

// navigate shows one of the page's addresses as the browser's way back does, without loading the
// page.
func (s *buyer) navigate(query string) {
	s.t.Helper()
	s.Eval(fmt.Sprintf(`(() => { history.pushState(null, "", "/" + %q); dispatchEvent(new PopStateEvent("popstate")); return true })()`, query), nil)
	s.waitLoaded()
	s.waitAnimations()
}

func TestPage_Keyboard(t *testing.T) {
	t.Parallel()
	s := newBuyer(t, serve(t, "--dev", "--data", demoData(t)), 1280)
	s.visit("")
	s.Press(browsertest.Tab)
	s.waitFocus("#skip")
	s.tabTo("#search")
	s.Press("kurti" + browsertest.Enter)
	s.waitHeading("kurti")
	s.waitFocus("h1")
	s.tabTo(`.card-title a[href="/?product=cotton-kurti"]`)
	s.Press(browsertest.Enter)
	s.waitHeading("Everyday Cotton Kurti")
	s.waitFocus("h1")
	s.tabTo("[name=Colour]")
	s.Press(browsertest.ArrowRight)
	s.waitText(".offer", "KRT-CTN-BLU")
	s.waitFocus("[name=Colour][value=Blue]")
	s.tabTo("#add")
	s.Press(browsertest.Enter)
	s.WaitVisible("dialog .figures")
	s.Press(browsertest.Escape)
	s.Wait(`!document.querySelector("dialog")`)
	s.waitFocus("#add")
	s.Press(browsertest.Enter)
	s.waitText("dialog .figures", "৳1,780")
	s.tabTo("[id^=less-]")
	s.Press(" ")
	s.waitText("dialog .figures", "৳890")
	s.waitFocus("[id^=less-]") // redrawn, and still there
	s.tabTo("#to-checkout")
	s.Press(browsertest.Enter)
	s.waitHeading("Checkout")
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
	s.waitOrder()
	s.waitFocus("h1")
}

// Each view, on a phone by day and on a desk by night.
func TestPage_Accessible(t *testing.T) {
	onlyWithAll(t)
	t.Parallel()
	p := serve(t, "--dev", "--data", demoData(t))
	id, _ := p.product("demo", "mango-pickle")
	order := p.must(request{method: "POST", path: "/api/v1/orders", tenant: "demo", body: orderOf(id, 1)}).text("_id")
	views := []string{
		"", "?view=products", "?search=zzz", "?collection=women", "?product=rajshahi-silk-saree", "?product=katan-bridal-saree",
		"?product=none", "?view=checkout", "?view=account", "?view=account&by=register", "?view=track", "?policy=returns", "?order=" + order,
	}
	for _, of := range some([]struct {
		width  int
		scheme string
	}{{390, "light"}, {1280, "dark"}}, 0, 2) {
		t.Run(of.scheme, func(t *testing.T) {
			s := newBuyer(t, p, of.width)
			s.AllowProblem("status of 404")
			s.SetMediaFeature("prefers-color-scheme", of.scheme)
			s.visit("?product=rajshahi-silk-saree")
			s.Click("#add")
			s.WaitVisible("dialog .figures")
			s.waitAnimations()
			s.Accessible("basket")
			s.Press(browsertest.Escape)
			for _, view := range views {
				s.navigate(view)
				s.Accessible("/" + view)
				var wide bool
				s.Eval(`document.documentElement.scrollWidth > innerWidth`, &wide)
				if wide {
					t.Errorf("/%s is wider than %d pixels", view, of.width)
				}
			}
			s.fullScreenshot(of.scheme)
		})
	}
}
