package sales

import (
	"cmp"
	"context"
	"encoding/csv"
	"fmt"
	"io"
	"strconv"

	"storefront/db"
	"storefront/shop/access"
	"storefront/shop/money"
)

// Overview are the main figures of a period beside those of an earlier one.
type Overview struct {
	From       string `json:"from" doc:"First day, such as 2026-03-01"`
	To         string `json:"to" doc:"Last day"`
	BeforeFrom string `json:"beforeFrom" doc:"First day of the period of the comparison"`
	BeforeTo   string `json:"beforeTo" doc:"Last day of the period of the comparison"`
	TimeZone   string `json:"timeZone" doc:"Zone of the days, such as Asia/Dhaka"`
	Currency   string `json:"currency" doc:"Currency of the amounts"`

	Orders         Metric `json:"orders"`
	Sales          Metric `json:"sales"`
	Revenue        Metric `json:"revenue"`
	AverageOrder   Metric `json:"averageOrder"`
	ReturnRate     Metric `json:"returnRate"`
	CancelRate     Metric `json:"cancelRate"`
	PaymentSuccess Metric `json:"paymentSuccess"`
	DeliveryDays   Metric `json:"deliveryDays"`
	Margin         Metric `json:"margin" doc:"Values are null for a caller who may not view costs"`
	NewBuyers      Metric `json:"newBuyers"`

	DeliveryTimes []int64 `json:"deliveryTimes" nullable:"false" doc:"Deliveries by days from booking: 0 to 7 each, 8 to 10, 11 to 14, 15 or more"`

	money money.Currency
}

// Metric is a figure of a period, and of the earlier period.
type Metric struct {
	Value  *int64     `json:"value" doc:"Null if there are no orders to compute it from"`
	Before *int64     `json:"before" doc:"Value in the period of the comparison"`
	Change *int64     `json:"change" doc:"Change from before to value, in tenths of a per cent of before; null if before is 0 or null, or value is null"`
	Unit   MetricUnit `json:"unit"`
	How    string     `json:"how" doc:"Explanation of the count, in one sentence"`
}

// MetricUnit is the unit of a figure.
//
//api:enum MetricUnit
type MetricUnit string

// The units of metrics.
const (
	UnitCount  MetricUnit = "count"  // a number
	UnitMoney  MetricUnit = "money"  // minor units of the shop's currency
	UnitPermil MetricUnit = "permil" // tenths of a per cent
	UnitDays   MetricUnit = "days"   // days
)

// overviewMetric is a metric of a [Overview]: its place, and its computation.
type overviewMetric struct {
	name  string
	of    func(o *Overview) *Metric
	unit  MetricUnit
	value func(r *salesRow) *int64
	how   string
}

func overviewMetrics() []overviewMetric {
	sum := func(at int) func(r *salesRow) *int64 { return func(r *salesRow) *int64 { return &r.sums[at] } }
	return []overviewMetric{
		{"orders", func(o *Overview) *Metric { return &o.Orders }, UnitCount, sum(sumOrders),
			"Orders by the day on which they were placed, without those that are cancelled, expired, unpaid online or placed in sandbox mode."},
		{"sales", func(o *Overview) *Metric { return &o.Sales }, UnitMoney, sum(sumSales),
			"Prices of the units in these orders less discounts, without what came back or was credited."},
		{"revenue", func(o *Overview) *Metric { return &o.Revenue }, UnitMoney, sum(sumRevenue),
			"Totals of these orders, without what came back or was credited: sales and delivery charges less rounding."},
		{"averageOrder", func(o *Overview) *Metric { return &o.AverageOrder }, UnitMoney, (*salesRow).average,
			"Revenue per order."},
		{"returnRate", func(o *Overview) *Metric { return &o.ReturnRate }, UnitPermil, (*salesRow).returnRate,
			"Orders returned or on their way back, per delivered or returned order."},
		{"cancelRate", func(o *Overview) *Metric { return &o.CancelRate }, UnitPermil, (*salesRow).cancelRate,
			"Cancelled orders, per counted or cancelled order."},
		{"paymentSuccess", func(o *Overview) *Metric { return &o.PaymentSuccess }, UnitPermil, func(r *salesRow) *int64 {
			return rateOf(r.sums[sumPaid], r.sums[sumOnline])
		}, "Orders paid online, per online order; an order changed to cash was not paid online."},
		{"deliveryDays", func(o *Overview) *Metric { return &o.DeliveryDays }, UnitDays, (*salesRow).medianTime,
			"Days from booking to delivery, the median of the delivered shipments; 8 means 8 to 10, 11 means 11 to 14, 15 means 15 or more."},
		{"margin", func(o *Overview) *Metric { return &o.Margin }, UnitMoney, (*salesRow).margin,
			"Sales less the present costs of the units, if every sold variant has a cost."},
		{"newBuyers", func(o *Overview) *Metric { return &o.NewBuyers }, UnitCount, sum(sumFresh),
			"Buyers with a phone number that no earlier counted order has."},
	}
}

// ReportOverview returns the main figures of a period beside those of the one before: as many
// days, or with filter.Compare the same days of the year before. Codes: validation_failed,
// unauthenticated, forbidden.
func (r *Reports) ReportOverview(
	ctx context.Context, caller access.Caller, filter Filter,
) (*Overview, error) {
	who, err := r.cfg.Data.Authorize(ctx, caller, access.ToReportOverview)
	if err != nil {
		return nil, err
	}
	return r.overview(ctx, who, filter)
}

