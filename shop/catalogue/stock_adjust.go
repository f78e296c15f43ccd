package catalogue

import (
	"context"
	"fmt"
	"time"

	"storefront/db"
	"storefront/shop/access"
	"storefront/shop/fault"
	"storefront/shop/input"
	"storefront/shop/page"
)

// movedByHand is the reason of movements that staff make.
const movedByHand = "adjustment"

// MaxStockNote is the longest note of a movement, in characters.
const MaxStockNote = 200

// StockLevel is how a variant's stock stands.
type StockLevel struct {
	ProductID string      `json:"productId"`
	VariantID string      `json:"variantId"`
	SKU       *string     `json:"sku"`
	Title     string      `json:"title"` // the product's, with the variant's options
	Tracked   bool        `json:"tracked"`
	Backorder bool        `json:"backorder"`
	Stock     int64       `json:"stock"`
	LowStock  int64       `json:"lowStock"` // at or below it the variant counts as low
	Status    StockStatus `json:"stockStatus"`
}

// StockChange says what is to become of a variant's stock. What is nil stays.
type StockChange struct {
	Set       *int64 // what is there
	Adjust    *int64 // more or less than there was; not together with Set
	Tracked   *bool  // false: not counted, always available
	Backorder *bool  // may be sold below zero
	LowStock  *int64
	Note      string // why, for the history; "": none
}

// StockMovement is one change of a variant's stock.
type StockMovement struct {
	At         time.Time `json:"at"`
	Delta      int64     `json:"delta"`
	Balance    int64     `json:"balance"` // stock after it
	Reason     string    `json:"reason"`
	InvoiceUID *string   `json:"invoiceUid"` // of the order that moved it
	Note       *string   `json:"note"`
}

// StockHistory is how a variant's stock came to be, newest movement first.
type StockHistory struct {
	StockLevel
	Movements page.Page[StockMovement] `json:"movements"`
}

// ChangeStock changes the stock of the variant with this id or SKU and writes the movement down.
// Codes: validation_failed, not_found, state_conflict (two variants have the SKU).
func (c *Catalogue) ChangeStock(ctx context.Context, caller access.Caller, variant string, change StockChange) (*StockLevel, error) {
	if err := c.authorize(ctx, caller); err != nil {
		return nil, err
	}
	var bad fault.Invalid
	if change.Set != nil && change.Adjust != nil {
		bad.Add("adjust", fault.CodeInvalidValue, "Stock is set or adjusted, not both.")
	}
	change.Note = input.CheckLine(&bad, "note", change.Note, MaxStockNote)
	for field, n := range map[string]*int64{"set": change.Set, "adjust": change.Adjust, "lowStock": change.LowStock} {
		if n != nil && (*n > maxCount || *n < -maxCount || *n < 0 && field == "lowStock") {
			bad.Add(field, fault.CodeInvalidValue, "This is a whole number up to %d.", maxCount)
		}
	}
	if err := bad.Err(); err != nil {
		return nil, err
	}
	var level StockLevel
	err := c.update(ctx, func(ctx context.Context, tx *db.Tx) error {
		row, err := findStock(tx, variant)
		if err != nil {
			return err
		}
		if err := c.changeStock(tx, row, change); err != nil {
			return err
		}
		level = row.level()
		return nil
	})
	if err != nil {
		return nil, err
	}
	return &level, nil
}

func (c *Catalogue) changeStock(tx *db.Tx, row *stockRow, change StockChange) error {
	before := row.stock
	if change.Tracked != nil {
		row.tracked = *change.Tracked
	}
	if change.Backorder != nil {
		row.backorder = *change.Backorder
	}
	if change.LowStock != nil {
		row.lowStock = *change.LowStock
	}
	var bad fault.Invalid
	switch {
	case (change.Set != nil || change.Adjust != nil) && !row.tracked:
		bad.Add("tracked", fault.CodeInvalidValue, "The stock of this variant is not counted: have it counted first.")
	case change.Set != nil:
		row.stock = *change.Set
	case change.Adjust != nil:
		row.stock += *change.Adjust
	}
	if row.stock < 0 && row.tracked && !row.backorder {
		bad.Add("stock", fault.CodeInvalidValue, "That would leave %d, and this variant is not sold below zero.", row.stock)
	}
	if err := bad.Err(); err != nil {
		return err
	}
	if err := updateStock(tx, row); err != nil || row.stock == before {
		return err
	}
	return c.RecordMovements(tx, nil, movedByHand, change.Note, []Movement{{VariantID: row.id, Delta: row.stock - before}})
}

// FindStockHistory gives one page of a variant's movements. Codes: validation_failed, not_found,
// state_conflict (two variants have the SKU).
func (c *Catalogue) FindStockHistory(ctx context.Context, caller access.Caller, variant string, request page.Request) (*StockHistory, error) {
	if err := c.authorize(ctx, caller); err != nil {
		return nil, err
	}
	var bad fault.Invalid
	w := request.Window(&bad)
	if err := bad.Err(); err != nil {
		return nil, err
	}
	var history StockHistory
	err := c.view(ctx, func(ctx context.Context, tx *db.Tx) error {
		row, err := findStock(tx, variant)
		if err != nil {
			return err
		}
		total, err := countMoves(tx, row.id)
		if err != nil {
			return err
		}
		moves, err := findMoves(tx, row.id, w)
		history = StockHistory{StockLevel: row.level(), Movements: page.Page[StockMovement]{Nodes: moves, Meta: w.MetaFor(total)}}
		return err
	})
	if err != nil {
		return nil, err
	}
	return &history, nil
}

// ListLowStock gives the counted variants that are low or out, the lowest first.
// Codes: validation_failed.
func (c *Catalogue) ListLowStock(ctx context.Context, caller access.Caller, request page.Request) (*page.Page[StockLevel], error) {
	if err := c.authorize(ctx, caller); err != nil {
		return nil, err
	}
	var bad fault.Invalid
	w := request.Window(&bad)
	if err := bad.Err(); err != nil {
		return nil, err
	}
	low := &page.Page[StockLevel]{}
	err := c.view(ctx, func(ctx context.Context, tx *db.Tx) error {
		total, err := countLowStock(tx)
		if err != nil {
			return err
		}
		rows, err := findLowStock(tx, w)
		low.Nodes, low.Meta = make([]StockLevel, len(rows)), w.MetaFor(total)
		for i, row := range rows {
			low.Nodes[i] = row.level()
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	return low, nil
}

// stockRow is what a variant's row says of its stock.
type stockRow struct {
	id, productID string
	title         string
	options       [MaxOptions]string
	sku           string
	tracked       bool
	backorder     bool
	stock         int64
	lowStock      int64
}

func (r *stockRow) level() StockLevel {
	v := variantRow{tracked: r.tracked, backorder: r.backorder, stock: r.stock, lowStock: r.lowStock}
	title := r.title
	if options := OptionTitle(r.options); options != "" {
		title = fmt.Sprintf("%s (%s)", title, options)
	}
	return StockLevel{
		ProductID: r.productID, VariantID: r.id, SKU: db.NullText(r.sku), Title: title,
		Tracked: r.tracked, Backorder: r.backorder, Stock: r.stock, LowStock: r.lowStock, Status: v.stockStatus(),
	}
}
