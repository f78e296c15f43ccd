package server_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"storefront/shop/access"
	"storefront/shop/catalogue"
	"storefront/shop/order"
	"storefront/shop/page"
	"storefront/shop/status"
)

// A buyer without scripts finds, reads, orders with cash on delivery in Bangla, and cancels.
func TestSite_OrderWithoutScripts(t *testing.T) {
	t.Parallel()
	s := newPageSite(t, nil)
	b := s.browser()
	b.get(t, shopHost+"/bn").has(http.StatusOK, `<html lang="bn">`, "শিমুল ঘর", `href="/bn/products/saree"`, "৳২,৪৫০")
	b.get(t, shopHost+"/bn/search?q=শাড়ি").has(http.StatusOK, `href="/bn/products/saree"`, "১টি পণ্য")
	b.get(t, shopHost+"/bn/products/saree").has(http.StatusOK, "সুতি শাড়ি", "−১৫%", `<label class="gone">`, "Inside Dhaka: ৳৭০", "Within 7 days.")
	cart := b.post(t, shopHost+"/bn/cart", url.Values{"product": {"saree"}, "option1": {"Red"}, "quantity": {"২"}})
	cart.has(http.StatusOK, "সুতি শাড়ি", "Red", "৳৪,৯০০")

	checkout := b.get(t, shopHost+"/bn/checkout")
	checkout.has(http.StatusOK, `<option value="রাজশাহী">`)
	if got := checkout.total(); got != "" {
		t.Errorf("before the address: got the total %s, want none", got)
	}
	empty := b.send(t, http.MethodPost, shopHost+"/bn/checkout", url.Values{"key": {checkout.key()}, "note": {"After <5>"}, "city": {"Rajshahi"}})
	empty.has(http.StatusUnprocessableEntity, "আপনার মোবাইল নম্বর লিখুন।", "আপনার নাম লিখুন।", "After &lt;5&gt;", `value="Rajshahi"`)
	if got := empty.total(); got != "503000" {
		t.Errorf("to Rajshahi: got the total %s, want 503000", got)
	}
	form := checkoutForm(checkout)
	form.Set("total", empty.total())
	placed := b.send(t, http.MethodPost, shopHost+"/bn/checkout", form)
	if placed.status != http.StatusSeeOther || !strings.HasPrefix(placed.location, "/bn/orders/") {
		t.Fatalf("got %d to %q\n%s\nwant the order's page", placed.status, placed.location, placed.html)
	}
	own := b.get(t, shopHost+placed.location)
	own.has(http.StatusOK, "ধন্যবাদ, Rahima", "দোকান অর্ডারটি নিশ্চিত করবে", "Shaheb Bazar", "৳৫,০৩০", "অর্ডার বাতিল করুন")
	b.get(t, shopHost+"/bn/cart").has(http.StatusOK, "আপনার কার্ট খালি")
	path, _, _ := strings.Cut(placed.location, "?")
	b.get(t, shopHost+path).has(http.StatusOK, "Shaheb Bazar") // by its cookie, without TLS too
	address, token, _ := strings.Cut(placed.location, "?k=")
	token, _, _ = strings.Cut(token, "&")

	stranger := s.browser().get(t, shopHost+address)
	stranger.has(http.StatusOK, "২ × সুতি শাড়ি")
	stranger.lacks("Rahima", "Shaheb", "01711", "/cancel", token)
	s.browser().post(t, shopHost+address+"/cancel", url.Values{"k": {"wrong"}}).has(http.StatusNotFound)
	b.post(t, shopHost+address+"/cancel", url.Values{"k": {token}}).lacks("/cancel")
	if got := s.orders(t); len(got) != 1 || got[0].Status != status.OrderCancelled {
		t.Errorf("got %v, want one cancelled order", got)
	}
}

// orders returns the shop's orders.
func (s *pageSite) orders(t *testing.T) []order.Row {
	t.Helper()
	limit := page.MaxLimit
	list, err := s.shop.Orders.ListOrderRows(t.Context(), access.Operator(), order.ListFilter{Request: page.Request{Limit: &limit}})
	if err != nil {
		t.Fatal(err)
	}
	return list.Nodes
}

