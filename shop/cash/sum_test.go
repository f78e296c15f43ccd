package cash_test

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"storefront/shop/access"
	"storefront/shop/cash"
	"storefront/shop/fault"
	"storefront/shop/order"
	"storefront/shop/page"
	"storefront/shop/plugin"
	"storefront/shop/sales"
	"storefront/shop/shoptest"
	"storefront/shop/status"
)

// Whatever happens to shipments and their cash, the stored cash is what the ledger adds up to.
func TestReportCash_RandomWalk(t *testing.T) {
	t.Parallel()
	for seed := range uint64(3) {
		t.Run(fmt.Sprint("seed=", seed), func(t *testing.T) {
			t.Parallel()
			w := cashWalk{Stocked: shoptest.NewCouriers(t, nil), r: rand.New(rand.NewPCG(seed, 3)), done: map[string]int{}}
			mustReport(t, w.Stocked)
			for step := range 400 {
				if w.step(t); step%20 == 19 {
					w.CheckBooks(t)
				}
				if t.Failed() {
					t.Fatalf("failed at step %d: %v", step, w.done)
				}
			}
			checkReport(t, w.Stocked)
			t.Logf("%d orders; steps %v", len(w.orders), w.done)
		})
	}
}

// cashWalk is a shop to whose shipments random things happen.
type cashWalk struct {
	*shoptest.Stocked
	r      *rand.Rand
	orders []string
	done   map[string]int // successful steps by name
}

var walkedCouriers = []plugin.Provider{plugin.CourierA, plugin.CourierB}

func oneOf[T any](r *rand.Rand, of []T) T { return of[r.IntN(len(of))] }

func allStatuses() []status.Shipment {
	return slices.Sorted(maps.Keys(status.ShipmentTransitions))
}

func (w *cashWalk) amount() *int64 {
	return oneOf(w.r, []*int64{nil, new(int64(0)), new(int64(450_00)), new(int64(510_00)), new(int64(60_00)), new(int64(1))})
}

func (w *cashWalk) step(t *testing.T) {
	ctx, op := t.Context(), access.Operator()
	if len(w.orders) == 0 || w.r.IntN(6) == 0 {
		w.orders = append(w.orders, w.Place(t, access.Caller{}, shoptest.GuestOrder(w.Card.ID, 1+w.r.IntN(5))).ID)
		return
	}
	uid := oneOf(w.r, w.orders[max(0, len(w.orders)-8):])
	bought, err := w.Orders.FindOrderAsStaff(ctx, op, uid)
	if err != nil {
		t.Fatal(err)
	}
	name := oneOf(w.r, []string{"record", "record", "event", "event", "event", "event", "merge", "status", "status", "statement", "advance",
		"remove advance", "edit", "resolve", "rate", "deliver", "return", "cancel", "list"})
	switch i := len(bought.Shipments) - 1; name {
	case "record":
		_, err = w.Orders.RecordShipment(ctx, op, uid, order.ShipmentInput{
			Provider: oneOf(w.r, walkedCouriers), ConsignmentID: fmt.Sprint("C", w.r.IntN(1000)),
		})
	case "event", "merge":
		if i < 0 {
			return
		}
		shipment := oneOf(w.r, bought.Shipments)
		event := plugin.CourierEvent{
			Event: fmt.Sprint("event.", w.r.IntN(50)), ConsignmentID: *shipment.ConsignmentID, Status: oneOf(w.r, append(allStatuses(), "", "")),
			At: w.Clock.Now().Add(-time.Duration(w.r.IntN(5)) * time.Hour), Due: w.amount(), Collected: w.amount(), Fee: w.amount(),
			PaidOut: w.r.IntN(3) == 0,
		}
		if other := oneOf(w.r, bought.Shipments); name == "merge" && other.Provider == shipment.Provider {
			event.ReturnID = *other.ConsignmentID
		}
		w.Report(t, shipment.Provider, event)
	case "status":
		if i >= 0 {
			shipment := bought.Shipments[w.r.IntN(i+1)]
			w.Move(t, shipment.Provider, *shipment.ConsignmentID, oneOf(w.r, allStatuses()))
		}
	case "statement":
		_, err = w.Cash.ReconcileStatement(ctx, op, cash.StatementFile{
			Courier: oneOf(w.r, walkedCouriers), File: strings.NewReader(w.statement(t)), DryRun: w.r.IntN(4) == 0,
		})
	case "advance":
		_, err = w.Orders.RecordAdvance(ctx, op, uid, order.AdvanceInput{Amount: 1 + w.r.Int64N(100_00), Method: order.AdvanceBkash})
	case "remove advance":
		if len(bought.Advances) > 0 {
			_, err = w.Orders.RemoveAdvance(ctx, op, uid, bought.Advances[0].ID)
		}
	case "edit":
		_, err = w.Orders.EditOrder(ctx, op, uid, order.Edit{DeliveryCharge: new(w.r.Int64N(200_00))})
	case "resolve":
		_, err = w.Orders.ResolveFlags(ctx, op, uid)
	case "rate":
		shoptest.ConfigurePlugin(t, w.Shop, oneOf(w.r, walkedCouriers), map[string]any{plugin.CashRateKey: oneOf(w.r, []string{"0", "100", "333"})})
		checkReport(t, w.Stocked)
	case "deliver":
		_, err = w.Orders.MarkDelivered(ctx, op, uid, nil)
	case "return":
		_, err = w.Orders.MarkReturned(ctx, op, uid, nil)
	case "cancel":
		_, err = w.Orders.CancelOrder(ctx, op, uid, "")
	case "list":
		_, err = w.Cash.ListLedger(ctx, op, cash.LedgerFilter{Status: oneOf(w.r, cash.Statuses())})
	}
	w.Clock.Advance(time.Duration(w.r.IntN(5)) * time.Hour)
	switch code := shoptest.ErrorCode(err); code {
	case "":
		w.done[name]++
	case fault.CodeStateConflict, fault.CodeNotCancellable, fault.CodeValidationFailed:
	default:
		t.Errorf("%s: got %v", name, err)
	}
}

