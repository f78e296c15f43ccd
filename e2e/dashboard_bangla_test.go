package e2e

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
)

// wantAbout checks where the keys of couriers' and gateways' accounts are found, in the language of
// the dashboard.
func (m *merchant) wantAbout(texts map[string]string) {
	m.t.Helper()
	for _, section := range []string{"couriers", "payments"} {
		m.show("settings/"+section, "main section.card details")
		var cards []struct{ ID, Text string }
		m.Eval(`[...document.querySelectorAll("main section.card")].map((card) => ({id: card.id,
		text: card.querySelector(".step .quiet")?.textContent ?? ""}))`,
			&cards)
		for _, card := range cards {
			if want, ok := texts[card.ID]; !ok || !strings.Contains(card.Text, want) {
				m.t.Errorf("%s: got %q, want where the keys are: %q", card.ID, card.Text, want)
			}
		}
		if len(cards) != 2 {
			m.t.Errorf("%s: got %d cards, want 2", section, len(cards))
		}
	}
}

// A merchant who reads Bangla only sets up delivery, a courier, a gateway and a coupon with the
// screen alone, and a buyer's basket is priced by them.
func TestDashboard_SetUpInBangla(t *testing.T) {
	onlyWithAll(t)
	t.Parallel()
	data := demoData(t)
	run(t, "tenant", "set", "demo", "deliveryCharges=[]", "--data", data)
	p := serve(t, "--dev", "--rate", "0", "--data", data)
	m := openDashboard(t, p, 360)
	m.use("bn", "light")

	m.show("settings/delivery", "#usual")
	m.waitText("#set-delivery", "সব জায়গায় ডেলিভারি ফ্রি")
	m.Click("#usual")
	m.Wait(`document.querySelectorAll(".charge").length === 2`)
	m.Click("#set-delivery .save")
	m.waitText(".toast", "সেভ হয়েছে")
	m.Fill("#test-address #city", "খুলনা")
	m.submit("#test-address form")
	m.waitText(".found-charges", "১৩০")
	m.check("delivery-bangla")

	m.wantAbout(map[string]string{
		"courier_a": "পাঠাও মার্চেন্ট প্যানেলের Developers API", "courier_b": "স্টেডফাস্ট প্যানেলের API",
		"gateway_a": "এসএসএলকমার্জ দুটিই পাঠায়", "gateway_b": "বিকাশ চারটিই পাঠায়",
	})
	m.show("settings/couriers", "#courier_b summary")
	m.Eval(`(document.querySelector("#courier_b details").open = true)`, nil)
	m.Fill("#courier_b-api_key", "key-of-the-account")
	m.Fill("#courier_b-secret_key", "secret-of-the-account")
	m.Click("#courier_b .step:nth-child(3) .button")
	m.WaitVisible("#courier_b .step:nth-child(3) code")
	token, address := m.Text("#courier_b .step:nth-child(3) code"), m.Text("#courier_b .step:nth-child(2) code")
	m.Click("#courier_b .save")
	m.waitText("#courier_b .checked", "পার্সেল বুক করা যাবে")
	m.waitText("#courier_b .checked", "আপডেট নেওয়া যাবে")
	p.must(request{
		method: "POST", path: strings.TrimPrefix(address, p.url), header: map[string]string{"Authorization": "Bearer " + token},
		body: map[string]any{"notification_type": "tracking_update", "consignment_id": 1, "invoice": "none", "tracking_message": "Picked up"},
	})
	m.waitText("#courier_b .handshake", "বার্তা এসেছে") // the demo has received some before
	m.check("courier-bangla")

	m.show("settings/payments", "#gateway_a summary")
	m.Eval(`(document.querySelector("#gateway_a details").open = true)`, nil)
	m.Fill("#gateway_a-store_id", "rupkotha")
	m.Fill("#gateway_a-store_password", "password-of-the-store")
	m.Click("#gateway_a .save")
	m.waitText("#gateway_a .checked", "পেমেন্ট শুরু করা যাবে")
	m.waitText("#gateway_a .status-pill", "চলছে")
	m.check("gateway-bangla")

	m.show("coupons", "#new-coupon")
	m.Click("#new-coupon")
	m.WaitVisible("#coupon #code")
	m.Fill("#code", "নববর্ষ")
	m.Fill("#percent", "১০")
	m.Fill("#maxDiscount", "৫০")
	m.waitText("#in-words", "১০% ছাড়, সর্বোচ্চ ৳৫০")
	m.submit("#coupon")
	m.waitText(".toast", "নববর্ষ তৈরি")

	id, _ := p.product("demo", "mango-pickle")
	for _, city := range []struct {
		name     string
		delivery int
	}{{"Dhaka", 7000}, {"ঢাকা", 7000}, {"খুলনা", 13000}, {"Sylhet", 13000}} {
		body := orderOf(id, 3) // of ৳240
		body["shippingAddress"].(map[string]any)["city"] = city.name
		body["couponCode"] = "নববর্ষ"
		quote := p.must(request{method: "POST", path: "/api/v1/orders/quote", tenant: "demo", body: body})
		for field, want := range map[string]int{"deliveryCharge": city.delivery, "discount": 5000, "total": 72000 - 5000 + city.delivery} {
			if !strings.Contains(string(quote.body), fmt.Sprintf(`%q:{"amount":%d,`, field, want)) {
				t.Errorf("%s: got %d %s, want %s of %d", city.name, quote.status, quote.body, field, want)
			}
		}
	}
	body := orderOf(id, 3)
	body["couponCode"] = "নববর্ষ"
	placed := p.must(request{method: "POST", path: "/api/v1/orders", tenant: "demo", body: body})
	if placed.status != http.StatusCreated || !strings.Contains(string(placed.body), `"total":{"amount":74000,`) {
		t.Errorf("got %d %s, want an order for what was quoted", placed.status, placed.body)
	}
	m.show("coupons", `#coupons [data-coupon]`)
	m.waitText("#coupons", "১টি অর্ডার")
	m.waitText("#coupons", "মোট ছাড় ৳৫০")
	m.refused(p)
}

