package cash_test

import (
	"bytes"
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"storefront/shop/access"
	"storefront/shop/cash"
	"storefront/shop/fault"
	"storefront/shop/page"
	"storefront/shop/plugin"
	"storefront/shop/shoptest"
)

// A statement of many shipments, more than one query finds, adds up to the paisa: in its result, in
// the report and in the ledger's lines.
func TestReconcileStatement_ManyShipments(t *testing.T) {
	t.Parallel()
	const orders = 1050
	s, _ := shoptest.NewDelivered(t, orders)
	want := map[string]int64{} // payouts by consignment
	var rows []string
	var sum int64
	differences := 0
	for i := 1; i <= orders; i++ {
		consignment, payout := fmt.Sprintf("DL%08d", i), int64(46000)
		if i%7 == 0 {
			payout -= int64(i)
			differences++
		}
		want[consignment] = payout
		sum += payout
		rows = append(rows, fmt.Sprintf("%s,520,60,%d.%02d", consignment, payout/100, payout%100))
	}
	slices.Reverse(rows)
	rows = append(rows, "DL00000001,520,60,9999", "UNKNOWN,1,1,1")
	statement := "consignment,collected,fee,paid\n" + strings.Join(rows, "\n") + "\n"
	var entered *cash.Reconciliation
	for _, dryRun := range []bool{true, false} {
		result, err := s.Cash.ReconcileStatement(t.Context(), access.Operator(), cash.StatementFile{
			Courier: plugin.CourierA, File: strings.NewReader(statement), DryRun: dryRun,
		})
		if err != nil {
			t.Fatal(err)
		}
		entered = result
		got := fmt.Sprint(result.Shipments, result.Collected.Amount, result.Fees.Amount, result.PaidOut.Amount, len(result.Differences))
		if want := fmt.Sprint(orders, orders*52000, orders*6000, sum, differences+2); got != want {
			t.Errorf("dry run %t: got shipments, collected, fees, paid out and differences %s, want %s", dryRun, got, want)
		}
	}
	_, err := s.Cash.ReconcileStatement(t.Context(), access.Operator(), cash.StatementFile{
		Courier: plugin.CourierA, File: strings.NewReader(statement),
	})
	if !fault.HasCode(err, fault.CodeStateConflict) {
		t.Errorf("the statement again: got %v, want state_conflict", err)
	}
	report, err := s.Cash.ReportCash(t.Context(), access.Operator())
	if err != nil {
		t.Fatal(err)
	}
	if courier := report.Couriers[0]; courier.PaidOut.Amount != sum || courier.Holding != 0 || courier.Held.Amount != 0 {
		t.Errorf("got report %+v, want %d paid out and nothing held", courier, sum)
	}
	list, err := s.Cash.ListLedger(t.Context(), access.Operator(), cash.LedgerFilter{Request: page.Request{Limit: new(page.NoLimit)}})
	if err != nil || len(list.Nodes) != orders {
		t.Fatalf("got %+v, %v, want %d lines", list, err, orders)
	}
	statements, err := s.Cash.ListStatements(t.Context(), access.Operator(), page.Request{})
	if err != nil || len(statements.Nodes) != 1 {
		t.Fatalf("got statements %+v, %v, want one", statements, err)
	}
	one := statements.Nodes[0]
	if *one.Provider != plugin.CourierA || !one.Complete || one.Shipments != orders || one.Collected.Amount != orders*52000 ||
		one.Fees.Amount != orders*6000 || one.PaidOut.Amount != sum || *one.Differences != differences+2 {
		t.Errorf("got statement %+v, want the sums of its result", one)
	}
	record, err := s.Cash.FindStatement(t.Context(), access.Operator(), one.ID)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(entered.Differences, record.Found); diff != "" || record.Shipments != orders || len(record.Found) != differences+2 {
		t.Errorf("got the statement %+v, want what its result has (-want +got):\n%s", record.Statement, diff)
	}
	_, err = s.Cash.FindStatement(t.Context(), access.Operator(), "0f3c9a7d51e2b846")
	if !fault.HasCode(err, fault.CodeNotFound) {
		t.Errorf("another statement: got %v, want not_found", err)
	}
	for _, l := range list.Nodes {
		if l.PaidOut == nil || l.PaidOut.Amount != want[*l.ConsignmentID] || l.Source != "statement" {
			t.Fatalf("%s: got %v paid out by %s, want %d by the statement", *l.ConsignmentID, l.PaidOut, l.Source, want[*l.ConsignmentID])
		}
	}
}

