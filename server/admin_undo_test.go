package server_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"reflect"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"storefront/shop/fault"
	"storefront/shop/order"
	"storefront/shop/shoptest"
	"storefront/shop/staff"
)

// undoShop is a shop that sends messages to buyers and webhooks. Another server sends them.
type undoShop struct {
	*auditShop
	other *shoptest.Accounts
}

func newUndoShop(t *testing.T) undoShop {
	t.Helper()
	s := undoShop{auditShop: newAuditShop(t)}
	s.other = s.shop.Reopened()
	s.removeInserted()
	s.must("PATCH", "settings", `{"buyerMessages":{"sms":["confirmed","cancelled"]}}`)
	s.must("POST", "webhook-endpoints", `{"url":"https://127.0.0.1:9/hook","types":["*"]}`)
	s.must("POST", "coupons", `{"title":"Welcome","kind":"fixed","amount":1000,"active":true}`)
	s.flush()
	return s
}

// unconfirmed places an order that is not confirmed, of these units and with a coupon, and returns
// its path.
func (s undoShop) unconfirmed(units int) string {
	s.t.Helper()
	body := strings.Replace(placeBody, `{`, `{"confirm":false,"couponCode":"TEN",`, 1)
	body = strings.Replace(body, `"quantity":1`, fmt.Sprintf(`"quantity":%d`, units), 1)
	path := "orders/" + s.must("POST", "orders", body)["order"].(map[string]any)["_id"].(string)
	s.flush()
	return path
}

// flush sends what may leave the shop now.
func (s undoShop) flush() {
	s.t.Helper()
	if _, err := s.other.Messages.SendDue(s.t.Context()); err != nil {
		s.t.Fatal(err)
	}
	for _, work := range []func() (time.Time, error){
		func() (time.Time, error) { return s.other.Endpoints.Continue(s.t.Context()) },
		func() (time.Time, error) { return s.other.Notify.Continue(s.t.Context()) },
	} {
		if _, err := work(); err != nil {
			s.t.Fatal(err)
		}
	}
}

// left returns what has left the shop, or is about to: text messages and types of webhooks.
func (s undoShop) left() (texts int, hooks map[string]int64) {
	s.t.Helper()
	hooks = map[string]int64{}
	for _, kind := range []string{"order.confirmed", "order.cancelled", "order.edited"} {
		hooks[kind] = s.shop.Number(s.t, `SELECT COUNT(*) FROM webhook_deliveries WHERE type = ?`, kind)
	}
	return len(s.shop.SMS.Messages()), hooks
}

// state returns an order as staff see it, with what depends on it.
func (s undoShop) state(path string) map[string]any {
	s.t.Helper()
	seen := s.must("GET", path, "")
	for _, name := range []string{"updatedAt", "claimedBy", "claimedUntil"} {
		delete(seen, name)
	}
	if err := s.shop.Orders.PostOrders(s.t.Context()); err != nil {
		s.t.Fatal(err)
	}
	for name, query := range map[string]string{
		"stock": `SELECT stock FROM variants WHERE sku = 'MUG-1'`, "sold": `SELECT sold FROM products WHERE handle = 'mug'`,
		"used": `SELECT used FROM coupons WHERE code = 'TEN'`, "given": `SELECT discount_given FROM coupons WHERE code = 'TEN'`,
		"uses without a code": `SELECT used FROM coupons WHERE title = 'Welcome'`,
		"spent":               `SELECT COALESCE(SUM(spent), 0) FROM customers`, "messages": `SELECT COUNT(*) FROM buyer_messages`,
	} {
		seen[name] = s.shop.Number(s.t, query)
	}
	return seen
}

func (s undoShop) undo(name string) *reply {
	s.t.Helper()
	return s.as("POST", "undo", fmt.Sprintf(`{"undo":%q}`, name), "Cookie", s.owner)
}

