package server_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"storefront/shop/staff"
)

// An order's history names who caused an event, also after that member has left. Buyers do not see
// it.
func TestAdmin_OrderHistoryAuthors(t *testing.T) {
	t.Parallel()
	s := newAuditShop(t)
	member := "sf_admin=" + s.shop.Member(t, staff.RoleManager, "sadia@example.com").Session
	for _, one := range s.must("GET", "staff", "")["nodes"].([]any) {
		if one := one.(map[string]any); one["email"] == "sadia@example.com" {
			s.values["sadia"] = one["_id"].(string)
		}
	}
	s.must("PATCH", "staff/<sadia>", `{"name":"Sadia"}`)
	key := s.must("POST", "keys", `{"label":"Till"}`)["token"].(string)
	placed := s.must("POST", "orders", strings.Replace(placeBody, `{`, `{"confirm":false,`, 1))
	path := "orders/" + placed["order"].(map[string]any)["_id"].(string)
	for _, step := range [][]string{
		{"POST", path + "/calls", `{"outcome":"confirmed"}`, "Cookie", member},
		{"POST", path + "/shipments", `{"provider":"courier_a"}`, "Authorization", "Bearer " + key},
		{"POST", path + "/cancel", `{"reason":"Too late"}`, "Cookie", member},
		{"DELETE", "staff/<sadia>", "", "Cookie", s.owner},
	} {
		if got := s.as(step[0], step[1], step[2], step[3:]...); got.status >= 300 {
			t.Fatalf("%s: got %d: %s", step[1], got.status, got.body)
		}
	}
	seen := s.must("GET", path, "")
	var got []string
	for _, e := range seen["timeline"].([]any) {
		entry := e.(map[string]any)
		by, _ := entry["by"].(map[string]any)
		got = append(got, fmt.Sprint(entry["type"], " ", by["kind"], " ", by["name"]))
	}
	want := []string{
		"placed staff A owner", "confirmed staff Sadia", "shipment_created key Till", "processing key Till",
		"cancelled staff Sadia",
	}
	if !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	bought := s.send("GET", "/api/v1/orders/"+strings.TrimPrefix(path, "orders/"), "", "x-tenant", "test")
	if bought.status != 200 || strings.Contains(string(bought.body), "Sadia") {
		t.Errorf("the buyer's order: got %d %s, want no member", bought.status, bought.body)
	}
}
