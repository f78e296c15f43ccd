package e2e

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// attempt is an operation at one shop with identifiers and tokens of another.
type attempt struct {
	operation string // as the document or the schema names it, or a provider's endpoint
	request
	args string // of a GraphQL operation
	want string // status and code of REST, code of GraphQL; no code where the shop answers with its own
}

// isolation is two shops on one server, with the identifiers and tokens of the first.
type isolation struct {
	*process
	product, collection, own string // own: the second shop's product
	token, admin             string
	code                     string // sent to the phone, not used yet
	invoice, orderToken      string
	etag, cursor             string
}

const (
	secretPhone    = "01911-777888"
	secretEmail    = "secret.person@mail.example"
	secretPassword = "correct horse battery"
)

func newIsolation(t *testing.T) *isolation {
	t.Helper()
	data := newShop(t, "alpha", 50)
	run(t, "tenant", "create", "beta", "--name", "Shop beta", "--data", data)
	run(t, "product", "import", "beta", filepath.Join(filepath.Dir(data), "products.csv"), "--data", data)
	run(t, "api", "alpha", "saveCollection", "--title", "Secret collection", "--handle", "secret", "--data", data)
	run(t, "api", "alpha", "addToCollection", "--id", "secret", "--products", "item-0", "--data", data)
	run(t, "coupon", "create", "alpha", "--code", "SECRET10", "--percent", "10", "--data", data)
	gateway := newGateway(t)
	for _, uid := range []string{"alpha", "beta"} {
		gateway.configure(t, data, uid)
		run(t, "plugin", "configure", uid, "courier_a", "webhook_secret=secret-of-"+uid, "--data", data)
		run(t, "plugin", "configure", uid, "courier_b", "webhook_token=secret-of-"+uid, "--data", data)
	}
	var made struct{ Token string }
	if err := json.Unmarshal([]byte(run(t, "token", "create", "alpha", "--json", "--data", data)), &made); err != nil {
		t.Fatal(err)
	}
	n := &isolation{process: serve(t, "--data", data, "--private-providers", "--rate", "0"), admin: made.Token}

	n.product, _ = n.process.product("alpha", "item-0")
	n.own, _ = n.process.product("beta", "item-0")
	n.collection = n.must(request{method: "GET", path: "/api/v1/collections", tenant: "alpha"}).text("nodes", 0, "_id")
	n.cursor = n.must(request{method: "GET", path: "/api/v1/products/changes", tenant: "alpha"}).text("cursor")
	n.etag = n.must(request{method: "GET", path: "/api/v1/products", tenant: "alpha"}).header.Get("ETag")
	account := fields{"name": "Secret Person", "phoneNumber": secretPhone, "email": secretEmail, "password": secretPassword}
	n.token = n.auth("register", "alpha", "", account).want(t, 201, "").text("accessToken")
	order := orderOf(n.product, 1)
	order["customer"] = fields{"name": "Secret Person", "phoneNumber": secretPhone}
	placed := n.must(request{method: "POST", path: "/api/v1/orders", tenant: "alpha", token: n.token, body: order,
		header: map[string]string{"Idempotency-Key": "alphas"}}).want(t, 201, "")
	n.invoice, n.orderToken = placed.text("invoiceUid"), placed.text("orderToken")
	n.auth("otp/send", "alpha", "", fields{"phoneNumber": secretPhone}).want(t, 200, "")
	n.code = gateway.code(t, "+8801911777888")
	for what, given := range map[string]string{"collection": n.collection, "etag": n.etag, "cursor": n.cursor, "token": n.token,
		"order token": n.orderToken, "admin": n.admin} {
		if given == "" {
			t.Fatalf("alpha returned no %s", what)
		}
	}
	return n
}

