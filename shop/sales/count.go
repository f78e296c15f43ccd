package sales

import (
	"encoding/json"
	"fmt"
	"time"

	"storefront/db"
	"storefront/shop/status"
)

// countedSales are the sums of the orders of a period by grouping, from the orders themselves.
type countedSales map[Grouping]salesRows

// soldOrder is an order of a period as it is counted.
type soldOrder struct {
	number                                             int64
	status                                             status.Order
	fulfillment                                        status.Fulfillment
	courier, city, area, method, coupon, source, buyer string   // keys of the groupings
	discounts                                          []string // keys, none without a discount
	first, last                                        string   // keys of the campaigns, packed; "" means that nothing is known
	orders                                             int64    // 1 if it counts
	sales, delivery, total                             int64
	// 1 if it was to be paid online; 1 if it was paid
	online, paid          int64
	units, cost, uncosted int64
	shipments             []soldShipment
}

// areaKey returns the key of an area: its name is not unique without its city.
func areaKey(city, area string) string { return city + areaSeparator + area }

const areaSeparator = " / "

// The keys of [ByBuyer]. An erased order has none.
const (
	buyerNew       = "new"
	buyerReturning = "returning"
)

// countSales returns the sums of a period by each grouping, from its orders.
func countSales(tx *db.Tx, from, before time.Time) (countedSales, error) {
	orders, err := findSoldOrders(tx, from, before)
	if err != nil {
		return nil, err
	}
	byNumber := make(map[int64]*soldOrder, len(orders))
	for i := range orders {
		byNumber[orders[i].number] = &orders[i]
	}
	counted := countedSales{}
	for _, by := range Groupings() {
		counted[by] = salesRows{}
	}
	for _, by := range storedAlone {
		counted[by] = salesRows{}
	}
	if err := addSoldItems(tx, from, before, byNumber, counted[ByProduct]); err != nil {
		return nil, err
	}
	if err := addShipments(tx, from, before, byNumber); err != nil {
		return nil, err
	}
	if err := addCampaigns(tx, from, before, byNumber); err != nil {
		return nil, err
	}
	all := counted[ByDay].row("")
	for i := range orders {
		o := &orders[i]
		own := o.row()
		all.add(&own)
		counted[byOrderStatus].row(string(o.status)).sums[sumOrders]++
		if o.method == string(status.PayCOD) { // another gateway's attempt is not one of cash
			own.sums[sumOnline] = 0
		}
		if own.sums[sumOnline]+o.orders > 0 || o.status == status.OrderCancelled {
			counted[ByMethod].row(o.method).add(&own)
		}
		if o.orders == 0 && o.status != status.OrderCancelled {
			continue // it was not paid online
		}
		o.addToCouriers(counted[ByCourier], own)
		o.addToCarriers(counted[byCarrier], own)
		counted[ByCity].row(o.city).add(&own)
		counted[ByArea].row(areaKey(o.city, o.area)).add(&own)
		counted[ByCoupon].row(o.coupon).add(&own)
		for _, key := range o.discounts {
			counted[ByDiscount].row(key).add(&own)
		}
		counted[BySource].row(o.source).add(&own)
		counted[ByBuyer].row(o.buyer).add(&own)
		counted[byFirstCampaign].row(o.campaign(o.first)).add(&own)
		counted[byLastCampaign].row(o.campaign(o.last)).add(&own)
	}
	return counted, nil
}

// row returns the sums of the order alone.
func (o *soldOrder) row() (r salesRow) {
	r.sums[sumOnline], r.sums[sumPaid] = o.online, o.online*o.paid
	r.sums[sumCancelled] = db.BoolInt(o.status == status.OrderCancelled)
	if o.orders == 0 {
		return r
	}
	r.sums[sumOrders], r.sums[sumUnits], r.sums[sumSales] = 1, o.units, o.sales
	r.sums[sumDelivered], r.sums[sumReturned] = db.BoolInt(o.isDelivered()), db.BoolInt(o.isReturned())
	r.sums[sumCost], r.sums[sumUncosted] = o.cost, o.uncosted
	r.sums[sumDelivery], r.sums[sumRevenue] = o.delivery, o.total
	r.sums[sumFresh] = db.BoolInt(o.buyer == buyerNew)
	r.sums[sumConfirmed], r.sums[sumEarned] = db.BoolInt(o.status != status.OrderPending), r.sums[sumDelivered]*o.total
	for i := range o.shipments {
		o.shipments[i].addTo(&r)
	}
	return r
}

