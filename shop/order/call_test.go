package order_test

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"storefront/shop/access"
	"storefront/shop/fault"
	"storefront/shop/order"
	"storefront/shop/page"
	"storefront/shop/shoptest"
	"storefront/shop/staff"
	"storefront/shop/status"
)

const calledOrder = "0123456789ABCDEF"

// Two staff members reach the buyer at the same time: the order is confirmed once, and both calls
// are recorded.
func TestRecordCall_ConfirmedTwice(t *testing.T) {
	t.Parallel()
	a := shoptest.NewAccounts(t)
	a.InsertOrder(t, calledOrder, shoptest.RahimsPhone)
	var done sync.WaitGroup
	for _, caller := range []access.Caller{a.StaffCaller(t, staff.RoleOwner), a.StaffCaller(t, staff.RoleStaff)} {
		done.Go(func() {
			if _, err := a.Orders.RecordCall(t.Context(), caller, calledOrder, order.CallInput{Outcome: order.CallConfirmed}); err != nil {
				t.Error(err)
			}
		})
	}
	done.Wait()
	bought, err := a.Orders.FindOrderAsStaff(t.Context(), access.Operator(), calledOrder)
	if err != nil {
		t.Fatal(err)
	}
	authors := map[string]bool{}
	for _, n := range bought.Notes {
		authors[n.By.Name] = n.Kind == order.NoteCall && *n.Outcome == order.CallConfirmed
	}
	if bought.Status != status.OrderConfirmed || !authors["A owner"] || !authors["A staff"] || bought.Calls.Count != 2 {
		t.Errorf("got status %s, calls %+v by %v, want a confirmed order and two calls", bought.Status, bought.Calls, authors)
	}
	if n := a.Number(t, `SELECT COUNT(*) FROM order_events WHERE type = 'confirmed'`); n != 1 {
		t.Errorf("got %d confirmations in the timeline, want 1", n)
	}
	for _, e := range bought.Timeline {
		if strings.Contains(string(e.Type)+e.Message, "call") {
			t.Errorf("got timeline entry %+v, want no calls", e)
		}
	}
	audit := func(with string) int64 {
		return a.Number(t, `SELECT COUNT(*) FROM audit_log WHERE action = 'order.call' AND changes LIKE ?`, "%"+with+"%")
	}
	if all, confirming := audit(""), audit(`"after":"confirmed"},{"field":"status"`); all != 2 || confirming != 1 {
		t.Errorf("got %d calls in the audit log, of which %d confirmed the order; want 2 and 1", all, confirming)
	}
	checkBuyerSees(t, a, "confirmed")
}

// checkBuyerSees checks that the buyer sees nothing of what staff have recorded.
func checkBuyerSees(t *testing.T, a *shoptest.Accounts, status status.Order) {
	t.Helper()
	order, err := a.Orders.FindOrder(t.Context(), access.Caller{}, calledOrder)
	if err != nil || order.Status != status {
		t.Errorf("got %+v (%v), want the buyer's order %s", order, err, status)
	}
}

