package order_test

import (
	"fmt"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"storefront/shop"
	"storefront/shop/access"
	"storefront/shop/account"
	"storefront/shop/catalogue"
	"storefront/shop/fault"
	"storefront/shop/money"
	"storefront/shop/order"
	"storefront/shop/shoptest"
	"storefront/shop/status"
)

func TestPlaceOrder(t *testing.T) {
	t.Parallel()
	s := newOrderShop(t, nil)
	before := s.clock.Now()
	bought := s.mustPlace(t, access.Caller{}, guestOrder(wants(s.mug, 2), wantsVariant(s.shirt, 0, 1), wants(s.card, 1), wants(s.lamp, 3)))

	if !regexp.MustCompile(`^[0-9A-HJKMNP-TV-Z]{16}$`).MatchString(bought.InvoiceUID) || bought.ID != bought.InvoiceUID {
		t.Errorf("got invoice UID %q and ID %q", bought.InvoiceUID, bought.ID)
	}
	// 2 × 450 + 990.50 + 100 + 3 × 1200 = 5590.50; inside Dhaka 70; the total is rounded down to whole
	// taka.
	got := []int64{bought.Subtotal.Amount, bought.Discount.Amount, bought.DeliveryCharge.Amount, bought.Rounding.Amount, bought.Total.Amount}
	if diff := cmp.Diff([]int64{5590_50, 0, 70_00, 50, 5660_00}, got); diff != "" {
		t.Errorf("amounts (-want +got):\n%s", diff)
	}
	if bought.OrderNumber != 1001 || bought.Status != status.OrderPending || bought.PaymentStatus != status.PaymentUnpaid ||
		bought.FulfillmentStatus != status.Unfulfilled || bought.Test || bought.Replayed || !bought.PlacedAt.Equal(before) {
		t.Errorf("got order %+v", bought)
	}
	wantCustomer := order.Customer{Name: "Rahima Khatun", PhoneNumber: "+8801711223344", Email: new("rahima@example.com")}
	if diff := cmp.Diff(wantCustomer, bought.Customer); diff != "" {
		t.Errorf("customer (-want +got):\n%s", diff)
	}
	if bought.ShippingAddress.Country == nil || *bought.ShippingAddress.Country != "BD" {
		t.Errorf("got country %v", bought.ShippingAddress.Country)
	}
	want := []order.TimelineEntry{{At: before, Type: "placed", Message: "Order placed.", Cause: order.ByBuyer}}
	if diff := cmp.Diff(want, bought.Timeline); diff != "" {
		t.Errorf("timeline (-want +got):\n%s", diff)
	}
	first := bought.Items[0]
	if first.Title != "Mug" || first.VariantTitle != nil || first.SKU == nil || *first.SKU != "MUG-1" || first.ImageURL == nil ||
		first.Total.Amount != 900_00 {
		t.Errorf("got first item %+v", first)
	}
	if size := bought.Items[1].VariantTitle; size == nil || *size != "S" {
		t.Errorf("got variant title %v", size)
	}
	for i, want := range map[*catalogue.Product]int64{&s.mug: 8, &s.shirt: 4, &s.card: 0, &s.lamp: -2} {
		if n := s.stock(t, *i, 0); n != want {
			t.Errorf("stock of %s: got %d, want %d", i.Title, n, want)
		}
	}
	s.checkBooks(t)

	found, err := s.Orders.FindOrder(t.Context(), access.Caller{OrderToken: bought.OrderToken}, bought.InvoiceUID)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(bought.Order, *found); diff != "" {
		t.Errorf("order (-placed +found):\n%s", diff)
	}
	if next := s.mustPlace(t, access.Caller{}, guestOrder(wants(s.mug, 1))); next.OrderNumber != 1002 {
		t.Errorf("got next order number %d, want 1002", next.OrderNumber)
	}
}

