package server_test

import (
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"storefront/shop/access"
	"storefront/shop/catalogue"
	"storefront/shop/design"
	"storefront/shop/fault"
	"storefront/shop/order"
	"storefront/shop/translation"
)

// saveDiscount saves an active automatic discount as the operator.
func (s *pageSite) saveDiscount(t *testing.T, spec order.CouponSpec) *order.Coupon {
	t.Helper()
	spec.Active = true
	saved, err := s.shop.Orders.SaveCoupon(t.Context(), access.Operator(), spec)
	if err != nil {
		t.Fatal(err)
	}
	return saved
}

// shownDiscount is an automatic discount of a response.
type shownDiscount struct {
	ID     string `json:"_id"`
	Title  string
	Kind   string
	Amount daySum
}

// Both APIs list the discounts that buyers can get, in both languages, and name those of a
// quote and an order.
func TestDiscounts_BothAPIs(t *testing.T) {
	t.Parallel()
	s := newPageSite(t, nil)
	saved := s.saveDiscount(t, order.CouponSpec{
		Title: "Tea for less", Kind: order.CouponPercentage, BasisPoints: new(int64(1000)), ProductIDs: []string{"tea"},
		EndsAt: new(s.clock.Now().Add(time.Hour)),
	})
	s.saveDiscount(t, order.CouponSpec{Title: "Later", Kind: order.CouponFreeDelivery,
		StartsAt: new(s.clock.Now().Add(time.Hour))})
	_, err := s.shop.SaveTranslation(t.Context(), access.Operator(), translation.Discount, saved.ID, translation.Texts{"title": "চায়ে ছাড়"}, nil)
	if err != nil {
		t.Fatal(err)
	}
	titles := func(path, query string) (rest, graph []string) {
		t.Helper()
		var list struct{ Nodes []shownDiscount }
		s.get(path).ok(http.StatusOK, &list)
		for _, d := range list.Nodes {
			rest = append(rest, d.Title)
		}
		var both struct {
			Discounts struct{ Nodes []shownDiscount }
		}
		s.graphqlData(t, query, &both)
		for _, d := range both.Discounts.Nodes {
			graph = append(graph, d.Title)
		}
		return rest, graph
	}
	check := func(lang string, want ...string) {
		t.Helper()
		rest, graph := titles("/api/v1/discounts?lang="+lang, `{ discounts(lang: "`+lang+`") { nodes { title } } }`)
		if diff := cmp.Diff([][]string{want, want}, [][]string{rest, graph}); diff != "" {
			t.Errorf("discounts in %q (-want +got):\n%s", lang, diff)
		}
	}
	check("", "Tea for less")
	check("bn", "চায়ে ছাড়")
	s.get("/api/v1/discounts?lang=!").problem(http.StatusUnprocessableEntity, fault.CodeValidationFailed)

	const parts = `{ discount { amount } discounts { _id title kind amount { amount } } total { amount } }`
	type priced struct {
		Discount  daySum
		Discounts []shownDiscount
		Total     daySum
	}
	want := priced{daySum{2600}, []shownDiscount{{saved.ID, "Tea for less", "percentage", daySum{2600}}}, daySum{36400}}
	var rest priced
	cart := `{"items":[{"productId":"` + s.tea.ID + `","quantity":2}],"deliveryChargeId":"outside-dhaka"}`
	s.send("POST", "/api/v1/orders/quote", cart).ok(http.StatusOK, &rest)
	var graph struct{ QuoteOrder priced }
	s.graphqlData(t, `{ quoteOrder(input: {items: [{productId: "`+s.tea.ID+`", quantity: 2}], deliveryChargeId: "outside-dhaka"}) `+parts+` }`, &graph)
	if diff := cmp.Diff([]priced{want, want}, []priced{rest, graph.QuoteOrder}); diff != "" {
		t.Errorf("quotes (-want +got):\n%s", diff)
	}
	body := `{"items":[{"productId":"` + s.tea.ID + `","quantity":2}],"deliveryChargeId":"outside-dhaka","expectedTotal":36400,
		"customer":{"name":"Karim","phoneNumber":"01811000000"},"shippingAddress":{"line1":"House 7","city":"Bogura"}}`
	var placed priced
	s.send("POST", "/api/v1/orders", body).ok(http.StatusCreated, &placed)
	if diff := cmp.Diff(want, placed); diff != "" {
		t.Errorf("order (-want +got):\n%s", diff)
	}

	// At the end the list changes by itself, and an order at the old total is refused.
	s.clock.Advance(time.Hour)
	check("", "Later")
	var refused struct {
		Details struct{ Discounts []shownDiscount }
	}
	s.send("POST", "/api/v1/orders", body).ok(http.StatusConflict, &refused)
	if len(refused.Details.Discounts) != 1 || refused.Details.Discounts[0].Title != "Later" {
		t.Errorf("got details %+v, want the discount that has begun", refused.Details)
	}
}

