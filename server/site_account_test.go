package server_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"storefront/server"
	"storefront/shop/access"
	"storefront/shop/order"
)

const buyerPhone = "+8801711000000"

// set changes one setting of the shop.
func (s *pageSite) set(t *testing.T, name, value string) {
	t.Helper()
	if err := s.shop.SetSettings(t.Context(), access.Operator(), map[string]json.RawMessage{name: json.RawMessage(value)}); err != nil {
		t.Fatal(err)
	}
}

// signIn signs in with a code, and returns the account.
func (b *browser) signIn(t *testing.T) webPage {
	t.Helper()
	b.post(t, shopHost+"/account", url.Values{"phone": {"01711-000000"}})
	code := b.s.sms.Code(t, buyerPhone)
	return b.post(t, shopHost+"/account", url.Values{"phone": {"01711-000000"}, "code": {code}, "name": {"Rahima"}})
}

// order orders tea with the form's changes, and returns the response.
func (b *browser) order(t *testing.T, change func(url.Values)) webPage {
	t.Helper()
	b.post(t, shopHost+"/cart", url.Values{"product": {"tea"}})
	form := b.fillCheckout(t)
	if change != nil {
		change(form)
	}
	return b.send(t, http.MethodPost, shopHost+"/checkout", form)
}

// A code is sent in the language of the page.
func TestSite_CodeLanguage(t *testing.T) {
	t.Parallel()
	s := newPageSite(t, nil)
	b := s.browser()
	for phone, c := range map[string][2]string{
		"01711000001": {"", " is your Shimul Ghor code"}, "01711000002": {"/bn", " আপনার শিমুল ঘর কোড"},
	} {
		b.post(t, shopHost+c[0]+"/account", url.Values{"phone": {phone}}).has(http.StatusOK, `name="code"`)
		if sent := s.sms.Messages(); !strings.Contains(sent[len(sent)-1].Text, c[1]) {
			t.Errorf("got the messages %q, want the last with %q", sent, c[1])
		}
	}
	for path, body := range map[string]string{
		"/api/v1/auth/otp/send?lang=bn": `{"phoneNumber":"01711000003"}`,
		"/graphql":                      `{"query":"mutation{sendOtp(input:{phoneNumber:\"01711000004\"},lang:\"bn\"){success}}"}`,
	} {
		if got := s.send("POST", path, body); !strings.Contains(string(got.body), `"success":true`) {
			t.Errorf("%s: got %d %s", path, got.status, got.body)
		}
	}
	sent := s.sms.Messages()
	for _, message := range sent[len(sent)-2:] {
		if !strings.Contains(message.Text, "আপনার শিমুল ঘর কোড") {
			t.Errorf("got %q, want the message in Bangla", message.Text)
		}
	}
}

// A code is bound to the host of a page that is the shop's, so that phones offer it there and at no
// page of somebody else.
func TestSite_CodeHost(t *testing.T) {
	t.Parallel()
	s := newPageSite(t, func(cfg *server.Config) { cfg.SiteURL = "https://shops.example" })
	s.set(t, "origins", `["https://front.example","https://front.example:8443","http://plain.example"]`)
	s.browser().post(t, shopHost+"/account", url.Values{"phone": {"01711000001"}}).has(http.StatusOK, `name="code"`)
	wantLine := func(from, want string) {
		t.Helper()
		sent := s.sms.Messages()
		if _, line, _ := strings.Cut(sent[len(sent)-1].Text, "\n"); !strings.HasPrefix(line, want) || want == "" && line != "" {
			t.Errorf("from %s: got %q, want the last line %q", from, sent[len(sent)-1].Text, want)
		}
	}
	wantLine(shopHost, "@shop.example #")
	for i, c := range [][2]string{
		{"https://front.example", "@front.example #"}, {"https://evil.example", ""}, {"http://front.example", ""},
		{"https://front.example:8443", ""}, {"http://plain.example", ""}, {"", ""},
	} {
		body := fmt.Sprintf(`{"phoneNumber":"0171100001%d"}`, i)
		if got := s.send("POST", "/api/v1/auth/otp/send", body, "Origin", c[0]); got.status != http.StatusOK {
			t.Fatalf("from %s: got %d %s", c[0], got.status, got.body)
		}
		wantLine(c[0], c[1])
	}
}

