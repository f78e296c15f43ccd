package e2e

import (
	"fmt"
	"testing"
	"time"

	"storefront/e2e/browsertest"
)

// shownCoupon is a part of a coupon, as the Admin API returns it.
type shownCoupon struct {
	ID            string `json:"_id"`
	Code, Kind    string
	BasisPoints   *int64
	Amount        *int64
	MaxDiscount   *int64
	MinSubtotal   *int64
	UsageLimit    *int64
	CustomerLimit *int64
	EndsAt        *time.Time
	CollectionIDs []string
	ProductIDs    []string
	Active        bool
}

func (m *merchant) coupon(code string) (one shownCoupon) {
	m.t.Helper()
	m.Eval(fmt.Sprintf(`fetch("/admin/v1/shops/demo/coupons/" + encodeURIComponent(%q)).then((response) => response.json())`, code), &one)
	return one
}

// set sets a field that nobody types into, such as a date.
func (m *merchant) set(selector, value string) {
	m.t.Helper()
	m.Eval(fmt.Sprintf(`(() => {
		const field = document.querySelector(%q)
		field.value = %q
		return field.dispatchEvent(new Event(field.tagName === "SELECT" ? "change" : "input", {bubbles: true}))
	})()`, selector, value), nil)
	m.AwaitEvents()
}

// A merchant who has only the screen creates a coupon, reads what it does, changes it and turns it
// off.
func TestDashboard_Coupons(t *testing.T) {
	onlyWithAll(t)
	t.Parallel()
	data := demoData(t)
	p := serve(t, "--dev", "--rate", "0", "--data", data)
	t.Run("a new one", func(t *testing.T) { testNewCoupon(t, p) })
	t.Run("without a code", func(t *testing.T) { testAutomaticDiscount(t, p) })
	t.Run("two people", func(t *testing.T) { testCouponConflict(t, p, data) })
	t.Run("viewer", func(t *testing.T) { testCouponsOfViewer(t, p, data) })
	for i, width := range some([]int{320, 360, 1280}, 0, 3) {
		t.Run(fmt.Sprintf("at %d px", width), func(t *testing.T) {
			m := openDashboard(t, p, width)
			id := m.coupon("EID15").ID
			for j, language := range some([]string{"en", "bn"}, (i+1)%2, 2) {
				m.use(language, []string{"light", "dark"}[(i+j)%2])
				m.show("coupons", "#coupons [data-coupon]")
				m.show("coupons?search=nothing", ".empty")
				m.show("coupons/"+id, "#coupon #effect")
			}
		})
	}
}

