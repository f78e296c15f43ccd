package shop

import (
	"fmt"
	"strings"

	"storefront/db"
	"storefront/shop/catalogue"
	"storefront/shop/fault"
)

// RestockInput are units of a returned order that are fit for sale.
type RestockInput struct {
	VariantID string `json:"variantId"`
	Quantity  int    `json:"quantity" minimum:"0"`
}

// DamagedItem are units of a returned order that were not restocked.
type DamagedItem struct {
	VariantID string `json:"variantId"`
	Title     string `json:"title"`
	Quantity  int    `json:"quantity"`
}

// damagedUnits returns for each line how many of its units are not restocked. A nil restock means
// all units. Codes: validation_failed.
func (o *orderRow) damagedUnits(restock []RestockInput) ([]int, error) {
	damaged := make([]int, len(o.items))
	if restock == nil {
		return damaged, nil
	}
	var bad fault.Invalid
	fit := map[string]int{}
	for i, r := range restock {
		field := fmt.Sprintf("restock[%d]", i)
		item := findItem(o.items, r.VariantID)
		_, again := fit[r.VariantID]
		switch {
		case item == nil:
			bad.Add(field+".variantId", fault.CodeInvalidValue, "The order has no such variant.")
		case again:
			bad.Add(field+".variantId", fault.CodeInvalidValue, "The variant must be named once.")
		case r.Quantity < 0 || r.Quantity > item.quantity:
			bad.Add(field+".quantity", fault.CodeInvalidValue, "The quantity must be 0 to %d.", item.quantity)
		}
		fit[r.VariantID] = r.Quantity
	}
	for i, item := range o.items {
		damaged[i] = item.quantity - fit[item.variantID]
	}
	return damaged, bad.Err()
}

// writeOffDamaged subtracts the damaged units of a returned order from the stock, or adds those
// that turned out not to be damaged. units are by line. The movements name no order, so that those
// of the order add up to nothing. Codes: state_conflict (the units were sold meanwhile).
func (s *Shop) writeOffDamaged(tx *db.Tx, o *orderRow, units []int) error {
	var movements []catalogue.Movement
	for i := range o.items {
		item := &o.items[i]
		more := units[i] - item.damaged
		if more == 0 {
			continue
		}
		item.damaged, o.saved = units[i], true
		if err := setDamaged(tx, o.number, i+1, units[i]); err != nil {
			return err
		}
		if !item.stockReserved {
			continue
		}
		found, enough, err := catalogue.WriteOffVariant(tx, item.variantID, more)
		switch {
		case err != nil:
			return err
		case !enough:
			return fault.Errorf(fault.CodeStateConflict, "Some of the returned units of %s were sold meanwhile: count the stock first.", item.title)
		case found:
			movements = append(movements, catalogue.Movement{VariantID: item.variantID, Delta: -int64(more)})
		}
		if err := catalogue.TouchProduct(tx, item.productID); err != nil {
			return err
		}
	}
	return s.Catalogue.RecordMovements(tx, nil, catalogue.MovedByDamage, fmt.Sprintf("Order %d", o.number), movements)
}

// setDamaged saves how many units of a line are damaged. position starts at 1.
func setDamaged(tx *db.Tx, orderNumber int64, position, units int) error {
	err := tx.Do(`
		UPDATE order_items
		SET damaged = ?
		WHERE order_number = ? AND position = ?`, units, orderNumber, position)
	if err != nil {
		return fmt.Errorf("save damaged units: %w", err)
	}
	return nil
}

// damagedItems returns the units of the order that were not restocked.
func (o *orderRow) damagedItems() []DamagedItem {
	items := []DamagedItem{}
	for _, item := range o.items {
		if item.damaged > 0 {
			items = append(items, DamagedItem{item.variantID, joinNonEmpty(item.title, item.variantTitle), item.damaged})
		}
	}
	return items
}

// describeDamaged returns damagedItems in one line, for the audit log.
func (o *orderRow) describeDamaged() string {
	var parts []string
	for _, item := range o.damagedItems() {
		parts = append(parts, fmt.Sprintf("%d × %s", item.Quantity, item.Title))
	}
	return strings.Join(parts, ", ")
}
