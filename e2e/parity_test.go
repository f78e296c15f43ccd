package e2e

import (
	"cmp"
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
)

// call runs one operation with everything that it can answer.
func (p *process) call(s graphQLSchema, tenant, token, operation, params, args string, variables map[string]any) response {
	p.t.Helper()
	kind, field, ok := s.operation(operation)
	if !ok {
		p.t.Fatalf("GraphQL has no %s", operation)
	}
	return p.graphql(tenant, token, fmt.Sprintf("%s%s { %s%s%s }", kind, params, field.Name, args, s.everything(field.Type.name())), variables)
}

// without drops what rightly differs between two orders or two sign-ins of the same kind.
func without(v any, keys ...string) any {
	switch v := v.(type) {
	case map[string]any:
		kept := map[string]any{}
		for k, inner := range v {
			if !slices.Contains(keys, k) {
				kept[k] = without(inner, keys...)
			}
		}
		return kept
	case []any:
		kept := make([]any, len(v))
		for i, inner := range v {
			kept[i] = without(inner, keys...)
		}
		return kept
	}
	return v
}

// parityCase is one request by each transport.
type parityCase struct {
	name   string
	rest   request
	field  string // GraphQL's operation
	typ    string // of the argument input, where the operation has it
	args   string
	vars   map[string]any // the input
	token  string         // of the GraphQL request; "": REST's
	except []string       // keys that rightly differ
}

// compare sends both requests, REST's first, and holds answers and refusals against each other.
func (p *process) compare(t *testing.T, s graphQLSchema, tenant string, step parityCase) {
	t.Helper()
	step.rest.tenant = tenant
	rest := p.must(step.rest)
	params, args := "", step.args
	var vars map[string]any
	if step.typ != "" {
		params, args = "($input: "+step.typ+"!)", "(input: $input)"
		vars = map[string]any{"input": step.vars}
	}
	gql := p.call(s, tenant, cmp.Or(step.token, step.rest.token), step.field, params, args, vars)
	if rest.status >= 400 {
		refusal := func(a response, root ...any) map[string]any {
			return map[string]any{"code": a.at(append(root, "code")...), "status": fmt.Sprint(a.at(append(root, "status")...)),
				"errors": without(a.at(append(root, "errors")...), "message"), "details": a.at(append(root, "details")...)}
		}
		if diff := gocmp.Diff(refusal(rest), refusal(gql, "errors", 0, "extensions")); diff != "" || rest.text("code") == "" {
			t.Errorf("refusals differ (-REST +GraphQL):\n%s\n%s\n%s", diff, rest.body, gql.body)
		}
		return
	}
	if gql.at("errors") != nil {
		t.Fatalf("GraphQL refuses: %s\nREST answers: %s", gql.body, rest.body)
	}
	name := step.field[strings.LastIndexByte(step.field, ' ')+1:]
	// GraphQL has one type for an order, where REST shows the token to the one who placed it. A
	// cursor has the time of its response.
	except := append(step.except, "orderToken", "cursor")
	if diff := gocmp.Diff(without(rest.at(), except...), without(gql.at("data", name), except...)); diff != "" {
		t.Errorf("answers differ (-REST +GraphQL):\n%s", diff)
	}
}

// publicReads returns a case for each operation whose response is the same for every caller, with
// the examples of its parameters.
func publicReads(t *testing.T, document *openAPI, s graphQLSchema) (cases []parityCase) {
	t.Helper()
	for route, op := range document.operations() {
		if !op.isPublic() {
			continue
		}
		_, path, _ := strings.Cut(route, " ")
		query, arguments := url.Values{}, map[string]string{}
		for _, p := range op.Parameters {
			if p.Example == nil {
				continue
			}
			arguments[strings.TrimSuffix(p.Name, "[]")] = fmt.Sprint(p.Example)
			if p.In == "path" {
				path = strings.ReplaceAll(path, "{"+p.Name+"}", url.PathEscape(fmt.Sprint(p.Example)))
			} else {
				query.Set(p.Name, fmt.Sprint(p.Example))
			}
		}
		for _, counterpart := range op.counterparts() {
			rest := request{method: "GET", path: path + "?" + query.Encode()}
			cases = append(cases, parityCase{
				name: op.OperationID, rest: rest, field: counterpart, args: s.arguments(counterpart, arguments),
			})
		}
	}
	if len(cases) == 0 {
		t.Error("the document has no public operation")
	}
	return cases
}

