package sales

import (
	"cmp"
	"context"
	"encoding/csv"
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"storefront/db"
	"storefront/shop/access"
	"storefront/shop/campaign"
	"storefront/shop/fault"
	"storefront/shop/input"
	"storefront/shop/money"
	"storefront/shop/page"
)

// AttributionTouch is the touch of a buyer to which an order counts.
//
//api:enum AttributionTouch
type AttributionTouch string

// The touches.
const (
	TouchLast  AttributionTouch = "last"  // the last one before the order
	TouchFirst AttributionTouch = "first" // the first one in the 30 days before the order
)

// CampaignReport is what campaigns of a period brought.
type CampaignReport struct {
	From     string           `json:"from" doc:"First day, such as 2026-03-01"`
	To       string           `json:"to" doc:"Last day"`
	TimeZone string           `json:"timeZone" doc:"Zone of the days, such as Asia/Dhaka"`
	Touch    AttributionTouch `json:"touch"`
	Total    CampaignFigures  `json:"total" doc:"All rows"`
	Rows     []CampaignRow    `json:"rows" nullable:"false" doc:"By revenue of delivered orders, then by orders, spend and visits"`
	MoreRows bool             `json:"moreRows" doc:"Whether there are more rows than requested"`
	Before   *CampaignBefore  `json:"before" doc:"The period of the comparison; null if there is none"`

	money money.Currency
}

// CampaignBefore is the period that a report by campaign is compared with.
type CampaignBefore struct {
	From  string          `json:"from" doc:"First day"`
	To    string          `json:"to" doc:"Last day"`
	Total CampaignFigures `json:"total"`
}

// CampaignRow is what one campaign brought.
type CampaignRow struct {
	Kind    campaign.Kind `json:"kind"`
	Name    string        `json:"name" doc:"The campaign, the source with its medium, or the source of orders by staff; empty for direct and other"`
	Sources []string      `json:"sources" nullable:"false" doc:"Sources of a campaign's visits and orders, such as facebook / paid; at most 10"`
	CampaignFigures
	Before *CampaignFigures `json:"before" doc:"The same row in the period before; null if there is nothing to compare"`
}

// CampaignFigures are what campaigns brought. Orders count as in the other reports.
type CampaignFigures struct {
	Visits    *int64       `json:"visits" doc:"Visits of the site; null if none are counted, as for orders by staff"`
	Orders    int          `json:"orders" doc:"Orders that are not cancelled, expired or unpaid online"`
	Confirmed int          `json:"confirmed" doc:"Orders that were confirmed"`
	Delivered int          `json:"delivered" doc:"Orders delivered, also in part"`
	Returned  int          `json:"returned" doc:"Orders returned, or on their way back"`
	Cancelled int          `json:"cancelled" doc:"Cancelled orders, which are not among the orders"`
	Sales     money.Money  `json:"sales" doc:"Prices of the units less discounts and credits"`
	Earned    money.Money  `json:"deliveredRevenue" doc:"Totals of the delivered orders less credits"`
	Margin    *money.Money `json:"margin" doc:"Sales less the units' present costs, before spend; null if one is unknown, or hidden from the caller"`
	Spend     *money.Money `json:"spend" doc:"Money spent; null if none was entered"`
	Cost      *money.Money `json:"costPerDelivered" doc:"Spend per delivered order, rounded down; null without spend or delivered orders"`
	Return    *int64       `json:"returnOnSpend" doc:"Delivered revenue per spend, in tenths of a per cent: 2500 is 2.5 times; null without spend"`
}

// CampaignFilter selects a period and how orders count. The zero value selects the last 30 days by
// the last touch.
type CampaignFilter struct {
	From, To string // as in [Filter]
	Touch    AttributionTouch
	Compare  Comparison
	Limit    int
}

// ReportCampaigns returns the visits, the orders and the costs of campaigns. Sums of past days are
// stored, as for [Reports.Report]. Codes: validation_failed, unauthenticated, forbidden.
func (r *Reports) ReportCampaigns(ctx context.Context, caller access.Caller, filter CampaignFilter) (*CampaignReport, error) {
	who, err := r.cfg.Data.Authorize(ctx, caller, access.ToReportCampaigns)
	if err != nil {
		return nil, err
	}
	return r.reportCampaigns(ctx, who, filter)
}

