package cmd_test

import (
	"strings"
	"testing"

	"storefront/cmd"
	"storefront/shop/order"
)

func TestOrder_StatusCommands(t *testing.T) {
	t.Parallel()
	c := newConsole(t)
	c.must("tenant", "create", "acme", "--name", "Acme")
	c.must("product", "import", "acme", writeFile(t, "products.csv", twoProducts))
	c.must("stock", "set", "acme", "MUG-L", "6")
	completed, cancelled, shipped := placeOrder(t, c.dir, "acme"), placeOrder(t, c.dir, "acme"), placeOrder(t, c.dir, "acme")
	first := func(more string) string { return "Order 1001 is " + more + ".\n" }
	const second = "Order 1002 is cancelled, payment unpaid, delivery unfulfilled.\n"
	booked := func(courier, consignment string) string {
		return "COURIER    CONSIGNMENT  TRACKING  STATUS   UPDATED                  COLLECTS  COLLECTED  NOTE\n" +
			courier + "  " + consignment + "         -         created  TIME  ৳900      -          -\n"
	}
	for _, step := range []struct {
		want string
		args []string
	}{
		{
			first("confirmed, payment unpaid, delivery unfulfilled"),
			[]string{"order", "confirm", "acme", completed},
		},
		{
			booked("courier_a", "DD-1"),
			[]string{"order", "ship", "acme", completed, "--courier", "courier_a", "--consignment", "DD-1"},
		},
		{first("completed, payment paid, delivery delivered"), []string{"order", "deliver", "acme", completed}},
		{first("returned, payment refund_due, delivery returned"), []string{"order", "return", "acme", completed}},
		{first("returned, payment refunded, delivery returned"), []string{"order", "refund", "acme", completed}},
		{second, []string{"order", "cancel", "acme", cancelled, "--reason", "requested by phone"}},
		{second, []string{"order", "cancel", "acme", cancelled}},
		{
			booked("courier_b", "DD-2"),
			[]string{"order", "ship", "acme", shipped, "--courier", "courier_b", "--consignment", "DD-2"},
		},
		{
			"Order 1003 is cancelled, payment unpaid, delivery unfulfilled.\n" +
				"courier_b still has shipment DD-2: cancel it in the courier's panel.\n",
			[]string{"order", "cancel", "acme", shipped},
		},
	} {
		c.prints(step.want, step.args...)
	}
	var history struct {
		Timeline []struct{ Type, Cause string }
	}
	c.json(&history, "order", "show", "acme", completed)
	done := map[string]string{}
	for _, e := range history.Timeline {
		done[e.Type] = e.Cause
	}
	for _, kind := range []string{"confirmed", "shipment_created", "shipment_delivered", "completed", "returned", "payment_refunded"} {
		if done[kind] != "staff" {
			t.Errorf("the timeline has %v, want %s caused by staff", done, kind)
		}
	}
	c.fails(cmd.ExitFailed, "cancelled", "order", "confirm", "acme", cancelled)
	c.fails(cmd.ExitFailed, "returned", "order", "cancel", "acme", completed)
	c.fails(cmd.ExitFailed, "no refund is due", "order", "refund", "acme", cancelled)
	c.fails(cmd.ExitFailed, "order list acme", "order", "deliver", "acme", "0000000000000000")
	c.fails(cmd.ExitUsage, "2026-03-01", "order", "list", "acme", "--from", "yesterday")

	var list struct{ Meta struct{ TotalCount int } }
	for day, want := range map[string]int{"2000-01-01": 3, "2999-01-01": 0} {
		if c.json(&list, "order", "list", "acme", "--from", day); list.Meta.TotalCount != want {
			t.Errorf("--from %s: got %d orders, want %d", day, list.Meta.TotalCount, want)
		}
		if c.json(&list, "order", "list", "acme", "--before", day); list.Meta.TotalCount != 3-want {
			t.Errorf("--before %s: got %d orders, want %d", day, list.Meta.TotalCount, 3-want)
		}
	}

}

