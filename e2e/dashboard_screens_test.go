package e2e

import (
	"fmt"
	"strings"
	"testing"

	"storefront/e2e/browsertest"
)

// Every screen in both languages, light and dark, on a phone and on a desk.
func testScreens(t *testing.T, p *process, _ string) {
	id := placeOrders(t, p, 2)[0]
	for i, width := range some([]int{360, 1280}, 0, 1) {
		m := openDashboard(t, p, width)
		for j, language := range some([]string{"en", "bn"}, i, 2) {
			m.use(language, []string{"light", "dark"}[(i+j)%2])
			show := func(view, selector string) {
				if m.showMarked(view, selector); width == 360 {
					m.checkTargets(view)
				}
			}
			show("home", ".tiles")
			show("orders?view=toConfirm", "[data-order]")
			show("orders?view=problems", "[data-order]")
			show("orders?view=all&search=nothing-has-this", ".empty")
			m.showMarked("orders/"+id+"?view=toConfirm", ".money")
			show("order/"+id, ".money")
			m.Click(".action-bar .square")
			m.WaitVisible("dialog .option")
			m.check("actions")
			m.Press(browsertest.Escape)
			show("call", ".outcomes")
			show("new", "#text")
			show("edit/"+id, "#save")
			show("returns", "#shipment")
			show("payments", ".payments .facts")
			m.Eval(`(location.hash = "#/demo/payments?status=all&method=gateway_b&search=nothing-has-this", true)`, nil)
			m.Wait(`document.querySelector(".empty .button")`)
			m.Click(".empty .button")
			m.Wait(`document.querySelector("#method").value === "" && document.querySelector(".payments a.reach")`)
			show("account", "#sign-out")
			show("nothing-here", ".empty")
		}
		if width == 360 {
			testLargeText(m, id)
			testPrintedScreen(m, id)
			testTrackingPage(m, p, id)
		}
	}
}

// With text of twice the size nothing is wider than a phone.
func testLargeText(m *merchant, order string) {
	m.t.Helper()
	m.Eval(`(document.documentElement.style.fontSize = "200%", true)`, nil)
	for _, one := range []string{
		"home .tiles", "orders?view=toConfirm [data-order]", "order/" + order + " .money", "call .outcomes", "new #text", "returns #shipment",
		"payments .payments .facts", "products [data-product]", "cash #enter", "settings/delivery .charge", "analytics h1", "team #invite-button",
	} {
		view, selector, _ := strings.Cut(one, " ")
		m.Eval(fmt.Sprintf(`(location.hash = "#/demo/%s", true)`, view), nil)
		m.AwaitEvents()
		m.Wait(fmt.Sprintf(`document.querySelector(%q) && !document.querySelector(".skeleton")`, selector))
		m.wantNarrow(view)
	}
	m.Eval(`(document.documentElement.style.fontSize = "", true)`, nil)
}

// lengthenDates writes the longest day, which has a year, in place of each that is shown: today's
// may be short.
const lengthenDates = `(() => {
	const part = "রাত|ভোর|সকাল|দুপুর|বিকেল|সন্ধ্যা"
	const english = /\btoday(?= \d)|\b\d{1,2} (Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)( \d{4})?\b,?/g
	const bangla = new RegExp("(আজ(?= (?:" + part + "))|[০-৯]{1,2} " +
		"(?:জানু|ফেব|মার্চ|এপ্রিল|মে|জুন|জুলাই|আগস্ট|সেপ্টে|অক্টো|নভে|ডিসে)(?: [০-৯]{4})?(?=[ ,]|$),?)( (?:" + part + "))?", "g")
	const texts = document.createTreeWalker(document.querySelector("dialog[open]") ?? document.querySelector("main"), NodeFilter.SHOW_TEXT)
	while (texts.nextNode()) {
		const text = texts.currentNode
		text.data = text.data.replace(english, (day) => "28 Nov 2026" + (/^today|,$/.test(day) ? "," : ""))
			.replace(bangla, (all, day, part) => "২৮ সেপ্টে ২০২৬" + (/^আজ|,$/.test(day) ? "," : "") + (part ? " সন্ধ্যা" : ""))
	}
	return true
})()`

