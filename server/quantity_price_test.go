package server_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"testing"

	"github.com/google/go-cmp/cmp"

	"storefront/shop/access"
	"storefront/shop/catalogue"
)

// quantityPrice is a quantity price of a response.
type quantityPrice struct {
	Quantity int
	Price    daySum
}

// Both APIs show the quantity prices that staff save, and quote and place the same amounts.
func TestQuantityPrices_BothAPIs(t *testing.T) {
	t.Parallel()
	s := newAuditShop(t)
	made := s.product("POST", "products", `{"title":"Cotton panjabi","options":["Size"],"quantityPrices":[{"quantity":2,"price":110000}],
		"variants":[{"options":["M"],"price":60000},{"options":["L"],"price":60000}]}`)
	want := []quantityPrice{{2, daySum{110000}}}
	var rest struct{ QuantityPrices []quantityPrice }
	s.get("/api/v1/products/"+made.ID).ok(http.StatusOK, &rest)
	var graph struct {
		Data struct {
			Product    struct{ QuantityPrices []quantityPrice }
			QuoteOrder dayOrder
			PlaceOrder dayOrder
		}
	}
	send := func(query string, input map[string]any) {
		t.Helper()
		body, err := json.Marshal(map[string]any{"query": query, "variables": map[string]any{"input": input}})
		if err != nil {
			t.Fatal(err)
		}
		s.send("POST", "/graphql", string(body)).ok(http.StatusOK, &graph)
	}
	send(`{ product(id: "`+made.ID+`") { quantityPrices { quantity price { amount } } } }`, nil)
	if diff := cmp.Diff(want, rest.QuantityPrices); diff != "" {
		t.Errorf("REST: %s", diff)
	}
	if diff := cmp.Diff(want, graph.Data.Product.QuantityPrices); diff != "" {
		t.Errorf("GraphQL: %s", diff)
	}

	input := map[string]any{
		"items": []map[string]any{
			{"productId": made.ID, "variantId": made.Variants[0].ID, "quantity": 1},
			{"productId": made.ID, "variantId": made.Variants[1].ID, "quantity": 2},
		},
		"customer":        map[string]any{"name": "Karim", "phoneNumber": "01811000000"},
		"shippingAddress": map[string]any{"line1": "House 7", "city": "Dhaka"},
	}
	body, err := json.Marshal(input)
	if err != nil {
		t.Fatal(err)
	}
	var quote dayOrder
	s.send("POST", "/api/v1/orders/quote", string(body)).ok(http.StatusOK, &quote)
	const sums = `subtotal { amount } discount { amount } quantityDiscount { amount } deliveryCharge { amount } rounding { amount }
		total { amount } items { total { amount } discount { amount } quantityDiscount { amount } }`
	send(`query ($input: OrderInput!) { quoteOrder(input: $input) { `+sums+` } }`, input)
	send(`mutation ($input: PlaceOrderInput!) { placeOrder(input: $input) { `+sums+` } }`, input)
	for name, got := range map[string]dayOrder{"quote": graph.Data.QuoteOrder, "placed": graph.Data.PlaceOrder} {
		if diff := cmp.Diff(quote, got); diff != "" {
			t.Errorf("GraphQL, %s (-REST +GraphQL):\n%s", name, diff)
		}
	}
	if quote.Subtotal.Amount != 180000 || quote.QuantityDiscount.Amount != 10000 || quote.Discount.Amount != 10000 {
		t.Errorf("got %+v, want 180000 less 10000", quote)
	}
	// three units of which two have a quantity price: the discount is shared by units
	if diff := cmp.Diff([]int64{3333, 6667}, []int64{quote.Items[0].QuantityDiscount.Amount, quote.Items[1].QuantityDiscount.Amount}); diff != "" {
		t.Error(diff)
	}
}