func TestPlaceOrder_Settings(t *testing.T) {
	t.Parallel()
	t.Run("autoConfirm", func(t *testing.T) {
		t.Parallel()
		s := newOrderShop(t, map[string]any{"autoConfirm": true, "activeMode": "sandbox"})
		order := s.mustPlace(t, access.Caller{}, guestOrder(wants(s.mug, 1)))
		if order.Status != status.OrderConfirmed || !order.Test || len(order.Timeline) != 2 || order.Timeline[1].Type != "confirmed" {
			t.Errorf("got order %+v", order)
		}
	})
	t.Run("nothing to pay", func(t *testing.T) {
		t.Parallel()
		s := newOrderShop(t, map[string]any{"deliveryCharges": []any{}})
		s.mustSaveCoupon(t, order.CouponSpec{Code: "ALL", Kind: order.CouponPercentage, BasisPoints: new(int64(10_000))})
		in := guestOrder(wants(s.mug, 1))
		in.CouponCode = new("all")
		order := s.mustPlace(t, access.Caller{}, in)
		if order.Total.Amount != 0 || order.PaymentStatus != status.PaymentPaid || order.Payment.Status != status.PaymentPaid ||
			order.Status != status.OrderPending {
			t.Errorf("got order %+v", order)
		}
		if order.Coupon == nil || order.Coupon.Code != "ALL" || order.Coupon.Discount.Amount != 450_00 {
			t.Errorf("got coupon %+v", order.Coupon)
		}
	})
	t.Run("three decimals", func(t *testing.T) {
		t.Parallel()
		s := newOrderShop(t, map[string]any{"currency": "KWD", "deliveryCharges": []any{}})
		order := s.mustPlace(t, access.Caller{}, guestOrder(wants(s.mug, 1)))
		if order.Total.Amount != 45_000 || order.Rounding.Amount != 0 || order.Total.Formatted != "KWD 45.000" {
			t.Errorf("got total %+v and rounding %+v", order.Total, order.Rounding)
		}
	})
}

func TestPlaceOrder_SignedIn(t *testing.T) {
	t.Parallel()
	s := newOrderShop(t, nil)
	caller := s.mustRegister(t, account.RegisterInput{Name: "Karim Uddin", Email: new("karim@example.com"), PhoneNumber: new("01811000000")})
	in := guestOrder(wants(s.mug, 1))
	in.Customer = nil
	bought := s.mustPlace(t, caller, in)
	want := order.Customer{Name: "Karim Uddin", PhoneNumber: "+8801811000000", Email: new("karim@example.com")}
	if diff := cmp.Diff(want, bought.Customer); diff != "" {
		t.Errorf("customer from the account (-want +got):\n%s", diff)
	}
	if !bought.Cancellable || bought.CancelBlocked != nil {
		t.Errorf("owner cannot cancel the order: got %v", bought.CancelBlocked)
	}

	in.Customer = &order.CustomerInput{PhoneNumber: new("01911000000")}
	if bought = s.mustPlace(t, caller, in); bought.Customer.PhoneNumber != "+8801911000000" || bought.Customer.Name != "Karim Uddin" {
		t.Errorf("with another phone: got %+v", bought.Customer)
	}

	in.ShippingAddress = nil
	if _, err := s.Orders.PlaceOrder(t.Context(), caller, in, ""); shoptest.ErrorCode(err) != fault.CodeValidationFailed ||
		fieldsOf(err)[0] != "shippingAddress: required" {
		t.Errorf("without an address: got %v, want shippingAddress: required", err)
	}
	s.exec(t, `
		INSERT INTO addresses (id, customer_id, position, line1, line2, area, city, postcode, country)
		SELECT 'a1', id, 1, 'House 1', '', '', 'Sylhet', '', 'BD'
		FROM customers`)
	if bought = s.mustPlace(t, caller, in); bought.ShippingAddress.City != "Sylhet" || bought.DeliveryCharge.Amount != 130_00 {
		t.Errorf("got default address %+v and delivery charge %+v", bought.ShippingAddress, bought.DeliveryCharge)
	}

	nameless := s.mustRegister(t, account.RegisterInput{Name: "No Phone", Email: new("nophone@example.com")})
	in.Customer = nil
	if _, err := s.Orders.PlaceOrder(t.Context(), nameless, guestOrderOf(in, s.mug), ""); shoptest.ErrorCode(err) != fault.CodePhoneRequired {
		t.Errorf("account without a phone: got %v, want phone_required", err)
	}
}

