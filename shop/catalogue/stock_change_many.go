package catalogue

import (
	"context"
	"fmt"

	"storefront/db"
	"storefront/shop/access"
	"storefront/shop/fault"
	"storefront/shop/outbox"
)

// MaxStockItems limits the variants of one change of stock.
const MaxStockItems = 500

// StockItem is the change of the stock of one variant among many. It has Set or Adjust.
type StockItem struct {
	VariantID string
	SKU       string // instead of VariantID
	Set       *int64 // units in stock
	From      *int64 // with Set: the stock at the time of counting; later changes are retained
	Adjust    *int64 // units to add, or to subtract if negative
}

// ChangeStocks changes the stock of many variants in one transaction, all or none, and records the
// movements with the note. It returns the levels in the order of the items. Codes:
// validation_failed, unauthenticated, forbidden.
func (c *Catalogue) ChangeStocks(ctx context.Context, caller access.Caller, items []StockItem, note string) ([]StockLevel, error) {
	if err := c.postOrders(ctx); err != nil { // their movements come first
		return nil, err
	}
	return access.WriteAlone(ctx, c.data, caller, access.ToChangeStocks, func(tx *db.Tx, who access.Staff) ([]StockLevel, error) {
		changes, err := checkStockItems(items, note)
		if err != nil {
			return nil, err
		}
		rows, err := findStocks(tx, items)
		if err != nil {
			return nil, err
		}
		if err := c.changeStocks(tx, who, rows, changes); err != nil {
			return nil, err
		}
		levels := make([]StockLevel, len(rows))
		for i, row := range rows {
			levels[i] = row.level()
		}
		return levels, nil
	})
}

func stockItemField(i int) string { return fmt.Sprintf("items[%d].", i) }

// checkStockItems checks the fields that do not depend on the variants.
func checkStockItems(items []StockItem, note string) ([]StockChange, error) {
	var bad fault.Invalid
	if len(items) == 0 || len(items) > MaxStockItems {
		bad.Add("items", fault.CodeInvalidValue, "Must have 1 to %d items.", MaxStockItems)
		return nil, bad.Err()
	}
	changes := make([]StockChange, len(items))
	for i, item := range items {
		at := stockItemField(i)
		if (item.VariantID == "") == (item.SKU == "") {
			bad.Add(at+"variantId", fault.CodeInvalidValue, "Must have either variantId or sku.")
		}
		if item.Set == nil && item.Adjust == nil {
			bad.Add(at+"set", fault.CodeRequired, "Must have set or adjust.")
		}
		changes[i] = StockChange{Set: item.Set, From: item.From, Adjust: item.Adjust}
		changes[i].check(&bad, at)
	}
	whole := StockChange{Note: note}
	whole.check(&bad, "")
	for i := range changes {
		changes[i].Note = whole.Note
	}
	return changes, bad.Err()
}

// changeStocks applies each change to the row at its index, and stores and audits the rows that
// differ.
func (c *Catalogue) changeStocks(tx *db.Tx, who access.Staff, rows []*stockRow, changes []StockChange) error {
	var bad fault.Invalid
	var events []outbox.Event
	var movements []Movement
	var stocks [][]any
	products := map[string]bool{}
	before := make([]stockRow, len(rows))
	for i, row := range rows {
		before[i] = *row
		was := row.variant()
		row.apply(&bad, stockItemField(i), changes[i])
		if row.stock == was.stock {
			continue
		}
		if !products[row.productID] {
			products[row.productID] = true
			events = append(events, outbox.Event{Type: outbox.ProductUpdated, Subject: row.productID})
		}
		now := row.variant()
		events = append(events, stockEvents(&was, &now)...)
		movements = append(movements, Movement{VariantID: row.id, Delta: row.stock - was.stock})
		stocks = append(stocks, []any{row.stock, row.id})
	}
	if err := bad.Err(); err != nil {
		return err
	}
	if len(stocks) == 0 {
		return nil
	}
	if err := updateStocks(tx, stocks); err != nil {
		return err
	}
	for _, event := range events {
		if event.Type == outbox.ProductUpdated {
			if err := TouchProduct(tx, event.Subject); err != nil {
				return err
			}
		}
	}
	if err := outbox.Append(tx, events...); err != nil {
		return err
	}
	if err := c.RecordMovements(tx, nil, MovedByAdjustment, changes[0].Note, movements); err != nil {
		return err
	}
	for i, row := range rows {
		if row.stock == before[i].stock {
			continue
		}
		subject := access.Subject{Kind: access.SubjectVariant, ID: row.id, Label: row.level().Title}
		if err := who.Audit(tx, subject, row.changes(before[i])...); err != nil {
			return err
		}
	}
	return nil
}

// findStocks returns the variants of the items, in their order. Codes: validation_failed.
func findStocks(tx *db.Tx, items []StockItem) ([]*stockRow, error) {
	var ids, skus []string
	for _, item := range items {
		if item.SKU != "" {
			skus = append(skus, item.SKU)
		} else {
			ids = append(ids, item.VariantID)
		}
	}
	byID, err := findStocksBy(tx, "v.id", ids, func(r *stockRow) string { return r.id })
	if err != nil {
		return nil, err
	}
	bySKU, err := findStocksBy(tx, "v.sku", skus, func(r *stockRow) string { return r.sku })
	if err != nil {
		return nil, err
	}
	var bad fault.Invalid
	rows := make([]*stockRow, len(items))
	first := map[string]int{}
	for i, item := range items {
		field, none, found := stockItemField(i)+"variantId", "No variant has this _id.", byID[item.VariantID]
		if item.SKU != "" {
			field, none, found = stockItemField(i)+"sku", fmt.Sprintf("No variant has the SKU %s.", item.SKU), bySKU[item.SKU]
		}
		switch len(found) {
		case 0:
			bad.Add(field, fault.CodeInvalidValue, "%s", none)
			continue
		case 1:
		default:
			bad.Add(field, fault.CodeInvalidValue, "Several variants have the SKU %s: use the _id of one of them.", item.SKU)
			continue
		}
		rows[i] = found[0]
		if j, again := first[found[0].id]; again {
			bad.Add(field, fault.CodeInvalidValue, "Must not be the variant of items[%d] again.", j)
			continue
		}
		first[found[0].id] = i
	}
	return rows, bad.Err()
}
