package e2e

import (
	"bufio"
	"encoding/json"
	"net/http"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"storefront/db"
	"storefront/shop/live"
	"storefront/shop/outbox"
	"storefront/shop/shoptest"
)

// adminExample is a request to the demo shop whose response is an example in the Admin API's
// document. <names> in its path, query and body are values of earlier responses.
type adminExample struct {
	operation   string
	path, query string            // the value of the path's parameter, and the query
	body        string            // "" means an empty object, if the operation has a body
	save        map[string]string // names of values for later requests, by their place in the response
	unrecorded  bool              // the response is that of another operation again, or has nothing to show
}

// adminExamples are in an order in which a merchant's day can go.
var adminExamples = []adminExample{
	{operation: "getStart", unrecorded: true},
	{operation: "getSession"},
	{operation: "getSummary"},
	{operation: "search", query: "q=rahman"},
	{operation: "getHealth", unrecorded: true},
	{operation: "countOrders"},

	{operation: "listProducts", query: "search=mango&limit=1", save: map[string]string{"product": "nodes.0._id", "variant": "nodes.0.variants.0._id"}},
	{operation: "getProduct", path: "<product>"},
	{operation: "updateProduct", path: "<product>", body: `{"seo":{"title":"Mango pickle by mail"}}`, unrecorded: true},
	{operation: "duplicateProduct", path: "<product>", save: map[string]string{"copy": "_id"}},
	{operation: "deleteProduct", path: "<copy>"},
	{operation: "changeProducts", body: `{"action":"addTags","ids":["<product>"],"options":{"tags":["winter"]}}`},
	{operation: "listStock", query: "limit=2"},
	{operation: "changeStock", path: "<variant>", body: `{"set":40,"note":"Counted"}`},
	{operation: "changeStocks", body: `{"items":[{"variantId":"<variant>","adjust":-2}],"note":"Broken jars"}`, unrecorded: true},
	{operation: "getStockHistory", path: "<variant>", query: "limit=2"},
	{operation: "listCollections", query: "limit=2", save: map[string]string{"collection": "nodes.0._id"}},
	{operation: "getCollection", path: "<collection>"},
	{operation: "updateCollection", path: "<collection>", body: `{"position":1}`, unrecorded: true},
	{operation: "saveCoupon", body: `{"code":"WINTER","kind":"percentage","basisPoints":1000,"maxDiscount":20000}`},
	{operation: "listCoupons", query: "search=winter"},
	{operation: "getCoupon", path: "WINTER"},
	{operation: "getOrderLink", query: "item=<variant>:2&coupon=WINTER"},
	{operation: "updateCoupon", path: "WINTER", body: `{"usageLimit":100}`, unrecorded: true},

	{
		operation: "saveSpend", body: `{"spend":[{"day":"2026-03-01","name":"Eid sale","amount":150000},
			{"day":"2026-03-02","name":"Eid sale","amount":90000}]}`,
	},
	{operation: "listSpend", query: "from=2026-03-01&to=2026-03-31"},
	{operation: "reportCampaigns", query: "from=2026-03-01&to=2026-03-31"},
	{operation: "listAdvertisers"},
	{operation: "setAdvertiserToken", path: "meta", body: `{"token":"EAAGm0PX4ZCpsBA"}`},
	{operation: "testAdvertiser", path: "meta"},
	{operation: "listConversions", query: "limit=1", save: map[string]string{"conversion": "nodes.0._id"}},
	{operation: "sendConversion", path: "<conversion>", unrecorded: true},

	{operation: "parseOrder", body: `{"text":"Karim Ahmed\n01811000000\nHouse 7, Road 3, Dhanmondi, Dhaka\n2 pcs"}`},
	{
		operation: "placeOrder", save: map[string]string{"order": "order._id"}, body: `{"items":[{"variantId":"<variant>","quantity":2}],
			"source":"phone","confirm":false,
			"couponCode":"WINTER","customer":{"name":"Karim Ahmed","phoneNumber":"01811-000000"},
			"shippingAddress":{"line1":"House 7, Road 3","area":"Dhanmondi","city":"Dhaka"}}`,
	},
	{operation: "claimOrder", path: "<order>"},
	{operation: "recordCall", path: "<order>", body: `{"outcome":"no_answer","note":"Try in the evening"}`, unrecorded: true},
	{operation: "addNote", path: "<order>", body: `{"text":"Wants it before Friday"}`, unrecorded: true},
	{operation: "setTags", path: "<order>", query: "undo=fragile", body: `{"tags":["fragile"]}`, unrecorded: true},
	{operation: "undoChange", body: `{"undo":"fragile"}`},
	{operation: "setTags", path: "<order>", body: `{"tags":["gift"]}`, unrecorded: true},
	{operation: "updateOrder", path: "<order>", body: `{"note":"Ring twice"}`, unrecorded: true},
	{operation: "recordAdvance", path: "<order>", body: `{"amount":10000,"method":"bkash","reference":"8N7A2K"}`, unrecorded: true},
	{operation: "confirmOrder", path: "<order>"},
	{operation: "checkShipment", path: "<order>", query: "provider=courier_b"},
	{operation: "bookShipment", path: "<order>", body: `{"provider":"courier_b"}`, unrecorded: true},
	{operation: "trackShipments", path: "<order>", unrecorded: true},
	{operation: "markPrinted", path: "<order>", body: `{"kind":"label"}`, unrecorded: true},
	{operation: "listOrders", query: "search=01811000000&limit=1"},
	{operation: "getOrder", path: "<order>"},
	{operation: "releaseOrder", path: "<order>"},
	{operation: "changeOrders", body: `{"action":"tag","ids":["<order>"],"options":{"tags":["friday"]}}`, save: map[string]string{"job": "_id"}},
	{operation: "listJobs", query: "limit=1"},
	{operation: "getJob", path: "<job>"},
	{operation: "listFlags"},

	{operation: "listCustomers", query: "limit=2"},
	{operation: "getContact", path: "01811000000"},
	{operation: "updateContact", path: "01811000000", body: `{"note":"Asks for change","tags":["regular"]}`, unrecorded: true},
	{operation: "listPayments", query: "limit=2", save: map[string]string{"payment": "nodes.0._id"}},
	{operation: "getPayment", path: "<payment>"},
	{operation: "getCash"},
	{operation: "listLedger", query: "limit=2"},
	{operation: "listStatements", query: "limit=2", save: map[string]string{"statement": "nodes.0._id"}},
	{operation: "getStatement", path: "<statement>"},

	{operation: "getSettings"},
	{operation: "updateSettings", body: `{"name":"Deshi Crafts"}`, unrecorded: true},
	{operation: "listProviders"},
	{operation: "listProviderUrls"},
	{operation: "listProviderWebhooks", query: "limit=1"},
	{operation: "listRefusedWebhooks"},
	{operation: "listSmsPresets"},
	{operation: "listMessageTemplates"},
	{operation: "listBuyerMessages", query: "limit=1"},
	{operation: "listMedia", query: "limit=1"},

	{operation: "listSessions"},
	{operation: "updateMe", body: `{"theme":"dark"}`, unrecorded: true},
	{
		operation: "inviteStaffMember", save: map[string]string{"member": "staffMember._id", "token": "link.token"},
		body: `{"name":"Karim Ahmed","email":"karim@example.com","role":"staff"}`,
	},
	{operation: "inspectLink", body: `{"token":"<token>"}`},
	{operation: "listStaff"},
	{operation: "getStaffMember", path: "<member>"},
	{operation: "updateStaffMember", path: "<member>", body: `{"grants":["cash.read"]}`, unrecorded: true},
	{operation: "createStaffLink", path: "<member>"},
	{operation: "createKey", body: `{"label":"Packing","scopes":["orders.read","orders.fulfill"]}`},
	{operation: "listKeys"},
	{operation: "createWebhookEndpoint", body: `{"url":"https://erp.example.com/hooks/storefront","label":"ERP","types":["order.placed"]}`,
		save: map[string]string{"endpoint": "_id"}},
	{operation: "listWebhookEndpoints"},
	{operation: "getWebhookEndpoint", path: "<endpoint>"},
	{operation: "listDeliveries", path: "<endpoint>", query: "limit=1"},
	{operation: "changeStock", path: "<variant>", body: `{"set":0}`, unrecorded: true},
	{operation: "saveCoupon", body: `{"code":"SPRING","kind":"free_delivery"}`, unrecorded: true},
	{operation: "deleteCoupon", path: "SPRING", unrecorded: true},
	{operation: "listAudit", query: "limit=2"},
}