// undoChanges are changes that can be undone: method, path below the order and body.
var undoChanges = map[string][3]string{
	"confirm":        {"POST", "/confirm", `{}`},
	"cancel":         {"POST", "/cancel", `{"reason":"changed their mind"}`},
	"confirmed":      {"POST", "/calls", `{"outcome":"confirmed"}`},
	"refused":        {"POST", "/calls", `{"outcome":"refused","note":"too dear"}`},
	"no answer":      {"POST", "/calls", `{"outcome":"no_answer"}`},
	"a note":         {"POST", "/notes", `{"text":"gift box"}`},
	"a deleted note": {"DELETE", "/notes/<note>", ``},
	"tags":           {"PUT", "/tags", `{"tags":["gift"]}`},
}

// A change that is undone within its time leaves nothing behind but its entries in the audit log,
// and nothing of it leaves the shop.
func TestAdmin_Undo(t *testing.T) {
	t.Parallel()
	for name, change := range undoChanges {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newUndoShop(t)
			path := s.unconfirmed(2)
			s.must("POST", path+"/calls", fmt.Sprintf(`{"outcome":"call_later","callAt":%q}`, s.shop.Clock.Now().Add(time.Hour).Format(time.RFC3339)))
			s.must("PUT", path+"/tags", `{"tags":["fragile","hurry"]}`)
			notes := s.must("POST", path+"/notes", `{"text":"ring twice"}`)["notes"].([]any)
			s.values["note"] = notes[len(notes)-1].(map[string]any)["_id"].(string)
			s.flush()
			before := s.state(path)
			texts, hooks := s.left()

			s.shop.Clock.Advance(time.Second)
			s.must(change[0], path+change[1]+"?undo=x1", change[2])
			if reflect.DeepEqual(s.state(path), before) {
				t.Fatal("the change has changed nothing")
			}
			s.shop.Clock.Advance(order.UndoTime - time.Second)
			s.flush()
			for range 2 { // a second time it changes nothing
				var got order.Undone
				if s.undo("x1").ok(http.StatusOK, &got); len(got.Undone) != 1 || len(got.Kept) != 0 {
					t.Errorf("got %+v, want one order undone", got)
				}
			}
			if diff := cmp.Diff(before, s.state(path)); diff != "" {
				t.Errorf("order (-before +undone):\n%s", diff)
			}
			s.shop.Clock.Advance(time.Hour)
			s.flush()
			hooks["order.edited"]++ // of undoing
			if sent, delivered := s.left(); sent != texts || !reflect.DeepEqual(delivered, hooks) {
				t.Errorf("got %d texts and the webhooks %v, want %d and %v", sent, delivered, texts, hooks)
			}
			if n := s.shop.Number(t, `SELECT COUNT(*) FROM audit_log WHERE action = 'order.undo'`); n != 1 {
				t.Errorf("got %d entries of undoing in the audit log, want 1", n)
			}
			s.must(change[0], path+change[1]+"?undo=x2", change[2]) // it can be made again
			s.checkInvariants()
		})
	}
}

func (s undoShop) checkInvariants() {
	s.t.Helper()
	faults, err := s.shop.CheckInvariants(s.t.Context())
	if err != nil {
		s.t.Fatal(err)
	}
	for _, fault := range faults {
		s.t.Error(fault)
	}
}

// A change whose time is over is final, after a crash too: what waited leaves the shop once.
func TestAdmin_UndoTimeOver(t *testing.T) {
	t.Parallel()
	s := newUndoShop(t)
	path := s.unconfirmed(1)
	texts, hooks := s.left()
	s.must("POST", path+"/confirm?undo=x", `{}`)
	s.flush()
	if sent, delivered := s.left(); sent != texts || !reflect.DeepEqual(delivered, hooks) {
		t.Errorf("at once: got %d texts and the webhooks %v, want %d and %v", sent, delivered, texts, hooks)
	}
	s.other = s.shop.Reopened() // which has never seen the change
	s.shop.Clock.Advance(order.UndoTime)
	for range 2 {
		s.flush()
	}
	hooks["order.confirmed"]++
	if sent, delivered := s.left(); sent != texts+1 || !reflect.DeepEqual(delivered, hooks) {
		t.Errorf("after its time: got %d texts and the webhooks %v, want %d and %v", sent, delivered, texts+1, hooks)
	}
	s.undo("x").problem(http.StatusConflict, fault.CodeStateConflict)
	if got := s.must("GET", path, "")["status"]; got != "confirmed" {
		t.Errorf("got %v, want confirmed", got)
	}
}

