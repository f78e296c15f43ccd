package order_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"storefront/shop/access"
	"storefront/shop/account"
	"storefront/shop/catalogue"
	"storefront/shop/fault"
	"storefront/shop/order"
	"storefront/shop/page"
	"storefront/shop/shoptest"
	"storefront/shop/staff"
	"storefront/shop/status"
)

func TestQuoteOrder(t *testing.T) {
	t.Parallel()
	s := newOrderShop(t, nil)
	s.mustSaveCoupon(t, order.CouponSpec{Code: "Ten", Kind: order.CouponPercentage, BasisPoints: new(int64(1000))})
	in := guestOrder(wants(s.mug, 3), wantsVariant(s.shirt, 0, 1))
	in.CouponCode = new("ten")
	quote, err := s.Orders.QuoteOrder(t.Context(), access.Caller{}, in)
	if err != nil {
		t.Fatal(err)
	}
	bought := s.mustPlace(t, access.Caller{}, in)
	asQuote := order.Quote{
		Items: bought.Items, Subtotal: bought.Subtotal, Discount: bought.Discount, DeliveryCharge: bought.DeliveryCharge,
		QuantityDiscount: bought.QuantityDiscount, Discounts: bought.Discounts,
		Rounding: bought.Rounding, Total: bought.Total, Coupon: bought.Coupon, Delivery: quote.Delivery, DeliveryOptions: quote.DeliveryOptions,
	}
	if diff := cmp.Diff(asQuote, *quote); diff != "" {
		t.Errorf("amounts (-order +quote):\n%s", diff)
	}
	if quote.Delivery == nil || quote.Delivery.ID != "inside-dhaka" || len(quote.DeliveryOptions) != 2 {
		t.Errorf("got delivery %+v of options %+v", quote.Delivery, quote.DeliveryOptions)
	}
	if n := s.number(t, `SELECT COUNT(*) FROM orders`); n != 1 {
		t.Errorf("got %d orders, want none", n)
	}

	early := order.Input{Items: []order.ItemInput{wants(s.mug, 1)}, DeliveryChargeID: new("outside-dhaka")}
	if quote, err = s.Orders.QuoteOrder(t.Context(), access.Caller{}, early); err != nil || quote.Total.Amount != 580_00 {
		t.Errorf("without name and address: got %+v, %v", quote, err)
	}
	early.Items[0].Quantity = 11
	if _, err = s.Orders.QuoteOrder(t.Context(), access.Caller{}, early); shoptest.ErrorCode(err) != fault.CodeOutOfStock {
		t.Errorf("more than the stock: got %v, want out_of_stock", err)
	}
	if _, err = s.Orders.QuoteOrder(t.Context(), access.Caller{Bearer: "x"}, in); shoptest.ErrorCode(err) != fault.CodeTokenInvalid {
		t.Errorf("bad token: got %v, want token_invalid", err)
	}
}

