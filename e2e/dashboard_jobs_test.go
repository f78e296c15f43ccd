package e2e

import (
	"fmt"
	"strings"
	"testing"

	"storefront/e2e/browsertest"
)

// choose begins to select orders on a phone, and selects those of buyers with these names.
func (m *merchant) choose(names ...string) {
	m.t.Helper()
	m.Click("#select")
	m.WaitVisible("label.list-item")
	for _, name := range names {
		m.Eval(fmt.Sprintf(`([...document.querySelectorAll("label.list-item")].find((l) => l.textContent.includes(%q)).click(), true)`, name), nil)
	}
	m.waitText("h1", fmt.Sprintf("%d selected", len(names)))
}

// bulk opens the dialog of an action on the selected orders.
func (m *merchant) bulk(action string) {
	m.t.Helper()
	m.Click("#bulk-more")
	m.Click(fmt.Sprintf("#bulk-menu [data-action=%s]", action))
	m.WaitVisible("#bulk")
}

// waitJob waits until the job that is shown has this progress.
func (m *merchant) waitJob(text string) {
	m.t.Helper()
	m.Wait(fmt.Sprintf(`document.querySelector("#job b")?.textContent.trim() === %q`, text))
}

// Many orders at once: what an action would do is shown before, its results stay until they are
// seen, also when the page was closed meanwhile, and each refusal leads to what helps.
func testJobs(t *testing.T, p *process, data string) {
	m := openDashboard(t, p, 360)
	id, _ := p.product("demo", "mango-pickle")
	var ids []string
	for i, line1 := range []string{"House 4, Road 9, Banani", "House 5, Road 9, Banani", "H"} {
		order := orderOf(id, 1)
		order["customer"] = map[string]any{"name": fmt.Sprintf("Job %c", 'A'+i), "phoneNumber": fmt.Sprintf("01719-0000%02d", i)}
		order["shippingAddress"] = map[string]any{"line1": line1, "city": "Dhaka"}
		ids = append(ids, p.must(request{method: "POST", path: "/api/v1/orders", tenant: "demo", body: order}).text("_id"))
	}
	m.show("orders?view=toConfirm", "[data-order]")
	m.waitOrders(ids)
	m.choose("Job A", "Job B", "Job C")
	m.bulk("tag")
	m.check("bulk-tag")
	m.Fill("#tags", "eid, gift")
	m.Press(browsertest.Enter)
	m.waitJob("3 done")
	m.Press(browsertest.Escape)
	m.Wait(`!document.querySelector("#job")`)

	// By the response to the next request the job continues, as with many orders.
	m.waitOrders(ids)
	m.choose("Job A", "Job B") // the address of the third is doubtful
	m.Eval(`(() => {
		const real = fetch
		window.waits = true
		window.fetch = async (url, init) => {
			const response = await real(url, init)
			if (!/bulk\/orders(\?|$)|\/jobs\//.test(url) || !window.waits) return response
			return Response.json({...await response.json(), status: "running", done: 1, finishedAt: null, results: []})
		}
		return true
	})()`, nil)
	m.Click(".selection .button.primary") // confirm
	m.waitJob("1 of 2 done")
	m.check("job-running")
	m.Eval(`([...document.querySelectorAll("#job .button")].at(-1).click(), true)`, nil) // close
	m.waitText(".jobs", "1 of 2 done")
	m.check("job-bar")
	m.Eval(`(location.hash = "#/demo/home", window.waits = false, true)`, nil)
	m.waitText(".jobs", "2 done")
	m.Reload()
	m.waitText(".jobs", "2 done")
	m.Click(".jobs .button")
	m.waitJob("2 done")
	m.WaitVisible("#job a.primary") // the next step: book them
	m.Press(browsertest.Escape)
	run(t, "order", "confirm", "demo", ids[2], "--data", data)
	m.show("book?id="+strings.Join(ids, "&id="), "#book:not(:disabled)")
	m.waitText("h1", "Book 2 shipments")
	m.waitText("#refused", "The courier would refuse the shipment: the address must have at least 10 characters.")
	m.check("book-refused")
	var mend string
	if m.Eval(`document.querySelector("#refused .link").hash`, &mend); !strings.HasSuffix(mend, "?field=line1") {
		t.Errorf("got the way %s to mend the order, want that to its address", mend)
	}
	m.Wait(`!document.querySelector(".jobs")`)
	// Before the second is booked, somebody else shortens its address: it fails, and can be repeated
	// once that is mended.
	m.Eval(fmt.Sprintf(`(() => {
		const real = fetch
		window.fetch = async (url, init) => {
			if (!/bulk\/orders$/.test(url)) return real(url, init)
			window.fetch = real
			const order = "/admin/v1/shops/demo/orders/%s", etag = (await real(order)).headers.get("ETag")
			await real(order, {method: "PATCH", headers: {"Content-Type": "application/json", "If-Match": etag},
				body: JSON.stringify({shippingAddress: {line1: "H", city: "Dhaka"}})})
			return real(url, init)
		}
		return true
	})()`, ids[1]), nil)
	m.Click("#book:not(:disabled)")
	m.waitText("#job .tone-bad", "1 failed")
	run(t, "api", "demo", "updateOrder", "--order-id", ids[1],
		"--shipping-address", `{"line1":"House 5, Road 9, Banani","city":"Dhaka"}`, "--data", data)
	m.Eval(`([...document.querySelectorAll("#job .button")].find((one) => one.textContent.includes("Retry")).click(), true)`, nil)
	m.Wait(`document.querySelector("#job b")?.textContent.trim() === "1 done" && !document.querySelector("#job .tone-bad")`)
	m.Press(browsertest.Escape)
	for i, id := range ids {
		order := showOrder(t, data, id)
		if want := map[bool]int{true: 1}[i < 2]; order.Status == "pending" || len(order.Shipments) != want || strings.Join(order.Tags, " ") != "eid gift" {
			t.Errorf("order %d: got %+v, want a confirmed order with two tags and %d shipments", i, order, want)
		}
	}

	// What is cancelled and what is not is shown before it happens.
	run(t, "order", "deliver", "demo", ids[0], "--data", data)
	m.show("orders?view=all&search=0171900000", "[data-order]")
	m.waitOrders(ids)
	m.choose("Job A", "Job C")
	m.Eval(`(() => { // the first preview fails
		const real = fetch
		window.fetch = (url, init) => {
			if (!/bulk\/orders$/.test(url)) return real(url, init)
			window.fetch = real
			return Promise.resolve(Response.json({code: "internal"}, {status: 500}))
		}
		return true
	})()`, nil)
	m.bulk("cancel")
	m.Click("#preview-again")
	m.waitText("#bulk", "1 of 2 orders")
	m.waitText("#bulk", "Not possible for 1")
	m.check("bulk-cancel")
	m.Fill("#reason", "The address is too short")
	m.Press(browsertest.Enter)
	m.waitJob("1 done")
	m.check("job-done")
	if a, c := showOrder(t, data, ids[0]), showOrder(t, data, ids[2]); a.Status != "completed" || c.Status != "cancelled" {
		t.Errorf("got %s and %s, want only the order cancelled that nobody has", a.Status, c.Status)
	}
}