// A change is not undone after something else has followed from it, which is never lost.
func TestAdmin_UndoConflicts(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		change string
		since  func(s undoShop, path string)
		code   fault.Code
	}{
		"another note": {"confirm", func(s undoShop, path string) { s.must("POST", path+"/notes", `{"text":"x"}`) }, fault.CodeStateConflict},
		"a shipment": {"confirm", func(s undoShop, path string) {
			s.must("POST", path+"/shipments", `{"provider":"courier_a","consignmentId":"C1"}`)
		}, fault.CodeStateConflict},
		"an edit":  {"tags", func(s undoShop, path string) { s.must("PATCH", path, `{"note":"by evening"}`) }, fault.CodeStateConflict},
		"a change": {"confirm", func(s undoShop, path string) { s.must("POST", path+"/cancel", `{}`) }, fault.CodeStateConflict},
		"a sent message": {"confirm", func(s undoShop, path string) {
			s.shop.Exec(s.t, `UPDATE buyer_messages SET status = 'sending', attempts = 1`)
		}, fault.CodeStateConflict},
		"a sent webhook": {"confirm", func(s undoShop, path string) {
			s.shop.Exec(s.t, `UPDATE cursors SET seq = (SELECT MAX(seq) FROM outbox) WHERE name = 'webhooks'`)
		}, fault.CodeStateConflict},
		"a sale": {"cancel", func(s undoShop, path string) { s.unconfirmed(9) }, fault.CodeOutOfStock},
		"a used coupon": {"cancel", func(s undoShop, path string) {
			s.shop.Exec(s.t, `UPDATE coupons SET usage_limit = 1, used = 1 WHERE code = 'TEN'`)
		}, fault.CodeStateConflict},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newUndoShop(t)
			path := s.unconfirmed(2)
			change := undoChanges[tc.change]
			s.must(change[0], path+change[1]+"?undo=x", change[2])
			tc.since(s, path)
			before := s.state(path)
			s.undo("x").problem(http.StatusConflict, tc.code)
			if diff := cmp.Diff(before, s.state(path)); diff != "" {
				t.Errorf("order (-before +refused):\n%s", diff)
			}
			if n := s.shop.Number(t, `SELECT COUNT(*) FROM outbox WHERE held_until = 0`); n != 0 {
				t.Errorf("got %d events that never leave the shop, want none", n)
			}
		})
	}
}

// Only who made a change can undo it, by its name.
func TestAdmin_UndoRefused(t *testing.T) {
	t.Parallel()
	s := newUndoShop(t)
	path := s.unconfirmed(1)
	s.must("POST", path+"/confirm?undo=x", `{}`)
	other := s.session(t, staff.RoleManager)
	s.as("POST", "undo", `{"undo":"x"}`, "Cookie", other).problem(http.StatusNotFound, fault.CodeNotFound)
	s.undo("y").problem(http.StatusNotFound, fault.CodeNotFound)
	s.undo("").problem(http.StatusUnprocessableEntity, fault.CodeValidationFailed)
	s.as("POST", path+"/cancel?undo="+strings.Repeat("x", 65), `{}`, "Cookie", s.owner).
		problem(http.StatusUnprocessableEntity, fault.CodeValidationFailed)
	s.as("POST", path+"/cancel?undo=x", `{}`, "Cookie", s.owner).problem(http.StatusConflict, fault.CodeStateConflict)
	s.as("POST", "bulk/orders?undo=z", `{"action":"deliver","ids":["`+strings.TrimPrefix(path, "orders/")+`"]}`, "Cookie", s.owner).
		problem(http.StatusUnprocessableEntity, fault.CodeValidationFailed)
	if got := s.must("GET", path, "")["status"]; got != "confirmed" {
		t.Errorf("got %v, want confirmed", got)
	}
	s.undo("x").ok(http.StatusOK, new(any))
	s.as("POST", path+"/confirm?undo=x", `{}`, "Cookie", s.owner).problem(http.StatusConflict, fault.CodeStateConflict) // a late repetition
}

