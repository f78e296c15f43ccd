package order_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"storefront/db"
	"storefront/shop/access"
	"storefront/shop/fault"
	"storefront/shop/order"
	"storefront/shop/outbox"
	"storefront/shop/plugin"
	"storefront/shop/shoptest"
	"storefront/shop/status"
)

var bkash = []any{map[string]any{"_id": "bkash", "method": "bkash", "number": "01711000000"}}

// The first rule that an order matches decides. A quote counts a buyer without a proven number as
// new, and says nothing about the number's orders; placing uses its record.
func TestQuoteOrder_Advance(t *testing.T) {
	t.Parallel()
	delivery := map[string]any{"share": "delivery"}
	for name, tt := range map[string]struct {
		rules  []any
		method status.PaymentMethod
		want   string
	}{
		"no rule":           {nil, status.PayCOD, "none"},
		"delivery charge":   {[]any{delivery}, status.PayCOD, "7000 shop"},
		"paid online":       {[]any{delivery}, status.PayGatewayB, "none"},
		"percent, whole":    {[]any{map[string]any{"share": "percent", "percent": 11}}, status.PayCOD, "10700 shop"}, // of 97000
		"total":             {[]any{map[string]any{"share": "total", "minTotal": 970_00}}, status.PayCOD, "97000 amount"},
		"below the minimum": {[]any{map[string]any{"share": "total", "minTotal": 970_01}}, status.PayCOD, "none"},
		"new buyer":         {[]any{map[string]any{"share": "delivery", "records": []string{"new"}}}, status.PayCOD, "7000 new_buyer"},
		"another record":    {[]any{map[string]any{"share": "delivery", "records": []string{"bad"}}}, status.PayCOD, "none"},
		"area":              {[]any{map[string]any{"share": "delivery", "deliveryChargeIds": []string{"dhaka"}}}, status.PayCOD, "7000 area"},
		"first match": {
			[]any{map[string]any{"share": "total", "minTotal": 2000_00}, delivery, map[string]any{"share": "total"}}, status.PayCOD, "7000 shop",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w, _ := newCrashShop(t)
			w.setAdvance(t, tt.rules)
			in := shoptest.GuestOrder(w.mug.ID, 2)
			in.PaymentMethod = &tt.method
			quote, err := w.Orders.QuoteOrder(t.Context(), access.Caller{}, in)
			if err != nil {
				t.Fatal(err)
			}
			got := "none"
			if quote.Advance != nil {
				got = fmt.Sprint(quote.Advance.Amount.Amount, " ", quote.Advance.Reason)
			}
			if got != tt.want {
				t.Errorf("got %s, want %s", got, tt.want)
			}
			in.ExpectedAdvance = new(int64(0))
			placed, err := w.Orders.PlaceOrder(t.Context(), access.Caller{}, in, "")
			switch {
			case tt.want != "none":
				shoptest.WantCode(t, err, fault.CodePriceChanged)
			case err != nil || placed.Advance != nil:
				t.Errorf("got %+v, %v, want an order without an advance", placed, err)
			}
		})
	}
}

func (s *courierShop) setAdvance(tb testing.TB, rules []any) {
	tb.Helper()
	err := s.SetSettings(tb.Context(), access.Operator(), shoptest.Raw(tb, map[string]any{
		"deliveryCharges": []any{map[string]any{"_id": "dhaka", "name": "Dhaka", "charge": 70_00}},
		"advance":         map[string]any{"rules": rules, "wallets": bkash},
	}))
	if err != nil {
		tb.Fatal(err)
	}
}

