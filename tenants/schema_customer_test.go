package tenants_test

import (
	"context"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"storefront/db"
	"storefront/db/dbtest"
	"storefront/db/postgres"
	"storefront/db/sqlite"
	"storefront/tenants"
)

// stepOrder is an order of a version that did not store what buyers have ordered.
type stepOrder struct {
	customer             any
	phone, name, status  string
	payment              string
	test, total, placeAt int
}

// The step counts the orders of accounts and guests of earlier versions, in files as in PostgreSQL:
// those in sandbox mode and those without a phone number are nobody's, what staff have recorded
// about a number stays, and each shop counts its own.
func TestSteps_BuyersOrders(t *testing.T) {
	t.Parallel()
	step := slices.IndexFunc(tenants.Steps(), func(s db.Step) bool { return s.Name == "orders of customers and guests" })
	before := schemaOfVersion(t, step+1)
	t.Run("files", func(t *testing.T) {
		t.Parallel()
		dir := t.TempDir()
		checkBuyersStep(t, step, func(steps []db.Step) *db.Store {
			return openStore(t, dir, sqlite.Options{Schema: before, Steps: steps}).Store
		})
	})
	t.Run("PostgreSQL", func(t *testing.T) {
		t.Parallel()
		c := dbtest.NewCluster(t)
		checkBuyersStep(t, step, func(steps []db.Step) *db.Store {
			engine, err := postgres.Open(t.Context(), c.Address("postgres"), postgres.Options{Schema: before, Steps: steps})
			if err != nil {
				t.Fatal(err)
			}
			return db.New(engine, db.Options{})
		})
	})
}

// checkBuyersStep fills two shops of the version before the step, and checks them after it.
func checkBuyersStep(t *testing.T, step int, open func([]db.Step) *db.Store) {
	t.Helper()
	shops := map[db.ID][]stepOrder{
		"acme": {
			{"A", "+2", "Karim", "pending", "unpaid", 0, 100, 10},
			{"A", "+1", "Karim", "cancelled", "refunded", 0, 200, 20},
			{"A", "+1", "Karim", "returned", "refunded", 0, 1600, 19},
			{"A", "+1", "Karim", "completed", "partially_refunded", 0, 3200, 18},
			{"A", "+1", "Karim", "pending", "unpaid", 1, 400, 30},
			{nil, "+2", "Older", "pending", "unpaid", 0, 100, 10},
			{nil, "+2", "Newest", "expired", "unpaid", 0, 200, 20},
			{nil, "+2", "Middle", "completed", "refunded", 0, 400, 15},
			{nil, "+2", "Cancelled", "cancelled", "refunded", 0, 1600, 14},
			{nil, "+2", "Unpaid online", "pending_payment", "pending", 0, 3200, 13},
			{nil, "+2", "Sandbox", "pending", "unpaid", 1, 800, 40},
			{nil, "+3", "First", "pending", "unpaid", 0, 100, 10},
			{nil, "+3", "Second at once", "pending", "unpaid", 0, 100, 10},
			{nil, "", "", "pending", "unpaid", 0, 100, 10},
		},
		"zeta": {
			{"A", "+1", "Karim", "completed", "paid", 0, 7, 5},
			{nil, "+2", "Another", "completed", "paid", 0, 9, 50},
		},
	}
	before := open(tenants.Steps()[:step])
	for id, orders := range shops {
		err := before.Create(t.Context(), id, func(_ context.Context, tx *db.Tx) error { return insertStepOrders(tx, orders) })
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := before.Close(t.Context()); err != nil {
		t.Fatal(err)
	}

	after := open(tenants.Steps()[:step+1])
	defer after.Close(context.Background())
	for id, want := range map[db.ID][]string{
		"acme": {
			"A: 4 orders of 3300, the last at 20",
			"B: 0 orders of 0, the last at 0",
			"+2 Newest: 5 orders of 500, the last at 20, Calls backnone at 7",
			"+3 Second at once: 2 orders of 200, the last at 10, none at 10",
			"+9 : 0 orders of 0, the last at 0, cash at 7",
		},
		"zeta": {
			"A: 1 orders of 7, the last at 5",
			"B: 0 orders of 0, the last at 0",
			"+2 Another: 1 orders of 9, the last at 50, Calls backnone at 7",
			"+9 : 0 orders of 0, the last at 0, cash at 7",
		},
	} {
		var got []string
		err := after.View(t.Context(), id, func(_ context.Context, tx *db.Tx) (err error) {
			got, err = db.Query(tx, db.ScanText, `
				SELECT line
				FROM (
					SELECT 0 AS part, id AS buyer, id || ': ' || orders || ' orders of ' || spent || ', the last at ' || last_order_at AS line
					FROM customers
					UNION ALL
					SELECT 1 AS part, phone AS buyer, phone || ' ' || name || ': ' || orders || ' orders of ' || spent || ', the last at '
						|| last_order_at || ', ' || note || blocked || ' at ' || updated_at AS line
					FROM contacts) buyers
				ORDER BY part, buyer`)
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", id, diff)
		}
	}
}

// insertStepOrders inserts orders with their accounts, and what staff have recorded about two
// phone numbers.
func insertStepOrders(tx *db.Tx, orders []stepOrder) error {
	for _, insert := range []string{
		`INSERT INTO customers (id, name, phone, created_at, updated_at) VALUES ('A', 'Karim', '+1', 1, 1), ('B', 'Salma', NULL, 1, 1)`,
		`INSERT INTO contacts (phone, note, tags, blocked, reason, updated_at) VALUES ('+2', 'Calls back', '[]', 'none', '', 7),
			('+9', '', '[]', 'cash', '', 7)`,
	} {
		if _, err := tx.Exec(insert); err != nil {
			return err
		}
	}
	for i, o := range orders {
		_, err := tx.Exec(`
			INSERT INTO orders (number, id, status, payment_status, fulfillment_status, payment_method, test, customer_id, customer_name,
				customer_phone, line1, line2, area, city, postcode, country, note, delivery_charge_id, delivery_name, subtotal, discount,
				delivery_charge, rounding, total, placed_at, updated_at)
			VALUES (?, ?, ?, ?, CASE ? WHEN 'returned' THEN 'returned' WHEN 'completed' THEN 'delivered' ELSE 'unfulfilled' END,
				CASE ? WHEN 'pending_payment' THEN 'gateway_a' ELSE 'cod' END, ?, ?, ?, ?, '', '', '', '', '', '', '', '', '', ?, 0, 0, 0, ?, ?, 1)`,
			i+1, string(rune('a'+i)), o.status, o.payment, o.status, o.status, o.test, o.customer, o.name, o.phone, o.total, o.total, o.placeAt)
		if err != nil {
			return err
		}
	}
	return nil
}
