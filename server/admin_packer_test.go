package server_test

import (
	"cmp"
	"encoding/json"
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"

	"storefront/shop/access"
	"storefront/shop/fault"
	"storefront/shop/staff"
)

// packer signs a packer in, and returns the cookie.
func (s *auditShop) packer() string {
	s.t.Helper()
	return "sf_admin=" + s.shop.Member(s.t, staff.RolePacker, "packer@example.com").Session
}

// anAmount matches an amount in a text: with a sign of taka, or one of the shop's mug.
var anAmount = regexp.MustCompile(`৳|টাকা|\b(?:450\.00|45000|500\.00|50000)\b`)

// checkNoAmount reports each amount in a response.
func checkNoAmount(t *testing.T, what string, got *reply) {
	t.Helper()
	if found := anAmount.FindIndex(got.body); found != nil {
		t.Errorf("%s: got an amount in %s", what, got.body[max(0, found[0]-80):min(len(got.body), found[1]+20)])
	}
	var walk func(path string, content any)
	walk = func(path string, content any) {
		switch v := content.(type) {
		case []any:
			for i, e := range v {
				walk(fmt.Sprintf("%s[%d]", path, i), e)
			}
		case map[string]any:
			for name, e := range v {
				at := path + "." + name
				isAmount := slices.Contains([]string{"amount", "price", "cost", "minSubtotal", "formatted"}, name)
				_, isObject := e.(map[string]any)
				if isAmount && !isObject && e != float64(0) && e != "" && e != nil {
					t.Errorf("%s: got %s = %v, want no amount", what, at, e)
				}
				walk(at, e)
			}
		}
	}
	var content any
	if json.Unmarshal(got.body, &content) == nil {
		walk("", content)
	}
}

// A packer receives no amount of money in any response of the Admin API, of an operation that the
// role permits and of one that it does not.
func TestAdmin_PackerSeesNoAmount(t *testing.T) {
	t.Parallel()
	permitted := []access.Permission{access.OrdersRead, access.OrdersFulfill, access.Any, access.Own}
	refused := map[string]bool{ // although the permission suffices for others
		"priceShipment": true, "changeProducts": true, "changeOrders": true, "cancelJob": true, "retryJob": true, "saveTranslations": true,
	}
	unchanged := newAuditShop(t) // for what the role does not permit
	unchanged.placeMugs()
	unchanged.values["delivered"] = auditedPath
	packer := unchanged.packer()
	for _, o := range shopOperations() {
		change, changes := auditedChanges[o.ID]
		if !changes || o.Use.Permission == access.Anybody {
			continue
		}
		if !slices.Contains(permitted, o.Use.Permission) {
			for _, name := range placeholder.FindAllStringSubmatch(change.path+change.body, -1) {
				unchanged.values[name[1]] = cmp.Or(unchanged.values[name[1]], "none")
			}
			got := unchanged.as(o.Method, change.path, change.body, "Cookie", packer)
			checkNoAmount(t, o.ID, got)
			if got.status != http.StatusForbidden {
				t.Errorf("%s: got %d: %s, want 403", o.ID, got.status, got.body)
			}
			continue
		}
		t.Run(o.ID, func(t *testing.T) {
			t.Parallel()
			s := newAuditShop(t)
			s.placeMugs()
			cookie := s.packer()
			if change.prepare != nil {
				change.prepare(s)
			}
			got := s.as(o.Method, change.path, change.body, "Cookie", cookie)
			checkNoAmount(t, o.ID, got)
			if denied := got.status == http.StatusForbidden; denied != refused[o.ID] {
				t.Errorf("got %d: %s, want a refusal %v", got.status, got.body, refused[o.ID])
			}
		})
	}
	t.Run("reads", func(t *testing.T) { testPackerReads(t, permitted) })
}

// placeMugs places an order of mugs, and books it.
func (s *auditShop) placeMugs() {
	s.t.Helper()
	placed := s.must("POST", "orders", `{"items":[{"variantId":"<variant>","quantity":1}],"source":"phone",
		"note":"It is ৳450, he says","customer":{"name":"Karim","phoneNumber":"01811-000000"},
		"shippingAddress":{"line1":"House 7, Road 3","city":"Dhaka"}}`)
	s.values["mugs"] = placed["order"].(map[string]any)["_id"].(string)
	s.must("POST", "orders/<mugs>/notes", `{"text":"Paid Tk 450 before"}`)
	s.must("POST", "orders/<mugs>/shipments", `{"provider":"courier_a"}`)
}

