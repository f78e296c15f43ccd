package server_test

import (
	"net/http"
	"net/url"
	"strings"
	"sync"
	"testing"

	"storefront/shop/access"
	"storefront/shop/fault"
	"storefront/shop/order"
	"storefront/shop/shoptest"
	"storefront/shop/status"
)

// requireOutsideDhaka makes the shop require the delivery charge outside Dhaka, by bKash or bank.
func (s *pageSite) requireOutsideDhaka(t *testing.T) {
	t.Helper()
	err := s.shop.SetSettings(t.Context(), access.Operator(), shoptest.Raw(t, map[string]any{"advance": map[string]any{
		"rules": []any{map[string]any{"deliveryChargeIds": []string{"outside-dhaka"}, "share": "delivery"}},
		"wallets": []any{
			map[string]any{"_id": "bkash", "method": "bkash", "kind": "merchant", "number": "01711 000 000"},
			map[string]any{"_id": "bank", "method": "bank", "number": "1234567890", "note": "Shimul Ghor, City Bank"},
		},
	}}))
	if err != nil {
		t.Fatal(err)
	}
}

// placeAdvanced orders tea to Rajshahi with an advance that the buyer has seen.
func (b *browser) placeAdvanced(t *testing.T) (path, token string) {
	t.Helper()
	b.post(t, shopHost+"/cart", url.Values{"product": {"tea"}})
	form := b.fillCheckout(t)
	form.Set("advance", "13000")
	placed := b.send(t, http.MethodPost, shopHost+"/checkout", form)
	path, query, _ := strings.Cut(placed.location, "?")
	values, err := url.ParseQuery(query)
	if placed.status != http.StatusSeeOther || err != nil {
		t.Fatalf("got %d to %q\n%s\nwant the order's page", placed.status, placed.location, placed.html)
	}
	return shopHost + path, values.Get("k")
}

