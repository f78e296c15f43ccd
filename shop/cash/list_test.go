package cash_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"storefront/db"
	"storefront/db/dbtest"
	"storefront/shop/access"
	"storefront/shop/cash"
	"storefront/shop/fault"
	"storefront/shop/page"
	"storefront/shop/plugin"
	"storefront/shop/shoptest"
)

// randomLedger replaces the ledger of a shop with shipments in every state, also in those that
// couriers should not produce.
func randomLedger(tb testing.TB, s *shoptest.Stocked, orders int) {
	tb.Helper()
	r := rand.New(rand.NewPCG(1, 2))
	statuses := []string{"created", "pickup_requested", "picked", "at_hub", "in_transit", "out_for_delivery", "delivered", "partially_delivered",
		"on_hold", "delivery_failed", "returning", "returned", "cancelled", "exchanged"}
	amount := func() any {
		return []any{nil, int64(0), int64(52000), int64(52000), int64(45999), int64(6000), int64(6001), int64(1 << 53)}[r.IntN(8)]
	}
	err := s.Store.Update(tb.Context(), db.ID(s.UID()), func(_ context.Context, tx *db.Tx) error {
		for i := 1; i <= orders; i++ {
			order := fmt.Sprintf("ORDER%011d", i)
			err := tx.Do("UPDATE orders SET payment_method = ?, advance = ? WHERE id = ?",
				[]string{"cod", "cod", "gateway_b"}[r.IntN(3)], r.IntN(2)*1000, order)
			if err != nil {
				return err
			}
			for n := range 1 + r.IntN(2) {
				id, paidOut := fmt.Sprintf("random-%08d-%d", i, n), r.IntN(2)
				err := tx.Do(`
					INSERT INTO shipments (id, order_id, provider, consignment_id, tracking_code, status, moved_at, created_at, updated_at)
					VALUES (?, ?, ?, ?, '', ?, ?, ?, 0)`, id, order, []string{"courier_a", "courier_b"}[r.IntN(2)], id, statuses[r.IntN(len(statuses))],
					s.Clock.Now().UnixMilli()-r.Int64N(1e9), i)
				if err != nil {
					return err
				}
				if r.IntN(4) == 0 {
					continue // recorded by staff
				}
				var remitted any
				if paidOut == 1 {
					remitted = amount()
				}
				err = tx.Do(`
					INSERT INTO cash_lines (shipment_id, due, due_changed, collected, fee, fee_whole, paid_out, remitted, reconciled, source, at)
					VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, 'event', ?)`, id, amount(), r.IntN(2), amount(), amount(), r.IntN(2), paidOut, remitted,
					paidOut*r.IntN(2), i)
				if err == nil && r.IntN(10) == 0 {
					err = tx.Do(`
						INSERT INTO order_flags (order_id, shipment_id, code, message, raised_at, resolved_at)
						VALUES (?, ?, 'contradicted', 'Contradicted.', 1, ?)`, order, id, []any{nil, int64(2)}[r.IntN(2)])
				}
				if err != nil {
					return err
				}
			}
		}
		return nil
	})
	if err != nil {
		tb.Fatal(err)
	}
}

// The queries find and add up what the rows of the shipments say, in every state of the ledger.
func TestLedger_Queries(t *testing.T) {
	t.Parallel()
	s, _ := shoptest.NewDelivered(t, 600)
	randomLedger(t, s, 600)
	for _, rate := range []int64{0, 150} {
		rows, queries, err := s.Cash.LedgerStatuses(t.Context(), rate)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(rows, queries); diff != "" {
			t.Errorf("share of %d: shipments by status (-rows +queries):\n%s", rate, diff)
		}
		for _, status := range cash.Statuses() {
			if len(rows[status]) == 0 {
				t.Errorf("no shipment is %s", status)
			}
		}
		sums, queried, err := s.Cash.SumLedger(t.Context(), rate)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(sums, queried); diff != "" {
			t.Errorf("share of %d: sums (-rows +queries):\n%s", rate, diff)
		}
	}
}