// TestIsolation_AcrossShops sends identifiers and tokens of one shop (tokens, ids, an invoice, a
// code, the secrets of its couriers) to every operation of another shop on the same server.
func TestIsolation_AcrossShops(t *testing.T) {
	t.Parallel()
	n := newIsolation(t)
	document, schema := n.document(), n.introspect("beta")
	untried := map[string]bool{}
	for _, operation := range slices.AppendSeq(schema.operations(), maps.Keys(document.operations())) {
		untried[operation] = true
	}
	before := n.must(request{method: "GET", path: "/api/v1/orders/" + n.invoice, tenant: "alpha", token: n.token}).at()
	for _, a := range slices.Concat(n.byGraphQL(), n.byREST(), n.publicLists(document)) {
		delete(untried, a.operation)
		t.Run(a.operation, func(t *testing.T) { n.attempt(t, schema, a) })
	}
	for operation := range untried {
		t.Errorf("no attempt of %s with values of another shop", operation)
	}
	after := n.must(request{method: "GET", path: "/api/v1/orders/" + n.invoice, tenant: "alpha", token: n.token}).at()
	if fmt.Sprint(before) != fmt.Sprint(after) {
		t.Errorf("the order was\n%v\nand is\n%v", before, after)
	}
}

// attempt calls beta, and fails if the response contains data of alpha's buyer.
func (n *isolation) attempt(t *testing.T, s graphQLSchema, a attempt) {
	t.Helper()
	kind, _, _ := strings.Cut(a.operation, " ")
	isGraphQL := kind == "query" || kind == "mutation"
	if isGraphQL {
		_, field, ok := s.operation(a.operation)
		if !ok {
			t.Fatal("unknown operation")
		}
		a.method, a.path = "POST", "/graphql"
		a.body = fields{"query": fmt.Sprintf("%s { %s%s%s }", kind, field.Name, a.args, s.everything(field.Type.name()))}
	}
	if a.tenant == "" && !strings.Contains(a.path, "/beta") {
		a.tenant = "beta"
	}
	if a.header == nil {
		a.header = map[string]string{"X-Order-Token": n.orderToken}
	}
	if kind == "query" || a.method == "GET" { // alpha's cached response must not be sent to beta
		own := a.request
		own.tenant = "alpha"
		n.must(own)
	}
	answer := n.must(a.request)
	got := answer.text("errors", 0, "extensions", "code")
	if !isGraphQL {
		got = fmt.Sprintf("%d %s", answer.status, cmp.Or(answer.text("reason"), answer.text("code")))
	}
	if got != a.want {
		t.Errorf("got %q, want %q: %s", got, a.want, answer.body)
	}
	sent := fmt.Sprint(a.path, a.body)
	for _, secret := range []string{"Secret", "777888", secretEmail, n.invoice, n.product, n.collection} {
		if strings.Contains(string(answer.body), secret) && !strings.Contains(sent, secret) {
			t.Errorf("the answer shows %q of the other shop: %s", secret, answer.body)
		}
	}
}

// publicLists returns an attempt by each transport of every public operation that needs no value.
func (n *isolation) publicLists(document *openAPI) (attempts []attempt) {
	for route, op := range document.operations() {
		method, path, _ := strings.Cut(route, " ")
		if !op.isPublic() || strings.Contains(path, "{") {
			continue
		}
		attempts = append(attempts, attempt{operation: route, request: request{method: method, path: path, token: n.token}, want: "200 "})
		for _, counterpart := range op.counterparts() {
			attempts = append(attempts, attempt{operation: counterpart, request: request{token: n.token}})
		}
	}
	return attempts
}