// guestOrderOf returns an order with a shipping address and without customer data.
func guestOrderOf(in order.Input, p catalogue.Product) order.Input {
	in.ShippingAddress = guestOrder(wants(p, 1)).ShippingAddress
	return in
}

func TestPlaceOrder_InvalidInput(t *testing.T) {
	t.Parallel()
	s := newOrderShop(t, nil)
	hidden := s.sell(t, catalogue.ProductInput{Title: "Hidden", Status: catalogue.ProductDraft, Variants: []catalogue.VariantInput{{Price: 1}}})
	for name, tc := range map[string]struct {
		caller access.Caller
		change func(*order.Input)
		code   fault.Code
		fields []string
	}{
		"no items": {change: func(in *order.Input) { in.Items = nil }, code: fault.CodeValidationFailed, fields: []string{"items: required"}},
		"too many lines": {change: func(in *order.Input) { in.Items = make([]order.ItemInput, 101) },
			code: fault.CodeValidationFailed, fields: []string{"items: invalid_value"}},
		"no quantity": {change: func(in *order.Input) { in.Items[0].Quantity = 0 },
			code: fault.CodeValidationFailed, fields: []string{"items[0].quantity: invalid_value"}},
		"negative quantity": {change: func(in *order.Input) { in.Items[0].Quantity = -1 },
			code: fault.CodeValidationFailed, fields: []string{"items[0].quantity: invalid_value"}},
		"huge quantity": {change: func(in *order.Input) { in.Items[0].Quantity = 1 << 40 },
			code: fault.CodeValidationFailed, fields: []string{"items[0].quantity: invalid_value"}},
		"no product": {change: func(in *order.Input) { in.Items[0].ProductID = "" },
			code: fault.CodeValidationFailed, fields: []string{"items[0].productId: required"}},
		"unknown product": {change: func(in *order.Input) { in.Items[0].ProductID = "nope" },
			code: fault.CodeValidationFailed, fields: []string{"items[0].productId: invalid_value"}},
		"draft product": {change: func(in *order.Input) { in.Items = append(in.Items, wants(hidden, 1)) },
			code: fault.CodeValidationFailed, fields: []string{"items[1].productId: invalid_value"}},
		"another's variant": {change: func(in *order.Input) { in.Items[0].VariantID = &s.shirt.Variants[0].ID },
			code: fault.CodeValidationFailed, fields: []string{"items[0].variantId: invalid_value"}},
		"no variant": {change: func(in *order.Input) { in.Items[0] = wants(s.shirt, 1) },
			code: fault.CodeValidationFailed, fields: []string{"items[0].variantId: required"}},
		"no phone": {change: func(in *order.Input) { in.Customer.PhoneNumber = nil },
			code: fault.CodePhoneRequired, fields: []string{"customer.phoneNumber: phone_required"}},
		"no customer": {change: func(in *order.Input) { in.Customer = nil },
			code: fault.CodePhoneRequired, fields: []string{"customer.phoneNumber: phone_required", "customer.name: required"}},
		"not a phone": {change: func(in *order.Input) { in.Customer.PhoneNumber = new("call me") },
			code: fault.CodeValidationFailed, fields: []string{"customer.phoneNumber: invalid_value"}},
		"not an email": {change: func(in *order.Input) { in.Customer.Email = new("me@") },
			code: fault.CodeValidationFailed, fields: []string{"customer.email: invalid_value"}},
		"no name": {change: func(in *order.Input) { in.Customer.Name = new(" ") },
			code: fault.CodeValidationFailed, fields: []string{"customer.name: required"}},
		"no address": {change: func(in *order.Input) { in.ShippingAddress = nil },
			code: fault.CodeValidationFailed, fields: []string{"shippingAddress: required"}},
		"empty address": {change: func(in *order.Input) { in.ShippingAddress = &account.Address{} },
			code: fault.CodeValidationFailed, fields: []string{"shippingAddress.line1: required", "shippingAddress.city: required"}},
		"country name": {change: func(in *order.Input) { in.ShippingAddress.Country = new("Bangladesh") },
			code: fault.CodeValidationFailed, fields: []string{"shippingAddress.country: invalid_value"}},
		"long line": {change: func(in *order.Input) { in.ShippingAddress.Line1 = strings.Repeat("ঢ", 201) },
			code: fault.CodeValidationFailed, fields: []string{"shippingAddress.line1: invalid_value"}},
		"long note": {change: func(in *order.Input) { in.Note = new(strings.Repeat("x", 1001)) },
			code: fault.CodeValidationFailed, fields: []string{"note: invalid_value"}},
		"escape in the note": {change: func(in *order.Input) { in.Note = new("\x1b[31m") },
			code: fault.CodeValidationFailed, fields: []string{"note: invalid_value"}},
		"unknown method": {change: func(in *order.Input) { in.PaymentMethod = new(status.PaymentMethod("barter")) },
			code: fault.CodeValidationFailed, fields: []string{"paymentMethod: invalid_value"}},
		"method not set up": {change: func(in *order.Input) { in.PaymentMethod = new(status.PayGatewayA) },
			code: fault.CodePaymentMethodUnavailable, fields: []string{"paymentMethod: payment_method_unavailable"}},
		"unknown delivery": {change: func(in *order.Input) { in.DeliveryChargeID = new("moon") },
			code: fault.CodeDeliveryRequired, fields: []string{"deliveryChargeId: delivery_charge_required"}},
		"negative total": {change: func(in *order.Input) { in.ExpectedTotal = new(int64(-1)) },
			code: fault.CodeValidationFailed, fields: []string{"expectedTotal: invalid_value"}},
		"a lower total": {change: func(in *order.Input) { in.ExpectedTotal = new(int64(519_99)) },
			code: fault.CodePriceChanged, fields: []string{"expectedTotal: price_changed"}},
		"a higher total": {change: func(in *order.Input) { in.ExpectedTotal = new(int64(520_01)) },
			code: fault.CodePriceChanged, fields: []string{"expectedTotal: price_changed"}},
		"unknown coupon": {change: func(in *order.Input) { in.CouponCode = new("NOPE") },
			code: fault.CodeCouponNotFound, fields: []string{"couponCode: coupon_not_found"}},
		"out of stock": {change: func(in *order.Input) { in.Items[0].Quantity = 11 },
			code: fault.CodeOutOfStock, fields: []string{"items[0].quantity: out_of_stock"}},
		"bad token": {caller: access.Caller{Bearer: "x.y.z"}, change: func(*order.Input) {}, code: fault.CodeTokenInvalid, fields: []string{}},
		"not a Bearer": {caller: access.Caller{BadAuthorization: true}, change: func(*order.Input) {},
			code: fault.CodeTokenInvalid, fields: []string{}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			in := guestOrder(wants(s.mug, 1))
			tc.change(&in)
			_, err := s.Orders.PlaceOrder(t.Context(), tc.caller, in, "key-"+strings.ReplaceAll(name, " ", "-"))
			if shoptest.ErrorCode(err) != tc.code {
				t.Fatalf("got %v, want %s", err, tc.code)
			}
			if diff := cmp.Diff(tc.fields, fieldsOf(err)); diff != "" {
				t.Error(diff)
			}
		})
	}
	t.Cleanup(func() {
		if n := s.number(t, `SELECT (SELECT COUNT(*) FROM orders) + (SELECT COUNT(*) FROM idempotency_keys) +
			(SELECT COUNT(*) FROM counters WHERE name = 'order')`); n != 0 {
			t.Errorf("got %d rows after rejected orders, want none", n)
		}
		s.checkBooks(t)
	})
}