// arguments returns the arguments of an operation as they stand in a document.
func (s graphQLSchema) arguments(operation string, values map[string]string) string {
	var list []string
	_, field, _ := s.operation(operation)
	for _, arg := range field.Args {
		value, ok := values[arg.Name]
		if !ok {
			continue
		}
		if typ := arg.Type.name(); typ == "ID" || typ == "String" {
			value = strconv.Quote(value)
		}
		list = append(list, arg.Name+": "+value)
	}
	if list == nil {
		return ""
	}
	return "(" + strings.Join(list, ", ") + ")"
}

// TestParity_Storefront walks one buyer's way through the demo shop by both interfaces and
// holds every answer, and every refusal, of the one against the other's.
func TestParity_Storefront(t *testing.T) {
	t.Parallel()
	p := serve(t, "--dev", "--data", demoData(t))
	s := p.introspect("demo")

	list := p.must(request{method: "GET", path: "/api/v1/products?limit=100&inStock=true", tenant: "demo"})
	var productID string
	for i := 0; ; i++ { // the first with one variant only, of which there are some
		if list.at("nodes", i) == nil {
			t.Fatalf("no such product in %s", list.body)
		}
		if list.at("nodes", i, "variants", 1) == nil && list.text("nodes", i, "stockStatus") == "IN_STOCK" &&
			list.at("nodes", i, "variants", 0, "availableQuantity") != nil {
			productID = list.text("nodes", i, "_id")
			break
		}
	}
	vendor := list.text("nodes", 0, "vendor")
	collectionID := p.must(request{method: "GET", path: "/api/v1/collections", tenant: "demo"}).text("nodes", 0, "_id")
	register := func(phone string) map[string]any {
		return map[string]any{"name": "Ayesha Khan", "phoneNumber": phone, "password": "correct horse battery"}
	}
	for _, phone := range []string{"01811-000001", "01811-000002"} {
		p.must(request{method: "POST", path: "/api/v1/auth/register", tenant: "demo", body: register(phone)})
	}
	login := map[string]any{"user": "01811-000001", "password": "correct horse battery"}
	token := p.must(request{method: "POST", path: "/api/v1/auth/login", tenant: "demo", body: login}).text("accessToken")
	placed := p.must(request{method: "POST", path: "/api/v1/orders", tenant: "demo", token: token, body: orderOf(productID, 1)})
	invoice := placed.text("invoiceUid")
	if token == "" || invoice == "" {
		t.Fatalf("no token or no order: %s", placed.body)
	}
	byGuest := p.must(request{method: "POST", path: "/api/v1/orders", tenant: "demo", body: orderOf(productID, 1)})
	guests, guestsToken := byGuest.text("invoiceUid"), byGuest.text("orderToken")
	onlineOrder := orderOf(productID, 1)
	onlineOrder["paymentMethod"] = "gateway_a"
	byOnline := p.must(request{method: "POST", path: "/api/v1/orders", tenant: "demo", body: onlineOrder})
	online, onlineToken := byOnline.text("invoiceUid"), byOnline.text("orderToken")
	inCash := map[string]any{"paymentMethod": "cod"}
	cashInput := func(order, token string) map[string]any {
		return map[string]any{"orderId": order, "orderToken": token, "paymentMethod": "cod"}
	}
	pay := map[string]any{"paymentMethod": "gateway_a"}
	payment := map[string]any{"orderId": invoice, "paymentMethod": "gateway_a"}
	tooMany := orderOf(productID, 1)
	tooMany["items"] = []map[string]any{{"productId": productID, "quantity": 100_000}}
	dear := orderOf(productID, 1)
	dear["expectedTotal"] = 1
	noPhone := orderOf(productID, 1)
	noPhone["customer"] = map[string]any{"name": "Nobody"}
	keyed := func(key string, order map[string]any) map[string]any {
		with := map[string]any{"idempotencyKey": key}
		for k, v := range order {
			with[k] = v
		}
		return with
	}
	// All that an order can say, and each part of it changes the answer.
	whole := map[string]any{
		"items":    []map[string]any{{"productId": productID, "variantId": placed.text("items", 0, "variantId"), "quantity": 9}},
		"customer": map[string]any{"name": "Ayesha Khan", "phoneNumber": "01711-000000", "email": "ayesha@example.com"},
		"shippingAddress": map[string]any{"line1": "House 1", "line2": "Flat 2", "area": "Dhanmondi",
			"city": "Dhaka", "postcode": "1205", "country": "BD"},
		"deliveryChargeId": p.must(request{method: "GET", path: "/api/v1/tenant", tenant: "demo"}).text("deliveryCharges", 0, "_id"),
		"couponCode":       "SAVE150", "paymentMethod": "gateway_a", "note": "Ring twice",
	}
	abandoned := func() (invoice, token string) {
		a := p.must(request{method: "POST", path: "/api/v1/orders", tenant: "demo", body: onlineOrder})
		return a.text("invoiceUid"), a.text("orderToken")
	}
	replacing := func(order, token string) map[string]any {
		in := orderOf(productID, 2)
		in["replacesOrderId"] = order
		if token != "" {
			in["orderToken"] = token
		}
		return in
	}
	first, firstToken := abandoned()
	second, secondToken := abandoned()
	payAsGuest := map[string]any{"orderId": guests, "paymentMethod": "gateway_a", "orderToken": guestsToken}
	couponReplacing := map[string]any{"code": "SAVE150", "items": []map[string]any{{"productId": productID, "quantity": 1}}, "replacesOrderId": first}
	coupon := map[string]any{"code": "NO-SUCH", "items": []map[string]any{{"productId": productID, "quantity": 1}}}

	for _, step := range append(publicReads(t, p.document(), s), []parityCase{
		{name: "products", rest: request{method: "GET", path: "/api/v1/products?limit=5&sortBy=price&sort=asc"},
			field: "products", args: `(limit: 5, sortBy: price, sort: asc)`},
		{name: "search", rest: request{method: "GET", path: "/api/v1/products?search=%E0%A6%AA%E0%A6%BE%E0%A6%9E%E0%A7%8D%E0%A6%9C%E0%A6%BE"},
			field: "products", args: `(search: "পাঞ্জা")`},
		{name: "filtered", rest: request{method: "GET", path: "/api/v1/products?onSale=true&maxPrice=200000&collectionIds[]=" + collectionID},
			field: "products", args: `(onSale: true, maxPrice: 200000, collectionIds: ["` + collectionID + `"])`},
		{name: "by option, vendor and type", rest: request{method: "GET",
			path: "/api/v1/products?options[]=Size:M&options=size:l&vendors[]=" + url.QueryEscape(vendor) + "&types[]=PANJABI&types=Saree"},
			field: "products", args: `(options: ["Size:M", "size:l"], vendors: ["` + vendor + `"], types: ["PANJABI", "Saree"])`},
		{name: "facets", rest: request{method: "GET", path: "/api/v1/products/facets?options[]=Size:M&inStock=true&search=cotton"},
			field: "productFacets", args: `(options: ["Size:M"], inStock: true, search: "cotton")`},
		{name: "option without a value", rest: request{method: "GET", path: "/api/v1/products/facets?options[]=Size"},
			field: "productFacets", args: `(options: ["Size"])`},
		{name: "suggestions", rest: request{method: "GET", path: "/api/v1/suggestions?q=%E0%A6%B6%E0%A6%BE%E0%A6%A1%E0%A6%BC%E0%A6%BF"},
			field: "suggestions", args: `(q: "শাড়ি")`},
		{name: "related", rest: request{method: "GET", path: "/api/v1/products/" + productID + "/related?limit=3&page=2"},
			field: "relatedProducts", args: `(id: "` + productID + `", limit: 3, page: 2)`},
		{name: "changes", rest: request{method: "GET", path: "/api/v1/products/changes?limit=3"},
			field: "productChanges", args: `(limit: 3)`},
		{name: "changes since nothing", rest: request{method: "GET", path: "/api/v1/products/changes?since=nope"},
			field: "productChanges", args: `(since: "nope")`},
		{name: "related to nothing", rest: request{method: "GET", path: "/api/v1/products/nope/related"},
			field: "relatedProducts", args: `(id: "nope")`},
		{name: "everything", rest: request{method: "GET", path: "/api/v1/products?limit=-1"}, field: "products", args: `(limit: -1)`},
		{name: "unknown sort", rest: request{method: "GET", path: "/api/v1/products?sortBy=colour"}, field: "products", args: `(sortBy: colour)`},
		{name: "limit of 0", rest: request{method: "GET", path: "/api/v1/products?limit=0"}, field: "products", args: `(limit: 0)`},
		{name: "page 0", rest: request{method: "GET", path: "/api/v1/products?page=0"}, field: "products", args: `(page: 0)`},
		{name: "no product", rest: request{method: "GET", path: "/api/v1/products/nope"}, field: "product", args: `(id: "nope")`},
		{name: "no handle", rest: request{method: "GET", path: "/api/v1/products/handle/nope"}, field: "product", args: `(handle: "nope")`},
		{name: "login", rest: request{method: "POST", path: "/api/v1/auth/login", body: login}, field: "login", typ: "StorefrontLoginInput",
			vars: login, except: []string{"accessToken"}},
		{name: "wrong password", rest: request{method: "POST", path: "/api/v1/auth/login",
			body: map[string]any{"user": "01811-000001", "password": "something else"}},
			field: "login", typ: "StorefrontLoginInput", vars: map[string]any{"user": "01811-000001", "password": "something else"}},
		{name: "taken phone", rest: request{method: "POST", path: "/api/v1/auth/register", body: register("01811-000002")},
			field: "register", typ: "StorefrontRegisterInput", vars: register("01811-000002")},
		{name: "common password", rest: request{method: "POST", path: "/api/v1/auth/register",
			body: map[string]any{"name": "A", "phoneNumber": "01811000009", "password": "password123"}},
			field: "register", typ: "StorefrontRegisterInput", vars: map[string]any{"name": "A", "phoneNumber": "01811000009", "password": "password123"}},
		{name: "me", rest: request{method: "GET", path: "/api/v1/auth/me", token: token}, field: "me"},
		{name: "me as nobody", rest: request{method: "GET", path: "/api/v1/auth/me"}, field: "me"},
		{name: "me with a bad token", rest: request{method: "GET", path: "/api/v1/auth/me", token: "nonsense"}, field: "me"},
		{name: "quote", rest: request{method: "POST", path: "/api/v1/orders/quote", body: orderOf(productID, 2)}, field: "quoteOrder",
			typ: "OrderInput", vars: orderOf(productID, 2)},
		{name: "coupon", rest: request{method: "POST", path: "/api/v1/orders/coupons/verify", body: coupon}, field: "verifyCoupon",
			typ: "VerifyCouponInput", vars: coupon},
		{name: "place", rest: request{method: "POST", path: "/api/v1/orders", token: token, body: orderOf(productID, 1)},
			field: "placeOrder", typ: "PlaceOrderInput", vars: orderOf(productID, 1), except: []string{"_id", "invoiceUid", "orderNumber", "placedAt", "at"}},
		{name: "quote of all that can be said", rest: request{method: "POST", path: "/api/v1/orders/quote", body: whole},
			field: "quoteOrder", typ: "OrderInput", vars: whole},
		{name: "place all that can be said", rest: request{method: "POST", path: "/api/v1/orders", body: whole},
			field: "placeOrder", typ: "PlaceOrderInput", vars: whole,
			except: []string{"_id", "invoiceUid", "orderNumber", "placedAt", "at", "createdAt", "redirectUrl"}},
		{name: "an empty key", rest: request{method: "POST", path: "/api/v1/orders",
			header: map[string]string{"Idempotency-Key": ""}, body: orderOf(productID, 1)},
			field: "placeOrder", typ: "PlaceOrderInput", vars: keyed("", orderOf(productID, 1))},
		{name: "place too many", rest: request{method: "POST", path: "/api/v1/orders", body: tooMany}, field: "placeOrder",
			typ: "PlaceOrderInput", vars: tooMany},
		{name: "price changed", rest: request{method: "POST", path: "/api/v1/orders", body: dear}, field: "placeOrder", typ: "PlaceOrderInput", vars: dear},
		{name: "no phone", rest: request{method: "POST", path: "/api/v1/orders", body: noPhone}, field: "placeOrder",
			typ: "PlaceOrderInput", vars: noPhone},
		{name: "one key by both", rest: request{method: "POST", path: "/api/v1/orders",
			header: map[string]string{"Idempotency-Key": "k-1"}, body: orderOf(productID, 1)},
			field: "placeOrder", typ: "PlaceOrderInput", vars: keyed("k-1", orderOf(productID, 1))},
		{name: "the key with another order", rest: request{method: "POST", path: "/api/v1/orders",
			header: map[string]string{"Idempotency-Key": "k-1"}, body: orderOf(productID, 3)},
			field: "placeOrder", typ: "PlaceOrderInput", vars: keyed("k-1", orderOf(productID, 3))},
		{name: "quote in place of another order", rest: request{method: "POST", path: "/api/v1/orders/quote",
			header: map[string]string{"X-Order-Token": firstToken}, body: replacing(first, "")},
			field: "quoteOrder", typ: "OrderInput", vars: replacing(first, firstToken)},
		{name: "coupon in place of another's order", rest: request{method: "POST", path: "/api/v1/orders/coupons/verify", body: couponReplacing},
			field: "verifyCoupon", typ: "VerifyCouponInput", vars: couponReplacing},
		{name: "place instead of another's order", rest: request{method: "POST", path: "/api/v1/orders", body: replacing(first, "")},
			field: "placeOrder", typ: "PlaceOrderInput", vars: replacing(first, secondToken)},
		{name: "place instead of an order", rest: request{method: "POST", path: "/api/v1/orders",
			header: map[string]string{"X-Order-Token": firstToken}, body: replacing(first, "")},
			field: "placeOrder", typ: "PlaceOrderInput", vars: replacing(second, secondToken),
			except: []string{"_id", "invoiceUid", "orderNumber", "placedAt", "at", "message"}}, // the message names the number
		{name: "place instead of a replaced order", rest: request{method: "POST", path: "/api/v1/orders",
			header: map[string]string{"X-Order-Token": firstToken}, body: replacing(first, "")},
			field: "placeOrder", typ: "PlaceOrderInput", vars: replacing(first, firstToken)},
		{name: "order, its owner", rest: request{method: "GET", path: "/api/v1/orders/" + invoice, token: token},
			field: "order", args: `(orderId: "` + invoice + `")`},
		{name: "order, anyone", rest: request{method: "GET", path: "/api/v1/orders/" + invoice}, field: "order", args: `(orderId: "` + invoice + `")`},
		{name: "no order", rest: request{method: "GET", path: "/api/v1/orders/0000000000000000"}, field: "order", args: `(orderId: "0000000000000000")`},
		{name: "my orders", rest: request{method: "GET", path: "/api/v1/orders?limit=1", token: token}, field: "myOrders", args: `(limit: 1)`},
		{name: "my pending orders of a product, by total", rest: request{method: "GET", token: token,
			path: "/api/v1/orders?limit=2&status=pending&placedFrom=2020-01-01T00:00:00Z&search=1&sortBy=total&sort=asc"}, field: "myOrders",
			args: `(limit: 2, status: [pending], placedFrom: "2020-01-01T00:00:00Z", search: "1", sortBy: total, sort: asc)`},
		{name: "my orders in a sort order that there is not", rest: request{method: "GET", path: "/api/v1/orders?sortBy=lost", token: token},
			field: "myOrders", args: `(sortBy: lost)`},
		{name: "order again", rest: request{method: "GET", path: "/api/v1/orders/" + invoice + "/reorder", token: token},
			field: "reorder", args: `(orderId: "` + invoice + `")`},
		{name: "order another's again", rest: request{method: "GET", path: "/api/v1/orders/" + invoice + "/reorder"},
			field: "reorder", args: `(orderId: "` + invoice + `")`},
		{name: "nobody's orders", rest: request{method: "GET", path: "/api/v1/orders"}, field: "myOrders"},
		{name: "pay a cash order", rest: request{method: "POST", path: "/api/v1/orders/" + invoice + "/payments", token: token, body: pay},
			field: "startPayment", typ: "StartPaymentInput", vars: payment},
		{name: "pay another's order", rest: request{method: "POST", path: "/api/v1/orders/" + invoice + "/payments", body: pay},
			field: "startPayment", typ: "StartPaymentInput", vars: payment},
		{name: "pay by an order token", rest: request{method: "POST", path: "/api/v1/orders/" + guests + "/payments",
			header: map[string]string{"X-Order-Token": guestsToken}, body: pay},
			field: "startPayment", typ: "StartPaymentInput", vars: payAsGuest},
		{name: "another's order in cash", rest: request{method: "POST", path: "/api/v1/orders/" + online + "/payment-method", body: inCash},
			field: "setPaymentMethod", typ: "SetPaymentMethodInput", vars: cashInput(online, "")},
		{name: "to a gateway", rest: request{method: "POST", path: "/api/v1/orders/" + online + "/payment-method", body: pay},
			field: "setPaymentMethod", typ: "SetPaymentMethodInput", vars: map[string]any{"orderId": online, "paymentMethod": "gateway_a"}},
		{name: "pay in cash by an order token", rest: request{method: "POST", path: "/api/v1/orders/" + online + "/payment-method",
			header: map[string]string{"X-Order-Token": onlineToken}, body: inCash},
			field: "setPaymentMethod", typ: "SetPaymentMethodInput", vars: cashInput(online, onlineToken)}, // the second of the two changes nothing
		{name: "cancel by an order token", rest: request{method: "POST", path: "/api/v1/orders/" + online + "/cancel",
			header: map[string]string{"X-Order-Token": onlineToken}},
			field: "cancelOrder", args: `(orderId: "` + online + `", orderToken: "` + onlineToken + `")`},
		{name: "a cancelled order in cash", rest: request{method: "POST", path: "/api/v1/orders/" + online + "/payment-method",
			header: map[string]string{"X-Order-Token": onlineToken}, body: inCash},
			field: "setPaymentMethod", typ: "SetPaymentMethodInput", vars: cashInput(online, onlineToken)},
		{name: "cancel as nobody", rest: request{method: "POST", path: "/api/v1/orders/" + invoice + "/cancel"},
			field: "cancelOrder", args: `(orderId: "` + invoice + `")`},
		{name: "cancel another's order", rest: request{method: "POST", path: "/api/v1/orders/" + guests + "/cancel", token: token},
			field: "cancelOrder", args: `(orderId: "` + guests + `")`},
		{name: "cancel at length", rest: request{method: "POST", path: "/api/v1/orders/" + invoice + "/cancel", token: token,
			body: map[string]any{"reason": strings.Repeat("x", 501)}},
			field: "cancelOrder", args: `(orderId: "` + invoice + `", reason: "` + strings.Repeat("x", 501) + `")`},
		{name: "cancel", rest: request{method: "POST", path: "/api/v1/orders/" + invoice + "/cancel", token: token,
			body: map[string]any{"reason": "wrong size"}},
			field: "cancelOrder", args: `(orderId: "` + invoice + `", reason: "wrong size")`}, // the second of the two changes nothing
		{name: "review another's order", rest: request{method: "POST", path: "/api/v1/orders/" + guests + "/reviews",
			token: token, body: map[string]any{"productId": "none", "rating": 5}},
			field: "submitReview", args: `(orderId: "` + guests + `", productId: "none", rating: 5)`},
		{name: "review your own order too early", rest: request{method: "POST", path: "/api/v1/orders/" + invoice + "/reviews",
			token: token, body: map[string]any{"productId": "none", "rating": 5}},
			field: "submitReview", args: `(orderId: "` + invoice + `", productId: "none", rating: 5)`},
		{name: "save an incomplete order without a number", rest: request{method: "POST", path: "/api/v1/incomplete-orders",
			body: map[string]any{"session": "a secret of this browser", "consent": true, "items": []any{}}},
			field: "saveIncompleteOrder", args: `(input: {session: "a secret of this browser", consent: true, items: []})`},
		{name: "save an incomplete order", rest: request{method: "POST", path: "/api/v1/incomplete-orders",
			body: map[string]any{"session": "a secret of this browser", "consent": true, "phoneNumber": "01711000009", "items": []any{}}},
			field: "saveIncompleteOrder", args: `(input: {session: "a secret of this browser", consent: true, phoneNumber: "01711000009", items: []})`},
		{name: "pay a cancelled order", rest: request{method: "POST", path: "/api/v1/orders/" + invoice + "/payments", token: token, body: pay},
			field: "startPayment", typ: "StartPaymentInput", vars: payment},
	}...) {
		t.Run(step.name, func(t *testing.T) { p.compare(t, s, "demo", step) })
	}
}

