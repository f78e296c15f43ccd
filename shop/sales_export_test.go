package shop

import (
	"context"

	"storefront/db"
	"storefront/shop/status"
)

// SalesQueries returns the statements about the sales of a period.
func SalesQueries() []string { return []string{soldOrdersQuery, soldItemsQuery, soldShipmentsQuery} }

// CountByStatus returns the number of orders of each status, and whether it is exact.
func (s *Shop) CountByStatus(ctx context.Context) (byStatus map[status.Order]int, exact bool, err error) {
	err = s.data.View(ctx, func(_ context.Context, tx *db.Tx) error {
		byStatus, exact, err = countByStatus(tx)
		return err
	})
	return byStatus, exact, err
}