// The changes of a job are undone together, except those of orders that were changed since.
func TestAdmin_UndoMany(t *testing.T) {
	t.Parallel()
	for name, body := range map[string]string{
		"confirm": `"action":"confirm"`, "cancel": `"action":"cancel","options":{"reason":"closed"}`,
		"tag": `"action":"tag","options":{"tags":["eid"]}`, "untag": `"action":"untag","options":{"tags":["hurry"]}`,
		"note": `"action":"note","options":{"note":"soon"}`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newUndoShop(t)
			paths, ids := make([]string, 4), make([]string, 4)
			for i := range paths {
				paths[i] = s.unconfirmed(1)
				ids[i] = strings.TrimPrefix(paths[i], "orders/")
				s.must("PUT", paths[i]+"/tags", `{"tags":["hurry"]}`)
			}
			s.flush()
			texts, _ := s.left()
			before := make([]map[string]any, len(paths))
			for i, path := range paths {
				before[i] = s.state(path)
			}
			list, err := json.Marshal(ids)
			if err != nil {
				t.Fatal(err)
			}
			s.shop.Clock.Advance(time.Second)
			job := s.must("POST", "bulk/orders?undo=many", `{"ids":`+string(list)+`,`+body+`}`)
			if job["done"] != float64(len(ids)) {
				t.Fatalf("got %v, want every order changed", job)
			}
			s.must("POST", paths[3]+"/notes", `{"text":"changed since"}`)
			kept := s.state(paths[3])["status"]
			s.flush()
			var got order.Undone
			if s.undo("many").ok(http.StatusOK, &got); len(got.Undone) != 3 || len(got.Kept) != 1 || got.Kept[0].InvoiceUID != ids[3] {
				t.Errorf("got %+v, want three undone and the fourth kept", got)
			}
			for i, path := range paths[:3] {
				now := s.state(path)
				for _, all := range []string{"stock", "sold", "used", "given", "uses without a code", "messages", "record", "duplicates"} { // of the fourth too
					delete(before[i], all)
					delete(now, all)
				}
				if diff := cmp.Diff(before[i], now); diff != "" {
					t.Errorf("order %d (-before +undone):\n%s", i, diff)
				}
			}
			if status := s.state(paths[3])["status"]; status != kept {
				t.Errorf("the order that was changed since: got %v, want %v", status, kept)
			}
			s.shop.Clock.Advance(time.Minute)
			s.flush()
			want := texts
			if name == "confirm" || name == "cancel" {
				want++ // of the fourth
			}
			if sent, _ := s.left(); sent != want {
				t.Errorf("got %d texts, want %d", sent, want)
			}
			s.checkInvariants()
		})
	}
}

// If a change is undone at the moment at which it leaves the shop, either happens and not both.
func TestAdmin_UndoRace(t *testing.T) {
	t.Parallel()
	s := newUndoShop(t)
	undone := 0
	for round := range 8 {
		path := s.unconfirmed(1)
		texts, hooks := s.left()
		name := fmt.Sprint("race", round)
		s.must("POST", path+"/confirm?undo="+name, `{}`)
		s.shop.Clock.Advance(order.UndoTime - time.Millisecond)
		var work sync.WaitGroup
		var answer *reply
		work.Go(func() { answer = s.undo(name) })
		work.Go(func() { s.shop.Clock.Advance(time.Millisecond); s.flush() })
		work.Wait()
		s.shop.Clock.Advance(time.Minute)
		s.flush()
		sent, delivered := s.left()
		status := s.must("GET", path, "")["status"]
		gone := sent - texts + int(delivered["order.confirmed"]-hooks["order.confirmed"])
		switch {
		case answer.status == http.StatusOK && status == "pending" && gone == 0:
			undone++
		case answer.status == http.StatusConflict && status == "confirmed" && gone == 2:
		default:
			t.Errorf("got %d, a %v order, and %d messages and webhooks, want either all or nothing", answer.status, status, gone)
		}
	}
	t.Logf("%d of 8 were undone", undone)
}
