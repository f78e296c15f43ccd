package tenants_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"

	"storefront/db"
	"storefront/db/dbtest"
	"storefront/shop"
	"storefront/shop/access"
	"storefront/shop/catalogue"
	"storefront/shop/endpoint"
	"storefront/shop/fault"
	"storefront/shop/order"
	"storefront/shop/outbox"
	"storefront/shop/shoptest"
	"storefront/shop/staff"
	"storefront/tenants"
)

// received is a webhook as a receiver has it.
type received struct {
	id     string
	header http.Header
	body   []byte
	Type   outbox.Type
	Tenant string
	Data   struct {
		Subject     string
		OrderNumber int64
		Status      string
		Total       int64
		Order       *order.StaffOrder
	}
}

// receiver is another system that receives webhooks.
type receiver struct {
	*httptest.Server
	mu     sync.Mutex
	got    []received
	answer func(n int, w http.ResponseWriter) // to the n-th webhook, from 1
}

func newReceiver(t *testing.T) *receiver {
	t.Helper()
	r := &receiver{}
	r.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		body, err := io.ReadAll(req.Body)
		got := received{id: req.Header.Get("webhook-id"), header: req.Header, body: body}
		if err != nil || json.Unmarshal(body, &got) != nil {
			t.Errorf("got the body %q, %v", body, err)
		}
		r.mu.Lock()
		r.got = append(r.got, got)
		n, answer := len(r.got), r.answer
		r.mu.Unlock()
		if answer != nil {
			answer(n, w)
		}
	}))
	t.Cleanup(r.Close)
	return r
}

func (r *receiver) answerWith(fn func(n int, w http.ResponseWriter)) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.answer = fn
}

func (r *receiver) all() []received {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Clone(r.got)
}

// hooked is a shop with a webhook endpoint.
type hooked struct {
	*shop.Shop
	t        *testing.T
	all      *tenants.Tenants
	clock    *shoptest.Clock
	receiver *receiver
	endpoint *endpoint.Endpoint
	secret   string
	product  *catalogue.ProductRecord
	orders   int
}

func newHooked(t *testing.T, in endpoint.Input) *hooked {
	t.Helper()
	return newHookedWithin(t, in, 0)
}

// newHookedWithin is newHooked with a limit of the time of a response; 0 means the default.
func newHookedWithin(t *testing.T, in endpoint.Input, limit time.Duration) *hooked {
	t.Helper()
	h := &hooked{t: t, clock: shoptest.NewClock(), receiver: newReceiver(t)}
	h.all = open(t, "", func(c *tenants.Config) { c.Now, c.PrivateProviders, c.WebhookTimeout = h.clock.Now, true, limit })
	h.Shop = create(t, h.all, "acme")
	var err error
	h.product, err = h.Catalogue.CreateProduct(t.Context(), access.Operator(), catalogue.ProductInput{
		Title: "Tea", Variants: []catalogue.VariantInput{{Price: 10_000}},
	})
	if err != nil {
		t.Fatal(err)
	}
	if in.URL == "" {
		in.URL = h.receiver.URL + "/hook"
	}
	h.endpoint, h.secret, err = h.Endpoints.CreateEndpoint(t.Context(), access.Operator(), in)
	if err != nil {
		t.Fatal(err)
	}
	return h
}

func (h *hooked) order() *order.Placed {
	h.t.Helper()
	h.orders++
	in := shoptest.GuestOrder(h.product.ID, 1)
	in.Customer.PhoneNumber = new(fmt.Sprintf("0171100%04d", h.orders)) // each buyer has few unconfirmed orders
	placed, err := h.Orders.PlaceOrder(h.t.Context(), access.Caller{}, in, "")
	if err != nil {
		h.t.Fatal(err)
	}
	return placed
}

// deliveries returns the deliveries, the oldest event first.
func (h *hooked) deliveries() []endpoint.Delivery {
	h.t.Helper()
	limit := -1
	filter := endpoint.DeliveryFilter{}
	filter.Limit = &limit
	list, err := h.Endpoints.ListDeliveries(h.t.Context(), access.Operator(), h.endpoint.ID, filter)
	if err != nil {
		h.t.Fatal(err)
	}
	slices.Reverse(list.Nodes)
	return list.Nodes
}

