package server_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"storefront/shop/access"
	"storefront/shop/catalogue"
	"storefront/shop/fault"
	"storefront/shop/order"
	"storefront/shop/plugin"
	"storefront/shop/shoptest"
	"storefront/shop/status"
)

func cart(p *catalogue.Product, quantity int) string {
	return fmt.Sprintf(`"items":[{"productId":%q,"quantity":%d}]`, p.ID, quantity)
}

const buyer = `"customer":{"name":"Rahim Uddin","phoneNumber":"01711-000002"},"shippingAddress":{"line1":"House 1, Road 2","city":"Dhaka"}`

func TestPlaceOrder(t *testing.T) {
	t.Parallel()
	s := newSite(t, nil)
	_, products := stockShop(t, s.shop)
	body := "{" + cart(products[0], 2) + "," + buyer + "}"

	var quote order.Quote
	s.send("POST", "/api/v1/orders/quote", body).ok(200, &quote)
	if quote.Total.Amount != 2*10000+7000 {
		t.Fatalf("got quote %+v", quote.Total)
	}
	first := s.send("POST", "/api/v1/orders", body, "Idempotency-Key", "k-1")
	var placed order.Placed
	first.ok(201, &placed)
	if placed.Total != quote.Total || placed.OrderToken == "" || first.header.Get("Idempotent-Replayed") != "" ||
		first.header.Get("Cache-Control") != "no-store" {
		t.Errorf("got order %+v with headers %v", placed.Total, first.header)
	}
	again := s.send("POST", "/api/v1/orders", body, "Idempotency-Key", "k-1")
	if again.status != 201 || string(again.body) != string(first.body) || again.header.Get("Idempotent-Replayed") != "true" {
		t.Errorf("second time: got %d, replayed %q, %s", again.status, again.header.Get("Idempotent-Replayed"), again.body)
	}
	s.send("POST", "/api/v1/orders", "{"+cart(products[0], 1)+","+buyer+"}", "Idempotency-Key", "k-1").problem(422, fault.CodeIdempotencyKeyReused)
	s.send("POST", "/api/v1/orders", "{"+cart(products[0], 99)+","+buyer+"}").problem(409, fault.CodeOutOfStock)
	p := s.send("POST", "/api/v1/orders", "{"+cart(products[0], 1)+","+buyer+`,"expectedTotal":1}`).problem(409, fault.CodePriceChanged)
	if len(p.Details) == 0 {
		t.Error("the new amounts are missing")
	}
	s.send("POST", "/api/v1/orders", body, "Authorization", "Bearer nonsense").problem(401, fault.CodeTokenInvalid)

	path := "/api/v1/orders/" + placed.InvoiceUID
	for _, tt := range []struct {
		name   string
		whole  bool
		header []string
	}{
		{"a guest", false, nil},
		{"an invalid token", false, []string{"Authorization", "Bearer nonsense"}},
		{"another's order token", false, []string{"X-Order-Token", placed.OrderToken + "x"}},
		{"the order token", true, []string{"X-Order-Token", placed.OrderToken}},
	} {
		got := s.get(path, tt.header...)
		if got.status != 200 || strings.Contains(string(got.body), "Rahim") != tt.whole {
			t.Errorf("%s: got %d %s", tt.name, got.status, got.body)
		}
	}
	s.get("/api/v1/orders/0000000000000000").problem(404, fault.CodeNotFound)
}

func TestPlaceOrder_CashRounding(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		settings     map[string]any
		price, total int64
	}{
		"taka":                {map[string]any{}, 1999, 1900},
		"dollars":             {map[string]any{"currency": "USD", "country": "US"}, 1999, 1999},
		"a unit of the shop":  {map[string]any{"cashRounding": 500}, 1999, 1500},
		"no rounding":         {map[string]any{"cashRounding": 1}, 1999, 1999},
		"never to zero":       {map[string]any{}, 50, 50},
		"below a larger unit": {map[string]any{"cashRounding": 1000}, 999, 999},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			tt.settings["deliveryCharges"] = []any{}
			s := newSiteOf(t, shoptest.New(t, &shoptest.Options{Settings: tt.settings}), nil)
			p, err := s.shop.Catalogue.CreateProduct(t.Context(), access.Operator(), catalogue.ProductInput{
				Title: "Pin", Variants: []catalogue.VariantInput{{Price: tt.price}},
			})
			if err != nil {
				t.Fatal(err)
			}
			var placed order.Placed
			s.send("POST", "/api/v1/orders", "{"+cart(&p.Product, 1)+`,"customer":{"name":"Rahim","phoneNumber":"+8801711000002"},`+
				`"shippingAddress":{"line1":"House 1","city":"Dhaka"}}`).ok(201, &placed)
			if placed.Total.Amount != tt.total || placed.Rounding.Amount != tt.price-tt.total || placed.PaymentStatus != status.PaymentUnpaid {
				t.Errorf(
					"got total %d, rounding %d, payment %s; want %d, %d, %s",
					placed.Total.Amount,
					placed.Rounding.Amount,
					placed.PaymentStatus,
					tt.total,
					tt.price-tt.total,
					status.PaymentUnpaid,
				)
			}
		})
	}
}

