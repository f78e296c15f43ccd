package e2e

import (
	"fmt"
	"io"
	"log"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"slices"
	"strings"
	"testing"

	"storefront/e2e/browsertest"
)

// What the dashboard must reach in taps and bytes.
func TestDashboard_Targets(t *testing.T) {
	onlyWithAll(t)
	t.Parallel()
	data := demoData(t)
	p := serve(t, "--dev", "--rate", "0", "--data", data)
	t.Run("taps", func(t *testing.T) { testTaps(t, p, data) })
	for _, protocol := range []string{"http/1.1", "h2"} {
		t.Run("first visit by "+protocol, func(t *testing.T) { testFirstVisit(t, p, data, protocol) })
	}
	t.Run("the best courier", func(t *testing.T) { testBestCourier(t, p, data) })
	t.Run("a selection", func(t *testing.T) { testBookSelection(t, p, data) })
}

// taps counts what a person taps.
type taps struct {
	*merchant
	n int
}

func (m *taps) tap(selector string) {
	m.t.Helper()
	m.n++
	m.Click(selector)
}

// want fails the test for more taps than a task may need, and begins to count again.
func (m *taps) want(task string, most int) {
	m.t.Helper()
	m.t.Logf("%s: %d taps", task, m.n)
	if m.n > most {
		m.t.Errorf("%s: got %d taps, want at most %d", task, m.n, most)
	}
	m.n = 0
}

// The tasks of every day need few taps.
func testTaps(t *testing.T, p *process, data string) {
	m := &taps{merchant: openDashboard(t, p, 360)}
	run(t, "stock", "set", "demo", mangoPickle(t, p), "100", "--data", data)
	ids := placeOrders(t, p, 40)
	m.show("home", ".tiles")

	m.tap(".tile.main") // and the call itself
	m.WaitVisible(".outcomes")
	m.tap(".outcomes .button:first-child")
	m.waitText(".toast", "confirmed")
	m.want("confirm an order beside the call", 2)

	m.show("home", ".tiles")
	m.tap(".top .icon-button:last-child")
	m.Fill("#command", "0039")
	m.waitText("#found", "Buyer h")
	m.Wait(`document.querySelector("#found .option.on").innerText.includes("৳") && [...document.querySelectorAll("#found .cut")].every((one) =>
		one.scrollWidth <= one.clientWidth)`) // no name, age or amount is cut off
	m.want("find an order by the end of a phone number", 1)
	m.Press(browsertest.Escape)
	m.Wait(`!document.querySelector("dialog[open]")`)

	m.show("home", ".tiles")
	m.tap(`.bottom-tabs a[href$="/more"]`)
	m.WaitVisible(`main nav a[href$="/team"]`)
	m.tap(`main nav a[href$="/team"]`)
	m.WaitVisible("#invite-button")
	m.tap("#invite-button")
	m.WaitVisible("#invite #name")
	m.Fill("#invite #name", "Rina")
	m.Fill("#invite #contact", "01819336204")
	m.tap("#invite form .primary")
	m.WaitVisible("#link-url")
	m.want("invite a staff member", 4)
	m.Click("#link-done")
	m.Wait(`!document.querySelector("dialog[open]")`)

	// The 40 are confirmed elsewhere.
	m.Eval(fmt.Sprintf(`fetch("/admin/v1/shops/demo/bulk/orders", {method: "POST", headers: {"Content-Type": "application/json"},
		body: JSON.stringify({action: "confirm", ids: %q.split(",")})}).then((response) => response.ok)`, strings.Join(ids, ",")), nil)
	m.show("home", ".tiles")
	m.tap(`.tiles a[href*="view=toPack"]`)
	m.waitOrders(ids[39:])
	m.waitText(".action-bar.above", "Book 4")
	m.tap(".action-bar.above .button")
	m.WaitVisible("#book:not(:disabled)")
	m.tap("#book")
	m.WaitVisible("#print-labels")
	m.tap("#print-labels")
	m.WaitVisible("#print form")
	m.tap("#print form .primary")
	m.Wait(`document.querySelector(".print-frame") && !document.querySelector("#print")`)
	m.want("book 40 orders and print their labels", 6)
	var booked []string
	m.Eval(`fetch("/admin/v1/shops/demo/orders?view=toHandOver&limit=100").then((response) => response.json()).then((list) =>
		list.nodes.map((row) => row._id))`, &booked)
	for _, id := range ids {
		if !slices.Contains(booked, id) {
			t.Errorf("order %s is not booked", id)
		}
	}
}

