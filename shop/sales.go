package shop

import (
	"cmp"
	"context"
	"iter"
	"slices"
	"strconv"
	"time"

	"storefront/db"
	"storefront/shop/access"
	"storefront/shop/fault"
	"storefront/shop/money"
	"storefront/shop/page"
)

// SalesReport is what a shop sold on the days of a period, in the shop's time zone.
type SalesReport struct {
	SalesPeriod
	TimeZone string        `json:"timeZone" doc:"Zone of the days, such as Asia/Dhaka"`
	By       SalesGrouping `json:"by"`
	Rows     []SalesRow    `json:"rows" nullable:"false" doc:"Days in their order; others by sales"`
	MoreRows bool          `json:"moreRows" doc:"Whether there are more rows than requested"`
	Before   *SalesPeriod  `json:"before" doc:"The period that it is compared with; null: none"`
}

// SalesPeriod are the sales of all days from the first to the last.
type SalesPeriod struct {
	From  string `json:"from" doc:"First day, such as 2026-03-01"`
	To    string `json:"to" doc:"Last day"`
	Total Sales  `json:"total"`
}

// Sales are the figures of a period, a day, a product or another group. Orders count on the day on
// which they were placed, with the status that they have now: those that were placed in sandbox
// mode, await their online payment, expired or were cancelled are not counted. Returned ones are,
// and refunds are not deducted.
type Sales struct {
	Orders     int          `json:"orders" doc:"Orders that are not cancelled, expired or unpaid online"`
	Units      int          `json:"units" doc:"Units in these orders"`
	Sales      money.Money  `json:"sales" doc:"Prices of these units less discounts"`
	Delivery   *money.Money `json:"deliveryCharges" doc:"Delivery charges of these orders; null of a product"`
	Revenue    *money.Money `json:"revenue" doc:"Totals of these orders: sales and delivery charges, less what is rounded off; null of a product"`
	Average    *money.Money `json:"averageOrder" doc:"Revenue per order, rounded down; null of a product, or without orders"`
	Delivered  int          `json:"delivered" doc:"Those of the orders that are delivered, or delivered in part"`
	Returned   int          `json:"returned" doc:"Those of the orders that are returned, or on their way back"`
	ReturnRate *int64       `json:"returnRate" doc:"Returned per delivered or returned, in tenths of a per cent; null: none of either"`
	Cancelled  int          `json:"cancelled" doc:"Cancelled orders, which are not among the orders"`
	CancelRate *int64       `json:"cancelRate" doc:"Cancelled per order or cancelled, in tenths of a per cent; null: none of either"`
}

// SalesRow are the sales of a day, a product or another group.
type SalesRow struct {
	Key  string `json:"key" doc:"The day, the ID of the product or coupon, the courier, city or payment method; empty: orders without it"`
	Name string `json:"name" doc:"The title of the product, the code of the coupon; otherwise the key"`
	Sales
	Before *Sales `json:"before" doc:"Of the day that is as far from the first, or of the same key, in the period before; null: nothing to compare"`
}

// SalesGrouping is what each row of a [SalesReport] stands for.
type SalesGrouping string

// The groupings.
const (
	SalesByDay     SalesGrouping = "day"
	SalesByProduct SalesGrouping = "product"
	SalesByCourier SalesGrouping = "courier" // of the newest shipment of each order
	SalesByCity    SalesGrouping = "city"    // of the shipping address
	SalesByMethod  SalesGrouping = "method"  // of the payment
	SalesByCoupon  SalesGrouping = "coupon"
)

// SalesGroupings returns all groupings.
func SalesGroupings() []SalesGrouping {
	return []SalesGrouping{SalesByDay, SalesByProduct, SalesByCourier, SalesByCity, SalesByMethod, SalesByCoupon}
}

// SalesComparison is which earlier period a [SalesReport] is compared with.
type SalesComparison string

// The comparisons.
const (
	ComparePrevious SalesComparison = "previous" // as many days, which end before the first
	CompareYear     SalesComparison = "year"     // the same days of the year before
)

// SalesComparisons returns all comparisons.
func SalesComparisons() []SalesComparison { return []SalesComparison{ComparePrevious, CompareYear} }