func (o *soldOrder) isDelivered() bool {
	return o.fulfillment == status.Delivered || o.fulfillment == status.PartiallyDelivered
}

func (o *soldOrder) isReturned() bool {
	return o.fulfillment == status.Returning || o.fulfillment == status.Returned
}

// countedStatus is the condition of orders that count. The alias is for the table of orders.
func countedStatus(alias string) string {
	return alias + ".status NOT IN ('pending_payment', 'expired', 'cancelled')"
}

// soldGoods is the expression for the goods of an order that the buyer retained, after discount.
const soldGoods = `CASE
				WHEN o.status = 'returned' OR o.credited >= o.subtotal - o.discount THEN 0
				ELSE o.subtotal - o.discount - o.credited END`

// creditedSum returns the expression for the sum of a column of a line's credits.
func creditedSum(column string) string {
	return `CASE WHEN o.credited = 0 AND i.restocked = 0 THEN 0 ELSE (
				SELECT COALESCE(SUM(c.` + column + `), 0)
				FROM order_credits c
				WHERE c.order_number = i.order_number AND c.position = i.position) END`
}

// The queries of the orders of a period, without test orders.
var (
	soldOrdersQuery = `
		SELECT o.number, o.status, o.fulfillment_status, o.courier, o.city, o.area, o.payment_method, COALESCE(o.coupon_id, ''), o.source,
			` + soldGoods + `, CASE WHEN o.status = 'returned' THEN 0 ELSE o.delivery_charge END,
			CASE WHEN o.status = 'returned' THEN 0 ELSE o.total - o.credited END,
			CASE WHEN o.payment_method <> 'cod' OR EXISTS (SELECT 1 FROM payment_attempts a WHERE a.order_id = o.id AND a.advance = 0) THEN 1 ELSE 0 END,
			CASE WHEN o.payment_method <> 'cod' AND o.payment_status IN ('paid', 'refund_due', 'partially_refunded', 'refunded') THEN 1 ELSE 0 END,
			CASE WHEN ` + countedStatus("o") + ` THEN 1 ELSE 0 END,
			CASE WHEN o.customer_phone = '' THEN '' WHEN EXISTS (
				SELECT 1
				FROM orders p
				WHERE p.customer_phone = o.customer_phone AND (p.placed_at < o.placed_at OR p.placed_at = o.placed_at AND p.number < o.number)
					AND p.test = 0 AND ` + countedStatus("p") + `) THEN '` + buyerReturning + `' ELSE '` + buyerNew + `' END,
			o.discounts
		FROM orders o
		WHERE o.placed_at >= ? AND o.placed_at < ? AND o.test = 0
		ORDER BY o.placed_at`
	soldItemsQuery = `
		SELECT i.order_number, i.product_id, i.quantity - ` + creditedSum("quantity") + `,
			i.unit_price * i.quantity - i.discount - ` + creditedSum("amount") + `, v.cost
		FROM orders o
		JOIN order_items i ON i.order_number = o.number
		LEFT JOIN variants v ON v.id = i.variant_id
		WHERE o.placed_at >= ? AND o.placed_at < ? AND o.test = 0`
	soldShipmentsQuery = `
		SELECT o.number, p.id, p.provider, p.status, p.created_at, p.moved_at, COALESCE(l.fee, 0)
		FROM orders o
		JOIN shipments p ON p.order_id = o.id
		LEFT JOIN cash_lines l ON l.shipment_id = p.id
		WHERE o.placed_at >= ? AND o.placed_at < ? AND o.test = 0 AND p.status <> 'cancelled'`
)