// An advance is paid at a gateway, for its amount alone. The order stays one in cash: it is
// confirmed then. A second payment is due for refund, and so is the advance of a cancelled order.
func TestStartPayment_Advance(t *testing.T) {
	t.Parallel()
	w, gateway := newCrashShop(t)
	w.setAdvance(t, []any{map[string]any{"share": "percent", "percent": 50}})
	if err := w.SetSettings(t.Context(), access.Operator(), shoptest.Raw(t, map[string]any{"autoConfirm": true})); err != nil {
		t.Fatal(err)
	}
	placed, err := w.Orders.PlaceOrder(t.Context(), access.Caller{}, shoptest.GuestOrder(w.mug.ID, 2), "")
	if err != nil || placed.Status != status.OrderPending || placed.Advance.Due.Amount != 485_00 {
		t.Fatalf("got %+v, %v, want an unconfirmed order that awaits 48500", placed, err)
	}
	buyer := access.Caller{OrderToken: placed.OrderToken}
	start := func() string {
		t.Helper()
		attempt, err := w.Orders.StartPayment(t.Context(), buyer, placed.ID, order.PaymentInput{PaymentMethod: status.PayGatewayB})
		if err != nil || attempt.Amount.Amount != 485_00 || gateway.started[attempt.ID].Amount != 485_00 {
			t.Fatalf("got %+v, %v, want an attempt of 48500", attempt, err)
		}
		return attempt.ID
	}
	returned := func(attempt string) {
		t.Helper()
		back := order.ParseCallbackQuery("status=success&paymentID=" + attempt)
		if _, _, err := w.Orders.HandleCallback(t.Context(), plugin.GatewayB, back); err != nil {
			t.Fatal(err)
		}
	}
	first := start()
	w.clock.Advance(16 * time.Minute)
	second := start()
	staff := w.findAsStaff(t, placed.ID)
	if staff.Actions.Book.Allowed || staff.Actions.Confirm.Allowed {
		t.Errorf("got %+v, want an order that can neither be confirmed nor booked", staff.Actions)
	}
	returned(first)
	staff = w.findAsStaff(t, placed.ID)
	if staff.Status != status.OrderConfirmed || staff.PaymentStatus != status.PaymentUnpaid || staff.Payment.Method != status.PayCOD ||
		staff.CashToCollect.Amount != 485_00 || staff.Paid.Amount != 485_00 || !staff.Actions.Book.Allowed || staff.HandOverBy == nil {
		t.Fatalf("got %+v, want a confirmed cash order with 48500 to collect", staff)
	}
	w.clock.Advance(time.Hour)
	if _, err := w.Orders.SweepPayments(t.Context()); err != nil { // the gateway reports the second one late
		t.Fatal(err)
	}
	if got := w.findAsStaff(t, placed.ID).Payment.Attempts[1].Status; got != status.AttemptRefundDue {
		t.Errorf("got the second payment %s, want it due for refund", got)
	}
	if _, err := w.Orders.CancelOrderAsStaff(t.Context(), access.Operator(), placed.ID, ""); err != nil {
		t.Fatal(err)
	}
	_, err = w.Orders.MarkCashRefunded(t.Context(), access.Operator(), placed.ID, order.RefundInput{})
	shoptest.WantCode(t, err, fault.CodeStateConflict) // its gateway has the money
	for _, id := range []string{first, second} {
		if _, err := w.Orders.RefundPayment(t.Context(), access.Operator(), id, order.RefundInput{}); err != nil {
			t.Fatal(err)
		}
	}
	if got := w.findOrder(t, placed.ID); got.PaymentStatus != status.PaymentRefunded || got.Refunded.Amount != 970_00 || got.Due.Amount != 0 {
		t.Errorf("got %s, %d refunded, %d due, want all refunded", got.PaymentStatus, got.Refunded.Amount, got.Due.Amount)
	}
	w.checkBooks(t)
}

func (s *courierShop) findAsStaff(tb testing.TB, invoice string) *order.StaffOrder {
	tb.Helper()
	found, err := s.Orders.FindOrderAsStaff(tb.Context(), access.Operator(), invoice)
	if err != nil {
		tb.Fatal(err)
	}
	return found
}

// A buyer cannot avoid the advance by changing an online order to cash on delivery.
func TestSetPaymentMethod_Advance(t *testing.T) {
	t.Parallel()
	w, _ := newCrashShop(t)
	w.setAdvance(t, []any{map[string]any{"share": "delivery"}})
	in := shoptest.GuestOrder(w.mug.ID, 2)
	in.PaymentMethod = new(status.PayGatewayB)
	placed, err := w.Orders.PlaceOrder(t.Context(), access.Caller{}, in, "")
	if err != nil || placed.Advance != nil {
		t.Fatalf("got %+v, %v, want an online order without an advance", placed, err)
	}
	got, err := w.Orders.SetPaymentMethod(
		t.Context(), access.Caller{OrderToken: placed.OrderToken}, placed.ID, order.PaymentMethodInput{PaymentMethod: status.PayCOD})
	if err != nil || got.Advance == nil || got.Advance.Due.Amount != 70_00 || got.Status != status.OrderPending {
		t.Errorf("got %+v, %v, want an advance of 7000", got, err)
	}
}

