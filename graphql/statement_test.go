package graphql_test

import (
	"fmt"
	"testing"

	"storefront/graphql"
	"storefront/shop/access"
	"storefront/shop/catalogue"
	"storefront/shop/order"
	"storefront/shop/plugin"
)

// A query of all fields runs the same number of SQL statements for one row and for fifty, and for a
// cart of one line and of fifty: nested data is loaded for all rows at once.
func TestLists_NoStatementPerRow(t *testing.T) {
	t.Parallel()
	const many = 50
	c := newClient(t, graphql.Config{MaxSelections: 10_000})
	owner := c.register()
	var products []*catalogue.Product
	for i := range many {
		p := c.addProduct(i)
		products = append(products, p)
		collection, err := c.shop.Catalogue.SaveCollection(t.Context(), access.Operator(),
			catalogue.CollectionInput{Title: fmt.Sprintf("Collection %d", i), Image: "/front.jpg"}, nil)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := c.shop.Catalogue.AddToCollection(t.Context(), access.Operator(), collection.Handle, p.Handle); err != nil {
			t.Fatal(err)
		}
		placed := owner.must(`mutation($i: PlaceOrderInput!) { placeOrder(input: $i) { _id } }`, input(cart(p)))
		shipment := order.ShipmentInput{Provider: plugin.CourierA, ConsignmentID: fmt.Sprintf("DL-%d", i)}
		if _, err := c.shop.Orders.RecordShipment(t.Context(), access.Operator(), placed.at("placeOrder", "_id").(string), shipment); err != nil {
			t.Fatal(err)
		}
	}
	s := schema(t)
	list := func(name string) func(n int) *response {
		query := fmt.Sprintf("query($n: Int) { %s(limit: $n) %s }", name, selectAll(s, field(t, s, name).Type))
		return func(n int) *response { return owner.must(query, map[string]any{"n": n}) }
	}
	quote := func(n int) *response {
		order := cart(products[0])
		lines := make([]any, n)
		for i, p := range products[:n] {
			lines[i] = map[string]any{"productId": p.ID, "variantId": p.Variants[0].ID, "quantity": 1}
		}
		order["items"] = lines
		return owner.must("query($i: OrderInput!) { quoteOrder(input: $i) "+selectAll(s, field(t, s, "quoteOrder").Type)+" }", input(order))
	}
	for name, test := range map[string]struct {
		run  func(n int) *response
		rows []any // path of the rows in the response
	}{
		"products":    {list("products"), []any{"products", "nodes"}},
		"collections": {list("collections"), []any{"collections", "nodes"}},
		"myOrders":    {list("myOrders"), []any{"myOrders", "nodes"}},
		"quoteOrder":  {quote, []any{"quoteOrder", "items"}},
	} {
		statements := func(n int) uint64 {
			before := c.statements()
			rows, _ := test.run(n).at(test.rows...).([]any)
			if len(rows) != n {
				t.Errorf("%s: got %d rows, want %d", name, len(rows), n)
			}
			return c.statements() - before
		}
		statements(1) // fills the caches
		if one, all := statements(2), statements(many); one == 0 || one != all {
			t.Errorf("%s: got %d statements for one new row and %d for %d, want equal numbers", name, one, all, many-2)
		}
		one, all := statements(1), statements(many)
		if one == 0 || one != all {
			t.Errorf("%s: got %d statements for one row and %d for %d, want equal numbers", name, one, all, many)
		}
		t.Logf("%s: %d statements", name, one)
	}
	oldest := list("myOrders")(many).at("myOrders", "nodes", many-1)
	for _, nested := range []string{"items", "shipments", "timeline"} {
		if rows, _ := oldest.(map[string]any)[nested].([]any); len(rows) == 0 {
			t.Errorf("test data: order has no %s", nested)
		}
	}
}
