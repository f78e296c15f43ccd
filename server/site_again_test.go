package server_test

import (
	"html"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"testing"

	"storefront/shop/access"
	"storefront/shop/account"
	"storefront/shop/catalogue"
)

// solveWork adds the proof of the page's challenge to its form, as its script does.
func solveWork(t *testing.T, p webPage, form url.Values) {
	t.Helper()
	difficulty, err := strconv.ParseFloat(p.find(`data-difficulty="(\d+)"`), 64)
	if err != nil {
		t.Fatalf("the page has no challenge:\n%s", p.html)
	}
	for _, field := range []string{"work-orders", "work-otp"} {
		form.Set(field, html.UnescapeString(p.find(`name="`+field+`" value="([^"]*)"`)))
	}
	if p.find(`name="again" (value)="1"`) == "" {
		form.Del("again")
	}
	form.Set(p.find(`data-work="([^"]*)"`), solve(map[string]any{"challenge": p.find(`data-challenge="([^"]*)"`), "difficulty": difficulty}))
}

// An attacked shop demands work for the order and for the code. Each is done once, and the order is
// placed with the code.
func TestSite_WorkTwice(t *testing.T) {
	t.Parallel()
	s := newPageSite(t, nil)
	s.set(t, "proofOfWork", `["otp","orders"]`)
	s.set(t, "codProofAbove", "10000")
	b := s.browser()
	b.post(t, shopHost+"/cart", url.Values{"product": {"tea"}})
	form := b.fillCheckout(t)
	for range 2 {
		challenged := b.send(t, http.MethodPost, shopHost+"/checkout", form)
		challenged.has(http.StatusUnprocessableEntity, `data-challenge="`)
		solveWork(t, challenged, form)
	}
	b.send(t, http.MethodPost, shopHost+"/checkout", form).has(http.StatusUnprocessableEntity, `name="code"`, "Enter the code")
	form.Set("code", s.sms.Code(t, buyerPhone))
	if placed := b.send(t, http.MethodPost, shopHost+"/checkout", form); placed.status != http.StatusSeeOther {
		t.Errorf("got %d\n%s\nwant the order", placed.status, placed.html)
	}
}

// Another code can be requested while the shop demands work for codes.
func TestSite_WorkForAnotherCode(t *testing.T) {
	t.Parallel()
	s := newPageSite(t, nil)
	s.set(t, "proofOfWork", `["otp"]`)
	b := s.browser()
	form := url.Values{"phone": {"01711-000000"}}
	for _, want := range []int{http.StatusOK, http.StatusUnprocessableEntity} {
		challenged := b.post(t, shopHost+"/account", form)
		challenged.has(http.StatusUnprocessableEntity, `data-challenge="`)
		solveWork(t, challenged, form)
		sent := b.post(t, shopHost+"/account", form)
		sent.has(want, `name="code"`)
		if want != http.StatusOK {
			sent.has(want, "Wait a minute") // the code of a moment ago is on its way
		}
		form = url.Values{"phone": {"01711-000000"}, "code": {""}, "again": {"1"}}
	}
}

// The response to an order with a code is lost, and with it the session. The form leads to the same
// order when it is sent again, and a stranger's form does not.
func TestSite_CodeTwice(t *testing.T) {
	t.Parallel()
	s := newPageSite(t, nil)
	s.set(t, "codProofAbove", "10000")
	b := s.browser()
	form := checkoutForm(b.order(t, nil))
	form.Set("code", s.sms.Code(t, buyerPhone))
	twin := b.orderTwice(t, form)
	form.Set("key", "AAAAAAAAAAAAAAAAAAAAAAAAAA")
	twin.send(t, http.MethodPost, shopHost+"/checkout", form).has(http.StatusUnprocessableEntity, "wrong or has expired")
	if got := s.orders(t); len(got) != 1 {
		t.Errorf("got %d orders, want 1", len(got))
	}
}

// The response to an order of the last unit is lost. The form leads to the same order when it is
// sent again, although the cart's product is sold out by then.
func TestSite_LastUnitTwice(t *testing.T) {
	t.Parallel()
	s := newPageSite(t, nil)
	b := s.browser()
	b.post(t, shopHost+"/cart", url.Values{"product": {"saree"}, "option1": {"Red"}, "quantity": {"3"}})
	b.orderTwice(t, b.fillCheckout(t))
}

// An order is placed only for a total that the buyer has seen, also without scripts.
func TestSite_TotalSeen(t *testing.T) {
	t.Parallel()
	s := newPageSite(t, nil)
	b := s.browser()
	b.post(t, shopHost+"/cart", url.Values{"product": {"tea"}})
	form := checkoutForm(b.get(t, shopHost+"/checkout"))
	shown := b.send(t, http.MethodPost, shopHost+"/checkout", form)
	shown.has(http.StatusUnprocessableEntity, "Check the total and place the order: ৳260.", "Rahima Khatun")
	form.Set("total", shown.total())
	if placed := b.send(t, http.MethodPost, shopHost+"/checkout", form); placed.status != http.StatusSeeOther {
		t.Errorf("got %d\n%s\nwant the order", placed.status, placed.html)
	}
}

