package server_test

import (
	"net/http"
	"strings"
	"testing"

	"storefront/shop/access"
	"storefront/shop/order"
	"storefront/shop/shoptest"
)

// storeIncomplete sets the setting of incomplete orders.
func (s *pageSite) storeIncomplete(t *testing.T, setting map[string]any) {
	t.Helper()
	setting["enabled"] = true
	if err := s.shop.SetSettings(t.Context(), access.Operator(), shoptest.Raw(t, map[string]any{"incompleteOrders": setting})); err != nil {
		t.Fatal(err)
	}
}

func (s *pageSite) incomplete(t *testing.T) []order.IncompleteOrder {
	t.Helper()
	list, err := s.shop.Orders.ListIncomplete(t.Context(), access.Operator(), order.IncompleteFilter{})
	if err != nil {
		t.Fatal(err)
	}
	return list.Nodes
}

// The checkout and landing pages show the notice if the shop stores incomplete orders. What they
// send is stored only with the box ticked; the response is the same for all. Another site cannot
// send it, and the stored number is never shown to anybody.
func TestSite_IncompleteOrder(t *testing.T) {
	t.Parallel()
	s := newPageSite(t, nil)
	s.saveLanding(t, nil)
	b := s.browser()
	b.post(t, shopHost+"/cart", map[string][]string{"product": {"tea"}})
	b.get(t, shopHost+"/checkout").lacks("data-incomplete", `name="agreed"`, "incomplete.js")
	b.get(t, shopHost+"/l/morning-tea").lacks("data-incomplete", `name="agreed"`)
	s.storeIncomplete(t, map[string]any{"notice": "We store this for 14 days <to call you>."})
	page := b.get(t, shopHost+"/checkout")
	page.has(http.StatusOK, `data-incomplete="/checkout/incomplete"`, `name="agreed" value="1">`,
		"We store this for 14 days &lt;to call you&gt;.", "incomplete.js")
	b.get(t, shopHost+"/bn/l/morning-tea").has(http.StatusOK, `data-incomplete="/bn/l/morning-tea/incomplete"`)

	form := checkoutForm(page)
	form.Set("session", "a secret of this browser")
	send := func(path string) {
		t.Helper()
		if got := b.send(t, http.MethodPost, shopHost+path, form); got.status != http.StatusNoContent || got.html != "" {
			t.Fatalf("got %d %q, want 204 for every input", got.status, got.html)
		}
	}
	send("/checkout/incomplete")
	form.Set("agreed", "1")
	form.Set("phone", "123")
	send("/checkout/incomplete")
	form.Set("phone", "০১৭১১ ০০০ ০০৯")
	form.Set("session", "short")
	send("/checkout/incomplete")
	if got := s.incomplete(t); len(got) != 0 {
		t.Fatalf("got %+v, want nothing without consent, a number and a session", got)
	}
	form.Set("session", "a secret of this browser")
	form.Set("address", "")
	send("/checkout/incomplete")
	send("/checkout/incomplete")
	got := s.incomplete(t)
	if len(got) != 1 || got[0].Step != order.StepContact || got[0].LandingPage != nil || *got[0].Language != "en" || got[0].Items[0].Quantity != 1 {
		t.Fatalf("got %+v, want one from the checkout", got)
	}
	page = b.get(t, shopHost+"/bn/l/morning-tea")
	landing := fillLanding(t, b.get(t, shopHost+"/l/morning-tea"))
	landing.Set("variant", page.find(`name="variant" value="(\w+)"`))
	for name, value := range map[string]string{"session": "a secret of another one", "agreed": "1", "phone": "01811000000", "submitted": "1"} {
		landing.Set(name, value)
	}
	landing.Set("address", "Station Road, Rajshahi")
	form = landing
	send("/bn/l/morning-tea/incomplete")
	got = s.incomplete(t)
	if len(got) != 2 || got[0].Step != order.StepSubmitted ||
		*got[0].LandingPage != "morning-tea" || *got[0].Language != "bn" || got[0].City != "Rajshahi" {
		t.Fatalf("got %+v, want one from the landing page", got)
	}
	form.Del("agreed")
	send("/l/morning-tea/incomplete")
	if got = s.incomplete(t); len(got) != 1 {
		t.Errorf("got %+v, want the other deleted without consent", got)
	}
	s.browser().get(t, shopHost+"/checkout").lacks("01711", "0009")
	b.send(t, http.MethodPost, shopHost+"/l/none/incomplete", form).has(http.StatusNotFound)
	form.Set("phone", strings.Repeat("1", 1<<20))
	if got := b.send(t, http.MethodPost, shopHost+"/checkout/incomplete", form); got.status != http.StatusBadRequest {
		t.Errorf("got %d for a form that is too large, want 400", got.status)
	}
}

// A refused order retains the tick as the buyer left it; a shop that ticks the box first does not
// tick it again. An order is placed as before.
func TestSite_IncompleteOptOut(t *testing.T) {
	t.Parallel()
	s := newPageSite(t, nil)
	s.storeIncomplete(t, map[string]any{"optOut": true})
	b := s.browser()
	b.post(t, shopHost+"/cart", map[string][]string{"product": {"tea"}})
	b.get(t, shopHost+"/bn/checkout").has(http.StatusOK, `name="agreed" value="1" checked>`, "১৪ দিন")
	form := b.fillCheckout(t)
	form.Set("name", "")
	form.Del("agreed")
	refused := b.send(t, http.MethodPost, shopHost+"/checkout", form)
	refused.has(http.StatusUnprocessableEntity, `name="agreed" value="1">`)
	form.Set("agreed", "1")
	b.send(t, http.MethodPost, shopHost+"/checkout", form).has(http.StatusUnprocessableEntity, `name="agreed" value="1" checked>`)
	form.Set("name", "Rahima")
	if placed := b.send(t, http.MethodPost, shopHost+"/checkout", form); placed.status != http.StatusSeeOther {
		t.Errorf("got %d\n%s\nwant the order", placed.status, placed.html)
	}
	if got := s.incomplete(t); len(got) != 0 {
		t.Errorf("got %+v, want nothing from placing an order", got)
	}
}
