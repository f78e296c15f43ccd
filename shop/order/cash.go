package order

import (
	"context"

	"storefront/db"
	"storefront/shop/cash"
	"storefront/shop/page"
	"storefront/shop/plugin"
)

// recordCourierCash adds the amounts of a courier's event to the ledger.
func (c *orderChange) recordCourierCash(shipment *shipmentRow, event plugin.CourierEvent, at int64) {
	for _, entry := range cash.ReportedEntries(shipment.id, event, at) {
		c.addLedgerEntry(entry)
	}
}

func (c *orderChange) addLedgerEntry(e cash.Entry) {
	if c.err == nil {
		c.err, c.wrote.cash = c.s.cfg.Cash.AddEntry(c.tx, e), true
	}
}

// changesCash reports whether the change may affect the cash of the order's shipments.
func (c *orderChange) changesCash() bool {
	return len(c.o.shipments) > 0 &&
		(c.wrote != facts{} || c.contentsChanged() || c.o.method != c.was.method)
}

// FollowStatement updates the flags of the orders with shipments in a statement, and marks orders
// as paid if the statement shows their cash.
func (s *Orders) FollowStatement(tx *db.Tx, courier plugin.Provider, orderIDs []string) error {
	for _, id := range orderIDs {
		if err := s.followRecords(tx, id, Cause(courier), facts{cash: true}); err != nil {
			return err
		}
	}
	return nil
}

// FindOrdersFor returns what finds the orders that have the words of a text, nil if it has no
// words, and the state of a search index that is behind.
func (s *Orders) FindOrdersFor(
	ctx context.Context, text string,
) (cash.OrderFinder, *page.Indexing, error) {
	search, ok := NewSearch(text)
	if !ok {
		return nil, nil, nil
	}
	indexing, err := s.updateOrderSearch(ctx, searchBatches)
	if err != nil {
		return nil, nil, err
	}
	return func(tx *db.Tx) (query string, args []any, err error) {
		err = search.find(tx)
		return search.found.query, search.found.args, err
	}, indexing, nil
}
