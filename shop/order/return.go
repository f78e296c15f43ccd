package order

import (
	"fmt"
	"slices"
	"strings"

	"storefront/db"
	"storefront/shop/catalogue"
	"storefront/shop/fault"
)

// RestockInput are units of an order line that came back.
type RestockInput struct {
	VariantID string `json:"variantId"`
	Quantity  int    `json:"quantity" minimum:"0" doc:"Units that are fit for sale"`
	Damaged   int    `json:"damaged,omitempty" minimum:"0" doc:"Units that came back unfit for sale; deliverOrder only"`
	Amount    *int64 `json:"amount,omitempty" minimum:"0" doc:"Minor units that reduce the order. Defaults to their share; deliverOrder only"`
}

// ItemUnits are some of the units of an order line.
type ItemUnits struct {
	VariantID string `json:"variantId"`
	Title     string `json:"title"`
	Quantity  int    `json:"quantity"`
}

// outside returns the number of the line's units that are not in the stock again.
func (i *orderItemRow) outside() int { return i.quantity - i.restocked }

// fitUnits returns for each line the number of units that restock names; most limits it. Codes:
// validation_failed.
func (o *orderRow) fitUnits(restock []RestockInput, most func(item *orderItemRow) int) ([]int, error) {
	named, err := o.namedLines(restock, func(i int) int { return most(&o.items[i]) })
	units := make([]int, len(o.items))
	for i, r := range named {
		units[i] = r.Quantity
	}
	return units, err
}

// namedLines returns what came back of each line, by its index. most limits the units. Codes:
// validation_failed.
func (o *orderRow) namedLines(restock []RestockInput, most func(i int) int) (map[int]RestockInput, error) {
	var bad fault.Invalid
	named := map[int]RestockInput{}
	for n, r := range restock {
		field := fmt.Sprintf("restock[%d]", n)
		i := slices.IndexFunc(o.items, func(item orderItemRow) bool { return item.variantID == r.VariantID })
		_, again := named[i]
		switch {
		case i < 0:
			bad.Add(field+".variantId", fault.CodeInvalidValue, "The order has no such variant.")
			continue
		case again:
			bad.Add(field+".variantId", fault.CodeInvalidValue, "The variant must be named once.")
		case r.Quantity < 0 || r.Quantity > most(i):
			bad.Add(field+".quantity", fault.CodeInvalidValue, "The quantity must be 0 to %d.", most(i))
		case r.Damaged < 0 || r.Damaged > most(i)-r.Quantity:
			bad.Add(field+".damaged", fault.CodeInvalidValue, "The damaged units must be 0 to %d.", most(i)-r.Quantity)
		case r.Amount != nil && (*r.Amount < 0 || *r.Amount > o.items[i].amount()):
			bad.Add(field+".amount", fault.CodeInvalidValue, "The amount must not exceed the amount of the line.")
		}
		named[i] = r
	}
	return named, bad.Err()
}

// damagedUnits returns for each line of a returned order the number of units that are not
// restocked. A nil restock means the units of its credit lines. Codes: validation_failed.
func (o *orderRow) damagedUnits(restock []RestockInput) ([]int, error) {
	back := o.creditedUnits(false)
	if restock == nil {
		for i := range back {
			back[i] -= o.items[i].restocked
		}
		return back, nil
	}
	units, err := o.fitUnits(restock, func(item *orderItemRow) int { return item.outside() })
	for i := range units {
		units[i] = o.items[i].outside() - units[i]
	}
	return units, err
}

// writeOffDamaged subtracts the damaged units of a returned order from the stock, or adds units
// that turned out to be undamaged. units are by line. The movements name no order, so that the
// order's movements add up to nothing. Codes: state_conflict (the units have been sold).
func (s *Orders) writeOffDamaged(tx *db.Tx, o *orderRow, units []int) error {
	movements, err := o.moveUnits(tx, units, "damaged", func(item *orderItemRow) *int { return &item.damaged }, -1)
	if err != nil {
		return err
	}
	return s.cfg.Catalogue.RecordMovements(tx, nil, catalogue.MovedByDamage, fmt.Sprintf("Order %d", o.number), movements)
}

// restockUnits adds the units of a delivered order that came back to the stock, or subtracts units
// stated by mistake. units are by line. Codes: state_conflict (the units have been sold).
func (s *Orders) restockUnits(tx *db.Tx, o *orderRow, units []int) error {
	movements, err := o.moveUnits(tx, units, "restocked", func(item *orderItemRow) *int { return &item.restocked }, +1)
	if err != nil {
		return err
	}
	return s.cfg.Catalogue.RecordMovements(tx, &o.number, catalogue.MovedByReturn, "", movements)
}

// moveUnits saves a count of units by line in a column of order_items, and applies the increase of
// each count, times sign, to the stock. It returns the stock movements without recording them.
// Codes: state_conflict (the units have been sold).
func (o *orderRow) moveUnits(tx *db.Tx, units []int, column string, count func(item *orderItemRow) *int, sign int) ([]catalogue.Movement, error) {
	var movements []catalogue.Movement
	for i := range o.items {
		item := &o.items[i]
		delta := sign * (units[i] - *count(item))
		if delta == 0 {
			continue
		}
		*count(item), o.saved = units[i], true
		err := tx.Do(`
			UPDATE order_items
			SET `+column+` = ?
			WHERE order_number = ? AND position = ?`, units[i], o.number, i+1)
		if err != nil {
			return nil, fmt.Errorf("save %s units: %w", column, err)
		}
		if !item.stockReserved {
			continue
		}
		found, enough, err := catalogue.WriteOffVariant(tx, item.variantID, -delta)
		switch {
		case err != nil:
			return nil, err
		case !enough:
			return nil, fault.Errorf(fault.CodeStateConflict, "Some of the returned units of %s have been sold: count the stock first.", item.title)
		case found:
			movements = append(movements, catalogue.Movement{VariantID: item.variantID, Delta: int64(delta)})
		}
		if err := catalogue.TouchProduct(tx, item.productID); err != nil {
			return nil, err
		}
	}
	return movements, nil
}

// damagedItems returns the units of the returned order that were not restocked.
func (o *orderRow) damagedItems() []ItemUnits {
	return o.itemUnits(func(item orderItemRow) int { return item.damaged })
}

// restockedItems returns the units of the delivered order that came back to the stock.
func (o *orderRow) restockedItems() []ItemUnits {
	return o.itemUnits(func(item orderItemRow) int { return item.restocked })
}

func (o *orderRow) itemUnits(count func(item orderItemRow) int) []ItemUnits {
	items := []ItemUnits{}
	for _, item := range o.items {
		if n := count(item); n > 0 {
			items = append(items, ItemUnits{item.variantID, joinNonEmpty(item.title, item.variantTitle), n})
		}
	}
	return items
}

// describeUnits returns units in one line, for the audit log.
func describeUnits(items []ItemUnits) string {
	var parts []string
	for _, item := range items {
		parts = append(parts, fmt.Sprintf("%d × %s", item.Quantity, item.Title))
	}
	return strings.Join(parts, ", ")
}