func (n *isolation) byREST() []attempt {
	get := func(operation, path, want string) attempt {
		return attempt{operation: "GET " + operation, request: request{method: "GET", path: path, token: n.token}, want: want}
	}
	post := func(operation, path, token string, body any, want string) attempt {
		return attempt{operation: "POST " + operation, want: want,
			request: request{method: "POST", path: cmp.Or(path, operation), token: token, body: body}}
	}
	with := func(a attempt, header ...string) attempt {
		a.header = map[string]string{}
		for i := 0; i < len(header); i += 2 {
			a.header[header[i]] = header[i+1]
		}
		return a
	}
	coupon := fields{"code": "SECRET10", "items": []fields{{"productId": n.own, "quantity": 1}}}
	withCoupon := orderOf(n.own, 1)
	withCoupon["couponCode"] = "SECRET10"
	noProof := fields{"id": "a", "clientDataJSON": "a", "authenticatorData": "a", "signature": "a"}
	noPasskey := fields{"id": "a", "clientDataJSON": "a", "attestationObject": "a"}
	const auth, orders = "/api/v1/auth/", "/api/v1/orders"
	return []attempt{
		get("/api/v1/products", "/api/v1/products?collectionIds[]="+n.collection, "200 "),
		with(get("/api/v1/products", "/api/v1/products", "200 "), "If-None-Match", n.etag),
		get("/api/v1/products/changes", "/api/v1/products/changes?since="+n.cursor, "422 validation_failed"),
		get("/api/v1/products/{id}", "/api/v1/products/"+n.product, "404 not_found"),
		get("/api/v1/products/{id}/related", "/api/v1/products/"+n.product+"/related", "404 not_found"),
		get("/api/v1/products/{id}/reviews", "/api/v1/products/"+n.product+"/reviews", "404 not_found"),
		get("/api/v1/products/handle/{handle}", "/api/v1/products/handle/item-0", "200 "),
		get("/api/v1/collections/handle/{handle}", "/api/v1/collections/handle/secret", "404 not_found"),
		get("/api/v1/collections/{id}", "/api/v1/collections/"+n.collection, "404 not_found"),
		with(get("/api/v1/tenant", "/api/v1/tenant", "401 unauthenticated"), "X-Shopper-Address", "192.0.2.1", "X-Admin-Token", n.admin),

		post(auth+"login", "", "", fields{"user": secretPhone, "password": secretPassword}, "401 invalid_credentials"),
		post(auth+"otp/verify", "", n.token, fields{"phoneNumber": secretPhone, "code": n.code, "name": "Thief"}, "401 otp_invalid"),
		post(auth+"otp/send", "", n.token, fields{"phoneNumber": secretPhone}, "200 "),
		post(auth+"email/send", "", n.token, fields{"email": secretEmail}, "503 email_unavailable"),
		post(auth+"email/verify", "", n.token, fields{"email": secretEmail, "code": "000000", "name": "Thief"}, "401 otp_invalid"),
		post(auth+"password/forgot", "", n.token, fields{"email": secretEmail}, "503 email_unavailable"),
		post(auth+"password/reset", "", n.token,
			fields{"email": secretEmail, "code": "000000", "newPassword": "a long and quiet river"}, "401 otp_invalid"),
		post(auth+"register", "", n.token, fields{"name": "Thief", "phoneNumber": secretPhone, "email": secretEmail, "password": secretPassword}, "201 "),
		post(auth+"logout", "", n.token, nil, "200 "),
		post(auth+"renew", "", n.token, nil, "401 token_invalid"),
		post(auth+"change-password", "", n.token, fields{"currentPassword": secretPassword, "newPassword": "a long and quiet river"}, "401 token_invalid"),
		{operation: "PATCH /api/v1/auth/profile", request: request{method: "PATCH", path: auth + "profile", token: n.token,
			body: fields{"name": "Thief"}}, want: "401 token_invalid"},
		get("/api/v1/auth/me", "/api/v1/auth/me", "401 token_invalid"),
		get("/api/v1/auth/export", "/api/v1/auth/export", "401 token_invalid"),
		post(auth+"join", "", n.token, fields{"phoneNumber": secretPhone, "code": n.code}, "401 token_invalid"),
		post(auth+"delete", "", n.token, fields{"currentPassword": secretPassword}, "401 token_invalid"),

		post(auth+"passkey/options", "", "", nil, "409 state_conflict"),
		post(auth+"passkey", "", n.token, fields{"credential": noProof}, "401 invalid_credentials"),
		post(auth+"passkey/proof/options", "", n.token, nil, "401 token_invalid"),
		post(auth+"passkey/add/options", "", n.token, fields{"currentPassword": secretPassword}, "401 token_invalid"),
		post(auth+"passkeys", "", n.token, fields{"name": "Thief", "credential": noPasskey}, "401 token_invalid"),
		get(auth+"passkeys", auth+"passkeys", "401 token_invalid"),
		{operation: "PATCH /api/v1/auth/passkeys/{id}", request: request{method: "PATCH", path: auth + "passkeys/" + n.product, token: n.token,
			body: fields{"name": "Thief"}}, want: "401 token_invalid"},
		post(auth+"passkeys/{id}/remove", auth+"passkeys/"+n.product+"/remove", n.token, fields{"currentPassword": secretPassword}, "401 token_invalid"),

		get(orders, orders, "401 token_invalid"),
		get(orders+"/{orderId}", orders+"/"+n.invoice, "404 not_found"),
		get(orders+"/{orderId}/reorder", orders+"/"+n.invoice+"/reorder", "404 not_found"),
		post(orders, "", n.token, orderOf(n.own, 1), "401 token_invalid"),
		post(orders, "", "", orderOf(n.product, 1), "422 validation_failed"),
		post(orders, "", "", withCoupon, "422 coupon_not_found"),
		with(post(orders, "", "", orderOf(n.own, 1), "201 "), "Idempotency-Key", "alphas"),
		post(orders+"/quote", "", n.token, orderOf(n.own, 1), "401 token_invalid"),
		post(orders+"/quote", "", "", orderOf(n.product, 1), "422 validation_failed"),
		post(orders+"/coupons/verify", "", n.token, coupon, "401 token_invalid"),
		post(orders+"/coupons/verify", "", "", coupon, "200 coupon_not_found"),
		post(orders+"/{orderId}/reviews", orders+"/"+n.invoice+"/reviews", "", fields{"productId": n.own, "rating": 5}, "404 not_found"),
		post(orders+"/{orderId}/cancel", orders+"/"+n.invoice+"/cancel", n.token, nil, "401 token_invalid"),
		post(orders+"/{orderId}/payment-method", orders+"/"+n.invoice+"/payment-method", n.token, fields{"paymentMethod": "cod"}, "404 not_found"),
		post(orders+"/{orderId}/wallet-payments", orders+"/"+n.invoice+"/wallet-payments", n.token,
			fields{"walletId": "bkash", "sender": "01711", "transactionId": "8N7A6D5E4F"}, "404 not_found"),
		post("/api/v1/incomplete-orders", "/api/v1/incomplete-orders", n.token, fields{
			"session": "a secret of this browser", "consent": true, "phoneNumber": "01711000009", "items": []fields{{"productId": n.own, "quantity": 1}},
		}, "200 "),
		post(orders+"/{orderId}/payments", orders+"/"+n.invoice+"/payments", n.token, fields{"paymentMethod": "gateway_a"}, "404 not_found"),

		with(post("/courier/webhook/courier_a/{tenant}", "/courier/webhook/courier_a/beta", "", fields{"event": "webhook_integration"}, "401 "),
			"X-CourierA-Signature", "secret-of-alpha"),
		post("/courier/webhook/courier_b/{tenant}", "/courier/webhook/courier_b/beta", "secret-of-alpha", fields{"status": "delivered"}, "401 "),
	}
}

