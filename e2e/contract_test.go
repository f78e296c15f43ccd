package e2e

import (
	"maps"
	"slices"
	"strings"
	"testing"
)

// capability is one thing that the interface can do, and how each transport names it.
type capability struct {
	rest    []string // method and path; two where GraphQL has one operation with a choice
	graphql []string // kind and name; two where the specification has two names
	why     string   // for one that a transport lacks
}

const forMerchants = "sets up a shop rather than sells: the specification names it for GraphQL, the command line does it too"

// capabilities is the one list that both transports are held to.
var capabilities = map[string]capability{
	"find products":       {rest: []string{"GET /api/v1/products"}, graphql: []string{"query products"}},
	"read a product":      {rest: []string{"GET /api/v1/products/{id}", "GET /api/v1/products/handle/{handle}"}, graphql: []string{"query product"}},
	"find collections":    {rest: []string{"GET /api/v1/collections"}, graphql: []string{"query collections"}},
	"read a collection":   {rest: []string{"GET /api/v1/collections/{id}"}, graphql: []string{"query collection"}},
	"read the shop":       {rest: []string{"GET /api/v1/tenant"}, graphql: []string{"query storeFront"}},
	"list the districts":  {rest: []string{"GET /api/v1/districts"}, graphql: []string{"query districts"}},
	"register":            {rest: []string{"POST /api/v1/auth/register"}, graphql: []string{"mutation register"}},
	"log in":              {rest: []string{"POST /api/v1/auth/login"}, graphql: []string{"mutation login"}},
	"send a code":         {rest: []string{"POST /api/v1/auth/otp/send"}, graphql: []string{"mutation sendOtp"}},
	"sign in by a code":   {rest: []string{"POST /api/v1/auth/otp/verify"}, graphql: []string{"mutation verifyOtpToLogin"}},
	"send a code by mail": {rest: []string{"POST /api/v1/auth/email/send"}, graphql: []string{"mutation sendEmailCode"}},
	"verify an address":   {rest: []string{"POST /api/v1/auth/email/verify"}, graphql: []string{"mutation verifyEmail"}},
	"forget a password":   {rest: []string{"POST /api/v1/auth/password/forgot"}, graphql: []string{"mutation requestPasswordReset"}},
	"reset a password":    {rest: []string{"POST /api/v1/auth/password/reset"}, graphql: []string{"mutation resetPassword"}},
	"join accounts":       {rest: []string{"POST /api/v1/auth/join"}, graphql: []string{"mutation joinAccounts"}},
	"export an account":   {rest: []string{"GET /api/v1/auth/export"}, graphql: []string{"query accountExport"}},
	"delete an account":   {rest: []string{"POST /api/v1/auth/delete"}, graphql: []string{"mutation deleteAccount"}},
	"read the account":    {rest: []string{"GET /api/v1/auth/me"}, graphql: []string{"query me", "query profile"}},
	"change the account":  {rest: []string{"PATCH /api/v1/auth/profile"}, graphql: []string{"mutation profile"}},
	"change the password": {rest: []string{"POST /api/v1/auth/change-password"}, graphql: []string{"mutation changePassword"}},
	"log out":             {rest: []string{"POST /api/v1/auth/logout"}, graphql: []string{"mutation logout"}},
	"verify a coupon":     {rest: []string{"POST /api/v1/orders/coupons/verify"}, graphql: []string{"query verifyCoupon"}},
	"quote an order":      {rest: []string{"POST /api/v1/orders/quote"}, graphql: []string{"query quoteOrder"}},
	"place an order":      {rest: []string{"POST /api/v1/orders"}, graphql: []string{"mutation placeOrder"}},
	"read one's orders":   {rest: []string{"GET /api/v1/orders"}, graphql: []string{"query myOrders"}},
	"read an order":       {rest: []string{"GET /api/v1/orders/{orderId}"}, graphql: []string{"query order"}},
	"cancel an order":     {rest: []string{"POST /api/v1/orders/{orderId}/cancel"}, graphql: []string{"mutation cancelOrder"}},
	"pay an order":        {rest: []string{"POST /api/v1/orders/{orderId}/payments"}, graphql: []string{"mutation startPayment"}},
	"pay in cash instead": {rest: []string{"POST /api/v1/orders/{orderId}/payment-method"}, graphql: []string{"mutation setPaymentMethod"}},
	"read the version":    {graphql: []string{"query apiVersion"}, why: "every answer has it as X-API-Version"},
	"read the callbacks":  {graphql: []string{"query plugin__webhookUrls"}, why: forMerchants},
	"read plugins":        {graphql: []string{"query plugins"}, why: forMerchants},
	"configure a plugin":  {graphql: []string{"mutation plugin__configure"}, why: forMerchants},
	"validate a plugin":   {graphql: []string{"mutation plugin__validateCourier"}, why: forMerchants},
}

// outside are paths of the document that no storefront calls, by how they begin.
var outside = map[string]string{
	"/courier/": "called by couriers, in their own words",
	"/payment/": "called by gateways, in their own words",
}

// onlyInGraphQL are inputs and fields that REST has elsewhere, by their owner.
var onlyInGraphQL = map[string]string{
	"order.orderToken":            "REST has the header X-Order-Token",
	"setPaymentMethod.orderToken": "REST has the header X-Order-Token",
	"cancelOrder.orderToken":      "REST has the header X-Order-Token",
	"startPayment.orderToken":     "REST has the header X-Order-Token",
	"placeOrder.orderToken":       "REST has the header X-Order-Token",
	"quoteOrder.orderToken":       "REST has the header X-Order-Token",
	"verifyCoupon.orderToken":     "REST has the header X-Order-Token",
	"placeOrder.idempotencyKey":   "REST has the header Idempotency-Key",
	"Order.orderToken":            "REST gives it with the order that is placed, where it can not be null",
}

// bothWays are the types of answers whose schema REST uses for inputs too, so that it cannot state
// that all fields are present.
var bothWays = map[string]string{
	"Address": "an address comes back as it is sent, with null for what was left out",
}

// TestContract_SameOperations compares both interfaces of a running server with one list.
func TestContract_SameOperations(t *testing.T) {
	t.Parallel()
	p := serve(t, "--dev", "--data", demoData(t))
	document, schema := p.document(), p.introspect("demo")

	listed := map[string]string{}
	for name, c := range capabilities {
		for _, operation := range slices.Concat(c.rest, c.graphql) {
			if listed[operation] != "" {
				t.Errorf("%s is %q and %q", operation, listed[operation], name)
			}
			listed[operation] = name
		}
		if one := len(c.rest) == 0 || len(c.graphql) == 0; one != (c.why != "") {
			t.Errorf("%q is on one transport and has no reason, or is on both and has one", name)
		}
	}
	there := slices.Collect(maps.Keys(document.operations()))
	for _, root := range []string{"Query", "Mutation"} {
		for _, f := range schema[root].Fields {
			there = append(there, strings.ToLower(root)+" "+f.Name)
		}
	}
	for _, operation := range there {
		if listed[operation] == "" {
			t.Errorf("%s is not in the list of capabilities: give it a twin on the other transport, or a reason why it has none", operation)
		}
		delete(listed, operation)
	}
	for operation := range listed {
		t.Errorf("unknown operation %s", operation)
	}
	for name, c := range capabilities {
		for _, operation := range c.graphql {
			if len(c.rest) == 0 {
				continue
			}
			t.Run(name, func(t *testing.T) {
				(&comparison{t: t, rest: document, graphql: schema, seen: map[string]bool{}}).operation(c.rest, operation)
			})
		}
	}
}
