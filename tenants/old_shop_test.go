package tenants_test

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"storefront/db/dbtest"
	"storefront/shop"
	"storefront/shop/access"
	"storefront/shop/account"
	"storefront/shop/catalogue"
	"storefront/shop/shoptest"
	"storefront/shop/staff"
	"storefront/tenants"
)

// The key of the shops in testdata.
const oldKey = "BwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwc="

func oldShop(version int) string {
	return filepath.Join("testdata", fmt.Sprintf("shop-%d.db.gz", version))
}

// A shop of any released schema version is upgraded and can sell. The file of each version stays in
// testdata permanently.
func TestSteps_ReleasedShops(t *testing.T) {
	t.Parallel()
	newest := len(tenants.Steps()) + 1
	if *update {
		freezeShop(t, oldShop(newest))
	}
	for version := 1; version <= newest; version++ {
		t.Run(fmt.Sprint(version), func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			dbtest.Unpack(t, oldShop(version), filepath.Join(dir, "tenants", "old.db"))
			all := open(t, dir, func(cfg *tenants.Config) { cfg.Key = oldKey })
			done, err := all.Migrate(t.Context(), "old")
			if err != nil {
				t.Fatal(err)
			}
			if done.From != version || done.To != newest || (done.Copy == nil) != (version == newest) {
				t.Errorf("got %+v, want from %d to %d", done, version, newest)
			}
			checkOldShop(t, find(t, all, "old"))
		})
	}
}

// checkOldShop checks the data that freezeShop wrote, and places another order.
func checkOldShop(t *testing.T, s *shop.Shop) {
	t.Helper()
	auth, err := s.Accounts.Login(t.Context(), access.Caller{}, account.LoginInput{User: "buyer@example.com", Password: "correct horse battery"})
	if err != nil {
		t.Fatal(err)
	}
	caller := access.Caller{Bearer: auth.AccessToken}
	mine, err := s.ListMyOrders(t.Context(), caller, shop.OrderFilter{})
	if err != nil || len(mine.Nodes) != 2 {
		t.Fatalf("got orders %+v, %v, want 2", mine, err)
	}
	cancelled, live := mine.Nodes[0], mine.Nodes[1]
	if live.Total.Amount != 81000 || live.OrderNumber != 1001 || live.Coupon == nil || cancelled.Status != shop.OrderCancelled {
		t.Errorf("got orders %+v, %+v", live, cancelled)
	}
	products, err := s.Catalogue.FindProducts(t.Context(), catalogue.ProductFilter{Search: "পাঞ্জা"})
	if err != nil || len(products.Nodes) != 1 {
		t.Fatalf("search: got %+v, %v, want one product", products, err)
	}
	// Without its synonyms, a misspelt word is found by the words that the upgrade has written.
	if err := s.SetSettings(t.Context(), access.Operator(), shoptest.Raw(t, map[string]any{"search": map[string]any{"ownOnly": true}})); err != nil {
		t.Fatal(err)
	}
	corrected, err := s.Catalogue.FindProducts(t.Context(), catalogue.ProductFilter{Search: "পান্জাবি"})
	if err != nil || len(corrected.Nodes) != 1 {
		t.Fatalf("misspelt search: got %+v, %v, want one product", corrected, err)
	}
	found, err := s.ListOrderRows(t.Context(), access.Operator(), shop.OrderListFilter{Search: "পাঞ্জা"})
	if err != nil || len(found.Nodes) != 2 {
		t.Errorf("search of orders by an item: got %+v, %v, want both", found, err)
	}
	order := placeOld(t, s, caller, products.Nodes[0])
	if order.OrderNumber != 1003 {
		t.Errorf("next order number: got %d, want 1003", order.OrderNumber)
	}
	if got := secretOf(t, s); got != "chosen" {
		t.Errorf("courier's secret: got %q, want chosen", got)
	}
	if faults, err := s.CheckInvariants(t.Context()); err != nil || len(faults) > 0 {
		t.Errorf("invariants after an order: got %v, %v", faults, err)
	}
}

