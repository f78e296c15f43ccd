package e2e

import (
	"fmt"
	"strings"
	"testing"

	"storefront/e2e/browsertest"
)

// A list that is shown again is where it was left: its page, how far it was scrolled, what is
// selected, and the row that was opened, which has the focus.
func TestDashboard_Place(t *testing.T) {
	onlyWithAll(t)
	t.Parallel()
	data := demoData(t)
	p := serve(t, "--dev", "--rate", "0", "--data", data)
	t.Run("on a phone", func(t *testing.T) { testPlacePhone(t, p) })
	t.Run("on a desk", func(t *testing.T) { testPlaceDesk(t, p) })
	t.Run("messages", func(t *testing.T) { testMessagePlace(t, p) })
	t.Run("an edit by its address", func(t *testing.T) { testEditAddress(t, p, data) })
	t.Run("too many", func(t *testing.T) { testTooMany(t, p) })
}

// scrolledTo scrolls the page, and returns how far it went.
func (m *merchant) scrolledTo(y int) (at int) {
	m.t.Helper()
	m.Eval(fmt.Sprintf(`(scrollTo(0, %d), Math.round(scrollY))`, y), &at)
	if at < min(y/2, 2000) {
		m.t.Fatalf("the page is scrolled to %d, want %d: it has too few rows", at, y)
	}
	return at
}

// inSight returns the address of a link in the middle of the window.
func (m *merchant) inSight(selector string) (href string) {
	m.t.Helper()
	m.Eval(fmt.Sprintf(`[...document.querySelectorAll(%q)].find((link) => {
		const {top, bottom} = link.getBoundingClientRect()
		return top > innerHeight * 0.3 && bottom < innerHeight * 0.8
	})?.getAttribute("href") ?? ""`, selector), &href)
	if href == "" {
		m.t.Fatalf("nothing in sight is %s", selector)
	}
	return href
}

func linkTo(href string) string { return fmt.Sprintf(`a[href="%s"]`, href) }

// waitPlace waits until the page is scrolled that far, and the link has the focus and is marked.
func (m *merchant) waitPlace(y int, href string) {
	m.t.Helper()
	m.Wait(fmt.Sprintf(`Math.abs(scrollY - %d) < 4 && document.activeElement?.getAttribute("href") === %q`, y, href))
	var colours []string
	m.Eval(`((link) => [link.closest("tr") ?? link, document.body].map((one) => getComputedStyle(one).backgroundColor))(
		document.activeElement)`, &colours)
	if colours[0] == colours[1] || colours[0] == "rgba(0, 0, 0, 0)" {
		m.t.Errorf("the row %s has the colour %s, want it marked", href, colours[0])
	}
}