func TestRecordCall_Outcomes(t *testing.T) {
	t.Parallel()
	later := shoptest.NewClock().Now().Add(3 * time.Hour)
	past := later.Add(-24 * time.Hour)
	const unpaid = "status = 'pending_payment', payment_method = 'gateway_a'"
	const onTheWay = "status = 'processing', fulfillment_status = 'in_progress'"
	confirmed, refused, long := order.CallInput{Outcome: order.CallConfirmed}, order.CallInput{Outcome: order.CallRefused}, strings.Repeat("a", 1001)
	for name, tc := range map[string]struct {
		before string
		in     order.CallInput
		want   status.Order
		code   fault.Code
	}{
		"confirmed":               {"", confirmed, status.OrderConfirmed, ""},
		"no answer":               {"", order.CallInput{Outcome: order.CallNoAnswer, Text: "Busy"}, status.OrderPending, ""},
		"no answer, again":        {"", order.CallInput{Outcome: order.CallNoAnswer, CallAt: &later}, status.OrderPending, ""},
		"later":                   {"", order.CallInput{Outcome: order.CallLater, CallAt: &later}, status.OrderPending, ""},
		"later, without a time":   {"", order.CallInput{Outcome: order.CallLater}, status.OrderPending, fault.CodeValidationFailed},
		"later, in the past":      {"", order.CallInput{Outcome: order.CallLater, CallAt: &past}, status.OrderPending, fault.CodeValidationFailed},
		"confirmed, with a time":  {"", order.CallInput{Outcome: order.CallConfirmed, CallAt: &later}, status.OrderPending, fault.CodeValidationFailed},
		"unknown":                 {"", order.CallInput{Outcome: "hung_up"}, status.OrderPending, fault.CodeValidationFailed},
		"long note":               {"", order.CallInput{Outcome: order.CallNoAnswer, Text: long}, status.OrderPending, fault.CodeValidationFailed},
		"wrong number":            {"", order.CallInput{Outcome: order.CallWrongNumber}, status.OrderPending, ""},
		"refused":                 {"", refused, status.OrderCancelled, ""},
		"refused, confirmed":      {"status = 'confirmed'", refused, status.OrderCancelled, ""},
		"refused, cancelled":      {"status = 'cancelled'", refused, status.OrderCancelled, ""},
		"refused, on the way":     {onTheWay, refused, status.OrderProcessing, fault.CodeNotCancellable},
		"confirmed, booked":       {"status = 'processing'", confirmed, status.OrderProcessing, ""},
		"confirmed, cancelled":    {"status = 'cancelled'", confirmed, status.OrderCancelled, fault.CodeStateConflict},
		"confirmed, unpaid":       {unpaid, confirmed, status.OrderPendingPayment, fault.CodeStateConflict},
		"no answer, on the way":   {onTheWay, order.CallInput{Outcome: order.CallNoAnswer}, status.OrderProcessing, ""},
		"500 notes":               {"note = 'full'", confirmed, status.OrderPending, fault.CodeStateConflict},
		"of a call that was due":  {"call_due_at = 1", confirmed, status.OrderConfirmed, ""},
		"later, after a due call": {"call_due_at = 1", order.CallInput{Outcome: order.CallLater, CallAt: &later}, status.OrderPending, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a := shoptest.NewAccounts(t)
			a.InsertOrder(t, calledOrder, shoptest.RahimsPhone)
			if tc.before != "" {
				a.Exec(t, `UPDATE orders SET `+tc.before)
			}
			if name == "500 notes" {
				for i := range 500 {
					a.Exec(t, `
						INSERT INTO order_notes (order_number, id, at, author, kind, outcome, text)
						VALUES (1, ?, 1, '{}', 'note', '', 'a')`, fmt.Sprint(i))
				}
			}
			caller := a.StaffCaller(t, staff.RoleStaff)
			_, err := a.Orders.RecordCall(t.Context(), caller, calledOrder, tc.in)
			if got := shoptest.ErrorCode(err); got != tc.code {
				t.Errorf("got %v, want code %q", err, tc.code)
			}
			order, err := a.Orders.FindOrderAsStaff(t.Context(), caller, calledOrder)
			if err != nil {
				t.Fatal(err)
			}
			want := 1
			if tc.code != "" {
				want = 0
			}
			if order.Status != tc.want || order.Calls.Count != want || tc.code == "" && *order.Calls.LastOutcome != tc.in.Outcome {
				t.Errorf("got status %s and calls %+v, want %s and %d calls", order.Status, order.Calls, tc.want, want)
			}
			if due := order.Calls.DueAt; tc.code == "" && (due == nil) != (tc.in.CallAt == nil) {
				t.Errorf("got the next call %v, want %v", due, tc.in.CallAt)
			}
			if order.Status == status.OrderCancelled && tc.before != "status = 'cancelled'" && *order.CancelReason != "refused by phone" {
				t.Errorf("got reason %q, want refused by phone", *order.CancelReason)
			}
			audited := a.Number(t, `SELECT COUNT(*) FROM audit_log WHERE action = 'order.call' AND subject_id = ?`, calledOrder)
			if audited != int64(want) {
				t.Errorf("got %d audit entries, want %d", audited, want)
			}
		})
	}
}

