package cmd_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"storefront/shop/fault"
)

// heldOrder is a placed order, or a refusal.
type heldOrder struct {
	ID         string `json:"_id"`
	OrderToken string
	Status     string
	Code       string // of the refusal; "" if there is none
}

// buyerOf sends the requests of one buyer to the demo shop, through REST or GraphQL.
type buyerOf struct {
	t          *testing.T
	r          ready
	transport  string
	bearer     string // "" for a guest
	phone      string
	method     string            // of payment
	orderToken string            // sent with each request
	replaces   map[string]string // "replacesOrderId", if it is sent
}

func (b *buyerOf) do(path string, body any) (status int, answer []byte) {
	b.t.Helper()
	text, err := json.Marshal(body)
	if err != nil {
		b.t.Fatal(err)
	}
	r, err := http.NewRequestWithContext(b.t.Context(), http.MethodPost, b.r.URL+path, strings.NewReader(string(text)))
	if err != nil {
		b.t.Fatal(err)
	}
	for name, value := range map[string]string{"Content-Type": "application/json", "x-tenant": b.r.Demo.UID, "X-Order-Token": b.orderToken} {
		r.Header.Set(name, value)
	}
	if b.bearer != "" {
		r.Header.Set("Authorization", "Bearer "+b.bearer)
	}
	return send(b.t, r)
}

// call runs an operation: a POST of the input to a path, or a document that selects fields.
func (b *buyerOf) call(path, document string, input map[string]any, into any) (code string) {
	b.t.Helper()
	var failure struct {
		Code   string
		Errors []struct{ Extensions struct{ Code string } }
	}
	if b.transport == "REST" {
		delete(input, "orderId")
		status, answer := b.do(path, input)
		if status >= http.StatusBadRequest {
			into = &failure
		}
		if err := json.Unmarshal(answer, into); err != nil {
			b.t.Fatalf("%s: got %s", path, answer)
		}
		return failure.Code
	}
	var response struct{ Data map[string]json.RawMessage }
	_, answer := b.do("/graphql", map[string]any{"query": document, "variables": map[string]any{"input": input}})
	if json.Unmarshal(answer, &failure) == nil && len(failure.Errors) > 0 {
		return failure.Errors[0].Extensions.Code
	}
	if err := json.Unmarshal(answer, &response); err != nil || len(response.Data) != 1 {
		b.t.Fatalf("%s: got %s", document, answer)
	}
	for _, data := range response.Data {
		if err := json.Unmarshal(data, into); err != nil {
			b.t.Fatalf("%s: got %s", document, answer)
		}
	}
	return ""
}

// input is an order for the last piece with the coupon ONCE.
func (b *buyerOf) input() map[string]any {
	in := map[string]any{
		"items":         []any{map[string]any{"productId": b.r.Demo.ProductID, "variantId": b.r.Demo.VariantID, "quantity": 1}},
		"customer":      map[string]any{"name": "Rahima Khatun", "phoneNumber": b.phone},
		"paymentMethod": b.method, "couponCode": "once", "shippingAddress": map[string]any{"line1": "House 12", "city": "Dhaka"},
	}
	for name, value := range b.replaces {
		in[name] = value
	}
	return in
}

func (b *buyerOf) place() (o heldOrder) {
	b.t.Helper()
	o.Code = b.call("/api/v1/orders", `mutation($input: PlaceOrderInput!) { placeOrder(input: $input) { _id orderToken status } }`, b.input(), &o)
	return o
}

// quote returns the code of a refused quote, and whether the coupon is valid.
func (b *buyerOf) quote() (code string, valid bool) {
	b.t.Helper()
	in := b.input()
	var quote struct{ Total any }
	code = b.call("/api/v1/orders/quote", `query($input: OrderInput!) { quoteOrder(input: $input) { total { amount } } }`, in, &quote)
	check := map[string]any{"code": "once", "items": in["items"]}
	for name, value := range b.replaces {
		check[name] = value
	}
	var coupon struct{ Valid bool }
	b.call("/api/v1/orders/coupons/verify", `query($input: VerifyCouponInput!) { verifyCoupon(input: $input) { valid } }`, check, &coupon)
	return code, coupon.Valid
}

