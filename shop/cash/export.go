package cash

import (
	"context"
	"encoding/csv"
	"fmt"
	"io"
	"time"

	"storefront/db"
	"storefront/shop/access"
	"storefront/shop/input"
	"storefront/shop/money"
)

var cashColumns = []string{
	"Courier", "Consignment", "Invoice", "Status", "Due", "Collected", "Fee", "Share of the cash", "Outstanding", "Paid out", "Currency",
	"Source", "Newest entry",
}

// ExportCash writes the COD ledger to w as CSV, one line per shipment, in the order of the orders.
// Amounts are decimals in the shop's currency, times are in its time zone. Each order's shipments
// are read just before they are written. The export is recorded in the audit log before anything is
// written.
func (c *Ledger) ExportCash(ctx context.Context, caller access.Caller, w io.Writer) error {
	who, err := access.Write(ctx, c.cfg.Data, caller, access.ToExportCash, func(tx *db.Tx, who access.Staff) (access.Staff, error) {
		return who, who.Audit(tx, access.Subject{Kind: access.SubjectCash})
	})
	if err != nil {
		return err
	}
	set, err := c.cfg.Settings(ctx)
	if err != nil {
		return err
	}
	rates, err := c.cfg.Rates(ctx)
	if err != nil {
		return err
	}
	file := csv.NewWriter(w)
	if err := file.Write(cashColumns); err != nil {
		return fmt.Errorf("export cash: %w", err)
	}
	for after := int64(0); ; {
		lines, last, err := c.findPart(ctx, who, after)
		if err != nil {
			return err
		}
		if last == 0 {
			break
		}
		rates.apply(lines)
		for _, l := range lines {
			if err := file.Write(l.export(set.Currency, set.Zone)); err != nil {
				return fmt.Errorf("export cash: %w", err)
			}
		}
		after = last
	}
	file.Flush()
	return file.Error()
}

// ordersPerPart is how many orders an export holds in memory at a time.
const ordersPerPart = 100

// findPart returns the ledger's rows of the next orders of an export, and the number of the last of
// these orders; 0 if there are none.
func (c *Ledger) findPart(
	ctx context.Context, who access.Staff, after int64,
) (lines []*Row, last int64, err error) {
	err = c.cfg.Data.ViewManyAs(ctx, who, func(_ context.Context, tx *db.Tx) (err error) {
		if last, err = findLastOfPart(tx, after); err != nil {
			return err
		}
		if last == 0 {
			return nil
		}
		lines, err = findRowsOf(tx, "WHERE o.number > ? AND o.number <= ?", []any{after, last})
		return err
	})
	return lines, last, err
}

// findLastOfPart returns the number of the last order of the next part of an export; 0 if there is
// none.
func findLastOfPart(tx *db.Tx, after int64) (last int64, err error) {
	err = tx.QueryRow(`
		SELECT COALESCE(MAX(number), 0)
		FROM (SELECT number FROM orders WHERE number > ? ORDER BY number LIMIT ?) part`, after, ordersPerPart).Scan(&last)
	if err != nil {
		return 0, fmt.Errorf("find part of orders: %w", err)
	}
	return last, nil
}

// export returns the cells of the shipment's line.
func (l *Row) export(currency money.Currency, zone *time.Location) []string {
	known := func(amount *int64) string {
		if amount == nil {
			return ""
		}
		return currency.Decimal(*amount)
	}
	outstanding, paid := currency.Decimal(0), ""
	if l.PaidOut {
		paid = currency.Decimal(l.amountPaid())
	} else if l.collectedAmount() != nil {
		outstanding = currency.Decimal(l.Outstanding())
	}
	p := &l.Shipment
	cells := []string{
		string(p.provider), db.TextOf(p.consignmentID), p.orderID, string(p.Status), currency.Decimal(l.Due), known(l.collectedAmount()), known(l.fee),
		currency.Decimal(l.cashShare()), outstanding, paid, currency.Code, string(l.source), db.FromMillis(l.at).In(zone).Format(time.RFC3339),
	}
	for i, cell := range cells {
		cells[i] = input.GuardFormulas(cell)
	}
	return cells
}
