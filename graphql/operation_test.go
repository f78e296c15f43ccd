package graphql_test

import (
	"context"
	"net/http"
	"testing"

	"github.com/google/go-cmp/cmp"

	"storefront/graphql"
	"storefront/shop/access"
	"storefront/shop/account"
	"storefront/shop/catalogue"
	"storefront/shop/order"
	"storefront/shop/page"
)

// Every field of a query equals the value of the use case as REST encodes it.
func TestQueries_MatchUseCases(t *testing.T) {
	t.Parallel()
	c, ctx := newClient(t, graphql.Config{}), context.Background()
	p := c.addProduct(1)
	c.addProduct(2)
	collection, err := c.shop.Catalogue.SaveCollection(ctx, access.Operator(),
		catalogue.CollectionInput{Title: "Eid", Image: "/eid.svg", ImageAlt: "Moon"}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := c.shop.Catalogue.AddToCollection(ctx, access.Operator(), "eid", p.Handle); err != nil {
		t.Fatal(err)
	}
	percent := int64(1000)
	if _, err := c.shop.Orders.SaveCoupon(ctx, access.Operator(), order.CouponSpec{Code: "EID10", Kind: order.CouponPercentage,
		BasisPoints: &percent, Active: true}); err != nil {
		t.Fatal(err)
	}
	owner := c.register()
	bought := cart(p)
	bought["couponCode"] = "eid10"
	placed := owner.must(`mutation($i: PlaceOrderInput!) { placeOrder(input: $i) { _id } }`, map[string]any{"i": bought})
	invoice := placed.at("placeOrder", "_id").(string)
	item := order.ItemInput{ProductID: p.ID, VariantID: &p.Variants[1].ID, Quantity: 3}
	name, phone := "Rahim", "01811000000"
	limit, all := 1, page.MaxLimit
	first, err := c.shop.Catalogue.ListChanges(ctx, "", &all)
	if err != nil {
		t.Fatal(err)
	}

	for name, test := range map[string]struct {
		as     *client
		field  string
		params string
		args   string
		vars   map[string]any
		want   func() (any, error)
	}{
		"products": {c, "products", "", `(limit: 1, sortBy: title, sort: asc)`, nil, func() (any, error) {
			return c.shop.Catalogue.FindProducts(ctx, catalogue.ProductFilter{Request: page.Request{Limit: &limit}, SortBy: "title", Sort: "asc"})
		}},
		"products filtered": {c, "products", "($ids: [ID!])",
			`(collectionIds: $ids, tags: ["eid"], inStock: true, onSale: true, minPrice: 1, maxPrice: 125000, search: "পাঞ্জ", page: 1)`,
			map[string]any{"ids": []string{collection.ID}}, func() (any, error) {
				return c.shop.Catalogue.FindProducts(ctx, catalogue.ProductFilter{CollectionIDs: []string{collection.ID}, Search: "পাঞ্জ"})
			}},
		"products, all": {c, "products", "", `(limit: -1)`, nil, func() (any, error) {
			all := page.NoLimit
			return c.shop.Catalogue.FindProducts(ctx, catalogue.ProductFilter{Request: page.Request{Limit: &all}})
		}},
		"products, nulls omitted": {c, "products", "($n: Int)",
			`(page: $n, limit: null, search: null, tags: null, minPrice: null, inStock: null)`, map[string]any{"n": nil},
			func() (any, error) { return c.shop.Catalogue.FindProducts(ctx, catalogue.ProductFilter{}) }},
		"productFacets": {c, "productFacets", "", `(collectionIds: ["` + collection.ID + `"], options: ["Size:M"])`, nil, func() (any, error) {
			return c.shop.Catalogue.FindFacets(ctx, catalogue.ProductFilter{CollectionIDs: []string{collection.ID}, Options: []string{"Size:M"}})
		}},
		"relatedProducts": {c, "relatedProducts", "", `(id: "` + p.ID + `", limit: 1)`, nil, func() (any, error) {
			return c.shop.Catalogue.FindRelated(ctx, p.ID, page.Request{Limit: &limit})
		}},
		"productChanges": {c, "productChanges", "", `(since: "` + first.Cursor + `")`, nil, func() (any, error) {
			return c.shop.Catalogue.ListChanges(ctx, first.Cursor, nil)
		}},
		"suggestions": {c, "suggestions", "", `(q: "পাঞ্জ")`, nil, func() (any, error) { return c.shop.Catalogue.Suggest(ctx, "পাঞ্জ") }},
		"collection by handle": {c, "collection", "", `(handle: "` + collection.Handle + `")`, nil, func() (any, error) {
			return c.shop.Catalogue.FindCollectionByHandle(ctx, collection.Handle)
		}},
		"product by id": {c, "product", "", `(id: "` + p.ID + `")`, nil, func() (any, error) { return c.shop.Catalogue.FindProduct(ctx, p.ID) }},
		"product by handle": {c, "product", "", `(handle: "panjabi-2", id: null)`, nil, func() (any, error) {
			return c.shop.Catalogue.FindProductByHandle(ctx, "panjabi-2")
		}},
		"collections": {c, "collections", "", `(sortBy: title, search: "ei")`, nil, func() (any, error) {
			return c.shop.Catalogue.ListCollections(ctx, catalogue.CollectionFilter{SortBy: "title", Search: "ei"})
		}},
		"collection": {c, "collection", "($id: ID!)", `(id: $id)`, map[string]any{"id": collection.ID}, func() (any, error) {
			return c.shop.Catalogue.FindCollection(ctx, collection.ID)
		}},
		"storeFront": {c, "storeFront", "", "", nil, func() (any, error) { return c.shop.StoreFront(ctx, "") }},
		"discounts":  {c, "discounts", "", "", nil, func() (any, error) { return c.shop.ListDiscounts(ctx, "") }},
		"districts":  {c, "districts", "", "", nil, func() (any, error) { return c.shop.ListDistricts(ctx) }},
		"me":         {owner, "me", "", "", nil, func() (any, error) { return c.shop.Accounts.Me(ctx, owner.caller) }},
		"myOrders": {owner, "myOrders", "", "(limit: 5)", nil, func() (any, error) {
			return c.shop.Orders.ListMyOrders(ctx, owner.caller, order.Filter{})
		}},
		"order, owner": {owner, "order", "", `(orderId: "` + invoice + `")`, nil, func() (any, error) {
			return c.shop.Orders.FindOrder(ctx, owner.caller, invoice)
		}},
		"order, guest": {c, "order", "", `(orderId: "` + invoice + `")`, nil, func() (any, error) {
			return c.shop.Orders.FindOrder(ctx, c.caller, invoice)
		}},
		"quoteOrder": {c, "quoteOrder", "($i: OrderInput!)", "(input: $i)",
			map[string]any{"i": map[string]any{
				"items":    []any{map[string]any{"productId": p.ID, "variantId": p.Variants[1].ID, "quantity": 3}},
				"customer": map[string]any{"name": name, "phoneNumber": phone}, "shippingAddress": map[string]any{"line1": "1", "city": "Dhaka"},
				"paymentMethod": "cod", "expectedTotal": 397000, "couponCode": nil, "deliveryChargeId": "inside-dhaka",
			}}, func() (any, error) {
				return c.shop.Orders.QuoteOrder(ctx, c.caller, order.Input{
					Items: []order.ItemInput{item}, Customer: &order.CustomerInput{Name: &name, PhoneNumber: &phone},
					ShippingAddress: &account.Address{Line1: "1", City: "Dhaka"},
				})
			}},
		"verifyCoupon": {c, "verifyCoupon", "($id: ID!)",
			`(input: {code: "eid10", items: [{productId: $id, variantId: "` + p.Variants[1].ID + `", quantity: 3}]})`,
			map[string]any{"id": p.ID}, func() (any, error) {
				return c.shop.Orders.VerifyCoupon(ctx, c.caller, order.CouponInput{Code: "eid10", Items: []order.ItemInput{item}})
			}},
		"verifyCoupon, invalid": {c, "verifyCoupon", "",
			`(input: {code: "NO", items: [{productId: "` + p.ID + `", variantId: "` + p.Variants[1].ID + `", quantity: 3}]})`,
			nil, func() (any, error) {
				return c.shop.Orders.VerifyCoupon(ctx, c.caller, order.CouponInput{Code: "NO", Items: []order.ItemInput{item}})
			}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := schema(t)
			selection := selectAll(s, field(t, s, test.field).Type, "orderToken")
			got := test.as.must("query"+test.params+" { "+test.field+test.args+selection+" }", test.vars)
			want, err := test.want()
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(c.decoded(want), got.at(test.field)); diff != "" {
				t.Errorf("response (-use case +GraphQL):\n%s", diff)
			}
		})
	}
}

