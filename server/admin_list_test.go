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
	s.must("PATCH", "settings", `{"secondLocale":"bn"}`)
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
		if !has("page") || strings.HasPrefix(path, admin.OperatorPrefix) { // operators have another session
			continue
		}
		lists++
		path = strings.NewReplacer("/admin/v1/shops/{tenant}/", "", "{variantId}", "<variant>", "{id}", "<endpoint>", "{kind}", "product").Replace(path)
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

// Each filter of a list selects by what it is named after, alone and with others.
func TestAdmin_OrderFilters(t *testing.T) {
	t.Parallel()
	s := newAuditShop(t)
	s.shop.Exec(t, `
		INSERT INTO order_items (order_number, position, product_id, variant_id, title, variant_title, sku, image_url, quantity, unit_price,
			discount, stock_taken)
		SELECT number, 1, ?, ?, 'Mug', '', '', '', 1, 900, 0, 0
		FROM orders
		WHERE id = ?`, s.values["product"], s.values["variant"], secondOrder)
	s.must("PUT", "orders/"+secondOrder+"/tags", `{"tags":["Gift"]}`)
	s.must("POST", "orders/"+secondOrder+"/calls", `{"outcome":"no_answer","callAt":"`+s.shop.Clock.Now().Add(time.Hour).Format(time.RFC3339)+`"}`)
	s.must("PATCH", "orders/"+secondOrder, `{"customer":{"name":"Salma"}}`)
	s.shop.Clock.Advance(2 * time.Hour)
	s.shop.Exec(t, `
		UPDATE orders
		SET status = 'completed', payment_status = 'paid', fulfillment_status = 'delivered', payment_method = 'gateway_a', courier = 'courier_b',
			shipment_status = 'delivered', source = 'phone', city = 'Sylhet', subtotal = 900, total = 900, placed_at = 5000, test = 1
		WHERE id = ?`, secondOrder)
	s.shop.Exec(t, `UPDATE orders SET work = 1, updated_at = 9999999999999 WHERE id = ?`, auditedOrder)
	const first, second = auditedOrder, secondOrder
	for query, want := range map[string]string{
		"": second + " " + first, "sort=asc": first + " " + second, "sortBy=placedAt": second + " " + first,
		"sortBy=updatedAt": first + " " + second, "sortBy=total&sort=asc": first + " " + second, "sortBy=total": second + " " + first,
		"sortBy=callDue": second + " " + first, "sortBy=callDue&sort=desc": second + " " + first,
		"ids=" + first: first, "ids=" + first + "&ids=" + second: second + " " + first, "view=toConfirm": first, "view=all": first,
		"view=done": "", "view=done&test=true": second, "test=true": second, "test=false": first,
		"status=pending": first, "status=completed": second, "status=completed&status=pending": second + " " + first,
		"paymentStatus=unpaid": first, "paymentStatus=paid": second, "fulfillmentStatus=unfulfilled": first, "fulfillmentStatus=delivered": second,
		"paymentMethod=cod": first, "paymentMethod=gateway_a": second, "courier=courier_b": second, "courier=courier_a": "",
		"shipmentStatus=delivered": second, "shipmentStatus=created": "", "tags=gift": second, "tags=eid": "",
		"source=storefront": first, "source=phone": second, "city=Dhaka": first, "city=Sylhet": second, "productId=<product>": second,
		"productId=none": "", "calls=none": first, "calls=some": second, "calls=due": second, "placedFrom=1970-01-01T00:00:05Z": second,
		"placedBefore=1970-01-01T00:00:05Z": first, "minTotal=900": second, "maxTotal=899": first, "minTotal=101&maxTotal=899": "",
		"search=salma": second, "search=rahim": first, "city=Sylhet&status=completed": second, "city=Sylhet&status=pending": "",
	} {
		var list struct {
			Nodes []struct {
				ID string `json:"_id"`
			}
			Meta struct{ TotalCount int }
		}
		s.as("GET", "orders?"+query, "", "Cookie", s.owner).ok(200, &list)
		var got []string
		for _, node := range list.Nodes {
			got = append(got, node.ID)
		}
		if strings.Join(got, " ") != want || list.Meta.TotalCount != len(got) {
			t.Errorf("orders?%s: got %q of %d, want %q", query, got, list.Meta.TotalCount, want)
		}
	}
}

