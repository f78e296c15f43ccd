package server_test

import (
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"storefront/server"
	"storefront/shop/order"
	"storefront/shop/shoptest"
	"storefront/shop/staff"
)

// After a clock went back, lists of orders by time have the orders by number all the same: for
// buyers by REST and GraphQL, and for staff.
func TestOrders_ClockWentBack(t *testing.T) {
	t.Parallel()
	a := shoptest.NewAccounts(t)
	s := newSiteOf(t, a.Shop, func(cfg *server.Config) { cfg.Now = a.Clock.Now })
	_, products := stockShop(t, a.Shop)
	token := []string{"Authorization", "Bearer " + s.signUp("01711-000003")}
	a.Clock.Advance(24 * time.Hour) // the token was issued before all that follows
	began := a.Clock.Now()
	var numbers []int64
	for _, step := range []time.Duration{0, time.Minute, -time.Hour, time.Minute, -20 * time.Hour} {
		a.Clock.Advance(step)
		var placed order.Placed
		s.send("POST", "/api/v1/orders", "{"+cart(products[0], 1)+`,"shippingAddress":{"line1":"House 1","city":"Dhaka"}}`, token...).ok(201, &placed)
		if latest := began.Add(time.Minute); placed.PlacedAt.Before(began) || placed.PlacedAt.After(latest) {
			t.Errorf("order %d: got placed at %v, want at most %v", placed.OrderNumber, placed.PlacedAt, latest)
		}
		numbers = append(numbers, placed.OrderNumber)
	}
	type list struct{ Nodes []struct{ OrderNumber int64 } }
	check := func(name string, got list, want []int64) {
		t.Helper()
		var found []int64
		for _, node := range got.Nodes {
			found = append(found, node.OrderNumber)
		}
		if !slices.Equal(found, want) {
			t.Errorf("%s: got %v, want %v", name, found, want)
		}
	}
	newest := slices.Clone(numbers)
	slices.Reverse(newest)
	var buyers list
	s.get("/api/v1/orders", token...).ok(http.StatusOK, &buyers)
	check("REST", buyers, newest)
	var document struct{ Data struct{ MyOrders list } }
	s.send("POST", "/graphql", `{"query":"{ myOrders { nodes { orderNumber } } }"}`, token...).ok(http.StatusOK, &document)
	check("GraphQL", document.Data.MyOrders, newest)
	owner := []string{"Cookie", "sf_admin=" + a.StaffSession(t, staff.RoleOwner)}
	for query, want := range map[string][]int64{
		"": newest, "?search=House": newest, "?status=pending": newest, "?city=Dhaka": newest, "?sort=asc": numbers,
		"?limit=2&page=2": newest[2:4], "?view=toConfirm": newest,
	} {
		var rows list
		s.get("/admin/v1/shops/test/orders"+query, owner...).ok(http.StatusOK, &rows)
		check(strings.TrimPrefix("Admin "+query, " "), rows, want)
	}
}