// testPackerReads reads all that can be read.
func testPackerReads(t *testing.T, permitted []access.Permission) {
	s := newAuditShop(t)
	s.placeMugs()
	s.payment("needs_review")
	s.upload()
	s.values["job"] = s.must("POST", "bulk/orders", `{"action":"confirm","ids":["<mugs>"]}`)["_id"].(string)
	cookie := s.packer()
	values := map[string]string{
		"orderId": "<mugs>", "productId": "<product>", "variantId": "<variant>", "collectionId": "<collection>", "code": "TEN", "statementId": "none",
		"customerId": "<customer>", "mediaId": "<media>", "paymentId": "PAYMENT", "jobId": "<job>", "userId": "id-viewer",
		"phone": "+8801811000000", "provider": "courier_a", "kind": "label", "report": "days",
		"version": "none", "slug": "none", "id": "none", "name": "none",
	}
	parameter := regexp.MustCompile(`\{(\w+)\}`)
	for _, o := range shopOperations() {
		if o.Changes() && o.ID != "printOrders" || o.Use.Permission == access.Anybody || o.Live {
			continue
		}
		path := parameter.ReplaceAllStringFunc(o.Path, func(name string) string {
			value, ok := values[name[1:len(name)-1]]
			if !ok {
				t.Errorf("%s: no value for %s", o.ID, name)
			}
			return value
		})
		switch o.ID {
		case "printOrders":
			path += "?ids=<mugs>"
		case "search":
			path += "?q=Karim"
		case "checkShipment", "suggestCourierPlace":
			path += "?provider=courier_a"
		}
		body := ""
		if o.Method != http.MethodGet {
			body = `{"provider":"courier_a","city":1,"zone":2}`
		}
		got := s.as(o.Method, path, body, "Cookie", cookie)
		checkNoAmount(t, o.ID, got)
		wanted := slices.Contains(permitted, o.Use.Permission) && o.ID != "priceShipment"
		if denied := got.status == http.StatusForbidden; denied == wanted {
			t.Errorf("%s: got %d: %s, want permitted %v", o.ID, got.status, got.body, wanted)
		}
	}
	for _, kind := range []string{"label", "packing", "picklist", "handover"} {
		for _, language := range []string{"en", "bn"} {
			got := s.as("GET", "print/"+kind+"?ids=<mugs>&lang="+language, "", "Cookie", cookie)
			checkNoAmount(t, kind, got)
			rest := strings.ReplaceAll(string(got.body), "It is •••, he says", "")
			if got.status != http.StatusOK || strings.Contains(rest, "•••") {
				t.Errorf("%s: got %d: %s, want a document without a place for amounts", kind, got.status, got.body)
			}
		}
	}
	for _, path := range []string{
		"print/invoice?ids=<mugs>", "orders?minTotal=1", "orders?maxTotal=1", "orders?sortBy=total",
	} {
		refusal := s.as("GET", path, "", "Cookie", cookie).problem(http.StatusForbidden, fault.CodeForbidden)
		if refusal.Details["permission"] != string(access.PricesRead) {
			t.Errorf("%s: got %v, want %s", path, refusal.Details, access.PricesRead)
		}
	}
}

// A packer sees what is packed and where it goes, and marks what is packed.
func TestAdmin_PackerPacks(t *testing.T) {
	t.Parallel()
	s := newAuditShop(t)
	s.placeMugs()
	cookie := s.packer()
	got := string(s.as("GET", "orders/<mugs>", "", "Cookie", cookie).body)
	for _, want := range []string{`"+8801811000000"`, `"House 7, Road 3"`, `"title":"Mug"`, `"consignmentId":"C-`, "Paid ••• before"} {
		if !strings.Contains(got, want) {
			t.Errorf("got %s, want %s", got, want)
		}
	}
	label := string(s.as("GET", "print/label?ids=<mugs>&lang=en", "", "Cookie", cookie).body)
	for _, want := range []string{"Collect cash", "House 7, Road 3", "<svg"} {
		if !strings.Contains(label, want) {
			t.Errorf("got the label %s, want %q", label, want)
		}
	}
	if got := s.as("POST", "orders/<mugs>/prints", `{"kind":"label"}`, "Cookie", cookie); got.status != http.StatusOK {
		t.Errorf("got %d: %s, want a label that is marked as printed", got.status, got.body)
	}
	// The same request again has no amounts either, also of the response that another had.
	for range 2 {
		again := s.as("POST", "orders/<mugs>/prints", `{"kind":"packing"}`, "Cookie", cookie, "Idempotency-Key", "once")
		checkNoAmount(t, "again", again)
		if again.status != http.StatusOK {
			t.Errorf("got %d: %s, want it once", again.status, again.body)
		}
	}
	// Its live events have no total.
	packers, owners := follow(t, s.url+eventsPath, "Cookie", cookie), follow(t, s.url+eventsPath, "Cookie", s.owner)
	s.placeMugs()
	for stream, wants := range map[*eventStream]bool{packers: false, owners: true} {
		placed, ok := stream.next(t)
		if !ok || placed.kind != "order.placed" || (placed.data.Total != 0) != wants {
			t.Errorf("got %+v, want a total: %v", placed, wants)
		}
	}
	// Who loses the permission sees none, whatever the role.
	s.shop.Exec(t, `UPDATE staff SET denies = '["prices.read"]' WHERE email = 'rina@example.com'`)
	checkNoAmount(t, "an owner without the permission", s.as("GET", "orders/<mugs>", "", "Cookie", s.owner))
	if got := s.as("GET", "exports/orders", "", "Cookie", s.owner); got.status != http.StatusForbidden {
		t.Errorf("got %d: %s, want no file with amounts", got.status, got.body)
	}
	if key := s.as("GET", "orders/<mugs>", "", "Authorization", s.key(t, "orders.read")); !strings.Contains(string(key.body), "৳") {
		t.Errorf("got %s, want the amounts for an API key", key.body)
	}
}
