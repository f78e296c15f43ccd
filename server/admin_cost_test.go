package server_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"storefront/shop/access"
	"storefront/shop/catalogue"
	"storefront/shop/fault"
	"storefront/shop/staff"
)

// costShop is a shop whose mug has a cost.
type costShop struct {
	*auditShop
}

const secretCost = 31337

func newCostShop(t *testing.T) costShop {
	t.Helper()
	s := costShop{newAuditShop(t)}
	s.must("PATCH", "products/mug", fmt.Sprintf(`{"variants":[{"cost":%d}]}`, secretCost))
	return s
}

// stored checks the cost in the database.
func (s costShop) stored(after string) {
	s.t.Helper()
	const query = `SELECT COALESCE(cost, -1) FROM variants WHERE sku = 'MUG-1'`
	if got := s.shop.Number(s.t, query); got != secretCost {
		s.t.Fatalf("after %s: got the cost %d, want it unchanged", after, got)
	}
}

// hidden sends a request and checks that its response has the status, a variant and no cost.
func (s costShop) hidden(status int, method, path, body string, header ...string) *reply {
	s.t.Helper()
	got := s.as(method, path, body, header...)
	text := string(got.body)
	if got.status != status || !strings.Contains(text, `"cost":null`) || strings.Contains(text, fmt.Sprint(secretCost)) ||
		strings.Contains(text, fmt.Sprintf("%.2f", secretCost/100.0)) {
		s.t.Errorf("%s %s: got %d %s, want %d without the cost", method, path, got.status, text, status)
	}
	return got
}

// Nobody without the permission for costs reads one in any response of a product.
func TestAdmin_CostNeedsPermission(t *testing.T) {
	t.Parallel()
	s := newCostShop(t)
	for name, caller := range map[string][]string{
		"staff": {"Cookie", s.session(t, staff.RoleStaff)}, "reader": {"Authorization", s.key(t, "products.read")},
		"writer": {"Authorization", s.key(t, "products.read", "products.write")},
	} {
		for _, path := range []string{"products", "products/mug", "search?q=mug"} {
			s.hidden(200, "GET", path, "", caller...)
		}
		if name != "writer" {
			continue
		}
		stale := append([]string{"If-Match", `"stale"`}, caller...)
		for _, method := range []string{"PATCH", "DELETE"} {
			body := ""
			if method == "PATCH" {
				body = `{"title":"Cup"}`
			}
			wantProblem(t, s.hidden(412, method, "products/mug", body, stale...), 412, fault.CodeChangedMeanwhile)
		}
		s.hidden(http.StatusCreated, "POST", "products/mug/duplicate", "", caller...)
		if n := s.shop.Number(t, `SELECT COUNT(*) FROM variants WHERE cost = ?`, secretCost); n != 2 {
			t.Errorf("got %d variants with the cost, want the duplicate's too", n)
		}
		s.hidden(http.StatusCreated, "POST", "products", `{"title":"Tea","variants":[{"price":900}]}`, caller...)
	}
	for name, caller := range map[string][]string{
		"owner": {"Cookie", s.owner}, "key": {"Authorization", s.key(t, "products.read", "costs.read")},
	} {
		if got := s.as("GET", "products/mug", "", caller...); !strings.Contains(string(got.body), fmt.Sprint(secretCost)) {
			t.Errorf("%s: got %s, want the cost", name, got.body)
		}
	}
}

