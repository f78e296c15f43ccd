package sales

import (
	"cmp"
	"context"
	"time"

	"storefront/db"
	"storefront/shop/access"
	"storefront/shop/fault"
	"storefront/shop/input"
	"storefront/shop/money"
	"storefront/shop/page"
	"storefront/shop/timezone"
)

// Report is a shop's sales on the days of a period, in the shop's time zone.
type Report struct {
	Period
	TimeZone string
	By       Grouping
	Rows     []Row // days in their order, others by sales
	MoreRows bool  // there are more rows than requested
	Before   *Period
}

// Period are the sales of all days from the first to the last.
type Period struct {
	From  string  `json:"from" doc:"First day, such as 2026-03-01"`
	To    string  `json:"to" doc:"Last day"`
	Total Figures `json:"total"`
}

// Figures are the sales of a period, a day, a product or another group. Orders count on the day on
// which they were placed, with the status that they have now: those that were placed in sandbox
// mode, await their online payment, expired or were cancelled are not counted. Returned ones are.
// Units that came back and amounts that were credited do not count.
type Figures struct {
	Orders     int          `json:"orders" doc:"Orders that are not cancelled, expired or unpaid online"`
	Units      int          `json:"units" doc:"Units in the orders"`
	Sales      money.Money  `json:"sales" doc:"Prices of the units less discounts and credits"`
	Delivery   *money.Money `json:"deliveryCharges" doc:"Delivery charges of the orders; null for a product"`
	Revenue    *money.Money `json:"revenue" doc:"Totals of the orders less credits; null for a product"`
	Average    *money.Money `json:"averageOrder" doc:"Revenue per order, rounded down; null for a product, or without orders"`
	Delivered  int          `json:"delivered" doc:"Orders delivered, also in part; for a courier, its shipments"`
	Returned   int          `json:"returned" doc:"Orders returned, or on their way back; for a courier, its shipments"`
	ReturnRate *int64       `json:"returnRate" doc:"Returned per delivered or returned, in tenths of a per cent; null if there are none"`
	Cancelled  int          `json:"cancelled" doc:"Cancelled orders, which are not among the orders"`
	CancelRate *int64       `json:"cancelRate" doc:"Cancelled per counted or cancelled order, in tenths of a per cent; null if there are none"`

	Margin         *money.Money `json:"margin" doc:"Sales less the units' present costs; null if one is unknown, or hidden from the caller"`
	NewBuyers      *int         `json:"newBuyers" doc:"Orders with a phone number that no earlier order has; null for a product"`
	PaymentSuccess *int64       `json:"paymentSuccess" doc:"Paid per online order, in tenths of a per cent; null if there are none, or for other rows"`
	Shipments      *int         `json:"shipments" doc:"Shipments of the orders, except cancelled ones; null for a product"`
	Fees           *money.Money `json:"fees" doc:"Reported fees of the shipments; null for a product"`
	DeliveryDays   *int64       `json:"deliveryDays" doc:"Median days to delivery, as in deliveryTimes; null if there are none, or for a product"`
	DeliveryTimes  []int64      `json:"deliveryTimes" doc:"Deliveries by days: 0 to 7 each, 8 to 10, 11 to 14, 15 or more; null if there are none"`
}

// Row are the sales of a day, a product or another group.
type Row struct {
	Key  string `json:"key" doc:"Day, ID of a product, coupon or automatic discount, courier, place, method, source, new or returning; or empty"`
	Name string `json:"name" doc:"The title of the product or discount, the code of the coupon; otherwise the key"`
	Figures
	Before *Figures `json:"before" doc:"The corresponding day, or the same key, in the period before; null if there is nothing to compare"`
}

// Grouping is the meaning of each row of a report on sales.
//
//api:enum SalesGrouping
type Grouping string

// The groupings.
const (
	ByDay      Grouping = "day"      // a day
	ByProduct  Grouping = "product"  // a product
	ByCourier  Grouping = "courier"  // the courier of the newest shipment
	ByCity     Grouping = "city"     // the city of the shipping address
	ByArea     Grouping = "area"     // the area of the shipping address, with its city
	ByMethod   Grouping = "method"   // the payment method
	ByCoupon   Grouping = "coupon"   // the coupon
	ByDiscount Grouping = "discount" // the automatic discount; an order with several counts for each
	BySource   Grouping = "source"   // where the buyer ordered
	ByBuyer    Grouping = "buyer"    // new buyers, and returning ones
)

