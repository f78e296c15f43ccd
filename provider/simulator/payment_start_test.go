package simulator_test

import (
	"cmp"
	"context"
	"fmt"
	"path"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"storefront/provider/simulator"
	"storefront/shop/access"
	"storefront/shop/account"
	"storefront/shop/catalogue"
	"storefront/shop/fault"
	"storefront/shop/order"
	"storefront/shop/plugin"
	"storefront/shop/status"
)

// slow is a gateway that needs 100 ms to start a payment.
type slow struct{ plugin.Gateway }

func (g slow) Start(ctx context.Context, access plugin.Access, order plugin.PaymentStart) (plugin.StartedPayment, error) {
	time.Sleep(100 * time.Millisecond)
	return g.Gateway.Start(ctx, access, order)
}

// Concurrent and repeated starts of a payment redirect to the same page.
func TestPayment_ConcurrentStarts(t *testing.T) {
	t.Parallel()
	for _, method := range gateways {
		t.Run(string(method), func(t *testing.T) {
			t.Parallel()
			s := newSiteWith(t, func(g plugin.Gateway) plugin.Gateway { return slow{g} })
			placeAtOnce(t, method, s)
		})
	}
}

// placeAtOnce places one order by its key nine times at once, at each server in turn. All requests
// must be redirected to the same page.
func placeAtOnce(t *testing.T, method status.PaymentMethod, servers ...*site) {
	t.Helper()
	pages := make([]string, 9)
	var wg sync.WaitGroup
	for i := range pages {
		wg.Go(func() {
			order, err := servers[i%len(servers)].placeByKey(method, "twice")
			if err != nil {
				t.Error(err)
			} else if order.Payment.RedirectURL != nil {
				pages[i] = *order.Payment.RedirectURL
			}
		})
	}
	wg.Wait()
	if len(slices.Compact(slices.Clone(pages))) != 1 || pages[0] == "" {
		t.Errorf("got redirects to %q, want one page", pages)
	}
}

// The servers of a shop send an attempt to its gateway once, whichever of them the buyer's requests
// reach, and all redirect to the same page.
func TestPayment_ConcurrentStartsAtServers(t *testing.T) {
	t.Parallel()
	for _, method := range gateways {
		t.Run(string(method), func(t *testing.T) {
			t.Parallel()
			s := newSiteWith(t, func(g plugin.Gateway) plugin.Gateway { return slow{g} })
			placeAtOnce(t, method, s, s.atOtherServer(), s.atOtherServer())
			if n := s.starts(); n != 1 {
				t.Errorf("got %d requests to the gateway, want 1", n)
			}
		})
	}
}

// A server that resumes after its claim has ended, as one that was suspended, changes nothing about
// the attempt that another server has started meanwhile or is starting.
func TestPayment_StartAfterClaim(t *testing.T) {
	t.Parallel()
	for _, bought := range []string{"the first before the second", "the second before the first"} {
		for _, refused := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s, the first refused: %v", bought, refused), func(t *testing.T) {
				t.Parallel()
				held := &holding{calls: make(chan chan error)}
				s := newSiteWith(t, func(g plugin.Gateway) plugin.Gateway {
					held := *held
					held.Gateway = g
					return held
				})
				results := make(chan *order.Placed, 2)
				start := func(s *site) (release chan error) {
					go func() {
						order, err := s.placeByKey(status.PayGatewayB, "twice")
						if err != nil {
							t.Error(err)
						}
						results <- order
					}()
					return <-held.calls
				}
				first := start(s)
				s.clock.Advance(3 * time.Minute)
				second := start(s.atOtherServer())
				var failure error
				if refused {
					failure = plugin.ErrGatewayRefused
				}
				if bought == "the first before the second" {
					first <- failure
					<-results
					second <- nil
				} else {
					second <- nil
					<-results
					first <- failure
				}
				placed := <-results
				if placed == nil || placed.Payment.RedirectURL == nil {
					t.Fatalf("got %+v, want an order with a page to pay at", placed)
				}
				s.wantStatus(placed.ID, status.OrderPendingPayment, status.PaymentPending, status.AttemptPending)
				s.finish(path.Base(*placed.Payment.RedirectURL), simulator.Pays)
				s.wantPaid(placed.ID)
			})
		}
	}
}