// A long statement is recorded slice by slice. If that is interrupted, the same statement completes
// it, with the result and the ledger of a statement that was not interrupted.
func TestReconcileStatement_Interrupted(t *testing.T) {
	t.Parallel()
	const orders, firstSlice = 2100, 2000
	s, statement := shoptest.NewDelivered(t, orders)
	statement = strings.Replace(statement, "DL00000003,520,60,460", "DL00000003,500,60,440", 1) + "UNKNOWN,1,1,1\nDL00000004,520,60,460\n"
	reconcile := func(ctx context.Context, dryRun bool) (*cash.Reconciliation, error) {
		return s.Cash.ReconcileStatement(ctx, access.Operator(), cash.StatementFile{
			Courier: plugin.CourierA, File: strings.NewReader(statement), DryRun: dryRun,
		})
	}
	want, err := reconcile(t.Context(), true)
	if err != nil {
		t.Fatal(err)
	}
	want.DryRun = false

	for reads := int64(1); s.Number(t, "SELECT COUNT(*) FROM cash_statement_lines") == 0; reads++ {
		ctx, cancel := context.WithCancel(t.Context())
		var n atomic.Int64
		s.Clock.OnRead(func() {
			if n.Add(1) == reads { // in the end, when the first slice begins
				cancel()
			}
		})
		_, err = reconcile(ctx, false)
		s.Clock.OnRead(nil)
		if !errors.Is(err, context.Canceled) {
			t.Fatalf("cancelled when the clock was read %d times: got %v, want context.Canceled", reads, err)
		}
	}
	if got, want := err.Error(), fmt.Sprintf("recorded rows: %d of %d", firstSlice, orders+2); !strings.HasPrefix(got, want) {
		t.Errorf("got error %q, want %q", got, want)
	}
	if n := s.Number(t, "SELECT COUNT(*) FROM cash_statement_lines"); n != firstSlice {
		t.Errorf("got %d rows recorded, want %d", n, firstSlice)
	}
	if report := mustReport(t, s); len(report.Incomplete) != 1 {
		t.Errorf("got %d incomplete statements, want 1", len(report.Incomplete))
	}
	for _, dryRun := range []bool{true, false} {
		want.DryRun = dryRun
		got, err := reconcile(t.Context(), dryRun)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("completed, dry run %t (-want +got):\n%s", dryRun, diff)
		}
	}
	_, err = reconcile(t.Context(), false)
	if !fault.HasCode(err, fault.CodeStateConflict) {
		t.Errorf("the statement again: got %v, want state_conflict", err)
	}
	statements, err := s.Cash.ListStatements(t.Context(), access.Operator(), page.Request{})
	if err != nil {
		t.Fatal(err)
	}
	record, err := s.Cash.FindStatement(t.Context(), access.Operator(), statements.Nodes[0].ID)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want.Differences, record.Found); diff != "" { // of both runs
		t.Errorf("differences of the statement (-want +got):\n%s", diff)
	}
	report := mustReport(t, s)
	if courier := report.Couriers[0]; courier.PaidOut != want.PaidOut || courier.Holding != 0 || len(report.Incomplete) != 0 {
		t.Errorf("got report %+v, %d incomplete, want %d paid out and nothing held", courier, len(report.Incomplete), want.PaidOut.Amount)
	}
	faults, err := s.CheckInvariants(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, fault := range faults {
		t.Error(fault)
	}
}

// The report has the age of the oldest cash that a courier holds, and a file every shipment once.
func TestCash_ReportAndExport(t *testing.T) {
	t.Parallel()
	const orders = 230
	s, _ := shoptest.NewDelivered(t, orders)
	s.Exec(t, `UPDATE shipments SET moved_at = ? WHERE id <> 'shipment-00000010'`, s.Clock.Now().Add(-73*time.Hour).UnixMilli())
	report := mustReport(t, s) // the older cash, of the tenth, is paid out
	if a, b := report.Couriers[0], report.Couriers[1]; a.Holding != orders-orders/10 || *a.OldestDays != 3 || b.OldestDays != nil {
		t.Errorf("got %+v and %+v, want %d held for three days, and none", a, b, orders-orders/10)
	}
	var file bytes.Buffer
	if err := s.Cash.ExportCash(t.Context(), access.Operator(), &file); err != nil {
		t.Fatal(err)
	}
	rows, err := csv.NewReader(&file).ReadAll()
	if err != nil || len(rows) != 1+orders {
		t.Fatalf("got %d rows, %v, want %d", len(rows), err, 1+orders)
	}
	outstanding := 0
	for i, row := range rows[1:] {
		if want := fmt.Sprintf("DL%08d", i+1); row[1] != want || row[5] != "520.00" || row[6] != "60.00" {
			t.Fatalf("row %d: got %v, want %s with 520.00 collected and a fee of 60.00", i, row, want)
		}
		switch {
		case row[8] == "460.00" && row[9] == "":
			outstanding++
		case row[8] != "0.00" || row[9] != "460.00":
			t.Errorf("row %d: got %v, want 460.00 either outstanding or paid out", i, row)
		}
	}
	if outstanding != orders-orders/10 {
		t.Errorf("got %d shipments with cash outstanding, want %d", outstanding, orders-orders/10)
	}
}
