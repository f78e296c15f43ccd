package e2e

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"storefront/e2e/browsertest"
)

// Every third response is lost: nothing is confirmed or booked twice, and nothing is left undone.
// While responses are lost for too long, a form stays open with what was typed. What is sent again
// without a change is recorded once.
func testLostResponse(t *testing.T, m *merchant, data, id string) {
	m.show("order/"+id, ".money")
	m.Eval(`(() => {
		const real = fetch, now = performance.now.bind(performance)
		let passed = 0
		performance.now = () => now() + passed
		window.lost = true
		window.sent = []
		window.fetch = async (url, init) => {
			const isForm = /\/(advances|notes)(\?|$)/.test(url)
			if (isForm) window.sent.push(init.headers["Idempotency-Key"])
			const response = await real(url, init)
			if (!isForm || !window.lost) return response
			passed += 200_000 // milliseconds: longer than a change is repeated
			throw new TypeError("the response is lost")
		}
		window.restore = () => { window.fetch = real; performance.now = now; return true }
		return true
	})()`, nil)
	m.Fill("#text", "Wants a gift box")
	m.Press(browsertest.Enter)
	m.waitText("form:has(#text) [role=alert]", "could not be reached")
	m.Click(".action-bar .square")
	m.WaitVisible("dialog .option")
	m.Eval(`([...document.querySelectorAll("dialog .option")].find((b) => b.innerText.includes("advance")).click(), true)`, nil)
	m.WaitVisible("#advance")
	m.Fill("#amount", "1oo")
	m.Click("#advance .primary")
	m.waitText("#amount-error", "is not an amount") // and nothing is sent
	m.Fill("#amount", "100")
	m.Click("#advance .primary")
	m.waitText("#advance [role=alert]", "could not be reached")
	m.check("advance-lost")
	m.Eval(`(window.lost = false, true)`, nil)
	m.Click("#advance .primary")
	m.Wait(`!document.querySelector("#advance")`)
	m.Click("form:has(#text) button")
	m.Wait(`document.querySelector("#text").value === ""`)
	var sent []string
	m.Eval(`window.sent`, &sent)
	if len(sent) != 4 || sent[0] != sent[3] || sent[1] != sent[2] || sent[0] == sent[1] {
		t.Errorf("got the keys %q, want that of the note, twice that of the advance, and that of the note again", sent)
	}
	if order := showOrder(t, data, id); order.CashToCollect.Amount != order.Total.Amount-10000 || len(order.Notes) != 1 {
		t.Errorf("got %+v, want one advance of 100 and one note", order)
	}
	m.Eval(`window.restore()`, nil)
}

func testWeakNetwork(t *testing.T, p *process, data string) {
	m := openDashboard(t, p, 1280)
	ids := placeOrders(t, p, 2)
	testLostResponse(t, m, data, ids[1])
	id := ids[0]
	m.show("order/"+id, ".money")
	var bundled bool // into one module, in which what repeats is not reached
	if m.Eval(`!document.querySelector('link[rel=modulepreload][href$="/js/api.js"]')`, &bundled); !bundled {
		testRepeated(t, m)
	}
	m.Eval(`(() => {
		const real = fetch
		let n = 0
		window.keys = {}
		window.fetch = async (url, init) => {
			const key = init.headers["Idempotency-Key"]
			const attempt = key ? (window.keys[url] ??= []).push(key) : 0
			const response = await real(url, init)
			if (attempt === 1 || !key && ++n % 3 === 1) throw new TypeError("the response is lost")
			return attempt === 2 ? Response.json({}, {status: 503}) : response
		}
		return true
	})()`, nil)
	m.Click(".action-bar .primary") // confirm
	m.waitText(".now", "book a courier")
	m.Click(".action-bar .primary")
	m.WaitVisible("dialog form .primary")
	m.check("book-one")
	m.Eval(`(() => { // what is sent for longer can be stopped in the dialog that waits for it
		const see = () => {
			const stop = document.querySelector("dialog .toast button")
			if (!stop) return
			window.explained ||= stop.parentElement.innerText.includes("server is busy")
			const {left, right, top, bottom} = stop.getBoundingClientRect()
			window.stoppable ||= stop.contains(document.elementFromPoint((left + right) / 2, (top + bottom) / 2))
		}
		new MutationObserver(see).observe(document.body, {subtree: true, childList: true})
		return true
	})()`, nil)
	m.Click("dialog form .primary")
	m.Wait(`window.stoppable && window.explained`)
	m.waitText(".now", "hand it to the courier")
	if order := showOrder(t, data, id); len(order.Shipments) != 1 {
		t.Errorf("got %+v, want one shipment", order)
	}
	// Each change is repeated with its key, although the order may be known to be changed before.
	m.Wait(`Object.values(window.keys).length === 2 && Object.values(window.keys).every((all) => all.length >= 3)`)
	var attempts [][2]int
	m.Eval(`Object.values(window.keys).map((all) => [all.length, new Set(all).size])`, &attempts)
	if fmt.Sprint(attempts) != "[[3 1] [3 1]]" {
		t.Errorf("got attempts and their keys %v, want three of each change with one key", attempts)
	}
	m.Eval(`(window.online = fetch, window.fetch = () => Promise.reject(new TypeError("offline")), dispatchEvent(new Event("offline")))`, nil)
	m.waitText(".banner", "Offline since") // the device has said so
	m.Eval(`(location.hash = "#/demo/payments", true)`, nil)
	m.Wait(`document.querySelector(".empty .button")`)
	m.check("offline")
	m.Eval(`(window.fetch = window.online, true)`, nil)
	m.Wait(`!document.querySelector(".empty .ring.tone-bad") && !document.querySelector(".banner:not(.info)")`) // by itself
}