func TestPlaceOrder_ErrorDetails(t *testing.T) {
	t.Parallel()
	s := newOrderShop(t, nil)
	t.Run("all lines out of stock", func(t *testing.T) {
		t.Parallel()
		in := guestOrder(wants(s.mug, 6), wantsVariant(s.shirt, 1, 1), wantsVariant(s.shirt, 0, 5), wants(s.mug, 5))
		_, err := s.Orders.PlaceOrder(t.Context(), access.Caller{}, in, "")
		want := []order.Shortage{
			{Item: 0, ProductID: s.mug.ID, VariantID: s.mug.Variants[0].ID, Requested: 11, AvailableQuantity: 10},
			{Item: 1, ProductID: s.shirt.ID, VariantID: s.shirt.Variants[1].ID, Requested: 1, AvailableQuantity: 0},
		}
		if diff := cmp.Diff(want, shop.AsError(err).Details["items"]); shoptest.ErrorCode(err) != fault.CodeOutOfStock || diff != "" {
			t.Errorf("got %v, want out_of_stock; details (-want +got):\n%s", err, diff)
		}
	})
	t.Run("new total", func(t *testing.T) {
		t.Parallel()
		in := guestOrder(wants(s.card, 1))
		in.ExpectedTotal = new(int64(1))
		_, err := s.Orders.PlaceOrder(t.Context(), access.Caller{}, in, "")
		details := shop.AsError(err).Details
		if details["total"].(money.Money).Amount != 170_00 || details["deliveryCharge"].(money.Money).Amount != 70_00 {
			t.Errorf("got details %v", details)
		}
		in.ExpectedTotal = new(int64(170_00))
		if order := s.mustPlace(t, access.Caller{}, in); order.Total.Amount != 170_00 {
			t.Errorf("got total %+v, want the expected one", order.Total)
		}
	})
	t.Run("lines of one variant merged", func(t *testing.T) {
		t.Parallel()
		order := s.mustPlace(t, access.Caller{}, guestOrder(wants(s.card, 1), wants(s.lamp, 1), wantsVariant(s.card, 0, 2)))
		if len(order.Items) != 2 || order.Items[0].Quantity != 3 || order.Items[1].Quantity != 1 {
			t.Errorf("got items %+v, want one line", order.Items)
		}
	})
}