// The checkout names what sold out since the buyer chose it, in the buyer's language.
func TestSite_SoldOutNamed(t *testing.T) {
	t.Parallel()
	s := newPageSite(t, nil)
	b := s.browser()
	for _, form := range []url.Values{{"product": {"saree"}, "option1": {"Red"}}, {"product": {"tea"}}} {
		b.post(t, shopHost+"/cart", form)
	}
	s.update(t, s.saree, func(v *catalogue.VariantChange) { v.Stock = new(int64(0)) })
	b.get(t, shopHost+"/cart").has(http.StatusOK, "Cotton Saree", "Sold out")
	b.get(t, shopHost+"/checkout").has(http.StatusOK, "Cotton Saree is sold out. It is not in your order.")
	b.get(t, shopHost+"/bn/checkout").has(http.StatusOK, "সুতি শাড়ি শেষ হয়ে গেছে। এটি আপনার অর্ডারে নেই।")
}

// More units than the shop sells in one order stay in the cart until the buyer reduces them. The
// cart has the reason.
func TestSite_UnitsPerLine(t *testing.T) {
	t.Parallel()
	s := newPageSite(t, nil)
	s.set(t, "unitsPerLine", "2")
	b := s.browser()
	b.post(t, shopHost+"/cart", url.Values{"product": {"tea"}, "quantity": {"3"}}).
		has(http.StatusOK, "does not sell as many units", `value="3"`)
	cart := b.get(t, shopHost+"/bn/cart")
	cart.has(http.StatusOK, "এক অর্ডারে এতগুলো বিক্রি হয় না")
	cart.lacks(`href="/bn/checkout"`)
	b.get(t, shopHost+"/checkout").has(http.StatusOK, "does not sell as many units")
	tea := s.tea.Variants[0].ID
	b.post(t, shopHost+"/cart", url.Values{"q-" + tea: {"2"}}).has(http.StatusOK, "৳260", `href="/checkout"`)
}

// A quantity that was changed stays changed when another line is removed.
func TestSite_QuantityAndRemove(t *testing.T) {
	t.Parallel()
	s := newPageSite(t, nil)
	b := s.browser()
	for _, form := range []url.Values{{"product": {"saree"}, "option1": {"Red"}}, {"product": {"tea"}}} {
		b.post(t, shopHost+"/cart", form)
	}
	saree, tea := s.saree.Variants[0].ID, s.tea.Variants[0].ID
	cart := b.post(t, shopHost+"/cart", url.Values{"q-" + saree: {"2"}, "q-" + tea: {"1"}, "remove": {tea}})
	cart.has(http.StatusOK, "৳4,900")
	cart.lacks("Tea &lt;b&gt;")
}

// A new address of the account replaces the whole earlier one, whose area would choose another
// delivery charge. An address is not emptied silently.
func TestSite_AccountAddress(t *testing.T) {
	t.Parallel()
	s := newPageSite(t, nil)
	b := s.browser()
	b.signIn(t)
	var session string
	for _, c := range b.client.Jar.Cookies(mustParse(t, shopHost)) {
		if c.Name == "session" {
			session = c.Value
		}
	}
	buyer := access.Caller{Bearer: session}
	old := account.Address{Line1: "House 1", Area: new("Savar"), City: "Dhaka", Postcode: new("1340")}
	if _, err := s.shop.Accounts.UpdateProfile(t.Context(), buyer, account.ProfileInput{Address: &old}); err != nil {
		t.Fatal(err)
	}
	b.post(t, shopHost+"/account/details", url.Values{"name": {"Rahima"}, "address": {""}, "city": {""}}).
		has(http.StatusUnprocessableEntity, "Add a house, a road or a landmark")
	b.post(t, shopHost+"/account/details", url.Values{"name": {"Rahima"}, "address": {"Road 9"}, "city": {"Rajshahi"}}).
		has(http.StatusOK, "Saved.", `value="Road 9"`)
	got, err := s.shop.Accounts.Me(t.Context(), buyer)
	if err != nil {
		t.Fatal(err)
	}
	if first := got.Addresses[0]; first.Line1 != "Road 9" || first.Area != nil || first.Postcode != nil {
		t.Errorf("got %+v, want the new address alone", first)
	}
}

// A browser without cookies explains why the cart is empty. The link of an order is enough to
// cancel it there.
func TestSite_WithoutCookies(t *testing.T) {
	t.Parallel()
	s := newPageSite(t, nil)
	b := s.browser()
	b.client.Jar = &frozenJar{}
	b.post(t, shopHost+"/cart", url.Values{"product": {"tea"}}).has(http.StatusOK, "This browser stores no cookies")
	b.get(t, shopHost+"/cart").lacks("cookies")
	ordered := b.post(t, shopHost+"/bn/cart", url.Values{"product": {"tea"}, "then": {"checkout"}})
	b.get(t, shopHost+ordered.location).has(http.StatusOK, "এই ব্রাউজার কুকি রাখছে না")

	placed := s.browser().order(t, func(form url.Values) { form.Set("total", "26000") })
	own := b.get(t, shopHost+placed.location)
	own.has(http.StatusOK, "Rahima", "/cancel")
	address, _, _ := strings.Cut(placed.location, "?")
	b.post(t, shopHost+address+"/cancel", url.Values{"k": {own.find(`name="k" value="([^"]+)"`)}}).has(http.StatusOK, "Cancelled")
}
