package simulator_test

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"
	"unicode/utf8"

	"storefront/shop/access"
	"storefront/shop/account"
	"storefront/shop/fault"
	"storefront/shop/order"
	"storefront/shop/plugin"
	"storefront/shop/shoptest"
)

// Couriers sort shipments by the place: a long address loses a part of the way, never its area,
// city or postcode. Other long texts end after a word, with a sign that they are shortened.
func TestBook_LongTexts(t *testing.T) {
	t.Parallel()
	s := newCourierSite(t)
	sent := s.recordOrders()
	way := "বাড়ি নম্বর ১২/ক, রোড নম্বর ৫, ব্লক সি, মসজিদের পেছনে নীল গেট, বড় আম গাছের পাশের গলি, "
	limits := map[plugin.Provider]int{plugin.CourierA: 220, plugin.CourierB: 250}
	for name, test := range map[string]struct {
		address account.Address
		end     string
		cut     bool
	}{
		"short": {account.Address{Line1: way, Area: new("সদর"), City: "Bogura", Postcode: new("5800")}, ", সদর, Bogura, 5800", false},
		"long way": {account.Address{
			Line1: strings.TrimSpace(way + way), Line2: new("পুরাতন বাজার রোডের শেষ মাথায় ঔষধের দোকানের সামনে এসে কল দিবেন"),
			Area: new("সদর"), City: "Bogura", Postcode: new("5800"),
		}, "…, সদর, Bogura, 5800", true},
		"long place": {account.Address{
			Line1: way + way, Area: new(strings.Repeat("উপজেলা ", 10) + "সদর"), City: "Cox's Bazar",
		}, "সদর, Cox's Bazar", true},
	} {
		for courier, limit := range limits {
			in := shoptest.GuestOrder(s.mug.ID, 2)
			in.ShippingAddress = &test.address
			bought, err := s.Orders.PlaceOrder(t.Context(), access.Caller{}, in, "")
			if err != nil {
				t.Fatal(name, err)
			}
			booking := order.BookingInput{Provider: courier, Note: strings.Repeat("call before ", 40)}
			if _, err := s.Orders.BookShipment(t.Context(), access.Operator(), bought.InvoiceUID, booking); err != nil {
				t.Fatal(name, courier, err)
			}
			body := sent()
			address, _ := body["recipient_address"].(string)
			if n := utf8.RuneCountInString(address); n > limit || !strings.HasSuffix(address, test.end) || strings.Contains(address, "…") != test.cut {
				t.Errorf("%s, %s: got the address %q of %d characters, want the end %q within %d", name, courier, address, n, test.end, limit)
			}
			if cut, _, found := strings.Cut(address, "…"); found && !strings.HasPrefix(way+way, cut) && !strings.HasPrefix(cut, strings.TrimSpace(way+way)) {
				t.Errorf("%s, %s: got %q, want the beginning of the way", name, courier, cut)
			}
			if note, ok := body["special_instruction"].(string); ok && (!strings.HasSuffix(note, "before…") && !strings.HasSuffix(note, "call…")) {
				t.Errorf("%s: got the note %q, want it to end after a word", name, note)
			}
		}
	}
}

// An area, a city and a postcode that are too long for a courier by themselves are refused with the
// reason.
func TestBook_LongPlace(t *testing.T) {
	t.Parallel()
	s := newCourierSite(t)
	for courier, refused := range map[plugin.Provider]bool{plugin.CourierA: true, plugin.CourierB: false} { // 220, 250 characters
		in := shoptest.GuestOrder(s.mug.ID, 1)
		in.ShippingAddress = &account.Address{
			Line1: "House 1, Road 2", Area: new(strings.Repeat("সদর ", 25)), City: strings.Repeat("Bogura ", 14), Postcode: new(strings.Repeat("5", 20)),
		}
		bought, err := s.Orders.PlaceOrder(t.Context(), access.Caller{}, in, "")
		if err != nil {
			t.Fatal(err)
		}
		_, err = s.Orders.BookShipment(t.Context(), access.Operator(), bought.InvoiceUID, order.BookingInput{Provider: courier})
		if refused != (fault.HasCode(err, fault.CodeStateConflict) && strings.Contains(err.Error(), "postcode are too long")) || !refused && err != nil {
			t.Errorf("%s: got %v, want a refusal: %t", courier, err, refused)
		}
	}
}

// A name without letters is refused: a courier strips such signs and would receive an empty name.
func TestBook_NameWithoutLetters(t *testing.T) {
	t.Parallel()
	s := newCourierSite(t)
	for _, name := range []string{"<;>", "<; {}>", "- - -", "★★★"} {
		in := shoptest.GuestOrder(s.mug.ID, 1)
		in.Customer.Name = &name
		bought, err := s.Orders.PlaceOrder(t.Context(), access.Caller{}, in, "")
		if err != nil {
			t.Fatal(err)
		}
		for _, courier := range []plugin.Provider{plugin.CourierA, plugin.CourierB} {
			_, err = s.Orders.BookShipment(t.Context(), access.Operator(), bought.InvoiceUID, order.BookingInput{Provider: courier})
			if !fault.HasCode(err, fault.CodeStateConflict) || !strings.Contains(err.Error(), "name must have letters") {
				t.Errorf("%s to %s: got %v, want a refusal of the name", name, courier, err)
			}
		}
	}
}

// recordOrders returns a function that returns the last body that a courier received to book a
// shipment.
func (s *courierSite) recordOrders() func() map[string]any {
	var mu sync.Mutex
	var last map[string]any
	next := s.host.Config.Handler
	s.host.Config.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		r.Body = io.NopCloser(bytes.NewReader(body))
		var order map[string]any
		if json.Unmarshal(body, &order) == nil && order["recipient_address"] != nil {
			mu.Lock()
			last = order
			mu.Unlock()
		}
		next.ServeHTTP(w, r)
	})
	return func() map[string]any {
		mu.Lock()
		defer mu.Unlock()
		return last
	}
}
