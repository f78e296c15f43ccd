package server_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"

	"storefront/shop/catalogue"
	"storefront/shop/fault"
	"storefront/shop/page"
	"storefront/shop/shoptest"
)

// stock returns the stock that the API lists, as text, and the position of the page.
func (s *auditShop) stock(query string) (string, page.ListMeta) {
	s.t.Helper()
	var list page.List[catalogue.StockLevel]
	got := s.as("GET", "stock?"+query, "", "Cookie", s.owner)
	if err := json.Unmarshal(got.body, &list); err != nil || got.status != http.StatusOK {
		s.t.Fatalf("stock?%s: got %d: %s", query, got.status, got.body)
	}
	var texts []string
	for _, level := range list.Nodes {
		texts = append(texts, fmt.Sprint(*level.SKU, " ", level.Stock))
	}
	return strings.Join(texts, ", "), list.Meta
}

// sell adds a product with variants of a few states of stock to the mug, of which there are 10.
func (s *auditShop) sell() {
	s.t.Helper()
	s.product("POST", "products", `{"title":"Cotton panjabi","status":"active","options":["Size"],"variants":[
		{"options":["S"],"sku":"P-S","barcode":"8901","price":100,"stock":3},
		{"options":["M"],"sku":"P-M","barcode":"8902","price":100,"stock":0},
		{"options":["L"],"sku":"P-L","price":100,"stock":-2,"backorder":true},
		{"options":["XL"],"sku":"P-XL","price":100,"tracked":false}]}`)
	s.product("POST", "products", `{"title":"Old cap","status":"archived","variants":[{"sku":"CAP","price":100,"stock":0}]}`)
}

// The list has the variants of a status, or of a code or words, by page.
func TestAdmin_ListStock(t *testing.T) {
	t.Parallel()
	s := newAuditShop(t)
	s.sell()
	for query, want := range map[string]string{
		"":                             "P-L -2, P-M 0, P-S 3",
		"status=low":                   "P-S 3",
		"status=out":                   "P-M 0",
		"status=all":                   "MUG-1 10, P-S 3, P-M 0, P-L -2, P-XL 0",
		"status=all&limit=2&page=2":    "P-M 0, P-L -2",
		"limit=1&page=2":               "P-M 0",
		"status=all&search=panjabi":    "P-S 3, P-M 0, P-L -2, P-XL 0",
		"status=all&search=panjabbi":   "P-S 3, P-M 0, P-L -2, P-XL 0",
		"status=all&search=p-m":        "P-M 0",
		"status=all&search=8901":       "P-S 3",
		"status=out&search=8901":       "",
		"status=low&search=cotton":     "P-S 3",
		"status=all&search=teapot":     "",
		"status=all&search=cap":        "",
		"status=all&search=%27%22%20-": "",
	} {
		if got, _ := s.stock(query); got != want {
			t.Errorf("stock?%s: got %q, want %q", query, got, want)
		}
	}
	if _, meta := s.stock("status=all&limit=2"); meta.TotalCount != 5 || meta.TotalPages != 3 || !meta.HasNextPage || meta.Bounded {
		t.Errorf("got %+v, want 5 variants on 3 pages", meta)
	}
	wantProblem(t, s.as("GET", "stock?status=none", "", "Cookie", s.owner), 422, fault.CodeValidationFailed)
	wantProblem(t, s.as("GET", "stock", "", "Authorization", s.key(t, "stock.write")), 403, fault.CodeForbidden)
}

