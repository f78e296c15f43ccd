package server_test

import (
	"net/http"
	"testing"

	"storefront/shop/fault"
)

// An incomplete order that is closed is closed once: the API refuses what does not follow its
// status.
func TestAdmin_IncompleteOrders(t *testing.T) {
	t.Parallel()
	s := newAuditShop(t)
	s.typed()
	path := "incomplete-orders/" + s.values["incomplete"]
	do := func(method, path string) *reply { return s.as(method, path, "", "Cookie", s.owner) }
	if got := s.must("GET", "incomplete-orders?status=open&search=88017", ""); len(got["nodes"].([]any)) != 1 {
		t.Errorf("got %v, want one", got)
	}
	do("GET", "incomplete-orders?status=none").problem(http.StatusUnprocessableEntity, fault.CodeValidationFailed)
	do("GET", "analytics/incomplete?from=x").problem(http.StatusUnprocessableEntity, fault.CodeValidationFailed)
	do("POST", path+"/block")
	do("POST", path+"/close").problem(http.StatusConflict, fault.CodeStateConflict)
	do("POST", path+"/reopen").problem(http.StatusConflict, fault.CodeStateConflict)
	s.shop.Exec(t, `UPDATE incomplete_orders SET status = 'ordered', order_number = (SELECT MIN(number) FROM orders)`)
	do("POST", path+"/block").problem(http.StatusConflict, fault.CodeStateConflict)
	for _, action := range []string{"", "/close", "/reopen", "/block"} {
		method := "POST"
		if action == "" {
			method = "DELETE"
		}
		do(method, "incomplete-orders/NONE"+action).problem(http.StatusNotFound, fault.CodeNotFound)
	}
	do("GET", "incomplete-orders/NONE").problem(http.StatusNotFound, fault.CodeNotFound)
}