// byOrderStatus counts orders by their status, including those that do not count as sales. No
// report has it: it is stored for [Shop.CountOrders].
const byOrderStatus Grouping = "status"

// storedAlone are the groupings that are stored, and that no report on sales has.
var storedAlone = []Grouping{byOrderStatus, byCarrier, byFirstCampaign, byLastCampaign}

// Groupings returns the groupings of reports.
func Groupings() []Grouping {
	return []Grouping{
		ByDay, ByProduct, ByCourier, ByCity, ByArea, ByMethod, ByCoupon, ByDiscount, BySource, ByBuyer,
	}
}

// Comparison is the earlier period with which a report on sales is compared.
//
//api:enum SalesComparison
type Comparison string

// The comparisons.
const (
	ComparePrevious Comparison = "previous" // as many days, which end before the first
	CompareYear     Comparison = "year"     // the same days of the year before
)

// Comparisons returns all comparisons.
func Comparisons() []Comparison { return []Comparison{ComparePrevious, CompareYear} }

// Filter selects a period. The zero value selects the last 30 days by day.
type Filter struct {
	// first and last day, such as 2026-03-01; "" means 29 days before the last, today
	From, To string
	By       Grouping   // "" means ByDay
	Compare  Comparison // "" means none
	// largest number of rows that are not days, page.NoLimit means all; 0 means defaultSalesRows
	Limit int
}

const (
	defaultSalesDays = 30
	maxSalesDays     = 400
	defaultSalesRows = 50
)

// Report returns the sales of a period to a caller who was authorized before. Sums of past days are
// stored, so that its work grows with the days and the rows, and with the orders of today and of
// days that have just changed. Codes: validation_failed, unauthenticated, forbidden.
func (r *Reports) Report(
	ctx context.Context, who access.Staff, filter Filter,
) (*Report, error) {
	set, err := r.cfg.Settings(ctx)
	if err != nil {
		return nil, err
	}
	days, err := filter.Days(r.cfg.Now().In(set.Zone))
	if err != nil {
		return nil, err
	}
	filter.By = cmp.Or(filter.By, ByDay)
	filter.Limit = cmp.Or(filter.Limit, defaultSalesRows)
	view := salesView{by: filter.By, currency: set.Currency}
	var now, before salesOf
	var rows []*salesRow
	var more bool
	err = r.cfg.Data.ViewManyAs(ctx, who, func(ctx context.Context, tx *db.Tx) (err error) {
		view.costs = who.Permits(access.CostsRead)
		if now, err = findSalesOf(ctx, tx, filter.By, days); err != nil {
			return err
		}
		if filter.Compare != "" {
			if before, err = findSalesOf(ctx, tx, filter.By, filter.Compare.daysBefore(days)); err != nil {
				return err
			}
		}
		now.sums.foldPlaces(filter.By, set.Country)
		before.sums.foldPlaces(filter.By, set.Country)
		rows, more = now.rows(filter.By, filter.Limit)
		return nameSales(tx, filter.By, rows)
	})
	if err != nil {
		return nil, err
	}
	report := &Report{
		Period: now.period(view), TimeZone: set.Zone.String(), By: filter.By,
		Rows: make([]Row, len(rows)), MoreRows: more,
	}
	if filter.Compare != "" {
		report.Before = new(before.period(view))
	}
	for i, row := range rows {
		report.Rows[i] = Row{Key: row.key, Name: row.name, Figures: view.of(row)}
		if was := before.row(filter.By, i, row.key); was != nil {
			report.Rows[i].Before = new(view.of(was))
		}
	}
	return report, nil
}

// salesOf are the sales of a period.
type salesOf struct {
	days  []time.Time // the beginnings of its days, and the end of the last one
	total salesRow
	sums  periodSums
}

