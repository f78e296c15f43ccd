package cmd_test

import (
	"fmt"
	"strings"
	"testing"

	"storefront/cmd"
	"storefront/db"
	"storefront/shop/shoptest"
)

// A statement of many shipments is recorded once: with other amounts, repeated and unknown rows
// listed, to the paisa.
func TestCODReconcile_ManyShipments(t *testing.T) {
	t.Parallel()
	const orders = 1200
	c := newConsole(t)
	c.must("tenant", "create", "acme", "--name", "Acme")
	c.must("product", "import", "acme", writeFile(t, "products.csv", twoProducts))
	placeOrder(t, c.dir, "acme")
	var statement string
	withShops(t, c.dir, func(s *db.Store) error {
		statement = shoptest.InsertDelivered(t, s, "acme", orders)
		return nil
	})
	var rows []string
	for i, row := range strings.Split(strings.TrimSpace(statement), "\n") {
		switch {
		case i == 0:
		case i%100 == 0: // 12 payouts are 1.05 less
			row = strings.TrimSuffix(row, "460") + "458.95"
		case i%100 == 1: // and 12 shipments were not paid in full by the buyer, which was not reported before
			row = strings.Replace(row, "520,60,460", "500,60,440", 1)
		}
		rows = append(rows, row)
	}
	rows = append(rows, "DL00000007,520,60,9999", "DL00000008,1,1,1", "DL99999999,520,60,460", "\"\",1,1,1")
	file := writeFile(t, "statement.csv", strings.Join(rows, "\n"))
	const paidOut = orders*46000 - 12*105 - 12*2000

	type result struct {
		Provider    string
		Parcels     int
		PaidOut     struct{ Amount int64 }
		Differences []struct{ ConsignmentID, What string }
	}
	for _, args := range [][]string{{"--dry-run"}, nil} {
		var got result
		c.json(&got, append([]string{"cod", "reconcile", "acme", file}, args...)...)
		problems := map[string]int{}
		for _, d := range got.Differences {
			problems[d.What]++
		}
		want := fmt.Sprint(map[string]int{
			"No shipment has this consignment ID.":                                        1,
			"The statement lists this consignment ID twice; the first row counts.":        2,
			"The statement has a different cash amount than the courier reported before.": 12,
			"The courier collected a different amount than was due.":                      12,
			"The courier paid out a different amount than it collected minus its fee.":    12,
		})
		if fmt.Sprint(problems) != want || got.Provider != "courier_a" || got.Parcels != orders || got.PaidOut.Amount != paidOut {
			t.Errorf("%v: got %s, %d shipments, %d paid out, %v, want courier_a, %d, %d, %s",
				args, got.Provider, got.Parcels, got.PaidOut.Amount, problems, orders, paidOut, want)
		}
	}
	c.fails(cmd.ExitFailed, "already been reconciled", "cod", "reconcile", "acme", file)
	var report struct {
		Couriers []struct {
			Holding int
			Held    struct{ Amount int64 }
			PaidOut struct{ Amount int64 }
		}
		Incomplete []string
	}
	c.json(&report, "api", "acme", "getCash")
	if got := report.Couriers[0]; got.Holding != 0 || got.Held.Amount != 0 || got.PaidOut.Amount != paidOut || len(report.Incomplete) != 0 {
		t.Errorf("cod report: got %+v, want %d paid out and nothing held", report, paidOut)
	}
}