// TestFindOrder_Masked searches the whole response for personal data.
func TestFindOrder_Masked(t *testing.T) {
	t.Parallel()
	s := newOrderShop(t, nil)
	s.mustSaveCoupon(t, order.CouponSpec{Code: "RAHIMA-30", Kind: order.CouponFixed, Amount: new(int64(30_00))})
	owner := s.mustRegister(t, account.RegisterInput{Name: "Rahima Khatun", PhoneNumber: new("01711223344")})
	stranger := s.mustRegister(t, account.RegisterInput{Name: "Stranger", PhoneNumber: new("01811000000")})
	in := guestOrder(wants(s.mug, 1))
	in.CouponCode = new("RAHIMA-30")
	order := s.mustPlace(t, owner, in)
	other := s.mustPlace(t, access.Caller{}, guestOrder(wants(s.mug, 1)))

	for name, tc := range map[string]struct {
		caller access.Caller
		masked bool
	}{
		"no customer":           {access.Caller{}, true},
		"another account":       {stranger, true},
		"a bad Bearer":          {access.Caller{Bearer: "x.y.z"}, true},
		"not a Bearer":          {access.Caller{BadAuthorization: true}, true},
		"a wrong order token":   {access.Caller{OrderToken: strings.Repeat("A", 43)}, true},
		"another order's token": {access.Caller{OrderToken: other.OrderToken}, true},
		"its owner":             {owner, false},
		"its order token":       {access.Caller{OrderToken: order.OrderToken}, false},
		"token and bad Bearer":  {access.Caller{OrderToken: order.OrderToken, Bearer: "x.y.z"}, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			found, err := s.Orders.FindOrder(t.Context(), tc.caller, order.InvoiceUID)
			if err != nil {
				t.Fatal(err)
			}
			if !tc.masked {
				if diff := cmp.Diff(order.Order, *found); diff != "" {
					t.Errorf("order (-placed +found):\n%s", diff)
				}
				return
			}
			text, err := json.Marshal(found)
			if err != nil {
				t.Fatal(err)
			}
			for _, secret := range []string{"ahima", "Khatun", "1711", "2233", "example.com", "House", "Flat", "Mirpur", "1216", "Ring", "RAHIMA-30",
				order.OrderToken} {
				if strings.Contains(string(text), secret) {
					t.Errorf("found %q in %s", secret, text)
				}
			}
			if found.Customer.Name != "R***" || found.Customer.PhoneNumber != "***44" || found.ShippingAddress.City != "Dhaka" ||
				found.Total != order.Total || found.Items[0].Title != "Mug" || len(found.Timeline) != 1 || found.Cancellable {
				t.Errorf("got masked order %s", text)
			}
		})
	}
}

func TestFindOrder_NotFound(t *testing.T) {
	t.Parallel()
	s := newOrderShop(t, nil)
	order := s.mustPlace(t, access.Caller{}, guestOrder(wants(s.mug, 1)))
	for _, uid := range []string{"", "0000000000000000", "' OR 1=1 --", strings.Repeat("0", 10_000), order.InvoiceUID + "0",
		"অআইঈউঊঋএঐওঔকখগঘঙ"} {
		if _, err := s.Orders.FindOrder(t.Context(), access.Caller{}, uid); shoptest.ErrorCode(err) != fault.CodeNotFound {
			t.Errorf("%.20q: got %v, want not_found", uid, err)
		}
	}
	typed := strings.ToLower(order.InvoiceUID[:8] + "-" + order.InvoiceUID[8:])
	if found, err := s.Orders.FindOrder(t.Context(), access.Caller{}, typed); err != nil || found.ID != order.ID {
		t.Errorf("invoice UID as typed by a buyer: got %v", err)
	}
	if found, err := s.Orders.FindOrderAsStaff(t.Context(), access.Operator(), order.InvoiceUID); err != nil || found.Customer.Name != "Rahima Khatun" {
		t.Errorf("for staff: got %+v, %v", found, err)
	}
}

// TestFindOrder_OtherShop uses an order and token of one shop at another.
func TestFindOrder_OtherShop(t *testing.T) {
	t.Parallel()
	s := newOrderShop(t, nil)
	order := s.mustPlace(t, access.Caller{}, guestOrder(wants(s.mug, 1)))
	other := &orderShop{
		Stocked: &shoptest.Stocked{Shop: shoptest.New(t, &shoptest.Options{UID: "other", Store: s.store, Clock: s.clock})},
		store:   s.store, clock: s.clock,
	}
	if _, err := other.Orders.FindOrder(t.Context(), access.Caller{OrderToken: order.OrderToken},
		order.InvoiceUID); shoptest.ErrorCode(err) != fault.CodeNotFound {
		t.Errorf("at another shop: got %v, want not_found", err)
	}
	// The token is rejected even if the file contains the other shop's order.
	copied := other.mustPlace(t, access.Caller{}, guestOrder(wants(other.sell(t, catalogue.ProductInput{Title: "Mug",
		Variants: []catalogue.VariantInput{{Price: 1_00}}}), 1)))
	other.exec(t, `DELETE FROM order_events`)
	other.exec(t, `DELETE FROM order_items`)
	other.exec(t, `UPDATE orders SET id = ?`, order.InvoiceUID)
	found, err := other.Orders.FindOrder(t.Context(), access.Caller{OrderToken: order.OrderToken}, order.InvoiceUID)
	if err != nil || found.Customer.Name != "R***" {
		t.Errorf("with another shop's token: got %+v, %v; want a masked order", found, err)
	}
	if order.OrderToken == copied.OrderToken {
		t.Error("got the same token at two shops")
	}
}