// No response of an operation may be stored by a cache.
func TestAdmin_NotCached(t *testing.T) {
	t.Parallel()
	s := newAuditShop(t)
	for _, o := range shopOperations() {
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

// The other lists have the filters of what they show.
func TestAdmin_ListFilters(t *testing.T) {
	t.Parallel()
	s := newAuditShop(t)
	s.ship()
	s.must("PATCH", "orders/"+secondOrder, `{"note":"Ring once"}`)
	s.shop.Exec(t, `
		INSERT INTO payment_attempts (id, order_id, method, mode, status, amount, external_id, transaction_id, redirect_url, error_code,
			created_at, updated_at)
		VALUES ('REVIEW', ?, 'gateway_a', 'live', 'needs_review', 100, 'X1', 'T1', '', '', 1, 1),
			('DUE', ?, 'gateway_b', 'live', 'refund_due', 100, 'X2', 'T2', '', '', 2, 2)`, secondOrder, secondOrder)
	s.shop.Exec(t, `
		INSERT INTO provider_webhooks (id, provider, key, content_type, body, event, verdict, reason, copies, received_at, last_at)
		VALUES ('CALL', 'gateway_a', ?, '', ?, 'VALID', 'unmatched', '', 1, 1, 1)`, []byte("key"), []byte("body"))
	s.shop.Exec(t, `INSERT INTO refused_webhooks (provider, slot, reason, received, at) VALUES ('courier_a', 1, 'signature', 3, ?)`,
		s.shop.Clock.Now().UnixMilli())
	soon := s.shop.Clock.Now().Add(time.Minute).Format(time.RFC3339)
	for path, want := range map[string]int{
		"payments": 2, "payments?status=needs_review": 1, "payments?status=refund_due&status=needs_review": 2, "payments?status=failed": 0,
		"payments?method=gateway_b": 1, "payments?search=T2": 1, "payments?search=2": 2, "payments?limit=1": 1,
		"cash/shipments": 1, "cash/shipments?courier=courier_a": 1, "cash/shipments?courier=courier_b": 0, "cash/shipments?status=underWay": 1,
		"cash/shipments?status=held": 0, "cash/shipments?status=paid": 0, "cash/shipments?status=different": 0, "cash/shipments?search=C1": 1,
		"cash/shipments?search=C2": 0, "cash/shipments?from=" + soon: 0, "cash/shipments?before=" + soon: 1,
		"audit?action=order.edit": 1, "audit?action=order.edit&actor=staff": 1, "audit?action=order.edit&actor=cli": 0,
		"audit?subject=" + secondOrder: 1, "audit?action=order.edit&subject=" + auditedOrder: 0,
		"audit?action=order.edit&from=" + soon: 0, "audit?action=order.edit&before=" + soon: 1,
		"provider-webhooks": 1, "provider-webhooks?provider=gateway_a": 1, "provider-webhooks?provider=courier_a": 0,
		"provider-webhooks?verdict=unmatched": 1, "provider-webhooks?verdict=applied": 0,
		"refused-webhooks": 1, "refused-webhooks?provider=courier_a": 1, "refused-webhooks?provider=gateway_a": 0,
	} {
		var list struct{ Nodes []json.RawMessage }
		s.as("GET", path, "", "Cookie", s.owner).ok(200, &list)
		if len(list.Nodes) != want {
			t.Errorf("%s: got %d nodes, want %d", path, len(list.Nodes), want)
		}
	}
}
