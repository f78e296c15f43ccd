package server_test

import (
	"fmt"
	"strings"
	"sync"
	"testing"

	"storefront/shop/fault"
	"storefront/shop/staff"
)

// deliverThree places an order of three mugs, of which one comes back to the stock and one is
// damaged, and returns its path and the credit.
func (s *auditShop) deliverThree() (path, credit string) {
	s.t.Helper()
	body := strings.Replace(placeBody, `"quantity":1`, `"quantity":3`, 1)
	path = "orders/" + s.must("POST", "orders", body)["order"].(map[string]any)["_id"].(string)
	s.must("POST", path+"/deliver", `{"restock":[{"variantId":"<variant>","quantity":1,"damaged":1}]}`)
	return path, s.creditOf(path)
}

// creditOf returns the ID of the newest credit of an order.
func (s *auditShop) creditOf(path string) string {
	s.t.Helper()
	credits := s.must("GET", path, "")["credits"].([]any)
	id, ok := credits[len(credits)-1].(map[string]any)["_id"].(string)
	if !ok {
		s.t.Fatalf("got credits %v, want an ID", credits)
	}
	return id
}

// sumsOf returns the sums of an order, its payment status, and the shop's stock of its variant.
func (s *auditShop) sumsOf(path string) string {
	s.t.Helper()
	got := s.must("GET", path, "")
	text := fmt.Sprint(got["paymentStatus"])
	for _, field := range []string{"total", "returnedAmount", "paid", "refunded", "due"} {
		text += fmt.Sprintf(" %s %v", field, got[field].(map[string]any)["amount"])
	}
	stock := s.shop.Number(s.t, `SELECT stock FROM variants WHERE id = ?`, s.values["variant"])
	return fmt.Sprintf("%s, %d credits, stock %d", text, len(got["credits"].([]any)), stock)
}

// A credit that was recorded by mistake is removed with its effect on the stock and on all sums,
// for buyers too, and is in the audit log.
func TestAdmin_RemoveCredit(t *testing.T) {
	t.Parallel()
	s := newAuditShop(t)
	s.removeInserted()
	stock := s.shop.Number(t, `SELECT stock FROM variants WHERE id = ?`, s.values["variant"])
	path, credit := s.deliverThree()
	total := int64(s.must("GET", path, "")["total"].(map[string]any)["amount"].(float64))
	s.as("DELETE", path+"/credits/none", "", "Cookie", s.owner).problem(404, fault.CodeNotFound)
	removed := s.must("DELETE", path+"/credits/"+credit, "")
	if n := len(removed["credits"].([]any)); n != 0 {
		t.Errorf("got %d credits in the response, want none", n)
	}
	want := fmt.Sprintf("paid total %d returnedAmount 0 paid %d refunded 0 due 0, 0 credits, stock %d", total, total, stock-3)
	if got := s.sumsOf(path); got != want {
		t.Errorf("got %s\nwant %s", got, want)
	}
	uid := strings.TrimPrefix(path, "orders/")
	graph := s.send("POST", "/graphql", `{"query":"{ order(orderId: \"`+uid+`\") { credits { _id } due { amount } } }"}`)
	if got := strings.TrimSpace(string(graph.body)); got != `{"data":{"order":{"credits":[],"due":{"amount":0}}}}` {
		t.Errorf("GraphQL: got %s", got)
	}
	if n := s.shop.Number(t, `SELECT COUNT(*) FROM audit_log WHERE action = 'order.remove_credit' AND changes LIKE '%credits%'`); n != 1 {
		t.Errorf("got %d audit entries, want 1", n)
	}
	s.as("DELETE", path+"/credits/"+credit, "", "Cookie", s.owner).problem(404, fault.CodeNotFound)
	s.checkInvariants()
}

func (s *auditShop) checkInvariants() {
	s.t.Helper()
	faults, err := s.shop.CheckInvariants(s.t.Context())
	if err != nil {
		s.t.Fatal(err)
	}
	for _, fault := range faults {
		s.t.Error(fault)
	}
}

// A credit remains if money was refunded for it, its units were sold or its order is closed, and
// for staff who cannot refund.
func TestAdmin_RemoveCreditRefused(t *testing.T) {
	t.Parallel()
	s := newAuditShop(t)
	s.removeInserted()
	member := s.session(t, staff.RoleStaff)
	path, accepted := s.deliverThree()
	s.must("POST", path+"/refund", `{"amount":2000,"reason":"damaged"}`)
	refunded := s.creditOf(path)
	before := s.sumsOf(path)
	refused := s.as("DELETE", path+"/credits/"+refunded, "", "Cookie", s.owner).problem(409, fault.CodeStateConflict)
	if refused.Details["refundedAmount"] != 2000.0 || !strings.Contains(refused.Detail, "refunded ৳20 for this credit") {
		t.Errorf("got %s %v, want the refunded amount", refused.Detail, refused.Details)
	}
	s.as("DELETE", path+"/credits/"+refunded, "", "Cookie", member).problem(403, fault.CodeForbidden)

	stock := s.shop.Number(t, `SELECT stock FROM variants WHERE id = ?`, s.values["variant"])
	s.shop.Exec(t, `UPDATE variants SET stock = 0 WHERE id = ?`, s.values["variant"])
	s.as("DELETE", path+"/credits/"+accepted, "", "Cookie", member).problem(409, fault.CodeStateConflict)
	s.shop.Exec(t, `UPDATE variants SET stock = ? WHERE id = ?`, stock, s.values["variant"])
	if got := s.sumsOf(path); got != before {
		t.Errorf("got %s\nwant %s", got, before)
	}
	s.as("DELETE", path+"/credits/"+accepted, "", "Cookie", member).ok(200, &struct{}{})

	path, accepted = s.deliverThree()
	s.must("POST", path+"/return", "{}")
	closed := s.as("DELETE", path+"/credits/"+accepted, "", "Cookie", s.owner).problem(409, fault.CodeStateConflict)
	if closed.Detail != "The order is returned: its credits cannot be removed." {
		t.Errorf("got %q", closed.Detail)
	}
	s.checkInvariants()
}

// A request to credit and refund a part that is repeated, even at once and after its response was
// lost, credits and refunds it once.
func TestAdmin_CreditRepeated(t *testing.T) {
	t.Parallel()
	for name, lost := range map[string]bool{"answered": false, "response lost": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newAuditShop(t)
			s.removeInserted()
			path, _ := s.deliverThree()
			const body = `{"items":[{"variantId":"<variant>","quantity":1,"restock":1}],"confirmDuplicate":true}`
			send := func() {
				got := s.as("POST", path+"/refund", body, "Cookie", s.owner, "Idempotency-Key", "credit")
				if got.status != 200 {
					t.Errorf("got %d %s, want the first success", got.status, got.body)
				}
			}
			if lost {
				s.server.LoseResponses()
				send()
			}
			var group sync.WaitGroup
			for range 4 {
				group.Go(send)
			}
			group.Wait()
			for what, query := range map[string]string{
				"credits": `SELECT COUNT(*) FROM order_credits WHERE uncollected = 0`,
				"refunds": `SELECT COUNT(*) FROM cash_refunds`,
				"units":   `SELECT SUM(restocked) - 1 FROM order_credits`,
				"entries": `SELECT COUNT(*) FROM audit_log WHERE action = 'order.refund'`,
			} {
				if n := s.shop.Number(t, query); n != 1 {
					t.Errorf("got %d %s, want 1", n, what)
				}
			}
			s.checkInvariants()
		})
	}
}