// work sends what is due and waits for its end.
func (h *hooked) work() (next time.Time) {
	h.t.Helper()
	dbtest.Eventually(h.t, "nothing is due", func() bool {
		var err error
		if next, err = h.Endpoints.Continue(h.t.Context()); err != nil {
			h.t.Fatal(err)
		}
		return !slices.ContainsFunc(h.deliveries(), func(d endpoint.Delivery) bool { return d.NextAt != nil && !d.NextAt.After(h.clock.Now()) })
	})
	if next, err := h.Endpoints.Continue(h.t.Context()); err != nil {
		h.t.Fatal(err)
	} else {
		return next
	}
	return next
}

func (h *hooked) found() *endpoint.Endpoint {
	h.t.Helper()
	found, err := h.Endpoints.FindEndpoint(h.t.Context(), access.Operator(), h.endpoint.ID)
	if err != nil {
		h.t.Fatal(err)
	}
	return found
}

// wantSigned checks a webhook as the reference library of Standard Webhooks does.
func wantSigned(t *testing.T, secret string, r received) {
	t.Helper()
	wh, err := standardwebhooks.NewWebhook(secret)
	if err != nil {
		t.Fatal(err)
	}
	if err := wh.VerifyIgnoringTimestamp(r.body, r.header); err != nil {
		t.Errorf("%s: got %v, want a valid signature", r.id, err)
	}
	if err := wh.VerifyIgnoringTimestamp(append(slices.Clone(r.body), ' '), r.header); err == nil {
		t.Errorf("%s: got a changed body accepted", r.id)
	}
}

// The events of the endpoint's types are sent once, in their order and signed, and have no personal
// data unless the payload is full.
func TestWebhookEndpoint_Send(t *testing.T) {
	t.Parallel()
	for _, payload := range []endpoint.Payload{endpoint.PayloadThin, endpoint.PayloadFull} {
		t.Run(string(payload), func(t *testing.T) {
			t.Parallel()
			h := newHooked(t, endpoint.Input{Types: []outbox.Type{outbox.OrderPlaced, outbox.OrderConfirmed}, Payload: payload})
			var want []string
			for range 3 {
				placed := h.order()
				if _, err := h.Orders.ConfirmOrder(t.Context(), access.Operator(), placed.ID); err != nil {
					t.Fatal(err)
				}
				want = append(want, "order.placed "+placed.ID, "order.confirmed "+placed.ID)
			}
			if next := h.work(); !next.IsZero() {
				t.Errorf("got more due at %s", next)
			}
			var got []string
			for _, r := range h.receiver.all() {
				wantSigned(t, h.secret, r)
				got = append(got, string(r.Type)+" "+r.Data.Subject)
				if r.Tenant != "acme" || r.Data.OrderNumber == 0 || r.Data.Total != 10_000 {
					t.Errorf("got %s", r.body)
				}
				personal := strings.Contains(string(r.body), "Rahima") || strings.Contains(string(r.body), "+880")
				if full := payload == endpoint.PayloadFull; personal != full || (r.Data.Order != nil) != full {
					t.Errorf("%s: got personal data %t: %s", payload, personal, r.body)
				}
			}
			slices.Sort(got) // each order's are in their order, see TestWebhookEndpoint_EightAtOnce
			slices.Sort(want)
			if !slices.Equal(got, want) {
				t.Errorf("got %v, want %v", got, want)
			}
			for _, d := range h.deliveries() {
				if d.Status != endpoint.DeliverySent || d.Attempts != 1 || *d.ResponseStatus != 200 || d.Error != nil || d.TookMs == nil {
					t.Errorf("got %+v, want it sent", d)
				}
			}
			if e := h.found(); e.FailingSince != nil || e.LastDelivery == nil || *e.LastDelivery.ResponseStatus != 200 {
				t.Errorf("got %+v", e)
			}
		})
	}
}

