package e2e

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"

	"storefront/e2e/browsertest"
	"storefront/provider/simulator"
)

// moodyCourier refuses the shipments of two buyers, and does not answer to that of a third.
type moodyCourier struct {
	courier http.Handler
	mu      sync.Mutex
	booked  map[string]int // by phone number
}

func (c *moodyCourier) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		panic(http.ErrAbortHandler)
	}
	r.Body = io.NopCloser(bytes.NewReader(body))
	var sent struct {
		Phone string `json:"recipient_phone"`
	}
	if r.Method == http.MethodPost && json.Unmarshal(body, &sent) == nil && sent.Phone != "" {
		c.mu.Lock()
		c.booked[sent.Phone]++
		c.mu.Unlock()
		switch sent.Phone[len(sent.Phone)-2:] {
		case "05", "06":
			w.Header().Set("Content-Type", "application/json")
			w.WriteHeader(http.StatusUnprocessableEntity)
			fmt.Fprint(w, `{"type":"error","code":422,"message":"Please fix the given errors","errors":{"recipient_phone":["This recipient is blocked."]}}`)
			return
		case "07":
			panic(http.ErrAbortHandler)
		}
	}
	c.courier.ServeHTTP(w, r)
}

// A morning of forty orders, on a phone and on a desk, in both languages and themes: they arrive
// while the list is open, their buyers are called one after the other, and those that are confirmed
// are booked at once. The courier refuses two and does not answer to one; the others' labels are
// printed, and one shipment comes back.
func TestDashboard_Morning(t *testing.T) {
	onlyWithAll(t)
	t.Parallel()
	for _, at := range some([]struct {
		width           int
		language, theme string
	}{{360, "bn", "dark"}, {360, "en", "light"}, {1280, "bn", "dark"}, {1280, "en", "light"}}, 0, 3) {
		t.Run(fmt.Sprint(at.width, " ", at.language, " ", at.theme), func(t *testing.T) { testFortyOrders(t, at.width, at.language, at.theme) })
	}
}

func testFortyOrders(t *testing.T, width int, language, theme string) {
	// say chooses what the page says in its language.
	say := func(bangla, english string) string {
		if language == "bn" {
			return bangla
		}
		return english
	}
	const orders = 40
	courier := &moodyCourier{courier: simulator.New().Handler(), booked: map[string]int{}}
	host := httptest.NewServer(courier)
	t.Cleanup(host.Close)
	data := demoData(t)
	p := serve(t, "--dev", "--rate", "0", "--data", data, "--provider-url",
		"courier_a:sandbox="+host.URL+"/courier_a,courier_a:live="+host.URL+"/courier_a")
	m := openDashboard(t, p, width)
	m.use(language, theme)
	m.shots += "morning-" // the pictures of the other walks stay
	run(t, "stock", "set", "demo", mangoPickle(t, p), "100", "--data", data)
	// Those of the days before are cancelled, so that nothing waits.
	m.Eval(`fetch("/admin/v1/shops/demo/bulk/orders", {method: "POST", headers: {"Content-Type": "application/json"},
		body: JSON.stringify({action: "cancel", filter: {view: "toConfirm"}})}).then((response) => response.ok)`, nil)
	m.show("orders?view=toConfirm", ".empty")

	ids := placeOrders(t, p, orders)
	m.waitOrders(ids[orders-1:])
	m.check("arrived")

	m.show("call", ".outcomes")
	for called := range orders {
		m.waitText(".call .callee", fmt.Sprintf("Buyer %c", 'A'+called))                                           // the oldest first
		m.Eval(`new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done(true))))`, nil) // the keys follow the picture
		switch called {
		case 2:
			// A key that is held down, or repeats while the next order appears, records nothing.
			m.Eval(`(dispatchEvent(new KeyboardEvent("keydown", {key: "2", repeat: true})), true)`, nil)
			m.Press("1")
		case 3:
			m.Press("2") // nobody answers
		case 4:
			m.Press("5") // refused
			m.WaitVisible("#refuse")
			m.check("refuse")
			m.Click("#refuse .bad")
		default:
			m.Press("1")
		}
	}
	m.waitText("h2", say("সবাইকে কল করা হয়েছে", "All called"))
	m.waitText(".empty", say("৩৮টি নিশ্চিত, ১টি ধরেননি, ১টি নেবেন না", "38 confirmed, 1 no answer, 1 refused"))
	m.check("called")

	m.Click(".empty .primary") // book those that are confirmed
	m.waitText("h1", say("৩৮টি পার্সেল বুক করুন", "Book 38 shipments"))
	m.WaitVisible("#book:not(:disabled)") // once it is known what the courier would refuse
	m.Click("#book")
	m.waitJob(say("৩৫টি হয়েছে", "35 done"))
	m.waitText("#job", say("৩টি হয়নি", "3 failed"))
	m.waitText("#job", "The shipment was not booked: Please fix the given errors recipient_phone: This recipient is blocked.")
	// Each reason stands once, with the orders and their buyers.
	var reasons []string
	m.Eval(`[...document.querySelectorAll("#job .refusals section")].map((one) => one.querySelectorAll(".error").length + " " +
		[...one.querySelectorAll("li .cut > span")].map((name) => name.innerText).join())`, &reasons)
	if want := []string{"1 Buyer F,Buyer G", "1 Buyer H"}; !slices.Equal(reasons, want) {
		t.Errorf("got the reasons with %q, want %q", reasons, want)
	}
	m.check("booked")
	var booked []string
	for i, id := range ids {
		order := showOrder(t, data, id)
		shipped := len(order.Shipments) == 1 && order.Status == "processing"
		if want := i != 3 && i != 4 && !slices.Contains([]int{5, 6, 7}, i); shipped != want {
			t.Errorf("order %d: got %s with %d shipments, want shipped: %v", i, order.Status, len(order.Shipments), want)
		}
		if shipped {
			booked = append(booked, id)
		}
	}
	m.Click("#print-labels")
	testLabels(t, m, p, booked)

	m.show("returns", "#shipment")
	m.Fill("#shipment", fmt.Sprint(p.must(request{method: "GET", path: "/api/v1/orders/" + ids[0], tenant: "demo"}).at("orderNumber")))
	m.Press(browsertest.Enter)
	m.WaitVisible("#shipment-order .button.primary")
	m.Click("#shipment-order .button.primary")
	m.waitText("main", say("আজ লেখা হয়েছে", "Recorded today"))
	if order := showOrder(t, data, ids[0]); order.Status != "returned" {
		t.Errorf("got %+v, want a returned order", order)
	}
	courier.mu.Lock()
	defer courier.mu.Unlock()
	for phone, n := range courier.booked {
		if n != 1 && !strings.HasSuffix(phone, "07") {
			t.Errorf("%s: got %d bookings, want one", phone, n)
		}
	}
}
