package cmd_test

import (
	"strings"
	"testing"

	"storefront/cmd"
)

func TestOrder_StatusCommands(t *testing.T) {
	t.Parallel()
	c := newConsole(t)
	c.must("tenant", "create", "acme", "--name", "Acme")
	c.must("product", "import", "acme", writeFile(t, "products.csv", twoProducts))
	c.must("stock", "set", "acme", "MUG-L", "6")
	completed, cancelled, shipped := placeOrder(t, c.dir, "acme"), placeOrder(t, c.dir, "acme"), placeOrder(t, c.dir, "acme")
	for _, step := range []struct {
		want string
		args []string
	}{
		{"is confirmed", []string{"order", "confirm", "acme", completed}},
		{"DD-1", []string{"order", "ship", "acme", completed, "--courier", "courier_a", "--consignment", "DD-1"}},
		{"is completed, payment paid, delivery delivered", []string{"order", "deliver", "acme", completed}},
		{"is returned, payment refund_due, delivery returned", []string{"order", "return", "acme", completed}},
		{"is returned, payment refunded, delivery returned", []string{"order", "refund", "acme", completed}},
		{"is cancelled", []string{"order", "cancel", "acme", cancelled, "--reason", "requested by phone"}},
		{"is cancelled", []string{"order", "cancel", "acme", cancelled}},
		{"DD-2", []string{"order", "ship", "acme", shipped, "--courier", "courier_b", "--consignment", "DD-2"}},
		{"courier_b still has shipment DD-2", []string{"order", "cancel", "acme", shipped}},
	} {
		if out := c.must(step.args...); !strings.Contains(out, step.want) {
			t.Errorf("%v: got\n%s\nwant %q", step.args, out, step.want)
		}
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
	if out := c.must(phone...); !strings.Contains(out, "Selected: 2.") || !strings.Contains(out, ": pending") {
		t.Errorf("without --yes: got\n%s", out)
	}
	if out := c.must(append(phone, "--yes", "--reason", "attack")...); !strings.Contains(out, "Cancelled: 2.") || !strings.Contains(out, ": cancelled") {
		t.Errorf("with --yes: got\n%s", out)
	}
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
	for _, want := range []string{"12.5 %", "৳100.50", "everything", "active", "not started", "ended"} {
		if out := c.must("coupon", "list", "acme"); !strings.Contains(out, want) {
			t.Errorf("coupon list: got\n%s\nwant %s", out, want)
		}
	}
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
	if out := c.must("stock", "set", "acme", "MUG-L", "25", "--low", "30", "--note", "counted"); !strings.Contains(out, "LOW_STOCK") {
		t.Errorf("stock set: got\n%s\nwant a low stock", out)
	}
	if out := c.must("stock", "set", "acme", "MUG-L", "--tracked=false"); !strings.Contains(out, "not tracked") {
		t.Errorf("stock set --tracked=false: got\n%s", out)
	}
	c.fails(cmd.ExitFailed, "product export acme", "stock", "set", "acme", "NOPE", "1")
	c.fails(cmd.ExitUsage, "whole number", "stock", "set", "acme", "MUG-L", "many")
}
