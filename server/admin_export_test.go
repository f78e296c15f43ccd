package server_test

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"net/url"
	"strings"
	"testing"

	"storefront/shop/access"
	"storefront/shop/fault"
	"storefront/shop/order"
	"storefront/shop/shoptest"
)

// A file is sent as it is read; a caller who may not have it gets a problem instead.
func TestAdmin_Export(t *testing.T) {
	t.Parallel()
	s := newAdminSite(t, nil)
	key := s.key(t, "export", "products.read")
	for path, want := range map[string]string{
		"exports/orders?bom=false": "Order,Invoice,Placed at,", "exports/orders": "\ufeffOrder,Invoice,", "exports/products": "\ufeffHandle,Title,",
		"exports/cash": "\ufeffCourier,Consignment,",
	} {
		got := s.get("/admin/v1/shops/test/"+path, "Authorization", key)
		if got.status != 200 || !strings.HasPrefix(string(got.body), want) || got.header.Get("Content-Type") != "text/csv; charset=utf-8" ||
			!strings.HasPrefix(got.header.Get("Content-Disposition"), `attachment; filename="`) {
			t.Errorf("%s: got %d %v %.80q, want %q", path, got.status, got.header, got.body, want)
		}
	}
	const base = "/admin/v1/shops/test/"
	s.get(base+"exports/orders?view=none", "Authorization", key).problem(422, fault.CodeValidationFailed)
	s.get(base+"exports/orders?calls=often", "Authorization", key).problem(422, fault.CodeValidationFailed)
	s.get(base+"exports/orders", "Authorization", s.key(t, "orders.read")).problem(403, fault.CodeForbidden)
	for _, path := range []string{"exports/orders", "exports/products", "exports/cash", "customers/01711000000/export"} {
		if got := s.send("HEAD", base+path, "", "Authorization", key); got.status != 200 || len(got.body) > 0 {
			t.Errorf("HEAD %s: got %d %q, want 200 without a body", path, got.status, got.body)
		}
	}
	s.get(base+"customers/01999000000/export", "Authorization", key).problem(404, fault.CodeNotFound)
	for action, want := range map[string]int64{"export.orders": 2, "export.products": 1, "export.cash": 1, "export.customer": 0} {
		if n := s.shop.Number(t, `SELECT COUNT(*) FROM audit_log WHERE action = ?`, action); n != want {
			t.Errorf("got %d audit entries of %s, want %d: one for each file", n, action, want)
		}
	}
}

// Exports of records have a line for each, as the record alone is returned, and continue after any
// line.
func TestAdmin_ExportRecords(t *testing.T) {
	t.Parallel()
	s := newAdminSite(t, nil)
	const base = "/admin/v1/shops/test/"
	key := s.key(t, "export", "products.read", "products.write", "orders.read", "customers.read")
	for i := range 3 {
		s.send("POST", base+"products", fmt.Sprintf(`{"handle":"mug-%d","title":"Mug <%d>","variants":[{"price":10000}]}`, i, i),
			"Authorization", key).ok(201, &struct{}{})
	}
	for i := range 205 { // more than a part of the export, with IDs in another order than the numbers
		s.shop.InsertOrder(t, fmt.Sprintf("%016d", 1000-i), fmt.Sprintf("+88017110%05d", i))
	}
	s.shop.InsertLines(t)
	lines := func(path string) []string {
		t.Helper()
		got := s.get(base+path, "Authorization", key)
		if got.status != 200 || got.header.Get("Content-Type") != "application/x-ndjson; charset=utf-8" {
			t.Fatalf("%s: got %d %v %.80q", path, got.status, got.header, got.body)
		}
		return strings.SplitAfter(strings.TrimSuffix(string(got.body), "\n"), "\n")
	}
	var list struct{ Meta struct{ TotalCount int } }
	s.get(base+"customers", "Authorization", key).ok(200, &list)
	for name, of := range map[string]struct {
		count  int
		single string
	}{"orders": {206, "orders/"}, "products": {3, "products/"}, "customers": {count: list.Meta.TotalCount}} {
		all := lines("exports/" + name + ".ndjson")
		if len(all) != of.count {
			t.Fatalf("%s: got %d lines, want %d", name, len(all), of.count)
		}
		var again []string
		for after := ""; len(again) < of.count; {
			again = append(again, lines("exports/"+name+".ndjson?limit=70&after="+url.QueryEscape(after))...)
			last := again[len(again)-1]
			var record struct {
				ID          *string `json:"_id"`
				PhoneNumber *string
			}
			if err := json.Unmarshal([]byte(last), &record); err != nil {
				t.Fatalf("%s: %v in %s", name, err, last)
			}
			after = *cmp.Or(record.ID, record.PhoneNumber)
			if of.single == "" {
				continue
			}
			if one := string(s.get(base+of.single+after, "Authorization", key).body); strings.TrimSpace(one) != strings.TrimSpace(last) {
				t.Errorf("%s: got %s, want %s", name, last, one)
			}
		}
		for i := range all {
			if strings.TrimSpace(all[i]) != strings.TrimSpace(again[i]) {
				t.Fatalf("%s: line %d of parts is %s, want %s", name, i, again[i], all[i])
			}
		}
		s.get(base+"exports/"+name+".ndjson?limit=0", "Authorization", key).problem(422, fault.CodeValidationFailed)
		if name != "customers" {
			s.get(base+"exports/"+name+".ndjson?after=none", "Authorization", key).problem(422, fault.CodeValidationFailed)
			s.get(base+"exports/"+name+".ndjson", "Authorization", s.key(t, "customers.read")).problem(403, fault.CodeForbidden)
		}
	}
	if n := s.shop.Number(t, `SELECT COUNT(*) FROM audit_log WHERE action = 'export.customers'`); n != 4 {
		t.Errorf("got %d audit entries, want one for each file", n)
	}
}

