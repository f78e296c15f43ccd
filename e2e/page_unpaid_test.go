package e2e

import (
	"encoding/json"
	"strings"
	"testing"
)

const narrow = 360 // pixels: a small phone

// wantNoOverflow fails the test if the view is wider than the window.
func (s *buyer) wantNoOverflow(name string) {
	s.t.Helper()
	var width, window int
	s.Eval(`document.documentElement.scrollWidth`, &width)
	s.Eval(`innerWidth`, &window)
	if width > window {
		s.t.Errorf("%s: got a width of %d pixels, want at most %d", name, width, window)
	}
}

func (s *buyer) switchLanguage(to string) {
	s.t.Helper()
	s.Click("#language")
	s.Wait(`document.documentElement.lang === "` + to + `"`)
	s.waitLoaded()
}

// A buyer leaves the gateway with the last piece and the only use of a coupon, and comes back with
// another order: neither blocks it.
func TestPage_ChangesUnpaidOrder(t *testing.T) {
	t.Parallel()
	data := demoData(t)
	p := serve(t, "--dev", "--data", data)
	run(t, "coupon", "create", "demo", "--code", "ONCE", "--amount", "50", "--limit", "1", "--per-customer", "1", "--data", data)
	run(t, "stock", "set", "demo", mangoPickle(t, p), "1", "--data", data)
	s := newBuyer(t, p, narrow)
	s.AllowProblem("status of 422") // a phone number that is wrong
	s.AllowProblem("status of 409") // a quote that is still under way when the order is placed
	s.visit("?product=mango-pickle")
	s.addAndCheckout()
	s.fillAddress()
	s.Fill("[name=couponCode]", "once")
	s.Click("#apply")
	s.waitText("#place", "৳260")
	s.Click("#paymentMethod-gateway_a")
	s.Click("#place")
	s.waitText("h1", "260.00") // at the simulator
	s.Back()
	first := s.waitOrder()

	s.visit("?product=mango-pickle") // sold out, to this buyer
	s.waitText(".offer", "Your order 1001 (৳260) is not paid yet.")
	s.fullScreenshot("sold-out-to-buyer")
	s.Click("#open-order")
	s.waitOrder()
	s.Click("#change")
	s.WaitVisible("#place")
	s.waitText(".summary .notice", "This order replaces your order 1001 (৳260)")
	s.waitText(".coupon-result", "ONCE applied")
	s.Click("#basket")
	s.waitText("dialog .figures", "৳240") // the last piece is not missing
	s.Eval(`document.querySelector("dialog").close() ?? true`, nil)
	s.wantNoOverflow("checkout")
	s.Accessible("checkout that replaces an order")
	s.fullScreenshot("replaces")
	s.switchLanguage("bn")
	s.waitText(".summary .notice", "১০০১")
	s.wantNoOverflow("checkout in Bangla")
	s.fullScreenshot("replaces-bn")
	s.switchLanguage("en")

	s.Fill("[name='customer.phoneNumber']", "017") // the first order stays until there is another
	s.Click("#place")
	s.waitText(".form-message", "check the marked fields")
	if got := p.must(request{method: "GET", path: "/api/v1/orders/" + first, tenant: "demo"}).text("status"); got != "pending_payment" {
		t.Errorf("after a refused order: got %s, want pending_payment", got)
	}
	s.Fill("[name='customer.phoneNumber']", "01711-000000")
	s.Fill("[name='shippingAddress.line1']", "House 14, Road 5")
	s.Click("#paymentMethod-cod")
	s.waitText("#place", "৳260")
	s.Eval(`place.click() ?? place.click() ?? true`, nil) // a double click
	if second := s.waitOrder(); second == first {
		t.Fatal("the first order is shown")
	}
	s.wantText(".order", "Thank you", "House 14, Road 5", "Order 1002", "It replaces order 1001.")
	s.visit("?order=" + first)
	s.wantText(".order", "Cancelled", "Replaced by order 1002.")
	if got := countOrders(t, data); got != 2 {
		t.Errorf("got %d orders, want 2", got)
	}
}

