package e2e

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"storefront/e2e/browsertest"
)

// typePlace types what begins a place of a courier's list, and waits until it is completed.
func (m *merchant) typePlace(field, text, want string) {
	m.t.Helper()
	m.Wait(fmt.Sprintf(`document.querySelector(%q)?.disabled === false`, field)) // its list is there
	m.Fill(field, text)
	m.Press(browsertest.Tab)
	m.Wait(fmt.Sprintf(`document.querySelector(%q)?.value === %q`, field, want))
}

// Where a courier delivers is suggested from the addresses and chosen from its own lists, and only
// what was chosen is sent.
func testCourierPlaces(t *testing.T, p *process, _ string) {
	m := openDashboard(t, p, 360)
	id, _ := p.product("demo", "mango-pickle")
	var ids []string
	for i, line1 := range []string{"House 7, Road 32, Dhanmondi", "House 4, Road 9, Banani", "House 1, the long lane", "House 9, Road 32, Dhanmondi"} {
		order := orderOf(id, 1)
		order["customer"] = map[string]any{"name": fmt.Sprintf("Place %c", 'A'+i), "phoneNumber": fmt.Sprintf("01718-0000%02d", i)}
		order["shippingAddress"] = map[string]any{"line1": line1, "city": "Dhaka"}
		ids = append(ids, p.must(request{method: "POST", path: "/api/v1/orders", tenant: "demo", body: order}).text("_id"))
	}
	var confirmed bool
	m.Eval(fmt.Sprintf(`Promise.all(%q.split(",").map((id) => fetch("/admin/v1/shops/demo/orders/" + id + "/confirm", {method: "POST",
		headers: {"Content-Type": "application/json"}, body: "{}"}))).then((all) => all.every((one) => one.ok))`, strings.Join(ids, ",")), &confirmed)
	if !confirmed {
		t.Fatal("the orders are not confirmed")
	}
	ids, single := ids[:3], ids[3]
	// courier_b has no list at first, and what is booked is noted.
	m.Eval(`(() => {
		const real = fetch
		window.fails = true
		window.fetch = (url, init) => {
			if (/bulk\/orders$|\/shipments$/.test(url)) window.sent = init.body
			return window.fails && /courier-place\?provider=courier_b/.test(url)
				? Promise.resolve(Response.json({code: "state_conflict", detail: "Settings of courier_b are missing."}, {status: 409})) : real(url, init)
		}
		return true
	})()`, nil)
	at := func(i int, rest string) string { return "#place-" + ids[i] + rest }
	m.show("book?id="+strings.Join(ids, "&id="), "#places")
	m.Click("input[value=courier_b]")
	m.WaitVisible("#places-retry")
	m.waitText("#places", "Settings of courier_b are missing.")
	m.check("places-failed")
	m.Eval(`(window.fails = false, true)`, nil)
	m.Click("#places-retry")
	m.waitText("#places", "2 not certain")
	m.waitText(at(0, " summary"), "Dhanmondi, Dhaka")

	m.Click("input[value=courier_a]")
	m.waitText("#places", "2 found in the addresses")
	m.waitText("#places", "1 not certain")
	m.waitText(at(0, " summary"), "Dhaka › Dhanmondi › Road 32")
	m.waitText(at(2, " summary"), "the address")
	m.check("places")
	m.Click(at(2, " summary"))
	m.typePlace(at(2, "-city"), "চট্টগ্রাম", "Chittagong")
	m.typePlace(at(2, "-zone"), "agra", "Agrabad")
	m.Fill(at(2, "-zone"), "nowhere")
	m.Press(browsertest.Tab)
	m.waitText(at(2, " .error"), "Choose one of the list.")
	m.check("places-chosen")
	m.typePlace(at(2, "-zone"), "hali", "Halishahar")
	m.Click(at(2, " .primary:not(:disabled)"))
	m.waitText(at(2, " summary"), "Chittagong › Halishahar")
	m.Click("#places-use")
	m.waitText("#places", "3 chosen")
	m.Click(at(1, " summary")) // this one goes by its address
	m.WaitVisible(at(1, " form .button:not(.primary)"))
	m.Click(at(1, " form .button:not(.primary)"))
	m.waitText("#places", "2 chosen")
	m.Click("#book:not(:disabled)")
	m.waitJob("3 done")
	var sent string
	m.Eval(`window.sent`, &sent)
	var job struct {
		Options struct{ Places map[string]map[string]int }
		DryRun  bool
	}
	if err := json.Unmarshal([]byte(sent), &job); err != nil {
		t.Fatal(err)
	}
	want := map[string]map[string]int{ids[0]: {"city": 1, "zone": 50, "area": 9}, ids[2]: {"city": 2, "zone": 151}}
	if got := job.Options.Places; fmt.Sprint(got) != fmt.Sprint(want) || job.DryRun {
		t.Errorf("got the places %v (dry run: %v), want %v", got, job.DryRun, want)
	}
	m.Press(browsertest.Escape)
	m.Wait(`!document.querySelector("#job")`)

	// One order has its place and the courier's price, too. What is typed is not lost by a key.
	m.show("order/"+single, ".money")
	m.Click(".action-bar .primary")
	m.WaitVisible("#book-one")
	m.Click("#book-one input[value=courier_a]")
	m.waitText("#book-one .place summary", "Dhaka › Dhanmondi › Road 32")
	m.waitText("#book-one [role=status]", "৳")
	m.Click("#book-one .place summary")
	m.Click("#book-one .place .primary:not(:disabled)")
	m.Wait(`document.querySelector("#book-one .place .tone-good")`)
	m.Fill("#book-one [name=note]", "Ring twice")
	m.check("book-one")
	m.Press(browsertest.Escape)
	m.Click("#leave .primary")
	m.Wait(`!document.querySelector("#leave") && document.querySelector("#book-one").open`)
	m.Click("#book-one form .primary:not(:disabled)")
	m.Wait(`!document.querySelector("#book-one")`)
	m.waitText("#main", "Pathao")
	if m.Eval(`window.sent`, &sent); !strings.Contains(sent, `"place":{"city":1,"zone":50,"area":9}`) || !strings.Contains(sent, "Ring twice") {
		t.Errorf("got %s, want the chosen place and the note", sent)
	}
}

