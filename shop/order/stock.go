package order

import (
	"fmt"

	"storefront/db"
	"storefront/shop/catalogue"
	"storefront/shop/fault"
	"storefront/shop/outbox"
)

// Shortage is an order line that exceeds the stock. The details of out_of_stock list them.
type Shortage struct {
	Item              int    `json:"item"` // index of the first input item with this variant
	ProductID         string `json:"productId"`
	VariantID         string `json:"variantId"`
	Requested         int    `json:"requested"`
	AvailableQuantity int64  `json:"availableQuantity"`
}

func (l orderLine) isShort() bool {
	return l.tracked && !l.backorder && l.stock < int64(l.quantity)
}

// checkStock checks that the stock of every line suffices. Codes: out_of_stock.
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
	e := fault.Errorf(fault.CodeOutOfStock, "Not enough stock of %s.", short[0].title)
	if len(short) > 1 {
		e.Message = fmt.Sprintf("Not enough stock of %d products.", len(short))
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

// reserveStock subtracts the lines' quantities from the stock. The UPDATE checks the stock again,
// because it may have changed since it was read. The units are counted as sold and their movements
// recorded when the order is posted. reserveStock returns the events of low or exhausted stock.
// Codes: out_of_stock.
func reserveStock(tx *db.Tx, lines []orderLine) (events []outbox.Event, err error) {
	tracked := make([]orderLine, 0, len(lines))
	reservations := make([]catalogue.Reservation, 0, len(lines))
	for _, line := range lines {
		if line.tracked {
			tracked = append(tracked, line)
			reservations = append(reservations, catalogue.Reservation{VariantID: line.variantID, Units: line.quantity})
		}
	}
	ok, err := catalogue.ReserveVariants(tx, reservations)
	if err != nil {
		return nil, err
	}
	var short []orderLine
	products := make([]string, len(tracked))
	for i, line := range tracked {
		if !ok[i] {
			short = append(short, line)
		}
		products[i] = line.productID
		fall := catalogue.StockFall{
			VariantID: line.variantID, LowStock: line.lowStock, Backorder: line.backorder, From: line.stock, To: line.stock - int64(line.quantity),
		}
		events = append(events, fall.Events()...)
	}
	if len(short) > 0 {
		return nil, errOutOfStock(short)
	}
	defer tx.OnlyQuantities()() // what is more was written by ReserveVariants
	return events, catalogue.TouchProducts(tx, products)
}

// releaseStock adds an order's reserved quantities to the stock again, except units that were
// restocked before and variants that have been deleted.
func (s *Orders) releaseStock(tx *db.Tx, order *orderRow, reason catalogue.MovementReason) error {
	var movements []catalogue.Movement
	for _, item := range order.items {
		units := item.outside()
		if !item.stockReserved || units == 0 {
			continue
		}
		ok, err := catalogue.ReleaseVariant(tx, item.variantID, units)
		if err != nil {
			return err
		}
		if ok {
			movements = append(movements, catalogue.Movement{VariantID: item.variantID, Delta: int64(units)})
		}
		end := tx.OnlyQuantities()
		err = catalogue.TouchProduct(tx, item.productID)
		end()
		if err != nil {
			return err
		}
	}
	return s.cfg.Catalogue.RecordMovements(tx, &order.number, reason, "", movements)
}

// uncountSold subtracts the items of a cancelled or expired order from the units sold.
func uncountSold(tx *db.Tx, items []orderItemRow) error {
	sold := soldCounts{}
	for _, item := range items {
		sold.add(item.productID, -item.quantity)
	}
	return sold.save(tx)
}

// soldCounts are units sold by product, in the order of first appearance.
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

func (c *soldCounts) save(tx *db.Tx) error { return catalogue.CountSold(tx, c.productIDs, c.units) }
