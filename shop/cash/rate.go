package cash

import "storefront/shop/plugin"

// Rates are the couriers' shares of the collected cash, in basis points.
type Rates map[plugin.Provider]int64

func (r Rates) apply(rows []*Row) {
	for _, l := range rows {
		l.rate = r[l.Shipment.provider]
	}
}