// refused books with a key that the courier does not accept: what happened is in Bangla, and the
// courier's words with the request's ID are under Details.
func (m *merchant) refused(p *process) {
	m.t.Helper()
	ids := placeOrders(m.t, p, 1)
	m.show("settings/couriers", "#courier_b summary")
	m.Eval(`(document.querySelector("#courier_b details").open = true)`, nil)
	m.Fill("#courier_b-secret_key", "wrong")
	m.Click("#courier_b .save")
	m.waitText("#courier_b .connection", "স্টেডফাস্ট নেয়নি")
	m.details("#courier_b .connection")
	m.show("order/"+ids[0], ".action-bar .primary")
	m.Click(".action-bar .primary")
	m.waitText(".now", "কুরিয়ার")
	m.Click(".action-bar .primary")
	m.Click("#book-one input[value=courier_b]")
	m.AllowProblem("status of 409")
	m.submit("#book-one form")
	m.waitText("#book-one [role=alert]", "স্টেডফাস্ট নেয়নি।")
	m.details("#book-one")
	m.check("refused")
}

// details opens what a provider said, which alone is in English.
func (m *merchant) details(in string) {
	m.t.Helper()
	m.Click(in + " details.small summary")
	m.waitText(in+" details.small [lang=en]", "Unauthorized")
	m.waitText(in+" details.small", "রিকোয়েস্ট আইডি")
	var english string
	if m.Eval(fmt.Sprintf(`(() => {
		const copy = document.querySelector(%q).cloneNode(true)
		copy.querySelectorAll("details, .mono, code, input").forEach((one) => one.remove())
		return copy.textContent.match(/[A-Za-z]{3,}.*/)?.[0] ?? ""
	})()`, in+" [role=alert], "+in+".connection"), &english); english != "" {
		m.t.Errorf("%s: got English beside the details: %q", in, english)
	}
}