// Sum has the orders and sales of a period.
type Sum struct {
	Orders int
	Sales  int64 // in minor units
}

// SumSold returns the sum of a period that need not begin and end with a day.
func SumSold(tx *db.Tx, from, before time.Time) (sum Sum, err error) {
	err = tx.QueryRow(`
		SELECT COUNT(*), COALESCE(SUM(`+soldGoods+`), 0)
		FROM orders o
		WHERE o.placed_at >= ? AND o.placed_at < ? AND o.test = 0 AND `+countedStatus("o"), db.Millis(from), db.Millis(before)).
		Scan(&sum.Orders, &sum.Sales)
	if err != nil {
		return Sum{}, fmt.Errorf("sum sales: %w", err)
	}
	return sum, nil
}

func findSoldOrders(tx *db.Tx, from, before time.Time) ([]soldOrder, error) {
	orders, err := db.Query(tx, func(r db.Row) (o soldOrder, err error) {
		var discounts *string
		err = r.Scan(&o.number, &o.status, &o.fulfillment, &o.courier, &o.city, &o.area, &o.method, &o.coupon, &o.source, &o.sales, &o.delivery,
			&o.total, &o.online, &o.paid, &o.orders, &o.buyer, &discounts)
		o.discounts = []string{""}
		if err == nil && discounts != nil {
			o.discounts, err = parseDiscounts(*discounts)
		}
		return o, err
	}, soldOrdersQuery, db.Millis(from), db.Millis(before))
	if err != nil {
		return nil, fmt.Errorf("find orders to count: %w", err)
	}
	return orders, nil
}

// parseDiscounts returns the IDs of the automatic discounts that an order has stored.
func parseDiscounts(text string) (ids []string, err error) {
	var discounts []struct {
		ID string `json:"id"`
	}
	if err := json.Unmarshal([]byte(text), &discounts); err != nil {
		return nil, fmt.Errorf("parse discounts: %w", err)
	}
	for _, d := range discounts {
		ids = append(ids, d.ID)
	}
	return ids, nil
}

// addSoldItems adds its items to each order, and the orders to each product's row.
func addSoldItems(tx *db.Tx, from, before time.Time, orders map[int64]*soldOrder, products salesRows) error {
	type line struct {
		number  int64
		product string
	}
	seen := map[line]bool{} // an order can have several variants of a product
	err := tx.Each(soldItemsQuery, []any{db.Millis(from), db.Millis(before)}, func(r db.Row) error {
		var of line
		var quantity, sales int64
		var unitCost *int64
		if err := r.Scan(&of.number, &of.product, &quantity, &sales, &unitCost); err != nil {
			return err
		}
		o := orders[of.number]
		if o.orders == 0 && o.status != status.OrderCancelled {
			return nil
		}
		row := products.row(of.product)
		if !seen[of] {
			seen[of] = true
			row.sums[sumOrders] += o.orders
			row.sums[sumDelivered] += o.orders * db.BoolInt(o.isDelivered())
			row.sums[sumReturned] += o.orders * db.BoolInt(o.isReturned())
			row.sums[sumCancelled] += db.BoolInt(o.status == status.OrderCancelled)
		}
		if o.orders == 0 || o.status == status.OrderReturned {
			return nil
		}
		cost, uncosted := int64(0), quantity
		if unitCost != nil {
			cost, uncosted = *unitCost*quantity, 0
		}
		row.sums[sumUnits] += quantity
		row.sums[sumSales] += sales
		row.sums[sumCost] += cost
		row.sums[sumUncosted] += uncosted
		o.units, o.cost, o.uncosted = o.units+quantity, o.cost+cost, o.uncosted+uncosted
		return nil
	})
	if err != nil {
		return fmt.Errorf("count items: %w", err)
	}
	return nil
}
