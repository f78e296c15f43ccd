package e2e

import (
	"fmt"
	"strings"
	"testing"
)

// Every screen works on the narrowest phone, and with text of twice the size.
func TestDashboard_LargeText(t *testing.T) {
	onlyWithAll(t)
	t.Parallel()
	data := demoData(t)
	p := serve(t, "--dev", "--rate", "0", "--data", data)
	order := placeOrders(t, p, 2)[0]
	screens := []string{
		"home .tiles", "orders?view=all [data-order]", "order/" + order + " .money", "call .outcomes", "new #text", "edit/" + order + " #save",
		"book?view=toPack h1", "returns #shipment", "payments h1", "products [data-product]", "stock .stock-row", "collections h1", "coupons h1",
		"customers #customers", "cash #enter", "cash/shipments h1", "analytics h1", "team #invite-button", "developers h1", "notifications h1",
		"account #sign-out", "settings h1", "settings/delivery .charge", "more h1",
	}
	for i, width := range some([]int{320, 360}, 0, 1) {
		for j, size := range []string{"100%", "200%"} {
			if width == 360 && size == "100%" {
				continue // as in the other tests
			}
			m := openDashboard(t, p, width)
			m.use([]string{"bn", "en"}[(i+j)%2], []string{"dark", "light"}[(i+j)%2])
			m.Eval(fmt.Sprintf(`(document.documentElement.style.fontSize = %q, true)`, size), nil)
			m.shots += "text-" + strings.Trim(size, "%") + "-"
			for _, one := range screens {
				view, selector, _ := strings.Cut(one, " ")
				m.Eval(fmt.Sprintf(`(location.hash = "#/demo/%s", true)`, view), nil)
				m.AwaitEvents()
				m.Wait(fmt.Sprintf(`document.querySelector(%q) && !document.querySelector(".skeleton")`, selector))
				m.check(notInName.ReplaceAllString(view, "-"))
				m.wantNarrow(view)
			}
		}
	}
}
