package order

import (
	"fmt"

	"storefront/db"
	"storefront/shop/access"
	"storefront/shop/cash"
	"storefront/shop/money"
	"storefront/shop/status"
)

// Earned is what the shop has earned with an order that was delivered or has come back. The fees of
// gateways are not known, and not a part of it.
type Earned struct {
	Goods       money.Money  `json:"goods"       doc:"What the buyer retains, less discounts and credits"`
	Delivery    money.Money  `json:"delivery"    doc:"The delivery charge that the buyer pays"`
	Rounding    money.Money  `json:"rounding"    doc:"By which a cash total was rounded down"`
	Unpaid      money.Money  `json:"unpaid"      doc:"What the buyer has not paid of it"`
	Cost        *money.Money `json:"cost"        doc:"Present costs of the units that the buyer retains; null if one is unknown"`
	Lost        *money.Money `json:"lost"        doc:"Present costs of the other units that are not in the stock again; null if one is unknown"`
	CourierFees *money.Money `json:"courierFees" doc:"The couriers' fees for its shipments; null if one is not reported yet"`
	CashFees    *money.Money `json:"cashFees"    doc:"The couriers' shares of the cash, if not a part of their fees; null if they are unknown"`
	Total       *money.Money `json:"total"       doc:"Goods and delivery less all the others; null if one of them is"`
}

// earned returns what the shop has earned with the order, nil before its end and for a caller who
// may not view costs. rows are the cash of its shipments.
func (o *orderRow) earned(
	tx *db.Tx, who access.Staff, rows []*cash.Row, shown Display,
) (*Earned, error) {
	if who != nil && !who.Permits(access.CostsRead) {
		return nil, nil
	}
	if o.fulfillment != status.Delivered && o.fulfillment != status.Returned {
		return nil, nil
	}
	cost, lost, err := o.costs(tx)
	if err != nil {
		return nil, err
	}
	e := &Earned{Goods: shown.Money(0), Delivery: shown.Money(0), Rounding: shown.Money(0)}
	if !o.status.IsClosed() {
		e.Goods = shown.Money(o.subtotal - o.discount - o.credited)
		e.Delivery, e.Rounding = shown.Money(o.deliveryCharge), shown.Money(o.rounding)
	}
	e.Unpaid = shown.Money(max(0, o.amounts().due))
	parts := []*int64{cost, lost, nil, nil}
	rates := shown.Rates(tx)
	if fees, shares, known := rates.FeesOf(rows); known {
		parts[2] = &fees
		if rates != nil || len(rows) == 0 {
			parts[3] = &shares
		}
	}
	total, known := e.Goods.Amount+e.Delivery.Amount-e.Rounding.Amount-e.Unpaid.Amount, true
	for i, field := range []**money.Money{&e.Cost, &e.Lost, &e.CourierFees, &e.CashFees} {
		if parts[i] == nil {
			known = false
			continue
		}
		*field = new(shown.Money(*parts[i]))
		total -= *parts[i]
	}
	if known {
		e.Total = new(shown.Money(total))
	}
	return e, nil
}

// costs returns the present costs of the units that the buyer retains, and of those that neither
// the buyer nor the stock has. Each is nil if the cost of one of its units is unknown.
func (o *orderRow) costs(tx *db.Tx) (cost, lost *int64, err error) {
	units := o.creditedUnits(false)
	cost, lost = new(int64), new(int64)
	add := func(sum **int64, units int, each *int64) {
		switch {
		case units == 0 || *sum == nil:
		case each == nil:
			*sum = nil
		default:
			**sum += int64(units) * *each
		}
	}
	err = tx.Each(`
		SELECT i.position, v.cost
		FROM order_items i
		LEFT JOIN variants v ON v.id = i.variant_id
		WHERE i.order_number = ?`, []any{o.number}, func(r db.Row) error {
		var position int
		var each *int64
		if err := r.Scan(&position, &each); err != nil {
			return err
		}
		item := &o.items[position-1]
		kept, gone := item.quantity-units[position-1], units[position-1]-item.restocked
		if o.status.IsClosed() {
			kept, gone = 0, item.damaged
		}
		add(&cost, kept, each)
		add(&lost, gone, each)
		return nil
	})
	if err != nil {
		return nil, nil, fmt.Errorf("find costs: %w", err)
	}
	return cost, lost, nil
}