// The process ends at any call while a payment to a wallet is confirmed. The order then has the
// advance once or not at all, and the same request again leaves it once.
func TestConfirmWalletPayment_Crash(t *testing.T) {
	t.Parallel()
	for _, kind := range []string{db.CallStatement, db.CallCommit, db.CallCommitted} {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			w, _ := newCrashShop(t)
			w.setAdvance(t, []any{map[string]any{"share": "delivery"}})
			f := &faults{}
			w.store.InjectFaults(f.next)
			r := rand.New(rand.NewPCG(3, 4))
			for at := 1; at < 400; at++ {
				placed, err := w.Orders.PlaceOrder(t.Context(), access.Caller{}, shoptest.GuestOrder(w.mug.ID, 2), "")
				if err != nil {
					t.Fatal(err)
				}
				reported, err := w.Orders.ReportWalletPayment(t.Context(), access.Caller{OrderToken: placed.OrderToken}, placed.ID,
					order.WalletPaymentInput{WalletID: "bkash", Sender: "01811", TransactionID: fmt.Sprintf("TX%d-%d", at, r.IntN(1e9))})
				if err != nil {
					t.Fatal(err)
				}
				id := reported.Advance.Payments[0].ID
				*f = faults{kind: kind, at: at}
				_, err = w.Orders.ConfirmWalletPayment(t.Context(), access.Operator(), id, order.WalletConfirmation{})
				hit := f.call >= at
				*f = faults{}
				before := w.findAsStaff(t, placed.ID)
				if paid := before.Paid.Amount; paid != 0 && paid != 70_00 || (before.Advance.Payments[0].Status == order.WalletConfirmed) != (paid != 0) {
					t.Fatalf("call %d: got %d paid with the payment %s", at, paid, before.Advance.Payments[0].Status)
				}
				if _, err := w.Orders.ConfirmWalletPayment(t.Context(), access.Operator(), id, order.WalletConfirmation{}); err != nil {
					t.Fatalf("call %d: again: %v", at, err)
				}
				after := w.findAsStaff(t, placed.ID)
				if after.Paid.Amount != 70_00 || len(after.Advances) != 1 || after.Due.Amount != 900_00 {
					t.Fatalf("call %d: got %d paid by %d advances, %d due", at, after.Paid.Amount, len(after.Advances), after.Due.Amount)
				}
				if _, err := w.Orders.CancelOrderAsStaff(t.Context(), access.Operator(), placed.ID, ""); err != nil { // of the buyer's open orders
					t.Fatal(err)
				}
				if !hit {
					if err != nil {
						t.Errorf("without a fault: got %v", err)
					}
					break
				}
			}
			w.checkBooks(t)
		})
	}
}

