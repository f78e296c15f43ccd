package tenants_test

import (
	"fmt"
	"net/http"
	"slices"
	"testing"
	"time"

	"storefront/shop/access"
	"storefront/shop/endpoint"
	"storefront/shop/fault"
	"storefront/shop/outbox"
)

// A refused webhook is repeated with the same ID, each attempt signed for itself, until the
// attempts are used up. A success ends the failure of the endpoint.
func TestWebhookEndpoint_Retry(t *testing.T) {
	t.Parallel()
	h := newHooked(t, endpoint.Input{Types: []outbox.Type{outbox.OrderPlaced}})
	h.receiver.answerWith(func(_ int, w http.ResponseWriter) {
		w.WriteHeader(http.StatusInternalServerError)
		fmt.Fprint(w, "out of order\x00")
	})
	h.order()
	began := h.clock.Now()
	delays := []time.Duration{
		5 * time.Second, 5 * time.Minute, 30 * time.Minute, 2 * time.Hour, 5 * time.Hour, 10 * time.Hour, 14 * time.Hour, 20 * time.Hour,
		24 * time.Hour,
	}
	for i, delay := range delays {
		next := h.work()
		waited := next.Sub(h.clock.Now())
		if waited < delay*9/10 || waited > delay*11/10 {
			t.Errorf("attempt %d: got the next after %s, want %s ± 10 %%", i+1, waited, delay)
		}
		h.clock.Advance(waited)
	}
	if next := h.work(); !next.IsZero() {
		t.Errorf("got a further attempt at %s", next)
	}
	got := h.receiver.all()
	stamps := map[string]bool{}
	for _, r := range got {
		wantSigned(t, h.secret, r)
		stamps[r.header.Get("webhook-timestamp")] = true
		if r.id != got[0].id || r.id == "" {
			t.Errorf("got the ID %q, want that of the first attempt", r.id)
		}
	}
	if len(got) != 10 || len(stamps) != 10 {
		t.Errorf("got %d attempts at %d times, want 10", len(got), len(stamps))
	}
	d := h.deliveries()[0]
	if d.Status != endpoint.DeliveryFailed || d.Attempts != 10 || *d.ResponseStatus != 500 || d.Answer != "out of order\uFFFD" || d.Error == nil {
		t.Errorf("got %+v, want it failed", d)
	}
	if e := h.found(); e.FailingSince == nil || !e.FailingSince.Equal(began) || !e.Active {
		t.Errorf("got %+v, want it failing since %s", e, began)
	}
	h.receiver.answerWith(nil)
	if _, err := h.Endpoints.Redeliver(t.Context(), access.Operator(), "another", d.ID); !fault.HasCode(err, fault.CodeNotFound) {
		t.Errorf("delivery of another endpoint: got %v, want not_found", err)
	}
	again, err := h.Endpoints.Redeliver(t.Context(), access.Operator(), d.EndpointID, d.ID)
	if err != nil || again.Status != endpoint.DeliveryWaiting {
		t.Fatalf("got %+v, %v", again, err)
	}
	h.work()
	if d := h.deliveries()[0]; d.Status != endpoint.DeliverySent || d.Attempts != 1 || d.Error != nil || h.found().FailingSince != nil {
		t.Errorf("got %+v, want it sent", d)
	}
}

// A longer Retry-After is honoured, up to a day.
func TestWebhookEndpoint_RetryAfter(t *testing.T) {
	t.Parallel()
	for value, want := range map[string]time.Duration{
		"3600": time.Hour, "999999999999": 24 * time.Hour, "1": 5 * time.Second, "soon": 5 * time.Second, "-7": 5 * time.Second,
	} {
		t.Run(value, func(t *testing.T) {
			t.Parallel()
			h := newHooked(t, endpoint.Input{})
			h.receiver.answerWith(func(_ int, w http.ResponseWriter) {
				w.Header().Set("Retry-After", value)
				w.WriteHeader(http.StatusServiceUnavailable)
			})
			h.order()
			if waited := h.work().Sub(h.clock.Now()); waited < want*9/10 || waited > want*11/10 {
				t.Errorf("got the next attempt after %s, want %s", waited, want)
			}
		})
	}
}

