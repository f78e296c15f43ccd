package catalogue

import (
	"slices"

	"storefront/shop/outbox"
)

// StockFall is a change of the stock of a tracked variant, which may fall to a worse status.
type StockFall struct {
	VariantID string
	LowStock  int64 // units at or below which stock is low
	Backorder bool
	From, To  int64 // units
}

// Events returns the event of the new status, if it is worse than before.
func (f StockFall) Events() []outbox.Event {
	before := variantRow{id: f.VariantID, tracked: true, backorder: f.Backorder, stock: f.From, lowStock: f.LowStock}
	after := before
	after.stock = f.To
	return stockEvents(&before, &after)
}

// stockEvents returns the event of a variant whose stock status has become worse.
func stockEvents(before, after *variantRow) []outbox.Event {
	status := after.stockStatus()
	if slices.Index(stockRank, status) <= slices.Index(stockRank, before.stockStatus()) {
		return nil
	}
	kind := outbox.StockOut
	if status == StockLow {
		kind = outbox.StockLow
	}
	return []outbox.Event{{Type: kind, Subject: after.id, Data: outbox.Data{Status: string(status)}}}
}