// holding is a gateway whose starts wait until the test releases them, with or without an error.
type holding struct {
	plugin.Gateway
	calls chan chan error
}

func (g holding) Start(ctx context.Context, access plugin.Access, order plugin.PaymentStart) (plugin.StartedPayment, error) {
	release := make(chan error)
	g.calls <- release
	if err := <-release; err != nil {
		return plugin.StartedPayment{}, err
	}
	return g.Gateway.Start(ctx, access, order)
}

// A payment that could not be started is logged, its reason is there for staff only, and it can be
// started again.
func TestPayment_StartFailure(t *testing.T) {
	t.Parallel()
	tests := []struct {
		fault  simulator.Fault
		method status.PaymentMethod
		code   order.PaymentErrorCode
		reason string // as staff members read it
		logged string // "" means the same
	}{
		{simulator.StartFails, status.PayGatewayA, "gateway_unavailable", "its response was incomplete", "response incomplete or invalid"},
		{simulator.StartFails, status.PayGatewayB, "gateway_unavailable", "its response was incomplete", "response incomplete or invalid"},
		{simulator.StartBusy, status.PayGatewayA, "gateway_unavailable", "status 429", ""},
		{simulator.StartBusy, status.PayGatewayB, "gateway_unavailable", "code 9999: System Error.", ""},
		{simulator.StartRefused, status.PayGatewayA, "gateway_refused", "Store is De-active, password ***", ""},
		{simulator.StartRefused, status.PayGatewayB, "gateway_refused", "code 2001: Invalid App Key ***", ""},
		{simulator.IDRepeated, status.PayGatewayA, "gateway_refused", "returned the ID of payment", ""},
		{simulator.IDRepeated, status.PayGatewayB, "gateway_refused", "returned the ID of payment", ""},
	}
	for _, tt := range tests {
		t.Run(fmt.Sprintf("%s %s", tt.fault, tt.method), func(t *testing.T) {
			t.Parallel()
			s := newSite(t)
			first := s.place(tt.method)
			s.sim.Switch(tt.fault, true)
			bought := s.place(tt.method)
			if got := bought.Payment; got.RedirectURL != nil || deref(got.ErrorCode) != tt.code {
				t.Errorf("got error code %q, redirect %v; want %s and no redirect", deref(got.ErrorCode), got.RedirectURL, tt.code)
			}
			if got := deref(s.attempt(bought, status.AttemptFailed).Reason); !strings.Contains(got, tt.reason) {
				t.Errorf("got reason %q, want …%s…", got, tt.reason)
			}
			lines := s.log.text()
			if strings.Count(lines, "payment not started") != 1 || !strings.Contains(lines, ref(bought)) ||
				!strings.Contains(lines, cmp.Or(tt.logged, tt.reason)) {
				t.Errorf("got log %q, want one line with the payment and its reason", lines)
			}
			buyer, err := s.Orders.FindOrder(t.Context(), access.Caller{OrderToken: bought.OrderToken}, bought.ID)
			s.must(err)
			if text := fmt.Sprintf("%+v", buyer); strings.Contains(text, tt.reason) {
				t.Errorf("the buyer reads the gateway's reason: %s", text)
			}
			backlog, err := s.FindBacklog(t.Context(), access.Operator()) // which doctor reports
			s.must(err)
			if backlog.FailedStarts != 1 || !strings.Contains(backlog.FailedStart, tt.reason) {
				t.Errorf("got backlog %+v, want 1 failed start with its reason", backlog)
			}
			s.sim.Switch(tt.fault, false)
			again, err := s.Orders.StartPayment(
				t.Context(),
				access.Caller{OrderToken: bought.OrderToken},
				bought.ID,
				order.PaymentInput{PaymentMethod: tt.method},
			)
			s.must(err)
			s.finish(again.ID, simulator.Pays)
			s.wantPaid(bought.ID)
			s.finish(ref(first), simulator.Pays)
			s.wantPaid(first.ID)
		})
	}
}