// heldShop starts a demo shop with one piece of a product, and a coupon that can be used once.
func heldShop(t *testing.T, transport string) (*console, *buyerOf) {
	t.Helper()
	c := newConsole(t)
	_, r := serveDemo(t, c.dir)
	c.must("stock", "set", "demo", r.Demo.VariantID, "1")
	c.must("coupon", "create", "demo", "--code", "ONCE", "--amount", "10", "--limit", "1", "--per-customer", "1")
	return c, &buyerOf{t: t, r: r, transport: transport, phone: "01711-000000", method: "gateway_a"}
}

// status returns the status of an order from public tracking.
func (b *buyerOf) status(o heldOrder) string {
	b.t.Helper()
	status, _ := paymentStatus(b.t, b.r, o.ID)
	return status
}

// A signed-in buyer, or a guest with the order token, leaves the gateway and orders the last piece
// again with the coupon that can be used once: the new order replaces the unpaid one, though the
// client does not name it. It does not if the client wants both, or if the order is another
// buyer's.
func TestPlaceOrder_HeldByOwnOrder(t *testing.T) {
	t.Parallel()
	for _, transport := range []string{"REST", "GraphQL"} {
		for _, guest := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s guest=%v", transport, guest), func(t *testing.T) {
				t.Parallel()
				c, b := heldShop(t, transport)
				if !guest {
					var auth struct{ AccessToken string }
					register := map[string]any{"name": "Rahima", "phoneNumber": "01711-000000", "password": "correct horse battery"}
					b.call("/api/v1/auth/register", `mutation($input: StorefrontRegisterInput!) { register(input: $input) { accessToken } }`, register, &auth)
					b.bearer = auth.AccessToken
				}
				first := b.place()
				if first.Code != "" || first.Status != "pending_payment" {
					t.Fatalf("got %+v, want an unpaid order", first)
				}
				for name, other := range map[string]*buyerOf{
					"a guest with the same phone number": {t: t, r: b.r, transport: transport, phone: b.phone, method: b.method},
					"a wrong order token":                {t: t, r: b.r, transport: transport, phone: b.phone, method: b.method, orderToken: first.OrderToken + "x"},
				} {
					if got := other.place(); got.Code != string(fault.CodeOutOfStock) {
						t.Errorf("%s: got %+v, want %s", name, got, fault.CodeOutOfStock)
					}
				}
				if guest {
					b.orderToken = first.OrderToken
				}
				b.replaces = map[string]string{"replacesOrderId": ""}
				if code, _ := b.quote(); code != string(fault.CodeOutOfStock) || b.place().Code != string(fault.CodeOutOfStock) {
					t.Errorf("to have both: got %q, want %s", code, fault.CodeOutOfStock)
				}
				b.replaces = nil
				if code, valid := b.quote(); code != "" || !valid && !guest {
					t.Errorf("quote: got %q, coupon valid %v", code, valid)
				}
				if got := b.status(first); got != "pending_payment" {
					t.Errorf("after the quote: got order %s, want pending_payment", got)
				}
				second := b.place()
				if second.Code != "" || second.Status != "pending_payment" || b.status(first) != "cancelled" {
					t.Errorf("got %+v, and the first order %s; want it replaced", second, b.status(first))
				}
				c.must("simulate", "demo", "gateway_a", "pay", "--order", second.ID, "--simulator", b.r.Simulator)
				if guest {
					b.orderToken = second.OrderToken
				}
				if got := b.place(); got.Code != string(fault.CodeOutOfStock) || b.status(second) != "confirmed" {
					t.Errorf("after paying: got %+v, order %s; want %s", got, b.status(second), fault.CodeOutOfStock)
				}
			})
		}
	}
}

