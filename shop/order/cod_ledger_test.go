package order_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"storefront/shop"
	"storefront/shop/access"
	"storefront/shop/cash"
	"storefront/shop/fault"
	"storefront/shop/plugin"
)

// ledgerTotals returns a courier's line of the COD report, in taka.
func (s *courierShop) ledgerTotals(tb testing.TB, courier plugin.Provider) string {
	tb.Helper()
	report, err := s.Cash.ReportCash(tb.Context(), access.Operator())
	if err != nil {
		tb.Fatal(err)
	}
	for _, c := range report.Couriers {
		if c.Provider == courier {
			return fmt.Sprintf("expected %d, held %d, fees %d, payable %d, paid out %d",
				c.Expected.Amount/100, c.Held.Amount/100, c.Fees.Amount/100, c.Payable.Amount/100, c.PaidOut.Amount/100)
		}
	}
	return ""
}

func TestCODLedger_CourierEvents(t *testing.T) {
	t.Parallel()
	s := newCourierShop(t, "")
	s.recordShipment(t, s.place(t), plugin.CourierA, "DL1")
	steps := []struct{ body, want string }{
		{step(1, "order.created", "delivery_fee", "60"), "expected 970, held 0, fees 0, payable 0, paid out 0"},
		{step(4, "order.updated", "delivery_fee", `"70.00"`), "expected 970, held 0, fees 0, payable 0, paid out 0"},
		{step(2, "order.updated", "delivery_fee", "65"), "expected 970, held 0, fees 0, payable 0, paid out 0"}, // late: the newer fee counts
		{step(5, "order.delivered", "collected_amount", "970"), "expected 0, held 970, fees 70, payable 900, paid out 0"},
		{step(6, "order.paid", "invoice_id", `"INV-1"`), "expected 0, held 0, fees 0, payable 0, paid out 900"},
	}
	for _, step := range steps {
		s.sendWebhook(t, plugin.CourierA, step.body)
		if got := s.ledgerTotals(t, plugin.CourierA); got != step.want {
			t.Errorf("after %s: got %s, want %s", step.body, got, step.want)
		}
	}
}

func TestReconcileStatement(t *testing.T) {
	t.Parallel()
	s := newCourierShop(t, "")
	for _, consignment := range []string{"DL1", "DL2", "DL3"} {
		s.recordShipment(t, s.place(t), plugin.CourierA, consignment)
		delivered := step(5, "order.delivered", "collected_amount", "970", "delivery_fee", "60")
		s.sendWebhook(t, plugin.CourierA, strings.Replace(delivered, "DL1", consignment, 1))
	}
	const statement = "\xEF\xBB\xBFConsignment ID,Collected Amount,Delivery Fee,Payout\r\n" +
		"DL1,970.00,60,910\r\nDL2,900,60,840\r\nDL9,100,60,40\r\nDL1,970,60,910\r\n"
	dry, err := s.Cash.ReconcileStatement(t.Context(), access.Operator(), cash.StatementFile{
		Courier: plugin.CourierA, File: strings.NewReader(statement), DryRun: true,
	})
	if err != nil {
		t.Fatal(err)
	}
	if got, want := s.ledgerTotals(t, plugin.CourierA), "expected 0, held 2910, fees 180, payable 2730, paid out 0"; got != want {
		t.Errorf("after a dry run: got %s, want %s", got, want)
	}
	done, err := s.Cash.ReconcileStatement(t.Context(), access.Operator(), cash.StatementFile{
		Courier: plugin.CourierA, File: strings.NewReader(statement),
	})
	if err != nil {
		t.Fatal(err)
	}
	if got, want := s.ledgerTotals(t, plugin.CourierA), "expected 0, held 970, fees 60, payable 910, paid out 1750"; got != want {
		t.Errorf("after the statement: got %s, want %s", got, want)
	}
	var differences []string
	for _, d := range done.Differences {
		differences = append(differences, d.ConsignmentID+": "+d.Problem)
	}
	want := []string{
		"DL2: The statement has a different cash amount than the courier reported before.",
		"DL2: The courier collected a different amount than was due.",
		"DL9: No shipment has this consignment ID.",
		"DL1: The statement lists this consignment ID twice; the first row counts.",
	}
	if diff := cmp.Diff(want, differences); diff != "" {
		t.Errorf("differences (-want +got):\n%s", diff)
	}
	dry.DryRun = false
	if diff := cmp.Diff(done, dry); diff != "" {
		t.Errorf("dry run (-done +dry):\n%s", diff)
	}
	_, err = s.Cash.ReconcileStatement(t.Context(), access.Operator(), cash.StatementFile{
		Courier: plugin.CourierA, File: strings.NewReader(statement),
	})
	if !fault.HasCode(err, fault.CodeStateConflict) {
		t.Errorf("same statement again: got %v, want state_conflict", err)
	}
	// The next statement pays a shipment a second time. The courier is derived from its shipments.
	again, err := s.Cash.ReconcileStatement(t.Context(), access.Operator(), cash.StatementFile{
		File: strings.NewReader("consignment,paid\nDL1,910\nDL3,910\n"),
	})
	if err != nil {
		t.Fatal(err)
	}
	if again.Provider != plugin.CourierA || len(again.Differences) != 1 ||
		again.Differences[0].ConsignmentID != "DL1" || again.Differences[0].Expected.Amount != 910_00 {
		t.Errorf("next statement: got %+v", again)
	}
	_, err = s.Cash.ReconcileStatement(t.Context(), access.Operator(), cash.StatementFile{
		File: strings.NewReader("consignment,paid\nDL9,910\n"),
	})
	if !fault.HasCode(err, fault.CodeValidationFailed) {
		t.Errorf("statement of unknown shipments: got %v, want validation_failed", err)
	}
}

