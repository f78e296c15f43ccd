package shop

import "storefront/shop/plugin"

// CashRates are the couriers' shares of the collected cash, in basis points.
type CashRates map[plugin.Provider]int64

func (r CashRates) apply(rows []*ledgerRow) {
	for _, l := range rows {
		l.rate = r[l.shipment.provider]
	}
}