// A quantity price that is not cheaper is refused at its field. A list replaces all, other changes
// leave them, and the version of the product includes them.
func TestQuantityPrices_Saved(t *testing.T) {
	t.Parallel()
	s := newAuditShop(t)
	made := s.product("POST", "products", `{"title":"Cotton panjabi","variants":[{"price":60000}]}`)
	path := "products/" + made.ID
	read := s.as("GET", path, "", "Cookie", s.owner)
	version := read.header.Get("ETag")
	for body, field := range map[string]string{
		`{"quantityPrices":[{"quantity":2,"price":120000}]}`:                               "quantityPrices[0].price",
		`{"quantityPrices":[{"quantity":1,"price":50000}]}`:                                "quantityPrices[0].quantity",
		`{"quantityPrices":[{"quantity":3,"price":150000},{"quantity":2,"price":110000}]}`: "quantityPrices[1].quantity",
	} {
		var problem struct{ Errors []struct{ Field string } }
		s.as("PATCH", path, body, "Cookie", s.owner).ok(http.StatusUnprocessableEntity, &problem)
		if len(problem.Errors) != 1 || problem.Errors[0].Field != field {
			t.Errorf("%s: got %+v, want %s", body, problem.Errors, field)
		}
	}
	changed := s.product("PATCH", path, `{"quantityPrices":[{"quantity":2,"price":110000},{"quantity":3,"price":150000}]}`)
	if got := fmt.Sprint(len(changed.QuantityPrices), changed.QuantityPrices[1].Price.Amount); got != "2 150000" {
		t.Errorf("got %s, want two", got)
	}
	if got := s.as("PATCH", path, `{"title":"Panjabi"}`, "Cookie", s.owner, "If-Match", version); got.status != http.StatusPreconditionFailed {
		t.Errorf("a change of the version before: got %d, want 412", got.status)
	}
	if kept := s.product("PATCH", path, `{"title":"Panjabi"}`); len(kept.QuantityPrices) != 2 {
		t.Errorf("after another change: got %v", kept.QuantityPrices)
	}
	if gone := s.product("PATCH", path, `{"quantityPrices":[]}`); len(gone.QuantityPrices) != 0 {
		t.Errorf("removed: got %v", gone.QuantityPrices)
	}
}

// The pages show a product's quantity prices as one badge on its card, all on its page, and what
// they save in the cart and the checkout, whether the delivery is known or not.
func TestQuantityPrices_Pages(t *testing.T) {
	t.Parallel()
	s := newPageSite(t, nil)
	_, err := s.shop.Catalogue.UpdateProduct(t.Context(), access.Operator(), s.tea.ID, catalogue.ProductChange{
		QuantityPrices: catalogue.QuantityPrices{{Quantity: 2, Price: 240_00}, {Quantity: 3, Price: 330_00}},
	})
	if err != nil {
		t.Fatal(err)
	}
	const first, second = `<span class="badge">2 for ৳240</span>`, `<span class="badge">3 for ৳330</span>`
	b := s.browser()
	list := b.get(t, shopHost+"/collections/all")
	list.has(http.StatusOK, first)
	list.lacks(second)
	b.get(t, shopHost+"/products/tea").has(http.StatusOK, first, second)
	b.get(t, shopHost+"/bn/products/tea").has(http.StatusOK, "২টি ৳২৪০", "৩টি ৳৩৩০")
	cart := b.post(t, shopHost+"/cart", url.Values{"product": {"tea"}})
	cart.lacks("Quantity discount")
	cart = b.post(t, shopHost+"/cart", url.Values{"q-" + s.tea.Variants[0].ID: {"5"}})
	cart.has(http.StatusOK, first, "<dt>Quantity discount</dt><dd>−৳80</dd>", "<dd>৳570</dd>")
	checkout := b.get(t, shopHost+"/checkout")
	checkout.has(http.StatusOK, "<dt>Goods</dt><dd>৳650</dd>", "<dt>Quantity discount</dt><dd>−৳80</dd>")
	quoted := b.send(t, http.MethodPost, shopHost+"/checkout/quote", checkoutForm(checkout))
	quoted.has(http.StatusOK, "<dt>Goods</dt><dd>৳650</dd>", "<dt>Quantity discount</dt><dd>−৳80</dd>")
	form := checkoutForm(checkout)
	form.Set("total", quoted.total())
	if placed := b.send(t, http.MethodPost, shopHost+"/checkout", form); placed.status != http.StatusSeeOther {
		t.Fatalf("got %d, want an order: %s", placed.status, placed.html)
	}
	if got := s.orders(t); len(got) != 1 || fmt.Sprint(got[0].Total.Amount) != quoted.total() {
		t.Errorf("got %+v, want an order of %s", got, quoted.total())
	}
}
