package server_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"storefront/server/admin"
	"storefront/shop/fault"
	"storefront/shop/staff"
)

// Every list is paged: 50 items unless the client wants 1 to 100, never all of them. A misspelt
// parameter is refused rather than ignored.
func TestAdmin_Lists(t *testing.T) {
	t.Parallel()
	s := newAuditShop(t)
	s.createEndpoint()
	for i := range 60 {
		s.must("PATCH", "contacts/01811000000", fmt.Sprintf(`{"note":"%d"}`, i))
	}
	var doc struct {
		Paths map[string]map[string]struct {
			OperationID string
			Parameters  []struct{ Name string }
		}
	}
	s.get("/admin/openapi.json", "x-tenant", "").ok(200, &doc)
	lists := 0
	for path, operations := range doc.Paths {
		operation := operations["get"]
		has := func(name string) bool {
			return slices.ContainsFunc(operation.Parameters, func(p struct{ Name string }) bool { return p.Name == name })
		}
		if !has("page") {
			continue
		}
		lists++
		path = strings.NewReplacer("/admin/v1/shops/{tenant}/", "", "{variantId}", "<variant>", "{id}", "<endpoint>").Replace(path)
		for query, want := range map[string]string{
			"limit=-1": "limit invalid_value", "limit=0": "limit invalid_value", "limit=101": "limit invalid_value", "page=0": "page invalid_value",
			"limit=ten": "limit invalid_value", "sort=up": "sort invalid_value", "sortBy=colour": "sortBy invalid_value",
		} {
			if name, _, _ := strings.Cut(query, "="); !has(name) {
				continue
			}
			got := s.as("GET", path+"?"+query, "", "Cookie", s.owner).problem(422, fault.CodeValidationFailed)
			if got.fields() != want {
				t.Errorf("%s?%s: got fields %s, want %s", path, query, got.fields(), want)
			}
		}
		got := s.as("GET", path+"?limits=5", "", "Cookie", s.owner).problem(422, fault.CodeUnknownField)
		if got.fields() != "limits unknown_field" {
			t.Errorf("%s: got fields %s, want the misspelt parameter", path, got.fields())
		}
		var list struct {
			Nodes []json.RawMessage
			Meta  struct {
				TotalCount, CurrentPage, TotalPages *int
				HasNextPage                         *bool
			}
		}
		s.as("GET", path+"?page=2&limit=100", "", "Cookie", s.owner).ok(200, &list)
		if m := list.Meta; operation.OperationID != "getStockHistory" &&
			(list.Nodes == nil || len(list.Nodes) > 0 || m.TotalCount == nil || m.HasNextPage == nil || *m.CurrentPage != 2 || m.TotalPages == nil) {
			t.Errorf("%s: got %+v, want an empty second page", path, list)
		}
	}
	if lists < 16 {
		t.Errorf("got %d lists, want all", lists)
	}
	for query, want := range map[string]int{"": 50, "?limit=100": 60, "?limit=7": 7, "?page=2": 10} {
		var list struct{ Nodes []json.RawMessage }
		query = strings.TrimSuffix("?action=contact.edit&"+strings.TrimPrefix(query, "?"), "&")
		s.as("GET", "audit"+query, "", "Cookie", s.owner).ok(200, &list)
		if len(list.Nodes) != want {
			t.Errorf("audit%s: got %d entries, want %d", query, len(list.Nodes), want)
		}
	}
}

// The audit log is selected by time: from a time on, and before one.
func TestAdmin_AuditPeriod(t *testing.T) {
	t.Parallel()
	s := newAuditShop(t)
	var times []string
	for i := range 3 {
		s.shop.Clock.Advance(time.Second)
		times = append(times, s.shop.Clock.Now().UTC().Truncate(time.Millisecond).Format(time.RFC3339Nano))
		s.must("PATCH", "contacts/01811000000", fmt.Sprintf(`{"note":"%d"}`, i))
	}
	for query, want := range map[string]string{
		"": "2 1 0", "&from=" + times[1]: "2 1", "&before=" + times[1]: "0", "&from=" + times[1] + "&before=" + times[2]: "1",
	} {
		var list struct {
			Nodes []struct{ Changes []struct{ After string } }
			Meta  struct{ TotalCount int }
		}
		s.as("GET", "audit?action=contact.edit"+query, "", "Cookie", s.owner).ok(200, &list)
		var got []string
		for _, entry := range list.Nodes {
			got = append(got, entry.Changes[0].After)
		}
		if strings.Join(got, " ") != want || list.Meta.TotalCount != len(got) {
			t.Errorf("audit?%s: got %v of %d, want %s", query, got, list.Meta.TotalCount, want)
		}
	}
}

// No response of an operation may be stored by a cache.
func TestAdmin_NotCached(t *testing.T) {
	t.Parallel()
	s := newAuditShop(t)
	for _, o := range admin.Operations() {
		if o.Live {
			continue
		}
		for _, got := range []*reply{s.call(&o, "Cookie", s.owner), s.call(&o)} {
			if cached := got.header.Get("Cache-Control"); cached != "no-store" {
				t.Errorf("%s: got %d with Cache-Control %q, want no-store", o.ID, got.status, cached)
			}
		}
		if o.ID == "signOut" || o.ID == "endSessions" { // one that has not ended
			s.owner = "sf_admin=" + s.shop.Member(t, staff.RoleOwner, o.ID+"@example.com").Session
		}
	}
}