// statement returns a statement of random shipments.
func (w *cashWalk) statement(t *testing.T) string {
	list, err := w.Cash.ListLedger(t.Context(), access.Operator(), cash.LedgerFilter{Request: page.Request{Limit: new(20)}})
	if err != nil {
		t.Fatal(err)
	}
	var text strings.Builder
	fmt.Fprintf(&text, "consignment,collected,fee,paid\nnone-%d,1,1,0\n", w.r.Int())
	for _, line := range list.Nodes {
		if w.r.IntN(2) == 0 && line.ConsignmentID != nil {
			fmt.Fprintf(&text, "%s,%s,%s,%s\n", *line.ConsignmentID, oneOf(w.r, []string{"450", "510", "", "0"}), oneOf(w.r, []string{"60", "", "64.50"}),
				oneOf(w.r, []string{"390", "450", "", "-60", "385.50"}))
		}
	}
	return text.String()
}

func mustReport(tb testing.TB, s *shoptest.Stocked) *cash.Report {
	tb.Helper()
	report, err := s.Cash.ReportCash(tb.Context(), access.Operator())
	if err != nil {
		tb.Fatal(err)
	}
	return report
}

// checkReport compares the report with one of shipments that are counted again.
func checkReport(t *testing.T, s *shoptest.Stocked) {
	t.Helper()
	before := mustReport(t, s)
	s.Exec(t, `DELETE FROM shipment_cash`)
	s.Exec(t, `DELETE FROM cash_sums`)
	if diff := cmp.Diff(mustReport(t, s), before); diff != "" {
		t.Errorf("report (-counted again +stored):\n%s", diff)
	}
	s.CheckBooks(t)
}

// A courier's share applies to the shipments that were delivered before it was set.
func TestReportCash_ShareChanges(t *testing.T) {
	t.Parallel()
	s, _ := shoptest.NewDelivered(t, 20)
	sums := func() []int64 {
		a := mustReport(t, s).Couriers[0]
		return []int64{a.Held.Amount, a.Fees.Amount, a.Payable.Amount, a.PaidOut.Amount}
	}
	if got, want := sums(), []int64{18 * 520_00, 18 * 60_00, 18 * 460_00, 2 * 460_00}; !slices.Equal(got, want) {
		t.Errorf("got %d, want %d", got, want)
	}
	shoptest.ConfigurePlugin(t, s.Shop, plugin.CourierA, map[string]any{plugin.CashRateKey: "100"})
	if got, want := sums(), []int64{18 * 520_00, 18 * 65_20, 18 * 454_80, 2 * 454_80}; !slices.Equal(got, want) {
		t.Errorf("with a share of 1 %%: got %d, want %d", got, want)
	}
	checkReport(t, s)
}

