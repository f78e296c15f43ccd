package e2e

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"storefront/provider/push/pushtest"
)

// A staff member chooses what they are notified of, tests it, and sees the push message as a
// notification.
func TestDashboard_Notifications(t *testing.T) {
	onlyWithAll(t)
	t.Parallel()
	data := demoData(t)
	p := serve(t, "--dev", "--rate", "0", "--data", data)
	t.Run("choices", func(t *testing.T) { testNotificationChoices(t, p) })
	t.Run("push", func(t *testing.T) { testPush(t, p) })
	t.Run("failures", func(t *testing.T) { testNotificationFailures(t, p, data) })
}

func testNotificationChoices(t *testing.T, p *process) {
	m := openDashboard(t, p, 360)
	m.AllowProblem("status of 422")
	m.Eval(`fetch("/admin/v1/shops/demo/notifications/seen", {method: "PUT", headers: {"Content-Type": "application/json"},
		body: '{"seq": 1000000}'}).then((response) => response.ok)`, nil)
	m.show("account", `[href$="/notifications"]`)
	m.Click(`#main [href$="/notifications"]`)
	m.WaitVisible("#events tbody tr")
	m.check("notifications")
	const box = `document.querySelector("[data-event='order.paid'] [value=push]")`
	var before, quiet bool
	m.Eval(box+`.checked`, &before)
	m.Click("[data-event='order.paid'] [value=push]")
	const stored = `fetch("/admin/v1/shops/demo/notifications").then((response) => response.json())`
	m.Wait(box + `.checked !== ` + fmt.Sprint(before))

	// An error is at the field, and nothing is reported as saved.
	m.setTime("from", "21:30")
	m.setTime("until", "21:30")
	m.submit("#quiet form")
	m.Wait(`document.activeElement.id === "until" && document.querySelector("#until-error") && !document.querySelector(".toast")`)
	m.check("notifications-quiet")
	m.FullScreenshot(m.shots + "notifications-full")
	m.setTime("until", "08:00")
	m.submit("#quiet form")
	m.waitText(".toast", "Saved")
	m.waitText("#quiet-now", "From 21:30 until 08:00")
	m.use("en", "light")
	m.WaitVisible("#no-quiet")
	var after bool
	if m.Eval(box+`.checked`, &after); after == before {
		t.Error("a choice is not shown again")
	}
	m.waitText("#quiet-now", "From 21:30 until 08:00")
	m.Click("#no-quiet")
	m.waitText("#quiet-now", "Off")
	if m.Eval(stored+`.then((one) => one.quiet === null)`, &quiet); !quiet {
		t.Error("the quiet hours are still there")
	}
	m.Click("#test")
	m.waitText("#test-result", "E-mail: owner@demo.example") // to which an owner gets what can cost money
}

// setTime sets a field of a time, as its picker does.
func (m *merchant) setTime(id, at string) {
	m.t.Helper()
	m.Eval(fmt.Sprintf(`(() => {
		const field = document.getElementById(%q)
		field.value = %q
		return field.dispatchEvent(new Event("input", {bubbles: true}))
	})()`, id, at), nil)
}

// ownBrowser replaces what a browser without a window does not have: the permission to show
// notifications, and a push service. Its subscription is that of the test's push service.
const ownBrowser = `(() => {
	window.subscription = null
	Object.defineProperty(Notification, "permission", {get: () => "granted"})
	Notification.requestPermission = async () => "granted"
	PushManager.prototype.getSubscription = async () => window.subscription
	PushManager.prototype.subscribe = async ({applicationServerKey}) => {
		window.subscription = {
			options: {applicationServerKey: applicationServerKey.buffer},
			toJSON: () => ({endpoint: %q, keys: {p256dh: %q, auth: %q}}),
			unsubscribe: async () => { window.subscription = null },
		}
		return window.subscription
	}
	return true
})()`

