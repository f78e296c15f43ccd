package order_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"path"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"storefront/shop/access"
	"storefront/shop/fault"
	"storefront/shop/order"
	"storefront/shop/shoptest"
	"storefront/shop/status"
)

// recordShop is a shop with a courier that reports what it knows of phone numbers: numbers that end
// with 9 accepted 40 % of many shipments, others 95 %.
type recordShop struct {
	*courierShop
	requests atomic.Int64 // requests about phone numbers
	down     atomic.Bool
	before   func() // the response of a request; may be nil
}

func newRecordShop(t *testing.T) *recordShop {
	t.Helper()
	s := &recordShop{}
	courier := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.requests.Add(1)
		if s.before != nil {
			s.before()
		}
		if s.down.Load() {
			w.WriteHeader(http.StatusBadGateway)
			return
		}
		percent := 95
		if number := path.Base(r.URL.Path); number[len(number)-1] == '9' {
			percent = 40
		}
		_, _ = fmt.Fprintf(w, `{"delivery_ratio":%d,"cancellation_ratio":0,"return_ratio":0,"volume_band":"high","volume_range":"25+"}`, percent)
	}))
	t.Cleanup(courier.Close)
	s.courierShop = newCourierShop(t, courier.URL)
	return s
}

// agree lets the shop look buyers up, and require an advance of buyers who accepted at most half.
func (s *recordShop) agree(t *testing.T) {
	t.Helper()
	s.setAdvance(t, []any{map[string]any{"share": "delivery", "maxDelivered": 50}})
	if err := s.SetSettings(t.Context(), access.Operator(), shoptest.Raw(t, map[string]any{"courierRecords": true})); err != nil {
		t.Fatal(err)
	}
}

func (s *recordShop) placeBy(t *testing.T, phone string, change func(*order.Input)) *order.Placed {
	t.Helper()
	in := shoptest.GuestOrder(s.mug.ID, 1)
	in.Customer.PhoneNumber = &phone
	if change != nil {
		change(&in)
	}
	placed, err := s.Orders.PlaceOrder(t.Context(), access.Caller{}, in, "")
	if err != nil {
		t.Fatal(err)
	}
	return placed
}

func (s *recordShop) wantRequests(t *testing.T, what string, want int64) {
	t.Helper()
	if _, err := s.Orders.LookUpBuyers(t.Context()); err != nil {
		t.Fatal(err)
	}
	if got := s.requests.Load(); got != want {
		t.Errorf("%s: got %d requests to the courier, want %d", what, got, want)
	}
}

// The phone number of a cash order is looked up, once a day each, only if the merchant
// has agreed to it.
func TestLookUpBuyers(t *testing.T) {
	t.Parallel()
	s := newRecordShop(t)
	s.placeBy(t, "01711000001", nil)
	s.wantRequests(t, "switched off", 0)
	s.agree(t)
	before := s.requests.Load()
	second := s.placeBy(t, "01711000002", nil)
	s.wantRequests(t, "cash orders", before+2) // the one above is of this day
	s.placeBy(t, "01711000002", nil)
	s.wantRequests(t, "the same number", before+2)
	if got := s.findAsStaff(t, second.ID).CourierRecord; got == nil || got.Delivered == nil || *got.Delivered != 95 || *got.Shipments != "25+" {
		t.Errorf("got the record %+v, want 95 %% of 25+", got)
	}
	s.clock.Advance(25 * time.Hour)
	s.placeBy(t, "01711000002", nil)
	s.wantRequests(t, "the next day", before+3)

	s.clock.Advance(25 * time.Hour)
	var wg sync.WaitGroup
	for range 10 {
		wg.Go(func() {
			_, err := s.Orders.LookUpBuyer(t.Context(), access.Operator(), second.ID)
			if err != nil && !fault.HasCode(err, fault.CodeUnavailable) {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	s.wantRequests(t, "ten members at once", before+4)
}

// An order depends on no courier: without a response its buyer is unknown, which requires no
// advance. The lookup is repeated after ten minutes.
func TestPlaceOrder_CourierRecord(t *testing.T) {
	t.Parallel()
	s := newRecordShop(t)
	s.agree(t)
	in := shoptest.GuestOrder(s.mug.ID, 1)
	in.Customer.PhoneNumber = new("01711000009")
	quote, err := s.Orders.QuoteOrder(t.Context(), access.Caller{}, in)
	if err != nil || quote.Advance != nil || s.requests.Load() != 0 {
		t.Errorf("a quote: got %+v, %v with %d requests, want none, and no advance", quote, err, s.requests.Load())
	}
	in.ExpectedAdvance = new(int64(0))
	_, err = s.Orders.PlaceOrder(t.Context(), access.Caller{}, in, "")
	shoptest.WantCode(t, err, fault.CodePriceChanged)
	placed := s.placeBy(t, "01711000009", func(in *order.Input) { in.ExpectedAdvance = new(int64(70_00)) })
	if placed.Advance == nil || placed.Advance.Reason != order.AdvanceByShop {
		t.Errorf("got the advance %+v, want one by the shop", placed.Advance)
	}
	if good := s.placeBy(t, "01711000008", nil); good.Advance != nil {
		t.Errorf("a good record: got the advance %+v, want none", good.Advance)
	}
	s.wantRequests(t, "two numbers", 2)

	s.down.Store(true)
	unknown := s.placeBy(t, "01711000019", nil)
	if unknown.Advance != nil {
		t.Errorf("without a response: got the advance %+v, want none", unknown.Advance)
	}
	s.down.Store(false)
	s.wantRequests(t, "immediately again", 3)
	s.clock.Advance(11 * time.Minute)
	if again := s.placeBy(t, "01711000019", nil); again.Advance == nil {
		t.Error("after ten minutes: got no advance")
	}
	if s.placeBy(t, "01711000029", func(in *order.Input) { in.PaymentMethod = new(status.PayCOD) }).Advance == nil {
		t.Error("the method in the request: got no advance")
	}
}

// Erasing a buyer erases what the courier has reported, also if it responds later.
func TestEraseBuyer_CourierRecord(t *testing.T) {
	t.Parallel()
	s := newRecordShop(t)
	s.agree(t)
	placed := s.placeBy(t, "01711000001", nil)
	export, err := s.ExportCustomer(t.Context(), access.Operator(), "01711000001")
	if err != nil || len(export.Contacts) != 1 || export.Contacts[0].CourierRecord == nil {
		t.Errorf("got the export %+v, %v, want the courier's record", export, err)
	}
	if _, err := s.Orders.CancelOrderAsStaff(t.Context(), access.Operator(), placed.ID, ""); err != nil {
		t.Fatal(err)
	}
	s.clock.Advance(25 * time.Hour)
	s.before = func() {
		if _, err := s.DeleteCustomer(t.Context(), access.Operator(), "01711000001"); err != nil {
			t.Error(err)
		}
	}
	if _, err := s.Orders.LookUpBuyer(t.Context(), access.Operator(), placed.ID); !fault.HasCode(err, fault.CodeUnavailable) {
		t.Errorf("got %v, want no record", err)
	}
	if n := s.number(t, `SELECT COUNT(*) FROM courier_records`); n != 0 {
		t.Errorf("got %d records of an erased buyer, want none", n)
	}
}
