package order_test

import (
	"context"
	"encoding/binary"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"storefront/db"
	"storefront/db/sqlite"
	"storefront/shop"
	"storefront/shop/access"
	"storefront/shop/catalogue"
	"storefront/shop/order"
	"storefront/shop/shoptest"
)

// orderCost is what a guest's cash order of three lines costs a shop in a file: its statements, the
// entries that it adds to indexes, and the pages that it writes to the log if it is alone. A
// statement, an entry or a page more is a decision: its figure is changed with the reason.
type orderCost struct {
	statements, entries, pages float64
}

var (
	// One of the pages has the order in which products change: clients with a copy of the catalogue
	// learn of a product's last piece as of its price.
	placingCost = orderCost{statements: 17.1, entries: 10, pages: 21.1}
	postingCost = orderCost{statements: 2.1, entries: 3, pages: 0.5} // an order of 100 that are posted at once
)

func TestPlaceOrder_Cost(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	store, err := sqlite.Open(dir, sqlite.Options{Schema: shoptest.Schema(t), Content: shop.Content()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = store.Close(context.Background()) })
	s := shoptest.New(t, &shoptest.Options{Store: store.Store})
	var lines []catalogue.Product
	stocked := &shoptest.Stocked{Shop: s, Store: store.Store}
	for i := range 60 {
		lines = append(lines, stocked.Sell(t, catalogue.ProductInput{
			Title: fmt.Sprint("Product ", i), Variants: []catalogue.VariantInput{{Price: 450_00, Tracked: true, Stock: new(1000)}},
		}))
	}
	n, frames, last := 0, 0, 0
	observe := func() { // the log starts again when it is full
		now := logFrames(t, dir, s.UID())
		if now < last {
			last = 0
		}
		frames, last = frames+now-last, now
	}
	place := func(orders int) {
		for range orders {
			in := guestOrder(wants(lines[n%60], 1), wants(lines[(n*7+1)%60], 1), wants(lines[(n*11+2)%60], 1))
			in.Customer.PhoneNumber = new(fmt.Sprintf("+88017%08d", 10_000_000+n*7919%1_000_000))
			caller := access.Caller{Client: fmt.Sprintf("192.0.2.%d", n%250)}
			if _, err := s.Orders.PlaceOrder(t.Context(), caller, in, ""); err != nil {
				t.Fatal(err)
			}
			n++
			observe()
		}
	}
	post := func(int) {
		if err := s.Orders.PostOrders(t.Context()); err != nil {
			t.Fatal(err)
		}
		observe()
	}
	place(100)
	post(100)
	for _, step := range []struct {
		name string
		run  func(orders int)
		want orderCost
	}{{"placing", place, placingCost}, {"posting", post, postingCost}} {
		var before, after orderCost
		frames = 0
		before = costSoFar(t, store, s.UID())
		step.run(100)
		after = costSoFar(t, store, s.UID())
		got := orderCost{(after.statements - before.statements) / 100, (after.entries - before.entries) / 100, float64(frames) / 100}
		const page = 4096 + 24 // with its header in the log
		t.Logf("%s an order: %.1f statements, %.1f entries of indexes, %.0f KB of log", step.name, got.statements, got.entries, got.pages*page/1000)
		for what, figures := range map[string][2]float64{
			"statements": {got.statements, step.want.statements}, "entries of indexes": {got.entries, step.want.entries},
			"pages of the log": {got.pages, step.want.pages},
		} {
			if got, want := figures[0], figures[1]; got > want || got < 0.95*want-0.1 {
				t.Errorf("%s: got %.2f %s for an order, want %.1f", step.name, got, what, want)
			}
		}
	}
}

// logFrames returns the number of pages in the log of a shop, which its index has after the log's
// format, a counter and the size of a page.
func logFrames(t *testing.T, dir, uid string) int {
	t.Helper()
	index, err := os.ReadFile(filepath.Join(dir, "tenants", uid+".db-shm"))
	if err != nil {
		t.Fatal(err)
	}
	return int(binary.NativeEndian.Uint32(index[16:]))
}

// costSoFar returns the sums of all statements and entries so far.
func costSoFar(t *testing.T, store *sqlite.Store, uid string) (sums orderCost) {
	t.Helper()
	sums.statements = float64(store.Stats().Statements)
	err := store.View(t.Context(), db.ID(uid), func(_ context.Context, tx *db.Tx) error {
		return tx.QueryRow(`
			SELECT SUM(b.ncell)
			FROM dbstat b
			JOIN sqlite_schema s ON s.name = b.name
			WHERE s.type = 'index'`).Scan(&sums.entries)
	})
	if err != nil {
		t.Fatal(err)
	}
	return sums
}

// A discount costs an order two statements more: to find it, and to count its use.
func TestPlaceOrder_DiscountCost(t *testing.T) {
	t.Parallel()
	store, err := sqlite.Open(t.TempDir(), sqlite.Options{Schema: shoptest.Schema(t), Content: shop.Content()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = store.Close(context.Background()) })
	s := shoptest.New(t, &shoptest.Options{Store: store.Store})
	tea := (&shoptest.Stocked{Shop: s, Store: store.Store}).Sell(t, catalogue.ProductInput{
		Title: "Tea", Variants: []catalogue.VariantInput{{Price: 450_00, Tracked: true, Stock: new(1000)}},
	})
	n := 0
	place := func() (statements float64) {
		before := store.Stats().Statements
		for range 20 {
			in := guestOrder(wants(tea, 3))
			in.Customer.PhoneNumber = new(fmt.Sprintf("+88017%08d", 20_000_000+n))
			if _, err := s.Orders.PlaceOrder(t.Context(), access.Caller{Client: fmt.Sprintf("192.0.2.%d", n)}, in, ""); err != nil {
				t.Fatal(err)
			}
			n++
		}
		return float64(store.Stats().Statements-before) / 20
	}
	place()
	without := place()
	spec := order.CouponSpec{Title: "3 for 2", Kind: order.CouponBuyGet, BasisPoints: new(int64(10_000)),
		BuyQuantity: new(int64(2)), GetQuantity: new(int64(1))}
	spec.Active, spec.ProductIDs = true, []string{tea.ID}
	if _, err := s.Orders.SaveCoupon(t.Context(), access.Operator(), spec); err != nil {
		t.Fatal(err)
	}
	place()
	if with := place(); with-without > 2.2 || with-without < 1.8 {
		t.Errorf("got %.1f statements for an order with a discount, %.1f without, want two more", with, without)
	}
}
