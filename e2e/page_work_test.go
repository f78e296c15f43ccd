package e2e

import (
	"encoding/json"
	"net/http"
	"testing"
)

// A shop that is attacked requires a proof of work. A guest still orders at its page, and a
// customer signs in: the browser does the work.
func TestPage_ProofOfWork(t *testing.T) {
	onlyWithAll(t)
	t.Parallel()
	data := demoData(t)
	p := serve(t, "--dev", "--data", data)
	run(t, "tenant", "set", "demo", `proofOfWork=["otp","orders"]`, "--data", data)
	code := map[string]any{"phoneNumber": "01811-000009"}
	var problem struct{ Code string }
	r := p.must(request{tenant: "demo", method: http.MethodPost, path: "/api/v1/auth/otp/send", body: code})
	if err := json.Unmarshal(r.body, &problem); err != nil || r.status != http.StatusForbidden || problem.Code != "work_required" {
		t.Fatalf("a program without a proof: got %d %s, want work_required", r.status, r.body)
	}

	s := newBuyer(t, p, 390)
	s.AllowProblem("status of 403") // the challenges
	s.visit("?product=jute-basket")
	s.addAndCheckout()
	s.fillAddress()
	s.Click("#place")
	s.waitOrder()
	s.wantText(".order", "Thank you", "Rahima Khatun")
	if got := countOrders(t, data); got != 1 {
		t.Errorf("got %d orders, want 1", got)
	}

	s.signInByCode("01811-000009", "Karim Miah")
}