// After a rotation both secrets sign for a day, and then the new one alone.
func TestWebhookEndpoint_Rotate(t *testing.T) {
	t.Parallel()
	h := newHooked(t, endpoint.Input{})
	_, renewed, err := h.Endpoints.RotateEndpoint(t.Context(), access.Operator(), h.endpoint.ID)
	if err != nil {
		t.Fatal(err)
	}
	h.order()
	h.work()
	both := h.receiver.all()[0]
	wantSigned(t, h.secret, both)
	wantSigned(t, renewed, both)
	h.clock.Advance(24 * time.Hour)
	h.order()
	h.work()
	all := h.receiver.all()
	alone := all[len(all)-1]
	wantSigned(t, renewed, alone)
	wh, err := standardwebhooks.NewWebhook(h.secret)
	if err != nil {
		t.Fatal(err)
	}
	if wh.VerifyIgnoringTimestamp(alone.body, alone.header) == nil {
		t.Error("got a signature of the old secret after a day")
	}
}

// A test shows the response and changes nothing about the endpoint.
func TestWebhookEndpoint_Test(t *testing.T) {
	t.Parallel()
	h := newHooked(t, endpoint.Input{})
	h.receiver.answerWith(func(_ int, w http.ResponseWriter) {
		w.WriteHeader(http.StatusTeapot)
		fmt.Fprint(w, strings.Repeat("ক", 5000))
	})
	d, err := h.Endpoints.TestEndpoint(t.Context(), access.Operator(), h.endpoint.ID)
	if err != nil || d.Status != endpoint.DeliveryFailed || *d.ResponseStatus != http.StatusTeapot || len(d.Answer) > 2<<10+2 || d.NextAt != nil {
		t.Errorf("got %+v, %v, want it failed", d, err)
	}
	h.receiver.answerWith(nil)
	d, err = h.Endpoints.TestEndpoint(t.Context(), access.Operator(), h.endpoint.ID)
	if err != nil || d.Status != endpoint.DeliverySent {
		t.Errorf("got %+v, %v, want it sent", d, err)
	}
	for _, r := range h.receiver.all() {
		wantSigned(t, h.secret, r)
		if r.Type != endpoint.TestType {
			t.Errorf("got %s", r.body)
		}
	}
	if h.found().FailingSince != nil || len(h.deliveries()) != 2 {
		t.Error("got the endpoint failing after a test")
	}
	// A test is about no event that could be sent again, and one that waits stops nothing.
	_, err = h.Endpoints.Redeliver(t.Context(), access.Operator(), "", d.ID)
	shoptest.WantCode(t, err, fault.CodeStateConflict)
	err = tenants.StoreOf(h.all).Update(t.Context(), "acme", func(_ context.Context, tx *db.Tx) error {
		return tx.Do(`UPDATE webhook_deliveries SET status = 'waiting', due_at = 0`)
	})
	if err != nil {
		t.Fatal(err)
	}
	h.order()
	dbtest.Eventually(t, "the webhook of the order is sent", func() bool {
		if _, err := h.Endpoints.Continue(t.Context()); err != nil {
			t.Fatal(err)
		}
		return len(h.receiver.all()) == 3
	})
	if got := h.receiver.all()[2]; got.Type == endpoint.TestType {
		t.Errorf("got a test again: %+v", got)
	}
}

// The payload full ends with the permission of the one who chose it.
func TestWebhookEndpoint_CreatorWithoutPermission(t *testing.T) {
	t.Parallel()
	h := newHooked(t, endpoint.Input{Types: []outbox.Type{outbox.OrderPlaced}})
	owner := func(name string) string { // returns a session
		_, link, err := h.Staff.InviteMember(t.Context(), access.Operator(),
			staff.InviteInput{Name: name, Email: new(name + "@example.com"), Role: staff.RoleOwner})
		if err != nil {
			t.Fatal(err)
		}
		signedIn, err := h.Staff.UseLink(t.Context(), access.Caller{}, staff.UseLinkInput{Token: link.Token, Password: shoptest.Password})
		if err != nil {
			t.Fatal(err)
		}
		return signedIn.Token
	}
	owner("mina") // the last owner cannot be turned off
	rina := owner("rina")
	edit := endpoint.Edit{Payload: new(endpoint.PayloadFull)}
	if _, err := h.Endpoints.UpdateEndpoint(t.Context(), access.Caller{Session: rina}, h.endpoint.ID, edit); err != nil {
		t.Fatal(err)
	}
	h.order()
	h.work()
	if got := h.receiver.all(); len(got) != 1 || got[0].Data.Order == nil {
		t.Fatalf("got %+v, want the order", got)
	}
	if _, err := h.Staff.TurnOffMember(t.Context(), access.Operator(), "rina@example.com"); err != nil {
		t.Fatal(err)
	}
	h.order()
	h.work()
	all := h.deliveries()
	if d := all[len(all)-1]; len(h.receiver.all()) != 1 || d.Error == nil || !strings.Contains(*d.Error, "may no longer view orders") {
		t.Errorf("got %+v, want nothing sent on behalf of a staff member who is off", d)
	}
}

