package order_test

import (
	"fmt"
	"strings"
	"testing"

	"storefront/shop/access"
	"storefront/shop/cash"
	"storefront/shop/fault"
	"storefront/shop/order"
	"storefront/shop/plugin"
	"storefront/shop/shoptest"
	"storefront/shop/status"
)

// The courier's share of the cash is part of the expected payout, whether the statement's fee
// contains it or not, and however it is rounded.
func TestReconcileStatement_ShareOfCash(t *testing.T) {
	t.Parallel()
	s := newCourierShop(t, "")
	s.configure(t, plugin.CourierA, map[string]any{"cod_basis_points": 100})
	statement := "consignment,collected,fee,cod fee,payout\n"
	for i, row := range []string{"970,60,,900.30", "970,60,,900", "970,69.70,,900.30", "970,60,9.70,900.30", "970,60,,890", "970,,,900.30"} {
		consignment := fmt.Sprint("DL", i+1)
		s.recordShipment(t, s.place(t), plugin.CourierA, consignment)
		for _, body := range []string{step(1, "order.picked"), step(5, "order.delivered", "collected_amount", "970", "delivery_fee", "60")} {
			s.sendWebhook(t, plugin.CourierA, strings.Replace(body, "DL1", consignment, 1))
		}
		statement += consignment + "," + row + "\n"
	}
	if got, want := s.ledgerTotals(t, plugin.CourierA), "expected 0, held 5820, fees 418, payable 5401, paid out 0"; got != want {
		t.Errorf("delivered: got %s, want %s", got, want)
	}
	done, err := s.Cash.ReconcileStatement(t.Context(), access.Operator(), cash.StatementFile{
		Courier: plugin.CourierA, File: strings.NewReader(statement),
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(done.Differences) != 1 || done.Differences[0].ConsignmentID != "DL5" {
		t.Errorf("got differences %+v, want one of DL5", done.Differences)
	}
	if got, want := s.ledgerTotals(t, plugin.CourierA), "expected 0, held 0, fees 0, payable 0, paid out 5391"; got != want {
		t.Errorf("reconciled: got %s, want %s", got, want)
	}
	// What was reconciled stays so with another share.
	s.configure(t, plugin.CourierA, map[string]any{"cod_basis_points": 50})
	if got := s.differences(t); len(got) != 1 {
		t.Errorf("with another share: got differences %q, want one", got)
	}
	if _, err := s.ConfigurePlugin(t.Context(), access.Operator(), plugin.CourierA,
		shoptest.Raw(t, map[string]any{"cod_basis_points": "1%"})); !fault.HasCode(err, fault.CodeValidationFailed) {
		t.Errorf("invalid share: got %v, want validation_failed", err)
	}
}

// The courier's price reports its share of the cash, which is saved unless the merchant has set
// one.
func TestPriceShipment_ShareOfCash(t *testing.T) {
	t.Parallel()
	fake, url := newCourierSite(t)
	s := newCourierShop(t, url)
	invoice := s.place(t)
	for answer, want := range map[string]int64{"0.01": 100, `"1"`: 100, "0.5": 50, "0": 0} {
		fake.answer("merchant/price-plan", `{"code":200,"data":{"final_price":82.30000000000001,"cod_percentage":`+answer+`}}`)
		price, err := s.Orders.PriceShipment(t.Context(), access.Operator(), invoice,
			order.BookingInput{Provider: plugin.CourierA}, plugin.CourierPlace{City: 1, Zone: 2})
		if err != nil || price.Amount != 82_30 || price.CashBasisPoints == nil || *price.CashBasisPoints != want {
			t.Errorf("%s: got %+v, %v, want 8230 and %d basis points", answer, price, err, want)
		}
	}
	s.configure(t, plugin.CourierA, map[string]any{"cod_basis_points": nil})
	fake.answer("merchant/price-plan", `{"code":200,"data":{"final_price":60,"cod_percentage":0.015}}`)
	for range 2 {
		in := order.BookingInput{Provider: plugin.CourierA}
		if _, err := s.Orders.PriceShipment(t.Context(), access.Operator(), invoice, in, plugin.CourierPlace{}); err != nil {
			t.Fatal(err)
		}
		fake.answer("merchant/price-plan", `{"code":200,"data":{"final_price":60,"cod_percentage":0.03}}`)
	}
	plugin, err := s.FindPlugin(t.Context(), access.Operator(), plugin.CourierA)
	if err != nil {
		t.Fatal(err)
	}
	for _, setting := range plugin.Settings {
		if setting.Name == "cod_basis_points" && deref(setting.Value) != "150" {
			t.Errorf("got the share %q, want 150", deref(setting.Value))
		}
	}
}

// A statement that shows less than was due flags the order, and one that shows the cash of an
// exchange pays it.
func TestReconcileStatement_Flags(t *testing.T) {
	t.Parallel()
	s := newCourierShop(t, "")
	less, exchanged := s.place(t), s.place(t)
	s.recordShipment(t, less, plugin.CourierA, "DL1")
	s.recordShipment(t, exchanged, plugin.CourierA, "DL2")
	for _, body := range []string{
		step(1, "order.picked"), step(2, "order.delivered"),
		strings.Replace(step(1, "order.picked"), "DL1", "DL2", 1), strings.Replace(step(2, "order.exchanged"), "DL1", "DL2", 1),
	} {
		s.sendWebhook(t, plugin.CourierA, body)
	}
	if a, b := s.flags(t, less), s.flags(t, exchanged); a != "" || b != "cash_unreported" {
		t.Errorf("got flags %q and %q, want none and cash_unreported", a, b)
	}
	const statement = "consignment,collected,fee,payout\nDL1,900,60,840\nDL2,970,60,910\n"
	if _, err := s.Cash.ReconcileStatement(t.Context(), access.Operator(), cash.StatementFile{
		File: strings.NewReader(statement),
	}); err != nil {
		t.Fatal(err)
	}
	if a, b := s.flags(t, less), s.flags(t, exchanged); a != "cash_differs" || b != "" {
		t.Errorf("reconciled: got flags %q and %q, want cash_differs and none", a, b)
	}
	if got := s.findOrder(t, exchanged); got.PaymentStatus != status.PaymentPaid || got.Status != status.OrderCompleted {
		t.Errorf("exchanged: got %s, %s, want completed, paid", got.Status, got.PaymentStatus)
	}
}
