package e2e

import (
	"encoding/json"
	"fmt"
	"html"
	"io"
	"net/http"
	"regexp"
	"sync"
	"testing"
	"time"

	"storefront/e2e/browsertest"
)

const narrow = 360 // pixels: a small phone

// window is a browser's window on the pages of a demo shop.
type window struct {
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

// openWindow opens an empty page in a window of that width.
func openWindow(t *testing.T, p *process, width int) *window {
	t.Helper()
	beginBrowsing(t)
	s := &window{Page: browsertest.Open(t), t: t, p: p, shots: fmt.Sprintf("page-%d-", width)}
	s.Resize(width, 900)
	return s
}

// waitText waits until what the selector names has this text in it.
func (s *window) waitText(selector, text string) {
	s.t.Helper()
	s.Wait(fmt.Sprintf(`document.querySelector(%q)?.innerText.includes(%q)`, selector, text))
}

var messagesAddress = regexp.MustCompile(`SMS preview +(http://[^ ]+)`)

// messages returns the text of the page of messages.
func (s *window) messages() string {
	s.t.Helper()
	found := messagesAddress.FindStringSubmatch(s.p.logged())
	if found == nil {
		s.t.Fatalf("the page of messages is not printed:\n%s", s.p.logged())
	}
	res, err := http.Get(found[1])
	if err != nil {
		s.t.Fatal(err)
	}
	defer res.Body.Close()
	body, err := io.ReadAll(res.Body)
	if err != nil {
		s.t.Fatal(err)
	}
	return html.UnescapeString(string(body))
}

// waitCode returns the group of a pattern in the page of messages. A message may be sent after the
// response.
func (s *window) waitCode(pattern string) string {
	s.t.Helper()
	for range 100 {
		if code := regexp.MustCompile(pattern).FindStringSubmatch(s.messages()); code != nil {
			return code[1]
		}
		time.Sleep(50 * time.Millisecond)
	}
	s.t.Fatalf("no code on the page of messages:\n%s", s.messages())
	return ""
}

// mangoPickle returns the ID of the only variant of the mango pickle.
func mangoPickle(t *testing.T, p *process) string {
	t.Helper()
	a := p.must(request{method: "GET", path: "/api/v1/products/handle/mango-pickle", tenant: "demo"})
	id := a.text("variants", 0, "_id")
	if id == "" {
		t.Fatalf("no variant: %s", a.body)
	}
	return id
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