// A browser is turned on, receives, and is removed. The test's push service decrypts the server's
// messages, and the service worker's script shows them.
func testPush(t *testing.T, p *process) {
	device := pushtest.New(t)
	public, auth := device.Keys()
	for i, width := range some([]int{360, 1280}, 0, 2) {
		m := openDashboard(t, p, width)
		m.use([]string{"bn", "en"}[i], []string{"dark", "light"}[i])
		m.Eval(fmt.Sprintf(ownBrowser, device.Endpoint(), public, auth), nil)
		m.show("notifications", "#push-on")
		m.Click("#push-on")
		m.WaitVisible("[data-device] .tag") // this device
		m.Wait(`!document.querySelector("#push-on")`)
		if i == 0 {
			m.testOtherShop()
		}
		m.show("home", ".tiles")
		before := len(device.All())
		placeOrders(t, p, 1)
		m.Wait(`[...document.querySelectorAll(".bell .count")].some((one) => one.checkVisibility())`)
		m.Screenshot(m.shots + "bell")
		placed := device.Wait(t, before+1)
		m.show("notifications", "#recent .tag")
		m.Wait(`!document.querySelector(".bell .count")`) // seen
		m.Click("#test")
		m.Wait(`document.querySelectorAll("#test-result li").length === 2`) // the device and the e-mail
		tested := device.Wait(t, before+2)
		m.FullScreenshot(m.shots + "notifications-full")
		m.Eval(`(document.querySelector("#test").scrollIntoView({block: "center"}), true)`, nil)
		m.check("notifications-tested")
		m.showPush(placed, "/admin/#/demo/order/")
		m.showPush(tested, "/admin/#/demo/notifications")
		m.Click("[data-device] button")
		m.Wait(`!document.querySelector("[data-device]") && window.subscription === null`)
		m.WaitVisible("#push-on")
	}
}

// testOtherShop checks that a browser that shows the notifications of another shop names it, and is
// turned on for this one again.
func (m *merchant) testOtherShop() {
	m.t.Helper()
	m.Eval(`(() => {
		window.subscription.options.applicationServerKey = new Uint8Array(65).buffer
		localStorage.setItem("sf-push", "second")
		const shops = JSON.parse(localStorage.getItem("sf-shops"))
		localStorage.setItem("sf-shops", JSON.stringify([...shops, {uid: "second", name: "Second Shop"}]))
		return true
	})()`, nil)
	m.show("home", ".tiles")
	m.show("notifications", "#push-on")
	m.waitText("#other-shop", "second") // the page has loaded the names of its shops before
	m.waitText("[data-device]", "second")
	m.check("notifications-other-shop")
	m.Click("#push-on")
	m.Wait(`!document.querySelector("#other-shop") && !document.querySelector("#push-on")`)
}

// showPush runs the script of the service worker with a message, and clicks the notification.
func (m *merchant) showPush(got pushtest.Received, address string) {
	m.t.Helper()
	message, err := json.Marshal(map[string]string{"title": got.Title, "body": got.Body, "url": got.URL, "tag": got.Tag, "lang": got.Lang})
	if err != nil {
		m.t.Fatal(err)
	}
	script := m.p.must(request{method: "GET", path: "/admin/sw.js"}).body
	var shown struct {
		Title, Body, URL, Tag, Opened string
		Icon, Untitled                int
	}
	m.Eval(fmt.Sprintf(`(async () => {
		const on = {}, all = []
		let opened = ""
		const self = {
			location, navigator: {}, addEventListener: (type, run) => { on[type] = run },
			registration: {showNotification: async (title, options) => { all.push({title, ...options}) }, getNotifications: async () => all},
			clients: {matchAll: async () => [], openWindow: async (url) => { opened = url }},
		}
		;(() => { %s
		})()
		const send = async (type, event) => {
			let done
			on[type]({...event, waitUntil: (promise) => { done = promise }})
			await done
		}
		await send("push", {data: {json: () => (%s)}})
		await send("push", {data: null})
		const [{title, body, tag, icon, data}, untitled] = all
		await send("notificationclick", {notification: {data, close: () => {}}})
		return {title, body, tag, url: data.url, opened, icon: (await fetch(icon)).status, untitled: untitled.title.length}
	})()`, script, message), &shown)
	if shown.Title != got.Title || shown.Body != got.Body || shown.Tag != got.Tag || shown.Icon != 200 || shown.Untitled == 0 ||
		!strings.HasPrefix(shown.URL, address) || shown.Opened != m.p.url+shown.URL {
		m.t.Errorf("a push message of %+v is shown as %+v", got.Notification, shown)
	}
}

func testNotificationFailures(t *testing.T, p *process, data string) {
	m := asMember(t, p, data, "viewer")
	m.AllowProblem("status of 500")
	m.Eval(`(() => {
		const real = window.real = fetch
		window.fetch = (address, ...rest) => /notifications/.test(address) ?
			Promise.resolve(new Response('{"code": "internal", "requestId": "01TEST"}', {status: 500})) : real(address, ...rest)
		location.hash = "#/demo/notifications"
		return true
	})()`, nil)
	m.waitText("main", "01TEST")
	m.check("notifications-failed")
	m.Eval(`(window.fetch = window.real, document.querySelector(".notifications > .empty .button").click(), true)`, nil)
	m.WaitVisible("#events tbody tr")
	var n int
	if m.Eval(`document.querySelectorAll("#shop-channels").length`, &n); n != 0 {
		t.Error("a viewer is offered the shop's channels")
	}
}
