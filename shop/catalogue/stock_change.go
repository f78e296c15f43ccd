package catalogue

import (
	"context"
	"fmt"
	"slices"
	"time"

	"storefront/db"
	"storefront/shop/access"
	"storefront/shop/fault"
	"storefront/shop/input"
	"storefront/shop/outbox"
	"storefront/shop/page"
)

// MaxStockNote is the maximum length of a movement's note, in characters.
const MaxStockNote = 200

// StockLevel is the current stock of a variant.
type StockLevel struct {
	ProductID string      `json:"productId"`
	VariantID string      `json:"variantId"`
	SKU       *string     `json:"sku"`
	Title     string      `json:"title"` // the product's title with the variant's option values
	Tracked   bool        `json:"tracked"`
	Backorder bool        `json:"backorder"`
	Stock     int64       `json:"stock"`
	LowStock  int64       `json:"lowStock"` // units at or below this number are low stock
	Status    StockStatus `json:"stockStatus"`
}

// ListedStock is the stock of a variant in a list.
type ListedStock struct {
	StockLevel
	ImageURL *string `json:"imageUrl" doc:"A small picture of the variant, or else of its product"`
}

// StockChange is a change of a variant's stock. Nil fields are unchanged.
type StockChange struct {
	Set       *int64 // units in stock
	From      *int64 // with Set: the stock at the time of counting; later changes are retained
	Adjust    *int64 // units to add, or to subtract if negative; excludes Set
	Tracked   *bool  // whether stock is counted; otherwise the variant is always available
	Backorder *bool  // whether it may be sold below zero
	LowStock  *int64 // units at or below which stock is low
	Note      string // the reason, for the history; may be empty
}

// StockMovement is one recorded change of a variant's stock.
type StockMovement struct {
	At         time.Time      `json:"at"`
	Delta      int64          `json:"delta"`
	Balance    int64          `json:"balance"` // units after the movement
	Reason     MovementReason `json:"reason"`
	InvoiceUID *string        `json:"invoiceUid"` // of the order that caused it
	Note       *string        `json:"note"`
}

// StockHistory is the stock of a variant with one page of its movements, newest first.
type StockHistory struct {
	StockLevel
	Movements page.Page[StockMovement] `json:"movements"`
}

// FindStock returns the stock of the variant with this ID or SKU. Codes: not_found, state_conflict
// (two variants have the SKU).
func (c *Catalogue) FindStock(ctx context.Context, caller access.Caller, variant string) (*StockLevel, error) {
	return access.Read(ctx, c.data, caller, access.ToListStock, func(tx *db.Tx, _ access.Staff) (*StockLevel, error) {
		row, err := findStock(tx, variant)
		if err != nil {
			return nil, err
		}
		return new(row.level()), nil
	})
}

// ChangeStock changes the stock of the variant with this ID or SKU and records the movement.
// Codes: validation_failed, not_found, state_conflict (two variants have the SKU).
func (c *Catalogue) ChangeStock(ctx context.Context, caller access.Caller, variant string, change StockChange) (*StockLevel, error) {
	if err := c.postOrders(ctx); err != nil { // their movements come first
		return nil, err
	}
	return access.Write(ctx, c.data, caller, access.ToChangeStock, func(tx *db.Tx, who access.Staff) (*StockLevel, error) {
		var bad fault.Invalid
		change.check(&bad, "")
		if err := bad.Err(); err != nil {
			return nil, err
		}
		row, err := findStock(tx, variant)
		if err != nil {
			return nil, err
		}
		before := *row
		if err := c.changeStock(tx, row, change); err != nil {
			return nil, err
		}
		level := row.level()
		if *row == before {
			return &level, nil
		}
		subject := access.Subject{Kind: access.SubjectVariant, ID: row.id, Label: level.Title}
		return &level, who.Audit(tx, subject, row.changes(before)...)
	})
}

// check checks the fields that do not depend on the variant. at precedes the names of fields.
func (change *StockChange) check(bad *fault.Invalid, at string) {
	if change.Set != nil && change.Adjust != nil {
		bad.Add(at+"adjust", fault.CodeInvalidValue, "Must not be sent together with set.")
	}
	if change.From != nil && change.Set == nil {
		bad.Add(at+"from", fault.CodeInvalidValue, "Must be sent together with set.")
	}
	change.Note = input.CheckLine(bad, "note", change.Note, MaxStockNote)
	for _, count := range []struct {
		field string
		n     *int64
		least int64
	}{{"set", change.Set, -maxCount}, {"from", change.From, -maxCount}, {"adjust", change.Adjust, -maxCount}, {"lowStock", change.LowStock, 0}} {
		if count.n != nil {
			checkCount(bad, at+count.field, *count.n, count.least)
		}
	}
}