// A buyer without scripts signs in with a code, sees the guest order of her phone, changes her
// details, orders with them, and signs out.
func TestSite_Account(t *testing.T) {
	t.Parallel()
	s := newPageSite(t, nil)
	b := s.browser()
	guest := b.order(t, nil)
	if guest.status != http.StatusSeeOther {
		t.Fatalf("got %d\n%s", guest.status, guest.html)
	}
	b = s.browser() // another device
	b.get(t, shopHost+"/account").has(http.StatusOK, "Sign in", `name="phone"`, "noindex")
	b.post(t, shopHost+"/account", url.Values{"phone": {"12"}}).has(http.StatusUnprocessableEntity, `value="12"`, "11 digits")
	b.post(t, shopHost+"/account", url.Values{"phone": {"01711-000000"}}).has(http.StatusOK, `name="code"`, `name="name"`, "01711-000000")
	// A second tap sends no second code, and the first one can be entered.
	b.post(t, shopHost+"/account", url.Values{"phone": {"01711-000000"}}).has(http.StatusUnprocessableEntity, `name="code"`, "Wait a minute")
	code := s.sms.Code(t, buyerPhone)
	wrong := "0000"
	if code == wrong {
		wrong = "1111"
	}
	signIn := url.Values{"phone": {"01711-000000"}, "code": {wrong}, "name": {"Rahima Khatun"}}
	b.post(t, shopHost+"/account", signIn).has(http.StatusUnprocessableEntity, "wrong or has expired", `value="Rahima Khatun"`)
	signIn.Set("code", strings.NewReplacer("0", "০", "1", "১").Replace(code))
	signIn.Set("name", "")
	b.post(t, shopHost+"/account", signIn).has(http.StatusUnprocessableEntity, "Enter your name")
	signIn.Set("name", "Rahima Khatun")
	done := b.send(t, http.MethodPost, shopHost+"/account", signIn)
	if set := done.header.Values("Set-Cookie"); done.status != http.StatusSeeOther || len(set) != 2 ||
		!strings.Contains(set[0], "HttpOnly") || strings.Contains(set[1], "ey") {
		t.Fatalf("got %d %v\n%s", done.status, set, done.html)
	}
	path, _, _ := strings.Cut(guest.location, "?")
	b.get(t, shopHost+"/account").lacks("&lt;nil")
	b.get(t, shopHost+"/account").has(http.StatusOK, "Hello, Rahima Khatun", `href="`+path+`"`, "৳260", "Awaiting confirmation")
	b.get(t, shopHost+"/account/name").has(http.StatusOK, "Rahima")
	b.get(t, shopHost+path).has(http.StatusOK, "Shaheb Bazar") // her own order, without its token
	s.browser().get(t, shopHost+path).lacks("Shaheb Bazar", "01711")

	b.post(t, shopHost+"/account/details", url.Values{"name": {""}, "address": {"Road 9"}, "city": {"Dhaka"}}).
		has(http.StatusUnprocessableEntity, "Enter your name", `value="Road 9"`)
	b.post(t, shopHost+"/account/details", url.Values{"name": {"Rahima Begum"}, "address": {"Road 9"}, "city": {"Dhaka"}}).
		has(http.StatusOK, "Saved.", "Rahima Begum", `value="Road 9"`)
	b.post(t, shopHost+"/cart", url.Values{"product": {"tea"}})
	b.get(t, shopHost+"/checkout").has(http.StatusOK, `value="Rahima Begum"`, `value="Road 9"`, `value="Dhaka"`, `value="01711000000"`)

	again := b.send(t, http.MethodPost, shopHost+path+"/again", nil)
	b.get(t, shopHost+again.location).has(http.StatusOK, "Tea &lt;b&gt;")

	b.post(t, shopHost+"/account/sign-out", nil).has(http.StatusOK, "Send the code")
	b.get(t, shopHost+path).lacks("Shaheb Bazar")
}