func (n *isolation) byGraphQL() []attempt {
	ask := func(operation, args, want string) attempt {
		return attempt{operation: operation, request: request{token: n.token}, args: args, want: want}
	}
	administer := func(operation, args string) attempt {
		return attempt{operation: operation, request: request{token: n.admin}, args: args, want: "unauthenticated"}
	}
	items := fmt.Sprintf(`items: [{productId: %q, quantity: 1}]`, n.own)
	return []attempt{
		ask("query products", fmt.Sprintf(`(collectionIds: [%q])`, n.collection), ""),
		ask("query productChanges", fmt.Sprintf(`(since: %q)`, n.cursor), "validation_failed"),
		ask("query product", fmt.Sprintf(`(id: %q)`, n.product), "not_found"),
		ask("query productReviews", fmt.Sprintf(`(id: %q)`, n.product), "not_found"),
		ask("query relatedProducts", fmt.Sprintf(`(id: %q)`, n.product), "not_found"),
		ask("query collection", fmt.Sprintf(`(id: %q)`, n.collection), "not_found"),
		ask("query apiVersion", "", ""),

		ask("mutation login", fmt.Sprintf(`(input: {user: %q, password: %q})`, secretPhone, secretPassword), "invalid_credentials"),
		ask("mutation verifyOtpToLogin", fmt.Sprintf(`(input: {phoneNumber: %q, code: %q, name: "Thief"})`, secretPhone, n.code), "otp_invalid"),
		ask("mutation sendEmailCode", fmt.Sprintf(`(input: {email: %q})`, secretEmail), "email_unavailable"),
		ask("mutation verifyEmail", fmt.Sprintf(`(input: {email: %q, code: "000000", name: "Thief"})`, secretEmail), "otp_invalid"),
		ask("mutation requestPasswordReset", fmt.Sprintf(`(input: {email: %q})`, secretEmail), "email_unavailable"),
		ask("mutation resetPassword",
			fmt.Sprintf(`(input: {email: %q, code: "000000", newPassword: "a long and quiet river"})`, secretEmail), "otp_invalid"),
		ask("mutation sendOtp", `(input: {phoneNumber: "01911777889"})`, ""),
		ask("mutation register", `(input: {name: "Thief", phoneNumber: "01911777889", password: "a long and quiet river"})`, ""),
		ask("mutation logout", "", ""),
		ask("mutation renewToken", "", "token_invalid"),
		ask("mutation changePassword", `(input: {newPassword: "a long and quiet river"})`, "token_invalid"),
		ask("mutation profile", `(input: {name: "Thief"})`, "token_invalid"),
		ask("query profile", "", "token_invalid"),
		ask("query accountExport", "", "token_invalid"),
		ask("mutation joinAccounts", fmt.Sprintf(`(input: {phoneNumber: %q, code: %q})`, secretPhone, n.code), "token_invalid"),
		ask("mutation deleteAccount", fmt.Sprintf(`(input: {currentPassword: %q})`, secretPassword), "token_invalid"),
		ask("query me", "", "token_invalid"),

		ask("mutation beginPasskeySignIn", "", "state_conflict"),
		ask("mutation signInByPasskey", `(input: {credential: {id: "a", clientDataJSON: "a", authenticatorData: "a", signature: "a"}})`,
			"invalid_credentials"),
		ask("mutation beginPasskeyProof", "", "token_invalid"),
		ask("mutation beginPasskey", fmt.Sprintf(`(input: {currentPassword: %q})`, secretPassword), "token_invalid"),
		ask("mutation addPasskey", `(input: {name: "Thief", credential: {id: "a", clientDataJSON: "a", attestationObject: "a"}})`, "token_invalid"),
		ask("query passkeys", "", "token_invalid"),
		ask("mutation renamePasskey", fmt.Sprintf(`(id: %q, name: "Thief")`, n.product), "token_invalid"),
		ask("mutation removePasskey", fmt.Sprintf(`(id: %q, input: {currentPassword: %q})`, n.product, secretPassword), "token_invalid"),

		ask("query myOrders", "", "token_invalid"),
		ask("query order", fmt.Sprintf(`(orderId: %q)`, n.invoice), "not_found"),
		ask("query reorder", fmt.Sprintf(`(orderId: %q)`, n.invoice), "not_found"),
		ask("mutation placeOrder", fmt.Sprintf(`(input: {%s})`, items), "token_invalid"),
		ask("query quoteOrder", fmt.Sprintf(`(input: {%s})`, items), "token_invalid"),
		ask("query verifyCoupon", fmt.Sprintf(`(input: {code: "SECRET10", %s})`, items), "token_invalid"),
		ask("mutation submitReview", fmt.Sprintf(`(orderId: %q, orderToken: %q, productId: %q, rating: 5)`, n.invoice, n.orderToken, n.own), "not_found"),
		ask("mutation cancelOrder", fmt.Sprintf(`(orderId: %q)`, n.invoice), "token_invalid"),
		ask("mutation startPayment", fmt.Sprintf(`(input: {orderId: %q, orderToken: %q, paymentMethod: gateway_a})`, n.invoice, n.orderToken), "not_found"),
		ask("mutation reportWalletPayment", fmt.Sprintf(
			`(input: {orderId: %q, orderToken: %q, walletId: "bkash", sender: "01711", transactionId: "8N7A6D5E4F"})`, n.invoice, n.orderToken), "not_found"),
		ask("mutation saveIncompleteOrder", fmt.Sprintf(
			`(input: {session: "a secret of this browser", consent: true, phoneNumber: "01711000009", %s})`, items), ""),
		ask("mutation setPaymentMethod", fmt.Sprintf(`(input: {orderId: %q, orderToken: %q, paymentMethod: cod})`, n.invoice, n.orderToken), "not_found"),

		ask("query plugin__webhookUrls", "", ""),
		administer("query plugins", ""),
		administer("mutation plugin__configure", `(provider: courier_a, settings: {webhook_secret: "thief"})`),
		administer("mutation plugin__validateCourier", `(provider: courier_a)`),
	}
}