// The money of a payment counts in every status of its order: a closed order owes it to the buyer,
// and a shipment that collects the whole amount raises a flag. An advance that is removed lets its
// payment wait again.
func TestConfirmWalletPayment_Late(t *testing.T) {
	t.Parallel()
	s := newCourierShop(t, "")
	s.setAdvance(t, []any{map[string]any{"share": "delivery"}})
	report := func(transaction string) (invoice, id string) {
		t.Helper()
		placed, err := s.Orders.PlaceOrder(t.Context(), access.Caller{}, shoptest.GuestOrder(s.mug.ID, 2), "")
		if err != nil {
			t.Fatal(err)
		}
		reported, err := s.Orders.ReportWalletPayment(t.Context(), access.Caller{OrderToken: placed.OrderToken}, placed.ID,
			order.WalletPaymentInput{WalletID: "bkash", Sender: "01811", TransactionID: transaction})
		if err != nil {
			t.Fatal(err)
		}
		return placed.ID, reported.Advance.Payments[0].ID
	}
	confirm := func(id string) {
		t.Helper()
		if _, err := s.Orders.ConfirmWalletPayment(t.Context(), access.Operator(), id, order.WalletConfirmation{}); err != nil {
			t.Fatal(err)
		}
	}
	cancelled, id := report("TX-001")
	if _, err := s.Orders.CancelOrderAsStaff(t.Context(), access.Operator(), cancelled, ""); err != nil {
		t.Fatal(err)
	}
	confirm(id)
	if got := s.findOrder(t, cancelled); got.PaymentStatus != status.PaymentRefundDue || got.Due.Amount != -70_00 {
		t.Errorf("got %s with %d due, want 7000 due for refund", got.PaymentStatus, got.Due.Amount)
	}
	shipped, id := report("TX-002")
	if _, err := s.Orders.WaiveAdvance(t.Context(), access.Operator(), shipped); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Orders.ConfirmOrder(t.Context(), access.Operator(), shipped); err != nil {
		t.Fatal(err)
	}
	s.recordShipment(t, shipped, plugin.CourierA, "DL1")
	confirm(id)
	if got := s.findAsStaff(t, shipped); len(got.Flags) != 1 || got.Flags[0].Code != order.FlagLateAdvance || got.Due.Amount != 900_00 {
		t.Errorf("got the flags %+v and %d due, want late_advance and 90000", got.Flags, got.Due.Amount)
	}
	removed, id := report("TX-003")
	confirm(id)
	if _, err := s.Orders.RemoveAdvance(t.Context(), access.Operator(), removed, id); err != nil {
		t.Fatal(err)
	}
	if work, err := s.Orders.CountOrders(t.Context(), access.Operator()); err != nil || work.WalletPayments != 1 {
		t.Errorf("got %+v, %v, want one to check", work, err)
	}
	if got := s.findAsStaff(t, removed); got.Paid.Amount != 0 || got.Advance.Payments[0].Status != order.WalletWaiting {
		t.Errorf("got %d paid with the payment %s, want it to wait again", got.Paid.Amount, got.Advance.Payments[0].Status)
	}
	_, err := s.Orders.RecordAdvance(t.Context(), access.Operator(), removed, order.AdvanceInput{
		Amount: 1, Method: order.AdvanceBkash, Reference: new("tx 003"),
	})
	shoptest.WantCode(t, err, fault.CodeStateConflict)

	// What staff recorded from a chat, however they typed it, is not reported for another order.
	recorded, err := s.Orders.RecordAdvance(t.Context(), access.Operator(), removed, order.AdvanceInput{
		Amount: 10_00, Method: order.AdvanceBkash, Reference: new("tx 9-a"),
	})
	if err != nil || *recorded.Advances[0].Reference != "tx 9-a" {
		t.Fatalf("got %+v, %v, want the reference as it was typed", recorded, err)
	}
	other, err := s.Orders.PlaceOrder(t.Context(), access.Caller{}, shoptest.GuestOrder(s.mug.ID, 2), "")
	if err != nil {
		t.Fatal(err)
	}
	_, err = s.Orders.ReportWalletPayment(t.Context(), access.Caller{OrderToken: other.OrderToken}, other.ID,
		order.WalletPaymentInput{WalletID: "bkash", Sender: "01811", TransactionID: "Tx9a"})
	shoptest.WantCode(t, err, fault.CodeStateConflict)
	for _, reference := range []string{"Rahima order 1", "rahima-order 1"} { // a bank transfer, at two orders
		_, err = s.Orders.RecordAdvance(t.Context(), access.Operator(), removed, order.AdvanceInput{
			Amount: 1_00, Method: order.AdvanceBank, Reference: &reference,
		})
		removed = other.ID
	}
	shoptest.WantCode(t, err, fault.CodeStateConflict)
	s.checkBooks(t)
}

// A buyer who tries transactions of others is stopped. Staff learn of what was reported.
func TestReportWalletPayment_Guesses(t *testing.T) {
	t.Parallel()
	s := newOrderShop(t, map[string]any{
		"advance": map[string]any{"rules": []any{map[string]any{"share": "percent", "percent": 10}}, "wallets": bkash},
	})
	report := func(client, transaction string) (string, error) {
		placed := s.mustPlace(t, access.Caller{}, guestOrder(wants(s.mug, 1)))
		_, err := s.Orders.ReportWalletPayment(t.Context(), access.Caller{OrderToken: placed.OrderToken, Client: client}, placed.ID,
			order.WalletPaymentInput{WalletID: "bkash", Sender: "01811", TransactionID: transaction})
		if _, err := s.Orders.CancelOrderAsStaff(t.Context(), access.Operator(), placed.ID, ""); err != nil { // of the buyer's open orders
			t.Fatal(err)
		}
		return placed.ID, err
	}
	first, err := report("192.0.2.1", "TX-001")
	if got := s.events(t, first); err != nil || !slices.Contains(got, outbox.OrderPaymentReview) {
		t.Fatalf("got the events %v, %v, want order.payment_review", got, err)
	}
	stopped := 0
	for ; stopped < 100; stopped++ {
		if _, err := report("192.0.2.2", "TX-001"); !fault.HasCode(err, fault.CodeStateConflict) {
			shoptest.WantCode(t, err, fault.CodeRateLimited)
			break
		}
	}
	if _, err := report("192.0.2.2", "TX-002"); stopped == 0 || !fault.HasCode(err, fault.CodeRateLimited) {
		t.Errorf("after %d used transactions: got %v, want it stopped", stopped, err)
	}
	if _, err := report("192.0.2.3", "TX-002"); err != nil {
		t.Errorf("from another address: got %v", err)
	}
}