// Another shop's program gets no events of this one by a copy of its file, and a receiver of both
// shops can distinguish their webhooks.
func TestWebhookEndpoint_Copies(t *testing.T) {
	t.Parallel()
	h := newHooked(t, endpoint.Input{})
	h.receiver.answerWith(func(_ int, w http.ResponseWriter) { w.WriteHeader(http.StatusBadGateway) })
	h.order()
	h.work() // a retry is due
	file := backUp(t, h.all, "acme")
	if _, err := h.all.Restore(t.Context(), tenants.RestoreOptions{File: file, Of: "acme", As: "acme-copy"}); err != nil {
		t.Fatal(err)
	}
	clone := find(t, h.all, "acme-copy")
	h.receiver.answerWith(nil)
	sent := len(h.receiver.all())
	h.clock.Advance(time.Hour)
	if next, err := clone.Endpoints.Continue(t.Context()); err != nil || !next.IsZero() {
		t.Errorf("got %s, %v, want nothing due in a copy", next, err)
	}
	copied, err := clone.Endpoints.ListEndpoints(t.Context(), access.Operator())
	if err != nil || len(copied) != 1 || copied[0].ID == h.endpoint.ID || copied[0].Active {
		t.Fatalf("got %+v, %v, want an inactive endpoint with an ID of its own", copied, err)
	}
	id := copied[0].ID
	_, err = clone.Endpoints.UpdateEndpoint(t.Context(), access.Operator(), id, endpoint.Edit{Active: new(true)})
	wantCode(t, err, fault.CodeStateConflict)
	_, err = clone.Endpoints.TestEndpoint(t.Context(), access.Operator(), id)
	wantCode(t, err, fault.CodeStateConflict)
	_, secret, err := clone.Endpoints.RotateEndpoint(t.Context(), access.Operator(), id)
	if err != nil || secret == h.secret {
		t.Fatalf("got %v, want a new secret", err)
	}
	if _, err := clone.Endpoints.TestEndpoint(t.Context(), access.Operator(), id); err != nil {
		t.Fatal(err)
	}
	got := h.receiver.all()
	if len(got) != sent+1 {
		t.Fatalf("got %d webhooks, want the test", len(got)-sent)
	}
	wantSigned(t, secret, got[sent])

	if _, err := clone.Endpoints.UpdateEndpoint(t.Context(), access.Operator(), id, endpoint.Edit{Active: new(true)}); err != nil {
		t.Fatal(err)
	}
	queued, err := clone.Endpoints.RedeliverRange(t.Context(), access.Operator(), id, time.Time{}, h.clock.Now())
	if err != nil || queued.Queued == 0 {
		t.Fatalf("got %+v, %v, want the events of the copy sent", queued, err)
	}
	dbtest.Eventually(t, "the clone's webhooks are sent", func() bool {
		if _, err := clone.Endpoints.Continue(t.Context()); err != nil {
			t.Fatal(err)
		}
		return len(h.receiver.all()) == sent+1+queued.Queued
	})
	ofOriginal := map[string]bool{}
	for _, r := range h.receiver.all()[:sent] {
		ofOriginal[r.id] = true
	}
	for _, r := range h.receiver.all()[sent:] {
		if ofOriginal[r.id] || r.Tenant != "acme-copy" {
			t.Errorf("got the ID %s from %s, which the original has sent", r.id, r.Tenant)
		}
	}
}
