package server_test

import (
	"fmt"
	"regexp"
	"strings"
	"testing"

	"storefront/shop/access"
	"storefront/shop/fault"
	"storefront/shop/order"
	"storefront/shop/plugin"
	"storefront/shop/staff"
)

// Documents of orders are pages without scripts, in either language, in the order of the IDs.
func TestAdminPrint(t *testing.T) {
	t.Parallel()
	s := newAdminSite(t, nil)
	const first, second = "0123456789ABCDEF", "0000000000000002"
	s.shop.InsertOrder(t, second, "+8801819336204")
	s.shop.Exec(t, `UPDATE orders SET customer_name = '<b>রহিমা</b>', total = 11240050, subtotal = 11240050 WHERE number = 2`)
	if _, err := s.shop.Orders.ConfirmOrder(t.Context(), access.Operator(), second); err != nil {
		t.Fatal(err)
	}
	shipment := order.ShipmentInput{Provider: plugin.CourierB, ConsignmentID: "DL221126K7M2"}
	if _, err := s.shop.Orders.RecordShipment(t.Context(), access.Operator(), second, shipment); err != nil {
		t.Fatal(err)
	}
	viewer := s.session(t, staff.RoleViewer)
	print := func(kind, query string) *reply {
		t.Helper()
		return s.get("/admin/v1/shops/test/print/"+kind+"?"+query, "x-tenant", "", "Cookie", viewer)
	}
	both := "&ids=" + second + "&ids=" + first
	tests := []struct {
		kind, query string
		want        []string // in this order
	}{
		{"label", "lang=en" + both, []string{
			"/a6.css", "Steadfast", "#2", "Collect cash", "৳1,12,400.50", "&lt;b&gt;রহিমা", "01819-336 204", "DL221126K7M2", "#1",
		}},
		{"label", "lang=bn&size=58mm" + both, []string{
			"/58mm.css", "স্টেডফাস্ট", "#২", "নগদ আদায় করুন", "৳১,১২,৪০০.৫০", "০১৮১৯-৩৩৬ ২০৪", "DL221126K7M2",
		}},
		{"invoice", "lang=en" + both, []string{"/a4.css", "Invoice", "#2", "Total", "৳1,12,400.50", "Invoice", "#1"}},
		{"packing", "lang=bn&ids=" + first, []string{"/a5.css", "প্যাকিং স্লিপ", "#১", "Rahim Uddin", "Ring twice"}},
		{"picklist", "lang=en" + both, []string{"/a4.css", "Pick list", "Orders 2"}},
		// An example needs no orders, and has the shop's own settings.
		{"label", "lang=en&sample=true&size=58mm", []string{"/58mm.css", "#1024", "Collect cash", "৳1,720", "Rokeya Sultana", "DT2611240001"}},
		{"invoice", "lang=bn&sample=true&size=a5", []string{"/a5.css", "#১০২৪", "টেরাকোটার দুল", "৳৯০০", "EID100", "৳১,৭২০"}},
		{"handover", "lang=en" + both, []string{"Handover sheet · Steadfast", "1 shipment", "DL221126K7M2", "Received by"}},
	}
	for _, test := range tests {
		got := print(test.kind, test.query)
		page := string(got.body)
		if policy := got.header.Get("Content-Security-Policy"); got.status != 200 || strings.Contains(page, "<script") ||
			strings.Contains(policy, "script-src") || !strings.Contains(policy, "default-src 'none'") || got.header.Get("Cache-Control") != "no-store" {
			t.Errorf("%s: got %d, policy %q", test.kind, got.status, policy)
		}
		rest := page
		for _, want := range test.want {
			_, after, ok := strings.Cut(rest, want)
			if !ok {
				t.Errorf("%s?%s: got no %q after what precedes it in\n%s", test.kind, test.query, want, page)
				break
			}
			rest = after
		}
		style := regexp.MustCompile(`href="([^"]+\.css)"`).FindStringSubmatch(page)[1]
		if css := s.get(style, "x-tenant", ""); css.status != 200 || !strings.Contains(string(css.body), "@page") {
			t.Errorf("%s: got %d, want a style sheet with the size of the page", style, css.status)
		}
	}
	if page := string(print("packing", "ids="+first).body); strings.Contains(page, "৳") {
		t.Errorf("packing slip: got prices in\n%s", page)
	}
	print("label", "size=a4&ids="+first).problem(422, fault.CodeValidationFailed)
	print("label", "size=receipt&ids="+first).problem(422, fault.CodeValidationFailed)
	print("label", "").problem(422, fault.CodeValidationFailed)
	print("poster", "ids="+first).problem(422, fault.CodeValidationFailed)
	print("label", "ids="+first+"&ids=0000000000000009").problem(404, fault.CodeNotFound)
	// Only documents of several orders are in the audit log.
	entries, err := s.shop.Staff.ListAudit(t.Context(), access.Operator(), staff.AuditFilter{Action: "order.print"})
	if err != nil {
		t.Fatal(err)
	}
	if len(entries.Nodes) != 5 || entries.Nodes[4].Subject.Label != "label × 2" {
		t.Errorf("got audit entries %+v, want five", entries.Nodes)
	}
	// Each kind has its sizes, and a packing slip has no prices on any of them.
	for kind, sizes := range map[string]string{
		"label": "a6 100x150 80mm 58mm a4x4", "invoice": "a4 a5 80mm 58mm receipt", "packing": "a5 a4 80mm 58mm", "picklist": "a4", "handover": "a4",
	} {
		for size := range strings.FieldsSeq(sizes) {
			got := print(kind, "lang=en&size="+size+both)
			page := string(got.body)
			style := strings.ReplaceAll(size, "receipt", "80mm")
			if got.status != 200 || !strings.Contains(page, "/"+style+".css") {
				t.Errorf("%s of %s: got %d and\n%s\nwant its style sheet", kind, size, got.status, page)
			}
			if hasPrice := strings.Contains(page, "৳"); kind == "packing" && hasPrice || kind == "invoice" && !hasPrice {
				t.Errorf("%s of %s: got prices: %v", kind, size, hasPrice)
			}
		}
	}
	var many strings.Builder
	for i := range 201 {
		fmt.Fprintf(&many, "&ids=%016X", i)
	}
	print("label", many.String()).problem(422, fault.CodeValidationFailed)
}

