package tenants_test

import (
	"bytes"
	"encoding/csv"
	"testing"
	"time"

	"storefront/shop/plan"
	"storefront/shop/staff"
	"storefront/tenants"
)

// Requests of a shop are added to its month, by each server that counts them, and nothing is
// written without any.
func TestRequests_Saved(t *testing.T) {
	t.Parallel()
	a := newAgency(t)
	for range 3 {
		a.CountRequest(a.acme, 1500*time.Microsecond, 800*time.Microsecond)
	}
	a.CountRequest(a.own, time.Second, time.Second) // the installation is no shop
	if err := a.SaveRequests(t.Context()); err != nil {
		t.Fatal(err)
	}
	month := a.clock.Now().Format("2006-01")
	other := []plan.Requests{{UID: "acme", Month: month, Requests: 2, Milliseconds: 5, CPUMilliseconds: 1}} // of another server
	if err := a.own.Plans.AddRequests(t.Context(), other); err != nil {
		t.Fatal(err)
	}
	version, err := a.own.Version(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if err := a.SaveRequests(t.Context()); err != nil {
		t.Fatal(err)
	}
	if now, err := a.own.Version(t.Context()); err != nil || now != version {
		t.Errorf("got a write without requests")
	}
	list, err := a.ListShopUsage(t.Context(), a.operator(t, staff.OperatorViewer, "Vera"), tenants.UsageFilter{})
	if err != nil || len(list.Nodes) != 1 || list.Nodes[0].Requests != 5 || list.Nodes[0].RequestMilliseconds != 9 ||
		list.Nodes[0].CPUMilliseconds != 3 {
		t.Fatalf("got %+v, %v, want 5 requests of 9 ms with 3 ms of CPU time", list, err)
	}
	if stats := a.PlanStats()[""]; stats.Requests != 3 || stats.Shops != 1 {
		t.Errorf("got %+v, want three requests to a shop without a plan", stats)
	}
}

// The file of all shops has the plan and the requests.
func TestUsage_Export(t *testing.T) {
	t.Parallel()
	a := newAgency(t)
	shaila := a.operator(t, staff.OperatorOwner, "Shaila")
	savePlan(t, a, shaila, "basic", 5)
	if err := a.AssignPlan(t.Context(), shaila, "acme", new("basic")); err != nil {
		t.Fatal(err)
	}
	a.clock.Advance(time.Second)
	a.CountRequest(a.acme, time.Millisecond, 0)
	if err := a.SaveRequests(t.Context()); err != nil {
		t.Fatal(err)
	}
	var file bytes.Buffer
	if err := a.ExportUsage(t.Context(), shaila, "", &file); err != nil {
		t.Fatal(err)
	}
	records, err := csv.NewReader(&file).ReadAll()
	if err != nil || len(records) != 2 || records[1][0] != "acme" || records[1][16] != "basic" || records[1][18] != "1" {
		t.Errorf("got %v, %v", records, err)
	}
}