// TestPlaceOrder_ConcurrentLastUnits places 200 concurrent orders for 10 mugs.
func TestPlaceOrder_ConcurrentLastUnits(t *testing.T) {
	t.Parallel()
	s := newOrderShop(t, nil)
	counts := raceOrders(t, 200, func(i int) fault.Code {
		_, err := s.Orders.PlaceOrder(t.Context(), access.Caller{}, guestOrder(wants(s.mug, 1)), "")
		return shoptest.ErrorCode(err)
	})
	if diff := cmp.Diff(map[fault.Code]int{"": 10, fault.CodeOutOfStock: 190}, counts); diff != "" {
		t.Error(diff)
	}
	if left := s.stock(t, s.mug, 0); left != 0 {
		t.Errorf("got stock %d, want 0", left)
	}
	s.checkBooks(t)
}

// raceOrders runs fn n times concurrently and counts the error codes.
func raceOrders(t *testing.T, n int, fn func(i int) fault.Code) map[fault.Code]int {
	t.Helper()
	var mu sync.Mutex
	counts := map[fault.Code]int{}
	var all sync.WaitGroup
	start := make(chan struct{})
	for i := range n {
		all.Go(func() {
			<-start
			code := fn(i)
			mu.Lock()
			defer mu.Unlock()
			counts[code]++
		})
	}
	close(start)
	all.Wait()
	return counts
}