func testPlacePhone(t *testing.T, p *process) {
	m := openDashboard(t, p, 360)
	for _, list := range []struct{ view, rows, opened, back string }{
		{"orders?view=all", "a[data-order]", ".money", ".top .icon-button"},
		{"orders?view=all&page=2", "a[data-order]", ".money", ".top .icon-button"},
		{"products", "a[data-product]", ".form-view", ".top .icon-button"},
		{"customers", "#customers a.fold", ".buyer-card, .customer, main section", ".top [data-back]"},
		{"cash/shipments?courier=courier_a&status=paid", "a.fold", ".money", ".top .icon-button"},
	} {
		m.show(list.view, list.rows)
		y := m.scrolledTo(900)
		href := m.inSight(list.rows)
		for _, back := range []string{"", list.back} {
			m.Click(linkTo(href))
			m.Wait(fmt.Sprintf(`location.hash === %q && scrollY === 0 && document.querySelector(%q)`, href, list.opened))
			if back == "" {
				m.Back()
			} else {
				m.Click(back)
			}
			m.Wait(fmt.Sprintf(`location.hash === "#/demo/%s" && document.querySelector(%q)`, list.view, list.rows))
			m.waitPlace(y, href)
		}
		m.Screenshot(m.shots + "place-" + strings.Trim(notInName.ReplaceAllString(list.view, "-"), "-"))
	}
	// So does a page that is loaded again.
	m.show("orders?view=all", "a[data-order]")
	reloaded := m.scrolledTo(900)
	m.Reload()
	m.Wait(`document.querySelector("a[data-order]")`)
	m.waitPlaceless(reloaded)
	// The other page begins at its top, and going back shows the first one where it was.
	m.show("orders?view=all", "a[data-order]")
	y := m.scrolledTo(1 << 20)
	m.Click("nav.pages a")
	m.Wait(`location.hash.endsWith("page=2") && scrollY === 0 && document.querySelector("a[data-order]")`)
	m.Back()
	m.Wait(`!location.hash.includes("page=2") && document.querySelector("a[data-order]")`)
	m.waitPlaceless(y)
	// The orders that were chosen are chosen again after another screen.
	m.show("orders?view=toConfirm", "a[data-order]")
	var was, is int
	m.Eval(`(scrollTo(0, 0), document.querySelector("[data-order]").getBoundingClientRect().top)`, &was)
	m.Click("#select")
	m.WaitVisible("label.list-item")
	if m.Eval(`document.querySelector("label.list-item").getBoundingClientRect().top`, &is); is != was {
		m.t.Errorf("selecting moves the first row from %d to %d", was, is)
	}
	m.Eval(`(document.querySelector("label.list-item").click(), true)`, nil)
	m.waitText("h1", "1 selected")
	m.Eval(`(location.hash = "#/demo/home", true)`, nil)
	m.WaitVisible(".tiles")
	m.Back()
	m.waitText("h1", "1 selected")
	m.Press(browsertest.Escape)
}

func (m *merchant) waitPlaceless(y int) {
	m.t.Helper()
	m.Wait(fmt.Sprintf(`Math.abs(scrollY - %d) < 4`, y))
}

func testPlaceDesk(t *testing.T, p *process) {
	m := openDashboard(t, p, 1280)
	m.show("orders?view=all", "tr[data-order]")
	m.scrolledTo(1200)
	href := m.inSight("tr[data-order] a.cell")
	// top is where the row of the open order is in the window.
	const top = `Math.round(document.querySelector(".list-side tr.open, .list-side li.open").getBoundingClientRect().top)`
	var before, after int
	m.Eval(fmt.Sprintf(`Math.round(document.querySelector(%q).closest("tr").getBoundingClientRect().top)`, linkTo(href)), &before)
	m.Click(linkTo(href))
	m.Wait(`document.querySelector(".pane .money") && document.querySelector(".list-side .open")`)
	if m.Eval(top, &after); after < before-2 || after > before+2 {
		t.Errorf("the row of the order that was opened is at %d, want %d: it has moved under the pointer", after, before)
	}
	m.check("place-pane")
	for range 15 {
		m.keys("j")
		m.Wait(`document.querySelector(".pane h2").innerText.trim() === document.querySelector(".list-side .open b").innerText.trim()`)
	}
	m.Wait(`((row) => row.top >= 0 && row.bottom <= innerHeight)(document.querySelector(".list-side .open").getBoundingClientRect())`)
	var shown, listed string
	m.Eval(`location.hash.split("/")[3].split("?")[0]`, &shown)
	m.Eval(`((open) => open.dataset.order ?? open.querySelector("[data-order]").dataset.order)(document.querySelector(".list-side .open"))`, &listed)
	if shown != listed {
		t.Errorf("the pane shows %s, the list %s", shown, listed)
	}
	m.Eval(top, &before)
	m.Press(browsertest.Escape)
	m.Wait(fmt.Sprintf(`!document.querySelector(".pane") && document.activeElement?.closest("[data-order]")?.dataset.order === %q`, shown))
	m.Eval(`Math.round(document.activeElement.closest("tr").getBoundingClientRect().top)`, &after)
	if after < before-2 || after > before+2 {
		t.Errorf("the row of the order that was closed is at %d, want %d", after, before)
	}
	m.check("place-closed")
	m.keys("k") // from the row that was open
	m.Wait(fmt.Sprintf(`document.activeElement?.closest("[data-order]")?.nextElementSibling?.dataset.order === %q`, shown))
	// Another screen and back: as far as before.
	y := m.scrolledTo(1000)
	m.Eval(`(location.hash = "#/demo/home", true)`, nil)
	m.WaitVisible(".tiles")
	m.Back()
	m.Wait(`document.querySelector("tr[data-order]")`)
	m.waitPlaceless(y)
	// The page itself warns about changes that are not saved.
	m.show("stock", "main h1")
	m.show("orders?view=toConfirm", "tr[data-order]")
	m.Click("tr[data-order] a.cell")
	m.WaitVisible(".pane .money")
	m.Eval(`(location.hash = "#/demo/edit/" + location.hash.split("/")[3].split("?")[0], true)`, nil)
	m.Fill("#line1", "House 1, Road 2, Banani")
	m.Back()
	m.WaitVisible("#leave")
	m.check("leave")
	m.Click("#leave .primary")
	m.Wait(`!document.querySelector("dialog[open]") && location.hash.startsWith("#/demo/edit/") &&
		document.querySelector("#line1").value.includes("Banani")`)
	m.Back()
	m.WaitVisible("#leave")
	m.Click("#leave .bad")
	m.Wait(`!document.querySelector("dialog[open]") && location.hash.startsWith("#/demo/orders/") && document.querySelector(".pane .money")`)
}

