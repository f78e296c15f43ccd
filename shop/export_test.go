package shop

import (
	"context"

	"storefront/db"
	"storefront/shop/order"
	"storefront/shop/page"
)

// CustomerQueries returns the queries of a page of buyers, by what they are sorted by.
func CustomerQueries() map[CustomerSort]string {
	queries := map[CustomerSort]string{}
	for _, by := range CustomerSorts() {
		q := newCustomerQuery(&CustomerFilter{SortBy: by, Search: "rahima"}, "BD")
		queries[by], _ = q.page(page.Window{Page: 1, Limit: page.DefaultLimit})
	}
	return queries
}

// CountBuyers counts the orders of all buyers, as if they had been placed.
func (s *Shop) CountBuyers(ctx context.Context) error {
	return s.data.UpdateAlone(ctx, func(_ context.Context, tx *db.Tx) error {
		buyers, err := db.Query(tx, func(r db.Row) (b order.Buyer, err error) {
			return b, r.Scan(&b.CustomerID, &b.Phone)
		}, `
			SELECT DISTINCT COALESCE(customer_id, ''), CASE WHEN customer_id IS NULL THEN customer_phone ELSE '' END
			FROM orders`)
		if err != nil {
			return err
		}
		return order.CountBuyers(tx, buyers...)
	})
}

// BacklogQueries returns the queries of the backlog.
func BacklogQueries() map[string]string {
	return map[string]string{"backlog": countBacklogQuery, "newest failed start": failedStartQuery}
}