// A buyer without scripts sees the advance and the reason before ordering, sends it to a wallet,
// and reports the transaction. Staff refuse it with a reason, then confirm another one. The courier
// is booked for the rest.
func TestSite_Advance(t *testing.T) {
	t.Parallel()
	s := newPageSite(t, nil)
	s.requireOutsideDhaka(t)
	b := s.browser()
	b.post(t, shopHost+"/cart", url.Values{"product": {"tea"}})
	form := checkoutForm(b.get(t, shopHost+"/checkout"))
	quote := b.send(t, http.MethodPost, shopHost+"/checkout/quote", form)
	quote.has(http.StatusOK, "To pay in advance: ৳130", "for this delivery area", "To pay on delivery: ৳130", `name="advance" value="13000"`)
	form.Set("total", quote.total())
	unseen := b.send(t, http.MethodPost, shopHost+"/checkout", form)
	unseen.has(http.StatusUnprocessableEntity, "To pay in advance: ৳130", `value="Rahima Khatun"`)
	if orders := s.orders(t); len(orders) != 0 {
		t.Fatalf("got %d orders before the buyer has seen the advance, want none", len(orders))
	}
	path, token := b.placeAdvanced(t)
	own := b.get(t, path+"?k="+token)
	own.has(http.StatusOK, "To pay in advance: ৳130", "bKash", "01711 000 000", "Make a payment", "City Bank", "Pay the advance")
	s.browser().get(t, path).lacks("01711 000 000", "/report")

	uid := path[strings.LastIndex(path, "/")+1:]
	_, err := s.shop.Orders.ConfirmOrder(t.Context(), access.Operator(), uid)
	shoptest.WantCode(t, err, fault.CodeStateConflict)
	report := func(b *browser, path, token, transaction string) webPage {
		return b.post(t, path+"/report", url.Values{"k": {token}, "wallet": {"bkash"}, "sender": {"01811 <x>"}, "transaction": {transaction}})
	}
	report(b, path, token, "8n").has(http.StatusUnprocessableEntity, "at least four characters", `value="01811 &lt;x&gt;"`, `value="8n"`)
	report(b, path, "wrong", "8N7A6D5E4F").has(http.StatusNotFound)
	report(b, path, token, "8n7a 6d5e-4f").has(http.StatusOK, "The shop checks your payment", "bKash 8N7A6D5E4F · ৳130: the shop is checking it.")
	report(b, path, token, "8N7A6D5E4F").has(http.StatusOK, "the shop is checking it.") // once more
	other := s.browser()
	otherPath, otherToken := other.placeAdvanced(t)
	report(other, otherPath, otherToken, "৮N7A6D5E4F").has(http.StatusUnprocessableEntity, "This transaction ID was used before")

	waiting := s.walletPayments(t)
	if len(waiting) != 1 || waiting[0].Amount.Amount != 130_00 || waiting[0].AdvanceDue.Amount != 130_00 {
		t.Fatalf("got %+v, want one payment of 13000", waiting)
	}
	refusal := order.WalletRefusal{Reason: "Not in our bKash."}
	if _, err := s.shop.Orders.RefuseWalletPayment(t.Context(), access.Operator(), waiting[0].ID, refusal); err != nil {
		t.Fatal(err)
	}
	_, err = s.shop.Orders.ConfirmWalletPayment(t.Context(), access.Operator(), waiting[0].ID, order.WalletConfirmation{})
	shoptest.WantCode(t, err, fault.CodeStateConflict)
	b.get(t, path+"?k="+token).has(http.StatusOK, "not found. Not in our bKash.", "/report")
	bangla := strings.Replace(path, "/orders/", "/bn/orders/", 1)
	s.browser().get(t, bangla+"?k="+token).has(http.StatusOK, "অগ্রিম দিতে হবে: ৳১৩০", "/report", "Not in our bKash.")
	report(s.browser(), bangla, token, "9N7A6D5E4F").has(http.StatusOK, "9N7A6D5E4F · ৳১৩০") // without a cookie

	waiting = s.walletPayments(t)
	var wg sync.WaitGroup
	for range 2 { // two members at once
		wg.Go(func() {
			got, err := s.shop.Orders.ConfirmWalletPayment(t.Context(), access.Operator(), waiting[0].ID, order.WalletConfirmation{})
			if err != nil || got.Status != order.WalletConfirmed {
				t.Errorf("got %+v, %v, want a confirmed payment", got, err)
			}
		})
	}
	wg.Wait()
	found, err := s.shop.Orders.FindOrderAsStaff(t.Context(), access.Operator(), uid)
	if err != nil || len(found.Advances) != 1 || found.Paid.Amount != 130_00 || found.CashToCollect.Amount != 260_00 || found.HandOverBy == nil {
		t.Fatalf("got %+v, %v, want one advance and 26000 to collect, within 48 hours", found, err)
	}
	b.get(t, path+"?k="+token).has(http.StatusOK, "Received in advance: ৳130", "received.")
	if _, err := s.shop.Orders.ConfirmOrder(t.Context(), access.Operator(), uid); err != nil {
		t.Error(err)
	}
	cancelled, err := s.shop.Orders.CancelOrderAsStaff(t.Context(), access.Operator(), uid, "")
	if err != nil || cancelled.PaymentStatus != status.PaymentRefundDue {
		t.Errorf("got %v, %v, want the advance due for refund", cancelled, err)
	}
}

// walletPayments returns the reported payments that wait.
func (s *pageSite) walletPayments(t *testing.T) []order.StaffWalletPayment {
	t.Helper()
	list, err := s.shop.Orders.ListWalletPayments(t.Context(), access.Operator(), order.WalletFilter{Status: []order.WalletStatus{order.WalletWaiting}})
	if err != nil {
		t.Fatal(err)
	}
	return list.Nodes
}

// A landing page that cannot know the advance promises no free order, and shows the advance before
// it places one.
func TestSite_LandingAdvance(t *testing.T) {
	t.Parallel()
	s := newPageSite(t, nil)
	s.requireOutsideDhaka(t)
	s.saveLanding(t, nil)
	b := s.browser()
	page := b.get(t, shopHost+"/l/morning-tea")
	page.lacks("No payment now")
	form := fillLanding(t, page)
	form.Set("address", "Station Road, Rajshahi")
	form.Set("delivery", page.find(`name="delivery" value="([^"]*)">\s*<span>Outside Dhaka`))
	b.send(t, http.MethodPost, shopHost+"/l/morning-tea/total", form).has(http.StatusOK, `data-advance="13000"`)
	shown := b.send(t, http.MethodPost, shopHost+"/l/morning-tea", form)
	shown.has(http.StatusUnprocessableEntity, "To pay in advance: ৳130", `name="advance" value="13000"`)
	form.Set("advance", "13000")
	if placed := b.send(t, http.MethodPost, shopHost+"/l/morning-tea", form); placed.status != http.StatusSeeOther {
		t.Errorf("got %d\n%s\nwant the order", placed.status, placed.html)
	}
}