// A partial delivery by command reduces the order, and the order shows the sum.
func TestOrder_DeliverInPart(t *testing.T) {
	t.Parallel()
	c := newConsole(t)
	c.must("tenant", "create", "acme", "--name", "Acme")
	c.must("product", "import", "acme", writeFile(t, "products.csv", twoProducts))
	placed := placeOrder(t, c.dir, "acme")
	c.must("order", "confirm", "acme", placed)
	c.fails(cmd.ExitUsage, "--damaged must be", "order", "deliver", "acme", placed, "--damaged", "MUG-L")
	c.must("order", "deliver", "acme", placed, "--damaged", "MUG-L=1")
	var o order.StaffOrder
	c.json(&o, "order", "show", "acme", placed)
	if o.ReturnedAmount.Amount != 450_00 || o.Paid.Amount != 450_00 || o.Due.Amount != 0 || o.Credits[0].Restocked != 0 {
		t.Errorf("got %v returned, %v paid, %v due, credits %+v", o.ReturnedAmount, o.Paid, o.Due, o.Credits)
	}
	c.must("order", "deliver", "acme", placed, "--restock", "MUG-L=1")
	if c.json(&o, "order", "show", "acme", placed); len(o.Credits) != 1 || o.Credits[0].Restocked != 1 {
		t.Errorf("corrected: got credits %+v, want one restocked unit", o.Credits)
	}
	if shown := c.must("order", "show", "acme", placed); !strings.Contains(shown, "1 × Mug — মগ, Large, not accepted") {
		t.Errorf("got\n%s\nwant the credit", shown)
	}
	c.must("order", "refund", "acme", placed, "--amount", "50", "--reason", "damaged")
	c.fails(cmd.ExitFailed, "confirm the duplicate", "order", "refund", "acme", placed, "--amount", "50")
	c.must("order", "refund", "acme", placed, "--amount", "50", "--again")
	c.fails(cmd.ExitUsage, "needs the same --item", "order", "refund", "acme", placed, "--restock", "MUG-L=1")
	c.must("order", "refund", "acme", placed, "--item", "MUG-L=1", "--restock", "MUG-L=1", "--amount", "300")
	if c.json(&o, "order", "show", "acme", placed); o.Refunded.Amount != 400_00 || o.Due.Amount != 0 || o.PaymentStatus != "partially_refunded" {
		t.Errorf("got %v refunded, %v due, payment %s", o.Refunded, o.Due, o.PaymentStatus)
	}
}

func TestOrder_CancelMany(t *testing.T) {
	t.Parallel()
	c := newConsole(t)
	c.must("tenant", "create", "acme", "--name", "Acme")
	c.must("product", "import", "acme", writeFile(t, "products.csv", twoProducts))
	c.must("stock", "set", "acme", "MUG-L", "6")
	for range 2 {
		placeOrder(t, c.dir, "acme")
	}
	phone := []string{"order", "cancel", "acme", "--phone", "01711-000000"}
	c.prints("Order 1001, invoice INVOICE: pending\nOrder 1002, invoice INVOICE: pending\n"+
		"Selected: 2. To cancel them, add --yes.\n", phone...)
	c.prints("Order 1001, invoice INVOICE: cancelled\nOrder 1002, invoice INVOICE: cancelled\n"+
		"Cancelled: 2.\n", append(phone, "--yes", "--reason", "attack")...)
	var left []struct{ InvoiceUID string }
	if c.json(&left, "order", "cancel", "acme", "--from", "2000-01-01"); len(left) != 0 {
		t.Errorf("got %d orders left, want none", len(left))
	}
	c.fails(cmd.ExitUsage, "either an ORDER or flags", "order", "cancel", "acme")
	c.fails(cmd.ExitUsage, "either an ORDER or flags", "order", "cancel", "acme", "0123456789ABCDEF", "--phone", "01711000000")
	c.fails(cmd.ExitFailed, "phone number is not valid", "order", "cancel", "acme", "--phone", "12")
	c.fails(cmd.ExitFailed, "must be an IP address", "order", "cancel", "acme", "--client", "203.0.113.0/24")
	c.fails(cmd.ExitFailed, "must be an IP address", "order", "cancel", "acme", "--client", "4f0c2b1a")
}

