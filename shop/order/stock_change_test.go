package order_test

import (
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"storefront/shop/access"
	"storefront/shop/catalogue"
	"storefront/shop/fault"
	"storefront/shop/page"
	"storefront/shop/shoptest"
)

func TestCatalogue_ChangeStock(t *testing.T) {
	t.Parallel()
	s := newOrderShop(t, nil)
	uid := s.mustPlace(t, access.Caller{}, guestOrder(wants(s.mug, 4))).ID
	mug := s.mug.Variants[0].ID
	for _, change := range []catalogue.StockChange{
		{Set: new(int64(8)), Note: "counted"}, {Adjust: new(int64(-3)), Note: "broken"}, {Set: new(int64(5))},
	} {
		if _, err := s.Catalogue.ChangeStock(t.Context(), access.Operator(), "MUG-1", change); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := s.Orders.CancelOrder(t.Context(), access.Caller{Operator: true}, uid, ""); err != nil {
		t.Fatal(err)
	}
	history, err := s.Catalogue.FindStockHistory(t.Context(), access.Operator(), mug, page.Request{})
	if err != nil {
		t.Fatal(err)
	}
	at := s.clock.Now()
	want := []catalogue.StockMovement{ // a change to the same stock records no movement
		{At: at, Delta: 4, Balance: 9, Reason: "cancel", InvoiceUID: &uid},
		{At: at, Delta: -3, Balance: 5, Reason: "adjustment", Note: new("broken")},
		{At: at, Delta: 2, Balance: 8, Reason: "adjustment", Note: new("counted")},
		{At: at, Delta: -4, Balance: 6, Reason: "order", InvoiceUID: &uid},
		{At: at, Delta: 10, Balance: 10, Reason: "adjustment"},
	}
	if diff := cmp.Diff(want, history.Movements.Nodes); diff != "" {
		t.Errorf("movements (-want +got):\n%s", diff)
	}
	second, err := s.Catalogue.FindStockHistory(t.Context(), access.Operator(), mug, page.Request{Page: new(2), Limit: new(2)})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want[2:4], second.Movements.Nodes); diff != "" || second.Movements.Meta.TotalPages != 3 {
		t.Errorf("got %d pages, want 3; movements of page 2 (-want +got):\n%s", second.Movements.Meta.TotalPages, diff)
	}
	s.checkBooks(t)
}

func TestChangeStock_InvalidInput(t *testing.T) {
	t.Parallel()
	s := newOrderShop(t, nil)
	for _, title := range []string{"Left", "Right"} {
		s.sell(t, catalogue.ProductInput{Title: title, Variants: []catalogue.VariantInput{{SKU: "PAIR", Price: 1_00}}})
	}
	lamp, card, mug := s.lamp.Variants[0].ID, s.card.Variants[0].ID, s.mug.Variants[0].ID
	s.mustPlace(t, access.Caller{}, guestOrder(wants(s.lamp, 3))) // stock is now -2
	for name, tc := range map[string]struct {
		variant string
		change  catalogue.StockChange
		want    fault.Code
	}{
		"below zero":               {mug, catalogue.StockChange{Adjust: new(int64(-11))}, fault.CodeValidationFailed},
		"below zero, allowed":      {lamp, catalogue.StockChange{Adjust: new(int64(-1))}, ""},
		"end backorder below zero": {lamp, catalogue.StockChange{Backorder: new(false)}, fault.CodeValidationFailed},
		"not tracked":              {card, catalogue.StockChange{Set: new(int64(3))}, fault.CodeValidationFailed},
		"both":                     {mug, catalogue.StockChange{Set: new(int64(3)), Adjust: new(int64(1))}, fault.CodeValidationFailed},
		"too many":                 {mug, catalogue.StockChange{Set: new(int64(1) << 62)}, fault.CodeValidationFailed},
		"low below zero":           {mug, catalogue.StockChange{LowStock: new(int64(-1))}, fault.CodeValidationFailed},
		"long note":                {mug, catalogue.StockChange{Set: new(int64(1)), Note: strings.Repeat("x", 201)}, fault.CodeValidationFailed},
		"unknown":                  {"NOPE", catalogue.StockChange{Set: new(int64(1))}, fault.CodeNotFound},
		"no variant":               {"", catalogue.StockChange{Set: new(int64(1))}, fault.CodeNotFound},
		"ambiguous SKU":            {"PAIR", catalogue.StockChange{Tracked: new(true)}, fault.CodeStateConflict},
	} {
		if _, err := s.Catalogue.ChangeStock(t.Context(), access.Operator(), tc.variant, tc.change); shoptest.ErrorCode(err) != tc.want {
			t.Errorf("%s: got %v, want %q", name, err, tc.want)
		}
	}
	track := catalogue.StockChange{Tracked: new(true), Set: new(int64(2)), LowStock: new(int64(2))}
	level, err := s.Catalogue.ChangeStock(t.Context(), access.Operator(), card, track)
	if err != nil || level.Stock != 2 || level.Status != catalogue.StockLow {
		t.Errorf("start tracking: got %+v, %v", level, err)
	}
	product, err := s.Catalogue.FindProduct(t.Context(), s.card.ID)
	if err != nil || product.StockStatus != catalogue.StockLow || *product.Variants[0].AvailableQuantity != 2 {
		t.Errorf("product: got %+v, %v", product, err)
	}
	s.checkBooks(t)
}

func TestCatalogue_ListStock(t *testing.T) {
	t.Parallel()
	s := newOrderShop(t, nil)
	low, err := s.Catalogue.ListStock(t.Context(), access.Operator(), catalogue.StockListFilter{})
	if err != nil {
		t.Fatal(err)
	}
	got := []string{}
	for _, level := range low.Nodes {
		got = append(got, level.Title+" "+string(level.Status))
	}
	want := []string{"Shirt (M) OUT_OF_STOCK", "Lamp LOW_STOCK", "Shirt (S) LOW_STOCK"} // the default low-stock level is 5
	if diff := cmp.Diff(want, got); diff != "" || low.Meta.TotalCount != 3 {
		t.Errorf("got total %d, want 3; low stock (-want +got):\n%s", low.Meta.TotalCount, diff)
	}
}

// A file without stock columns must not undo concurrent sales.
func TestCatalogue_ImportProducts_ConcurrentSales(t *testing.T) {
	t.Parallel()
	s := newOrderShop(t, nil)
	var wait sync.WaitGroup
	wait.Go(func() {
		for round := range 5 {
			file := fmt.Sprintf("Handle,Variant SKU,Variant Price,SEO Title\nmug,MUG-1,450,Round %d\n", round)
			if _, err := s.Catalogue.ImportProducts(t.Context(), access.Operator(), strings.NewReader(file), catalogue.ImportOptions{}); err != nil {
				t.Errorf("round %d: %v", round, shoptest.ImportProblems(err))
			}
		}
	})
	for range 10 {
		wait.Go(func() {
			if _, err := s.Orders.PlaceOrder(t.Context(), access.Caller{}, guestOrder(wants(s.mug, 1)), ""); err != nil {
				t.Errorf("place order: %v", err)
			}
		})
	}
	wait.Wait()
	if left := s.findByHandle(t, "mug").Variants[0]; *left.AvailableQuantity != 0 {
		t.Errorf("got stock %d, want 0", *left.AvailableQuantity)
	}
	shoptest.CheckStock(t, s.Shop, s.store)
}