// testRepeated sends a change that no response comes to, on a clock of its own: it is repeated with
// its key for two minutes, and then fails.
func testRepeated(t *testing.T, m *merchant) {
	t.Helper()
	var sent struct {
		At   []int
		Keys int
		Code string
	}
	m.Eval(`(async () => {
		const real = {fetch, setTimeout, now: performance.now}
		const {act} = await import(document.querySelector('link[rel=modulepreload][href$="/js/api.js"]').href)
		let now = 0
		const at = [], keys = new Set()
		performance.now = () => now
		window.setTimeout = (run, delay, ...rest) => {
			if (![500, 1000, 2000, 4000, 8000, 15000].includes(delay)) return real.setTimeout.call(window, run, delay, ...rest)
			now += delay
			return real.setTimeout.call(window, run, 0)
		}
		window.fetch = (url, init) => {
			if (!String(url).endsWith("/never")) return real.fetch(url, init)
			at.push(now)
			keys.add(init.headers["Idempotency-Key"])
			const status = [0, 502, 503, 504][at.length % 4]
			return status ? Promise.resolve(Response.json({}, {status})) : Promise.reject(new TypeError("no network"))
		}
		try {
			return {code: await act("never", {}, {label: null}).catch((problem) => problem.code), at, keys: keys.size}
		} finally {
			window.fetch = real.fetch
			window.setTimeout = real.setTimeout
			performance.now = real.now
		}
	})()`, &sent)
	want := []int{0, 500, 1500, 3500, 7500, 15500, 30500, 45500, 60500, 75500, 90500, 105500}
	if !slices.Equal(sent.At, want) || sent.Keys != 1 || sent.Code == "" {
		t.Errorf("got %+v, want attempts after %v ms with one key, and then a problem", sent, want)
	}
}

// A session that has ended requires the password, in a dialog over the page: the form is still
// there, and is sent.
func testSessionEnds(t *testing.T, p *process, data string) {
	run(t, "staff", "invite", "demo", "--role", "staff", "--name", "Rina", "--email", "rina@example.com", "--data", data)
	var link struct{ Link struct{ URL string } }
	if err := json.Unmarshal([]byte(run(t, "staff", "reset", "demo", "rina@example.com", "--json", "--data", data)), &link); err != nil {
		t.Fatal(err)
	}
	m := &merchant{openWindow(t, p, 360)}
	m.shots = "dashboard-session-"
	m.AllowProblem("status of 401")
	_, fragment, _ := strings.Cut(link.Link.URL, "#")
	m.Go(p.url + "/admin/#" + fragment)
	m.Fill("#password", "kolapata-7-nodi")
	m.Click("form .primary")
	m.WaitVisible(".tiles")
	product, _ := p.product("demo", "mango-pickle")
	m.show("product/"+product, "#title")
	var costs int
	if m.Eval(`document.querySelectorAll("[name=cost], #cost").length`, &costs); costs != 0 {
		t.Error("a staff member sees what a product costs the shop")
	}
	id := placeOrders(t, p, 1)[0]
	m.show("order/"+id, ".money")
	m.Click(".action-bar .square")
	m.Click(".option.tone-bad")
	m.Fill("#reason", "The buyer changed their mind")
	run(t, "api", "demo", "endStaffSessions", "--id", "rina@example.com", "--data", data)
	m.Click("dialog form .bad")
	m.WaitVisible("#reauth #password")
	var said int
	if m.Eval(`document.body.innerText.match(/session has ended/gi).length`, &said); said != 1 {
		t.Errorf("the page says %d times that the session has ended, want once", said)
	}
	m.check("ended")
	m.Fill("#reauth #password", "kolapata-7-nodi")
	m.Click("#reauth .primary")
	m.waitText(".money", "Cancelled")
	if got := run(t, "audit", "demo", "--json", "--data", data); !strings.Contains(got, "The buyer changed their mind") {
		t.Errorf("the reason that was entered before is lost:\n%s", got)
	}
	testSignOut(t, m, id)
}
