package tenants_test

import (
	"fmt"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"storefront/db/dbtest"
	"storefront/shop"
	"storefront/shop/access"
	"storefront/shop/catalogue"
	"storefront/shop/endpoint"
	"storefront/shop/fault"
	"storefront/shop/outbox"
	"storefront/tenants"
)

// crowd counts the webhooks that are on their way at once. It holds each until it is released.
type crowd struct {
	release chan struct{}

	mu      sync.Mutex
	arrived int
	now     map[string]int // by shop
	most    map[string]int // by shop; "": of all
}

func (c *crowd) receive(shop string) {
	c.mu.Lock()
	c.arrived++
	for _, of := range []string{shop, ""} {
		c.now[of]++
		c.most[of] = max(c.most[of], c.now[of])
	}
	c.mu.Unlock()
	<-c.release
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now[shop]--
	c.now[""]--
}

func (c *crowd) waitFor(t *testing.T, arrived int) {
	t.Helper()
	dbtest.Eventually(t, fmt.Sprintf("%d webhooks have arrived", arrived), func() bool {
		c.mu.Lock()
		defer c.mu.Unlock()
		return c.arrived == arrived
	})
}

// At most four endpoints of a shop and eight of a process are sent webhooks at once, so that slow
// ones of one shop leave room for those of others. All webhooks arrive.
func TestWebhookEndpoint_AtOnce(t *testing.T) {
	t.Parallel()
	c := &crowd{release: make(chan struct{}), now: map[string]int{}, most: map[string]int{}}
	all := open(t, "", func(config *tenants.Config) { config.PrivateProviders = true })
	const shops, endpoints = 3, 6
	var made []*shop.Shop
	for i := range shops {
		uid := fmt.Sprintf("shop-%d", i)
		at := newReceiver(t)
		at.answerWith(func(int, http.ResponseWriter) { c.receive(uid) })
		s := create(t, all, uid)
		for range endpoints {
			if _, _, err := s.Endpoints.CreateEndpoint(t.Context(), access.Operator(), endpoint.Input{URL: at.URL}); err != nil {
				t.Fatal(err)
			}
		}
		_, err := s.Catalogue.CreateProduct(t.Context(), access.Operator(), catalogue.ProductInput{
			Title: "Tea", Variants: []catalogue.VariantInput{{Price: 10_000}},
		})
		if err != nil {
			t.Fatal(err)
		}
		made = append(made, s)
	}
	releaseAll := sync.OnceFunc(func() { close(c.release) })
	t.Cleanup(releaseAll) // before the receivers' ends, which wait for what is held
	for i, s := range made {
		if _, err := s.Endpoints.Continue(t.Context()); err != nil {
			t.Fatal(err)
		}
		c.waitFor(t, min(4*(i+1), 8))
	}
	for arrived := 8; arrived < shops*endpoints; arrived++ {
		c.release <- struct{}{}
		c.waitFor(t, arrived+1)
	}
	releaseAll()
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.most[""] != 8 {
		t.Errorf("got %d webhooks at once, want 8", c.most[""])
	}
	for uid, most := range c.most {
		if uid != "" && most > 4 {
			t.Errorf("%s: got %d webhooks at once, want 4 at most", uid, most)
		}
	}
}

// Eight webhooks are on their way to an endpoint at once. Those about one order arrive one after
// the other, in the order of its events.
func TestWebhookEndpoint_EightAtOnce(t *testing.T) {
	t.Parallel()
	h := newHooked(t, endpoint.Input{Types: []outbox.Type{outbox.OrderPlaced, outbox.OrderConfirmed}})
	var arrived, now, most atomic.Int32
	all := make(chan struct{})
	h.receiver.answerWith(func(int, http.ResponseWriter) {
		n := now.Add(1)
		for m := most.Load(); n > m && !most.CompareAndSwap(m, n); m = most.Load() {
		}
		if arrived.Add(1) == 8 {
			close(all)
		}
		<-all // the first ones are held until there are eight
		now.Add(-1)
	})
	const orders = 10
	for range orders {
		placed := h.order()
		if _, err := h.Orders.ConfirmOrder(t.Context(), access.Operator(), placed.ID); err != nil {
			t.Fatal(err)
		}
	}
	h.work()
	got := h.receiver.all()
	if len(got) != 2*orders || most.Load() != 8 {
		t.Errorf("got %d webhooks, %d at once, want %d, eight at once", len(got), most.Load(), 2*orders)
	}
	placed := map[string]bool{}
	for _, r := range got {
		if r.Type == outbox.OrderPlaced {
			placed[r.Data.Subject] = true
		} else if !placed[r.Data.Subject] {
			t.Errorf("%s: got it confirmed before it was placed", r.Data.Subject)
		}
	}
}

