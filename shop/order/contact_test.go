package order_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"storefront/shop/access"
	"storefront/shop/account"
	"storefront/shop/fault"
	"storefront/shop/order"
	"storefront/shop/shoptest"
	"storefront/shop/staff"
	"storefront/shop/status"
)

// A blocked number is refused however it is spelled, and whether a guest or an account orders.
func TestPlaceOrder_Blocked(t *testing.T) {
	t.Parallel()
	s := newOrderShop(t, nil)
	customer := s.mustRegister(t, account.RegisterInput{Name: "Rahima", PhoneNumber: new("01711223344"), Email: new("rahima@shop.example")})
	block := func(block order.Block) {
		t.Helper()
		if _, err := s.Orders.UpdateContact(t.Context(), access.Operator(), "01711-223344", order.ContactChange{Blocked: &block}); err != nil {
			t.Fatal(err)
		}
	}
	place := func(caller access.Caller, number string) error {
		in := guestOrder(wants(s.card, 1))
		in.Customer.PhoneNumber = &number
		_, err := s.Orders.PlaceOrder(t.Context(), caller, in, "")
		return err
	}
	spellings := []string{"01711223344", "+880 1711-223344", "8801711223344", "008801711223344", "০১৭১১২২৩৩৪৪"}
	for _, step := range []struct {
		block order.Block
		want  fault.Code
	}{{order.BlockCash, fault.CodePaymentMethodUnavailable}, {order.BlockAll, fault.CodeForbidden}} {
		block(step.block)
		for _, number := range spellings {
			shoptest.WantCode(t, place(access.Caller{}, number), step.want)
			shoptest.WantCode(t, place(customer, number), step.want)
		}
		shoptest.WantCode(t, place(customer, "01811000001"), step.want) // the account's own number is blocked
		if err := place(access.Caller{}, "01811000001"); err != nil {
			t.Errorf("%s: another number: %v", step.block, err)
		}
	}
	// Staff may place the order nevertheless, and learn of the block.
	for number, want := range map[string][]order.Warning{"01711223344": {order.WarnBlocked}, "01811000001": {}} {
		in := guestOrder()
		in.Customer.PhoneNumber = &number
		byPhone := order.StaffInput{Items: []order.StaffItemInput{item(s.card.Variants[0].ID, 1)}, Source: status.SourcePhone,
			Customer: in.Customer, ShippingAddress: in.ShippingAddress}
		for _, dryRun := range []bool{true, false} {
			placed, err := s.Orders.PlaceOrderAsStaff(t.Context(), access.Operator(), byPhone, dryRun)
			if err != nil || !slices.Equal(placed.Warnings, want) {
				t.Errorf("%s, dry run %t: got %+v, %v, want the warnings %v", number, dryRun, placed, err, want)
			}
		}
	}
	// Deleting the account does not end the block.
	if _, err := s.DeleteCustomer(t.Context(), access.Operator(), "rahima@shop.example"); err != nil {
		t.Fatal(err)
	}
	shoptest.WantCode(t, place(access.Caller{}, "01711223344"), fault.CodeForbidden)
	block(order.BlockNone)
	if err := place(access.Caller{}, "01711223344"); err != nil {
		t.Errorf("not blocked any more: %v", err)
	}
	if n := s.number(t, `SELECT COUNT(*) FROM contacts WHERE orders = 0`); n != 0 {
		t.Errorf("got %d contacts, want none without content and orders", n)
	}
}

// A buyer who may not pay in cash cannot order online and change the order to cash.
func TestSetPaymentMethod_Blocked(t *testing.T) {
	t.Parallel()
	s := newOrderShop(t, nil)
	bought := s.mustPlace(t, access.Caller{}, guestOrder(wants(s.card, 1)))
	s.exec(t, `UPDATE orders SET status = 'pending_payment', payment_method = 'gateway_a'`)
	for block, want := range map[order.Block]fault.Code{order.BlockCash: fault.CodePaymentMethodUnavailable, order.BlockAll: fault.CodeForbidden} {
		if _, err := s.Orders.UpdateContact(t.Context(), access.Operator(), "01711223344", order.ContactChange{Blocked: &block}); err != nil {
			t.Fatal(err)
		}
		in := order.PaymentMethodInput{PaymentMethod: status.PayCOD}
		_, err := s.Orders.SetPaymentMethod(t.Context(), access.Caller{OrderToken: bought.OrderToken}, bought.ID, in)
		shoptest.WantCode(t, err, want)
	}
}