func TestCoupon(t *testing.T) {
	t.Parallel()
	c := newConsole(t)
	c.must("tenant", "create", "acme", "--name", "Acme")
	c.must("product", "import", "acme", writeFile(t, "products.csv", twoProducts))
	saved := c.must("coupon", "create", "acme", "--code", "Eid10", "--percent", "12.5", "--max-discount", "500",
		"--limit", "5", "--ends", "2030-01-01", "--product", "mug")
	if midnight := "2030-01-01 00:00 +06:00"; !strings.Contains(saved, "Eid10, until "+midnight+".") {
		t.Errorf("coupon create: got %q, want the end %s", saved, midnight)
	}
	c.must("coupon", "create", "acme", "--code", "TAKA100", "--amount", "100.50", "--min-subtotal", "1,000", "--per-customer", "1")
	c.must("coupon", "create", "acme", "--code", "FREESHIP", "--free-delivery", "--requires-login")

	var list []struct {
		Code, Kind               string
		BasisPoints, Amount      *int64
		MaxDiscount, MinSubtotal *int64
		UsageLimit               *int64
		Active, RequiresLogin    bool
		Products                 []string
	}
	c.json(&list, "coupon", "list", "acme")
	if len(list) != 3 || *list[0].BasisPoints != 1250 || *list[0].MaxDiscount != 500_00 ||
		*list[0].UsageLimit != 5 || list[0].Products[0] != "mug" ||
		list[1].Kind != "free_delivery" || !list[1].RequiresLogin || *list[2].Amount != 100_50 || *list[2].MinSubtotal != 1000_00 {
		t.Errorf("coupon list: got %+v", list)
	}
	c.must("coupon", "create", "acme", "--code", "LATE", "--free-delivery", "--starts", "2090-01-01")
	c.must("coupon", "create", "acme", "--code", "OVER", "--free-delivery", "--ends", "2020-01-01")
	c.prints(`CODE      DISCOUNT       MINIMUM  ENDS                     USED  LIMIT  GIVEN  LAST USED  SCOPE       STATE
Eid10     12.5 %         -        2030-01-01 00:00 +06:00  0     5      -      -          mug         active
FREESHIP  free delivery  -        -                        0     -      -      -          everything  active
LATE      free delivery  -        -                        0     -      -      -          everything  not started
OVER      free delivery  -        2020-01-01 00:00 +06:00  0     -      -      -          everything  ended
TAKA100   ৳100.50        ৳1,000   -                        0     -      -      -          everything  active
`, "coupon", "list", "acme")
	c.fails(cmd.ExitUsage, "percent", "coupon", "create", "acme", "--code", "X")
	c.fails(cmd.ExitUsage, "--percent", "coupon", "create", "acme", "--code", "X", "--percent", "101")
	c.fails(cmd.ExitUsage, "--percent", "coupon", "create", "acme", "--code", "X", "--percent", "-1")
	c.fails(cmd.ExitUsage, "--amount", "coupon", "create", "acme", "--code", "X", "--amount", "1.234")
	c.fails(cmd.ExitFailed, "handle", "coupon", "create", "acme", "--code", "X", "--amount", "1", "--product", "nope")
}

func TestStock(t *testing.T) {
	t.Parallel()
	c := newConsole(t)
	c.must("tenant", "create", "acme", "--name", "Acme")
	c.must("product", "import", "acme", writeFile(t, "products.csv", twoProducts))
	c.prints("SKU    PRODUCT           STOCK  LOW AT  BACKORDER  STATE      ID\n"+
		"MUG-L  Mug — মগ (Large)  25     30      false      LOW_STOCK  ID\n",
		"stock", "set", "acme", "MUG-L", "25", "--low", "30", "--note", "counted")
	c.prints("SKU    PRODUCT           STOCK        LOW AT  BACKORDER  STATE     ID\n"+
		"MUG-L  Mug — মগ (Large)  not tracked  30      false      IN_STOCK  ID\n",
		"stock", "set", "acme", "MUG-L", "--tracked=false")
	c.fails(cmd.ExitFailed, "product export acme", "stock", "set", "acme", "NOPE", "1")
	c.fails(cmd.ExitUsage, "whole number", "stock", "set", "acme", "MUG-L", "many")
}
