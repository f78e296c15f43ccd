package e2e

import (
	"bytes"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"

	"storefront/e2e/browsertest"
)

// A list follows what others do without moving, new orders are announced until somebody sees them,
// and a buyer is called again when it is time.
func testLive(t *testing.T, p *process, data string) {
	m := openDashboard(t, p, 1280)
	ids := placeOrders(t, p, 3)
	m.show("account", "#sign-out")
	m.Eval(`(() => {
		const real = setInterval
		window.notes = 0
		navigator.setAppBadge = async (count) => { window.badge = count }
		window.setInterval = (f, after) => real(f, after > 10_000 ? 50 : after) // the sound is repeated after seconds
		window.AudioContext = class {
			currentTime = 0
			state = window.silent ? "suspended" : "running"
			resume() { this.state = window.silent ? "suspended" : "running"; return window.silent ? Promise.reject() : Promise.resolve() }
			createGain() { return {gain: {setValueAtTime() {}, linearRampToValueAtTime() {}, exponentialRampToValueAtTime() {}}, connect: (x) => x} }
			createOscillator() { return {frequency: {}, connect: (x) => x, start() { window.notes++ }, stop() {}} }
		}
		return true
	})()`, nil)
	m.Click("[name=sound][value=seen]")
	m.Wait(`window.notes === 2`) // a sample
	m.Eval(`(location.hash = "#/demo/orders?view=toConfirm", true)`, nil)
	m.waitOrders(ids)
	m.Eval(`(window.first = [...document.querySelectorAll("[data-order]")].map((row) => row.dataset.order).join(), true)`, nil)
	run(t, "api", "demo", "updateOrder", "--order-id", ids[0], "--customer", `{"name":"Nasrin Jahan"}`, "--data", data)
	run(t, "order", "confirm", "demo", ids[1], "--data", data)
	m.waitText("tbody", "Nasrin Jahan")
	m.waitText("tbody", "No longer in this list")
	m.Wait(`fetch("/admin/v1/shops/demo/orders?view=toConfirm&limit=1").then((response) => response.json()).then((list) =>
		window.badge === list.meta.totalCount)`) // on the icon of the installed app
	// An order that arrives while another one is confirmed is announced, although as many wait as
	// before.
	const hold = `(() => {
		const real = fetch
		window.held = []
		window.fetch = (url, init) => String(url).includes("counts/orders")
			? new Promise((resolve) => window.held.push(resolve)).then(() => real(url, init)) : real(url, init)
		window.release = () => { window.fetch = real; window.held.forEach((one) => one()); return true }
		return true
	})()`
	m.Eval(hold, nil)
	run(t, "order", "confirm", "demo", ids[2], "--data", data)
	more := placeOrders(t, p, 1)
	m.Wait(`window.held.length > 0`)
	m.Eval(`window.release()`, nil)
	m.waitText(".chip.new", "1 new")
	m.Wait(`window.notes > 6`) // repeated
	m.check("live")
	var rows string
	m.Eval(`[...document.querySelectorAll("[data-order]")].map((row) => row.dataset.order).join()`, &rows)
	var first string
	if m.Eval(`window.first`, &first); rows != first {
		t.Errorf("got rows %s, want them where they were: %s", rows, first)
	}
	m.Click(".chip.new")
	m.waitOrders(more)
	m.Wait(fmt.Sprintf(`!document.querySelector('[data-order="%s"]')`, ids[1]))

	// One that arrives before the list is loaded is in it, and not announced above it.
	m.show("home", ".tiles")
	m.Eval(hold, nil)
	m.Eval(`(window.notes = 0, true)`, nil)
	loaded := placeOrders(t, p, 1)
	m.Wait(`window.held.length > 0`)
	m.show("orders?view=toConfirm", "[data-order]")
	m.waitOrders(loaded)
	m.Eval(`window.release()`, nil)
	m.Wait(`window.notes > 0`) // it is counted
	var announced bool
	if m.Eval(`document.querySelector(".chip.new") !== null`, &announced); announced {
		t.Error("an order that the list shows is announced above it")
	}
	m.Click(".views [aria-current]") // which ends the sound
	m.Eval(`(window.notes = 0, true)`, nil)
	m.show("home", ".tiles")
	var notes int
	if m.Eval(`window.notes`, &notes); notes != 0 {
		t.Errorf("got %d notes after somebody has seen the order, want silence", notes)
	}
	// One note of each order, or none, if that is what somebody has chosen.
	for choice, want := range map[string]int{":not([value=off], [value=seen])": 2, "[value=off]": 0} {
		m.show("account", "#sign-out")
		m.Click("[name=sound]" + choice)
		m.show("home", ".new-orders")
		m.Eval(`(window.notes = 0, true)`, nil)
		m.Wait(fmt.Sprintf(`document.querySelector('.new-orders a[href*="%s"]')`, placeOrders(t, p, 1)[0]))
		m.Eval(`new Promise((done) => setTimeout(() => done(true), 300))`, nil) // in which a sound would be repeated
		if m.Eval(`window.notes`, &notes); notes != want {
			t.Errorf("sound %s: got %d notes of a new order, want %d", choice, notes, want)
		}
	}
	m.Eval(`(window.silent = true, true)`, nil) // as in a page that nobody has touched

	// An hour after nobody has answered, the call is due again in the same queue.
	m.show("call/"+ids[0], ".outcomes")
	m.Click(".outcomes .button:nth-child(2)")
	m.Wait(`!document.querySelector(".outcomes [aria-busy=true]")`)
	m.Wait(fmt.Sprintf(`!document.querySelector(".call a[href*='%s'], .top a[href*='%[1]s']")`, ids[0]))
	m.Eval(`(() => {
		const real = Date.now
		Date.now = () => real() + 2 * 3_600_000
		dispatchEvent(new Event("online")) // loads the counts
		return true
	})()`, nil)
	run(t, "api", "demo", "setTags", "--order-id", more[0], "--tags", "later", "--data", data)
	m.Eval(fmt.Sprintf(`(location.hash = "#/demo/call/%s", true)`, ids[0]), nil)
	m.waitText(".call", "Nasrin Jahan")
	m.waitText(".call", "Call due")
}

