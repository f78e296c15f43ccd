package order_test

import (
	"testing"
	"time"

	"storefront/shop/access"
	"storefront/shop/fault"
	"storefront/shop/job"
	"storefront/shop/order"
	"storefront/shop/shoptest"
	"storefront/shop/staff"
	"storefront/shop/status"
)

// Prints are listed newest first, and an order stores the newest 50.
func TestMarkPrinted(t *testing.T) {
	t.Parallel()
	a := shoptest.NewAccounts(t)
	a.InsertOrder(t, calledOrder, shoptest.RahimsPhone)
	member := a.StaffCaller(t, staff.RoleStaff)
	for i := range 55 {
		kind := order.PrintLabel
		if i == 54 {
			kind = order.PrintInvoice
		}
		order, err := a.Orders.MarkPrinted(t.Context(), member, calledOrder, kind)
		if err != nil {
			t.Fatal(err)
		}
		newest := order.Printed[0]
		if len(order.Printed) != min(i+1, 50) || newest.Kind != kind || newest.By.Kind != "staff" || !newest.At.Equal(a.Clock.Now()) {
			t.Fatalf("print %d: got %d prints, newest %+v", i, len(order.Printed), newest)
		}
		a.Clock.Advance(time.Minute)
	}
	if n := a.Number(t, `SELECT COUNT(*) FROM audit_log WHERE action = 'order.mark_printed'`); n != 55 {
		t.Errorf("got %d prints in the audit log, want 55", n)
	}
	_, err := a.Orders.MarkPrinted(t.Context(), member, calledOrder, "poster")
	shoptest.WantCode(t, err, fault.CodeValidationFailed)
	_, err = a.Orders.MarkPrinted(t.Context(), member, "0000000000000009", order.PrintLabel)
	shoptest.WantCode(t, err, fault.CodeNotFound)
	_, err = a.Orders.MarkPrinted(t.Context(), a.StaffCaller(t, staff.RoleViewer), calledOrder, order.PrintLabel)
	shoptest.WantCode(t, err, fault.CodeForbidden)
	checkBuyerSees(t, a, status.OrderPending)
}

func TestMarkPrinted_ManyOrders(t *testing.T) {
	t.Parallel()
	s := newBulkShop(t, 3)
	change := order.BulkChange{Action: order.BulkMarkPrinted, IDs: s.ids}
	change.Options.Document = "poster"
	_, err := s.Orders.ChangeOrders(t.Context(), access.Operator(), change)
	shoptest.WantCode(t, err, fault.CodeValidationFailed)
	for _, change.Options.Document = range []order.PrintKind{"", order.PrintPacking} {
		if done := s.change(t, access.Operator(), change); done.Status != job.StatusDone || done.Done != 3 {
			t.Errorf("%q: got %+v, want 3 orders printed", change.Options.Document, done)
		}
	}
	for _, id := range s.ids {
		bought, err := s.Orders.FindOrderAsStaff(t.Context(), access.Operator(), id)
		if err != nil {
			t.Fatal(err)
		}
		if p := bought.Printed; len(p) != 2 || p[0].Kind != order.PrintLabel || p[1].Kind != order.PrintPacking {
			t.Errorf("got prints %+v, want one of a label, then one of a packing slip", p)
		}
	}
}