// What was selected is booked, and nothing else, although older orders wait than one page has.
func testBookSelection(t *testing.T, p *process, data string) {
	m := openDashboard(t, p, 1280)
	run(t, "stock", "set", "demo", mangoPickle(t, p), "200", "--data", data)
	product, _ := p.product("demo", "mango-pickle")
	ids := make([]string, 110)
	for i := range ids {
		order := orderOf(product, 1)
		order["customer"] = map[string]any{"name": "Selected", "phoneNumber": fmt.Sprintf("01719-000%03d", i)}
		order["shippingAddress"] = map[string]any{"line1": "House 7, Road 32, Dhanmondi", "city": []string{"Dhaka", "Feni"}[i%2]}
		ids[i] = p.must(request{method: "POST", path: "/api/v1/orders", tenant: "demo", body: order}).want(t, 201, "").text("_id")
	}
	m.Eval(fmt.Sprintf(`fetch("/admin/v1/shops/demo/bulk/orders", {method: "POST", headers: {"Content-Type": "application/json"},
		body: JSON.stringify({action: "confirm", ids: %q.split(",")})}).then((response) => response.ok)`, strings.Join(ids, ",")), nil)
	m.Eval(`(async () => {
		for (;;) {
			const list = await fetch("/admin/v1/shops/demo/orders?view=toPack&search=selected&limit=1").then((response) => response.json())
			if (list.meta.totalCount === 110) return true
			await new Promise((done) => setTimeout(done, 100))
		}
	})()`, nil)
	booking := `document.querySelectorAll(".booking").length`
	m.show("book?id="+ids[109]+"&id="+ids[108], "#book:not(:disabled)")
	m.Wait(booking + " === 2")

	// All that a list has found, by its filters.
	m.show("orders?view=toPack&search=selected&city=Feni", "[data-order]")
	m.Wait(`document.querySelectorAll("[data-order]").length === 50`)
	m.Click("thead .checkbox")
	m.Click("#everything")
	m.Click(`.selection a[href*="/book"]`)
	m.WaitVisible("#book:not(:disabled)")
	m.Wait(booking + " === 55")
	m.Eval(`fetch("/admin/v1/shops/demo/orders?view=toPack&search=selected&city=Feni&limit=100").then((response) => response.json()).then((list) =>
		list.nodes.map((row) => row._id))`, &ids)
	m.Click("#book")
	m.WaitVisible("#print-labels")
	for _, id := range ids {
		var courier string
		m.Eval(fmt.Sprintf(`fetch("/admin/v1/shops/demo/orders/%s").then((response) => response.json()).then((order) =>
			order.shipments[0]?.provider ?? "")`, id), &courier)
		if courier == "" {
			t.Errorf("order %s is not booked", id)
		}
	}
	var others int
	m.Eval(`fetch("/admin/v1/shops/demo/orders?view=toPack&search=selected&limit=1").then((response) => response.json()).then((list) =>
		list.meta.totalCount)`, &others)
	if len(ids) != 55 || others != 55 {
		t.Errorf("got %d orders booked and %d not, want 55 and 55", len(ids), others)
	}
}