func (r *Reports) reportCampaigns(ctx context.Context, who access.Staff, filter CampaignFilter) (*CampaignReport, error) {
	set, err := r.cfg.Settings(ctx)
	if err != nil {
		return nil, err
	}
	period := Filter{From: filter.From, To: filter.To, Compare: filter.Compare, Limit: filter.Limit}
	days, err := period.Days(r.cfg.Now().In(set.Zone))
	if err != nil {
		return nil, err
	}
	var bad fault.Invalid
	if filter.Touch != "" {
		input.CheckValues(&bad, "touch", []AttributionTouch{filter.Touch}, []AttributionTouch{TouchLast, TouchFirst})
	}
	if err := bad.Err(); err != nil {
		return nil, err
	}
	by := byLastCampaign
	if filter.Touch == TouchFirst {
		by = byFirstCampaign
	}
	var now, before campaignRows
	var costs bool
	err = r.cfg.Data.ViewManyAs(ctx, who, func(ctx context.Context, tx *db.Tx) (err error) {
		costs = who.Permits(access.CostsRead)
		if now, err = findCampaigns(ctx, tx, by, days); err != nil {
			return err
		}
		if filter.Compare == "" {
			return nil
		}
		before, err = findCampaigns(ctx, tx, by, filter.Compare.daysBefore(days))
		return err
	})
	if err != nil {
		return nil, err
	}
	view := campaignView{set.Currency, costs}
	report := &CampaignReport{TimeZone: set.Zone.String(), Touch: cmp.Or(filter.Touch, TouchLast), Total: view.total(now), money: set.Currency}
	report.From, report.To = daysText(days)
	if filter.Compare != "" {
		report.Before = &CampaignBefore{Total: view.total(before)}
		report.Before.From, report.Before.To = daysText(filter.Compare.daysBefore(days))
	}
	report.Rows, report.MoreRows = view.rows(now, before, cmp.Or(filter.Limit, defaultSalesRows))
	return report, nil
}

// daysText returns the first and the last day of a period.
func daysText(days []time.Time) (first, last string) {
	return days[0].Format(time.DateOnly), days[len(days)-2].Format(time.DateOnly)
}

// findCampaigns returns the rows of a period.
func findCampaigns(ctx context.Context, tx *db.Tx, by Grouping, days []time.Time) (campaignRows, error) {
	rows := campaignRows{}
	sums, err := findSales(ctx, tx, by, days)
	if err != nil {
		return nil, err
	}
	for key, sold := range sums.rows {
		rows.of(campaign.UnpackKey(key), sold.sums[sumOrders]).sales.add(sold)
	}
	first, last := daysText(days)
	visits, err := campaign.SumVisits(tx, first, last)
	if err != nil {
		return nil, err
	}
	for key, n := range visits {
		addTo(&rows.of(key, int64(n)).visits, int64(n))
	}
	spend, err := campaign.SumSpend(tx, first, last)
	if err != nil {
		return nil, err
	}
	for _, s := range spend {
		addTo(&rows.row(s.Kind, s.Name, 0).spend, s.Amount)
	}
	return rows, nil
}

// campaignView is the way a report by campaign shows figures.
type campaignView struct {
	currency money.Currency
	costs    bool // whether the caller may see costs
}

func (v campaignView) of(r *campaignRow) CampaignFigures {
	sums := &r.sales.sums
	f := CampaignFigures{
		Visits: r.visits, Orders: int(sums[sumOrders]), Confirmed: int(sums[sumConfirmed]), Delivered: int(sums[sumDelivered]),
		Returned: int(sums[sumReturned]), Cancelled: int(sums[sumCancelled]), Sales: v.currency.Money(sums[sumSales]),
		Earned: v.currency.Money(sums[sumEarned]),
	}
	if margin := r.sales.margin(); v.costs && margin != nil {
		f.Margin = new(v.currency.Money(*margin))
	}
	if r.spend == nil {
		return f
	}
	f.Spend = new(v.currency.Money(*r.spend))
	f.Return = rateOf(sums[sumEarned], *r.spend)
	if f.Delivered > 0 {
		f.Cost = new(v.currency.Money(*r.spend / sums[sumDelivered]))
	}
	return f
}