// findSalesOf returns the sales of a period by a grouping.
func findSalesOf(ctx context.Context, tx *db.Tx, by Grouping, days []time.Time) (of salesOf, err error) {
	of.days = days
	if of.sums, err = findSales(ctx, tx, by, days); err != nil {
		return of, err
	}
	for i := range of.sums.days {
		of.total.add(of.sums.days[i])
	}
	return of, nil
}

// rows returns the days in their order, or at most limit rows of another grouping, the largest
// first. more reports whether there are others.
func (of *salesOf) rows(by Grouping, limit int) (rows []*salesRow, more bool) {
	if by == ByDay {
		return of.sums.days, false
	}
	return of.sums.largest(limit)
}

// row returns the row of a day by its place in the period, or the row of another grouping by its
// key; nil if there is none.
func (of *salesOf) row(by Grouping, place int, key string) *salesRow {
	if by != ByDay {
		return of.sums.find(key)
	}
	if place >= len(of.sums.days) {
		return nil
	}
	return of.sums.days[place]
}

// nameSales names rows.
func nameSales(tx *db.Tx, by Grouping, rows []*salesRow) error {
	keys := make([]string, len(rows))
	for i, row := range rows {
		keys[i] = row.key
	}
	names, err := findNames(tx, by, keys)
	if err != nil {
		return err
	}
	for _, row := range rows {
		row.name = cmp.Or(names[row.key], row.key)
	}
	return nil
}

func (of *salesOf) period(view salesView) Period {
	view.by = ByDay // the total is of all orders
	last := len(of.days) - 2
	return Period{From: of.days[0].Format(time.DateOnly), To: of.days[last].Format(time.DateOnly), Total: view.of(&of.total)}
}

// daysBefore returns the days of the earlier period of a comparison, and its end.
func (c Comparison) daysBefore(days []time.Time) []time.Time {
	first, last := days[0], days[len(days)-2]
	if c == CompareYear {
		return timezone.Days(sameDayYearBefore(first), sameDayYearBefore(last))
	}
	return timezone.Days(timezone.StartOfDay(first, 1-len(days)), timezone.StartOfDay(first, -1))
}

// sameDayYearBefore returns the beginning of the same day of the year before; 28 February for 29
// February.
func sameDayYearBefore(day time.Time) time.Time {
	year, month, date := day.Date()
	before := time.Date(year-1, month, date, 12, 0, 0, 0, day.Location())
	if before.Month() != month {
		return timezone.StartOfDay(before, -1)
	}
	return timezone.StartOfDay(before, 0)
}

// Days returns the beginnings of the days of a period, and the end of the last one. Codes:
// validation_failed.
func (f *Filter) Days(now time.Time) ([]time.Time, error) {
	var bad fault.Invalid
	parse := func(field, text string, missing time.Time) time.Time {
		if text == "" {
			return missing
		}
		day, err := timezone.ParseDay(text, now.Location())
		if err != nil {
			bad.Add(field, fault.CodeInvalidValue, "Must be a day such as 2026-03-01.")
		}
		return day
	}
	if f.By != "" {
		input.CheckValues(&bad, "by", []Grouping{f.By}, Groupings())
	}
	if f.Compare != "" {
		input.CheckValues(&bad, "compare", []Comparison{f.Compare}, Comparisons())
	}
	if f.Limit < page.NoLimit {
		bad.Add("limit", fault.CodeInvalidValue, "The limit must be at least 1, or -1 for all rows.")
	}
	last := parse("to", f.To, timezone.StartOfDay(now, 0))
	first := parse("from", f.From, timezone.StartOfDay(last, 1-defaultSalesDays))
	if err := bad.Err(); err != nil {
		return nil, err
	}
	if last.Before(first) {
		bad.Add("to", fault.CodeInvalidValue, "The last day must not be before the first.")
		return nil, bad.Err()
	}
	if timezone.StartOfDay(first, maxSalesDays).Before(timezone.StartOfDay(last, 1)) {
		bad.Add("from", fault.CodeInvalidValue, "The period must not be longer than %d days.", maxSalesDays)
		return nil, bad.Err()
	}
	return timezone.Days(first, last), nil
}