// A statement stores the cash of its shipments as the ledger then has it, whether it agrees with
// the courier's reports, differs from them, is older than they are, or was written with another
// share of the cash.
func TestReconcileStatement_StoredCash(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name, share, paid, rounded string
		isCounted                  bool
	}{
		{"no share", "0", "460", "460", true},
		{"share", "100", "454.80", "454", true},
		{"share that was set since the last count", "100", "454.80", "454", false},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			s, _ := shoptest.NewDelivered(t, 20)
			mustReport(t, s)
			shoptest.ConfigurePlugin(t, s.Shop, plugin.CourierA, map[string]any{plugin.CashRateKey: test.share})
			if test.isCounted {
				mustReport(t, s)
			}
			for _, event := range []plugin.CourierEvent{
				{Event: "late", ConsignmentID: "DL00000003", Status: status.ShipmentDelivered, Fee: new(int64(60_00)), PaidOut: true, At: s.Clock.Now()},
				{Event: "contradicts", ConsignmentID: "DL00000004", Status: status.ShipmentReturned, At: s.Clock.Now()},
			} {
				s.Report(t, plugin.CourierA, event)
			}
			s.Clock.Advance(-time.Hour) // it was wrong
			mustReconcile(t, s, "DL00000001,520,60,"+test.paid, "DL00000002,500,60,440", "DL00000003,520,60,"+test.rounded, "DL00000004,520,60,"+test.paid,
				"DL00000005,520,60,", "DL00000006,,,"+test.paid, "DL00000007,,60,-60", "DL00000010,520,60,"+test.paid)
			s.CheckBooks(t)
			checkReport(t, s)
		})
	}
}

// mustReconcile reconciles a statement of [plugin.CourierA] with these rows.
func mustReconcile(t *testing.T, s *shoptest.Stocked, rows ...string) {
	t.Helper()
	text := "consignment,collected,fee,paid\n" + strings.Join(rows, "\n") + "\n"
	if _, err := s.Cash.ReconcileStatement(t.Context(), access.Operator(), cash.StatementFile{
		Courier: plugin.CourierA, File: strings.NewReader(text),
	}); err != nil {
		t.Fatal(err)
	}
}

// Shipments are counted in parts. What happens to them before all are is counted with the new share
// at once, and nobody sees sums of a part: as after a crash in the middle.
func TestReportCash_CountedInPart(t *testing.T) {
	t.Parallel()
	s, _ := shoptest.NewDelivered(t, 1200)
	want := mustReport(t, s)
	s.Exec(t, `DELETE FROM shipment_cash`)
	s.Exec(t, `UPDATE cash_sums SET rate = -1, under_way = 0, expected = 0, holding = 0, held = 0, fees = 0, payable = 0, paid_out = 0`)
	event := plugin.CourierEvent{
		Event: "late", ConsignmentID: "DL00000003", Status: status.ShipmentDelivered, Collected: new(int64(520_00)), Fee: new(int64(60_00)),
		PaidOut: true, At: s.Clock.Now(),
	}
	s.Report(t, plugin.CourierA, event)
	if n := s.Number(t, `SELECT COUNT(*) FROM shipment_cash`); n != 1 {
		t.Errorf("got %d counted shipments, want the one that changed", n)
	}
	mustReconcile(t, s, "DL00000005,520,60,460")
	sales, err := s.ReportSales(t.Context(), access.Operator(), sales.Filter{From: "2026-02-01", By: sales.ByCourier})
	if err != nil || len(sales.Rows) == 0 || sales.Rows[0].Cash != nil {
		t.Errorf("analytics of couriers: got %+v, %v, want no sum of a part", sales, err)
	}
	s.CheckBooks(t)
	got := mustReport(t, s)
	if held := want.Couriers[0].Held.Amount - 2*520_00; got.Couriers[0].Held.Amount != held {
		t.Errorf("got %d held, want %d: two more are paid out", got.Couriers[0].Held.Amount, held)
	}
	checkReport(t, s)
}