// The response to an order that replaces another is lost, and the page is loaded again: the order
// is not placed twice.
func TestPage_LostResponseToReplacement(t *testing.T) {
	t.Parallel()
	data := demoData(t)
	p := serve(t, "--dev", "--data", data)
	s := newBuyer(t, p, narrow)
	s.placeUnpaid()
	s.Click("#cancel")
	s.waitOrder()
	s.Click("#change")
	s.waitText("#place", "৳310")
	s.Click("#paymentMethod-cod")
	s.loseOrderResponses()
	s.Click("#place")
	s.waitText(".form-message", "it will not be duplicated")
	s.visit("?view=checkout")
	s.waitText("#place", "৳310")
	s.Click("#place")
	s.waitOrder()
	s.wantText(".order", "Order 1002")
	if got := countOrders(t, data); got != 2 {
		t.Errorf("got %d orders, want 2", got)
	}
}

// A buyer leaves an unpaid order as it is and places another.
func TestPage_UnpaidOrderAndAnother(t *testing.T) {
	t.Parallel()
	p := serve(t, "--dev", "--data", demoData(t))
	s := newBuyer(t, p, narrow)
	s.placeUnpaid()
	s.Click("#cancel")
	first := s.waitOrder()
	s.visit("?product=jute-basket")
	s.addAndCheckout()
	s.waitText(".summary .notice", "This order replaces your order 1001")
	s.Click("#keep-both")
	s.Wait(`document.querySelector(".summary .notice") === null`)
	s.fillAddress()
	s.Click("#place")
	s.waitOrder()
	if got := p.must(request{method: "GET", path: "/api/v1/orders/" + first, tenant: "demo"}).text("status"); got != "pending_payment" {
		t.Errorf("got first order %s, want pending_payment", got)
	}
}

// What staff did to an order is in the language of the page, amounts included.
func TestPage_ChangedByStaff(t *testing.T) {
	t.Parallel()
	data := demoData(t)
	p := serve(t, "--dev", "--data", data)
	product, _ := p.product("demo", "mango-pickle")
	id := p.must(request{method: "POST", path: "/api/v1/orders", tenant: "demo", body: orderOf(product, 1)}).text("_id")
	run(t, "api", "demo", "updateOrder", "--order-id", id, "--note", "Ring twice",
		"--shipping-address", `{"line1":"House 2, Road 3","city":"Dhaka"}`, "--data", data)
	run(t, "api", "demo", "recordAdvance", "--order-id", id, "--amount", "20000", "--method", "bkash", "--data", data)
	s := newBuyer(t, p, narrow)
	s.visit("?order=" + id)
	s.wantText(".timeline", "The shop received ৳200 in advance.", "The shop changed the order.")
	s.switchLanguage("bn")
	s.waitText(".timeline", "দোকান আগাম ৳২০০ পেয়েছে।")
	s.wantText(".timeline", "দোকান অর্ডারটি বদলেছে।")
	if words := s.Text(".timeline"); strings.ContainsAny(words, "abcdefghijklmnopqrstuvwxyz") {
		t.Errorf("got a timeline that is still English:\n%s", words)
	}
}

// The page shows an order of which a part was refunded, in both languages.
func TestPage_PartiallyRefundedOrder(t *testing.T) {
	t.Parallel()
	data := demoData(t)
	p := serve(t, "--dev", "--data", data)
	s := newBuyer(t, p, narrow)
	s.placeUnpaid()
	s.Click("#pay")
	id := s.waitOrder()
	s.waitText(".tags", "Paid")
	var order struct {
		Payment struct{ Attempts []struct{ ID string } }
	}
	shown := strings.ReplaceAll(run(t, "order", "show", "demo", id, "--json", "--data", data), `"_id"`, `"id"`)
	if err := json.Unmarshal([]byte(shown), &order); err != nil || len(order.Payment.Attempts) != 1 {
		t.Fatalf("got %s, %v; want an order with one payment attempt", shown, err)
	}
	run(t, "payment", "refund", "demo", order.Payment.Attempts[0].ID, "--by-hand", "--amount", "110", "--data", data)
	s.visit("?order=" + id)
	s.wantText(".tags", "Partly refunded")
	s.wantText(".figures", "Refunded", "−৳110", "৳310")
	s.wantText(".timeline", "A part of the payment has been refunded.")
	s.wantNoOverflow("partially refunded")
	s.Accessible("partially refunded")
	s.fullScreenshot("partially-refunded")
	s.switchLanguage("bn")
	s.waitText(".tags", "আংশিক টাকা ফেরত দেওয়া হয়েছে")
	s.wantText(".figures", "ফেরত দেওয়া হয়েছে", "−৳১১০", "৳৩১০")
	s.wantText(".timeline", "টাকার একটি অংশ ফেরত দেওয়া হয়েছে।")
	s.wantNoOverflow("partially refunded in Bangla")
	s.fullScreenshot("partially-refunded-bn")
}
