package server_test

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"storefront/shop/order"
	"storefront/shop/page"
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
