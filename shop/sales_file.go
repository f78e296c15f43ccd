package shop

import (
	"context"
	"encoding/csv"
	"fmt"
	"io"
	"strconv"

	"storefront/db"
	"storefront/shop/access"
	"storefront/shop/input"
	"storefront/shop/money"
	"storefront/shop/sales"
)

var salesFileColumns = []string{
	"Key", "Name", "Orders", "Units", "Sales", "Delivery charges", "Revenue", "Delivered", "Returned", "Cancelled", "Currency",
	"New buyers", "Shipments", "Fees", "Delivery days", "Margin",
	"Return rate, %", "Cancel rate, %", "Payment success, %", "Cash held", "Cash payable", "Oldest cash, days",
}

// ExportSales writes the rows of a report to w as CSV. Amounts are decimals in the shop's currency,
// and rates are per cent. The export is recorded in the audit log before anything is written.
// Codes: those of ReportSales.
func (s *Shop) ExportSales(
	ctx context.Context, caller access.Caller, filter sales.Filter, w io.Writer,
) error {
	who, err := s.data.Authorize(ctx, caller, access.ToExportSales)
	if err != nil {
		return err
	}
	set, err := s.loadSettings(ctx)
	if err != nil {
		return err
	}
	report, err := s.reportSales(ctx, who, filter)
	if err != nil {
		return err
	}
	err = s.data.UpdateAs(ctx, who, func(_ context.Context, tx *db.Tx) error {
		return who.Audit(tx, access.Subject{Kind: access.SubjectSales, Label: string(report.By)})
	})
	if err != nil {
		return err
	}
	file := csv.NewWriter(w)
	if err := file.Write(salesFileColumns); err != nil {
		return fmt.Errorf("export sales: %w", err)
	}
	for _, row := range report.Rows {
		if err := file.Write(row.export(set.money)); err != nil {
			return fmt.Errorf("export sales: %w", err)
		}
	}
	file.Flush()
	return file.Error()
}

// export returns the row's cells in the order of salesFileColumns.
func (r *SalesRow) export(currency money.Currency) []string {
	amount := func(m *money.Money) string {
		if m == nil {
			return ""
		}
		return currency.Decimal(m.Amount)
	}
	number := func(n *int) string {
		if n == nil {
			return ""
		}
		return strconv.Itoa(*n)
	}
	days := ""
	if r.DeliveryDays != nil {
		days = strconv.FormatInt(*r.DeliveryDays, 10)
	}
	var held, payable *money.Money
	var oldest *int
	if r.Cash != nil {
		held, payable, oldest = &r.Cash.Held, &r.Cash.Payable, r.Cash.OldestDays
	}
	return []string{
		input.GuardFormulas(r.Key), input.GuardFormulas(r.Name),
		strconv.Itoa(r.Orders), strconv.Itoa(r.Units), amount(&r.Sales), amount(r.Delivery), amount(r.Revenue),
		strconv.Itoa(r.Delivered), strconv.Itoa(r.Returned), strconv.Itoa(r.Cancelled), currency.Code,
		number(r.NewBuyers), number(r.Shipments), amount(r.Fees), days, amount(r.Margin),
		sales.PercentText(r.ReturnRate), sales.PercentText(r.CancelRate), sales.PercentText(r.PaymentSuccess),
		amount(held), amount(payable), number(oldest),
	}
}
