package e2e

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"storefront/db/dbtest"
)

// A buyer accepts or declines advertising. Until then, and after declining, the page loads nothing
// else; after consent it loads the tag of the shop alone, and an order is reported to the simulated
// advertiser. A withdrawal ends it.
func TestBuyer_Consent(t *testing.T) {
	onlyWithAll(t)
	t.Parallel()
	data := demoData(t)
	run(t, "tenant", "set", "demo", `advertising={"meta":{"pixelId":"1000000001","tag":true}}`, "--data", data)
	p := serve(t, "--dev", "--data", data)
	for _, width := range []int{360, 1280} {
		page := openWindow(t, p, width)
		page.Resize(width, 780)
		page.AllowProblem("connect.facebook.net") // which this machine does not reach
		site := demoSite(t, p)
		const outside = `[...document.scripts].filter((s) => s.src && new URL(s.src).host !== location.host).map((s) => s.src).join()`
		script := func() (src string) {
			page.Eval(outside, &src)
			return src
		}
		page.Go(site + "/products/rajshahi-silk-saree")
		page.WaitVisible("[data-consent]")
		page.Wait(`document.querySelector("[data-accept]").offsetWidth > 100 && document.querySelector("[data-accept]").className ===
			document.querySelector("[data-decline]").className`)
		checkVisited(page, "consent")
		if got := script(); got != "" {
			t.Errorf("before the answer: got %s loaded", got)
		}
		page.Click("[data-decline]")
		page.Go(site + "/bn/products/rajshahi-silk-saree")
		page.Wait(`document.querySelector("[data-consent]").hidden && !document.querySelector("[data-choices]").hidden`)
		if got := script(); got != "" {
			t.Errorf("after the refusal: got %s loaded", got)
		}
		page.Click("[data-choices]")
		page.WaitVisible("[data-consent]")
		checkVisited(page, "consent-bn")
		page.Click("[data-accept]")
		page.Wait(`window.fbq && ` + outside + ` === "https://connect.facebook.net/en_US/fbevents.js"`)
		page.Wait(`fbq.queue.some(([call, name, , id]) => call === "track" && name === "ViewContent" && !id.eventID)`)
		page.Go(site + "/")
		page.Wait(`window.fbq`)
		page.Click("[data-choices]")
		page.Click("[data-decline]")
		page.Wait(`!window.fbq && document.cookie.includes("consent=0~")`)
	}
	id, _ := p.product("demo", "mango-pickle")
	order := orderOf(id, 1)
	order["attribution"] = map[string]any{"consent": map[string]any{"at": time.Now().Format(time.RFC3339), "page": "https://shop.example/checkout"}}
	if placed := p.must(request{method: "POST", path: "/api/v1/orders", tenant: "demo", body: order}); placed.status != http.StatusCreated {
		t.Fatalf("got %+v, want an order", placed)
	}
	began, listed := time.Now(), ""
	dbtest.Eventually(t, "the event is sent", func() bool {
		listed = run(t, "api", "demo", "listConversions", "--data", data)
		return strings.Contains(listed, "sent") || time.Since(began) > 20*time.Second
	})
	if !strings.Contains(listed, "sent") {
		t.Errorf("got the log %s, want the event sent", listed)
	}
}
