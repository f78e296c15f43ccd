package shop_test

import (
	"context"
	"strings"
	"testing"

	"storefront/db"
	"storefront/shop"
)

// TestOrderQueries_Plan holds that no statement of an order grows with the catalogue or with other
// people's orders: rows are looked up, and lists come out of an index in their order.
func TestOrderQueries_Plan(t *testing.T) {
	t.Parallel()
	s := newOrderShop(t, nil)
	for name, query := range shop.OrderQueries() {
		var plan []string
		err := s.store.View(t.Context(), db.ID(s.UID()), func(ctx context.Context, tx *db.Tx) error {
			plan = nil
			args := make([]any, strings.Count(query, "?"))
			return tx.Each("EXPLAIN QUERY PLAN "+query, args, func(r db.Row) error {
				var id, parent, unused int
				var step string
				err := r.Scan(&id, &parent, &unused, &step)
				plan = append(plan, step)
				return err
			})
		})
		if err != nil {
			t.Fatal(err)
		}
		for _, step := range plan {
			switch {
			case strings.HasPrefix(step, "SCAN orders USING") && (name == "all orders" || name == "due next"), step == "SCAN uses":
			case strings.HasPrefix(step, "SCAN"), strings.Contains(step, "products_by_published"),
				strings.Contains(step, "TEMP B-TREE") && name != "uses of a coupon":
				t.Errorf("%s: %s", name, strings.Join(plan, "; "))
			}
		}
	}
}