// A buyer who returns stays signed in for 90 days, and a session that was ended elsewhere ends its
// cookies on a page that does not show the account.
func TestSite_SessionRenewed(t *testing.T) {
	t.Parallel()
	s := newPageSite(t, nil)
	b := s.browser()
	b.signIn(t).has(http.StatusOK, "Hello, Rahima")
	if set := b.send(t, http.MethodGet, shopHost+"/account/name", nil).header.Values("Set-Cookie"); len(set) != 0 {
		t.Errorf("got %v on the first day, want no new session", set)
	}
	for range 17 {
		s.clock.Advance(5 * 24 * time.Hour)
		b.send(t, http.MethodGet, shopHost+"/account/name", nil).has(http.StatusOK, "Rahima")
	}
	b.get(t, shopHost+"/account").has(http.StatusOK, "Hello, Rahima")
	s.clock.Advance(5 * 24 * time.Hour)
	b.get(t, shopHost+"/account").has(http.StatusOK, "Send the code")

	b.signIn(t).has(http.StatusOK, "Hello, Rahima")
	var token string
	for _, c := range b.client.Jar.Cookies(mustParse(t, shopHost)) {
		if c.Name == "session" {
			token = c.Value
		}
	}
	s.clock.Advance(2 * 24 * time.Hour)
	if got := s.send("POST", "/api/v1/auth/logout", `{"everywhere":true}`, bearer(token)...); got.status != http.StatusOK {
		t.Fatalf("sign out everywhere: got %d", got.status)
	}
	ended := b.send(t, http.MethodGet, shopHost+"/cart", nil)
	if c := ended.cookies()["session"]; ended.status != http.StatusOK || c == nil || c.MaxAge >= 0 {
		t.Errorf("got %d %v, want the end of the session", ended.status, c)
	}
}

// A session that has ended makes the buyer a guest. It does not stop an order.
func TestSite_SessionEnds(t *testing.T) {
	t.Parallel()
	s := newPageSite(t, nil)
	b := s.browser()
	b.signIn(t).has(http.StatusOK, "Hello, Rahima")
	s.clock.Advance(8 * 24 * time.Hour)
	placed := b.order(t, nil)
	if placed.status != http.StatusSeeOther {
		t.Fatalf("got %d\n%s", placed.status, placed.html)
	}
	b.get(t, shopHost+"/account").has(http.StatusOK, "Send the code")
}

// An order above the shop's limit needs the phone's code, and the checkout has a field for it. A
// second tap with the same code leads to the same order.
func TestSite_CodeBeforeOrder(t *testing.T) {
	t.Parallel()
	s := newPageSite(t, nil)
	s.set(t, "codProofAbove", "10000")
	b := s.browser()
	asked := b.order(t, nil)
	asked.has(http.StatusUnprocessableEntity, `name="code"`, "Enter the code", "Rahima Khatun")
	form := checkoutForm(asked)
	form.Set("code", "12")
	b.send(t, http.MethodPost, shopHost+"/checkout", form).has(http.StatusUnprocessableEntity, "four digits", `name="code"`)
	form.Set("again", "1")
	b.send(t, http.MethodPost, shopHost+"/checkout", form).has(http.StatusUnprocessableEntity, "Wait a minute", `name="code"`)
	form.Del("again")
	// With a code that is wrong, an order that needs none is placed, and reported as placed.
	cheap := s.browser()
	cheap.post(t, shopHost+"/cart", url.Values{"product": {"tea"}})
	s.set(t, "codProofAbove", "0")
	other := cheap.fillCheckout(t)
	other.Set("code", "0000")
	other.Set("phone", "01811-000000")
	if got := cheap.send(t, http.MethodPost, shopHost+"/checkout", other); got.status != http.StatusSeeOther {
		t.Errorf("a code that is not needed: got %d, want the order", got.status)
	}
	s.set(t, "codProofAbove", "10000")
	form.Set("code", s.sms.Code(t, buyerPhone))
	first := b.send(t, http.MethodPost, shopHost+"/checkout", form)
	if first.status != http.StatusSeeOther {
		t.Fatalf("got %d\n%s", first.status, first.html)
	}
	b.post(t, shopHost+"/cart", url.Values{"product": {"tea"}}) // the cart of the page that was sent twice
	second := b.send(t, http.MethodPost, shopHost+"/checkout", form)
	if orders := s.orders(t); second.location != first.location || len(orders) != 2 {
		t.Errorf("got %d %s and %d orders, want the same order and the other buyer's", second.status, second.location, len(orders))
	}
	b.get(t, shopHost+"/account").has(http.StatusOK, "Hello, Rahima Khatun") // the code signed her in
}

// A shop that is attacked demands work of the browser, for codes and orders of guests.
func TestSite_Work(t *testing.T) {
	t.Parallel()
	s := newPageSite(t, nil)
	s.set(t, "proofOfWork", `["otp","orders"]`)
	b := s.browser()
	b.post(t, shopHost+"/account", url.Values{"phone": {"01711-000000"}}).
		has(http.StatusUnprocessableEntity, `data-challenge="`, `name="work-otp"`, `value="01711-000000"`)
	asked := b.order(t, nil)
	asked.has(http.StatusUnprocessableEntity, `data-challenge="`, "Rahima Khatun")
	if got := s.orders(t); len(got) != 0 {
		t.Errorf("got %d orders, want none", len(got))
	}
}

