package server_test

import (
	"fmt"
	"strings"
	"testing"
)

// Confirming all orders of a filter leaves out those with an address that couriers would reject,
// and names them, in the preview and in the job, also if the address was shortened in between.
func TestAdmin_ConfirmManyShortAddress(t *testing.T) {
	t.Parallel()
	s := newAuditShop(t)
	s.removeInserted()
	place := func(address string) string {
		body := strings.Replace(placeBody, `{`, `{"confirm":false,`, 1)
		body = strings.Replace(body, "House 7, Road 3", address, 1)
		return s.must("POST", "orders", body)["order"].(map[string]any)["_id"].(string)
	}
	good, short, later := place("House 7, Road 3"), place("House 7"), place("House 9, Road 3")
	results := func(dryRun bool) map[string]any {
		return s.must("POST", "bulk/orders", fmt.Sprintf(
			`{"action":"confirm","filter":{"view":"toConfirm"},"options":{"skipShortAddresses":true},"dryRun":%t}`, dryRun))
	}
	plan := results(true)
	if plan["done"] != 2.0 || plan["failed"] != 1.0 {
		t.Errorf("got a plan with %v and %v orders left out, want 2 and 1", plan["done"], plan["failed"])
	}
	for _, result := range plan["results"].([]any) {
		r := result.(map[string]any)
		if (r["subject"] == short) == (r["ok"] == true) || r["subject"] == short && r["field"] != "shippingAddress" {
			t.Errorf("got %v in the plan", r)
		}
	}
	s.must("PATCH", "orders/"+later, `{"shippingAddress":{"line1":"Home","city":"Dhaka"}}`)
	if job := results(false); job["done"] != 1.0 || job["failed"] != 2.0 {
		t.Errorf("got a job with %v and %v orders left out, want 1 and 2", job["done"], job["failed"])
	}
	for uid, want := range map[string]string{good: "confirmed", short: "pending", later: "pending"} {
		if got := s.must("GET", "orders/"+uid, "")["status"]; got != want {
			t.Errorf("got %v, want %s", got, want)
		}
	}
	plain := s.must("POST", "bulk/orders", `{"action":"confirm","ids":["`+short+`"]}`)
	if plain["done"] != 1.0 {
		t.Errorf("without the option: got %v, want a confirmed order", plain)
	}
}
