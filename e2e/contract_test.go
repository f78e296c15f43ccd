package e2e

import (
	"strings"
	"testing"
)

// counterparts are the queries and mutations of REST's operations. Others have the operation's
// name, without list or get in front of it.
var counterparts = map[string][]string{
	"getProductByHandle":    {"query product"},
	"getCollectionByHandle": {"query collection"},
	"getTenant":             {"query storeFront"},
	"listOrders":            {"query myOrders"},
	"exportAccount":         {"query accountExport"},
	"getMe":                 {"query me", "query profile"},
	"updateProfile":         {"mutation profile"},
	"verifyOtp":             {"mutation verifyOtpToLogin"},
	"verifyCoupon":          {"query verifyCoupon"},
	"quoteOrder":            {"query quoteOrder"},
}

const forMerchants = "sets up a shop rather than sells: the specification names it for GraphQL, the command line does it too"

// withoutCounterpart are operations of GraphQL that REST lacks, by the reason.
var withoutCounterpart = map[string]string{
	"query apiVersion":                 "every response has it as X-API-Version",
	"query plugin__webhookUrls":        forMerchants,
	"query plugins":                    forMerchants,
	"mutation plugin__configure":       forMerchants,
	"mutation plugin__validateCourier": forMerchants,
}

// counterparts returns what GraphQL calls an operation.
func (op *restOperation) counterparts() []string {
	if named := counterparts[op.OperationID]; named != nil {
		return named
	}
	for _, prefix := range []string{"list", "get"} {
		if name, ok := strings.CutPrefix(op.OperationID, prefix); ok {
			return []string{"query " + strings.ToLower(name[:1]) + name[1:]}
		}
	}
	return []string{"mutation " + op.OperationID}
}

// outside are paths of the document that no storefront calls, by how they begin.
var outside = map[string]string{
	"/courier/": "called by couriers, in their own words",
	"/payment/": "called by gateways, in their own words",
}

// onlyInGraphQL are inputs and fields that REST has elsewhere, by their owner.
var onlyInGraphQL = map[string]string{
	"order.orderToken":               "REST has the header X-Order-Token",
	"reorder.orderToken":             "REST has the header X-Order-Token",
	"setPaymentMethod.orderToken":    "REST has the header X-Order-Token",
	"cancelOrder.orderToken":         "REST has the header X-Order-Token",
	"reportWalletPayment.orderToken": "REST has the header X-Order-Token",
	"startPayment.orderToken":        "REST has the header X-Order-Token",
	"submitReview.orderToken":        "REST has the header X-Order-Token",
	"placeOrder.orderToken":          "REST has the header X-Order-Token",
	"quoteOrder.orderToken":          "REST has the header X-Order-Token",
	"verifyCoupon.orderToken":        "REST has the header X-Order-Token",
	"placeOrder.idempotencyKey":      "REST has the header Idempotency-Key",
	"Order.orderToken":               "REST gives it with the order that is placed, where it can not be null",
}

// bothWays are the types of answers whose schema REST uses for inputs too, so that it cannot state
// that all fields are present.
var bothWays = map[string]string{
	"Address": "an address comes back as it is sent, with null for what was left out",
}

// TestContract_SameOperations compares both interfaces of a running server: GraphQL has the
// operations of REST's document, with the same inputs and results.
func TestContract_SameOperations(t *testing.T) {
	t.Parallel()
	p := serve(t, "--dev", "--data", demoData(t))
	document, schema := p.document(), p.introspect("demo")

	routes := map[string][]string{} // those of each operation of GraphQL: two where it has a choice
	for route, op := range document.operations() {
		for _, counterpart := range op.counterparts() {
			routes[counterpart] = append(routes[counterpart], route)
			if _, _, ok := schema.operation(counterpart); !ok {
				t.Errorf("%s: GraphQL has no %s: add it, or its name to counterparts", route, counterpart)
			}
		}
	}
	for _, operation := range schema.operations() {
		if (routes[operation] == nil) != (withoutCounterpart[operation] != "") {
			t.Errorf("%s: got REST's %q and, in withoutCounterpart, the reason %q", operation, routes[operation], withoutCounterpart[operation])
		}
	}
	for operation, routes := range routes {
		t.Run(operation, func(t *testing.T) {
			(&comparison{t: t, rest: document, graphql: schema, seen: map[string]bool{}}).operation(routes, operation)
		})
	}
}