// Stored cash that differs from the ledger is a broken invariant.
func TestInvariants_StoredCash(t *testing.T) {
	t.Parallel()
	for _, wrong := range []string{
		`UPDATE shipment_cash SET held = held + 1 WHERE shipment_id = 'shipment-00000003'`,
		`UPDATE shipment_cash SET status = 'paid' WHERE shipment_id = 'shipment-00000003'`,
		`UPDATE shipment_cash SET moved_at = 0 WHERE shipment_id = 'shipment-00000003'`,
		`DELETE FROM shipment_cash WHERE shipment_id = 'shipment-00000003'`,
		`UPDATE cash_sums SET holding = holding + 1 WHERE courier = 'courier_a'`,
		`DELETE FROM cash_sums WHERE courier = 'courier_a'`,
	} {
		s, _ := shoptest.NewDelivered(t, 5)
		s.Exec(t, `DELETE FROM order_items WHERE variant_id = 'deleted'`) // their product has no stock to compare with
		before, err := s.CheckInvariants(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		mustReport(t, s)
		s.Exec(t, wrong)
		after, err := s.CheckInvariants(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		found := slices.ContainsFunc(after, func(fault string) bool { return strings.Contains(fault, "whose stored cash is not") })
		if !found || len(after) != len(before)+1 {
			t.Errorf("%s: got %q after %q", wrong, after, before)
		}
	}
}

// A shipment whose end the courier contradicts is different until staff have checked it.
func TestReportCash_FlagsResolved(t *testing.T) {
	t.Parallel()
	s := shoptest.NewCouriers(t, nil)
	mustReport(t, s) // from now on the cash of shipments is stored
	uid := s.Place(t, access.Caller{}, shoptest.GuestOrder(s.Card.ID, 1)).ID
	if _, err := s.Orders.RecordShipment(t.Context(), access.Operator(), uid, order.ShipmentInput{
		Provider: plugin.CourierA, ConsignmentID: "C1",
	}); err != nil {
		t.Fatal(err)
	}
	for i, status := range []status.Shipment{status.ShipmentPicked, status.ShipmentDelivered, status.ShipmentReturned} {
		event := plugin.CourierEvent{Event: string(status), ConsignmentID: "C1", Status: status, At: s.Clock.Now().Add(time.Duration(i) * time.Minute)}
		s.Report(t, plugin.CourierA, event)
	}
	if got := len(mustReport(t, s).Differences); got != 1 {
		t.Errorf("contradicted: got %d differences, want 1", got)
	}
	if _, err := s.Orders.ResolveFlags(t.Context(), access.Operator(), uid); err != nil {
		t.Fatal(err)
	}
	if got := len(mustReport(t, s).Differences); got != 0 {
		t.Errorf("checked: got %d differences, want none", got)
	}
	s.CheckBooks(t)
}

// The cash is counted again with another share of the courier, without anybody who waits for it.
func TestCountCash(t *testing.T) {
	t.Parallel()
	s := shoptest.NewCouriers(t, nil)
	if next, err := s.Cash.CountCash(t.Context()); err != nil || !next.IsZero() || s.Number(t, `SELECT COUNT(*) FROM cash_sums`) != 0 {
		t.Errorf("without shipments: got next %v, %v, want nothing to count", next, err)
	}
	summary, err := s.FindSummary(t.Context(), access.Operator())
	if err != nil || summary.Cash == nil || len(summary.Cash) > 0 {
		t.Errorf("without shipments: got %v, %v, want an empty list", summary.Cash, err)
	}
	bought := s.Place(t, access.Caller{}, shoptest.GuestOrder(s.Card.ID, 1))
	if _, err := s.Orders.RecordShipment(t.Context(), access.Operator(), bought.ID,
		order.ShipmentInput{Provider: plugin.CourierA, ConsignmentID: "C-1"}); err != nil {
		t.Fatal(err)
	}
	for _, rate := range []string{"100", "250"} {
		shoptest.ConfigurePlugin(t, s.Shop, plugin.CourierA, map[string]any{plugin.CashRateKey: rate})
		if _, err := s.Cash.CountCash(t.Context()); err != nil {
			t.Fatal(err)
		}
		if got := s.Number(t, `SELECT rate FROM cash_sums WHERE courier = 'courier_a'`); fmt.Sprint(got) != rate {
			t.Errorf("got a share of %d, want %s", got, rate)
		}
		s.CheckBooks(t)
	}
}