func testNewCoupon(t *testing.T, p *process) {
	m := &taps{merchant: openDashboard(t, p, 360)}
	m.AllowProblem("status of 422") // a code that exists
	m.AllowProblem("status of 404") // the coupon that is deleted
	m.show("more", "main nav a")
	m.tap(`main nav a[href$="/coupons"]`)
	m.WaitVisible("#new-coupon")
	m.check("coupons")
	m.tap("#new-coupon")
	m.WaitVisible("#coupon #code")
	m.check("coupon-new")
	m.submit("#coupon")
	m.Wait(`document.activeElement.id === "code" && document.activeElement.ariaInvalid === "true"`)
	m.tap("#suggest")
	m.Wait(`/^[A-Z0-9]{8}$/.test(document.querySelector("#code").value)`)
	m.Fill("#code", "EID15")
	m.Fill("#percent", "১৫")
	m.Fill("#maxDiscount", "200")
	m.Fill("#minSubtotal", "1,000")
	m.waitText("#in-words", "15 % off, at most ৳200, on orders from ৳1,000")
	m.Fill("#basket", "2000")
	m.waitText("#effect", "৳2,000 becomes ৳1,800: ৳200 off.")
	m.Fill("#basket", "1200")
	m.waitText("#effect", "৳1,200 becomes ৳1,020")
	m.Fill("#basket", "900")
	m.waitText("#effect", "৳100 more")
	m.set("#endDay", "2019-01-31")
	m.set("#startDay", "2019-02-01")
	m.submit("#coupon")
	m.Wait(`document.activeElement.id === "endDay" && document.activeElement.ariaInvalid === "true"`)
	m.set("#startDay", "")
	m.set("#endDay", "2099-01-31")
	m.Fill("#customerLimit", "1")
	m.Fill("#usageLimit", "0")
	m.submit("#coupon")
	m.Wait(`document.activeElement.id === "usageLimit" && document.activeElement.ariaInvalid === "true"`)
	m.check("coupon-invalid")
	m.Fill("#usageLimit", "100")
	m.Eval(`document.querySelector("#in-words").scrollIntoView()`, nil)
	m.check("coupon-filled")
	m.n++
	m.submit("#coupon")
	m.waitText(".toast", "EID15 is ready")
	m.want("create a coupon", 4)
	m.Wait(`/\/coupons\/\w{20,}$/.test(location.hash) && document.querySelector("#effect")`)
	got := m.coupon("eid15")
	end := time.Date(2099, 1, 31, 18, 0, 0, 0, time.UTC) // midnight in Dhaka
	if got.Kind != "percentage" || *got.BasisPoints != 1500 || *got.MaxDiscount != 20000 || *got.MinSubtotal != 100000 || *got.UsageLimit != 100 ||
		*got.CustomerLimit != 1 || got.EndsAt == nil || !got.EndsAt.Equal(end) || !got.Active {
		t.Fatalf("got %+v, want the coupon that was entered, until %v", got, end)
	}

	// The server's discount is the one that the form has shown.
	var product struct {
		Variants []struct {
			ID    string `json:"_id"`
			Price struct{ Amount int64 }
		}
	}
	m.Eval(`fetch("/admin/v1/shops/demo/products?search=mango&status=active").then((response) => response.json())
		.then((list) => list.nodes[0])`, &product)
	one := product.Variants[0]
	quantity := 100000/one.Price.Amount + 1
	var discount int64
	m.Eval(fmt.Sprintf(`fetch("/admin/v1/shops/demo/orders?dryRun=true", {method: "POST", headers: {"Content-Type": "application/json"}, body:
		JSON.stringify({items: [{variantId: %q, quantity: %d}], couponCode: "EID15", source: "phone", paymentMethod: "cod",
		shippingAddress: {line1: "-", city: "Dhaka", country: "BD"}})}).then((response) => response.json()).then((body) => body.quote.discount.amount)`,
		one.ID, quantity), &discount)
	if want := min(one.Price.Amount*quantity*15/100, 20000); discount != want {
		t.Errorf("got a discount of %d, want %d", discount, want)
	}
	m.Fill("#basket", fmt.Sprint(float64(one.Price.Amount*quantity)/100))
	m.waitText("#effect", fmt.Sprintf("৳%d off", discount/100))

	// A code that exists is not replaced.
	m.show("coupons/new", "#coupon #code")
	m.Fill("#code", "Eid15")
	m.submit("#coupon")
	m.waitText("#code-error", "already")

	// Another kind, for some products only; then it is deleted.
	m.Fill("#code", "Eid delivery")
	m.Eval(`(document.querySelector("input[value=free_delivery]").click(), document.querySelector("input[name=scope][value=some]").click(), true)`, nil)
	m.WaitVisible("#choose-products")
	m.submit("#coupon")
	m.Wait(`document.activeElement.id === "choose-products"`)
	m.Click("[data-collection]")
	m.Click("#choose-products")
	m.WaitVisible("#add [data-add]")
	m.Click("#add [data-add]")
	m.Wait(`document.querySelectorAll("#add :checked").length === 1`)
	m.Eval(`(document.querySelector("#add .primary").click(), true)`, nil)
	m.waitText("#in-words", "Free delivery, only for 1 collection, 1 product")
	m.check("coupon-scope")
	m.submit("#coupon")
	m.waitText(".toast", "is ready")
	m.WaitVisible("#coupon-more")
	if got := m.coupon("eid delivery"); got.Kind != "free_delivery" || len(got.CollectionIDs) != 1 || len(got.ProductIDs) != 1 {
		t.Errorf("got %+v, want free delivery for a collection and a product", got)
	}
	m.Click("#coupon-more")
	m.Click("#coupon-menu [data-action=delete]")
	m.WaitVisible("#ask-delete .bad")
	m.check("coupon-delete")
	m.Click("#ask-delete .bad")
	m.waitText(".toast", "deleted")
	m.WaitVisible("#coupons")
	if got := m.coupon("eid delivery"); got.ID != "" {
		t.Errorf("got %+v, want it deleted", got)
	}
}