func TestPlaceOrder_IdempotencyKey(t *testing.T) {
	t.Parallel()
	s := newOrderShop(t, nil)
	in := guestOrder(wants(s.mug, 1))

	t.Run("50 concurrent requests create one order", func(t *testing.T) {
		t.Parallel()
		answers := make([]*order.Placed, 50)
		counts := raceOrders(t, len(answers), func(i int) fault.Code {
			var err error
			answers[i], err = s.Orders.PlaceOrder(t.Context(), access.Caller{}, in, "same-key")
			return shoptest.ErrorCode(err)
		})
		if counts[""] != len(answers) {
			t.Fatalf("got results %v", counts)
		}
		fresh := 0
		for _, answer := range answers {
			if !answer.Replayed {
				fresh++
			}
			if diff := cmp.Diff(answers[0].Order, answer.Order); diff != "" || answer.OrderToken != answers[0].OrderToken {
				t.Fatalf("got order token %s, want %s; order (-first +replayed):\n%s", answer.OrderToken, answers[0].OrderToken, diff)
			}
		}
		if fresh != 1 {
			t.Errorf("got %d responses that are not replayed, want 1", fresh)
		}
	})
	t.Run("other input", func(t *testing.T) {
		t.Parallel()
		place := func(in order.Input) error {
			_, err := s.Orders.PlaceOrder(t.Context(), access.Caller{}, in, "reused")
			return err
		}
		if err := place(in); err != nil {
			t.Fatal(err)
		}
		other := guestOrder(wants(s.mug, 2))
		if err := place(other); shoptest.ErrorCode(err) != fault.CodeIdempotencyKeyReused {
			t.Errorf("other items: got %v, want idempotency_key_reused", err)
		}
		other = guestOrder(wants(s.mug, 1))
		other.PaymentMethod = new(status.PayCOD)
		if err := place(other); err != nil {
			t.Errorf("explicit default payment method: got %v, want no error", err)
		}
		other.Customer.PhoneNumber = new("01711-999999")
		if err := place(other); err != nil {
			t.Errorf("another phone: got %v, want a separate scope", err)
		}
	})
	t.Run("accounts have their own scope", func(t *testing.T) {
		t.Parallel()
		caller := s.mustRegister(t, account.RegisterInput{Name: "Karim", PhoneNumber: new("01711223344")})
		one, err1 := s.Orders.PlaceOrder(t.Context(), access.Caller{}, in, "mine")
		two, err2 := s.Orders.PlaceOrder(t.Context(), caller, in, "mine")
		if err1 != nil || err2 != nil || one.ID == two.ID {
			t.Errorf("got errors %v, %v and orders %s, %s; want two orders", err1, err2, one.ID, two.ID)
		}
	})
	t.Run("errors are not stored", func(t *testing.T) {
		t.Parallel()
		bad := in
		bad.ExpectedTotal = new(int64(1))
		if _, err := s.Orders.PlaceOrder(t.Context(), access.Caller{}, bad, "retried"); shoptest.ErrorCode(err) != fault.CodePriceChanged {
			t.Fatal(err)
		}
		if order, err := s.Orders.PlaceOrder(t.Context(), access.Caller{}, in, "retried"); err != nil || order.Replayed {
			t.Errorf("after an error: got %+v, %v; want a new order", order, err)
		}
	})
	for name, key := range map[string]string{"a space": "a b", "too long": strings.Repeat("k", 256), "not ASCII": "চাবি",
		"a line break": "a\n"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if _, err := s.Orders.PlaceOrder(t.Context(), access.Caller{}, in, key); shoptest.ErrorCode(err) != fault.CodeValidationFailed ||
				fieldsOf(err)[0] != "idempotencyKey: invalid_value" {
				t.Errorf("got %v", err)
			}
		})
	}
}

func TestPlaceOrder_IdempotencyKeyExpiry(t *testing.T) {
	t.Parallel()
	s := newOrderShop(t, nil)
	place := func(key string) *order.Placed {
		order, err := s.Orders.PlaceOrder(t.Context(), access.Caller{}, guestOrder(wants(s.card, 1)), key)
		if err != nil {
			t.Fatal(err)
		}
		return order
	}
	for i := range 20 { // more keys than one order deletes
		place(fmt.Sprint("rush-", i))
	}
	first := place("daily")
	s.clock.Advance(24*time.Hour - time.Millisecond)
	if again := place("daily"); again.ID != first.ID || !again.Replayed {
		t.Errorf("within the day: got order %s, want a replay of %s", again.ID, first.ID)
	}
	s.clock.Advance(time.Millisecond)
	next := place("daily")
	if next.ID == first.ID || next.Replayed {
		t.Errorf("after the day: got order %s again, want a new one", next.ID)
	}
	if n := s.number(t, `SELECT COUNT(*) FROM idempotency_keys`); n < 5 {
		t.Errorf("got %d keys after one order, want at least 5: keys are deleted in batches", n)
	}
	if again := place("daily"); again.ID != next.ID || !again.Replayed {
		t.Errorf("within the next day: got order %s, want a replay of %s", again.ID, next.ID)
	}
	place("another")
	if n := s.number(t, `SELECT COUNT(*) FROM idempotency_keys`); n != 2 {
		t.Errorf("got %d stored keys, want 2", n)
	}
}