// A list of the ledger is filtered and paged, and each shipment is on one page.
func TestListLedger(t *testing.T) {
	t.Parallel()
	const orders = 230 // every tenth is paid out
	s, _ := shoptest.NewDelivered(t, orders)
	list := func(filter cash.LedgerFilter) *page.List[cash.LedgerLine] {
		t.Helper()
		list, err := s.Cash.ListLedger(t.Context(), access.Operator(), filter)
		if err != nil {
			t.Fatal(err)
		}
		return list
	}
	for _, test := range []struct {
		name   string
		filter cash.LedgerFilter
		want   int
	}{
		{"all", cash.LedgerFilter{}, orders},
		{"paid", cash.LedgerFilter{Status: cash.PaidOut}, orders / 10},
		{"held", cash.LedgerFilter{Status: cash.Held}, orders - orders/10},
		{"under way", cash.LedgerFilter{Status: cash.UnderWay}, 0},
		{"different", cash.LedgerFilter{Status: cash.Different}, 0},
		{"courier", cash.LedgerFilter{Courier: []plugin.Provider{plugin.CourierA}}, orders},
		{"another courier", cash.LedgerFilter{Courier: []plugin.Provider{plugin.CourierB}}, 0},
		{"times", cash.LedgerFilter{From: time.UnixMilli(11), Before: time.UnixMilli(31)}, 20},
		{"times and status", cash.LedgerFilter{From: time.UnixMilli(11), Before: time.UnixMilli(31), Status: cash.PaidOut}, 2},
		{"order", cash.LedgerFilter{Search: "ORDER00000000007"}, 1},
		{"unknown", cash.LedgerFilter{Search: "nothing"}, 0},
	} {
		seen := map[string]bool{}
		for n, more := 1, true; more; n++ {
			test.filter.Page = &n
			part := list(test.filter)
			if part.Meta.TotalCount != test.want || part.Meta.Bounded {
				t.Errorf("%s: got %+v, want %d", test.name, part.Meta, test.want)
			}
			for i, l := range part.Nodes {
				if seen[*l.ConsignmentID] {
					t.Errorf("%s: %s is listed twice", test.name, *l.ConsignmentID)
				}
				if seen[*l.ConsignmentID] = true; i > 0 && *part.Nodes[i-1].ConsignmentID < *l.ConsignmentID {
					t.Errorf("%s: %s is before a newer one", test.name, *part.Nodes[i-1].ConsignmentID)
				}
			}
			more = part.Meta.HasNextPage
		}
		if len(seen) != test.want {
			t.Errorf("%s: got %d shipments, want %d", test.name, len(seen), test.want)
		}
	}
	for _, filter := range []cash.LedgerFilter{
		{Status: "lost"}, {Courier: []plugin.Provider{"pigeon"}}, {Request: page.Request{Limit: new(0)}},
	} {
		if _, err := s.Cash.ListLedger(t.Context(), access.Operator(), filter); !fault.HasCode(err, fault.CodeValidationFailed) {
			t.Errorf("%+v: got %v, want validation_failed", filter, err)
		}
	}
}

// A page is read in the order of the shipments, without sorting them, and what belongs to a
// shipment is found by key.
func TestLedgerQueries_Plan(t *testing.T) {
	t.Parallel()
	s := shoptest.NewStocked(t, &shoptest.Options{})
	for name, query := range cash.LedgerQueries() {
		plan := shoptest.QueryPlan(t, s.Store, s.UID(), query, make([]any, strings.Count(query, "?")))
		for _, step := range plan {
			switch {
			case step == "SCAN p", step == "SCAN c USING COVERING INDEX shipment_cash_different": // the page ends them
			case strings.HasPrefix(step, "SCAN"), strings.Contains(step, "TEMP B-TREE"):
				t.Errorf("%s: got plan %s", name, strings.Join(plan, "; "))
			}
		}
	}
}

// The cash of a shipment is a small program: 74,000 instructions took half a second to compile in
// each connection.
func TestLedgerCash_Instructions(t *testing.T) {
	t.Parallel()
	dbtest.NeedFiles(t, "it counts the instructions of SQLite")
	s := shoptest.NewCouriers(t, nil)
	query, instructions := cash.LedgerCashQuery(), 0
	err := s.Store.View(t.Context(), db.ID(s.UID()), func(_ context.Context, tx *db.Tx) error {
		return tx.Each("EXPLAIN "+query, make([]any, strings.Count(query, "?")), func(db.Row) error {
			instructions++
			return nil
		})
	})
	if err != nil || instructions == 0 || instructions > 5000 {
		t.Errorf("got %d instructions, error %v, want at most 5000", instructions, err)
	}
}