func TestPlaceOrder_BadRecord(t *testing.T) {
	t.Parallel()
	s := newOrderShop(t, map[string]any{"openOrdersPerPhone": 10_000, "cashForBadRecords": "refuse"})
	in := guestOrder(wants(s.card, 1))
	for i := range 3 { // two that are returned, and one that is delivered
		order := s.mustPlace(t, access.Caller{}, in)
		status := "'returned'"
		if i == 0 {
			status = "'delivered'"
		}
		s.exec(t, `UPDATE orders SET fulfillment_status = `+status+` WHERE id = ?`, order.ID)
	}
	_, err := s.Orders.PlaceOrder(t.Context(), access.Caller{}, in, "")
	shoptest.WantCode(t, err, fault.CodePaymentMethodUnavailable)
	contact, err := s.Orders.FindContact(t.Context(), access.Operator(), "+8801711223344")
	if err != nil || contact.Record.Level != order.RecordBad || contact.Record.Orders != 3 || contact.Blocked != order.BlockNone {
		t.Errorf("got %+v (%v), want a bad record and no block", contact, err)
	}
	if err := s.SetSettings(t.Context(), access.Operator(), shoptest.Raw(t, map[string]any{"cashForBadRecords": "allow"})); err != nil {
		t.Fatal(err)
	}
	s.mustPlace(t, access.Caller{}, in)
	err = s.SetSettings(t.Context(), access.Operator(), shoptest.Raw(t, map[string]any{"cashForBadRecords": "sometimes"}))
	shoptest.WantCode(t, err, fault.CodeValidationFailed)
}

func TestUpdateContact(t *testing.T) {
	t.Parallel()
	a := shoptest.NewAccounts(t)
	for i := range 1000 {
		a.InsertOrder(t, fmt.Sprintf("%016d", i), shoptest.RahimsPhone)
	}
	caller := a.StaffCaller(t, staff.RoleStaff)
	contact, err := a.Orders.UpdateContact(t.Context(), caller, shoptest.RahimsPhone, order.ContactChange{
		Note: new(" Pays late "), Tags: &[]string{"Wholesale", "wholesale"}, Blocked: new(order.BlockCash), BlockedReason: new("Refused twice"),
	})
	if err != nil {
		t.Fatal(err)
	}
	if *contact.Note != "Pays late" || !slices.Equal(contact.Tags, []string{"Wholesale"}) || contact.Blocked != order.BlockCash ||
		contact.Record.Orders != 1000 || contact.Record.Level != order.RecordWatch || !slices.Equal(contact.Names, []string{"Rahim Uddin"}) {
		t.Errorf("got %+v", contact)
	}
	if _, err = a.Orders.UpdateContact(t.Context(), caller, shoptest.RahimsPhone, order.ContactChange{Note: new("Pays late")}); err != nil {
		t.Fatal(err)
	}
	if n := a.Number(t, `SELECT COUNT(*) FROM audit_log WHERE action = 'contact.edit'`); n != 1 {
		t.Errorf("got %d changes in the audit log, want 1", n)
	}
	for _, change := range []order.ContactChange{
		{Blocked: new(order.Block("some"))}, {Tags: &[]string{""}}, {Note: new(strings.Repeat("a", 1001))},
		{BlockedReason: new(strings.Repeat("a", 501))},
	} {
		_, err := a.Orders.UpdateContact(t.Context(), caller, shoptest.RahimsPhone, change)
		shoptest.WantCode(t, err, fault.CodeValidationFailed)
	}
	_, err = a.Orders.FindContact(t.Context(), caller, "12")
	shoptest.WantCode(t, err, fault.CodeNotFound)
	_, err = a.Orders.UpdateContact(t.Context(), a.StaffCaller(t, staff.RoleViewer), shoptest.RahimsPhone, order.ContactChange{})
	shoptest.WantCode(t, err, fault.CodeForbidden)
	if _, err := a.DeleteCustomer(t.Context(), access.Operator(), shoptest.RahimsPhone); err != nil {
		t.Fatal(err)
	}
	if erased, err := a.Orders.FindContact(t.Context(), caller, shoptest.RahimsPhone); err != nil || erased.Note != nil || erased.BlockedReason != nil ||
		len(erased.Tags) != 0 || erased.Blocked != order.BlockCash || erased.Guest != nil || len(erased.LatestOrders) != 0 {
		t.Errorf("erased: got %+v (%v), want the block alone", erased, err)
	}
	if n := a.Number(t, `SELECT COUNT(*) FROM audit_log WHERE action = 'contact.edit' AND changes <> '[]'`); n != 0 {
		t.Errorf("got %d entries with changes after the erasure, want none", n)
	}
}