func TestResponse_GraphQLFormat(t *testing.T) {
	t.Parallel()
	c := newClient(t, graphql.Config{})
	got := c.post(`{"query": "query A { a: apiVersion } query B { b: apiVersion }", "operationName": "B", "variables": null, "extensions": {"any": 1}}`)
	if got.body != `{"data":{"b":"v0.15.0"}}`+"\n" || got.status != http.StatusOK {
		t.Errorf("got %d %s, want 200 with b only", got.status, got.body)
	}
	for name, want := range map[string]string{"Content-Type": "application/json", "Cache-Control": "no-store", "Content-Length": "25"} {
		if got.header.Get(name) != want {
			t.Errorf("%s: got %q, want %q", name, got.header.Get(name), want)
		}
	}
}

func TestLogin_AfterRegistration(t *testing.T) {
	t.Parallel()
	c := newClient(t, graphql.Config{})
	c.register()
	got := c.must(`mutation {
		login(input: {user: "AYESHA@example.com", password: "a long and quiet river"}) {
			accessToken passwordResetRequired user { _id name email phoneNumber }
		}
	}`, nil)
	token, _ := got.at("login", "accessToken").(string)
	me, err := c.shop.Accounts.Me(context.Background(), access.Caller{Bearer: token})
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]any{"accessToken": token, "passwordResetRequired": false,
		"user": map[string]any{"_id": me.ID, "name": "Ayesha", "email": "ayesha@example.com", "phoneNumber": nil}}
	if diff := cmp.Diff(want, got.at("login")); diff != "" {
		t.Error(diff)
	}
}

