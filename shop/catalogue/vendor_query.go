package catalogue

import (
	"fmt"

	"storefront/db"
	"storefront/shop/page"
)

// hasVendor is the condition on products p that a vendor's count includes p. Its parameter is that
// of Published.
const hasVendor = Published + " AND p.vendor <> ''"

func countVendors(tx *db.Tx) (total int, err error) {
	err = tx.QueryRow(`
		SELECT COUNT(DISTINCT p.vendor)
		FROM products p
		WHERE `+hasVendor, db.Millis(tx.Now())).Scan(&total)
	if err != nil {
		return 0, fmt.Errorf("count vendors: %w", err)
	}
	return total, nil
}

func findVendors(tx *db.Tx, window page.Window) ([]Vendor, error) {
	query := `
		SELECT p.vendor, COUNT(*)
		FROM products p
		WHERE ` + hasVendor + `
		GROUP BY p.vendor
		ORDER BY p.vendor`
	args := []any{db.Millis(tx.Now())}
	if window.Limit != page.NoLimit {
		query += onePage
		args = append(args, window.Limit, window.Offset())
	}
	vendors, err := db.Query(tx, func(r db.Row) (v Vendor, err error) {
		return v, r.Scan(&v.Name, &v.ProductCount)
	}, query, args...)
	if err != nil {
		return nil, fmt.Errorf("find vendors: %w", err)
	}
	return vendors, nil
}