// Pages show the discount of a product while it lasts, and the cart and the checkout its amount.
func TestSite_Discounts(t *testing.T) {
	t.Parallel()
	s := newPageSite(t, nil)
	s.saveDiscount(t, order.CouponSpec{
		Title: "Buy 2, get 1 free — ২টি কিনলে ১টি ফ্রি", Kind: order.CouponBuyGet, BasisPoints: new(int64(10_000)), BuyQuantity: new(int64(2)),
		GetQuantity: new(int64(1)), ProductIDs: []string{"tea"}, StartsAt: new(s.clock.Now().Add(time.Hour)), EndsAt: new(s.clock.Now().Add(2 * time.Hour)),
	})
	s.saveDiscount(t, order.CouponSpec{Title: "Free delivery from ৳300", Kind: order.CouponFreeDelivery, MinSubtotal: new(int64(300_00))})
	s.saveLanding(t, nil)
	b := s.browser()
	const badge, inBangla = "Buy 2, get 1 free", "২টি কিনলে ১টি ফ্রি"
	pages := []string{"/products/tea", "/l/morning-tea"}
	for _, path := range pages {
		b.get(t, shopHost+path).lacks(badge)
	}
	s.clock.Advance(time.Hour)
	for _, path := range pages {
		b.get(t, shopHost+path).has(http.StatusOK, badge, "Free delivery from ৳300")
		b.get(t, shopHost+"/bn"+path).has(http.StatusOK, inBangla)
	}
	b.get(t, shopHost+"/products/saree").has(http.StatusOK, "Free delivery from ৳300")
	b.get(t, shopHost+"/products/saree").lacks(badge)
	b.post(t, shopHost+"/cart", url.Values{"product": {"tea"}, "quantity": {"3"}})
	b.get(t, shopHost+"/cart").has(http.StatusOK, badge, "−৳130", "৳260")
	b.get(t, shopHost+"/checkout").has(http.StatusOK, badge, "−৳130")
	b.post(t, shopHost+"/cart", url.Values{"product": {"tea"}, "quantity": {"3"}})
	b.get(t, shopHost+"/checkout").has(http.StatusOK, `<span class="pick-end">Free</span>`)
	b.get(t, shopHost+"/checkout").lacks(`<span class="pick-end">৳`)
	s.clock.Advance(time.Hour)
	for _, path := range append(pages, "/cart") {
		b.get(t, shopHost+path).lacks(badge)
	}
}

