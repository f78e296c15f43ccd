package simulator_test

import (
	"context"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"storefront/provider"
	"storefront/provider/courierb"
	"storefront/provider/gatewaya"
	"storefront/provider/gatewayb"
	"storefront/provider/simulator"
	"storefront/shop"
	"storefront/shop/access"
	"storefront/shop/catalogue"
	"storefront/shop/order"
	"storefront/shop/plugin"
	"storefront/shop/shoptest"
	"storefront/shop/status"
)

// site is a shop whose gateways are simulated and that receives their webhooks over HTTP.
type site struct {
	*shop.Shop
	tb     testing.TB
	config shop.Config
	clock  *shoptest.Clock
	sim    *simulator.Simulator
	host   *httptest.Server // of the gateways
	public *httptest.Server
	mug    *catalogue.ProductRecord
	log    *log
}

// log collects the shop's log lines.
type log struct {
	mu    sync.Mutex
	lines strings.Builder
}

func (l *log) Write(line []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.lines.Write(line)
}

// text returns the lines so far.
func (l *log) text() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.lines.String()
}

const (
	stock = 1000
	// gatewayTimeout is the shop's timeout for gateways, much shorter than in production to keep
	// the tests of late responses fast.
	gatewayTimeout = 3 * time.Second
)

func newSite(tb testing.TB) *site {
	tb.Helper()
	return newSiteWith(tb, func(g plugin.Gateway) plugin.Gateway { return g })
}

// newSiteWith returns a site whose gateways are wrapped.
func newSiteWith(tb testing.TB, wrap func(plugin.Gateway) plugin.Gateway) *site {
	tb.Helper()
	s := &site{tb: tb, clock: shoptest.NewClock(), sim: simulator.New(), log: &log{}}
	host := httptest.NewServer(s.sim.Handler())
	s.host = host
	tb.Cleanup(host.Close)
	s.public = httptest.NewServer(http.HandlerFunc(s.handleWebhook))
	tb.Cleanup(s.public.Close)
	client := provider.NewClient(provider.ClientConfig{AllowPrivate: true, Timeout: gatewayTimeout})
	a, b := host.URL+"/gateway_a", host.URL+"/gateway_b"
	plugins := []plugin.Plugin{
		gatewaya.New(gatewaya.Config{Client: client, Live: a, Sandbox: a}).Plugin(),
		gatewayb.New(gatewayb.Config{Client: client, Live: b, Sandbox: b, Now: s.clock.Now}).Plugin(),
		courierb.New(courierb.Config{Client: client, Live: host.URL + "/courier_b"}),
	}
	for i := range plugins {
		plugins[i].Gateway = wrap(plugins[i].Gateway)
	}
	s.config = shop.Config{
		Store: shoptest.NewStore(tb, s.clock), ID: "test", Sealer: shoptest.Sealer("test"), Hasher: shoptest.Hasher(),
		Plugins: plugins, PublicURL: s.public.URL, Logger: slog.New(slog.NewTextHandler(s.log, nil)), Now: s.clock.Now,
	}
	s.Shop = shoptest.New(tb, &shoptest.Options{
		Store: s.config.Store, Clock: s.clock, PublicURL: s.public.URL,
		Settings: map[string]any{"storefrontUrl": "https://shop.example/done?lang=bn", "openOrdersPerPhone": 1000, "codExpiryHours": 8760},
		Plugins:  plugins, Logger: s.config.Logger,
	})
	s.configure(plugin.GatewayA, map[string]any{
		"store_id": "live", "store_password": "hush-a", "sandbox_store_id": "test", "sandbox_store_password": "hush-test-a",
	})
	s.configure(plugin.GatewayB, map[string]any{
		"username": "live", "password": "hush-b", "app_key": "hush-key", "app_secret": "hush-app",
		"sandbox_username": "test", "sandbox_password": "hush-test-b", "sandbox_app_key": "hush-key", "sandbox_app_secret": "hush-app",
	})
	var err error
	s.mug, err = s.Catalogue.CreateProduct(tb.Context(), access.Operator(), catalogue.ProductInput{
		Title: "Mug", Variants: []catalogue.VariantInput{{Price: 450_00, Tracked: true, Stock: new(stock)}},
	})
	s.must(err)
	return s
}

// atOtherServer returns the site as another server of the same shop has it.
func (s *site) atOtherServer() *site {
	other := *s
	other.Shop = shop.New(s.config)
	return &other
}