// SalesFilter selects a period. The zero value selects the last 30 days by day.
type SalesFilter struct {
	From, To string          // first and last day, such as 2026-03-01; "": 29 days before the last, today
	By       SalesGrouping   // "": SalesByDay
	Compare  SalesComparison // "": none
	Limit    int             // rows at most that are no days, page.NoLimit means all; 0: defaultSalesRows
}

const (
	defaultSalesDays = 30
	maxSalesDays     = 400
	defaultSalesRows = 50
)

// ReportSales returns the sales of a period. Sums of past days are stored, so that its work grows
// with the days and the rows, and with the orders of today and of days that have just changed.
// Codes: validation_failed, unauthenticated, forbidden.
func (s *Shop) ReportSales(ctx context.Context, caller access.Caller, filter SalesFilter) (*SalesReport, error) {
	who, err := s.requireStaff(ctx, caller, access.ToReportSales)
	if err != nil {
		return nil, err
	}
	return s.reportSales(ctx, who, filter)
}

func (s *Shop) reportSales(ctx context.Context, who access.Staff, filter SalesFilter) (*SalesReport, error) {
	set, err := s.loadSettings(ctx)
	if err != nil {
		return nil, err
	}
	days, err := filter.days(s.now().In(set.zone))
	if err != nil {
		return nil, err
	}
	filter.By = cmp.Or(filter.By, SalesByDay)
	filter.Limit = cmp.Or(filter.Limit, defaultSalesRows)
	var now, before salesOf
	err = s.viewManyAs(ctx, who, func(ctx context.Context, tx *db.Tx) (err error) {
		if now, err = findSalesOf(ctx, tx, filter.By, days); err != nil {
			return err
		}
		if filter.Compare != "" {
			if before, err = findSalesOf(ctx, tx, filter.By, filter.Compare.daysBefore(days)); err != nil {
				return err
			}
		}
		return now.name(tx, filter.By, filter.Limit)
	})
	if err != nil {
		return nil, err
	}
	report := &SalesReport{
		SalesPeriod: now.period(set.money), TimeZone: set.zone.String(), By: filter.By, Rows: make([]SalesRow, len(now.rows)), MoreRows: now.more,
	}
	if filter.Compare != "" {
		report.Before = new(before.period(set.money))
	}
	earlier := before.byKey(filter.By)
	for i, row := range now.rows {
		key := row.key
		if filter.By == SalesByDay {
			key = strconv.Itoa(i)
		}
		report.Rows[i] = SalesRow{Key: row.key, Name: row.name, Sales: row.view(filter.By, set.money)}
		if was, ok := earlier[key]; ok {
			report.Rows[i].Before = new(was.view(filter.By, set.money))
		}
	}
	return report, nil
}

// salesOf are the sales of a period.
type salesOf struct {
	days  []time.Time // the beginnings of its days, and the end of the last one
	total salesRow
	rows  []salesRow
	more  bool // there were more rows
}

// findSalesOf returns the sales of a period by a grouping: days in their order, others the largest
// first.
func findSalesOf(ctx context.Context, tx *db.Tx, by SalesGrouping, days []time.Time) (of salesOf, err error) {
	of.days = days
	counted, err := findCountedDays(tx, days)
	if err != nil {
		return of, err
	}
	all, err := findSalesByDay(ctx, tx, days, counted)
	if err != nil {
		return of, err
	}
	for i := range all {
		of.total.add(&all[i])
	}
	if by == SalesByDay {
		of.rows = all
		return of, nil
	}
	sums, err := findSales(ctx, tx, by, days, counted)
	if err != nil {
		return of, err
	}
	for _, sum := range sums {
		of.rows = append(of.rows, *sum)
	}
	slices.SortFunc(of.rows, func(a, b salesRow) int { return cmp.Or(cmp.Compare(b.sales, a.sales), cmp.Compare(a.key, b.key)) })
	return of, nil
}

// name shortens the rows to a limit, which does not apply to days, and names them.
func (of *salesOf) name(tx *db.Tx, by SalesGrouping, limit int) error {
	if by != SalesByDay && limit != page.NoLimit && len(of.rows) > limit {
		of.rows, of.more = of.rows[:limit], true
	}
	var keys []string
	for _, row := range of.rows {
		keys = append(keys, row.key)
	}
	names, err := findNames(tx, by, keys)
	for i := range of.rows {
		of.rows[i].name = cmp.Or(names[of.rows[i].key], of.rows[i].key)
	}
	return err
}