// Labels and handover sheets are in the order of the IDs, or by courier and consignment.
func TestAdminPrint_Order(t *testing.T) {
	t.Parallel()
	s := newAdminSite(t, nil)
	consignments := map[string]string{"F00000000000000F": "CN-1000", "A00000000000000A": "CN-999", "C00000000000000C": "CN-12"}
	query := ""
	for _, id := range []string{"F00000000000000F", "A00000000000000A", "C00000000000000C"} {
		s.shop.InsertOrder(t, id, "+8801819336204")
		if _, err := s.shop.Orders.ConfirmOrder(t.Context(), access.Operator(), id); err != nil {
			t.Fatal(err)
		}
		shipment := order.ShipmentInput{Provider: plugin.CourierB, ConsignmentID: consignments[id]}
		if _, err := s.shop.Orders.RecordShipment(t.Context(), access.Operator(), id, shipment); err != nil {
			t.Fatal(err)
		}
		query += "&ids=" + id
	}
	viewer := s.session(t, staff.RoleViewer)
	for _, kind := range []string{"label", "handover"} {
		for sorted, want := range map[string]string{
			"": "CN-1000 CN-999 CN-12", "false": "CN-1000 CN-999 CN-12", "true": "CN-12 CN-999 CN-1000",
		} {
			got := s.get("/admin/v1/shops/test/print/"+kind+"?byConsignment="+sorted+query, "x-tenant", "", "Cookie", viewer)
			found := regexp.MustCompile(`CN-\d+`).FindAllString(string(got.body), -1)
			if order := strings.Join(found, " "); got.status != 200 || order != want {
				t.Errorf("%s, by consignment %q: got %d, %s, want %s", kind, sorted, got.status, order, want)
			}
		}
	}
}
