package shop

import (
	"fmt"

	"storefront/db"
	"storefront/shop/catalogue"
	"storefront/shop/fault"
)

// Why orders change stock; see the table stock_movements.
const (
	movedByOrder  = "order"
	movedByCancel = "cancel"
	movedByExpiry = "expiry"
	movedByReturn = "return"
)

// Shortage is a line of which too little is left; out_of_stock lists them in its details.
type Shortage struct {
	Item              int    `json:"item"` // index of the first input item that asks for it
	ProductID         string `json:"productId"`
	VariantID         string `json:"variantId"`
	Requested         int    `json:"requested"`
	AvailableQuantity int64  `json:"availableQuantity"`
}

func (l orderLine) isShort() bool {
	return l.tracked && !l.backorder && l.stock < int64(l.quantity)
}

// checkStock names every line of which too little is left. Codes: out_of_stock.
func checkStock(lines []orderLine) error {
	var short []orderLine
	for _, line := range lines {
		if line.isShort() {
			short = append(short, line)
		}
	}
	if len(short) == 0 {
		return nil
	}
	return errOutOfStock(short)
}

func errOutOfStock(short []orderLine) error {
	e := fault.Errorf(fault.CodeOutOfStock, "Too little is left of: %s.", short[0].title)
	if len(short) > 1 {
		e.Message = fmt.Sprintf("Too little is left of %d of the products.", len(short))
	}
	items := make([]Shortage, len(short))
	for i, line := range short {
		left := max(line.stock, 0)
		message := fmt.Sprintf("Only %d left.", left)
		if left == 0 {
			message = "None left."
		}
		e.Fields = append(e.Fields, fault.FieldError{Field: itemField(line.first, "quantity"), Code: fault.CodeOutOfStock, Message: message})
		items[i] = Shortage{
			Item: line.first, ProductID: line.productID, VariantID: line.variantID,
			Requested: line.quantity, AvailableQuantity: left,
		}
	}
	e.Details = map[string]any{"items": items}
	return e
}

// reserveStock takes the lines' quantities and counts them as sold. The statement itself refuses to
// take what is not there, whatever was read before. Codes: out_of_stock.
func (s *Shop) reserveStock(tx *db.Tx, number int64, lines []orderLine) error {
	var moves []catalogue.Movement
	var short []orderLine
	for _, line := range lines {
		if !line.tracked {
			continue
		}
		ok, err := catalogue.ReserveVariant(tx, line.variantID, line.quantity)
		if err != nil {
			return err
		}
		if !ok {
			short = append(short, line)
		}
		moves = append(moves, catalogue.Movement{VariantID: line.variantID, Delta: -int64(line.quantity)})
	}
	if len(short) > 0 {
		return errOutOfStock(short)
	}
	sold := soldCounts{}
	for _, line := range lines {
		sold.add(line.productID, line.quantity)
	}
	if err := sold.save(tx, +1); err != nil {
		return err
	}
	return s.Catalogue.RecordMovements(tx, &number, movedByOrder, "", moves)
}

// releaseStock brings back what an order took. A variant that is gone, or was not counted when it
// was sold, takes nothing back.
func (s *Shop) releaseStock(tx *db.Tx, order *orderRow, reason string) error {
	var moves []catalogue.Movement
	for _, item := range order.items {
		if !item.stockReserved {
			continue
		}
		ok, err := catalogue.ReleaseVariant(tx, item.variantID, item.quantity)
		if err != nil {
			return err
		}
		if ok {
			moves = append(moves, catalogue.Movement{VariantID: item.variantID, Delta: int64(item.quantity)})
		}
		if err := catalogue.TouchProduct(tx, item.productID); err != nil {
			return err
		}
	}
	return s.Catalogue.RecordMovements(tx, &order.number, reason, "", moves)
}

// uncountSold takes the items of an order that came to nothing out of what was sold.
func uncountSold(tx *db.Tx, items []orderItemRow) error {
	sold := soldCounts{}
	for _, item := range items {
		sold.add(item.productID, item.quantity)
	}
	return sold.save(tx, -1)
}

// soldCounts are units by product, in the order in which products first came.
type soldCounts struct {
	productIDs []string
	units      map[string]int
}

func (c *soldCounts) add(productID string, units int) {
	if c.units == nil {
		c.units = map[string]int{}
	}
	if _, ok := c.units[productID]; !ok {
		c.productIDs = append(c.productIDs, productID)
	}
	c.units[productID] += units
}

// save counts the units as sold, or with sign -1 as not sold after all.
func (c *soldCounts) save(tx *db.Tx, sign int) error {
	for _, id := range c.productIDs {
		if err := catalogue.AddSold(tx, id, sign*c.units[id]); err != nil {
			return err
		}
	}
	return nil
}