// If a courier does not report the collected amount, the due amount counts as collected.
func TestCODLedger_DeliveryWithoutAmount(t *testing.T) {
	t.Parallel()
	s := newCourierShop(t, "")
	s.recordShipment(t, s.place(t), plugin.CourierA, "DL1")
	s.sendWebhook(t, plugin.CourierA, step(1, "order.delivered", "delivery_fee", "60"))
	if got, want := s.ledgerTotals(t, plugin.CourierA), "expected 0, held 970, fees 60, payable 910, paid out 0"; got != want {
		t.Errorf("delivered: got %s, want %s", got, want)
	}
	s.sendWebhook(t, plugin.CourierA, step(2, "order.paid"))
	if got, want := s.ledgerTotals(t, plugin.CourierA), "expected 0, held 0, fees 0, payable 0, paid out 910"; got != want {
		t.Errorf("paid out: got %s, want %s", got, want)
	}
}

// A statement that is cut off at a limit would lose the shipments behind it without a trace, and
// one of millions of rows would need gigabytes. It is refused with the first of its faults.
func TestReconcileStatement_TooLarge(t *testing.T) {
	t.Parallel()
	s := newCourierShop(t, "")
	const head = "Consignment ID,Collected Amount,Delivery Fee,Payout\n"
	for name, one := range map[string]struct {
		rows   string
		fields int
	}{
		"bytes":        {strings.Repeat("DL1,970,60,910\n", 20<<20/15), 0},
		"rows":         {strings.Repeat("DL1,970,60,910\n", 100_001), 1},
		"invalid rows": {strings.Repeat("DL1,x\n", 3<<20), 100},
	} {
		_, err := s.Cash.ReconcileStatement(t.Context(), access.Operator(), cash.StatementFile{
			Courier: plugin.CourierA, File: strings.NewReader(head + one.rows),
		})
		if e := shop.AsError(err); err == nil || e.Code != fault.CodeValidationFailed || len(e.Fields) != one.fields {
			t.Errorf("%s: got %.200v with %d fields, want %s with %d", name, err, len(e.Fields), fault.CodeValidationFailed, one.fields)
		}
	}
	longest := head + strings.Repeat("DL1,970,60,910\n", 100_000)
	read, err := s.Cash.ReconcileStatement(t.Context(), access.Operator(), cash.StatementFile{
		Courier: plugin.CourierA, File: strings.NewReader(longest), DryRun: true,
	})
	if err != nil || len(read.Differences) != 100_000 {
		t.Errorf("got %.200v, want 100,000 rows read", err)
	}
}