// Lists filter by calls and by tags, and show the calls that are due first.
func TestListOrderRows_Calls(t *testing.T) {
	t.Parallel()
	a := shoptest.NewAccounts(t)
	ids := map[string]string{}
	for i, name := range []string{"soon", "now", "never", "rang", "earliest", "done"} {
		ids[name] = fmt.Sprintf("%016d", i)
		a.InsertOrder(t, ids[name], fmt.Sprintf("+88017110000%02d", i))
	}
	a.Exec(t, `UPDATE orders SET work = 1`)
	call := func(name string, outcome order.CallOutcome, in time.Duration) {
		t.Helper()
		input := order.CallInput{Outcome: outcome}
		if in > 0 {
			input.CallAt = new(a.Clock.Now().Add(in))
		}
		if _, err := a.Orders.RecordCall(t.Context(), access.Operator(), ids[name], input); err != nil {
			t.Fatal(err)
		}
	}
	call("soon", order.CallLater, 5*time.Hour)
	call("now", order.CallLater, 2*time.Hour)
	call("rang", order.CallNoAnswer, 0)
	call("earliest", order.CallLater, time.Hour)
	call("done", order.CallLater, time.Hour)
	if _, err := a.Orders.ConfirmOrder(t.Context(), access.Operator(), ids["done"]); err != nil {
		t.Fatal(err)
	}
	for name, tags := range map[string][]string{"soon": {"Gift"}, "rang": {"gift", "VIP"}, "now": {"উপহার"}} {
		if _, err := a.Orders.TagOrder(t.Context(), access.Operator(), ids[name], order.TagChange{Add: tags}); err != nil {
			t.Fatal(err)
		}
	}
	a.Clock.Advance(3 * time.Hour)
	for name, tc := range map[string]struct {
		filter order.ListFilter
		want   []string
	}{
		"none": {order.ListFilter{Calls: order.CallsNone}, []string{"never"}},
		"some": {order.ListFilter{Calls: order.CallsSome, Sort: page.Ascending}, []string{"soon", "now", "rang", "earliest", "done"}},
		"due":  {order.ListFilter{Calls: order.CallsDue, SortBy: order.SortCallDue, Sort: page.Ascending}, []string{"earliest", "now"}},
		"queue": {order.ListFilter{View: order.ViewToConfirm, SortBy: order.SortCallDue, Sort: page.Ascending},
			[]string{"earliest", "now", "soon", "never", "rang"}},
		"latest first": {order.ListFilter{SortBy: order.SortCallDue, Sort: page.Descending}, []string{"soon", "now", "earliest", "done", "rang", "never"}},
		"tag":          {order.ListFilter{Tags: []string{"GIFT"}, Sort: page.Ascending}, []string{"soon", "rang"}},
		"either tag":   {order.ListFilter{Tags: []string{"vip", "উপহার"}, Sort: page.Ascending}, []string{"now", "rang"}},
		"no such tag":  {order.ListFilter{Tags: []string{"none"}}, nil},
		"tag and call": {order.ListFilter{Tags: []string{"gift"}, Calls: order.CallsDue}, nil},
	} {
		list, err := a.Orders.ListOrderRows(t.Context(), access.Operator(), tc.filter)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		var got []string
		for _, row := range list.Nodes {
			for of, id := range ids {
				if id == row.ID {
					got = append(got, of)
				}
			}
		}
		if !slices.Equal(got, tc.want) || list.Meta.TotalCount != len(tc.want) {
			t.Errorf("%s: got %v of %d, want %v", name, got, list.Meta.TotalCount, tc.want)
		}
	}
	list, err := a.Orders.ListOrderRows(t.Context(), access.Operator(), order.ListFilter{Tags: []string{"vip"}})
	if err != nil || len(list.Nodes) != 1 {
		t.Fatalf("got %+v (%v), want one order", list, err)
	}
	if row := list.Nodes[0]; !slices.Equal(row.Tags, []string{"gift", "VIP"}) || row.Calls.Count != 1 || *row.Calls.LastOutcome != order.CallNoAnswer {
		t.Errorf("got tags %v and calls %+v, want those of the order", row.Tags, row.Calls)
	}
	_, err = a.Orders.ListOrderRows(t.Context(), access.Operator(), order.ListFilter{Calls: "often"})
	shoptest.WantCode(t, err, fault.CodeValidationFailed)
}