// A merchant makes a discount without a code for some products, and an order has it.
func testAutomaticDiscount(t *testing.T, p *process) {
	m := openDashboard(t, p, 360)
	var product struct {
		ID       string `json:"_id"`
		Variants []struct {
			ID    string `json:"_id"`
			Price struct{ Amount int64 }
		}
	}
	m.Eval(`fetch("/admin/v1/shops/demo/products?search=mango&status=active").then((response) => response.json())
		.then((list) => list.nodes[0])`, &product)
	m.show("coupons/new", "#coupon #code")
	m.Eval(`(document.querySelector("input[name=automatic][value=yes]").click(), true)`, nil)
	m.WaitVisible("#coupon #title")
	m.Eval(`(document.querySelector("input[name=kind][value=buy_get]").click(), true)`, nil)
	m.WaitVisible("#coupon #buy")
	m.submit("#coupon")
	m.Wait(`document.activeElement.id === "title" && document.activeElement.ariaInvalid === "true"`)
	m.Fill("#title", "Buy 2 mangoes, get 1 free — ২টি আম কিনলে ১টি ফ্রি")
	m.Fill("#percent", "100")
	m.waitText("#in-words", "Buy 2, get 1 free")
	m.Eval(`(document.querySelector("input[name=scope][value=some]").click(), true)`, nil)
	m.WaitVisible("#choose-products")
	m.Click("#choose-products")
	m.WaitVisible("#add [data-add]")
	m.Fill("#add input[type=search]", "mango")
	m.WaitVisible(fmt.Sprintf("#add [data-add=%q]", product.ID))
	m.Click(fmt.Sprintf("#add [data-add=%q]", product.ID))
	m.Wait(`document.querySelectorAll("#add :checked").length === 1`)
	m.Eval(`(document.querySelector("#add .primary").click(), true)`, nil)
	m.waitText("#in-words", "only for 1 product")
	m.check("discount-new")
	m.submit("#coupon")
	m.waitText(".toast", "is ready")
	m.show("coupons?view=automatic", "#coupons [data-coupon]")
	m.waitText("#coupons", "Buy 2 mangoes, get 1 free")
	m.check("discounts")
	var quote struct {
		Discounts []struct {
			Title  string
			Amount struct{ Amount int64 }
		}
	}
	m.Eval(fmt.Sprintf(`fetch("/admin/v1/shops/demo/orders?dryRun=true", {method: "POST", headers: {"Content-Type": "application/json"}, body:
		JSON.stringify({items: [{variantId: %q, quantity: 3}], source: "phone", paymentMethod: "cod",
		shippingAddress: {line1: "-", city: "Dhaka", country: "BD"}})}).then((response) => response.json()).then((body) => body.quote)`,
		product.Variants[0].ID), &quote)
	if len(quote.Discounts) != 1 || quote.Discounts[0].Amount.Amount != product.Variants[0].Price.Amount {
		t.Errorf("got discounts %+v, want one unit of %d", quote.Discounts, product.Variants[0].Price.Amount)
	}
	var id string
	m.Eval(fmt.Sprintf(`fetch("/admin/v1/shops/demo/orders", {method: "POST", headers: {"Content-Type": "application/json",
		"Idempotency-Key": crypto.randomUUID()}, body: JSON.stringify({items: [{variantId: %q, quantity: 3}], source: "phone", paymentMethod: "cod",
		customer: {name: "Rahima", phoneNumber: "01711000000"}, shippingAddress: {line1: "House 4", city: "Dhaka", country: "BD"}})})
		.then((response) => response.json()).then((body) => body.order._id)`, product.Variants[0].ID), &id)
	m.show("orders/"+id+"?view=all", ".facts .grand-total")
	m.waitText(".facts", "Buy 2 mangoes, get 1 free")
	m.check("discount-order")

	buyer, site := newVisitor(t, p, 360, "dark")
	const inBangla = "২টি আম কিনলে ১টি ফ্রি"
	buyer.Go(site + "/bn/cart/add?item=" + product.Variants[0].ID + ":3")
	buyer.Wait(fmt.Sprintf(`document.querySelector("[data-sums]")?.textContent.includes(%q)`, inBangla))
	fillCheckout(buyer)
	buyer.Eval(`document.querySelector("#city").dispatchEvent(new Event("change", {bubbles: true}))`, nil)
	waitTotal(buyer)
	checkVisited(buyer, "checkout-discount")
	buyer.Click("[data-place]")
	buyer.Wait(fmt.Sprintf(`location.pathname.startsWith("/bn/orders/") && document.body.textContent.includes(%q)`, inBangla))
}

// What two people change at once is not lost, and a coupon is turned off.
func testCouponConflict(t *testing.T, p *process, data string) {
	m := openDashboard(t, p, 360)
	m.AllowProblem("status of 412")
	id := m.coupon("EID15").ID
	m.show("coupons/"+id, "#coupon #effect")
	m.Fill("#percent", "20")
	m.Click("#active")
	run(t, "api", "demo", "updateCoupon", "--code", "EID15", "--basis-points", "1200", "--usage-limit", "50", "--data", data)
	m.submit("#coupon")
	m.WaitVisible("#conflict")
	m.waitText("#conflict", "12 % off")
	m.waitText("#conflict", "50 orders in all")
	m.check("coupon-conflict")
	m.Click("#conflict .primary")
	m.waitText(".toast", "Saved")
	if got := m.coupon("EID15"); *got.BasisPoints != 2000 || *got.UsageLimit != 50 || got.Active {
		t.Errorf("got %+v, want the own discount, the limit of the other, and the coupon off", got)
	}
	m.show("coupons?view=off", "#coupons [data-coupon]")
	m.waitText("#coupons", "Off")
	m.Press(browsertest.Escape)
}

func testCouponsOfViewer(t *testing.T, p *process, data string) {
	m := asMember(t, p, data, "viewer")
	m.show("coupons", "#coupons [data-coupon]")
	m.Click("#coupons a:has(.mono)")
	m.WaitVisible("#coupon #effect")
	var n int
	if m.Eval(`document.querySelectorAll("#new-coupon, #save, #coupon fieldset :enabled:is(input, button)").length`, &n); n != 0 {
		t.Errorf("got %d controls, want none", n)
	}
	m.show("coupons/new", ".empty")
}