// A second tap, and a form that is sent again after a lost response, lead to the same order.
func TestSite_OrderTwice(t *testing.T) {
	t.Parallel()
	s := newPageSite(t, nil)
	b := s.browser()
	b.post(t, shopHost+"/cart", url.Values{"product": {"tea"}, "quantity": {"2"}})
	form := b.fillCheckout(t)
	twin := b.orderTwice(t, form)
	form.Set("name", "Somebody Else")
	changed := twin.send(t, http.MethodPost, shopHost+"/checkout", form)
	changed.has(http.StatusUnprocessableEntity, "An order was already placed from this page.", "Somebody Else")
	if changed.key() == form.Get("key") {
		t.Error("the form has the used key, so that it can never be sent")
	}
	if got := s.orders(t); len(got) != 1 {
		t.Errorf("got %d orders, want 1", len(got))
	}
}

// orderTwice sends the form of the checkout twice with the present cookies, as after a lost
// response, and wants one order. It returns the browser that still has these cookies.
func (b *browser) orderTwice(t *testing.T, form url.Values) *browser {
	t.Helper()
	twin := b.s.browser()
	twin.client.Jar = &frozenJar{b.client.Jar.Cookies(mustParse(t, shopHost))}
	first := twin.send(t, http.MethodPost, shopHost+"/checkout", form)
	second := twin.send(t, http.MethodPost, shopHost+"/checkout", form)
	if first.status != http.StatusSeeOther || first.location != second.location {
		t.Errorf("got %d %s and %d %s\n%s\nwant the same order", first.status, first.location, second.status, second.location, second.html)
	}
	return twin
}

func mustParse(t *testing.T, address string) *url.URL {
	t.Helper()
	u, err := url.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	return u
}

// frozenJar has the same cookies whatever a response sets: a page that was open before.
type frozenJar struct{ cookies []*http.Cookie }

func (j *frozenJar) SetCookies(*url.URL, []*http.Cookie) {}
func (j *frozenJar) Cookies(*url.URL) []*http.Cookie     { return j.cookies }

// The cart names what changed since the buyer saw it, and the rest can be ordered.
func TestSite_CartChanges(t *testing.T) {
	t.Parallel()
	s := newPageSite(t, nil)
	b := s.browser()
	gone := s.create(t, catalogue.ProductInput{Title: "Honey", Handle: "honey", Variants: []catalogue.VariantInput{{Price: 60_000}}})
	for _, form := range []url.Values{
		{"product": {"saree"}, "option1": {"Red"}, "quantity": {"3"}}, {"product": {"tea"}}, {"product": {"honey"}},
	} {
		b.post(t, shopHost+"/cart", form)
	}
	b.get(t, shopHost+"/cart").lacks(`class="alert"`, `class="notice"`)

	s.update(t, s.saree, func(v *catalogue.VariantChange) { v.Stock = new(int64(2)) })
	s.update(t, s.tea, func(v *catalogue.VariantChange) { v.Price = new(int64(14_000)) })
	archived := catalogue.ProductChange{Status: new(catalogue.ProductArchived)}
	if _, err := s.shop.Catalogue.UpdateProduct(t.Context(), access.Operator(), gone.ID, archived); err != nil {
		t.Fatal(err)
	}
	cart := b.get(t, shopHost+"/cart")
	cart.has(http.StatusOK, "Tea &lt;b&gt; has a new price: ৳140", "1 product is no longer sold.", "Only this many are left: 2", "৳5,040")
	b.get(t, shopHost+"/cart").lacks(`class="alert"`)

	form := b.fillCheckout(t)
	s.update(t, s.saree, func(v *catalogue.VariantChange) { v.Stock = new(int64(0)) })
	refused := b.send(t, http.MethodPost, shopHost+"/checkout", form)
	refused.has(http.StatusUnprocessableEntity, "just sold out", "Cotton Saree is sold out. It is not in your order.", "Rahima Khatun", "৳270")
	form["item"], form["total"] = refused.items(), []string{refused.total()}
	if placed := b.send(t, http.MethodPost, shopHost+"/checkout", form); placed.status != http.StatusSeeOther {
		t.Errorf("the rest: got %d\n%s\nwant an order", placed.status, placed.html)
	}
}

// update changes the first variant of a product.
func (s *pageSite) update(t *testing.T, p catalogue.Product, change func(*catalogue.VariantChange)) {
	t.Helper()
	v := catalogue.VariantChange{Variant: p.Variants[0].ID}
	change(&v)
	_, err := s.shop.Catalogue.UpdateProduct(t.Context(), access.Operator(), p.ID, catalogue.ProductChange{Variants: []catalogue.VariantChange{v}})
	if err != nil {
		t.Fatal(err)
	}
}