// Where the couriers have delivered enough to compare them, a booking names the best one with its
// figures, and chooses it with a tap.
func testBestCourier(t *testing.T, p *process, data string) {
	run(t, "stock", "set", "demo", mangoPickle(t, p), "200", "--data", data)
	m := openDashboard(t, p, 360)
	m.use("bn", "light")
	product, _ := p.product("demo", "mango-pickle")
	ids := make([]string, 41)
	for i := range ids {
		order := orderOf(product, 1)
		order["customer"] = map[string]any{"name": "Bandarban", "phoneNumber": fmt.Sprintf("01716-000%03d", i)}
		order["shippingAddress"] = map[string]any{"line1": "House 7, Road 32, Sadar", "city": "Bandarban"}
		ids[i] = p.must(request{method: "POST", path: "/api/v1/orders", tenant: "demo", body: order}).want(t, 201, "").text("_id")
	}
	// Steadfast delivers 19 of 20 there, Pathao 12 of 20.
	var failed []string
	m.Eval(fmt.Sprintf(`(async () => {
		const failed = []
		const post = async (path, body) => {
			const response = await fetch("/admin/v1/shops/demo/orders/" + path, {method: "POST", headers: {"Content-Type": "application/json"},
				body: JSON.stringify(body)})
			if (!response.ok) failed.push(path + " " + await response.text())
		}
		for (const [i, id] of %q.split(",").entries()) {
			await post(id + "/confirm", {})
			if (i === 40) break
			await post(id + "/shipments", {provider: i < 20 ? "courier_b" : "courier_a", consignmentId: "BAN-" + i})
			await post(id + (i === 19 || i >= 32 ? "/return" : "/deliver"), {})
		}
		return failed
	})()`, strings.Join(ids, ",")), &failed)
	if len(failed) > 0 {
		t.Fatalf("got %q, want shipments that have ended", failed)
	}
	m.show("order/"+ids[40], ".action-bar .primary")
	m.Click(".action-bar .primary")
	m.WaitVisible("#best-courier")
	for _, want := range []string{"Bandarban-এ স্টেডফাস্ট সবচেয়ে ভালো পৌঁছায়", "স্টেডফাস্ট: ২০টির মধ্যে ১৯টি", "পাঠাও: ২০টির মধ্যে ১২টি"} {
		m.waitText("#best-courier", want)
	}
	m.check("best-courier")
	m.Click("#book-one input[value=courier_a]")
	m.Click("#best-courier button")
	m.Wait(`document.querySelector("#book-one input[value=courier_b]").checked && !document.querySelector("#best-courier button")`)
}
