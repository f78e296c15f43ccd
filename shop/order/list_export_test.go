package order_test

import (
	"bytes"
	"encoding/csv"
	"fmt"
	"testing"

	"storefront/shop/access"
	"storefront/shop/order"
	"storefront/shop/page"
	"storefront/shop/shoptest"
	"storefront/shop/status"
)

// An export has every order once, with what its columns say, even if the orders change while it is
// read.
func TestOrder_ExportDuringChanges(t *testing.T) {
	t.Parallel()
	a := shoptest.NewAccounts(t)
	const orders = 250
	for i := range orders {
		a.InsertOrder(t, fmt.Sprintf("%016d", i), shoptest.RahimsPhone)
	}
	a.InsertLines(t)
	a.Exec(t, `UPDATE orders SET updated_at = number, source = 'phone', advance = 40, discount = 10, staff_discount = 10, discount_reason = 'Friend',
		total = 90`)
	for _, sort := range []order.Sort{order.SortPlaced, order.SortUpdated, order.SortTotal} {
		for _, direction := range []string{page.Descending, page.Ascending} {
			file := &changingFile{change: func() {
				a.InsertOrder(t, fmt.Sprintf("new-%v-%s", sort, direction), shoptest.RahimsPhone)
				a.Exec(t, `UPDATE orders SET updated_at = CASE WHEN number % 2 = 0 THEN 0 ELSE 100000 + number END,
					total = total + number % 3, subtotal = subtotal + number % 3`)
			}}
			filter := order.ListFilter{SortBy: sort, Sort: direction, Source: []status.Source{status.SourcePhone}}
			if err := a.Orders.ExportOrders(t.Context(), access.Operator(), filter, file); err != nil {
				t.Fatal(err)
			}
			rows, err := csv.NewReader(&file.Buffer).ReadAll()
			if err != nil {
				t.Fatal(err)
			}
			seen := map[string]bool{}
			for _, row := range rows[1:] {
				seen[row[0]] = true
			}
			if got, want := fmt.Sprint(rows[1][33:37]), "[phone Friend 0.10 0.40]"; got != want {
				t.Errorf("by %s: got the last columns %s, want %s", sort, got, want)
			}
			if len(rows) != 1+orders || len(seen) != orders {
				t.Errorf("by %s: got %d rows of %d orders, want %d", sort, len(rows)-1, len(seen), orders)
			}
		}
	}
}

// changingFile is a file that calls change when a part of it is first written.
type changingFile struct {
	bytes.Buffer
	change func()
}

func (f *changingFile) Write(p []byte) (int, error) {
	if f.change != nil {
		f.change()
		f.change = nil
	}
	return f.Buffer.Write(p)
}