func TestOrder_GuestWithToken(t *testing.T) {
	t.Parallel()
	c := newClient(t, graphql.Config{})
	order := cart(c.addProduct(1))
	order["idempotencyKey"] = "k-1"
	const place = `mutation($i: PlaceOrderInput!) { placeOrder(input: $i) { _id orderNumber status paymentStatus total { amount } orderToken } }`
	placed := c.must(place, map[string]any{"i": order})
	want := map[string]any{
		"_id": placed.at("placeOrder", "_id"), "orderNumber": placed.at("placeOrder", "orderNumber"),
		"status": "pending", "paymentStatus": "unpaid",
		"total": map[string]any{"amount": 257000.0}, "orderToken": placed.at("placeOrder", "orderToken"),
	}
	if diff := cmp.Diff(want, placed.at("placeOrder")); diff != "" {
		t.Error(diff)
	}

	again := c.must(place, map[string]any{"i": order})
	if diff := cmp.Diff(placed.Data, again.Data); diff != "" {
		t.Errorf("order by the same key (-first +again):\n%s", diff)
	}
	if placed.header.Get("Idempotent-Replayed") != "" || again.header.Get("Idempotent-Replayed") != "true" {
		t.Errorf("got Idempotent-Replayed %q, then %q, want none, then true",
			placed.header.Get("Idempotent-Replayed"), again.header.Get("Idempotent-Replayed"))
	}

	id, token := placed.at("placeOrder", "_id").(string), placed.at("placeOrder", "orderToken").(string)
	const query = `query($id: ID!, $token: String) { order(orderId: $id, orderToken: $token) { customer { name } orderToken } }`
	for name, test := range map[string]struct {
		as       *client
		token    any
		unmasked bool
	}{
		"guest":    {c, nil, false},
		"argument": {c, token, true},
		"header":   {c.as(access.Caller{OrderToken: token}), nil, true},
		"wrong":    {c, token[:len(token)-2] + "xx", false},
	} {
		got := test.as.must(query, map[string]any{"id": id, "token": test.token})
		if shown := got.at("order", "customer", "name"); (shown == "Ayesha Rahman") != test.unmasked {
			t.Errorf("%s: got name %q, want unmasked %v", name, shown, test.unmasked)
		}
		if got.at("order", "orderToken") != nil {
			t.Errorf("%s: got the order token, want none", name)
		}
	}
}