// A shop with areas on every delivery charge sells to cities as people type them.
func TestPlaceOrder_Cities(t *testing.T) {
	t.Parallel()
	s := newSiteOf(t, shoptest.New(t, &shoptest.Options{Settings: map[string]any{"openOrdersPerPhone": 100, "deliveryCharges": []map[string]any{
		{"_id": "dhaka", "name": "Dhaka", "charge": 6000, "areas": []string{"Dhaka"}},
		{"_id": "rest", "name": "Elsewhere", "charge": 12000, "areas": []string{"Chattogram", "Cumilla", "Cox's Bazar"}},
		{"_id": "india", "name": "India", "charge": 90000, "countries": []string{"in"}},
	}}}), nil)
	p, err := s.shop.Catalogue.CreateProduct(t.Context(), access.Operator(), catalogue.ProductInput{
		Title: "Pin", Variants: []catalogue.VariantInput{{Price: 10000}},
	})
	if err != nil {
		t.Fatal(err)
	}
	body := func(address map[string]any, chosen string) string {
		address["line1"] = "House 1"
		text, err := json.Marshal(map[string]any{
			"items": []any{map[string]any{"productId": p.ID, "quantity": 1}}, "shippingAddress": address,
			"customer": map[string]any{"name": "Rahim", "phoneNumber": "01711000002"}, "deliveryChargeId": chosen,
		})
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	for _, tt := range []struct {
		city, country, chosen string
		want                  int64 // delivery charge
	}{
		{"ঢাকা", "", "", 6000}, {"Dhaka City", "", "", 6000}, {"Dhaka-1207", "BD", "", 6000}, {"Chittagong", "", "", 12000},
		{"Comilla", "", "", 12000}, {"Cox’s Bazar", "", "", 12000}, {"কক্সবাজার", "", "rest", 12000}, {"Savar", "", "dhaka", 6000},
		{"Kolkata", "IN", "", 90000},
	} {
		address := map[string]any{"city": tt.city}
		if tt.country != "" {
			address["country"] = tt.country
		}
		var placed order.Placed
		s.send("POST", "/api/v1/orders", body(address, tt.chosen)).ok(201, &placed)
		if placed.DeliveryCharge.Amount != tt.want || placed.ShippingAddress.City != tt.city {
			t.Errorf("%s: got delivery charge %d to %s, want %d", tt.city, placed.DeliveryCharge.Amount, placed.ShippingAddress.City, tt.want)
		}
	}
	for _, tt := range []struct{ city, chosen string }{{"Savar", ""}, {"Chittagong", "dhaka"}, {"Bogura", ""}, {"Bogura", "rest"}} {
		problem := s.send("POST", "/api/v1/orders", body(map[string]any{"city": tt.city}, tt.chosen)).problem(422, fault.CodeDeliveryRequired)
		if charges, _ := problem.Details["deliveryCharges"].([]any); len(charges) != 3 {
			t.Errorf("%s to %s: got %v, want all three delivery charges", tt.chosen, tt.city, problem.Details)
		}
	}
	problem := s.send("POST", "/api/v1/orders", body(map[string]any{"city": "Kathmandu", "country": "NP"}, "")).
		problem(422, fault.CodeValidationFailed)
	if problem.fields() != "shippingAddress.country invalid_value" {
		t.Errorf("got fields %s", problem.fields())
	}
}

// The only delivery charge of a shop is used for every city of its country, by REST and GraphQL,
// whatever its areas.
func TestPlaceOrder_OnlyCharge(t *testing.T) {
	t.Parallel()
	s := newSiteOf(t, shoptest.New(t, &shoptest.Options{Settings: map[string]any{"openOrdersPerPhone": 100, "deliveryCharges": []map[string]any{
		{"_id": "home", "name": "Home", "charge": 6000, "areas": []string{"Dhaka"}},
	}}}), nil)
	_, products := stockShop(t, s.shop)
	for _, city := range []string{"Dhaka", "Bogura", "Somewhere"} {
		body := "{" + cart(products[0], 1) + `,"customer":{"name":"Rahim","phoneNumber":"01711000002"},` +
			`"shippingAddress":{"line1":"House 1","city":"` + city + `"}}`
		var placed order.Placed
		s.send("POST", "/api/v1/orders", body).ok(201, &placed)
		text, err := json.Marshal(map[string]any{
			"query":     `query($input: OrderInput!) { quoteOrder(input: $input) { deliveryCharge { amount } } }`,
			"variables": map[string]any{"input": json.RawMessage(body)},
		})
		if err != nil {
			t.Fatal(err)
		}
		var quote struct {
			Data struct {
				QuoteOrder struct{ DeliveryCharge struct{ Amount int64 } }
			}
		}
		s.send("POST", "/graphql", string(text)).ok(200, &quote)
		if placed.DeliveryCharge.Amount != 6000 || quote.Data.QuoteOrder.DeliveryCharge.Amount != 6000 {
			t.Errorf("%s: got delivery charge %d by REST, %d by GraphQL; want 6000", city, placed.DeliveryCharge.Amount,
				quote.Data.QuoteOrder.DeliveryCharge.Amount)
		}
	}
}

func TestListOrders(t *testing.T) {
	t.Parallel()
	s := newSite(t, nil)
	_, products := stockShop(t, s.shop)
	token := s.signUp("01711-000003")
	for range 3 {
		var placed order.Placed
		s.send("POST", "/api/v1/orders", "{"+cart(products[0], 1)+`,"shippingAddress":{"line1":"House 1","city":"Dhaka"}}`, "Authorization",
			"Bearer "+token).ok(201, &placed)
	}
	var got pageOf[order.Order]
	s.get("/api/v1/orders?limit=2", "Authorization", "Bearer "+token).ok(200, &got)
	if len(got.Nodes) != 2 || got.Meta.TotalCount != 3 || !got.Meta.HasNextPage || got.Nodes[0].OrderNumber <= got.Nodes[1].OrderNumber {
		t.Errorf("got %d orders, %+v", len(got.Nodes), got.Meta)
	}
	s.get("/api/v1/orders").problem(401, fault.CodeUnauthenticated)
	s.get("/api/v1/orders?page=x", "Authorization", "Bearer "+token).problem(422, fault.CodeValidationFailed)
}

func TestIdempotencyKey_Invalid(t *testing.T) {
	t.Parallel()
	s := newSite(t, nil)
	_, products := stockShop(t, s.shop)
	for _, key := range []string{strings.Repeat("k", 256), "two words", "schlüssel"} {
		req := s.send("POST", "/api/v1/orders", "{"+cart(products[0], 1)+","+buyer+"}", "Idempotency-Key", key)
		if fields := req.problem(422, fault.CodeValidationFailed).fields(); fields != "idempotencyKey invalid_value" {
			t.Errorf("key %q: got fields %s, want idempotencyKey invalid_value", key, fields)
		}
	}
	for _, keys := range [][]string{{""}, {"a", "a"}} {
		req, err := http.NewRequest("POST", s.url+"/api/v1/orders", strings.NewReader("{"+cart(products[0], 1)+","+buyer+"}"))
		if err != nil {
			t.Fatal(err)
		}
		req.Header = http.Header{"X-Tenant": {"test"}, "Content-Type": {"application/json"}, "Idempotency-Key": keys}
		s.do(req).problem(422, fault.CodeValidationFailed)
	}
	var placed order.Placed
	s.send("POST", "/api/v1/orders", "{"+cart(products[0], 1)+","+buyer+"}", "Idempotency-Key", strings.Repeat("~", 255)).ok(201, &placed)
}

func TestVerifyCoupon(t *testing.T) {
	t.Parallel()
	s := newSite(t, nil)
	_, products := stockShop(t, s.shop)
	var verdict order.CouponResult
	s.send("POST", "/api/v1/orders/coupons/verify", `{"code":"NONE",`+cart(products[0], 1)+"}").ok(200, &verdict)
	if verdict.Valid || verdict.Reason == nil || *verdict.Reason != fault.CodeCouponNotFound || verdict.Total.Amount != 10000 {
		t.Errorf("got %+v, want coupon_not_found and a total of 10000", verdict)
	}
	s.send("POST", "/api/v1/orders/coupons/verify", `{"code":"NONE",`+cart(products[0], 1)+"}", "Authorization",
		"Bearer nonsense").problem(401, fault.CodeTokenInvalid)
}

func TestCancelOrder(t *testing.T) {
	t.Parallel()
	s := newSite(t, nil)
	_, products := stockShop(t, s.shop)
	token := s.signUp("01711-000003")
	stranger := s.signUp("01711-000004")
	var placed order.Placed
	s.send("POST", "/api/v1/orders", "{"+cart(products[0], 1)+","+buyer+"}", "Authorization", "Bearer "+token).ok(201, &placed)
	path := "/api/v1/orders/" + placed.InvoiceUID + "/cancel"

	s.send("POST", path, "").problem(401, fault.CodeUnauthenticated)
	s.send("POST", path, "", "X-Order-Token", placed.OrderToken+"x").problem(401, fault.CodeUnauthenticated)
	s.send("POST", path, "", "Authorization", "Bearer "+stranger).problem(404, fault.CodeNotFound)
	s.send("POST", path, `{"why":"x"}`, "Authorization", "Bearer "+token).problem(422, fault.CodeUnknownField)
	for range 2 { // cancelling again changes nothing
		var cancelled order.Order
		s.send("POST", path, `{"reason":"wrong size"}`, "Authorization", "Bearer "+token).ok(200, &cancelled)
		if cancelled.Status != status.OrderCancelled || cancelled.Cancellable || len(cancelled.Timeline) != 2 {
			t.Errorf("got %+v", cancelled)
		}
	}
	s.send("POST", "/api/v1/orders", "{"+cart(products[0], 1)+","+buyer+"}", "Authorization", "Bearer "+token).ok(201, &placed)
	if _, err := s.shop.Orders.ConfirmOrder(t.Context(), access.Operator(), placed.InvoiceUID); err != nil {
		t.Fatal(err)
	}
	if _, err := s.shop.Orders.MarkDelivered(t.Context(), access.Operator(), placed.InvoiceUID, nil); err != nil {
		t.Fatal(err)
	}
	s.send("POST", "/api/v1/orders/"+placed.InvoiceUID+"/cancel", "", "Authorization", "Bearer "+token).problem(409, fault.CodeNotCancellable)
}

func TestCancelOrder_OrderToken(t *testing.T) {
	t.Parallel()
	s := newSite(t, nil)
	_, products := stockShop(t, s.shop)
	for range 2 { // the stock suffices for one at a time
		var placed order.Placed
		s.send("POST", "/api/v1/orders", "{"+cart(products[0], 5)+","+buyer+"}").ok(201, &placed)
		path := "/api/v1/orders/" + placed.InvoiceUID
		s.send("POST", path+"/payment-method", `{"paymentMethod":"cod"}`).problem(404, fault.CodeNotFound)
		s.send("POST", path+"/payment-method", `{"paymentMethod":"gateway_a"}`, "X-Order-Token", placed.OrderToken).
			problem(422, fault.CodeValidationFailed)
		var same, cancelled order.Order
		s.send("POST", path+"/payment-method", `{"paymentMethod":"cod"}`, "X-Order-Token", placed.OrderToken).ok(200, &same)
		s.send("POST", path+"/cancel", "", "X-Order-Token", placed.OrderToken).ok(200, &cancelled)
		if same.Status != status.OrderPending || !same.Cancellable || cancelled.Status != status.OrderCancelled {
			t.Errorf("got order %s, cancellable %v, then %s", same.Status, same.Cancellable, cancelled.Status)
		}
	}
	var placed order.Placed
	s.send("POST", "/api/v1/orders", "{"+cart(products[0], 5)+","+buyer+"}").ok(201, &placed)
	_, err := s.shop.Orders.RecordShipment(
		t.Context(),
		access.Operator(),
		placed.ID,
		order.ShipmentInput{Provider: plugin.CourierA, ConsignmentID: "C1"},
	)
	if err != nil {
		t.Fatal(err)
	}
	s.send("POST", "/api/v1/orders/"+placed.ID+"/cancel", "", "X-Order-Token", placed.OrderToken).problem(409, fault.CodeNotCancellable)
}

func TestStartPayment(t *testing.T) {
	t.Parallel()
	s := newSite(t, nil)
	_, products := stockShop(t, s.shop)
	var placed order.Placed
	s.send("POST", "/api/v1/orders", "{"+cart(products[0], 1)+","+buyer+"}").ok(201, &placed)
	path := "/api/v1/orders/" + placed.InvoiceUID + "/payments"
	s.send("POST", path, `{"paymentMethod":"gateway_a"}`).problem(404, fault.CodeNotFound)
	s.send("POST", path, `{"paymentMethod":"gateway_a"}`, "X-Order-Token", placed.OrderToken).problem(409, fault.CodeNotPayable)
	s.send("POST", path, `{"paymentMethod":"cod"}`, "X-Order-Token", placed.OrderToken).problem(422, fault.CodeValidationFailed)
	s.send("POST", path, `{}`, "X-Order-Token", placed.OrderToken).problem(422, fault.CodeValidationFailed)
}