// A caller who may not view costs changes none: neither by sending back what it has read, nor by
// setting one.
func TestAdmin_CostKept(t *testing.T) {
	t.Parallel()
	s := newCostShop(t)
	writer := []string{"Authorization", s.key(t, "products.read", "products.write")}
	read := s.hidden(200, "GET", "products/mug", "", writer...)
	version := read.header.Get("ETag")
	for _, body := range []string{
		`{"title":"Cup","variants":[{"price":46000,"cost":null}]}`, `{"variants":[{"sku":"MUG-1","price":47000}]}`,
	} {
		got := s.hidden(200, "PATCH", "products/mug", body, append([]string{"If-Match", version}, writer...)...)
		s.stored("PATCH " + body)
		if got.header.Get("ETag") == version {
			t.Errorf("PATCH %s: got the version before", body)
		}
		version = got.header.Get("ETag")
	}
	// The version that a caller reads says nothing of costs, which it cannot overwrite either.
	s.must("PATCH", "products/mug", `{"variants":[{"cost":500}]}`)
	s.hidden(200, "PATCH", "products/mug", `{"vendor":"Clay"}`, append([]string{"If-Match", version}, writer...)...)
	s.must("PATCH", "products/mug", fmt.Sprintf(`{"variants":[{"cost":%d}]}`, secretCost))

	for _, cost := range []int{0, 500, secretCost} {
		for method, path := range map[string]string{"PATCH": "products/mug", "POST": "products"} {
			got := s.as(method, path, fmt.Sprintf(`{"title":"Jam","variants":[{"price":900,"cost":%d}]}`, cost), writer...)
			wantProblem(t, got, 403, fault.CodeForbidden)
			if !strings.Contains(string(got.body), `"permission":"costs.read"`) {
				t.Errorf("%s with the cost %d: got %s, want the permission that is missing", method, cost, got.body)
			}
		}
	}
	s.stored("a cost that is not permitted")
	if n := s.shop.Number(t, `SELECT COUNT(*) FROM products WHERE title = 'Jam'`); n != 0 {
		t.Errorf("got %d products, want none created", n)
	}
	s.must("PATCH", "products/mug", `{"variants":[{"cost":null}]}`)
	if n := s.shop.Number(t, `SELECT COUNT(*) FROM variants WHERE cost IS NOT NULL`); n != 0 {
		t.Errorf("got %d costs, want that of the owner's null removed", n)
	}
}

// A file changes no cost for an importer who may not view it, and a file that was exported without
// costs changes none for anybody.
func TestAdmin_CostImported(t *testing.T) {
	t.Parallel()
	s := newCostShop(t)
	writer := []string{"Authorization", s.key(t, "products.read", "products.write", "stock.write", "export")}
	own := string(s.as("GET", "exports/products", "", writer...).body)
	full := string(s.as("GET", "exports/products", "", "Cookie", s.owner).body)
	if strings.Contains(own, "Cost per item") || strings.Contains(own, "313.37") || !strings.Contains(full, "313.37") {
		t.Fatalf("got the exports %s and %s, want the cost in the second alone", own, full)
	}
	woo := "Type,SKU,Name,Published,Regular price,Cost of goods\nsimple,MUG-1,Mug,1,480,7\n"
	for _, test := range []struct {
		name, file string
		caller     []string
		ignored    int
	}{
		{"its own export", own, writer, 0},
		{"its own export, by the owner", own, []string{"Cookie", s.owner}, 0},
		{"blank cells", "Handle,Title,Variant SKU,Variant Price,Cost per item\nmug,Mug,MUG-1,460,\n", writer, 1},
		{"other costs", strings.ReplaceAll(full, "313.37", "1.00"), writer, 1},
		{"no amounts", strings.ReplaceAll(full, "313.37", "a lot"), writer, 1},
		{"other costs of WooCommerce", woo, writer, 1},
	} {
		got := s.as("POST", "imports/products", test.file, test.caller...)
		var report catalogue.ImportReport
		if err := json.Unmarshal(got.body, &report); err != nil || got.status != 200 || len(report.IgnoredColumns) != test.ignored {
			t.Errorf("%s: got %d %s, want %d ignored columns", test.name, got.status, got.body, test.ignored)
		}
		s.stored("an import of " + test.name)
	}
	added := "Handle,Title,Variant SKU,Variant Price,Cost per item\ncup,Cup,CUP-1,460,9\n"
	s.as("POST", "imports/products", added, writer...).ok(200, &catalogue.ImportReport{})
	if n := s.shop.Number(t, `SELECT COUNT(*) FROM variants WHERE sku = 'CUP-1' AND cost IS NULL`); n != 1 {
		t.Errorf("got %d new variants without a cost, want 1", n)
	}
}

// The audit log shows costs to those alone who may view them.
func TestAdmin_CostAudited(t *testing.T) {
	t.Parallel()
	s := newCostShop(t)
	got := s.as("GET", "audit?subject=<product>", "", "Authorization", s.key(t, "audit.read"))
	text := string(got.body)
	if !strings.Contains(text, `"variants[0].cost","before":"`+access.Secret) || strings.Contains(text, fmt.Sprint(secretCost)) {
		t.Errorf("got %s, want a change without the cost", text)
	}
	if got := s.as("GET", "audit", "", "Cookie", s.owner); !strings.Contains(string(got.body), fmt.Sprint(secretCost)) {
		t.Errorf("got %s, want the cost for the owner", got.body)
	}
}
