package sales

import (
	"context"

	"storefront/db"
	"storefront/shop/status"
)

// Queries returns the statements about the sales of a period.
func Queries() []string { return []string{soldOrdersQuery, soldItemsQuery, soldShipmentsQuery} }

// CountByStatus returns the number of orders of each status, and whether it is exact.
func (r *Reports) CountByStatus(ctx context.Context) (byStatus map[status.Order]int, exact bool, err error) {
	err = r.cfg.Data.View(ctx, func(_ context.Context, tx *db.Tx) error {
		zone, err := r.cfg.ZoneIn(tx)
		if err != nil {
			return err
		}
		byStatus, exact, err = CountByStatus(tx, zone)
		return err
	})
	return byStatus, exact, err
}
