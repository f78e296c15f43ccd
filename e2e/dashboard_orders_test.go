package e2e

import (
	"fmt"
	"strings"
	"testing"

	"storefront/e2e/browsertest"
)

// The list of orders is filtered by what staff know, the filters and columns are stored on the
// device, colleagues see who works on an order, and what is selected is saved as a file.
func testOrderList(t *testing.T, p *process, data string) {
	m := openDashboard(t, p, 1280)
	run(t, "stock", "set", "demo", mangoPickle(t, p), "100", "--data", data)
	ids := placeOrders(t, p, 2)
	run(t, "api", "demo", "setTags", "--order-id", ids[0], "--tags", "wholesale", "--data", data)
	claimAs(t, m, p, data, ids[1])
	m.show("orders?view=toConfirm", "[data-order]")
	m.waitText(fmt.Sprintf(`[data-order="%s"]`, ids[1]), "Nila is on it")

	m.Click(".chips button")
	m.WaitVisible("#filters")
	m.Fill("#tags", "wholesale")
	m.Fill("#minTotal", "১০০")
	m.Click("#filters [value=storefront]")
	m.Click("#filters form > .primary")
	m.Wait(fmt.Sprintf(`!document.querySelector('[data-order="%s"]') && document.querySelector('[data-order="%s"]')`, ids[1], ids[0]))
	m.Click(".chips button")
	m.Click("#name-filter")
	m.Fill("#filter-name", "Wholesale")
	m.check("save-filter")
	m.Press(browsertest.Enter)
	m.Wait(`!document.querySelector("#filter-name")`)
	m.Press(browsertest.Escape)
	m.Wait(`!document.querySelector("dialog[open]")`)
	m.Click("#columns-button")
	for _, column := range []string{"goods", "phone", "tags"} {
		m.Click(fmt.Sprintf("#columns [value=%s]", column))
	}
	m.check("columns")
	m.Press(browsertest.Escape)
	m.Wait(`!document.querySelector("dialog[open]") && document.activeElement.id === "columns-button"`) // what opened it
	m.Eval(`(location.hash = "#/demo/orders?view=toConfirm", true)`, nil)
	m.Reload() // both are still there
	m.waitOrders(ids)
	m.Eval(`([...document.querySelectorAll(".chips a")].find((one) => one.innerText.includes("Wholesale")).click(), true)`, nil)
	m.Wait(fmt.Sprintf(`!document.querySelector('[data-order="%s"]') && document.querySelector('[data-order="%s"]')`, ids[1], ids[0]))
	m.waitText(fmt.Sprintf(`[data-order="%s"]`, ids[0]), "01711-000 000")
	m.waitText(fmt.Sprintf(`[data-order="%s"]`, ids[0]), "wholesale")
	m.check("saved-filter")

	m.Eval(`(() => {
		const real = URL.createObjectURL
		URL.createObjectURL = (file) => { file.text().then((text) => { window.saved = text }); return real(file) }
		return true
	})()`, nil)
	m.Click("thead input")
	m.Click("#bulk-more")
	m.Click("#bulk-menu [data-action=export]")
	m.Wait(`window.saved`)
	var saved string
	if m.Eval(`window.saved`, &saved); !strings.Contains(saved, ids[0]) || strings.Contains(saved, ids[1]) {
		t.Errorf("got the file\n%s\nwant the selected order alone", saved)
	}
	testOrderFilters(t, m, ids)
	testChanges(t, m, data, ids[0])
}

// testOrderFilters chooses statuses and a product in the sheet: each is a chip, and all of them are
// in the address.
func testOrderFilters(t *testing.T, m *merchant, ids []string) {
	var product string
	m.Eval(`fetch("/admin/v1/shops/demo/products?search=mango+pickle").then((response) => response.json()).then((list) => list.nodes[0]._id)`, &product)
	m.show("orders?view=toHandOver", ".views")
	m.Click(".chips button")
	m.WaitVisible("#filters")
	m.Click("#filters [name=status][value=pending]")
	m.Eval(`(document.querySelectorAll("#filters details").forEach((one) => { one.open = true }), true)`, nil)
	m.Click("#filters [name=paymentStatus][value=unpaid]")
	m.Click("#filters [name=fulfillmentStatus][value=unfulfilled]")
	m.Fill("#find-goods", "mango pickle")
	m.WaitVisible("#filters [name=product]")
	m.check("filter-product")
	m.Click("#filters [name=product]")
	m.Click("#filters form > .primary")
	m.waitOrders(ids) // the tab is that of all orders now
	m.Wait(fmt.Sprintf(`["view=all", "status=pending", "paymentStatus=unpaid", "fulfillmentStatus=unfulfilled", "product=%s"]
		.every((one) => location.hash.includes(one)) && document.querySelectorAll(".chips .chip.on").length === 4`, product))
	m.waitText(".chips", "Mango")
	m.check("filtered")
	m.show("orders?view=all&shipmentStatus=in_transit&product="+product, ".views")
	m.Wait(`[...document.querySelectorAll(".chips .chip.on")].some((one) => one.innerText.includes("On the way"))`)
	m.Wait(fmt.Sprintf(`!document.querySelector('[data-order="%s"]')`, ids[0]))
	m.show("orders?view=all&test=1", ".views")
	m.Wait(fmt.Sprintf(`[...document.querySelectorAll(".chips .chip.on")].some((one) => one.innerText.includes("Test")) &&
		!document.querySelector('[data-order="%s"]')`, ids[0]))
	testSearchBehind(m)
}

