package shop

import (
	"context"
	"slices"
	"time"

	"storefront/db"
	"storefront/shop/access"
	"storefront/shop/fault"
	"storefront/shop/money"
	"storefront/shop/page"
)

// SalesReport is what a shop sold on the days of a period, in the shop's time zone.
type SalesReport struct {
	From     string        `json:"from" doc:"First day, such as 2026-03-01"`
	To       string        `json:"to" doc:"Last day"`
	TimeZone string        `json:"timeZone" doc:"Zone of the days, such as Asia/Dhaka"`
	By       SalesGrouping `json:"by"`
	Total    Sales         `json:"total"`
	Rows     []SalesRow    `json:"rows" nullable:"false" doc:"Days in their order; products and couriers by sales"`
	MoreRows bool          `json:"moreRows" doc:"Whether there are more products than requested"`
}

// Sales are the figures of a period, a day, a product or a courier. Orders count on the day on
// which they were placed, with the status that they have now: those that were placed in sandbox
// mode, await their online payment, expired or were cancelled are not counted. Returned ones are,
// and refunds are not deducted.
type Sales struct {
	Orders    int          `json:"orders" doc:"Orders that are not cancelled, expired or unpaid online"`
	Units     int          `json:"units" doc:"Units in these orders"`
	Sales     money.Money  `json:"sales" doc:"Prices of these units less discounts"`
	Delivery  *money.Money `json:"deliveryCharges" doc:"Delivery charges of these orders; null of a product"`
	Revenue   *money.Money `json:"revenue" doc:"Totals of these orders: sales and delivery charges, less what is rounded off; null of a product"`
	Average   *money.Money `json:"averageOrder" doc:"Revenue per order, rounded down; null of a product, or without orders"`
	Delivered int          `json:"delivered" doc:"Those of the orders that are delivered, or delivered in part"`
	Returned  int          `json:"returned" doc:"Those of the orders that are returned, or on their way back"`
	Cancelled int          `json:"cancelled" doc:"Cancelled orders, which are not among the orders"`
}

// SalesRow are the sales of a day, a product or a courier.
type SalesRow struct {
	Key  string `json:"key" doc:"The day, the ID of the product, or the courier; empty: orders without a shipment"`
	Name string `json:"name" doc:"The title of the product; otherwise the key"`
	Sales
}

// SalesGrouping is what each row of a [SalesReport] stands for.
type SalesGrouping string

// The groupings.
const (
	SalesByDay     SalesGrouping = "day"
	SalesByProduct SalesGrouping = "product"
	SalesByCourier SalesGrouping = "courier" // of the newest shipment of each order
)

// SalesGroupings returns all groupings.
func SalesGroupings() []SalesGrouping {
	return []SalesGrouping{SalesByDay, SalesByProduct, SalesByCourier}
}

// SalesFilter selects a period. The zero value selects the last 30 days by day.
type SalesFilter struct {
	From, To string        // first and last day, such as 2026-03-01; "": 29 days before the last, today
	By       SalesGrouping // "": SalesByDay
	Limit    int           // products at most, page.NoLimit means all; 0: defaultSalesRows
}

const (
	defaultSalesDays = 30
	maxSalesDays     = 400
	defaultSalesRows = 50
)