// A box on a landing page adds another product for less, without scripts. It is not ticked, and
// disappears with the discount or the stock.
func TestSite_LandingBump(t *testing.T) {
	t.Parallel()
	s := newPageSite(t, nil)
	cup := s.create(t, catalogue.ProductInput{Title: "Cup — কাপ", Handle: "cup", Variants: []catalogue.VariantInput{
		{Price: 150_00, Tracked: true, Stock: new(2)},
	}})
	offer := s.saveDiscount(t, order.CouponSpec{
		Title: "A cup with tea", Kind: order.CouponBuyGet, BasisPoints: new(int64(3400)), BuyQuantity: new(int64(1)), GetQuantity: new(int64(1)),
		ProductIDs: []string{"tea"}, GetProductIDs: []string{"cup"},
	})
	s.saveLanding(t, func(p *design.LandingPage) {
		p.Sections = []design.Section{{Kind: "orderForm", Settings: []byte(`{"title":{"en":"","bn":""},"bump":"` + cup.ID + `"}`)}}
	})
	b := s.browser()
	page := b.get(t, shopHost+"/l/morning-tea")
	page.has(http.StatusOK, "Add Cup for ৳99 instead of", "৳150", `name="bump" value="`+cup.Variants[0].ID+`">`)
	b.get(t, shopHost+"/bn/l/morning-tea").has(http.StatusOK, "কাপ যোগ করুন ৳৯৯")
	form := fillLanding(t, page)
	without := b.send(t, http.MethodPost, shopHost+"/l/morning-tea", form)
	form.Set("bump", cup.Variants[0].ID)
	form.Set("phone", "01811-000000")
	b.client.Jar, _ = cookiejar.New(nil) // never fails
	b.header.Set("User-Agent", "another phone")
	with := b.send(t, http.MethodPost, shopHost+"/l/morning-tea", form)
	if without.status != http.StatusSeeOther || with.status != http.StatusSeeOther {
		t.Fatalf("got %d and %d, want two orders\n%s", without.status, with.status, with.html)
	}
	placed := s.orders(t)
	if len(placed) != 2 {
		t.Fatalf("got %d orders, want two", len(placed))
	}
	totals := map[int]int64{}
	for _, o := range placed {
		totals[o.Lines] = o.Total.Amount
	}
	if diff := cmp.Diff(map[int]int64{1: 330_00, 2: 429_00}, totals); diff != "" {
		t.Errorf("totals by the number of lines (-want +got):\n%s", diff)
	}

	if _, err := s.shop.Orders.DisableCoupon(t.Context(), access.Operator(), offer.ID); err != nil {
		t.Fatal(err)
	}
	b.get(t, shopHost+"/l/morning-tea").lacks(`name="bump"`)
	form.Set("phone", "01911-000000")
	gone := b.send(t, http.MethodPost, shopHost+"/l/morning-tea", form)
	gone.has(http.StatusUnprocessableEntity, "Prices or choices have changed.")
	if _, err := s.shop.Orders.EnableCoupon(t.Context(), access.Operator(), offer.ID); err != nil {
		t.Fatal(err)
	}
	b.get(t, shopHost+"/l/morning-tea").has(http.StatusOK, `name="bump"`)
	none := catalogue.StockChange{Set: new(int64(0))}
	if _, err := s.shop.Catalogue.ChangeStock(t.Context(), access.Operator(), cup.Variants[0].ID, none); err != nil {
		t.Fatal(err)
	}
	b.get(t, shopHost+"/l/morning-tea").lacks(`name="bump"`)
}

// The texts of an order name its discounts: the reply, the invoice, the page of the order, and the
// file of all orders.
func TestDiscounts_Named(t *testing.T) {
	t.Parallel()
	s := newAuditShop(t)
	s.removeInserted()
	s.must("POST", "coupons", `{"title":"Welcome — স্বাগতম","kind":"fixed","amount":2000,"active":true}`)
	s.must("POST", "coupons", `{"title":"Ships free","kind":"free_delivery","active":true}`)
	placed := s.must("POST", "orders", placeBody)
	id := placed["order"].(map[string]any)["_id"].(string)
	wantTexts(t, "reply", placed["reply"].(string), "Welcome: −৳20", "Delivery (Ships free): ৳0")
	for what, path := range map[string]string{
		"invoice": "print/invoice?lang=en&ids=" + id, "file of orders": "exports/orders",
	} {
		got := s.as("GET", path, "", "Cookie", s.owner)
		wantTexts(t, what, string(got.body), "Welcome", "Ships free")
	}
	var own struct {
		ID         string `json:"_id"`
		OrderToken string
	}
	mug := s.must("GET", "products/mug", "")["_id"].(string)
	s.send("POST", "/api/v1/orders", `{"items":[{"productId":"`+mug+`","quantity":1}],
		"customer":{"name":"Karim","phoneNumber":"01811000000"},"shippingAddress":{"line1":"House 7","city":"Dhaka"}}`).ok(http.StatusCreated, &own)
	wantTexts(t, "page", string(s.get("/t/test/"+own.ID+"?k="+own.OrderToken, "x-tenant", "").body), "Welcome", "−৳20", "Ships free")
}