// byKey returns the rows by key, those of days by their position.
func (of *salesOf) byKey(by SalesGrouping) map[string]salesRow {
	rows := make(map[string]salesRow, len(of.rows))
	for i, row := range of.rows {
		if by == SalesByDay {
			row.key = strconv.Itoa(i)
		}
		rows[row.key] = row
	}
	return rows
}

func (of *salesOf) period(currency money.Currency) SalesPeriod {
	last := len(of.days) - 2
	return SalesPeriod{
		From: of.days[0].Format(time.DateOnly), To: of.days[last].Format(time.DateOnly), Total: of.total.view(SalesByDay, currency),
	}
}

// daysBefore returns the days of the period that one is compared with, and its end.
func (c SalesComparison) daysBefore(days []time.Time) []time.Time {
	first, last := days[0], days[len(days)-2]
	if c == CompareYear {
		return daysOf(sameDayYearBefore(first), sameDayYearBefore(last))
	}
	return daysOf(startOfDay(first, 1-len(days)), startOfDay(first, -1))
}

// sameDayYearBefore returns the beginning of the same day of the year before: of 29 February that
// of 28 February.
func sameDayYearBefore(day time.Time) time.Time {
	year, month, date := day.Date()
	before := time.Date(year-1, month, date, 0, 0, 0, 0, day.Location())
	if before.Month() != month {
		return startOfDay(before, -1)
	}
	return before
}

// daysOf returns the beginnings of the days from the first to the last, and the end of the last.
func daysOf(first, last time.Time) []time.Time {
	days := []time.Time{first}
	for day := first; !day.After(last); {
		day = startOfDay(day, 1)
		days = append(days, day)
	}
	return days
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
	if f.By != "" {
		checkValues(&bad, "by", []SalesGrouping{f.By}, SalesGroupings())
	}
	if f.Compare != "" {
		checkValues(&bad, "compare", []SalesComparison{f.Compare}, SalesComparisons())
	}
	if f.Limit < page.NoLimit {
		bad.Add("limit", fault.CodeInvalidValue, "The limit must be at least 1, or -1 for all rows.")
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
	if startOfDay(first, maxSalesDays).Before(startOfDay(last, 1)) {
		bad.Add("from", fault.CodeInvalidValue, "The period must not be longer than %d days.", maxSalesDays)
		return nil, bad.Err()
	}
	return daysOf(first, last), nil
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

// add adds a row that has no order in common.
func (r *salesRow) add(other *salesRow) {
	r.orders += other.orders
	r.units += other.units
	r.delivered += other.delivered
	r.returned += other.returned
	r.cancelled += other.cancelled
	r.sales += other.sales
	r.delivery += other.delivery
	r.revenue += other.revenue
}

func (r *salesRow) view(by SalesGrouping, currency money.Currency) Sales {
	view := Sales{
		Orders: int(r.orders), Units: int(r.units), Sales: currency.Money(r.sales),
		Delivered: int(r.delivered), Returned: int(r.returned), ReturnRate: rateOf(r.returned, r.delivered+r.returned),
		Cancelled: int(r.cancelled), CancelRate: rateOf(r.cancelled, r.orders+r.cancelled),
	}
	if by == SalesByProduct { // an order's charge and total are of all its products
		return view
	}
	view.Delivery, view.Revenue = new(currency.Money(r.delivery)), new(currency.Money(r.revenue))
	if r.orders > 0 {
		view.Average = new(currency.Money(r.revenue / r.orders))
	}
	return view
}

// rateOf returns a part of a whole in tenths of a per cent, rounded; nil without a whole.
func rateOf(part, whole int64) *int64 {
	if whole == 0 {
		return nil
	}
	return new((part*1000 + whole/2) / whole)
}

// runs returns an iterator over the parts of a list of equal values: where each begins and ends.
func runs(values []bool) iter.Seq2[int, int] {
	return func(yield func(from, to int) bool) {
		for from := 0; from < len(values); {
			to := from + 1
			for to < len(values) && values[to] == values[from] {
				to++
			}
			if !yield(from, to) {
				return
			}
			from = to
		}
	}
}