// TestIdempotencyKey_BothTransports places one order by every way of saying that it is paid in
// cash.
func TestIdempotencyKey_BothTransports(t *testing.T) {
	t.Parallel()
	p := serve(t, "--data", newShop(t, "keyed", 5))
	id, _ := p.product("keyed", "item-0")
	var first string
	for i, method := range []any{nil, "cod"} {
		order := orderOf(id, 1)
		if method != nil {
			order["paymentMethod"] = method
		}
		rest := p.must(request{method: "POST", path: "/api/v1/orders", tenant: "keyed", header: map[string]string{"Idempotency-Key": "same"}, body: order})
		order["idempotencyKey"] = "same"
		gql := p.graphql("keyed", "", `mutation($input: PlaceOrderInput!) { placeOrder(input: $input) { invoiceUid } }`, map[string]any{"input": order})
		if i == 0 {
			first = rest.text("invoiceUid")
		}
		if one, two := rest.text("invoiceUid"), gql.text("data", "placeOrder", "invoiceUid"); first == "" || one != first || two != first {
			t.Errorf("with %v: REST placed %q, GraphQL %q, the first was %q: %s %s", method, one, two, first, rest.body, gql.body)
		}
		if i > 0 && rest.header.Get("Idempotent-Replayed") != "true" || gql.header.Get("Idempotent-Replayed") != "true" {
			t.Errorf("with %v: not marked as a replayed response", method)
		}
	}
}
