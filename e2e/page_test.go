package e2e

import (
	"encoding/json"
	"fmt"
	"os"
	"regexp"
	"strings"
	"sync"
	"testing"

	"storefront/e2e/browsertest"
)

// buyer is a person at the storefront page of a demo shop.
type buyer struct {
	*browsertest.Page
	t     *testing.T
	p     *process
	shots string // begins the names of pictures
}

// browsing bounds how many tests have browsers open at once: more only wait for each other. A test
// with one may open more: if each waited for another one's end, none would end.
var (
	browsing    = make(chan struct{}, 2)
	withBrowser sync.Map // tests with browsers
)

// beginBrowsing waits for the test's turn to open browsers, unless it has begun.
func beginBrowsing(t *testing.T) {
	t.Helper()
	if _, has := withBrowser.LoadOrStore(t, true); has {
		return
	}
	browsing <- struct{}{}
	t.Cleanup(func() {
		withBrowser.Delete(t)
		<-browsing
	})
}

// newBuyer opens the page in a window of that width.
func newBuyer(t *testing.T, p *process, width int) *buyer {
	t.Helper()
	beginBrowsing(t)
	s := &buyer{Page: browsertest.Open(t), t: t, p: p, shots: fmt.Sprintf("page-%d-", width)}
	s.Resize(width, 900)
	return s
}

// visit opens one of the page's addresses.
func (s *buyer) visit(query string) {
	s.t.Helper()
	s.Go(s.p.url + "/" + query)
	s.waitLoaded()
}

// waitLoaded waits until the view has come.
func (s *buyer) waitLoaded() {
	s.t.Helper()
	s.Wait(`document.querySelector("#main:not([aria-busy]) h1")`)
}

// waitHeading waits for the view with this heading.
func (s *buyer) waitHeading(text string) {
	s.t.Helper()
	s.Wait(fmt.Sprintf(`document.querySelector("#main:not([aria-busy]) h1")?.textContent.includes(%q)`, text))
}

// fullScreenshot makes a picture.
func (s *buyer) fullScreenshot(name string) {
	s.t.Helper()
	s.waitAnimations()
	if os.Getenv(browsertest.Screenshots) == "" {
		return
	}
	s.Wait(`[...document.images].every(i => { i.loading = "eager"; return i.complete })`)
	s.FullScreenshot(s.shots + name)
}

// waitAnimations waits until nothing moves any more.
func (s *buyer) waitAnimations() {
	s.t.Helper()
	s.Wait(`document.getAnimations().every(a => a.playState === "finished")`)
}

// screenshot makes a picture of what the window shows, such as a dialog.
func (s *buyer) screenshot(name string) {
	s.t.Helper()
	s.waitAnimations()
	s.Screenshot(s.shots + name)
}

// openFromSearch searches and opens the first product found.
func (s *buyer) openFromSearch(words, handle string) {
	s.t.Helper()
	var narrow bool
	if s.Eval(`document.querySelector("#open-search").checkVisibility()`, &narrow); narrow {
		s.Click("#open-search")
	}
	s.Fill("#search", words)
	s.Press(browsertest.Enter)
	s.waitHeading(words)
	s.Click(`.card-title a[href="/?product=` + handle + `"]`)
	s.WaitVisible("#add")
}

// wantText fails the test unless what the selector names has all these texts in it.
func (s *buyer) wantText(selector string, texts ...string) {
	s.t.Helper()
	got := s.Text(selector)
	for _, text := range texts {
		if !strings.Contains(got, text) {
			s.t.Errorf("%s does not say %q:\n%s", selector, text, got)
		}
	}
}

// waitText waits until what the selector names has this text in it.
func (s *buyer) waitText(selector, text string) {
	s.t.Helper()
	s.Wait(fmt.Sprintf(`document.querySelector(%q)?.innerText.includes(%q)`, selector, text))
}

// addAndCheckout puts what is shown into the basket and goes to the checkout.
func (s *buyer) addAndCheckout() {
	s.t.Helper()
	s.Click("#add")
	s.WaitVisible("dialog .figures")
	s.Click("#to-checkout")
	s.WaitVisible("#place")
}

func (s *buyer) fillAddress() {
	s.t.Helper()
	s.Fill("[name='customer.name']", "Rahima Khatun")
	s.Fill("[name='customer.phoneNumber']", "01711-000000")
	s.Fill("[name='shippingAddress.line1']", "House 12, Road 5")
	s.Fill("[name='shippingAddress.city']", "Dhaka")
	s.Press(browsertest.Tab)                                                    // a field that was left is quoted
	s.Wait(`document.querySelectorAll("[name=deliveryChargeId]").length === 1`) // the one for Dhaka: the quote has come
}

// placeUnpaid orders a jar of pickle and stops at the gateway.
func (s *buyer) placeUnpaid() {
	s.t.Helper()
	s.visit("?product=mango-pickle")
	s.addAndCheckout()
	s.fillAddress()
	s.waitText("#place", "৳310")
	s.Click("#paymentMethod-gateway_a")
	s.Click("#place")
	s.waitText("h1", "310.00")
}

// loseOrderResponses lets orders of this page be placed without a response.
func (s *buyer) loseOrderResponses() {
	s.t.Helper()
	s.Eval(`(() => {
		const real = fetch
		window.fetch = async (url, init) => {
			const response = await real(url, init)
			if (init.method === "POST" && url.endsWith("/orders")) throw new TypeError("the answer is lost")
			return response
		}
		return true
	})()`, nil)
}

// waitOrder waits for the view of an order and returns its invoice UID.
func (s *buyer) waitOrder() string {
	s.t.Helper()
	s.Wait(`new URLSearchParams(location.search).has("order") && document.querySelector("#main:not([aria-busy]) .order")`)
	var id string
	s.Eval(`new URLSearchParams(location.search).get("order")`, &id)
	return id
}

var messagesAddress = regexp.MustCompile(`SMS preview +(http://[^ ]+)`)

// lastCode returns the code of the latest text message.
func (s *buyer) lastCode() string {
	s.t.Helper()
	messages := s.messages()
	code := regexp.MustCompile(`([0-9]{4}) is your`).FindStringSubmatch(messages)
	if code == nil {
		s.t.Fatalf("no code on the page of messages:\n%s", messages)
	}
	return code[1]
}

// countOrders returns the number of orders of the demo shop, without the seeded ones.
func countOrders(t *testing.T, data string) int {
	t.Helper()
	var list struct{ Nodes []struct{ OrderNumber int } }
	if err := json.Unmarshal([]byte(run(t, "order", "list", "demo", "--json", "--data", data)), &list); err != nil {
		t.Fatal(err)
	}
	placed := 0
	for _, order := range list.Nodes {
		if order.OrderNumber > 1000 {
			placed++
		}
	}
	return placed
}
