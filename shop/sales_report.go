package shop

import (
	"context"

	"storefront/db"
	"storefront/shop/access"
	"storefront/shop/cash"
	"storefront/shop/plugin"
	"storefront/shop/sales"
)

// SalesReport is a shop's sales on the days of a period, in the shop's time zone.
type SalesReport struct {
	sales.Period
	TimeZone string         `json:"timeZone" doc:"Zone of the days, such as Asia/Dhaka"`
	By       sales.Grouping `json:"by"`
	Rows     []SalesRow     `json:"rows" nullable:"false" doc:"Days in their order, or other rows by sales"`
	MoreRows bool           `json:"moreRows" doc:"Whether there are more rows than requested"`
	Before   *sales.Period  `json:"before" doc:"The period of the comparison; null if there is none"`
	// Customers are the buyers who have spent the most in total, in a report by buyer for callers who
	// may view customers.
	Customers []CustomerRow `json:"customers" doc:"Buyers who spent the most in total; null unless by buyer, and with customers.read"`
}

// SalesRow are the sales of a day, a product or another group.
type SalesRow struct {
	sales.Row
	Cash *cash.HeldBy `json:"cash" doc:"Cash that a courier holds now, for callers who may view cash; otherwise null"`
}

// ReportSales returns the sales of a period, with the customers of a report by buyer, and with the
// cash in one by courier. Codes: validation_failed, unauthenticated, forbidden.
func (s *Shop) ReportSales(
	ctx context.Context, caller access.Caller, filter sales.Filter,
) (*SalesReport, error) {
	who, err := s.data.Authorize(ctx, caller, access.ToReportSales)
	if err != nil {
		return nil, err
	}
	return s.reportSales(ctx, who, filter)
}

func (s *Shop) reportSales(
	ctx context.Context, who access.Staff, filter sales.Filter,
) (*SalesReport, error) {
	sold, err := s.Sales.Report(ctx, who, filter)
	if err != nil {
		return nil, err
	}
	report := &SalesReport{
		Period: sold.Period, TimeZone: sold.TimeZone, By: sold.By,
		Rows: make([]SalesRow, len(sold.Rows)), MoreRows: sold.MoreRows, Before: sold.Before,
	}
	for i, row := range sold.Rows {
		report.Rows[i].Row = row
	}
	switch {
	case sold.By == sales.ByBuyer && who.Permits(access.CustomersRead):
		report.Customers, err = s.findTopCustomers(ctx, who)
	case sold.By == sales.ByCourier && who.Permits(access.CashRead):
		err = s.addCash(ctx, who, report.Rows)
	}
	if err != nil {
		return nil, err
	}
	return report, nil
}

// findTopCustomers returns the customers who have spent most.
func (s *Shop) findTopCustomers(
	ctx context.Context, who access.Staff,
) (customers []CustomerRow, err error) {
	set, err := s.loadSettings(ctx)
	if err != nil {
		return nil, err
	}
	err = s.data.ViewManyAs(ctx, who, func(_ context.Context, tx *db.Tx) error {
		customers, err = set.findTopCustomers(tx)
		return err
	})
	return customers, err
}

// addCash adds to the rows of couriers what they hold.
func (s *Shop) addCash(ctx context.Context, who access.Staff, rows []SalesRow) error {
	held, err := s.Cash.FindHeld(ctx, who)
	if err != nil {
		return err
	}
	for i := range rows {
		for _, cash := range held {
			if plugin.Provider(rows[i].Key) == cash.Courier {
				rows[i].Cash = &cash
			}
		}
	}
	return nil
}