// Links in messages, labels and returns from gateways lead to the order at the shop's own host. A
// shop without pages has them at the server's.
func TestSite_OrderLinks(t *testing.T) {
	t.Parallel()
	s := newPageSite(t, nil)
	b := s.browser()
	placed := b.order(t, nil)
	path, token, _ := strings.Cut(placed.location, "?k=")
	token, _, _ = strings.Cut(token, "&")
	uid := strings.TrimPrefix(path, "/orders/")
	for query, want := range map[string]string{
		"":                    shopHost + path,
		"?k=" + token:         shopHost + path + "?k=" + token,
		"?lang=bn&k=" + token: shopHost + "/bn" + path + "?k=" + token,
		"?lang=xx":            shopHost + path,
	} {
		got := b.get(t, "http://api.example/t/test/"+uid+query)
		if got.status != http.StatusFound || got.location != want {
			t.Errorf("%q: got %d to %s, want %s", query, got.status, got.location, want)
		}
	}
	var bangla order.Placed
	s.send("POST", "/api/v1/orders?lang=bn", `{"items":[{"productId":"`+s.tea.ID+`","quantity":1}],
		"customer":{"name":"Rahima","phoneNumber":"01711000005"},"shippingAddress":{"line1":"House 1","city":"Dhaka"}}`).ok(http.StatusCreated, &bangla)
	if got := b.get(t, "http://api.example/t/test/"+bangla.InvoiceUID); got.location != shopHost+"/bn/orders/"+bangla.InvoiceUID {
		t.Errorf("of an order in Bangla: got %s", got.location)
	}
	s.set(t, "site", `{"enabled":false}`)
	b.get(t, "http://api.example/t/test/"+uid).has(http.StatusOK, "Awaiting confirmation")
	b.get(t, shopHost+path).has(http.StatusNotFound)
}

// A host of no shop shows the only shop of the server, without a redirect to a domain of others.
func TestSite_OnlyShop(t *testing.T) {
	t.Parallel()
	const host = "http://192.0.2.1:8080"
	several := newPageSite(t, nil)
	several.browser().get(t, host+"/").has(http.StatusNotFound)
	s := newPageSite(t, func(cfg *server.Config) {
		cfg.Tenants.(*tenantsOf).only = "test"
		cfg.SiteURL, cfg.PublicURL = "", "https://shop-server.example"
	})
	b := s.browser()
	moved := b.get(t, host+"/products/tea?variant=1")
	if moved.status != http.StatusMovedPermanently || moved.location != "https://shop.example/products/tea?variant=1" {
		t.Errorf("with a domain: got %d to %q", moved.status, moved.location)
	}
	s.set(t, "domains", "[]")
	b.get(t, host+"/products/tea").has(http.StatusOK, `rel="canonical" href="https://shop-server.example/products/tea"`)
	b.get(t, host+"/nothing").has(http.StatusNotFound, `"code":"not_found"`)
	b.header.Set("Accept", "text/html")
	b.get(t, host+"/nothing").has(http.StatusNotFound, "This page has moved")
	b.get(t, host+"/api/v1/nothing").lacks("This page has moved")
}

// A code that has expired is refused with the buyer's input, and another one signs her in.
func TestSite_CodeExpires(t *testing.T) {
	t.Parallel()
	s := newPageSite(t, nil)
	b := s.browser()
	form := url.Values{"phone": {"01711-000000"}}
	b.post(t, shopHost+"/account", form).has(http.StatusOK, `name="code"`)
	form.Set("code", s.sms.Code(t, buyerPhone))
	form.Set("name", "Rahima Khatun")
	s.clock.Advance(11 * time.Minute)
	b.post(t, shopHost+"/account", form).has(http.StatusUnprocessableEntity, "wrong or has expired", `value="Rahima Khatun"`, "01711-000000")
	form.Set("again", "1")
	b.post(t, shopHost+"/account", form)
	form.Del("again")
	form.Set("code", s.sms.Code(t, buyerPhone))
	b.post(t, shopHost+"/account", form).has(http.StatusOK, "Hello, Rahima Khatun")
}
