package server_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"storefront/server"
)

// cookies returns the cookies that a page sets, by name.
func (p webPage) cookies() map[string]*http.Cookie {
	found := map[string]*http.Cookie{}
	for _, c := range (&http.Response{Header: p.header}).Cookies() {
		found[c.Name] = c
	}
	return found
}

// The orders, sessions, lists and feeds of a shop are not found at another shop's host, with or
// without the buyer's cookies.
func TestSite_OtherHost(t *testing.T) {
	t.Parallel()
	s := newPageSite(t, nil)
	b := s.browser()
	placed := b.order(t, nil)
	if placed.status != http.StatusSeeOther {
		t.Fatalf("got %d\n%s", placed.status, placed.html)
	}
	path, _, _ := strings.Cut(placed.location, "?")
	token := "order_token=" + b.get(t, shopHost+placed.location).cookies()["order_token"].Value
	own := s.browser()
	own.header.Set("Cookie", token)
	own.get(t, shopHost+path).has(http.StatusOK, "Shaheb Bazar")
	b.signIn(t).has(http.StatusOK, "Hello, Rahima", path)

	at, err := url.Parse(shopHost)
	if err != nil {
		t.Fatal(err)
	}
	cookies := []string{token}
	for _, c := range b.client.Jar.Cookies(at) {
		cookies = append(cookies, c.Name+"="+c.Value)
	}
	if len(cookies) < 3 {
		t.Fatalf("got the cookies %v, want the session's too", cookies)
	}
	for _, stolen := range []string{"", strings.Join(cookies, "; ")} {
		other := s.browser()
		if stolen != "" {
			other.header.Set("Cookie", stolen)
		}
		for path, want := range map[string]int{
			placed.location: http.StatusNotFound, path: http.StatusNotFound, "/account": http.StatusOK, "/account/name": 0,
			"/feed.xml": http.StatusOK, "/sitemap.xml": http.StatusOK, "/search?q=tea": http.StatusOK, "/search/suggestions?q=tea": http.StatusOK,
			"/cart": http.StatusOK,
		} {
			got := other.get(t, otherHost+path)
			if want > 0 && got.status != want {
				t.Errorf("%s: got %d, want %d", path, got.status, want)
			}
			got.lacks("Rahima", "Shaheb Bazar", "01711", "Tea &lt;b&gt;", "/products/tea", "Shimul Ghor")
		}
		form, _ := url.ParseQuery(strings.TrimPrefix(placed.location, path+"?"))
		for _, step := range []string{"/pay", "/cancel", "/again"} {
			if got := other.send(t, http.MethodPost, otherHost+path+step, form); got.status != http.StatusNotFound {
				t.Errorf("%s: got %d, want 404", step, got.status)
			}
		}
	}
	if got := s.orders(t); len(got) != 1 || got[0].Status == "cancelled" {
		t.Errorf("got %v, want the order as it was", got)
	}
}

// Over TLS, all cookies are sent over TLS alone, and the session's belongs to the host alone.
func TestSite_SecureCookies(t *testing.T) {
	t.Parallel()
	s := newPageSite(t, func(cfg *server.Config) { cfg.SiteURL = "https://shops.example" })
	b := s.browser()
	added := b.send(t, http.MethodPost, shopHost+"/cart", url.Values{"product": {"tea"}})
	b.send(t, http.MethodPost, shopHost+"/account", url.Values{"phone": {"01711-000000"}})
	signIn := url.Values{"phone": {"01711-000000"}, "code": {s.sms.Code(t, buyerPhone)}, "name": {"Rahima"}}
	signedIn := b.send(t, http.MethodPost, shopHost+"/account", signIn)
	if c := signedIn.cookies()["__Host-session"]; c == nil || !c.Secure || !c.HttpOnly ||
		c.SameSite != http.SameSiteLaxMode || c.Path != "/" || c.Domain != "" {
		t.Errorf("got %v, want a secure __Host-session", signedIn.header["Set-Cookie"])
	}
	b.header.Set("Cookie", "cart="+added.cookies()["cart"].Value) // the test's browser has no TLS
	placed := b.send(t, http.MethodPost, shopHost+"/checkout", b.fillCheckout(t))
	if placed.status != http.StatusSeeOther {
		t.Fatalf("got %d\n%s", placed.status, placed.html)
	}
	shown := b.get(t, shopHost+placed.location)
	for name, p := range map[string]webPage{"cart": added, "account": signedIn, "checkout": placed, "order": shown} {
		for _, c := range p.cookies() {
			if !c.Secure || c.SameSite != http.SameSiteLaxMode {
				t.Errorf("%s: got %v, want Secure and SameSite=Lax", name, c)
			}
		}
	}
	if c := shown.cookies()["order_token"]; c == nil || !c.HttpOnly {
		t.Errorf("the order: got %v, want its token", shown.header["Set-Cookie"])
	}
}