func (v campaignView) total(rows campaignRows) CampaignFigures {
	var all campaignRow
	for _, r := range rows {
		all.add(r)
	}
	return v.of(&all)
}

// maxChannels limits the sources of a row.
const maxChannels = 10

// rows returns at most limit rows, the largest first. more reports whether there are others.
func (v campaignView) rows(now, before campaignRows, limit int) (all []CampaignRow, more bool) {
	names := slices.SortedFunc(maps.Keys(now), func(a, b campaignName) int {
		x, y := now[a], now[b]
		return cmp.Or(
			cmp.Compare(y.sales.sums[sumEarned], x.sales.sums[sumEarned]), cmp.Compare(y.sales.sums[sumOrders], x.sales.sums[sumOrders]),
			cmp.Compare(valueOf(y.spend), valueOf(x.spend)), cmp.Compare(valueOf(y.visits), valueOf(x.visits)),
			cmp.Compare(a.kind, b.kind), cmp.Compare(a.key, b.key))
	})
	if limit != page.NoLimit && len(names) > limit {
		names, more = names[:limit], true
	}
	all = make([]CampaignRow, len(names))
	for i, name := range names {
		r := now[name]
		sources := slices.Sorted(maps.Keys(r.channels))
		all[i] = CampaignRow{
			Kind: name.kind, Name: r.name, Sources: append([]string{}, sources[:min(len(sources), maxChannels)]...), CampaignFigures: v.of(r),
		}
		if was := before[name]; was != nil {
			all[i].Before = new(v.of(was))
		}
	}
	return all, more
}

func valueOf(n *int64) int64 {
	if n == nil {
		return 0
	}
	return *n
}

var campaignFileColumns = []string{
	"Kind", "Name", "Sources", "Visits", "Orders", "Confirmed", "Delivered", "Returned", "Cancelled", "Sales", "Delivered revenue", "Margin",
	"Spend", "Cost per delivered order", "Return on spend, %", "Currency",
}

// ExportCampaigns writes all rows of a report to w as CSV. The export is recorded in the audit log
// before anything is written. Codes: as for ReportCampaigns.
func (r *Reports) ExportCampaigns(ctx context.Context, caller access.Caller, filter CampaignFilter, w io.Writer) error {
	who, err := r.cfg.Data.Authorize(ctx, caller, access.ToExportCampaigns)
	if err != nil {
		return err
	}
	filter.Limit = page.NoLimit
	report, err := r.reportCampaigns(ctx, who, filter)
	if err != nil {
		return err
	}
	err = r.cfg.Data.UpdateAs(ctx, who, func(_ context.Context, tx *db.Tx) error {
		return who.Audit(tx, access.Subject{Kind: access.SubjectSales, Label: "campaigns"})
	})
	if err != nil {
		return err
	}
	file := csv.NewWriter(w)
	if err := file.Write(campaignFileColumns); err != nil {
		return fmt.Errorf("export campaigns: %w", err)
	}
	for _, row := range report.Rows {
		if err := file.Write(row.export(report.money)); err != nil {
			return fmt.Errorf("export campaigns: %w", err)
		}
	}
	file.Flush()
	return file.Error()
}

// export returns the row's cells in the order of campaignFileColumns.
func (r *CampaignRow) export(currency money.Currency) []string {
	amount := func(m *money.Money) string {
		if m == nil {
			return ""
		}
		return currency.Decimal(m.Amount)
	}
	visits := ""
	if r.Visits != nil {
		visits = strconv.FormatInt(*r.Visits, 10)
	}
	return []string{
		string(r.Kind), input.GuardFormulas(r.Name), input.GuardFormulas(strings.Join(r.Sources, ", ")), visits, strconv.Itoa(r.Orders),
		strconv.Itoa(r.Confirmed), strconv.Itoa(r.Delivered), strconv.Itoa(r.Returned), strconv.Itoa(r.Cancelled), amount(&r.Sales),
		amount(&r.Earned), amount(r.Margin), amount(r.Spend), amount(r.Cost), PercentText(r.Return), currency.Code,
	}
}
