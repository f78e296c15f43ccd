package sales

import (
	"slices"

	"storefront/shop/money"
)

// The places in [salesRow.sums]. They are stored in this order: new ones come last, and those
// missing in sums of products come late.
const (
	// orders that count; all sums but sumCancelled and the online ones are from these
	sumOrders    = iota
	sumUnits     //
	sumSales     // prices less discounts
	sumDelivered // orders
	sumReturned  // orders, including those on their way back
	sumCancelled // orders that are cancelled
	sumCost      // costs of the units whose variant has a cost
	sumUncosted  // units whose variant has no cost
	sumDelivery  // delivery charges
	sumRevenue   // totals
	sumFresh     // orders of buyers without an earlier one
	sumShipments // that are not cancelled
	sumFees      // of these shipments
	sumOnline    // orders that were to be paid online, in any status now
	sumPaid      // online orders that were paid
	sumConfirmed // orders that are confirmed, or were before they came back
	sumEarned    // totals of delivered orders
	sumTimes     // the first of the delivery times
)

// deliveryTimes are the first days of the classes of delivery times.
var deliveryTimes = [...]int{0, 1, 2, 3, 4, 5, 6, 7, 8, 11, 15}

// salesRow are the figures of a [SalesRow].
type salesRow struct {
	key, name string
	sums      [sumTimes + len(deliveryTimes)]int64
}

// add adds a row of other orders.
func (r *salesRow) add(other *salesRow) {
	for i, n := range other.sums {
		r.sums[i] += n
	}
}

// addTime counts a delivery that took a number of days.
func (r *salesRow) addTime(days int64) {
	class := len(deliveryTimes) - 1
	for int64(deliveryTimes[class]) > max(days, 0) {
		class--
	}
	r.sums[sumTimes+class]++
}

// medianTime returns the first day of the class with the median of the delivery times, nil if there
// are none.
func (r *salesRow) medianTime() *int64 {
	var all int64
	times := r.sums[sumTimes:]
	for _, n := range times {
		all += n
	}
	if all == 0 {
		return nil
	}
	class, below := 0, times[0]
	for below < (all+1)/2 {
		class++
		below += times[class]
	}
	return new(int64(deliveryTimes[class]))
}

// margin returns the sales less the costs of the units, nil unless each unit has a cost.
func (r *salesRow) margin() *int64 {
	if r.sums[sumUncosted] > 0 {
		return nil
	}
	return new(r.sums[sumSales] - r.sums[sumCost])
}

func (r *salesRow) average() *int64 {
	if r.sums[sumOrders] == 0 {
		return nil
	}
	return new(r.sums[sumRevenue] / r.sums[sumOrders])
}

func (r *salesRow) returnRate() *int64 {
	return rateOf(r.sums[sumReturned], r.sums[sumDelivered]+r.sums[sumReturned])
}

func (r *salesRow) cancelRate() *int64 {
	return rateOf(r.sums[sumCancelled], r.sums[sumOrders]+r.sums[sumCancelled])
}

// rateOf returns a part of a whole in tenths of a per cent, rounded; nil if the whole is 0.
func rateOf(part, whole int64) *int64 {
	if whole == 0 {
		return nil
	}
	return new((part*1000 + whole/2) / whole)
}

// salesView is the way a report shows figures.
type salesView struct {
	by       Grouping
	currency money.Currency
	costs    bool // whether the caller may see costs
}

func (v salesView) of(r *salesRow) Figures {
	amount := func(at int) *money.Money { return new(v.currency.Money(r.sums[at])) }
	maybe := func(n *int64) *money.Money {
		if n == nil {
			return nil
		}
		return new(v.currency.Money(*n))
	}
	s := Figures{
		Orders: int(r.sums[sumOrders]), Units: int(r.sums[sumUnits]), Sales: *amount(sumSales),
		Delivered: int(r.sums[sumDelivered]), Returned: int(r.sums[sumReturned]), ReturnRate: r.returnRate(),
		Cancelled: int(r.sums[sumCancelled]), CancelRate: r.cancelRate(),
	}
	if v.costs {
		s.Margin = maybe(r.margin())
	}
	if v.by == ByProduct { // an order's charge, total and shipments are for all its products
		return s
	}
	s.Delivery, s.Revenue, s.Average, s.Fees = amount(sumDelivery), amount(sumRevenue), maybe(r.average()), amount(sumFees)
	s.NewBuyers, s.Shipments = new(int(r.sums[sumFresh])), new(int(r.sums[sumShipments]))
	if v.by == ByDay || v.by == ByMethod { // the rows of others lack orders that were never paid
		s.PaymentSuccess = rateOf(r.sums[sumPaid], r.sums[sumOnline])
	}
	if s.DeliveryDays = r.medianTime(); s.DeliveryDays != nil {
		s.DeliveryTimes = slices.Clone(r.sums[sumTimes:])
	}
	return s
}

// salesRows are the sums of orders by key.
type salesRows map[string]*salesRow

// row returns the row of a key, after adding one if there is none.
func (rows salesRows) row(key string) *salesRow {
	r, ok := rows[key]
	if !ok {
		r = &salesRow{key: key}
		rows[key] = r
	}
	return r
}