// The level of a record follows from how the buyer's orders ended.
func TestContact_RecordLevels(t *testing.T) {
	t.Parallel()
	a := shoptest.NewAccounts(t)
	placed := 0
	for i, tc := range []struct {
		delivered, returned, cancelled, open int
		want                                 order.RecordLevel
	}{
		{0, 0, 0, 0, order.RecordNew},
		{0, 0, 0, 2, order.RecordNew},
		{0, 0, 0, 3, order.RecordWatch},
		{1, 0, 0, 2, order.RecordGood},
		{9, 0, 0, 3, order.RecordWatch},
		{0, 0, 1, 0, order.RecordGood},
		{5, 1, 0, 0, order.RecordWatch},
		{0, 1, 0, 0, order.RecordWatch},
		{0, 2, 0, 0, order.RecordBad},
		{2, 2, 0, 0, order.RecordBad},
		{2, 2, 0, 1, order.RecordBad}, // of the ended ones
		{3, 2, 0, 0, order.RecordWatch},
		{1, 2, 2, 0, order.RecordWatch},
	} {
		phone := fmt.Sprintf("+88017110001%02d", i)
		insert := func(n int, set string) {
			for range n {
				placed++
				id := fmt.Sprintf("%016d", placed)
				a.InsertOrder(t, id, phone)
				a.Exec(t, `UPDATE orders SET `+set+` WHERE id = ?`, id)
			}
		}
		insert(tc.delivered, `status = 'completed', payment_status = 'paid', fulfillment_status = 'delivered'`)
		insert(tc.returned, `status = 'returned', fulfillment_status = 'returned'`)
		insert(tc.cancelled, `status = 'cancelled'`)
		insert(tc.open, `note = note`)
		insert(1, `test = 1, status = 'returned', fulfillment_status = 'returned'`) // does not count
		contact, err := a.Orders.FindContact(t.Context(), access.Operator(), phone)
		if err != nil {
			t.Fatal(err)
		}
		got := contact.Record
		if got.Level != tc.want || got.Delivered != tc.delivered || got.Returned != tc.returned || got.Cancelled != tc.cancelled || got.Open != tc.open ||
			got.Orders != tc.delivered+tc.returned+tc.cancelled+tc.open || (got.FirstAt == nil) != (got.Orders == 0) {
			t.Errorf("%+v: got %+v", tc, got)
		}
	}
}

// A guest's addresses are those of their orders, each once, the newest first; those of an account
// that has the number and of test orders are not among them.
func TestFindContact_Addresses(t *testing.T) {
	t.Parallel()
	a := shoptest.NewAccounts(t)
	for i := range 5 {
		a.InsertOrder(t, fmt.Sprintf("%016d", i), shoptest.RahimsPhone)
	}
	a.Exec(t, `UPDATE orders SET placed_at = number`)
	a.Exec(t, `UPDATE orders SET line1 = 'Office', line2 = '', area = '', postcode = '' WHERE id = '0000000000000001'`)
	a.Exec(t, `UPDATE orders SET line1 = 'A test', test = 1 WHERE id = '0000000000000003'`)
	customer := a.Rahim(t).User.ID
	a.Exec(t, `UPDATE orders SET line1 = 'Of the account', customer_id = ? WHERE id = '0000000000000004'`, customer)
	contact, err := a.Orders.FindContact(t.Context(), access.Operator(), shoptest.RahimsPhone)
	want := []account.Address{
		{Line1: "House 7", Line2: new("Flat 3"), Area: new("Dhanmondi"), City: "Dhaka", Postcode: new("1205"), Country: new("BD")},
		{Line1: "Office", City: "Dhaka", Country: new("BD")},
	}
	if diff := cmp.Diff(want, contact.Addresses); err != nil || diff != "" {
		t.Errorf("got %v and (-want +got):\n%s", err, diff)
	}
	none, err := a.Orders.FindContact(t.Context(), access.Operator(), shoptest.KarimsPhone)
	if err != nil || none.Addresses == nil || len(none.Addresses) != 0 {
		t.Errorf("got %+v, %v, want no addresses", none, err)
	}
}
