package cash

import (
	"time"

	"storefront/db"
	"storefront/shop/plugin"
)

// LateCash is cash that a courier has held for long.
type LateCash struct {
	Courier plugin.Provider
	Held    int64 // all that it holds, in minor units
	Days    int   // since the delivery of its oldest shipment
}

// FindLate returns the couriers with cash from a delivery at least so many days ago. A courier
// with shipments that are being counted is omitted.
func FindLate(tx *db.Tx, days int) (late []LateCash, err error) {
	sums, err := findSums(tx)
	if err != nil {
		return nil, err
	}
	if err := sums.oldestHeld(tx); err != nil {
		return nil, err
	}
	for _, courier := range []plugin.Provider{plugin.CourierA, plugin.CourierB} {
		sum := sums[courier]
		if sum.counting || sum.holding == 0 {
			continue
		}
		since := int(tx.Now().Sub(db.FromMillis(sum.oldestMovedAt)) / (24 * time.Hour))
		if since >= days {
			late = append(late, LateCash{courier, sum.held, since})
		}
	}
	return late, nil
}
