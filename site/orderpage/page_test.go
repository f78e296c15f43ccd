package orderpage_test

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"storefront/shop/access"
	"storefront/shop/catalogue"
	"storefront/shop/fault"
	"storefront/shop/order"
	"storefront/shop/shoptest"
	"storefront/site/orderpage"
)

// order is a placed order of a shop, with the path of its page.
type shownOrder struct {
	*order.Placed
	visit orderpage.Visit
	path  string
}

func newOrder(t *testing.T) shownOrder {
	t.Helper()
	s := shoptest.New(t, &shoptest.Options{PublicURL: "https://api.example"})
	tea := catalogue.ProductInput{Title: "Tea", Variants: []catalogue.VariantInput{{Price: 10_000}}}
	product, err := s.Catalogue.CreateProduct(t.Context(), access.Operator(), tea)
	if err != nil {
		t.Fatal(err)
	}
	input := shoptest.GuestOrder(product.ID, 1)
	placed, err := s.Orders.PlaceOrder(t.Context(), access.Caller{}, input, "")
	if err != nil {
		t.Fatal(err)
	}
	visit := orderpage.Visit{Shop: s, Order: placed.InvoiceUID}
	return shownOrder{placed, visit, "/t/" + s.UID() + "/" + placed.InvoiceUID}
}

// show requests the page and returns the response with its text.
func (o shownOrder) show(t *testing.T, query string, cookies ...*http.Cookie) (*http.Response, string) {
	t.Helper()
	r := httptest.NewRequest(http.MethodGet, o.path+query, nil)
	r.Header.Set("Accept-Language", "de, en-GB;q=0.8, bn;q=0.5")
	for _, cookie := range cookies {
		r.AddCookie(cookie)
	}
	w := httptest.NewRecorder()
	if err := o.visit.Show(t.Context(), w, r); err != nil {
		t.Fatal(err)
	}
	return w.Result(), w.Body.String()
}

// The page has the shop's name and logo, and how to reach it. Texts of the shop are texts.
func TestVisit_Shop(t *testing.T) {
	t.Parallel()
	o := newOrder(t)
	settings := map[string]any{
		"name": "Rina's <Tea>", "logoUrl": "https://cdn.example/logo.png",
		"supportContact": map[string]any{
			"phone": "+8801711000000", "email": "help@example.com", "address": "House 7, <Dhaka>",
		},
	}
	err := o.visit.Shop.SetSettings(t.Context(), access.Operator(), shoptest.Raw(t, settings))
	if err != nil {
		t.Fatal(err)
	}
	_, html := o.show(t, "")
	for _, want := range []string{
		`<img src="https://cdn.example/logo.png" alt="">`, "Rina&#39;s &lt;Tea&gt;",
		`href="tel:&#43;8801711000000"`, `href="mailto:help@example.com"`, "House 7, &lt;Dhaka&gt;",
	} {
		if !strings.Contains(html, want) {
			t.Errorf("the page has no %q:\n%s", want, html)
		}
	}
}

// The link's token shows the buyer, and is saved in a cookie of this page alone, for the way back
// from a gateway. A wrong token shows and saves nothing.
func TestVisit_Token(t *testing.T) {
	t.Parallel()
	o := newOrder(t)
	name := o.Customer.Name
	res, html := o.show(t, "?k="+o.OrderToken)
	if len(res.Cookies()) != 1 || !strings.Contains(html, name) {
		t.Fatalf("got cookies %v and\n%s\nwant one, and the buyer's name", res.Cookies(), html)
	}
	saved := res.Cookies()[0]
	if saved.Path != o.path || !saved.HttpOnly || !saved.Secure {
		t.Errorf("got the cookie %v, want one of the page, hidden from scripts, over TLS", saved)
	}
	if _, html := o.show(t, "?lang=bn", saved); !strings.Contains(html, name) {
		t.Errorf("with the cookie: got\n%s\nwant the buyer's name", html)
	}
	res, html = o.show(t, "?k="+strings.Repeat("A", 43))
	if len(res.Cookies()) != 0 || strings.Contains(html, name) {
		t.Errorf("a wrong token: got cookies %v and\n%s", res.Cookies(), html)
	}
}

// A payment that cannot start leads back to the page. What is no form is refused.
func TestVisit_Pay(t *testing.T) {
	t.Parallel()
	o := newOrder(t)
	pay := func(form string) (*http.Response, error) {
		w := httptest.NewRecorder()
		r := httptest.NewRequest(http.MethodPost, o.path+"/pay", strings.NewReader(form))
		err := o.visit.Pay(t.Context(), w, r)
		return w.Result(), err
	}
	res, err := pay("k=" + o.OrderToken)
	back := o.path + "?k=" + o.OrderToken
	if err != nil || res.StatusCode != http.StatusSeeOther || res.Header.Get("Location") != back {
		t.Errorf("cash on delivery: got %v, %v, want 303 to %s", res, err, back)
	}
	for _, form := range []string{"%zz", strings.Repeat("k", 5000)} {
		_, err := pay(form)
		shoptest.WantCode(t, err, fault.CodeMalformed)
	}
}

// Errors that a buyer can meet are explained in the browser's language, others never.
func TestExplain(t *testing.T) {
	t.Parallel()
	r := httptest.NewRequest(http.MethodGet, "/t/test/x", nil)
	r.Header.Set("Accept-Language", "bn-BD")
	got, ok := orderpage.Explain(r, &fault.Error{Code: fault.CodeTenantNotFound})
	if !ok || got.Status != http.StatusNotFound || got.Title != "অর্ডারটি পাওয়া যায়নি" {
		t.Errorf("got %+v, %v, want 404 in Bangla", got, ok)
	}
	if got, ok := orderpage.Explain(r, errors.New("disk full")); ok {
		t.Errorf("an internal error: got %+v, want none", got)
	}
}