// testSearchBehind searches while the server reports that its index is behind.
func testSearchBehind(m *merchant) {
	m.Eval(`(() => {
		const real = window.fetch
		window.fetch = async (...args) => {
			const response = await real(...args)
			if (!(args[0].url ?? String(args[0])).includes("search=mango")) return response
			window.fetch = real
			const list = await response.json()
			list.meta.indexing = { remaining: 1200 }
			return new Response(JSON.stringify(list), { status: 200, headers: response.headers })
		}
		return true
	})()`, nil)
	m.show("orders?view=all&search=mango", ".views")
	m.waitText("#main", "Up to 1,200 orders may be missing")
}

// claimAs makes another staff member work on an order.
func claimAs(t *testing.T, m *merchant, p *process, data, id string) {
	t.Helper()
	run(t, "staff", "invite", "demo", "--role", "staff", "--name", "Nila", "--email", "nila@example.com", "--data", data)
	var link struct{ Link struct{ URL string } }
	decode(t, run(t, "staff", "reset", "demo", "nila@example.com", "--json", "--data", data), &link)
	other := &merchant{openWindow(t, p, 360)}
	_, fragment, _ := strings.Cut(link.Link.URL, "#")
	other.Go(p.url + "/admin/#" + fragment)
	other.Fill("#password", "kolapata-7-nodi")
	other.Click("form .primary")
	other.WaitVisible(".tiles")
	other.show("call/"+id, ".outcomes")
	m.Wait(fmt.Sprintf(`fetch("/admin/v1/shops/demo/orders?limit=20").then((response) => response.json()).then((list) =>
		list.nodes.some((row) => row._id === "%s" && row.claimedBy))`, id))
}

// testChanges opens who has changed an order, beside its history with the notes of staff, and
// follows on Home what arrives there.
func testChanges(t *testing.T, m *merchant, data, id string) {
	m.show("order/"+id, ".money")
	m.Fill("#text", "Wants a gift box")
	m.Press(browsertest.Enter)
	m.waitText(".timeline .by-staff", "Wants a gift box")
	m.Wait(`document.querySelector(".timeline").firstElementChild.matches(".by-staff")`) // newer than what has happened before
	m.Eval(`(document.querySelector("#changes summary").click(), true)`, nil)            // the bar of actions may lie above it
	m.waitText("#changes", "order.note")
	m.waitText("#changes", "order.tag")
	m.check("order-changes")
	run(t, "tenant", "mode", "demo", "sandbox", "--data", data)
	m.Eval(`(location.hash = "#/demo/payments", true)`, nil)
	m.Reload()
	m.WaitVisible(".payments .facts")
	m.waitText(".banner.info", "Sandbox")
	m.check("sandbox")
	run(t, "tenant", "mode", "demo", "live", "--data", data)
	run(t, "tenant", "suspend", "demo", "--data", data)
	m.Eval(`(location.hash = "#/demo/home", true)`, nil)
	m.Reload()
	m.WaitVisible("#suspended")
	m.check("suspended")
	run(t, "tenant", "resume", "demo", "--data", data)
	m.Reload()
	m.WaitVisible(".new-orders")
	fresh := placeOrders(t, m.p, 1)
	m.Wait(fmt.Sprintf(`document.querySelector('.new-orders a.enters[href*="%s"]')`, fresh[0]))
	m.Wait(`document.querySelectorAll(".new-orders a:not(.enters)").length > 0`) // those of before stand still
}

// The camera reads a product's bar code into a new order, and a label of what came back.
func testScan(t *testing.T, p *process, data string) {
	run(t, "stock", "set", "demo", mangoPickle(t, p), "100", "--data", data)
	m := openDashboard(t, p, 360)
	m.Eval(`(() => { // a camera that sees window.code
		window.code = ""
		window.BarcodeDetector = class { detect() { return Promise.resolve(window.code ? [{rawValue: window.code}] : []) } }
		navigator.mediaDevices.getUserMedia = () => Promise.resolve(new MediaStream())
		HTMLMediaElement.prototype.play = () => Promise.resolve()
		return true
	})()`, nil)
	scan := func(code, found string) {
		m.Click("#scan-next, [aria-haspopup=dialog].square")
		m.WaitVisible("#scan video")
		m.Eval(fmt.Sprintf(`(async () => { window.code = %s; return true })()`, code), nil)
		m.WaitVisible(found)
		m.Wait(`!document.querySelector("#scan")`)
		m.Eval(`(window.code = "", true)`, nil)
	}
	m.show("new", "#text")
	scan(`await fetch("/admin/v1/shops/demo/products?search=mango+pickle").then((response) => response.json())
		.then((list) => list.nodes[0].variants[0].sku)`, ".goods-line")
	m.show("returns", "#shipment")
	scan(`await fetch("/admin/v1/shops/demo/orders?view=returning&limit=1").then((response) => response.json())
		.then((list) => String(list.nodes[0].orderNumber))`, "#shipment-order")
	m.check("scanned")
}