// Without leave of the operator nothing is sent to a private address or without TLS, whatever a
// name resolves to, and a redirect is not followed.
func TestWebhookEndpoint_Addresses(t *testing.T) {
	t.Parallel()
	all := open(t, "", nil)
	s := create(t, all, "acme")
	for _, url := range []string{
		"http://example.com/hook", "ftp://example.com/hook", "https://", "https://user:pass@example.com/", "https://example.com/#part",
		"example.com/hook", "", " ",
	} {
		_, _, err := s.Endpoints.CreateEndpoint(t.Context(), access.Operator(), endpoint.Input{URL: url})
		if !fault.HasCode(err, fault.CodeValidationFailed) {
			t.Errorf("%q: got %v, want it refused", url, err)
		}
	}
	for _, url := range []string{"https://127.0.0.1/hook", "https://169.254.169.254/latest", "https://localhost/hook", "https://[::1]/hook"} {
		e, _, err := s.Endpoints.CreateEndpoint(t.Context(), access.Operator(), endpoint.Input{URL: url})
		if err != nil {
			t.Fatal(err)
		}
		d, err := s.Endpoints.TestEndpoint(t.Context(), access.Operator(), e.ID)
		if err != nil || d.Status != endpoint.DeliveryFailed || d.ResponseStatus != nil ||
			!strings.Contains(*d.Error, "Its address is a private one") {
			t.Errorf("%s: got %+v, %v, want it refused", url, d, err)
		}
	}

	h := newHooked(t, endpoint.Input{})
	target := newReceiver(t)
	h.receiver.answerWith(func(_ int, w http.ResponseWriter) {
		w.Header().Set("Location", target.URL)
		w.WriteHeader(http.StatusTemporaryRedirect)
	})
	d, err := h.Endpoints.TestEndpoint(t.Context(), access.Operator(), h.endpoint.ID)
	if err != nil || d.Status != endpoint.DeliveryFailed || *d.ResponseStatus != http.StatusTemporaryRedirect || len(target.all()) != 0 {
		t.Errorf("redirect: got %+v, %v and %d webhooks at its target", d, err, len(target.all()))
	}
}

// A shop has at most ten endpoints, and deliveries are stored for 30 days.
func TestWebhookEndpoint_Limits(t *testing.T) {
	t.Parallel()
	h := newHooked(t, endpoint.Input{})
	for range endpoint.MaxEndpoints - 1 {
		if _, _, err := h.Endpoints.CreateEndpoint(t.Context(), access.Operator(), endpoint.Input{URL: h.receiver.URL}); err != nil {
			t.Fatal(err)
		}
	}
	_, _, err := h.Endpoints.CreateEndpoint(t.Context(), access.Operator(), endpoint.Input{URL: h.receiver.URL})
	wantCode(t, err, fault.CodeStateConflict)

	h.order()
	h.work()
	for _, later := range []struct {
		by     time.Duration
		stored bool
	}{{endpoint.Retention, true}, {time.Second, false}} {
		h.clock.Advance(later.by)
		if _, err := h.Endpoints.Purge(t.Context()); err != nil {
			t.Fatal(err)
		}
		if got := len(h.deliveries()) > 0; got != later.stored {
			t.Errorf("%s later: got deliveries stored: %t", later.by, got)
		}
	}
}