// Recorded examples of the Admin API are responses of the demo shop: each still has the fields of
// today's.
func TestReference_AdminExamples(t *testing.T) {
	t.Parallel()
	data := demoData(t)
	refuseConversion(t, data)
	p := serve(t, "--dev", "--data", data, "--backup-dir", t.TempDir(), "--replica", t.TempDir())
	var document apiDocument
	if err := json.Unmarshal(p.must(request{method: "GET", path: "/admin/openapi.json"}).body, &document); err != nil {
		t.Fatal(err)
	}
	operations := map[string]*documented{}
	for path, item := range document.Paths {
		for method, op := range item {
			op.method, op.path = strings.ToUpper(method), path
			operations[op.OperationID] = op
		}
	}
	_, token, found := strings.Cut(demoLink.FindString(p.logged()), "/demo/link/")
	if !found {
		t.Fatalf("the server has printed no link to the dashboard:\n%s", p.logged())
	}
	signedIn := p.must(request{method: "POST", path: "/admin/v1/shops/demo/links/use", body: map[string]any{"token": strings.TrimSpace(token)}})
	if signedIn.status != http.StatusOK {
		t.Fatalf("sign in by the link: got %d: %s", signedIn.status, signedIn.body)
	}
	cookie, _, _ := strings.Cut(signedIn.header.Get("Set-Cookie"), ";")
	p.recordExamples(t, operations, adminExamples, cookie)
	recordEvents(t, data)
	p.recordExamples(t, operations, operatorExamples, operatorsCookie(t, p, data))
}