// A file whose reading fails on the way is in the audit log: a part of it was sent.
func TestAdmin_ExportInterrupted(t *testing.T) {
	t.Parallel()
	s := newAdminSite(t, nil)
	for i := range 300 {
		s.shop.InsertOrder(t, fmt.Sprintf("%016d", i), shoptest.RahimsPhone)
	}
	s.shop.InsertLines(t)
	key := s.key(t, "export")
	revoke := &afterFirst{do: func() { s.shop.Exec(t, `DELETE FROM admin_tokens`) }}
	err := s.shop.Orders.ExportOrders(t.Context(), access.Caller{Bearer: strings.TrimPrefix(key, "Bearer ")}, order.ListFilter{}, revoke)
	shoptest.WantCode(t, err, fault.CodeUnauthenticated)
	if n := s.shop.Number(t, `SELECT COUNT(*) FROM audit_log WHERE action = 'export.orders'`); n != 1 {
		t.Errorf("got %d audit entries, want 1", n)
	}
}

// afterFirst is a writer that calls do after the first write.
type afterFirst struct {
	bytes.Buffer
	do func()
}

func (w *afterFirst) Write(p []byte) (int, error) {
	if w.do != nil {
		w.do()
		w.do = nil
	}
	return w.Buffer.Write(p)
}

// A product file is checked, refused with its problems, or imported whole.
func TestAdmin_ImportProducts(t *testing.T) {
	t.Parallel()
	s := newAdminSite(t, nil)
	key := s.key(t, "products.write", "products.read", "stock.write")
	const header = "Handle,Title,Status,Published,Variant SKU,Variant Inventory Tracker,Variant Inventory Qty,Variant Price\n"
	const good = header + "jam,Jam,active,true,JAM-1,shopify,5,120.00\n"
	send := func(query, body string, header ...string) *reply {
		t.Helper()
		header = append([]string{"Authorization", key, "Content-Type", "text/csv"}, header...)
		return s.send("POST", "/admin/v1/shops/test/imports/products"+query, body, header...)
	}
	products := func() int64 { return s.shop.Number(t, `SELECT COUNT(*) FROM products WHERE handle = 'jam'`) }
	var report struct {
		DryRun         bool
		Created        int
		Notes          []any
		IgnoredColumns []string
	}
	send("?dryRun=true", good).ok(200, &report)
	if !report.DryRun || report.Created != 1 || report.Notes == nil || report.IgnoredColumns == nil || products() != 0 {
		t.Errorf("dry run: got %+v and %d products, want 1 to create and none written", report, products())
	}
	refused := send("", good+"jam,Jam,active,true,JAM-2,shopify,5,dear\n").problem(422, fault.CodeValidationFailed)
	problems, _ := refused.Details["problems"].([]any)
	if len(problems) == 0 || !strings.Contains(fmt.Sprint(problems[0]), "code:not_amount column:Variant Price line:3") || products() != 0 {
		t.Errorf("got details %v and %d products, want the problem of line 3 and none written", refused.Details, products())
	}
	for range 2 { // the second is the response again
		send("", good, "Idempotency-Key", "file-1").ok(200, &report)
		if report.DryRun || report.Created != 1 || products() != 1 {
			t.Errorf("got %+v and %d products, want 1 created", report, products())
		}
	}
	send("", good, "Authorization", s.key(t, "products.read")).problem(403, fault.CodeForbidden)
}

// A file beyond the limit is refused whole.
func TestAdmin_CSVTooLarge(t *testing.T) {
	t.Parallel()
	s := newAdminSite(t, nil)
	file := "Handle,Title,Variant Price\njam,Jam,100\n" + strings.Repeat("\n", 20<<20)
	s.send("POST", "/admin/v1/shops/test/imports/products", file, "Authorization", s.key(t), "Content-Type", "text/csv").
		problem(413, fault.CodeTooLarge)
	if n := s.shop.Number(t, `SELECT COUNT(*) FROM products`); n != 0 {
		t.Errorf("got %d products, want none", n)
	}
}
