package tenants

import (
	"bytes"
	"context"
	"log/slog"
	"os"
	"path/filepath"
	"testing"
	"time"

	"storefront/db"
	"storefront/shop"
	"storefront/shop/access"
	"storefront/shop/shoptest"
)

// idleShops makes a data folder with three shops whose files were last written long ago, one of
// them with an order whose time to be paid ran out then.
func idleShops(t *testing.T) (dir, invoice string) {
	t.Helper()
	dir = t.TempDir()
	all := openFolder(t, dir)
	for _, uid := range []string{"one", "two", "waiting"} {
		if _, err := all.Create(t.Context(), uid, shoptest.Raw(t, map[string]any{"name": uid, "currency": "BDT", "country": "BD"})); err != nil {
			t.Fatal(err)
		}
	}
	s, err := all.Shop(t.Context(), "waiting")
	if err != nil {
		t.Fatal(err)
	}
	product, err := s.SaveProduct(t.Context(), shop.ProductInput{Title: "Mug", Variants: []shop.VariantInput{{Price: 100_00}}})
	if err != nil {
		t.Fatal(err)
	}
	order, err := s.PlaceOrder(t.Context(), access.Caller{}, shop.OrderInput{
		Items:           []shop.OrderItemInput{{ProductID: product.ID, Quantity: 1}},
		Customer:        &shop.OrderCustomerInput{Name: new("Rahim"), PhoneNumber: new("01711-000000")},
		ShippingAddress: &shop.Address{Line1: "House 1", City: "Dhaka"},
	}, "")
	if err != nil {
		t.Fatal(err)
	}
	err = all.store.Update(t.Context(), "waiting", func(_ context.Context, tx *db.Tx) error {
		_, err := tx.Exec(`UPDATE orders SET status = 'pending_payment', payment_method = 'gateway_a', expires_at = placed_at + 1`)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := all.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	for _, uid := range []string{"one", "two", "waiting"} {
		setAge(t, dir, uid, 2*time.Hour)
	}
	return dir, order.ID
}

// setAge makes a shop's file look as if it had last been written so long ago.
func setAge(t *testing.T, dir, uid string, by time.Duration) {
	t.Helper()
	at := time.Now().Add(-by)
	if err := os.Chtimes(filepath.Join(dir, "tenants", uid+".db"), at, at); err != nil {
		t.Fatal(err)
	}
}

func openFolder(t *testing.T, dir string) *Tenants {
	t.Helper()
	all, err := Open(Config{Dir: dir, Schema: shoptest.Schema(t)})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { all.Close(context.Background()) })
	return all
}

func mustRunOnce(t *testing.T, b *background) {
	t.Helper()
	if err := b.runOnce(t.Context()); err != nil {
		t.Fatal(err)
	}
}

func statusOf(t *testing.T, all *Tenants, uid, invoice string) shop.OrderStatus {
	t.Helper()
	s, err := all.FindIncludingSuspended(t.Context(), uid)
	if err != nil {
		t.Fatal(err)
	}
	order, err := s.FindOrderAsStaff(t.Context(), invoice)
	if err != nil {
		t.Fatal(err)
	}
	return order.Status
}

// TestBackground_Restart holds that what waited before the server ended is done after it
// started again, and that shops without news stay closed.
func TestBackground_Restart(t *testing.T) {
	t.Parallel()
	dir, invoice := idleShops(t)
	look := func(before func(b *background)) (opened uint64) {
		all := openFolder(t, dir)
		b := newBackground(all, slog.New(slog.DiscardHandler))
		mustRunOnce(t, b)
		opened = all.store.Stats().Opened
		before(b)
		b.finish()
		if err := all.Close(t.Context()); err != nil {
			t.Fatal(err)
		}
		return opened
	}
	if opened := look(func(b *background) {
		if status := statusOf(t, b.tenants, "waiting", invoice); status != shop.OrderExpired {
			t.Errorf("the order is %s", status)
		}
	}); opened != 3 {
		t.Errorf("at first %d files were opened, want all", opened)
	}
	setAge(t, dir, "waiting", time.Hour) // the look wrote to it
	if opened := look(func(b *background) { b.watched["one"].Due = time.Now() }); opened != 1 {
		t.Errorf("then %d files were opened, want the one that was written to", opened)
	}
	if opened := look(func(b *background) { b.watched["one"].Due = time.Now().Add(time.Hour) }); opened != 1 {
		t.Errorf("then %d files were opened, want the one whose time has come", opened)
	}
	if opened := look(func(*background) {}); opened != 0 {
		t.Errorf("without news %d files were opened", opened)
	}

	// Another version may have jobs that never looked.
	text, err := os.ReadFile(filepath.Join(dir, backgroundFile))
	if err != nil {
		t.Fatal(err)
	}
	text = bytes.Replace(text, []byte("expire orders"), []byte("a removed job"), 1)
	if err := os.WriteFile(filepath.Join(dir, backgroundFile), text, 0o600); err != nil {
		t.Fatal(err)
	}
	if opened := look(func(*background) {}); opened != 3 {
		t.Errorf("with other jobs %d files were opened, want all", opened)
	}
}

// TestBackground_NoStateFile holds that every shop is looked at once where nothing tells of an
// earlier look, and then only those with news.
func TestBackground_NoStateFile(t *testing.T) {
	t.Parallel()
	dir, invoice := idleShops(t)
	if err := os.WriteFile(filepath.Join(dir, backgroundFile), nil, 0o600); err != nil { // as a power cut may leave it
		t.Fatal(err)
	}
	all := openFolder(t, dir)
	b := newBackground(all, slog.New(slog.DiscardHandler))
	mustRunOnce(t, b)
	if opened := all.store.Stats().Opened; opened != 3 {
		t.Errorf("%d files were opened, want all", opened)
	}
	if status := statusOf(t, all, "waiting", invoice); status != shop.OrderExpired {
		t.Errorf("the order is %s", status)
	}

	touched, err := all.store.ModTimes(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for id, at := range touched { // as if these writes were long ago
		b.watched[id].ModTime = at
	}
	if chosen := b.selectDue(touched); len(chosen) != 0 {
		t.Errorf("without news %v are looked at", chosen)
	}
	s, err := all.FindIncludingSuspended(t.Context(), "two")
	if err != nil {
		t.Fatal(err)
	}
	if err := s.SetSettings(t.Context(), shoptest.Raw(t, map[string]any{"name": "Two"})); err != nil {
		t.Fatal(err)
	}
	if touched, err = all.store.ModTimes(t.Context()); err != nil {
		t.Fatal(err)
	}
	if chosen := b.selectDue(touched); len(chosen) != 1 || chosen[0] != "two" {
		t.Errorf("after a write to two %v are looked at", chosen)
	}
	b.watched["one"].Due = all.now().Add(-time.Second)
	b.watched["two"].ModTime = touched["two"]
	if chosen := b.selectDue(touched); len(chosen) != 1 || chosen[0] != "one" {
		t.Errorf("when one is due %v are looked at", chosen)
	}
}

// TestBackground_UnreadableShop holds that a file that can not be opened does not keep the others
// waiting, and is tried again.
func TestBackground_UnreadableShop(t *testing.T) {
	t.Parallel()
	dir, invoice := idleShops(t)
	if err := os.WriteFile(filepath.Join(dir, "tenants", "one.db"), []byte("not a database, but long enough to be looked at"), 0o600); err != nil {
		t.Fatal(err)
	}
	all := openFolder(t, dir)
	b := newBackground(all, slog.New(slog.DiscardHandler))
	mustRunOnce(t, b)
	if status := statusOf(t, all, "waiting", invoice); status != shop.OrderExpired {
		t.Errorf("the order is %s", status)
	}
	if due := b.watched["one"].Due; !due.After(all.now()) {
		t.Errorf("the failing one is tried again at %v", due)
	}
}

func TestRunBackground_ContextCancelled(t *testing.T) {
	t.Parallel()
	all := openFolder(t, t.TempDir())
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	all.RunBackground(ctx, slog.New(slog.DiscardHandler)) // returns
}