// releases is a server in front of another one, whose service worker is that of a later release
// after each release.
func releases(t *testing.T, p *process) (address string, release func()) {
	t.Helper()
	target, err := url.Parse(p.url)
	if err != nil {
		t.Fatal(err)
	}
	var number atomic.Int64
	proxy := &httputil.ReverseProxy{
		ErrorLog: log.New(io.Discard, "", 0), // streams that a page leaves
		Rewrite: func(r *httputil.ProxyRequest) {
			r.SetURL(target)
			r.Out.Host = r.In.Host
			if r.In.URL.Path == "/admin/sw.js" {
				r.Out.Header.Del("Accept-Encoding")
				r.Out.Header.Del("If-None-Match")
			}
		},
		ModifyResponse: func(r *http.Response) error {
			if r.Request.URL.Path != "/admin/sw.js" || r.StatusCode != http.StatusOK {
				return nil
			}
			body, err := io.ReadAll(r.Body)
			if err != nil {
				return err
			}
			body = bytes.Replace(body, []byte(`version = "`), fmt.Appendf(nil, `version = "%d-`, number.Load()), 1)
			r.Body = io.NopCloser(bytes.NewReader(body))
			r.ContentLength = int64(len(body))
			r.Header.Set("Content-Length", strconv.Itoa(len(body)))
			r.Header.Del("ETag")
			return nil
		},
	}
	server := httptest.NewServer(proxy)
	t.Cleanup(server.Close)
	return server.URL, func() { number.Add(1) }
}

// A new release is adopted without losing what is typed: the form stays until it is left, with the
// files of its own version, and everything else is that of the new one.
func testRelease(t *testing.T, p *process) {
	address, release := releases(t, p)
	m := &merchant{openWindow(t, p, 360)}
	m.shots = "dashboard-360-release-"
	m.Resize(360, 760)
	m.Go(strings.Replace(demoLink.FindString(p.logged()), p.url, address, 1))
	m.Wait(`document.querySelector(".wide #main h1")`)
	m.Wait(`navigator.serviceWorker.controller`)
	m.Eval(fmt.Sprintf(`(location.hash = "#/demo/order/%s", true)`, placeOrders(t, p, 1)[0]), nil)
	m.Reload()
	m.Wait(`document.querySelector("#text") && (document.querySelector("#text").closest("details").open = true)`)
	m.Wait(`navigator.serviceWorker.controller`)
	m.Fill("#text", "Wants a gift box")
	m.Eval(`(window.begun = true)`, nil)
	release()
	m.Wait(`window.asked ||= navigator.serviceWorker.getRegistration().then((r) => r.update()).then(() => true)`)
	m.waitText(".toast", "new version")
	m.check("offered")
	m.Eval(`(navigator.serviceWorker.addEventListener("controllerchange", () => { window.taken = true }), true)`, nil)
	m.Click(".toast button")
	m.Wait(`window.taken`)
	var typed string
	if m.Eval(`window.begun && document.querySelector("#text").value`, &typed); typed != "Wants a gift box" {
		t.Errorf("got %q in the form, want what was typed", typed)
	}
	m.Eval(`(location.hash = "#/demo/payments", true)`, nil)
	m.waitText("#leave", "not saved")
	m.Click("#leave .bad")
	m.Wait(`!window.begun && document.querySelector("#main h1")`) // loaded again
	var versions []string
	if m.Eval(`caches.keys()`, &versions); len(versions) != 2 || !strings.HasPrefix(versions[1], "1-") {
		t.Errorf("got the caches %q, want those of both releases", versions)
	}
	m.Press(browsertest.Escape)
}