// wantNarrow fails the test for what is wider than the window, than the open dialog or than its
// button, while the text is large.
func (m *merchant) wantNarrow(view string) {
	m.t.Helper()
	m.Eval(lengthenDates, nil)
	m.Screenshot(m.shots + "large-" + notInName.ReplaceAllString(view, "-"))
	var wider string
	m.Eval(`(() => {
		const page = document.querySelector("dialog[open]") ?? document.documentElement, width = document.documentElement.clientWidth
		const full = [...page.querySelectorAll(".button")].filter((one) => one.scrollWidth > one.clientWidth + 1)
		if (full.length > 0) return full.map((one) => one.outerHTML.slice(0, 120)).join()
		if (page.scrollWidth <= page.clientWidth) return ""
		return [...page.querySelectorAll("main *, dialog *")].filter((one) => one.getBoundingClientRect().right > width + 1 &&
			!one.closest(".views, .chips, .wrap, .photos")).map((one) => one.outerHTML.slice(0, 80)).join() || "something"
	})()`, &wider)
	if wider != "" {
		m.t.Errorf("%s%s: with large text, wider than the window: %s", m.shots, view, wider)
	}
}

// The page on which buyers see where their order is fits the smallest phones, in Bangla and dark.
func testTrackingPage(m *merchant, p *process, order string) {
	m.t.Helper()
	m.Resize(320, 760)
	m.SetMediaFeature("prefers-color-scheme", "dark")
	m.Go(p.url + "/t/demo/" + order + "?lang=bn")
	m.Wait(`document.documentElement.lang === "bn" && document.querySelector("h1")`)
	m.check("tracking-320-dark")
}

// A screen that is printed has its content without the frame and its buttons.
func testPrintedScreen(m *merchant, order string) {
	m.t.Helper()
	m.show("order/"+order, ".money")
	m.SetMedia("print")
	var shown string
	m.Eval(`[...document.querySelectorAll(".bottom-tabs, .side, .action-bar, .top .icon-button, .toasts, .skip, h1, .money")]
		.filter((one) => one.checkVisibility())
		.map((one) => one.matches(".money") ? "money" : one.matches("h1") ? "h1" : one.outerHTML.slice(0, 80)).join()`, &shown)
	if m.SetMedia(""); shown != "h1,money" {
		m.t.Errorf("got %s in print, want the order alone", shown)
	}
}

// checkTargets fails the test for what a thumb misses, in a dialog if one is open: less than 44 px
// of it can be tapped. Links within a sentence are as high as its lines.
func (m *merchant) checkTargets(view string) {
	m.t.Helper()
	var small []string
	m.Eval(`[...(document.querySelector("dialog[open]") ?? document).querySelectorAll("a[href], button, input, select, textarea, summary")]
		.filter((one) => {
		const isShown = one.checkVisibility({visibilityProperty: true}) && !one.matches(".visually-hidden, .visually-hidden *, .skip, :disabled")
		if (!isShown || getComputedStyle(one).display === "inline") return false
		one.scrollIntoView({block: "center", behavior: "instant"})
		const target = /^(checkbox|radio)$/.test(one.type) && one.labels[0] || one
		const {left, right, top, bottom} = target.getBoundingClientRect(), x = (left + right) / 2, y = (top + bottom) / 2
		const isHit = ([dx, dy]) => {
			const hit = document.elementFromPoint(x + dx, y + dy)
			return hit && (one.contains(hit) || [...one.labels ?? []].some((label) => label.contains(hit)))
		}
		return right > left && bottom > top && ![[0, -21], [0, 21], [-21, 0], [21, 0]].every(isHit)
	}).map((one) => one.outerHTML.slice(0, 120))`, &small)
	for _, one := range small {
		m.t.Errorf("%s%s: less than 44 px of it can be tapped: %s", m.shots, view, one)
	}
}
