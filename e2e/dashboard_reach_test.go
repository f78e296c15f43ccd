package e2e

import (
	"fmt"
	"strings"
	"testing"

	"storefront/e2e/browsertest"
)

// Whatever is set up on a phone can be tapped with a thumb, and with text of twice the size nothing
// is wider than the screen.
func TestDashboard_Reach(t *testing.T) {
	onlyWithAll(t)
	t.Parallel()
	data := demoData(t)
	p := serve(t, "--dev", "--rate", "0", "--data", data)
	m := openDashboard(t, p, 360)
	product, collection, coupon := m.products("mango pickle")[0].ID, m.collection(m.collections()[0]).ID, ""
	m.Eval(`fetch("/admin/v1/shops/demo/coupons", {method: "POST", headers: {"Content-Type": "application/json"}, body:
		JSON.stringify({code: "EID15", kind: "percentage", basisPoints: 1500})}).then((response) => response.json()).then((one) => one._id)`, &coupon)
	placeOrders(t, p, 1)
	member := m.members()
	invite(t, data, "Nusrat", "nusrat@example.com", "staff")
	views := []string{
		"products [data-product]", "product/new #title", "product/" + product + " #status", "import .file", "stock?view=all .stock-row",
		"collections #collections [data-item]", "collections/" + collection + " #members [data-item]", "coupons #coupons [data-coupon]",
		"coupons/new #coupon", "coupons/" + coupon + " #effect", "customers #customers [data-customer]", "customers/+8801711000000 #known",
		"team #team-active", "team/audit #audit summary", "developers #new-key", "developers/webhooks h1", "developers/received h1",
		"settings #sections a", "notifications h1", "cash h1", "analytics h1",
	}
	for _, one := range member {
		views = append(views, "team/"+one.ID+" #person")
	}
	for _, section := range []string{"shop", "brand", "delivery", "payments", "couriers", "sms", "mail", "messages", "printing", "domains", "mode"} {
		views = append(views, "settings/"+section+" main section.card")
	}
	for i, size := range []string{"", "200%", "", "200%"} {
		if i == 2 {
			m.use("bn", "dark")
		}
		for _, one := range views {
			view, selector, _ := strings.Cut(one, " ")
			m.Eval(fmt.Sprintf(`(document.documentElement.style.fontSize = %q, location.hash = "#/demo/%s", true)`, size, view), nil)
			m.AwaitEvents()
			m.Wait(fmt.Sprintf(`document.querySelector(%q) && !document.querySelector(".skeleton")`, selector))
			m.Eval(`([...document.querySelectorAll("main details")].forEach((one) => { one.open = true }), true)`, nil)
			if size == "" {
				m.checkTargets(view)
				continue
			}
			m.wantNarrow(view)
		}
		for _, one := range []string{
			"products #files #to-import", "products .chips%20.chip #filters", "product/" + product + " #product-more dialog[open]",
			"stock?view=all .stock-row%20button.grow #history", "collections/" + collection + " #add-products #add%20[data-add]",
			"coupons/" + coupon + " #coupon-more #coupon-menu", "customers/+8801711000000 #change-contact #contact",
			"customers/+8801711000000 #customer-more #customer-menu", "team #invite-button #invite", "developers #new-key #key",
			"developers/webhooks #new-hook dialog[open]", "settings/mode #change-suspended dialog[open]",
		} {
			part := strings.Split(strings.ReplaceAll(one, "%20", "\x00"), " ")
			for i := range part {
				part[i] = strings.ReplaceAll(part[i], "\x00", " ")
			}
			m.Eval(fmt.Sprintf(`(location.hash = "#/demo/%s", true)`, part[0]), nil)
			m.AwaitEvents()
			m.Wait(fmt.Sprintf(`!document.querySelector("dialog[open], .skeleton") && document.querySelector(%q)`, part[1]))
			m.Eval(fmt.Sprintf(`(document.querySelector(%q).click(), true)`, part[1]), nil)
			m.Wait(fmt.Sprintf(`document.querySelector("dialog[open]") && document.querySelector(%q)`, part[2]))
			if size == "" {
				m.checkTargets(part[0] + " " + part[2])
			} else {
				m.wantNarrow(part[0] + " " + part[2])
			}
			m.Press(browsertest.Escape)
		}
	}
}