// A guest leaves an unpaid online order that holds the last piece and the only use of a coupon: it
// is cancelled, and both are free at once, or it is paid in cash and has both.
func TestUnpaidOrder_GuestLeaves(t *testing.T) {
	t.Parallel()
	for _, transport := range []string{"REST", "GraphQL"} {
		t.Run(transport, func(t *testing.T) {
			t.Parallel()
			c, b := heldShop(t, transport)
			other := &buyerOf{t: t, r: b.r, transport: transport, phone: "01811-000000", method: "gateway_b"}
			change := func(o heldOrder, token, path, document string, more map[string]any) (code, status string) {
				t.Helper()
				b.orderToken = token
				defer func() { b.orderToken = "" }()
				in := map[string]any{"orderId": o.ID}
				for name, value := range more {
					in[name] = value
				}
				var changed heldOrder
				if transport == "GraphQL" {
					var response struct {
						Data   map[string]*heldOrder
						Errors []struct{ Extensions struct{ Code string } }
					}
					_, answer := b.do("/graphql", map[string]any{"query": fmt.Sprintf(document, o.ID)})
					if err := json.Unmarshal(answer, &response); err != nil {
						t.Fatalf("got %s, %v", answer, err)
					}
					if len(response.Errors) > 0 {
						return response.Errors[0].Extensions.Code, ""
					}
					for _, order := range response.Data {
						changed = *order
					}
					return "", changed.Status
				}
				code = b.call("/api/v1/orders/"+o.ID+path, "", in, &changed)
				return code, changed.Status
			}
			cancel := func(o heldOrder, token string) (code, status string) {
				t.Helper()
				return change(o, token, "/cancel", `mutation { cancelOrder(orderId: %q) { status } }`, nil)
			}
			toCash := func(o heldOrder, token string) (code, status string) {
				t.Helper()
				return change(o, token, "/payment-method",
					`mutation { setPaymentMethod(input: {orderId: %q, paymentMethod: cod}) { status } }`, map[string]any{"paymentMethod": "cod"})
			}
			first := b.place()
			if got := other.place(); got.Code != string(fault.CodeOutOfStock) {
				t.Errorf("another buyer: got %+v, want %s", got, fault.CodeOutOfStock)
			}
			if code, _ := cancel(first, first.OrderToken+"x"); code != string(fault.CodeUnauthenticated) {
				t.Errorf("cancel with a wrong token: got %q, want %s", code, fault.CodeUnauthenticated)
			}
			if code, status := cancel(first, first.OrderToken); code != "" || status != "cancelled" {
				t.Errorf("cancel: got %q, order %s; want cancelled", code, status)
			}
			second := other.place() // both are free
			if second.Code != "" {
				t.Fatalf("after cancelling: got %+v, want an order", second)
			}
			if code, _ := toCash(second, ""); code != string(fault.CodeNotFound) {
				t.Errorf("to cash without a token: got %q, want %s", code, fault.CodeNotFound)
			}
			if code, status := toCash(second, second.OrderToken); code != "" || status != "pending" {
				t.Errorf("to cash: got %q, order %s; want pending", code, status)
			}
			if got := b.place(); got.Code != string(fault.CodeOutOfStock) {
				t.Errorf("after changing to cash: got %+v, want %s", got, fault.CodeOutOfStock)
			}
			c.must("stock", "set", "demo", b.r.Demo.VariantID, "1")
			if got := b.place(); got.Code != string(fault.CodeCouponUsageLimit) {
				t.Errorf("the coupon of the cash order: got %+v, want %s", got, fault.CodeCouponUsageLimit)
			}
			var order struct{ Coupon *struct{ Code string } }
			c.json(&order, "order", "show", "demo", second.ID)
			if order.Coupon == nil || order.Coupon.Code != "ONCE" {
				t.Errorf("got coupon %+v, want ONCE with the cash order", order.Coupon)
			}
		})
	}
}