// A message covers nothing of the next call, and ends with its screen.
func testMessagePlace(t *testing.T, p *process) {
	m := openDashboard(t, p, 360)
	ids := placeOrders(t, p, 2)
	m.show("call/"+ids[0], ".outcomes")
	m.Press("2")
	m.waitText(".top .toast", "call again")
	m.WaitVisible(".callee")
	m.check("place-message")
	var covers bool
	if m.Eval(`document.querySelector(".toasts .toast") !== null || document.querySelector(".top.over").offsetHeight > 57`, &covers); covers {
		t.Error("the message lies over the call, or moves it")
	}
	m.Eval(`new Promise((done) => setTimeout(() => done(true), 1100))`, nil) // what leads to a screen is shown there
	m.Eval(`(location.hash = "#/demo/home", true)`, nil)
	m.WaitVisible(".tiles")
	m.Wait(`!document.querySelector(".toast")`)
}

// An edit that was opened by its address, such as a link in a chat, shows its order once it is
// saved, and not what was on the page before.
func testEditAddress(t *testing.T, p *process, data string) {
	m := openDashboard(t, p, 360)
	ids := placeOrders(t, p, 2)
	edit := "/admin/#/demo/edit/" + ids[1]
	for i, line := range []string{"House 22, Road 9", "House 23, Road 9"} {
		if i == 0 {
			m.show("order/"+ids[0], ".money") // another one
		} else {
			m.Go("about:blank")
		}
		m.Go(p.url + edit)
		m.WaitVisible("#save")
		m.Fill("#line1", line)
		m.Click("#save")
		m.Wait(fmt.Sprintf(`location.hash === "#/demo/order/%s" && document.querySelector(".money")`, ids[1]))
		m.waitText(".buyer-card address", line)
		if got := showOrder(t, data, ids[1]).ShippingAddress.Line1; got != line {
			t.Errorf("got the address %q, want %q", got, line)
		}
	}
}

// A list that is too long for one action shows the limit.
func testTooMany(t *testing.T, p *process) {
	m := openDashboard(t, p, 360)
	m.Eval(`(() => {
		const real = fetch
		window.fetch = async (url, init) => {
			const response = await real(url, init)
			if (!/\/(orders|products)\?/.test(url)) return response
			const body = await response.json()
			body.meta.totalCount = 5004
			return new Response(JSON.stringify(body), response)
		}
		return true
	})()`, nil)
	for view, rows := range map[string]string{"orders?view=all&page=2": "a[data-order]", "products?view=active": "a[data-product]"} {
		m.show(view, rows)
		m.Click("#select")
		m.Click(".top .mini") // all of the page
		m.waitText("#too-many", "At most 2,000 at once")
		m.check("too-many")
		m.Press(browsertest.Escape)
		m.WaitVisible("#select")
	}
}