// ReportSales returns the sales of a period. Its work grows with the orders of the period. Codes:
// validation_failed.
func (s *Shop) ReportSales(ctx context.Context, caller access.Caller, filter SalesFilter) (*SalesReport, error) {
	who, err := s.requireStaff(ctx, caller, access.ToReportSales)
	if err != nil {
		return nil, err
	}
	set, err := s.loadSettings(ctx)
	if err != nil {
		return nil, err
	}
	days, err := filter.days(s.now().In(set.zone))
	if err != nil {
		return nil, err
	}
	if filter.By == "" {
		filter.By = SalesByDay
	}
	if filter.By == "" {
		filter.By = SalesByDay
	}
	if filter.Limit == 0 {
		filter.Limit = defaultSalesRows
	}
	last := len(days) - 2
	report := &SalesReport{From: days[0].Format(time.DateOnly), To: days[last].Format(time.DateOnly), TimeZone: set.zone.String(), By: filter.By}
	var rows []salesRow
	var total salesRow
	err = s.viewManyAs(ctx, who, func(ctx context.Context, tx *db.Tx) error {
		if filter.By == SalesByDay {
			rows, err = findSalesByDay(ctx, tx, days)
		} else {
			rows, err = findSalesByCourier(tx, days[0], days[last+1])
		}
		total = sumSales(rows)
		if err == nil && filter.By == SalesByProduct {
			rows, report.MoreRows, err = findSalesByProduct(tx, days[0], days[last+1], filter.Limit)
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	report.Total, report.Rows = total.view(set.money), make([]SalesRow, len(rows))
	for i, row := range rows {
		report.Rows[i] = SalesRow{Key: row.key, Name: row.name, Sales: row.view(set.money)}
		if filter.By == SalesByProduct {
			report.Rows[i].Delivery, report.Rows[i].Revenue, report.Rows[i].Average = nil, nil, nil
		}
	}
	return report, nil
}

// days returns the beginnings of the days of a period, and the end of the last one.
func (f *SalesFilter) days(now time.Time) ([]time.Time, error) {
	var bad fault.Invalid
	parse := func(field, text string, missing time.Time) time.Time {
		if text == "" {
			return missing
		}
		day, err := time.ParseInLocation(time.DateOnly, text, now.Location())
		if err != nil {
			bad.Add(field, fault.CodeInvalidValue, "Must be a day such as 2026-03-01.")
		}
		return day
	}
	if f.By != "" && !slices.Contains(SalesGroupings(), f.By) {
		bad.Add("by", fault.CodeInvalidValue, "Must be day, product or courier.")
	}
	if f.Limit < page.NoLimit {
		bad.Add("limit", fault.CodeInvalidValue, "The limit must be at least 1, or -1 for all products.")
	}
	last := parse("to", f.To, startOfDay(now, 0))
	first := parse("from", f.From, startOfDay(last, 1-defaultSalesDays))
	if err := bad.Err(); err != nil {
		return nil, err
	}
	if last.Before(first) {
		bad.Add("to", fault.CodeInvalidValue, "The last day must not be before the first.")
		return nil, bad.Err()
	}
	days := []time.Time{first}
	for day := first; !day.After(last); {
		day = startOfDay(day, 1)
		if days = append(days, day); len(days) > maxSalesDays+1 {
			bad.Add("from", fault.CodeInvalidValue, "The period must not be longer than %d days.", maxSalesDays)
			return nil, bad.Err()
		}
	}
	return days, nil
}

// startOfDay returns the beginning of the day that is a number of days after that of at.
func startOfDay(at time.Time, days int) time.Time {
	year, month, day := at.Date()
	return time.Date(year, month, day+days, 0, 0, 0, 0, at.Location())
}

// salesRow are the figures of a [SalesRow].
type salesRow struct {
	key, name                                     string
	orders, units, delivered, returned, cancelled int64
	sales, delivery, revenue                      int64
}

// sumSales returns the sums of rows that have no order in common.
func sumSales(rows []salesRow) (sum salesRow) {
	for _, r := range rows {
		sum.orders += r.orders
		sum.units += r.units
		sum.delivered += r.delivered
		sum.returned += r.returned
		sum.cancelled += r.cancelled
		sum.sales += r.sales
		sum.delivery += r.delivery
		sum.revenue += r.revenue
	}
	return sum
}

func (r *salesRow) view(currency money.Currency) Sales {
	view := Sales{
		Orders: int(r.orders), Units: int(r.units), Sales: currency.Money(r.sales),
		Delivery: new(currency.Money(r.delivery)), Revenue: new(currency.Money(r.revenue)),
		Delivered: int(r.delivered), Returned: int(r.returned), Cancelled: int(r.cancelled),
	}
	if r.orders > 0 {
		view.Average = new(currency.Money(r.revenue / r.orders))
	}
	return view
}