func (r *Reports) overview(
	ctx context.Context, who access.Staff, filter Filter,
) (*Overview, error) {
	set, err := r.cfg.Settings(ctx)
	if err != nil {
		return nil, err
	}
	days, err := filter.Days(r.cfg.Now().In(set.Zone))
	if err != nil {
		return nil, err
	}
	var now, before salesOf
	var costs bool
	err = r.cfg.Data.ViewManyAs(ctx, who, func(ctx context.Context, tx *db.Tx) (err error) {
		costs = who.Permits(access.CostsRead)
		if now, err = findSalesOf(ctx, tx, ByDay, days); err != nil {
			return err
		}
		before, err = findSalesOf(ctx, tx, ByDay, cmp.Or(filter.Compare, ComparePrevious).daysBefore(days))
		return err
	})
	if err != nil {
		return nil, err
	}
	view := salesView{currency: set.Currency}
	period, earlier := now.period(view), before.period(view)
	o := &Overview{
		From: period.From, To: period.To, BeforeFrom: earlier.From, BeforeTo: earlier.To, TimeZone: set.Zone.String(), Currency: set.Currency.Code,
		DeliveryTimes: now.total.sums[sumTimes:], money: set.Currency,
	}
	for _, m := range overviewMetrics() {
		metric := Metric{Unit: m.unit, How: m.how}
		if m.name != "margin" || costs {
			metric.Value, metric.Before = m.value(&now.total), m.value(&before.total)
			metric.Change = changeOf(metric.Before, metric.Value)
		}
		*m.of(o) = metric
	}
	return o, nil
}

// changeOf returns the change from one value to another in tenths of a per cent of the first; nil
// if the first is 0, or either is missing.
func changeOf(before, value *int64) *int64 {
	if before == nil || value == nil || *before == 0 {
		return nil
	}
	return new((*value - *before) * 1000 / max(*before, -*before))
}

var overviewFileColumns = []string{"Figure", "Value", "Before", "Change, %", "Unit", "How"}

// ExportOverview writes the figures of [Reports.ReportOverview] to w as CSV. Amounts are decimals
// in the shop's currency, and rates are per cent. The export is recorded in the audit log before
// anything is written. Codes: those of ReportOverview.
func (r *Reports) ExportOverview(
	ctx context.Context, caller access.Caller, filter Filter, w io.Writer,
) error {
	who, err := r.cfg.Data.Authorize(ctx, caller, access.ToExportOverview)
	if err != nil {
		return err
	}
	o, err := r.overview(ctx, who, filter)
	if err != nil {
		return err
	}
	err = r.cfg.Data.UpdateAs(ctx, who, func(_ context.Context, tx *db.Tx) error {
		return who.Audit(tx, access.Subject{Kind: access.SubjectSales, Label: "overview"})
	})
	if err != nil {
		return err
	}
	file := csv.NewWriter(w)
	if err := file.Write(overviewFileColumns); err != nil {
		return fmt.Errorf("export overview: %w", err)
	}
	for _, m := range overviewMetrics() {
		if err := file.Write(o.row(m)); err != nil {
			return fmt.Errorf("export overview: %w", err)
		}
	}
	file.Flush()
	return file.Error()
}

// row returns the cells of a metric as a file has them.
func (o *Overview) row(m overviewMetric) []string {
	metric := m.of(o)
	unit := string(metric.Unit)
	switch metric.Unit {
	case UnitMoney:
		unit = o.Currency
	case UnitPermil:
		unit = "%"
	}
	return []string{
		m.name, metric.cell(metric.Value, o.money), metric.cell(metric.Before, o.money),
		PercentText(metric.Change), unit, metric.How,
	}
}

// cell returns one of the metric's values for a cell of a file.
func (m *Metric) cell(n *int64, currency money.Currency) string {
	switch {
	case n == nil:
		return ""
	case m.Unit == UnitMoney:
		return currency.Decimal(*n)
	case m.Unit == UnitPermil:
		return PercentText(n)
	}
	return strconv.FormatInt(*n, 10)
}

// PercentText returns tenths of a per cent as per cent: 25 is 2.5.
func PercentText(n *int64) string {
	if n == nil {
		return ""
	}
	return strconv.FormatFloat(float64(*n)/10, 'f', 1, 64)
}

// Lines returns the figures as rows of a table: name, value, before, change and unit.
func (o *Overview) Lines() [][5]string {
	var lines [][5]string
	for _, m := range overviewMetrics() {
		metric := m.of(o)
		text := func(n *int64) string {
			switch {
			case n == nil:
				return "–"
			case metric.Unit == UnitMoney:
				return o.money.Text(*n)
			case metric.Unit == UnitPermil:
				return PercentText(n) + " %"
			}
			return strconv.FormatInt(*n, 10)
		}
		change := "–"
		if metric.Change != nil {
			change = PercentText(metric.Change) + " %"
		}
		lines = append(lines, [5]string{m.name, text(metric.Value), text(metric.Before), change, metric.How})
	}
	return lines
}
