package e2e

import (
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"path"
	"regexp"
	"strings"
	"testing"

	"storefront/provider/simulator"
)

// buyersBrowser is a browser without scripts at the front of a server. It follows redirects of that
// server alone.
type buyersBrowser struct {
	t      *testing.T
	d      *paymentRun
	client http.Client
	Gone   string // the address of another server to which it was sent
}

func newBuyersBrowser(t *testing.T, d *paymentRun) *buyersBrowser {
	t.Helper()
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	b := &buyersBrowser{t: t, d: d}
	b.client = http.Client{Jar: jar, CheckRedirect: func(r *http.Request, _ []*http.Request) error {
		if !strings.HasPrefix(r.URL.String(), d.front.url) {
			b.Gone = r.URL.String()
			return http.ErrUseLastResponse
		}
		return nil
	}}
	return b
}

func (b *buyersBrowser) send(method, address string, form url.Values) (*http.Response, string) {
	b.t.Helper()
	if strings.HasPrefix(address, "/") {
		address = b.d.front.url + address
	}
	r, err := http.NewRequestWithContext(b.t.Context(), method, address, strings.NewReader(form.Encode()))
	if err != nil {
		b.t.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	r.Header.Set("Accept-Language", "de, bn-BD;q=0.8, en;q=0.5")
	res, err := b.client.Do(r)
	if err != nil {
		b.t.Fatal(err)
	}
	defer res.Body.Close()
	body, err := io.ReadAll(res.Body)
	if err != nil {
		b.t.Fatal(err)
	}
	return res, string(body)
}

var payForm = regexp.MustCompile(`action="([^"]+)"><input type="hidden" name="k" value="([^"]+)"`)

// A headless shop has a page of an order, too. A buyer opens the link of an order from a message,
// pays by it at a gateway and comes back to the same page. Without the token, the address shows
// nothing of the buyer and pays nothing.
func TestOrderPage_PaymentLink(t *testing.T) {
	t.Parallel()
	data := newShop(t, "acme", unitsInStock)
	run(t, "plugin", "configure", "acme", "gateway_a", "store_id=acme", "store_password=hush", "--data", data)
	run(t, "plugin", "configure", "acme", "gateway_b", "username=acme", "password=hush", "app_key=hush", "app_secret=hush", "--data", data)
	run(t, "tenant", "set", "acme", "storefrontUrl=https://shop.example/", "--data", data) // the page comes before it
	run(t, "tenant", "set", "acme", `site={"enabled":false}`, "--data", data)
	for _, gateway := range []string{"gateway_a", "gateway_b"} {
		t.Run(gateway, func(t *testing.T) {
			t.Parallel()
			d := newPaymentRun(t, data, paymentScenario{gateway: gateway}, -1)
			body := orderOf(d.product, 1)
			body["paymentMethod"] = gateway
			order := d.front.must(request{method: "POST", path: "/api/v1/orders", tenant: "acme", body: body})
			uid, token := order.text("invoiceUid"), order.text("orderToken")
			address := "/t/acme/" + uid
			name, phone := order.text("customer", "name"), order.text("customer", "phoneNumber")

			stranger := newBuyersBrowser(t, d)
			res, html := stranger.send("GET", address, nil)
			if res.StatusCode != 200 || strings.Contains(html, name) || strings.Contains(html, phone) || payForm.MatchString(html) {
				t.Errorf("without the token: got %d and\n%s\nwant a masked page without a button", res.StatusCode, html)
			}
			for header, want := range map[string]string{
				"Cache-Control": "no-store", "Referrer-Policy": "no-referrer", "X-Robots-Tag": "noindex", "Content-Type": "text/html; charset=utf-8",
			} {
				if got := res.Header.Get(header); got != want {
					t.Errorf("%s: got %q, want %q", header, got, want)
				}
			}
			for _, wrong := range []string{"", "x", token + "x"} {
				if res, html := stranger.send("POST", address+"/pay", url.Values{"k": {wrong}}); res.StatusCode != 404 || stranger.Gone != "" {
					t.Errorf("paying with the token %q: got %d and\n%s\nwant 404", wrong, res.StatusCode, html)
				}
			}

			buyer := newBuyersBrowser(t, d)
			_, html = buyer.send("GET", address+"?k="+token, nil)
			form := payForm.FindStringSubmatch(html)
			if form == nil || form[2] != token || !strings.Contains(html, name) || !strings.Contains(html, "পেমেন্টের অপেক্ষায়") {
				t.Fatalf("with the token: got\n%s\nwant the whole order in Bangla, with a button", html)
			}
			if _, html := buyer.send("GET", address+"?lang=en", nil); !strings.Contains(html, "Awaiting payment") || !strings.Contains(html, name) {
				t.Errorf("in English, by the cookie: got\n%s", html)
			}
			first, err := d.sim.Finish(t.Context(), path.Base(order.text("payment", "redirectUrl")), simulator.Cancels)
			if err != nil {
				t.Fatal(err)
			}
			if buyer.send(first.Method, first.URL, first.Form); !strings.HasPrefix(buyer.Gone, "https://shop.example/") {
				t.Errorf("a payment that began in the storefront returns to %q, want the storefront", buyer.Gone)
			}
			buyer.send("POST", strings.ReplaceAll(form[1], "&amp;", "&"), url.Values{"k": {token}})
			if !strings.HasPrefix(buyer.Gone, d.host.URL) || strings.Contains(buyer.Gone, token) {
				t.Fatalf("paying: sent to %q, want the gateway, which must not learn the token", buyer.Gone)
			}
			page := path.Base(buyer.Gone)

			back, err := d.sim.Finish(t.Context(), page, simulator.Cancels)
			if err != nil {
				t.Fatal(err)
			}
			res, html = buyer.send(back.Method, back.URL, back.Form)
			if res.Request.URL.Path != address || !strings.Contains(html, `class="notice bad"`) {
				t.Errorf("cancelled: got %s and\n%s\nwant the page with a notice", res.Request.URL, html)
			}
			_, html = buyer.send("GET", address+"?k="+token, nil)
			if form = payForm.FindStringSubmatch(html); form == nil {
				t.Fatalf("after a cancelled payment: got\n%s\nwant a button", html)
			}
			buyer.send("POST", strings.ReplaceAll(form[1], "&amp;", "&"), url.Values{"k": {token}})
			if back, err = d.sim.Finish(t.Context(), path.Base(buyer.Gone), simulator.Pays); err != nil {
				t.Fatal(err)
			}
			res, html = buyer.send(back.Method, back.URL, back.Form)
			if res.Request.URL.Path != address || !strings.Contains(html, `class="notice good"`) || payForm.MatchString(html) {
				t.Errorf("paid: got %s and\n%s\nwant the page of a paid order", res.Request.URL, html)
			}
			if res, _ := buyer.send("POST", address+"/pay", url.Values{"k": {token}}); res.Request.URL.Path != address {
				t.Errorf("paying twice: got %s, want the page", res.Request.URL)
			}
			if strings.Contains(d.server.logged(), token) {
				t.Error("the log has the order token")
			}
			d.server.kill()
			d.checkInvariants()
		})
	}
}
