package server_test

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"storefront/shop/order"
	"storefront/shop/page"
	"storefront/shop/shoptest"
	"storefront/shop/staff"
)

// An order is found by whatever a merchant has of it: words by their beginning, digits as an order
// number and as the end of a phone number.
func TestAdmin_OrderSearch(t *testing.T) {
	t.Parallel()
	s := newAuditShop(t)
	s.must("PATCH", "products/<product>", `{"title":"আমের আচার Mango Pickle"}`)
	placed := s.must("POST", "orders", `{"items":[{"variantId":"<variant>","quantity":1}],"source":"phone","confirm":true,
		"customer":{"name":"Ayesha Siddika","phoneNumber":"01911-234567"},
		"shippingAddress":{"line1":"House 7, Road 3","area":"Zindabazar","city":"Sylhet"}}`)
	invoice := placed["order"].(map[string]any)["invoiceUid"].(string)
	number := fmt.Sprint(placed["order"].(map[string]any)["orderNumber"])
	s.must("POST", "orders/"+invoice+"/shipments", `{"provider":"courier_a","consignmentId":"DL121224VS8TTJ","trackingCode":"TRK-77A"}`)
	for search, want := range map[string]bool{
		"ayesha": true, "AYESHA": true, "sidd": true, "Ayesha Siddika": true, "iddika": false, "yesha": false,
		"+8801911234567": true, "8801911234567": true, "01911234567": true, "01911-234567": true, "1911234567": true,
		"4567": true, "34567": true, "234567": true, "567": false, "০১৯১১২৩৪৫৬৭": true, "৪৫৬৭": true, "9999": false,
		"zinda": true, "Sylhet": true, "sylhet ayesha": true, "sylhet karim": false,
		"DL121224VS8TTJ": true, "dl1212": true, "TRK-77A": true, invoice: true, strings.ToLower(invoice[:8]): true,
		"আমের": true, "আচার": true, "mango": true, "pickle mango": true, "আচ": true, "MUG-1": true, "mug": true,
		number: true, "#" + number: true, "১০০১": true, "1002": false,
	} {
		var list page.List[order.Row]
		s.as("GET", "orders?search="+url.QueryEscape(search), "", "Cookie", s.owner).ok(http.StatusOK, &list)
		found := false
		for _, row := range list.Nodes {
			found = found || row.ID == invoice
		}
		if found != want {
			t.Errorf("search %q: found %v, want %v", search, found, want)
		}
	}
	// Digits that end the phone number of one order find another order by its number, too.
	s.shop.Exec(t, `UPDATE orders SET number = 4567 WHERE id = ?`, secondOrder)
	var list page.List[order.Row]
	s.as("GET", "orders?search=4567", "", "Cookie", s.owner).ok(http.StatusOK, &list)
	if len(list.Nodes) != 2 || list.Nodes[0].OrderNumber != 4567 {
		t.Errorf("got %+v, want the order with the number, and then that with the phone number", list.Nodes)
	}
}

// A search after a move or a bulk change finds what is indexed and states what is not. The rest is
// indexed in the background. An export by a search is complete.
func TestAdmin_OrderSearchBehind(t *testing.T) {
	t.Parallel()
	const orders, atOnce = 2500, 2000
	s := newAdminSite(t, nil)
	shoptest.InsertDelivered(t, s.shop.Store, s.shop.UID(), orders)
	s.shop.Exec(t, `INSERT INTO counters (name, value) SELECT 'order', MAX(number) FROM orders`)
	owner := s.session(t, staff.RoleOwner)
	get := func(path string) *reply {
		t.Helper()
		return s.send("GET", "/admin/v1/shops/test/"+path, "", "Cookie", owner)
	}
	index := func() {
		t.Helper()
		if next, err := s.shop.Orders.IndexOrders(t.Context()); err != nil || !next.IsZero() {
			t.Fatalf("got %v, %v, want all orders indexed at once", next, err)
		}
	}
	behind := &page.Indexing{Remaining: orders + 1 - atOnce}
	search := func(path string, want *page.Indexing) (total int) {
		t.Helper()
		var got struct {
			Indexing *page.Indexing
			Meta     page.ListMeta
		}
		get(path).ok(http.StatusOK, &got)
		if got.Indexing == nil {
			got.Indexing = got.Meta.Indexing
		}
		if diff := cmp.Diff(want, got.Indexing); diff != "" {
			t.Errorf("%s: indexing (-want +got):\n%s", path, diff)
		}
		return got.Meta.TotalCount
	}
	if total := search("orders?view=all&search=DL0", behind); total != atOnce {
		t.Errorf("got %d orders, want the newest %d", total, atOnce)
	}
	const begin = `DELETE FROM cursors WHERE name IN ('order_search', 'order_search_backfill')`
	for _, path := range []string{"cash/shipments?search=DL0", "search?q=DL0"} {
		s.shop.Exec(t, begin)
		search(path, behind)
	}
	s.shop.Exec(t, begin)
	file := get("exports/orders?search=DL0")
	if lines := strings.Count(string(file.body), "\n"); lines != orders+1 {
		t.Errorf("export: got %d lines, want a header and %d orders", lines, orders)
	}
	s.shop.Exec(t, begin)
	index()
	if total := search("orders?view=all&search=DL0", nil); total != orders {
		t.Errorf("got %d orders, want all %d", total, orders)
	}

	s.shop.Exec(t, `
		INSERT INTO outbox (seq, at, type, subject, data)
		SELECT COALESCE((SELECT MAX(seq) FROM outbox), 0) + number, ?, 'order.edited', id, '{"orderNumber":' || number || '}'
		FROM orders`, s.shop.Clock.Now().UnixMilli())
	search("orders?view=all&search=DL0", behind)
	s.shop.Exec(t, `UPDATE cursors SET seq = seq - ? WHERE name = 'order_search'`, atOnce)
	index()
	search("orders?view=all&search=DL0", nil)
}