func (s *site) must(err error) {
	s.tb.Helper()
	if err != nil {
		s.tb.Fatal(err)
	}
}

func (s *site) configure(provider plugin.Provider, settings map[string]any) {
	s.tb.Helper()
	shoptest.ConfigurePlugin(s.tb, s.Shop, provider, settings)
}

func (s *site) mode(mode plugin.Mode) {
	s.tb.Helper()
	s.must(s.SetSettings(s.tb.Context(), access.Operator(), shoptest.Raw(s.tb, map[string]any{"activeMode": mode})))
}

// handleWebhook handles the gateways' requests as the server does.
func (s *site) handleWebhook(w http.ResponseWriter, r *http.Request) {
	defer func() { _ = recover() }() // as the server does; its recovery has tests of its own
	body, err := io.ReadAll(r.Body)
	if err != nil {
		s.tb.Error(err)
	}
	authentic := true
	switch r.URL.Path {
	case plugin.GatewayAWebhookPath + s.UID():
		authentic, err = s.Orders.HandlePaymentWebhook(r.Context(), plugin.GatewayA, r.Header.Get("Content-Type"), body)
	case plugin.GatewayBCallbackPath + s.UID():
		_, authentic, err = s.handleCallback(r.Context(), r.URL.Query())
	}
	switch {
	case err != nil:
		s.tb.Errorf("%s: %v", r.URL.Path, err)
		w.WriteHeader(http.StatusInternalServerError)
	case !authentic:
		w.WriteHeader(http.StatusUnauthorized)
	}
}

func (s *site) handleCallback(ctx context.Context, query url.Values) (order.ReturnTarget, bool, error) {
	return s.Orders.HandleCallback(ctx, plugin.GatewayB, order.ParseCallbackQuery(query.Encode()))
}

// starts returns how many requests to start a payment the gateways have received.
func (s *site) starts() int {
	return s.sim.Calls("/gateway_a/gwprocess/v4/api.php") + s.sim.Calls("/gateway_b/v1.2.0-beta/tokenized/checkout/create")
}

// place places an order for two mugs with online payment.
func (s *site) place(method status.PaymentMethod) *order.Placed {
	s.tb.Helper()
	order, err := s.placeByKey(method, "")
	s.must(err)
	return order
}

// placeByKey places the same order with an idempotency key.
func (s *site) placeByKey(method status.PaymentMethod, key string) (*order.Placed, error) {
	in := shoptest.GuestOrder(s.mug.ID, 2)
	in.PaymentMethod = &method
	return s.Orders.PlaceOrder(s.tb.Context(), access.Caller{}, in, key)
}

// finish performs a buyer's action at the gateway and opens the callback.
func (s *site) finish(id string, result simulator.Result) simulator.Return {
	s.tb.Helper()
	ret, err := s.sim.Finish(s.tb.Context(), id, result)
	s.must(err)
	if ret.Method == http.MethodGet {
		s.openCallback(ret.URL)
	}
	return ret
}

// openCallback handles the browser's GET of a callback URL.
func (s *site) openCallback(address string) order.ReturnTarget {
	s.tb.Helper()
	u, err := url.Parse(address)
	s.must(err)
	target, _, err := s.handleCallback(s.tb.Context(), u.Query())
	s.must(err)
	return target
}

// sweep advances the clock and runs the sweep of open payments.
func (s *site) sweep(pass time.Duration) {
	s.tb.Helper()
	s.clock.Advance(pass)
	_, err := s.Orders.SweepPayments(s.tb.Context())
	s.must(err)
}

// order returns an order as staff see it.
func (s *site) order(id string) *order.Order {
	s.tb.Helper()
	order, err := s.Orders.FindOrderAsStaff(s.tb.Context(), access.Operator(), id)
	s.must(err)
	return &order.Order
}

// wantStatus checks the status of an order, of its payment and of its last payment attempt.
func (s *site) wantStatus(id string, status status.Order, payment status.Payment, attempt status.Attempt) {
	s.tb.Helper()
	o := s.order(id)
	last := o.Payment.Attempts[len(o.Payment.Attempts)-1].Status
	if o.Status != status || o.PaymentStatus != payment || last != attempt {
		s.tb.Errorf("got order %s, payment %s, attempt %s; want %s, %s, %s", o.Status, o.PaymentStatus, last, status, payment, attempt)
	}
}
