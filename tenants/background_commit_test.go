package tenants

import (
	"context"
	"log/slog"
	"testing"
	"time"

	"storefront/db"
	"storefront/db/dbtest"
	"storefront/shop"
	"storefront/shop/access"
	"storefront/shop/account"
	"storefront/shop/catalogue"
	"storefront/shop/order"
	"storefront/shop/shoptest"
	"storefront/shop/status"
)

// wokenShop is a shop whose background work runs, and checks all shops once an hour.
type wokenShop struct {
	*shop.Shop
	t   *testing.T
	all *Tenants
	b   *background
}

func newWokenShop(t *testing.T) *wokenShop {
	t.Helper()
	dir := t.TempDir()
	all, err := Open(Config{Dir: dir, Schema: shoptest.Schema(t), LogMessages: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { all.Close(context.Background()) })
	_, err = all.Create(t.Context(), "acme", shoptest.Raw(t, map[string]any{
		"name": "Acme", "currency": "BDT", "country": "BD", "buyerMessages": map[string]any{"sms": []string{"placed"}},
	}))
	if err != nil {
		t.Fatal(err)
	}
	s, err := all.Shop(t.Context(), "acme")
	if err != nil {
		t.Fatal(err)
	}
	b := startBackground(t, all)
	dbtest.Eventually(t, "the first check of all shops has ended", func() bool {
		b.mu.Lock()
		defer b.mu.Unlock()
		return len(b.watched) == 1 && len(b.waiting)+len(b.running)+len(b.announcing) == 0
	})
	return &wokenShop{s, t, all, b}
}

// startBackground starts the background work, which checks all shops once an hour. It ends with the
// test.
func startBackground(t *testing.T, all *Tenants) *background {
	t.Helper()
	b := newBackground(all, slog.New(slog.DiscardHandler))
	b.pause = time.Hour
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		b.run(ctx)
	}()
	t.Cleanup(func() {
		cancel()
		<-ended
	})
	return b
}

func (s *wokenShop) order() *order.Placed {
	s.t.Helper()
	product, err := s.Catalogue.CreateProduct(s.t.Context(), access.Operator(),
		catalogue.ProductInput{Handle: "mug", Title: "Mug", Variants: []catalogue.VariantInput{{Price: 100_00}}})
	if err != nil {
		s.t.Fatal(err)
	}
	placed, err := s.Orders.PlaceOrder(s.t.Context(), access.Caller{}, order.Input{
		Items:           []order.ItemInput{{ProductID: product.ID, Quantity: 1}},
		Customer:        &order.CustomerInput{Name: new("Rahim"), PhoneNumber: new("01711-000000")},
		ShippingAddress: &account.Address{Line1: "House 1", City: "Dhaka"},
	}, "")
	if err != nil {
		s.t.Fatal(err)
	}
	return placed
}

func (s *wokenShop) number(query string) int64 {
	s.t.Helper()
	return shoptest.Number(s.t, s.all.store, "acme", query)
}

// Work starts when it is committed, and not at the next check of all shops, which is an hour away.
func TestBackground_Commit(t *testing.T) {
	t.Parallel()
	s := newWokenShop(t)
	placed := s.order()
	dbtest.Eventually(t, "the message about the order is sent", func() bool {
		return s.number(`SELECT COUNT(*) FROM buyer_messages WHERE status = 'sent'`) == 1
	})
	dbtest.Eventually(t, "the consumer of the outbox has read all events", func() bool {
		return s.number(`SELECT (SELECT MAX(seq) FROM outbox) - COALESCE((SELECT seq FROM cursors WHERE name = 'order_search'), 0)`) == 0
	})
	err := s.all.store.Update(t.Context(), "acme", func(_ context.Context, tx *db.Tx) error {
		_, err := tx.Exec(`UPDATE orders SET status = 'pending_payment', payment_method = 'gateway_a', expires_at = placed_at + 1`)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	dbtest.Eventually(t, "the order expires", func() bool {
		return statusOf(t, s.all, "acme", placed.ID) == status.OrderExpired
	})
}

// A commit while the shop's jobs run is not missed: they run once more, and never twice at once.
func TestBackground_CommitWhileRunning(t *testing.T) {
	t.Parallel()
	s := newWokenShop(t)
	dbtest.Eventually(t, "no jobs of the shop run", func() bool { return s.b.begin("acme") })
	s.order()
	dbtest.Eventually(t, "the commit was seen, and waits for the jobs", func() bool {
		s.all.committed.mu.Lock()
		defer s.all.committed.mu.Unlock()
		_, waits := s.all.committed.ids["acme"]
		return waits
	})
	if n := s.number(`SELECT COUNT(*) FROM buyer_messages WHERE status = 'queued'`); n != 1 {
		t.Errorf("got %d messages to be sent, want 1: jobs of the shop are running", n)
	}
	s.b.end("acme", func(*shopState) {})
	dbtest.Eventually(t, "the message is sent", func() bool {
		return s.number(`SELECT COUNT(*) FROM buyer_messages WHERE status = 'sent'`) == 1
	})
}

// Only a process that runs the background work collects what was committed.
func TestCommits_NobodyWaits(t *testing.T) {
	t.Parallel()
	c := newCommits()
	c.add("acme")
	if got := c.remove(); len(got) != 0 {
		t.Errorf("got %v, want nothing", got)
	}
	c.collect(true)
	c.add("acme")
	c.add("acme")
	if got := c.remove(); len(got) != 1 || len(c.remove()) != 0 {
		t.Errorf("got %v, want the shop once", got)
	}
}
