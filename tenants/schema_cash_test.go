package tenants_test

import (
	"context"
	"fmt"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"storefront/db"
	"storefront/db/sqlite"
	"storefront/shop/shoptest"
	"storefront/tenants"
)

// The step derives the ledger's lines from entries of earlier versions: of each kind the newest
// entry counts, and of entries with the same time a statement's. A later step moves the entries of
// statements to lines of their own.
func TestSteps_CashLines(t *testing.T) {
	t.Parallel()
	dir, steps := t.TempDir(), tenants.Steps()
	step := slices.IndexFunc(steps, func(s db.Step) bool { return s.Name == "current amounts of the COD ledger" })
	createShop(t, dir, sqlite.Options{Schema: readOldest(t)})
	before := openStore(t, dir, sqlite.Options{Schema: shoptest.Schema(t), Steps: steps[:step]})
	err := before.Update(t.Context(), "acme", func(_ context.Context, tx *db.Tx) error {
		_, err := tx.Exec(`
			INSERT INTO orders (number, id, status, payment_status, fulfillment_status, payment_method, test, customer_name, customer_phone,
				line1, line2, area, city, postcode, country, note, delivery_charge_id, delivery_name, subtotal, discount, delivery_charge,
				rounding, total, placed_at, updated_at)
			VALUES (1, 'ORDER', 'processing', 'unpaid', 'in_progress', 'cod', 0, '', '', '', '', '', '', '', '', '', '', '', 970, 0, 0, 0, 970, 1, 1)`)
		if err != nil {
			return err
		}
		for _, id := range []string{"p1", "p2"} {
			_, err := tx.Exec(`
				INSERT INTO shipments (id, order_id, provider, consignment_id, tracking_code, status, moved_at, created_at, updated_at)
				VALUES (?, 'ORDER', 'courier_a', ?, '', 'delivered', 1, 1, 1)`, id, id)
			if err != nil {
				return err
			}
		}
		for i, e := range []struct {
			shipment, kind string
			amount         any
			source         string
			at             int
		}{
			{"p1", "due", 970, "order", 1},
			{"p1", "fee", 70, "event", 5}, // newer, and stored earlier
			{"p1", "fee", 60, "event", 2},
			{"p1", "collected", 900, "statement", 5},
			{"p1", "collected", 970, "event", 5},
			{"p1", "remitted", nil, "statement", 5},
			{"p2", "due", 970, "event", 3},
		} {
			_, err := tx.Exec("INSERT INTO cash_entries (id, shipment_id, kind, amount, source, reference, at) VALUES (?, ?, ?, ?, ?, ?, ?)",
				fmt.Sprint("e", i), e.shipment, e.kind, e.amount, e.source, "of "+e.source, e.at)
			if err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := before.Close(t.Context()); err != nil {
		t.Fatal(err)
	}

	after := openStore(t, dir, sqlite.Options{Schema: shoptest.Schema(t), Steps: steps})
	defer after.Close(context.Background())
	var got []string
	err = after.View(t.Context(), "acme", func(_ context.Context, tx *db.Tx) error {
		got, err = db.Query(tx, db.ScanText, `
			SELECT shipment_id || ': due ' || due || ' by courier ' || due_changed || ', collected ' || COALESCE(collected, '-')
				|| ', fee ' || COALESCE(fee, '-') || ' whole ' || fee_whole || ', paid out ' || paid_out || ' ' || COALESCE(remitted, '-')
				|| ', reconciled ' || reconciled || ', ' || source || ' at ' || at
			FROM cash_lines
			UNION ALL
			SELECT 'statement ' || name || ' at ' || at || ' complete ' || complete
			FROM cash_statements
			UNION ALL
			SELECT statement || ', ' || shipment_id || ': ' || COALESCE(collected, '-') || ' ' || COALESCE(fee, '-') || ' ' || COALESCE(remitted, '-')
				|| ' at ' || at
			FROM cash_statement_lines
			UNION ALL
			SELECT COUNT(*) || ' entries'
			FROM cash_entries`)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	want := []string{
		"p1: due 970 by courier 0, collected 900, fee 70 whole 0, paid out 1 -, reconciled 1, statement at 5",
		"p2: due 970 by courier 1, collected -, fee - whole 0, paid out 0 -, reconciled 0, event at 3",
		"statement of statement at 5 complete 1",
		"of statement, p1: 900 - - at 5",
		"5 entries",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("lines (-want +got):\n%s", diff)
	}
}