// A Retry-After that names a time is honoured as well.
func TestWebhookEndpoint_RetryAfterDate(t *testing.T) {
	t.Parallel()
	for after, want := range map[time.Duration]time.Duration{
		2 * time.Hour: 2 * time.Hour, 40 * time.Hour: 24 * time.Hour, time.Second: 5 * time.Second, -time.Hour: 5 * time.Second,
	} {
		h := newHooked(t, endpoint.Input{})
		h.receiver.answerWith(func(_ int, w http.ResponseWriter) {
			w.Header().Set("Retry-After", h.clock.Now().Add(after).UTC().Format(http.TimeFormat))
			w.WriteHeader(http.StatusTooManyRequests)
		})
		h.order()
		if waited := h.work().Sub(h.clock.Now()); waited < want*9/10 || waited > want*11/10 {
			t.Errorf("%s: got the next attempt after %s, want %s", after, waited, want)
		}
	}
}

// A receiver that is down for a day misses nothing: every event arrives once, under the ID of its
// first attempt, and the endpoint is not disabled.
func TestWebhookEndpoint_DownForADay(t *testing.T) {
	t.Parallel()
	h := newHooked(t, endpoint.Input{Types: []outbox.Type{outbox.OrderPlaced}})
	h.receiver.answerWith(func(_ int, w http.ResponseWriter) { w.WriteHeader(http.StatusBadGateway) })
	ids := map[string]string{} // of the webhooks, by order
	for range 8 {              // an order every three hours
		h.order()
		for until := h.clock.Now().Add(3 * time.Hour); ; {
			next := h.work()
			if next.IsZero() || next.After(until) {
				h.clock.Advance(until.Sub(h.clock.Now()))
				break
			}
			h.clock.Advance(next.Sub(h.clock.Now()))
		}
	}
	h.work()
	down := len(h.receiver.all())
	for _, r := range h.receiver.all() {
		if id := ids[r.Data.Subject]; id != "" && id != r.id {
			t.Errorf("order %s: got the IDs %s and %s", r.Data.Subject, id, r.id)
		}
		ids[r.Data.Subject] = r.id
	}
	if e := h.found(); len(ids) != 8 || !e.Active || e.FailingSince == nil {
		t.Fatalf("got attempts for %d orders and %+v, want eight and the endpoint failing", len(ids), e)
	}
	h.receiver.answerWith(nil)
	var later []string
	for range 3 {
		later = append(later, h.order().ID)
	}
	for next := h.work(); !next.IsZero(); next = h.work() {
		h.clock.Advance(max(next.Sub(h.clock.Now()), 0))
	}
	arrived := map[string]int{}
	var fresh []string
	for _, r := range h.receiver.all()[down:] {
		arrived[r.Data.Subject]++
		if id := ids[r.Data.Subject]; id == "" {
			fresh = append(fresh, r.Data.Subject)
		} else if id != r.id {
			t.Errorf("order %s: got the ID %s, want %s", r.Data.Subject, r.id, id)
		}
	}
	for order, n := range arrived {
		if n != 1 {
			t.Errorf("order %s: arrived %d times", order, n)
		}
	}
	slices.Sort(fresh)
	slices.Sort(later)
	if len(arrived) != 11 || !slices.Equal(fresh, later) {
		t.Errorf("got %d orders, the later ones %v, want 11 and %v", len(arrived), fresh, later)
	}
	if e := h.found(); e.FailingSince != nil || !e.Active {
		t.Errorf("got %+v, want it well", e)
	}
}