// The buyer of an order that another gateway's payment has paid sees success, and pays nothing
// more.
func TestPayment_CallbackOfOlderAttempt(t *testing.T) {
	t.Parallel()
	for _, result := range []simulator.Result{simulator.Pays, simulator.Fails, simulator.Cancels} {
		s := newSite(t)
		bought := s.place(status.PayGatewayB)
		older := ref(bought)
		again, err := s.Orders.StartPayment(
			t.Context(),
			access.Caller{OrderToken: bought.OrderToken},
			bought.ID,
			order.PaymentInput{PaymentMethod: status.PayGatewayA},
		)
		s.must(err)
		s.finish(again.ID, simulator.Pays)
		s.wantPaid(bought.ID)
		ret, err := s.sim.Finish(t.Context(), older, result)
		s.must(err)
		if got := s.openCallback(ret.URL); got.Result != order.ReturnSuccess || !strings.Contains(got.URL, "payment=success") {
			t.Errorf("%s: got %+v, want payment=success", result, got)
		}
		if n := s.sim.Calls("/gateway_b/v1.2.0-beta/tokenized/checkout/execute"); n != 0 {
			t.Errorf("%s: got %d executions, want 0", result, n)
		}
		s.sweep(time.Hour)
		if o := s.order(bought.ID); o.PaymentStatus != status.PaymentPaid || s.sim.HasMoney(older) {
			t.Errorf("%s: got payment %s, captured twice: %v", result, o.PaymentStatus, s.sim.HasMoney(older))
		}
	}
}

func TestPayment_AmountOutOfRange(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	method := status.PayGatewayA
	dear, err := s.Catalogue.CreateProduct(t.Context(), access.Operator(),
		catalogue.ProductInput{Title: "Boat", Variants: []catalogue.VariantInput{{Price: 449_550_00}}})
	s.must(err)
	_, err = s.Orders.PlaceOrder(t.Context(), access.Caller{}, order.Input{
		Items:           []order.ItemInput{{ProductID: dear.ID, Quantity: 1}}, // ৳449,550 plus delivery is within the limit
		Customer:        &order.CustomerInput{Name: new("Rahima"), PhoneNumber: new("01711-223344")},
		ShippingAddress: &account.Address{Line1: "House 12", City: "Dhaka"}, PaymentMethod: &method,
	}, "")
	s.must(err)
	expensive, err := s.Catalogue.CreateProduct(t.Context(), access.Operator(),
		catalogue.ProductInput{Title: "Car", Variants: []catalogue.VariantInput{{Price: 500_001_00}}})
	s.must(err)
	_, err = s.Orders.PlaceOrder(t.Context(), access.Caller{}, order.Input{
		Items:           []order.ItemInput{{ProductID: expensive.ID, Quantity: 1}},
		Customer:        &order.CustomerInput{Name: new("Rahima"), PhoneNumber: new("01711-223344")},
		ShippingAddress: &account.Address{Line1: "House 12", City: "Dhaka"}, PaymentMethod: &method,
	}, "")
	if !fault.HasCode(err, fault.CodePaymentMethodUnavailable) {
		t.Errorf("got %v, want payment_method_unavailable", err)
	}
}

func TestPlugins_CheckCredentials(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	for _, provider := range []plugin.Provider{plugin.GatewayA, plugin.GatewayB} {
		report, err := s.ValidatePlugin(t.Context(), access.Caller{Operator: true}, provider)
		s.must(err)
		if !report.Valid {
			t.Errorf("%s: got %+v", provider, report)
		}
	}
	s.configure(plugin.GatewayA, map[string]any{"store_password": "wrong-secret"})
	s.configure(plugin.GatewayB, map[string]any{"password": "wrong-secret"})
	for _, provider := range []plugin.Provider{plugin.GatewayA, plugin.GatewayB} {
		report, err := s.ValidatePlugin(t.Context(), access.Caller{Operator: true}, provider)
		s.must(err)
		text := ""
		for _, check := range report.Checks {
			text += check.Message
		}
		if report.Valid || strings.Contains(text, "wrong-secret") {
			t.Errorf("%s: got %+v", provider, report)
		}
	}
}