// apply applies a change to the row and does not store it. at precedes the names of fields.
func (r *stockRow) apply(bad *fault.Invalid, at string, change StockChange) {
	if change.Tracked != nil {
		r.tracked = *change.Tracked
	}
	if change.Backorder != nil {
		r.backorder = *change.Backorder
	}
	if change.LowStock != nil {
		r.lowStock = *change.LowStock
	}
	switch {
	case (change.Set != nil || change.Adjust != nil) && !r.tracked:
		bad.Add(at+"tracked", fault.CodeInvalidValue, "The stock of this variant is not tracked: set tracked first.")
	case change.Set != nil && change.From != nil:
		r.stock += *change.Set - *change.From
	case change.Set != nil:
		r.stock = *change.Set
	case change.Adjust != nil:
		r.stock += *change.Adjust
	}
	if r.stock < 0 && r.tracked && !r.backorder {
		bad.Add(at+"stock", fault.CodeInvalidValue, "The stock would be %d: it must not be below zero unless the variant may be back-ordered.", r.stock)
	}
}

func (c *Catalogue) changeStock(tx *db.Tx, row *stockRow, change StockChange) error {
	before, was := row.stock, row.variant()
	var bad fault.Invalid
	row.apply(&bad, "", change)
	if err := bad.Err(); err != nil {
		return err
	}
	if err := updateStock(tx, row); err != nil {
		return err
	}
	if now := row.variant(); now != was {
		events := append([]outbox.Event{{Type: outbox.ProductUpdated, Subject: row.productID}}, stockEvents(&was, &now)...)
		if err := outbox.Append(tx, events...); err != nil {
			return err
		}
	}
	if row.stock == before {
		return nil
	}
	return c.RecordMovements(tx, nil, MovedByAdjustment, change.Note, []Movement{{VariantID: row.id, Delta: row.stock - before}})
}

// FindStockHistory returns the stock and one page of the movements of the variant with this ID or
// SKU. Codes: validation_failed, not_found, state_conflict (two variants have the SKU).
func (c *Catalogue) FindStockHistory(ctx context.Context, caller access.Caller, variant string, request page.Request) (*StockHistory, error) {
	if err := c.postOrders(ctx); err != nil && !db.IsUnwritable(err) {
		return nil, err
	}
	return access.ReadMany(ctx, c.data, caller, access.ToFindStockHistory, func(tx *db.Tx, _ access.Staff) (*StockHistory, error) {
		var bad fault.Invalid
		w := request.Window(&bad)
		if err := bad.Err(); err != nil {
			return nil, err
		}
		row, err := findStock(tx, variant)
		if err != nil {
			return nil, err
		}
		total, err := countMovements(tx, row.id)
		if err != nil {
			return nil, err
		}
		movements, err := findMovements(tx, row.id, w)
		return &StockHistory{row.level(), page.Page[StockMovement]{Nodes: movements, Meta: w.MetaFor(total)}}, err
	})
}

// stockRow is the stock of a variant with its titles.
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
	v := r.variant()
	title := r.title
	if options := OptionTitle(r.options); options != "" {
		title = fmt.Sprintf("%s (%s)", title, options)
	}
	return StockLevel{
		ProductID: r.productID, VariantID: r.id, SKU: db.NullText(r.sku), Title: title,
		Tracked: r.tracked, Backorder: r.backorder, Stock: r.stock, LowStock: r.lowStock, Status: v.stockStatus(),
	}
}

// variant returns the fields that determine the variant's stock status.
func (r *stockRow) variant() variantRow {
	return variantRow{id: r.id, tracked: r.tracked, backorder: r.backorder, stock: r.stock, lowStock: r.lowStock}
}

// changes returns the differences to a variant's earlier row, for the audit log.
func (r *stockRow) changes(before stockRow) []access.Change {
	return slices.Concat(
		access.Changed("stock", before.stock, r.stock), access.Changed("tracked", before.tracked, r.tracked),
		access.Changed("backorder", before.backorder, r.backorder), access.Changed("lowStock", before.lowStock, r.lowStock),
	)
}