// rareEvents are the types of events that neither the demo shop nor the examples have.
var rareEvents = []outbox.Type{
	outbox.CustomerCreated, outbox.ProviderWebhookFailed, outbox.ShopRestored, outbox.WebhookEndpointDisabled, outbox.PlanWarning,
}

// recordEvents checks that the page about events has an example of each type of events in the demo
// shop; with -record, it adds the missing ones.
func recordEvents(t *testing.T, data string) {
	t.Helper()
	const file = "../server/reference/events.json"
	recorded := map[outbox.Type]json.RawMessage{}
	text, err := os.ReadFile(file)
	if err == nil {
		err = json.Unmarshal(text, &recorded)
	}
	if err != nil && !*record {
		t.Fatal(err)
	}
	seen := map[outbox.Type]bool{}
	for _, e := range eventsOf(t, data, "demo") {
		seen[e.Type] = true
		if recorded[e.Type] != nil {
			continue
		}
		if !*record {
			t.Errorf("%s: no example: run go test ./e2e -run Reference_ -record", e.Type)
			continue
		}
		recorded[e.Type], err = json.Marshal(map[string]any{
			"type": e.Type, "timestamp": "2026-03-01T12:30:00Z", "tenant": "demo", "data": e.EventData,
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	for _, kind := range outbox.Types() {
		if !seen[kind] && !slices.Contains(rareEvents, kind) {
			t.Errorf("%s: the demo shop has no such event", kind)
		}
	}
	if *record {
		text, err := json.MarshalIndent(recorded, "", "  ")
		if err == nil {
			err = os.WriteFile(file, append(text, '\n'), 0o644)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
}

// eventsOf returns the stored events of a shop.
func eventsOf(t *testing.T, data, uid string) (all []live.Event) {
	t.Helper()
	cmd := storefront(t, "events", uid, "--after", "0", "--json", "--data", data)
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	idle := time.AfterFunc(time.Minute, func() { cmd.Process.Kill() }) // it waits for new ones
	lines := bufio.NewScanner(out)
	for lines.Scan() {
		var e live.Event
		if err := json.Unmarshal(lines.Bytes(), &e); err != nil {
			t.Fatalf("%v in %s", err, lines.Text())
		}
		all = append(all, e)
		idle.Reset(2 * time.Second)
	}
	cmd.Wait() // killed
	return all
}

// operatorExamples are the examples of operators, as adminExamples.
var operatorExamples = []adminExample{
	{operation: "getOperatorSession"},
	{operation: "savePlan", path: "basic", body: `{"limits":{"orders":500,"products":200,"staff":3,"imageBytes":1073741824},"soft":["products"]}`},
	{operation: "changeShops", body: `{"action":"plan","shops":["demo"],"plan":"basic"}`, unrecorded: true},
	{operation: "listPlans"},
	{operation: "savePlan", path: "trial", body: `{"limits":{"products":20}}`, unrecorded: true},
	{operation: "removePlan", path: "trial", unrecorded: true},
	{
		operation: "updateDefaults", body: `{"branding":{"name":"Dhaka Web","phone":"09600-000000","colour":"#1a7f5a"},
			"policies":[{"slug":"terms","en":{"title":"Terms","bodyHtml":"<p>Prices include VAT.</p>"},
				"bn":{"title":"শর্ত","bodyHtml":"<p>দাম ভ্যাটসহ।</p>"}}],"locked":["sms"]}`,
	},
	{operation: "setDefaultSms", body: `{"preset":"bulksmsbd","params":{"apiKey":"key","sender":"8809600000000"}}`, unrecorded: true},
	{
		operation: "setDefaultMail", unrecorded: true,
		body: `{"host":"smtp.example.com","from":"orders@example.com","username":"orders","password":"its password"}`,
	},
	{operation: "getDefaults"},
	{operation: "listDefaultSmsPresets"},
	{operation: "removeDefaultSms", unrecorded: true},
	{operation: "removeDefaultMail", unrecorded: true},
	{operation: "updateDefaults", body: `{"branding":null,"policies":null,"locked":null}`, unrecorded: true},
	{
		operation: "openIncident", body: `{"title":"Text messages are delayed","state":"investigating","components":["messages"],
			"text":"The gateway accepts messages late. Orders are not affected."}`,
	},
	{operation: "listIncidents"},
	{operation: "listShopUsage", query: "month=2026-01", unrecorded: true},
	{operation: "listShops", query: "search=demo"},
	{
		operation: "createShop", unrecorded: true, body: `{"uid":"rina","name":"Rina's Sarees","currency":"BDT","country":"BD",
			"language":"bn","like":"demo","owner":{"name":"Rina Akter","user":"rina@example.com"}}`,
	},
	{operation: "getShop", path: "demo"},
	{operation: "inviteShopOwner", path: "rina", body: `{"name":"Rina Akter","user":"rina@example.com"}`},
	{operation: "changeShops", body: `{"action":"suspend","shops":["rina"],"reason":"The invoice of May is unpaid."}`},
	{operation: "resumeShopAsOperator", path: "rina", unrecorded: true},
	{operation: "suspendShopAsOperator", path: "rina", body: `{"reason":"The invoice of May is unpaid."}`, unrecorded: true},
	{operation: "copyShop", path: "demo", body: `{"uid":"demo-trial"}`, save: map[string]string{"job": "_id"}},
	{operation: "getShopJob", path: "<job>", unrecorded: true},
	{operation: "listRestorePoints", path: "demo", save: map[string]string{"at": "replica.to"}},
	{operation: "restoreShop", path: "demo", body: `{"at":"<at>","reason":"All products were deleted by mistake."}`},
	{operation: "moveShop", path: "demo", body: `{"to":"files"}`, unrecorded: true},
	{operation: "deleteShop", path: "demo-trial", body: `{"reason":"The trial has ended.","days":7}`},
	{operation: "enterShop", path: "rina", body: `{"reason":"Ticket 481: prices of delivery"}`},
	{
		operation: "inviteOperator", save: map[string]string{"operator": "operator._id", "link": "link.token"},
		body: `{"name":"Tanvir","email":"tanvir@agency.example","role":"support"}`,
	},
	{operation: "inspectOperatorLink", body: `{"token":"<link>"}`},
	{operation: "updateOperator", path: "<operator>", body: `{"role":"viewer"}`, unrecorded: true},
	{operation: "resetOperator", path: "<operator>", unrecorded: true},
	{operation: "listOperators"},
	{operation: "removeOperator", path: "<operator>", unrecorded: true},
	{operation: "listOperatorLog", query: "limit=2"},
	{operation: "getServerHealth", unrecorded: true},
}

// operatorsCookie returns the session of a new operator with an authenticator app.
func operatorsCookie(t *testing.T, p *process, data string) string {
	t.Helper()
	_, token, _ := strings.Cut(operatorsLink(t, data, "Shaila"), "/link/")
	const api = "/admin/v1/operator/"
	signedIn := p.must(request{method: "POST", path: api + "links/use", body: map[string]any{"token": token, "password": shoptest.Password}})
	cookie, _, _ := strings.Cut(signedIn.header.Get("Set-Cookie"), ";")
	header := map[string]string{"Cookie": cookie}
	var setup struct{ Secret string }
	started := p.must(request{method: "POST", path: api + "me/totp", header: header, body: map[string]any{}})
	if err := json.Unmarshal(started.body, &setup); err != nil {
		t.Fatal(err)
	}
	body := map[string]any{"code": shoptest.TOTPCode(t, setup.Secret, time.Now())}
	if got := p.must(request{method: "POST", path: api + "me/totp/confirm", header: header, body: body}); got.status != http.StatusOK {
		t.Fatalf("set up the app: got %d: %s", got.status, got.body)
	}
	return cookie
}

// recordExamples executes the examples, and compares or records their responses.
func (p *process) recordExamples(t *testing.T, operations map[string]*documented, examples []adminExample, cookie string) {
	t.Helper()
	values := map[string]string{}
	for _, example := range examples {
		op := operations[example.operation]
		if op == nil {
			t.Fatalf("%s: got no such operation", example.operation)
		}
		got, err := p.do(example.request(op, cookie, values))
		if err != nil {
			t.Fatal(err)
		}
		if got.status >= 300 {
			t.Errorf("%s: got %d: %s", example.operation, got.status, got.body)
			continue
		}
		var content any
		if err := json.Unmarshal(got.body, &content); err != nil {
			t.Fatalf("%s: %v in %s", example.operation, err, got.body)
		}
		for name, place := range example.save {
			values[name] = valueAt(content, place)
		}
		if example.unrecorded {
			continue
		}
		checkExample(t, "admin/"+example.operation, got.body)
	}
}

// refuseConversion adds an advertiser to the demo shop, and an order that it has refused.
func refuseConversion(t *testing.T, data string) {
	t.Helper()
	run(t, "tenant", "set", "demo", `advertising={"meta":{"pixelId":"1000000001","testCode":"TEST1"}}`, "--data", data)
	inShop(t, data, "demo", func(tx *db.Tx) error {
		return tx.Do(`
			INSERT INTO conversions (id, receiver, order_number, step, at, status, value, attempts, response_status, answer, error, took)
			SELECT '01KAJ3V5W7X9Y1Z3A5B7C9D1E3', 'meta', MAX(number), 'placing', ?, 'refused', 132000, 1, 400, ?, 'Invalid parameter', 214
			FROM orders
			WHERE status NOT IN ('cancelled', 'expired', 'returned')`, db.Millis(time.Now()), `{"error":{"message":"Invalid parameter","code":100}}`)
	})
}

var (
	exampleValue  = regexp.MustCompile(`<(\w+)>`)
	pathParameter = regexp.MustCompile(`\{\w+\}`)
)

// request returns the request of an example, with the values of earlier responses.
func (e adminExample) request(op *documented, cookie string, values map[string]string) request {
	filled := func(text string) string {
		return exampleValue.ReplaceAllStringFunc(text, func(name string) string { return values[name[1:len(name)-1]] })
	}
	path := strings.Replace(op.path, "{tenant}", "demo", 1)
	path = pathParameter.ReplaceAllLiteralString(path, filled(e.path))
	r := request{method: op.method, path: path + "?" + filled(e.query), header: map[string]string{"Cookie": cookie, "Content-Type": "application/json"}}
	if op.method != http.MethodGet && op.method != http.MethodDelete {
		r.body = "{}"
	}
	if e.body != "" {
		r.body = filled(e.body)
	}
	return r
}

// valueAt returns the text at a place such as nodes.0._id, "" if there is none.
func valueAt(content any, place string) string {
	for _, name := range strings.Split(place, ".") {
		switch v := content.(type) {
		case map[string]any:
			content = v[name]
		case []any:
			if len(v) == 0 {
				return ""
			}
			content = v[0]
		}
	}
	text, _ := content.(string)
	return text
}