func TestListMyOrders(t *testing.T) {
	t.Parallel()
	s := newOrderShop(t, nil)
	caller := s.mustRegister(t, account.RegisterInput{Name: "Karim", PhoneNumber: new("01811000000")})
	stranger := s.mustRegister(t, account.RegisterInput{Name: "Stranger", PhoneNumber: new("01911000000")})
	var placed []string
	for i := range 25 {
		if i%3 == 0 { // several orders per millisecond
			s.clock.Advance(time.Millisecond)
		}
		placed = append(placed, s.mustPlace(t, caller, guestOrder(wants(s.card, 1))).ID)
		s.mustPlace(t, access.Caller{}, guestOrder(wants(s.card, 1)))
	}
	find := func(caller access.Caller, number, limit *int) *page.Page[order.Order] {
		t.Helper()
		got, err := s.Orders.ListMyOrders(t.Context(), caller, order.Filter{Request: page.Request{Page: number, Limit: limit}})
		if err != nil {
			t.Fatal(err)
		}
		return got
	}
	var walked []string
	for number := 1; number <= 4; number++ {
		got := find(caller, &number, new(7))
		want := page.Meta{TotalCount: 25, CurrentPage: number, HasNextPage: number < 4, TotalPages: 4}
		if got.Meta != want {
			t.Errorf("page %d: got %+v", number, got.Meta)
		}
		for _, order := range got.Nodes {
			walked = append(walked, order.ID)
			if order.Customer.Name != "Rahima Khatun" || len(order.Items) != 1 || len(order.Timeline) != 1 || !order.Cancellable {
				t.Fatalf("got %+v, want a full order", order)
			}
		}
	}
	if diff := cmp.Diff(slices.Sorted(slices.Values(placed)), slices.Sorted(slices.Values(walked))); diff != "" {
		t.Errorf("orders (-placed +pages):\n%s", diff)
	}
	all := find(caller, nil, new(page.NoLimit))
	if want := (page.Meta{TotalCount: 25, CurrentPage: 1, TotalPages: 1}); all.Meta != want || len(all.Nodes) != 25 {
		t.Errorf("one page: got %+v and %d nodes", all.Meta, len(all.Nodes))
	}
	if !slices.IsSortedFunc(all.Nodes, func(a, b order.Order) int { return b.PlacedAt.Compare(a.PlacedAt) }) {
		t.Error("orders are not sorted by newest first")
	}
	if got := find(caller, new(99), nil); len(got.Nodes) != 0 || got.Meta.TotalCount != 25 {
		t.Errorf("page past the end: got %+v, want no nodes", got)
	}
	if got := find(stranger, nil, nil); got.Meta.TotalCount != 0 || got.Nodes == nil {
		t.Errorf("another account: got %+v, want no orders", got)
	}
	for code, tc := range map[fault.Code]struct {
		caller access.Caller
		limit  int
	}{
		fault.CodeUnauthenticated:  {access.Caller{}, 1},
		fault.CodeTokenInvalid:     {access.Caller{Bearer: "x"}, 1},
		fault.CodeValidationFailed: {caller, 101},
	} {
		if _, err := s.Orders.ListMyOrders(
			t.Context(), tc.caller, order.Filter{Request: page.Request{Limit: &tc.limit}},
		); shoptest.ErrorCode(err) != code {
			t.Errorf("got %v, want %s", err, code)
		}
	}
}