func TestReconcileStatement_Invalid(t *testing.T) {
	t.Parallel()
	s := newCourierShop(t, "")
	for name, text := range map[string]string{
		"empty":        "",
		"no such rows": "name,amount\nx,1\n",
		"no amounts":   "consignment\nDL1\n",
		"bad amount":   "consignment,paid\nDL1,many\n",
		"ragged":       "consignment,paid\nDL1,1,2\n",
		"stray quote":  "consignment,paid\nDL1,9\"10\n",
		"open quote":   "consignment,paid\n\"DL1,910\n",
		"beyond exact": "consignment,paid\nDL1,99999999999999999\n",
	} {
		_, err := s.Cash.ReconcileStatement(t.Context(), access.Operator(), cash.StatementFile{
			Courier: plugin.CourierA, File: strings.NewReader(text),
		})
		if !fault.HasCode(err, fault.CodeValidationFailed) {
			t.Errorf("%s: got %v, want validation_failed", name, err)
		}
	}
}

// A shipment recorded in place of a cancelled one collects the order's cash.
func TestCODLedger_ReplacementShipment(t *testing.T) {
	t.Parallel()
	s := newCourierShop(t, "")
	invoice := s.place(t)
	s.recordShipment(t, invoice, plugin.CourierA, "DL1")
	s.sendWebhook(t, plugin.CourierA, step(1, "order.pickup-cancelled"))
	s.recordShipment(t, invoice, plugin.CourierB, "77")
	if got, want := s.ledgerTotals(t, plugin.CourierB), "expected 970, held 0, fees 0, payable 0, paid out 0"; got != want {
		t.Errorf("replaced: got %s, want %s", got, want)
	}
	s.sendWebhook(t, plugin.CourierB, shipmentStatus(2, "delivered"))
	report, err := s.Cash.ReportCash(t.Context(), access.Operator())
	if err != nil || len(report.Differences) != 0 {
		t.Errorf("got report %+v, %v, want no differences", report, err)
	}
}

// The fee of a returned shipment is deducted from the cash of others, which statements write as a
// negative payout.
func TestReconcileStatement_ReturnFees(t *testing.T) {
	t.Parallel()
	s := newCourierShop(t, "")
	for _, consignment := range []string{"DL1", "DL2", "DL3", "DL4"} {
		s.recordShipment(t, s.place(t), plugin.CourierA, consignment)
		event := step(5, "order.returned", "delivery_fee", "60")
		if consignment == "DL1" {
			event = step(5, "order.delivered", "collected_amount", "970", "delivery_fee", "60")
		}
		s.sendWebhook(t, plugin.CourierA, strings.Replace(event, "DL1", consignment, 1))
	}
	const statement = "consignment,cod,fee,payout\nDL1,970,60,910\nDL2,0,60,-60.00\nDL3,0,60,-110\nDL4,,,-60\n"
	done, err := s.Cash.ReconcileStatement(t.Context(), access.Operator(), cash.StatementFile{
		Courier: plugin.CourierA, File: strings.NewReader(statement),
	})
	if err != nil {
		t.Fatal(err)
	}
	if got, want := s.ledgerTotals(t, plugin.CourierA), "expected 0, held 0, fees 0, payable 0, paid out 680"; got != want {
		t.Errorf("after the statement: got %s, want %s", got, want)
	}
	if done.PaidOut.Amount != 680_00 || done.Fees.Amount != 290_00 {
		t.Errorf("got %d paid out and fees of %d, want 68000 and 29000", done.PaidOut.Amount, done.Fees.Amount)
	}
	if len(done.Differences) != 1 || done.Differences[0].ConsignmentID != "DL3" ||
		done.Differences[0].Expected.Amount != -60_00 || done.Differences[0].Reported.Amount != -110_00 {
		t.Errorf("got differences %+v", done.Differences)
	}
	for _, text := range []string{"consignment,cod\nDL1,-970\n", "consignment,paid\nDL1,--1\n", "consignment,paid\nDL1,-\n"} {
		_, err := s.Cash.ReconcileStatement(t.Context(), access.Operator(), cash.StatementFile{
			Courier: plugin.CourierA, File: strings.NewReader(text),
		})
		if !fault.HasCode(err, fault.CodeValidationFailed) {
			t.Errorf("%q: got %v, want validation_failed", text, err)
		}
	}
}
