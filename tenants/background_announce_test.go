package tenants

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"storefront/db"
	"storefront/db/dbtest"
	"storefront/shop"
	"storefront/shop/access"
	"storefront/shop/catalogue"
	"storefront/shop/endpoint"
	"storefront/shop/outbox"
	"storefront/shop/shoptest"
)

// Couriers that do not respond hold the jobs of four shops, which is as many as run at once.
// Another shop's webhook is sent again after 5 s all the same, and the write of another process is
// announced after the next check.
func TestBackground_SlowCouriers(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	settings := shoptest.Raw(t, map[string]any{"name": "Acme", "currency": "BDT", "country": "BD"})
	var ahead atomic.Int64 // of the clock
	now := func() time.Time { return time.Now().Add(time.Duration(ahead.Load())) }
	process := func() *Tenants {
		all, err := Open(Config{Dir: dir, Schema: shoptest.Schema(t), PrivateProviders: true, Now: now})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { all.Close(context.Background()) })
		return all
	}
	all := process()
	for _, uid := range []string{"acme", "slow-1", "slow-2", "slow-3", "slow-4"} {
		if _, err := all.Create(t.Context(), uid, settings); err != nil {
			t.Fatal(err)
		}
	}
	s, err := all.Shop(t.Context(), "acme")
	if err != nil {
		t.Fatal(err)
	}
	product, err := s.Catalogue.CreateProduct(t.Context(), access.Operator(),
		catalogue.ProductInput{Title: "Mug", Variants: []catalogue.VariantInput{{Price: 100_00}}})
	if err != nil {
		t.Fatal(err)
	}
	var mu sync.Mutex
	var arrived int
	receiver := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		mu.Lock()
		defer mu.Unlock()
		if arrived++; arrived == 1 {
			w.WriteHeader(http.StatusInternalServerError)
		}
	}))
	t.Cleanup(receiver.Close)
	in := endpoint.Input{URL: receiver.URL, Types: []outbox.Type{outbox.OrderPlaced}}
	if _, _, err := s.Endpoints.CreateEndpoint(t.Context(), access.Operator(), in); err != nil {
		t.Fatal(err)
	}

	b := newBackground(all, slog.New(slog.DiscardHandler))
	b.pause = time.Second
	var blocked atomic.Int32
	b.jobs = append([]shop.Work{{Name: "wait for a courier", Run: func(s *shop.Shop, ctx context.Context) (time.Time, error) {
		if strings.HasPrefix(string(s.UID()), "slow") {
			blocked.Add(1)
			<-ctx.Done()
		}
		return time.Time{}, nil
	}}}, b.jobs...)
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
	dbtest.Eventually(t, "all slots wait for couriers", func() bool { return blocked.Load() == backgroundSlots })

	order := func(s *shop.Shop, phone string) {
		t.Helper()
		placed := shoptest.GuestOrder(product.ID, 1)
		placed.Customer.PhoneNumber = &phone
		if _, err := s.Orders.PlaceOrder(t.Context(), access.Caller{}, placed, ""); err != nil {
			t.Fatal(err)
		}
	}
	wait := func(what string, n int) {
		t.Helper()
		dbtest.Eventually(t, what, func() bool {
			mu.Lock()
			defer mu.Unlock()
			return arrived >= n
		})
	}
	order(s, "01711000001")
	wait("the webhook is sent", 1)
	dbtest.Eventually(t, "its failure is stored", func() bool {
		return shoptest.Number(t, all.store, "acme", `SELECT COUNT(*) FROM webhook_deliveries WHERE attempts = 1`) == 1
	})
	ahead.Store(int64(5 * time.Second))
	wait("the webhook is sent again", 2)

	other, err := process().Shop(t.Context(), "acme")
	if err != nil {
		t.Fatal(err)
	}
	dbtest.Eventually(t, "the first webhook was announced to the end", func() bool {
		if shoptest.Number(t, all.store, "acme", `SELECT COUNT(*) FROM webhook_deliveries WHERE due_at IS NULL`) == 0 {
			return false
		}
		all.announced.mu.Lock()
		defer all.announced.mu.Unlock()
		b.mu.Lock()
		defer b.mu.Unlock()
		return len(all.announced.ids)+len(b.announcing) == 0
	})
	order(other, "01711000002")
	wait("the write of another process is announced", 3)
}

// What was due, or under way, when a process ended is done by the next one.
func TestBackground_AnnounceAfterRestart(t *testing.T) {
	t.Parallel()
	dir, _ := idleShops(t)
	all := openFolder(t, dir)
	b := newBackground(all, slog.New(slog.DiscardHandler))
	mustRunOnce(t, b)
	modified, err := all.store.ModTimes(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for id, at := range modified { // as if these writes were old
		b.watched[id].ModTime = at
	}
	b.watched["one"].Announce = all.now().Add(-time.Hour)
	b.watched["waiting"].Announce = all.now().Add(time.Hour)
	b.begin("two")
	b.finish()

	b = newBackground(all, slog.New(slog.DiscardHandler))
	b.loadState()
	if selected := b.selectDue(modified); !slices.Equal(selected, []db.ID{"two"}) {
		t.Errorf("got %v selected, want the shop whose jobs had not ended", selected)
	}
	all.announced.collect(true)
	b.pause = 2 * time.Hour
	wait := b.addDue()
	if got := fmt.Sprint(all.announced.remove()); got != "[one]" || wait > retryAfter {
		t.Errorf("got %s announced and the next in %s, want the shop that was due, and another attempt at it unless it succeeds", got, wait)
	}
}