// A buyer's history has the orders that the filter selects, and never another buyer's.
func TestListMyOrders_Filter(t *testing.T) {
	t.Parallel()
	s := newOrderShop(t, nil)
	caller := s.mustRegister(t, account.RegisterInput{Name: "Karim", PhoneNumber: new("01811000000")})
	stranger := s.mustRegister(t, account.RegisterInput{Name: "Stranger", PhoneNumber: new("01911000000")})
	place := func(caller access.Caller, items ...order.ItemInput) *order.Placed {
		s.clock.Advance(time.Hour)
		return s.mustPlace(t, caller, guestOrder(items...))
	}
	mug, shirt := place(caller, wants(s.mug, 1)), place(caller, wantsVariant(s.shirt, 0, 1), wants(s.card, 1))
	lamp, other := place(caller, wants(s.lamp, 1)), place(stranger, wants(s.mug, 1))
	if _, err := s.Orders.CancelOrder(t.Context(), caller, mug.ID, ""); err != nil {
		t.Fatal(err)
	}
	title := strings.Fields(shirt.Items[0].Title)[0]
	for name, tc := range map[string]struct {
		filter order.Filter
		want   []*order.Placed
	}{
		"status":         {order.Filter{Status: []status.Order{status.OrderPending}}, []*order.Placed{lamp, shirt}},
		"two statuses":   {order.Filter{Status: []status.Order{status.OrderPending, status.OrderCancelled}}, []*order.Placed{lamp, shirt, mug}},
		"payment":        {order.Filter{PaymentStatus: []status.Payment{status.PaymentPaid}}, nil},
		"fulfilment":     {order.Filter{FulfillmentStatus: []status.Fulfillment{lamp.FulfillmentStatus}}, []*order.Placed{lamp, shirt, mug}},
		"from":           {order.Filter{PlacedFrom: shirt.PlacedAt}, []*order.Placed{lamp, shirt}},
		"before":         {order.Filter{PlacedBefore: shirt.PlacedAt}, []*order.Placed{mug}},
		"oldest first":   {order.Filter{Sort: page.Ascending}, []*order.Placed{mug, shirt, lamp}},
		"by total":       {order.Filter{SortBy: order.CustomerSortTotal, Sort: page.Ascending}, []*order.Placed{mug, shirt, lamp}},
		"a word":         {order.Filter{Search: strings.ToUpper(title)}, []*order.Placed{shirt}},
		"a variant":      {order.Filter{Search: title + " s"}, []*order.Placed{shirt}},
		"two words":      {order.Filter{Search: title + " " + s.card.Title}, []*order.Placed{shirt}},
		"one of two":     {order.Filter{Search: title + " zebra"}, nil},
		"a number":       {order.Filter{Search: fmt.Sprintf("#%d", shirt.OrderNumber)}, []*order.Placed{shirt}},
		"an invoice UID": {order.Filter{Search: lamp.ID}, []*order.Placed{lamp}},
		"another's":      {order.Filter{Search: other.ID}, nil},
		"a pattern":      {order.Filter{Search: "%"}, nil},
		"all at once":    {order.Filter{Search: title, Status: []status.Order{status.OrderPending}, PlacedFrom: mug.PlacedAt}, []*order.Placed{shirt}},
	} {
		t.Run(name, func(t *testing.T) {
			found, err := s.Orders.ListMyOrders(t.Context(), caller, tc.filter)
			if err != nil {
				t.Fatal(err)
			}
			var got, want []string
			for _, o := range found.Nodes {
				got = append(got, o.ID)
			}
			for _, o := range tc.want {
				want = append(want, o.ID)
			}
			if !slices.Equal(got, want) || found.Meta.TotalCount != len(want) {
				t.Errorf("got %v of %d, want %v", got, found.Meta.TotalCount, want)
			}
		})
	}
	for field, filter := range map[string]order.Filter{
		"status": {Status: []status.Order{"lost"}}, "paymentStatus": {PaymentStatus: []status.Payment{"lost"}},
		"fulfillmentStatus": {FulfillmentStatus: []status.Fulfillment{"lost"}}, "sortBy": {SortBy: "callDue"},
	} {
		_, err := s.Orders.ListMyOrders(t.Context(), caller, filter)
		if e := shoptest.WantCode(t, err, fault.CodeValidationFailed); !strings.HasPrefix(e.Fields[0].Field, field) {
			t.Errorf("got the field %s, want %s", e.Fields[0].Field, field)
		}
	}
}