// overTLS returns the address of a server in front of that of the demo, which speaks HTTP/2 with
// TLS. The demo's uploaded pictures are loaded from there, too.
func overTLS(t *testing.T, p *process, data string) string {
	t.Helper()
	target, err := url.Parse(p.url)
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewUnstartedServer(&httputil.ReverseProxy{
		ErrorLog: log.New(io.Discard, "", 0), // streams that a page leaves
		Rewrite: func(r *httputil.ProxyRequest) {
			r.SetURL(target)
			r.Out.Header["Accept-Encoding"] = r.In.Header["Accept-Encoding"]
		},
	})
	server.EnableHTTP2 = true
	server.Config.ErrorLog = log.New(io.Discard, "", 0) // handshakes that a browser leaves
	server.StartTLS()
	t.Cleanup(server.Close)
	run(t, "tenant", "set", "demo", "mediaUrl="+server.URL, "--data", data)
	t.Cleanup(func() { run(t, "tenant", "set", "demo", "mediaUrl=", "--data", data) })
	return server.URL
}

// What the first visit to the list of orders costs on a cheap phone far away. How long it takes
// depends on the machine too, and is only reported.
func testFirstVisit(t *testing.T, p *process, data, protocol string) {
	address := p.url
	if protocol == "h2" {
		address = overTLS(t, p, data) // ends after the page, whose stream of events it waits for
	}
	m := &merchant{openWindow(t, p, 360)}
	m.Go(strings.Replace(demoLink.FindString(p.logged()), p.url, address, 1))
	m.Wait(`document.querySelector(".wide #main h1")`)
	placeOrders(t, p, 2)
	m.Eval(`navigator.serviceWorker.ready.then(() => true)`, nil) // later it would fill the cache again
	m.ClearFiles()
	m.Go("about:blank")
	m.SlowDownFar()
	m.Go(address + "/admin/#/demo/orders")
	var took float64
	m.Eval(`new Promise((done) => {
		const see = () => document.querySelector("[data-order]") ? done(performance.now()) : requestAnimationFrame(see)
		see()
	})`, &took)
	var files struct {
		Count, Bytes int
		Bundled      bool
		Protocols    []string
	}
	m.Eval(`(() => {
		const all = performance.getEntriesByType("resource").filter((one) => one.name.includes("/admin/assets/"))
		const page = performance.getEntriesByType("navigation")[0]
		return {bundled: !all.some((one) => one.name.endsWith("/vendor/preact.js")), count: all.length + 1,
			protocols: [...new Set([...all, page].map((one) => one.nextHopProtocol))], bytes: [...all, page].reduce((sum, one) => sum + one.transferSize, 0)}
	})()`, &files)
	// Session and list are requested once, before the last module has arrived.
	var early bool
	m.Eval(`(() => {
		const all = performance.getEntriesByType("resource")
		const last = Math.max(...all.filter((one) => one.name.endsWith(".js")).map((one) => one.responseEnd))
		return ["/session", "/orders?view=toConfirm"].every((end) => {
			const found = all.filter((one) => one.name.endsWith(end))
			return found.length === 1 && found[0].startTime < last
		})
	})()`, &early)
	if !early {
		t.Error("the first view's data is not requested early, or twice")
	}
	t.Logf("first visit: usable after %.0f ms, %d files, %d bytes", took, files.Count, files.Bytes)
	if !slices.Equal(files.Protocols, []string{protocol}) {
		t.Errorf("got files by %q, want all by %s", files.Protocols, protocol)
	}
	requests, size := 70, 150<<10
	if files.Bundled {
		requests, size = 12, 90<<10
	}
	if files.Count > requests || files.Bytes > size || files.Bytes < 20<<10 { // with headers
		t.Errorf("got %d files of %d bytes, want at most %d of %d", files.Count, files.Bytes, requests, size)
	}
}
