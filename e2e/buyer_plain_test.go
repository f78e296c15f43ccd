package e2e

import (
	"net/url"
	"testing"

	"storefront/e2e/browsertest"
)

// Over plain HTTP at a host name that browsers do not trust, they do not state which site sent a
// form. A buyer orders there too, with and without scripts.
func TestBuyer_PlainHTTP(t *testing.T) {
	onlyWithAll(t)
	t.Parallel()
	p := serve(t, "--dev", "--data", demoData(t))
	at, err := url.Parse(p.url)
	if err != nil {
		t.Fatal(err)
	}
	site := "http://" + browsertest.TLSHost + ":" + at.Port()
	for _, scripts := range []bool{true, false} {
		page := openWindow(t, p, 360)
		page.AllowProblem("Cross-Origin-Opener-Policy header has been ignored")
		page.AllowProblem("status of 422") // the total is shown first
		if !scripts {
			page.BlockScripts()
		}
		page.Go(site + "/products/sylhet-black-tea")
		page.Click("[data-buy]")
		page.Wait(`location.pathname === "/checkout"`)
		fillCheckout(page)
		if scripts {
			page.Press("\t")
		} else {
			page.Click("[data-place]")
		}
		waitTotal(page)
		page.Click("[data-place]")
		page.Wait(`location.pathname.startsWith("/orders/")`)
	}
}