func TestListOrders(t *testing.T) {
	t.Parallel()
	s := newOrderShop(t, nil)
	first := s.mustPlace(t, access.Caller{}, guestOrder(wants(s.card, 1)))
	s.clock.Advance(time.Hour)
	second := s.mustPlace(t, access.Caller{}, guestOrder(wants(s.card, 1)))
	if _, err := s.Orders.CancelOrder(t.Context(), access.Caller{Operator: true}, second.ID, ""); err != nil {
		t.Fatal(err)
	}
	for name, tc := range map[string]struct {
		filter order.ListFilter
		want   []string
	}{
		"all":       {order.ListFilter{}, []string{second.ID, first.ID}},
		"pending":   {order.ListFilter{Status: []status.Order{status.OrderPending}}, []string{first.ID}},
		"cancelled": {order.ListFilter{Status: []status.Order{status.OrderCancelled}}, []string{second.ID}},
		"from":      {order.ListFilter{PlacedFrom: second.PlacedAt}, []string{second.ID}},
		"before":    {order.ListFilter{PlacedBefore: second.PlacedAt}, []string{first.ID}},
		"none":      {order.ListFilter{Status: []status.Order{status.OrderExpired}, PlacedFrom: first.PlacedAt}, []string{}},
	} {
		list, err := s.Orders.ListOrders(t.Context(), access.Operator(), tc.filter)
		if err != nil {
			t.Fatal(err)
		}
		ids := []string{}
		for _, order := range list.Nodes {
			ids = append(ids, order.ID)
			if order.Customer.PhoneNumber != "+8801711223344" {
				t.Errorf("%s: got %+v, want an unmasked customer for staff", name, order.Customer)
			}
		}
		if diff := cmp.Diff(tc.want, ids); diff != "" || list.Meta.TotalCount != len(ids) {
			t.Errorf("%s: got total %d, orders (-want +got):\n%s", name, list.Meta.TotalCount, diff)
		}
	}
	if _, err := s.Orders.ListOrders(t.Context(), access.Operator(),
		order.ListFilter{Status: []status.Order{"lost"}}); shoptest.ErrorCode(err) != fault.CodeValidationFailed {
		t.Errorf("unknown status: got %v, want validation_failed", err)
	}
}

// A caller without payments.read sees no payment attempt with an order.
func TestFindOrderAsStaff_PaymentsPermission(t *testing.T) {
	t.Parallel()
	a := shoptest.NewAccounts(t)
	a.InsertOrder(t, "0123456789ABCDEF", shoptest.RahimsPhone)
	a.Exec(t, `INSERT INTO payment_attempts (id, order_id, method, status, amount, external_id, transaction_id, redirect_url, error_code,
			created_at, updated_at, mode)
		VALUES ('p1', '0123456789ABCDEF', 'gateway_a', 'needs_review', 100, 'e', 'TX-1', '', '', 1, 1, 'live')`)
	for caller, want := range map[*access.Caller]int{
		new(a.StaffCaller(t, staff.RoleStaff)): 0, new(a.KeyCaller(t, "orders.read")): 0,
		new(a.StaffCaller(t, staff.RoleManager)): 1, new(a.KeyCaller(t, "orders.read", "payments.read")): 1,
	} {
		order, err := a.Orders.FindOrderAsStaff(t.Context(), *caller, "0123456789ABCDEF")
		if err != nil || len(order.Payments) != want {
			t.Errorf("got %+v, %v, want %d payments", order, err, want)
		}
	}
}
