package server_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"storefront/shop/access"
	"storefront/shop/order"
	"storefront/shop/plugin"
	"storefront/shop/shoptest"
	"storefront/shop/status"
)

// A coupon that staff disable while the buyer fills in the form is reported at its field. The
// buyer's input stays, nothing is ordered, and the order without the coupon is placed.
func TestSite_CouponEnds(t *testing.T) {
	t.Parallel()
	s := newPageSite(t, nil)
	ten := order.CouponSpec{Code: "TEN", Kind: order.CouponPercentage, BasisPoints: new(int64(1000)), Active: true}
	if _, err := s.shop.Orders.SaveCoupon(t.Context(), access.Operator(), ten); err != nil {
		t.Fatal(err)
	}
	b := s.browser()
	b.post(t, shopHost+"/cart", url.Values{"product": {"tea"}})
	form := b.fillCheckout(t)
	form.Set("coupon", "ten")
	quoted := b.send(t, http.MethodPost, shopHost+"/checkout/quote", form)
	quoted.has(http.StatusOK, "৳247") // 130 − 13, and 130 for delivery
	form.Set("total", "24700")
	if _, err := s.shop.Orders.DisableCoupon(t.Context(), access.Operator(), "TEN"); err != nil {
		t.Fatal(err)
	}
	refused := b.send(t, http.MethodPost, shopHost+"/checkout", form)
	refused.has(http.StatusUnprocessableEntity, "This coupon is not active.", `value="ten"`, "Rahima Khatun", "House 12, Shaheb Bazar")
	if got := s.orders(t); len(got) > 0 {
		t.Fatalf("got %v, want no order", got)
	}
	form.Del("coupon")
	form.Set("total", "26000")
	if placed := b.send(t, http.MethodPost, shopHost+"/checkout", form); placed.status != http.StatusSeeOther {
		t.Errorf("without the coupon: got %d\n%s\nwant an order", placed.status, placed.html)
	}
}

// A gateway that does not respond loses no order: it is placed once, and its page has the button to
// pay.
func TestSite_GatewayDown(t *testing.T) {
	t.Parallel()
	s := newPageSiteWith(t, []plugin.Plugin{{Provider: plugin.GatewayA, Gateway: &auditGateway{}, Keys: []plugin.Key{
		{Name: "secret", Secret: true, For: []plugin.Capability{plugin.CanPay}},
	}}}, nil)
	shoptest.ConfigurePlugin(t, s.shop, plugin.GatewayA, map[string]any{"secret": providerSecret})
	b := s.browser()
	b.post(t, shopHost+"/cart", url.Values{"product": {"tea"}})
	form := b.fillCheckout(t)
	form.Set("payment", string(plugin.GatewayA))
	placed := b.send(t, http.MethodPost, shopHost+"/checkout", form)
	if placed.status != http.StatusSeeOther || !strings.HasPrefix(placed.location, "/orders/") {
		t.Fatalf("got %d to %q\n%s\nwant the order's page", placed.status, placed.location, placed.html)
	}
	own := b.get(t, shopHost+placed.location)
	own.has(http.StatusOK, "Rahima", "/pay")
	address, token, _ := strings.Cut(placed.location, "?k=")
	token, _, _ = strings.Cut(token, "&")
	again := b.send(t, http.MethodPost, shopHost+address+"/pay", url.Values{"k": {token}})
	if again.status != http.StatusSeeOther || !strings.Contains(again.location, "not_started=1") {
		t.Fatalf("pay: got %d to %q, want the page with the reason", again.status, again.location)
	}
	b.get(t, shopHost+again.location).has(http.StatusOK, "payment could not be started", "/pay")
	if got := s.orders(t); len(got) != 1 || got[0].Status != status.OrderPendingPayment {
		t.Errorf("got %v, want one pending order", got)
	}
}
