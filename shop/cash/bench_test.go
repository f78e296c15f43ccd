package cash_test

import (
	"context"
	"strings"
	"testing"

	"storefront/db"
	"storefront/shop/access"
	"storefront/shop/cash"
	"storefront/shop/page"
	"storefront/shop/plugin"
	"storefront/shop/shoptest"
)

const cashOrders = 100_000

// BenchmarkReportCash sums the ledger of a hundred thousand orders.
func BenchmarkReportCash(b *testing.B) {
	s, statement := shoptest.NewDelivered(b, cashOrders)
	if _, err := s.Cash.ReconcileStatement(b.Context(), access.Operator(), cash.StatementFile{
		Courier: plugin.CourierA, File: strings.NewReader(statement),
	}); err != nil {
		b.Fatal(err)
	}
	mustReport(b, s) // counts the shipments
	for b.Loop() {
		if _, err := s.Cash.ReportCash(b.Context(), access.Operator()); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkReportCash_Counting counts the cash of a hundred thousand shipments, as the first report
// does after an upgrade.
func BenchmarkReportCash_Counting(b *testing.B) {
	s, _ := shoptest.NewDelivered(b, cashOrders)
	for b.Loop() {
		s.Exec(b, "DELETE FROM shipment_cash")
		s.Exec(b, "DELETE FROM cash_sums")
		mustReport(b, s)
	}
}

// BenchmarkListLedger reads one page of the ledger of a hundred thousand orders, by the filter.
func BenchmarkListLedger(b *testing.B) {
	s, _ := shoptest.NewDelivered(b, cashOrders)
	mustReport(b, s) // counts the shipments
	for name, filter := range map[string]cash.LedgerFilter{
		"all": {}, "last page": {Request: page.Request{Page: new(cashOrders / 20)}}, "held": {Status: cash.Held},
		"paid": {Status: cash.PaidOut}, "different": {Status: cash.Different}, "under way": {Status: cash.UnderWay},
		"courier": {Courier: []plugin.Provider{plugin.CourierA}}, "search": {Search: "DL00077777"},
	} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				if _, err := s.Cash.ListLedger(b.Context(), access.Operator(), filter); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// BenchmarkReconcileStatement reconciles a statement of a hundred thousand orders.
func BenchmarkReconcileStatement(b *testing.B) {
	s, statement := shoptest.NewDelivered(b, cashOrders)
	mustReport(b, s) // counts the shipments, whose stored cash the statement changes
	for b.Loop() {
		if _, err := s.Cash.ReconcileStatement(b.Context(), access.Operator(), cash.StatementFile{
			Courier: plugin.CourierA, File: strings.NewReader(statement),
		}); err != nil {
			b.Fatal(err)
		}
		b.StopTimer() // clear the statement
		err := s.Store.Update(b.Context(), db.ID(s.UID()), func(_ context.Context, tx *db.Tx) error {
			if _, err := tx.Exec("DELETE FROM cash_statement_lines"); err != nil {
				return err
			}
			if _, err := tx.Exec("DELETE FROM cash_statements"); err != nil {
				return err
			}
			_, err := tx.Exec("UPDATE cash_lines SET reconciled = 0, fee_whole = 0, source = 'event', at = 1")
			return err
		})
		if err != nil {
			b.Fatal(err)
		}
		b.StartTimer()
	}
}