// freezeShop writes a shop of this version to a file, with rows in most tables.
func freezeShop(t *testing.T, file string) {
	t.Helper()
	if _, err := os.Stat(file); err == nil {
		t.Logf("%s exists and is not replaced: the version may be released", file)
		return
	}
	all := open(t, "", func(cfg *tenants.Config) { cfg.Key = oldKey })
	s := create(t, all, "old")
	configureCourier(t, s)
	product, err := s.Catalogue.SaveProduct(t.Context(), access.Operator(), catalogue.ProductInput{
		Title: "পাঞ্জাবি", Handle: "panjabi", Tags: []string{"Eid"}, Images: []catalogue.ImageInput{{URL: "https://img.example/panjabi.jpg"}},
		Variants: []catalogue.VariantInput{{SKU: "P-1", Price: 450_00, Tracked: true, Stock: new(100)}},
	})
	if err != nil {
		t.Fatal(err)
	}
	_, err = s.SaveCoupon(t.Context(), access.Operator(), shop.CouponSpec{Code: "TENTH", Kind: shop.CouponPercentage,
		BasisPoints: new(int64(1000)), Active: true})
	if err != nil {
		t.Fatal(err)
	}
	_, err = s.SaveCoupon(t.Context(), access.Operator(), shop.CouponSpec{Code: "PANJABI", Kind: shop.CouponFreeDelivery,
		ProductIDs: []string{"panjabi"}, Active: true})
	if err != nil {
		t.Fatal(err)
	}
	caller := register(t, s, "buyer@example.com")
	first := placeOld(t, s, caller, *product)
	second := placeOld(t, s, caller, *product)
	if _, err := s.CancelOrder(t.Context(), caller, second.InvoiceUID, "too late"); err != nil {
		t.Fatal(err)
	}
	if _, err := s.ConfirmOrder(t.Context(), access.Operator(), first.InvoiceUID); err != nil {
		t.Fatal(err)
	}
	if _, err := s.RecordShipment(t.Context(), access.Operator(), first.InvoiceUID,
		shop.ShipmentInput{Provider: shop.CourierA, ConsignmentID: "DL1"}); err != nil {
		t.Fatal(err)
	}
	if _, _, err := s.Staff.CreateAPIKey(t.Context(), access.Operator(),
		staff.APIKeyInput{Label: "panel", ExpiresAt: new(time.Now().AddDate(10, 0, 0))}); err != nil {
		t.Fatal(err)
	}
	if _, _, err := s.ReplaceOrderToken(t.Context(), access.Operator(), first.InvoiceUID); err != nil {
		t.Fatal(err)
	}
	content, err := os.ReadFile(backUp(t, all, "old"))
	if err != nil {
		t.Fatal(err)
	}
	var packed bytes.Buffer
	w, err := gzip.NewWriterLevel(&packed, gzip.BestCompression)
	if err != nil {
		t.Fatal(err)
	}
	_, err = w.Write(content)
	if err := errors.Join(err, w.Close(), os.WriteFile(file, packed.Bytes(), 0o644)); err != nil {
		t.Fatal(err)
	}
}

// placeOld places an order of two units with the coupon.
func placeOld(t *testing.T, s *shop.Shop, caller access.Caller, p catalogue.Product) *shop.PlacedOrder {
	t.Helper()
	order, err := s.PlaceOrder(t.Context(), caller, shop.OrderInput{
		Items: []shop.OrderItemInput{{ProductID: p.ID, Quantity: 2}}, CouponCode: new("TENTH"),
		Customer:        &shop.OrderCustomerInput{PhoneNumber: new("01711-223344")},
		ShippingAddress: &account.Address{Line1: "House 12, Road 5", Area: new("Mirpur"), City: "Dhaka"},
	}, "")
	if err != nil {
		t.Fatal(err)
	}
	return order
}
