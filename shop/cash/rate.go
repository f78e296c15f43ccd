package cash

import (
	"storefront/shop/plugin"
	"storefront/shop/status"
)

// Rates are the couriers' shares of the collected cash, in basis points.
type Rates map[plugin.Provider]int64

func (r Rates) apply(rows []*Row) {
	for _, l := range rows {
		l.rate = r[l.Shipment.provider]
	}
}

// FeesOf returns the couriers' fees for all shipments of an order, and their shares of the cash
// that are not part of the fees. known is false if a fee was not reported.
func (r Rates) FeesOf(rows []*Row) (fees, shares int64, known bool) {
	r.apply(rows)
	known = true
	for _, l := range rows {
		if l.fee == nil && l.Shipment.Status != status.ShipmentCancelled {
			known = false
		}
		fees += amountOf(l.fee)
		shares += l.cashShare()
	}
	return fees, shares, known
}
