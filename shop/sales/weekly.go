package sales

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"storefront/db"
	"storefront/shop/timezone"
)

// weeklyDays are the days before a weekly summary. It considers their orders.
const weeklyDays = 28

// ReturningArea is an area from which many orders come back.
type ReturningArea struct {
	City, Area          string
	Delivered, Returned int
}

// lastWeeks returns the sums of the last days by a grouping.
func lastWeeks(ctx context.Context, tx *db.Tx, by Grouping, set Settings) (periodSums, error) {
	today := timezone.StartOfDay(tx.Now().In(set.Zone), 0)
	days := timezone.Days(timezone.StartOfDay(today, -weeklyDays), timezone.StartOfDay(today, -1))
	sums, err := findSales(ctx, tx, by, days)
	if err == nil {
		sums.foldPlaces(by, set.Country)
	}
	return sums, err
}

// FindReturningAreas returns the areas with the most orders that came back in the last four weeks,
// at most limit. An area counts from ten deliveries and returns on, if a quarter of them came back.
func FindReturningAreas(
	ctx context.Context, tx *db.Tx, set Settings, limit int,
) (areas []ReturningArea, err error) {
	sums, err := lastWeeks(ctx, tx, ByArea, set)
	if err != nil {
		return nil, err
	}
	for _, row := range sums.rows {
		delivered, returned := int(row.sums[sumDelivered]), int(row.sums[sumReturned])
		if all := delivered + returned; all < 10 || returned*4 < all {
			continue
		}
		city, area, _ := strings.Cut(row.key, areaSeparator)
		areas = append(areas, ReturningArea{city, area, delivered, returned})
	}
	slices.SortFunc(areas, func(a, b ReturningArea) int {
		return cmp.Or(cmp.Compare(b.Returned, a.Returned), cmp.Compare(a.City, b.City), cmp.Compare(a.Area, b.Area))
	})
	return areas[:min(limit, len(areas))], nil
}

// CountReturningBuyers returns the number of buyers with at least two orders that came back in the
// last four weeks.
func CountReturningBuyers(tx *db.Tx) (n int, err error) {
	err = tx.QueryRow(`
		SELECT COUNT(*)
		FROM (
			SELECT customer_phone
			FROM orders
			WHERE updated_at >= ? AND status = 'returned' AND test = 0 AND customer_phone <> ''
			GROUP BY customer_phone
			HAVING COUNT(*) > 1) buyers`, db.Millis(tx.Now().Add(-weeklyDays*24*time.Hour))).Scan(&n)
	if err != nil {
		return 0, fmt.Errorf("count returning buyers: %w", err)
	}
	return n, nil
}

// EndingProduct is a product that will soon be sold out at its present rate of sales.
type EndingProduct struct {
	Title string
	Stock int64 // units
	Days  int   // for which it suffices
}

// maxEnding limits the products that are compared with their stock: those that sell best.
const maxEnding = 200

// FindEndingProducts returns the products that will be sold out within a week, the first one first.
// Products that can be ordered without stock are omitted.
func FindEndingProducts(
	ctx context.Context, tx *db.Tx, set Settings,
) (ending []EndingProduct, err error) {
	sums, err := lastWeeks(ctx, tx, ByProduct, set)
	if err != nil {
		return nil, err
	}
	best, _ := sums.largest(maxEnding)
	units, ids := map[string]int64{}, []string{}
	for _, row := range best {
		if n := row.sums[sumUnits]; n > 0 {
			units[row.key] = n
			ids = append(ids, row.key)
		}
	}
	for part := range db.Chunks(ids) {
		list, args := db.InList(part)
		err := tx.Each(`
			SELECT p.id, p.title, SUM(v.stock)
			FROM products p
			JOIN variants v ON v.product_id = p.id
			WHERE p.status = 'active' AND p.id IN `+list+`
			GROUP BY p.id, p.title
			HAVING MIN(v.tracked) = 1 AND MAX(v.backorder) = 0 AND SUM(v.stock) > 0`, args, func(r db.Row) error {
			var id string
			var of EndingProduct
			if err := r.Scan(&id, &of.Title, &of.Stock); err != nil {
				return err
			}
			if of.Days = int(of.Stock * weeklyDays / units[id]); of.Days < 7 {
				ending = append(ending, of)
			}
			return nil
		})
		if err != nil {
			return nil, fmt.Errorf("find stock of products: %w", err)
		}
	}
	slices.SortFunc(ending, func(a, b EndingProduct) int {
		return cmp.Or(cmp.Compare(a.Days, b.Days), cmp.Compare(a.Title, b.Title))
	})
	return ending, nil
}