// A receiver that does not respond in time has failed, and is sent the same webhook again.
func TestWebhookEndpoint_SlowReceiver(t *testing.T) {
	t.Parallel()
	const limit = 100 * time.Millisecond
	h := newHookedWithin(t, endpoint.Input{Types: []outbox.Type{outbox.OrderPlaced}}, limit)
	done := make(chan struct{})
	t.Cleanup(func() { close(done) })
	h.receiver.answerWith(func(n int, _ http.ResponseWriter) {
		if n == 1 {
			<-done
		}
	})
	began := time.Now()
	h.order()
	next := h.work()
	took := time.Since(began)
	d := h.deliveries()[0]
	if d.Status != endpoint.DeliveryWaiting || d.Attempts != 1 || d.ResponseStatus != nil || d.Error == nil || took < limit {
		t.Fatalf("after %s: got %+v, want an attempt without a response, after %s", took, d, limit)
	}
	h.clock.Advance(next.Sub(h.clock.Now()))
	h.work()
	if got := h.receiver.all(); len(got) != 2 || got[0].id != got[1].id || h.deliveries()[0].Status != endpoint.DeliverySent {
		t.Errorf("got %d webhooks, %+v, want the same one again", len(got), h.deliveries())
	}
}

// An event that waits for its next attempt does not hold up later ones.
func TestWebhookEndpoint_OneRefused(t *testing.T) {
	t.Parallel()
	h := newHooked(t, endpoint.Input{Types: []outbox.Type{outbox.OrderPlaced}})
	first := h.order()
	h.receiver.answerWith(func(n int, w http.ResponseWriter) {
		if n == 1 {
			w.WriteHeader(http.StatusBadGateway)
		}
	})
	h.work()
	second := h.order()
	next := h.work()
	h.clock.Advance(next.Sub(h.clock.Now()))
	h.work()
	var got []string
	for _, r := range h.receiver.all() {
		got = append(got, r.Data.Subject)
	}
	if want := []string{first.ID, second.ID, first.ID}; !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

// The status 410 disables an endpoint, and so do five days in which every attempt fails. Staff see
// it, nothing more is sent, and what was missed is sent after the endpoint is active again.
func TestWebhookEndpoint_Disabled(t *testing.T) {
	t.Parallel()
	for status, steps := range map[int]int{http.StatusGone: 1, http.StatusNotFound: 9} {
		t.Run(fmt.Sprint(status), func(t *testing.T) {
			t.Parallel()
			h := newHooked(t, endpoint.Input{Types: []outbox.Type{outbox.OrderPlaced}})
			h.receiver.answerWith(func(_ int, w http.ResponseWriter) { w.WriteHeader(status) })
			began := h.clock.Now()
			h.order()
			if steps > 1 { // every day another one
				for range 5 {
					h.work()
					h.clock.Advance(24*time.Hour + time.Minute)
					h.order()
				}
			}
			h.work()
			sent := len(h.receiver.all())
			e := h.found()
			if e.Active || e.DisabledReason == nil || h.clock.Now().Sub(began) < 5*24*time.Hour && status != http.StatusGone {
				t.Fatalf("got %+v, want it disabled", e)
			}
			missed := h.order()
			h.clock.Advance(time.Hour)
			if next := h.work(); !next.IsZero() || len(h.receiver.all()) != sent {
				t.Errorf("got %d webhooks of an inactive endpoint, and the next at %s", len(h.receiver.all())-sent, next)
			}
			b, err := h.FindBacklog(t.Context(), access.Operator())
			if err != nil || b.DisabledEndpoints != 1 {
				t.Errorf("got %+v, %v, want the endpoint in the backlog", b, err)
			}
			_, err = h.Endpoints.RedeliverRange(t.Context(), access.Operator(), e.ID, began, h.clock.Now())
			wantCode(t, err, fault.CodeStateConflict)
			h.receiver.answerWith(nil)
			if _, err := h.Endpoints.UpdateEndpoint(t.Context(), access.Operator(), e.ID, endpoint.Edit{Active: new(true)}); err != nil {
				t.Fatal(err)
			}
			queued, err := h.Endpoints.RedeliverRange(t.Context(), access.Operator(), e.ID, began, h.clock.Now())
			if err != nil {
				t.Fatal(err)
			}
			h.work()
			got := h.receiver.all()[sent:]
			if len(got) != queued.Queued || !slices.ContainsFunc(got, func(r received) bool { return r.Data.Subject == missed.ID }) {
				t.Errorf("got %d webhooks, want %d, with the missed order", len(got), queued.Queued)
			}
			for _, d := range h.deliveries() {
				if d.Status != endpoint.DeliverySent {
					t.Errorf("got %+v, want it sent", d)
				}
			}
			again, err := h.Endpoints.RedeliverRange(t.Context(), access.Operator(), e.ID, began, h.clock.Now())
			if err != nil || again.Queued != queued.Queued {
				t.Errorf("got %+v, %v, want the same events again", again, err)
			}
		})
	}
}

// An attempt at a URL that was replaced while it was under way neither disables the endpoint nor
// counts: the webhook is sent to the new URL at once, which is not failing since the old one is.
func TestWebhookEndpoint_URLReplacedDuringAttempt(t *testing.T) {
	t.Parallel()
	for _, status := range []int{http.StatusGone, http.StatusInternalServerError, http.StatusOK} {
		t.Run(fmt.Sprint(status), func(t *testing.T) {
			t.Parallel()
			h := newHooked(t, endpoint.Input{Types: []outbox.Type{outbox.OrderPlaced}})
			mended := newReceiver(t)
			began, release := make(chan struct{}), make(chan struct{})
			h.receiver.answerWith(func(n int, w http.ResponseWriter) {
				if n > 1 {
					close(began)
					<-release
					w.WriteHeader(status)
					return
				}
				w.WriteHeader(http.StatusInternalServerError)
			})
			h.order()
			h.work()
			h.clock.Advance(6 * 24 * time.Hour) // it has failed for more than five days
			if _, err := h.Endpoints.Continue(t.Context()); err != nil {
				t.Fatal(err)
			}
			<-began
			edit := endpoint.Edit{URL: new(mended.URL)}
			if _, err := h.Endpoints.UpdateEndpoint(t.Context(), access.Operator(), h.endpoint.ID, edit); err != nil {
				t.Fatal(err)
			}
			close(release)
			h.work()
			attempts, want := 2, 1 // of the delivery, and at the new URL
			if status == http.StatusOK {
				want = 0 // the event has arrived
			}
			if got := len(mended.all()); got != want {
				t.Errorf("got %d webhooks at the new URL, want %d", got, want)
			}
			if d := h.deliveries()[0]; d.Status != endpoint.DeliverySent || d.Attempts != attempts {
				t.Errorf("got %+v, want it sent", d)
			}
			if e := h.found(); !e.Active || e.DisabledReason != nil || e.FailingSince != nil {
				t.Errorf("got %+v, want it active and not failing", e)
			}
			mended.answerWith(func(_ int, w http.ResponseWriter) { w.WriteHeader(http.StatusInternalServerError) })
			h.order()
			h.work()
			if e := h.found(); !e.Active || e.FailingSince == nil || !e.FailingSince.Equal(h.clock.Now()) {
				t.Errorf("got %+v, want it active, failing since now", e)
			}
		})
	}
}

// A delivery that staff send again while an attempt is under way is sent again.
func TestWebhookEndpoint_RedeliverDuringAttempt(t *testing.T) {
	t.Parallel()
	h := newHooked(t, endpoint.Input{Types: []outbox.Type{outbox.OrderPlaced}})
	began, release := make(chan struct{}), make(chan struct{})
	h.receiver.answerWith(func(n int, w http.ResponseWriter) {
		switch n {
		case 1:
			w.WriteHeader(http.StatusInternalServerError)
		case 2:
			close(began)
			<-release
		}
	})
	h.order()
	h.clock.Advance(h.work().Sub(h.clock.Now()))
	if _, err := h.Endpoints.Continue(t.Context()); err != nil {
		t.Fatal(err)
	}
	<-began
	if _, err := h.Endpoints.Redeliver(t.Context(), access.Operator(), h.endpoint.ID, h.deliveries()[0].ID); err != nil {
		t.Fatal(err)
	}
	close(release)
	h.work()
	if got := len(h.receiver.all()); got != 3 {
		t.Errorf("got %d webhooks, want one for each attempt and one for the request of staff", got)
	}
	if d := h.deliveries()[0]; d.Status != endpoint.DeliverySent || d.Attempts != 1 {
		t.Errorf("got %+v, want it sent by the first attempt since then", d)
	}
}