// Many stocks change together, once, each with its movement and its entry in the audit log.
func TestAdmin_ChangeStocks(t *testing.T) {
	t.Parallel()
	s := newAuditShop(t)
	s.sell()
	const body = `{"note":"counted","items":[{"sku":"P-S","set":20},{"variantId":"<variant>","adjust":-4},{"sku":"P-L","adjust":-1},
		{"sku":"P-M","set":0}]}`
	first := s.as("POST", "bulk/stock", body, "Cookie", s.owner, "Idempotency-Key", "1")
	var changed struct{ Items []catalogue.StockLevel }
	if err := json.Unmarshal(first.body, &changed); err != nil || len(changed.Items) != 4 || changed.Items[1].Stock != 6 ||
		changed.Items[0].Status != catalogue.StockIn {
		t.Fatalf("got %d: %s, want four levels in the order of the request", first.status, first.body)
	}
	if again := s.as("POST", "bulk/stock", body, "Cookie", s.owner, "Idempotency-Key", "1"); string(again.body) != string(first.body) {
		t.Errorf("again: got %d: %s, want the first response", again.status, again.body)
	}
	const all = "MUG-1 6, P-S 20, P-M 0, P-L -3, P-XL 0"
	want := func(what string) {
		t.Helper()
		if got, _ := s.stock("status=all"); got != all {
			t.Errorf("%s: got %s, want %s", what, got, all)
		}
		if n := s.shop.Number(t, `SELECT COUNT(*) FROM audit_log WHERE action = 'stock.change'`); n != 3 {
			t.Errorf("%s: got %d entries in the audit log, want one for each changed variant", what, n)
		}
		if n := s.shop.Number(t, `SELECT COUNT(*) FROM stock_movements WHERE note = 'counted'`); n != 3 {
			t.Errorf("%s: got %d movements, want 3", what, n)
		}
	}
	want("changed")

	for body, field := range map[string]string{
		`{"items":[]}`:                                                                "items",
		`{"items":[{"sku":"P-S"}]}`:                                                   "items[0].set",
		`{"items":[{"sku":"P-S","set":1},{"set":1}]}`:                                 "items[1].variantId",
		`{"items":[{"sku":"P-S","variantId":"<variant>","set":1}]}`:                   "items[0].variantId",
		`{"items":[{"sku":"P-S","set":1,"adjust":1}]}`:                                "items[0].adjust",
		`{"items":[{"sku":"P-S","adjust":1,"from":1}]}`:                               "items[0].from",
		`{"items":[{"sku":"P-S","set":1},{"sku":"NOPE","set":1}]}`:                    "items[1].sku",
		`{"items":[{"sku":"P-S","set":1},{"variantId":"NOPE","set":1}]}`:              "items[1].variantId",
		`{"items":[{"sku":"MUG-1","set":1},{"variantId":"<variant>","set":2}]}`:       "items[1].variantId",
		`{"items":[{"sku":"MUG-1","set":1},{"sku":"P-S","adjust":-21}]}`:              "items[1].stock",
		`{"items":[{"sku":"MUG-1","set":1},{"sku":"P-S","set":1,"from":22}]}`:         "items[1].stock",
		`{"items":[{"sku":"MUG-1","set":1},{"sku":"P-XL","set":1}]}`:                  "items[1].tracked",
		`{"items":[{"sku":"MUG-1","set":1000000000000}]}`:                             "items[0].set",
		`{"note":"` + strings.Repeat("x", 201) + `","items":[{"sku":"P-S","set":1}]}`: "note",
		`{"items":[` + strings.Repeat(`{"sku":"P-S","set":1},`, 500) + `{}]}`:         "items",
	} {
		got := s.as("POST", "bulk/stock", body, "Cookie", s.owner)
		var problem struct{ Errors []fault.FieldError }
		if err := json.Unmarshal(got.body, &problem); err != nil || got.status != 422 || len(problem.Errors) != 1 || problem.Errors[0].Field != field {
			t.Errorf("%.200s: got %d: %s, want %s", body, got.status, got.body, field)
		}
	}
	want("after invalid input")
	wantProblem(t, s.as("POST", "bulk/stock", body, "Authorization", s.key(t, "products.write")), 403, fault.CodeForbidden)
	shoptest.CheckStock(t, s.shop.Shop, s.shop.Store)
}

// What the shop sells while staff count is not lost: a count with the stock that it began with
// moves the stock by the difference, and a subtraction never takes what an order has.
func TestAdmin_ChangeStocks_ConcurrentSales(t *testing.T) {
	t.Parallel()
	const sales, counts = 6, 4
	s := newAuditShop(t)
	s.removeInserted()
	s.sell()
	s.must("POST", "stock/<variant>", `{"set":20}`)
	count := func(body string) int {
		return s.as("POST", "bulk/stock", `{"items":[{"sku":"P-S","adjust":1},`+body+`]}`, "Cookie", s.owner).status
	}
	var wait sync.WaitGroup
	for range sales {
		wait.Go(func() {
			if got := s.as("POST", "orders", placeBody, "Cookie", s.owner); got.status != http.StatusCreated {
				t.Errorf("place an order: got %d: %s", got.status, got.body)
			}
		})
	}
	for range counts {
		wait.Go(func() {
			if got := count(`{"sku":"MUG-1","set":20,"from":20}`); got != http.StatusOK {
				t.Errorf("count: got %d", got)
			}
		})
	}
	wait.Wait()
	if got := count(`{"variantId":"<variant>","set":19,"from":20}`); got != http.StatusOK { // one was broken before the sales
		t.Errorf("count: got %d", got)
	}
	if got, _ := s.stock("status=all&search=mug"); got != "MUG-1 13" {
		t.Errorf("got %s, want 20 less one broken and %d sold", got, sales)
	}

	var mutex sync.Mutex
	left := map[bool]int{}
	for i := range 20 { // of 13
		wait.Go(func() {
			ok := false
			if i%2 == 0 {
				ok = s.as("POST", "orders", placeBody, "Cookie", s.owner).status == http.StatusCreated
			} else {
				ok = count(`{"sku":"MUG-1","adjust":-1}`) == http.StatusOK
			}
			mutex.Lock()
			defer mutex.Unlock()
			left[ok]++
		})
	}
	wait.Wait()
	if got, _ := s.stock("status=all&search=mug"); got != "MUG-1 0" || left[true] != 13 {
		t.Errorf("got %s after %d of 20 changes, want none left after 13", got, left[true])
	}
	shoptest.CheckStock(t, s.shop.Shop, s.shop.Store)
}
