package e2e

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"maps"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"
)

var record = flag.Bool("record", false,
	"write to server/examples, for the reference, the demo shop's responses without an example or with other fields")

// referenceOrder is the order in which a newcomer can try the reference, after the public reads.
var referenceOrder = []string{
	"register", "login", "changePassword", "getMe", "updateProfile", "sendOtp", "verifyOtp",
	"sendEmailCode", "verifyEmail", "requestPasswordReset", "resetPassword", "listPasskeys", "exportAccount", "renewToken", "logout",
	"verifyCoupon", "quoteOrder", "placeOrder", "listOrders", "getOrder", "getReorder", "startPayment", "reportWalletPayment",
	"setPaymentMethod", "cancelOrder", "submitReview", "saveIncompleteOrder",
	"courierAWebhook", "courierBWebhook", "gatewayAWebhook", "gatewayBCallback", "joinAccounts", "deleteAccount",
	"beginPasskeySignIn", "signInByPasskey", "beginPasskeyProof", "beginPasskey", "addPasskey", "renamePasskey", "removePasskey",
}

const aPage = "a page of the shop and an authenticator"

// needsMore are operations whose example needs more than the examples before it.
var needsMore = map[string]string{
	"joinAccounts":  "another account of the customer, and a code sent to it",
	"deleteAccount": "an account without open orders",
	"submitReview":  "a delivered order",

	"beginPasskeySignIn": aPage, "signInByPasskey": aPage, "beginPasskeyProof": aPage, "beginPasskey": aPage, "addPasskey": aPage,
	"renamePasskey": aPage, "removePasskey": aPage,

	"reportWalletPayment": "an order with an advance",
}

// apiDocument is what the test reads of the document.
type apiDocument struct {
	Paths map[string]map[string]*documented
}

// documented is one operation of the document.
type documented struct {
	method, path string
	OperationID  string
	Parameters   []struct {
		Name, In string
		Required bool
		Example  any
	}
	RequestBody *struct {
		Content map[string]documentedMedia
	}
	Security  []map[string][]string
	Responses map[string]struct {
		Content map[string]documentedMedia
		Links   map[string]struct {
			OperationID string
			Parameters  map[string]string
		}
	}
}

type documentedMedia struct {
	Example  any
	Examples map[string]struct{ Value any }
}

// bodies lists the examples of a body by name; one that has none of its own is "".
func (op *documented) bodies() (media string, examples map[string]any) {
	if op.RequestBody == nil {
		return "", map[string]any{"": nil}
	}
	examples = map[string]any{}
	for kind, content := range op.RequestBody.Content {
		media = kind
		if content.Example != nil {
			examples[""] = content.Example
		}
		for name, example := range content.Examples {
			examples[name] = example.Value
		}
	}
	return media, examples
}

// success returns the only status that is neither an error nor 304.
func (op *documented) success() string {
	for status := range op.Responses {
		if status < "304" {
			return status
		}
	}
	return ""
}

// reader runs the examples of the reference against a shop, filled in with values of earlier
// responses.
type reader struct {
	*process
	operations map[string]*documented
	token      string
	ids        map[string]string // "operation parameter" and its value, by the links of the document
	responses  map[string][]byte
}

func newReader(t *testing.T) *reader {
	t.Helper()
	r := &reader{process: serve(t, "--dev", "--data", demoData(t)), operations: map[string]*documented{},
		ids: map[string]string{}, responses: map[string][]byte{}}
	var document apiDocument
	if err := json.Unmarshal(r.must(request{method: "GET", path: "/openapi.json"}).body, &document); err != nil {
		t.Fatal(err)
	}
	for path, item := range document.Paths {
		for method, op := range item {
			op.method, op.path = strings.ToUpper(method), path
			r.operations[op.OperationID] = op
		}
	}
	return r
}

// request sends one example and holds the answer against what the document promises.
func (r *reader) request(op *documented, example, media string, body any) {
	r.t.Helper()
	req := request{method: op.method, path: op.path, header: map[string]string{}}
	for _, scheme := range op.Security {
		for name := range scheme {
			switch name {
			case "tenant":
				req.tenant = "demo"
			case "bearer":
				req.token = r.token
			case "courierA":
				req.header["X-CourierA-Signature"] = "simulated"
			case "courierB":
				req.token = "simulated"
			}
		}
	}
	query := url.Values{}
	for _, p := range op.Parameters {
		value, learned := r.ids[op.OperationID+" "+p.Name]
		switch {
		case learned:
		case p.Example != nil:
			value = fmt.Sprint(p.Example)
		case p.Required:
			r.t.Errorf("%s: the parameter %s has no example", op.OperationID, p.Name)
			return
		default:
			continue
		}
		switch p.In {
		case "path":
			req.path = strings.ReplaceAll(req.path, "{"+p.Name+"}", url.PathEscape(value))
		case "query":
			query.Set(p.Name, value)
		case "header":
			req.header[p.Name] = value + example // another body is another order
		}
	}
	req.path += "?" + query.Encode()
	switch media {
	case "application/x-www-form-urlencoded":
		form := url.Values{}
		for name, value := range body.(map[string]any) {
			form.Set(name, value.(string))
		}
		req.body = form.Encode()
		req.header["Content-Type"] = media
	case "application/json":
		if code := codeIn[op.OperationID]; code != nil {
			body.(map[string]any)["code"] = r.code(code)
		}
		req.body = body
	}
	r.saveIDs(op, r.must(req))
}

// codeIn finds, on the page of messages, the code that an operation needs.
var codeIn = map[string]*regexp.Regexp{
	"verifyOtp":     regexp.MustCompile(`\b(\d{4})\b is your`),
	"verifyEmail":   regexp.MustCompile(`Your code for [^:]*:\n\n(\d{6})\n`),
	"resetPassword": regexp.MustCompile(`Your code to set a new password for [^:]*:\n\n(\d{6})\n`),
}

// code reads the code that was sent from the page that shows it. An e-mail may be sent after the
// response.
func (r *reader) code(pattern *regexp.Regexp) string {
	for range 100 {
		if code := pattern.FindStringSubmatch(r.messages()); code != nil {
			return code[1]
		}
		time.Sleep(50 * time.Millisecond)
	}
	r.t.Fatalf("no code in %s", r.messages())
	return ""
}

// messages returns the page of messages.
func (r *reader) messages() string {
	page := regexp.MustCompile(`SMS preview\s+(http\S+)`).FindStringSubmatch(r.logged())
	if page == nil {
		r.t.Fatalf("the server printed no address of text messages:\n%s", r.logged())
	}
	res, err := client.Get(page[1])
	if err != nil {
		r.t.Fatal(err)
	}
	defer res.Body.Close()
	var text bytes.Buffer
	if _, err := text.ReadFrom(res.Body); err != nil {
		r.t.Fatal(err)
	}
	return text.String()
}

func (r *reader) saveIDs(op *documented, got response) {
	r.t.Helper()
	want := op.success()
	if fmt.Sprint(got.status) != want {
		r.t.Errorf("%s: %d instead of %s: %s", op.OperationID, got.status, want, got.body)
		return
	}
	if token := got.text("accessToken"); token != "" {
		r.token = token
	}
	for _, link := range op.Responses[want].Links {
		for name, expression := range link.Parameters {
			r.ids[link.OperationID+" "+name] = got.text(strings.TrimPrefix(expression, "$response.body#/"))
		}
	}
	if _, first := r.responses[op.OperationID]; !first {
		r.responses[op.OperationID] = got.body
	}
}

// Every example of the reference works against the demo shop as it stands, and the recorded
// responses still have the fields of today's.
func TestReference_Examples(t *testing.T) {
	t.Parallel()
	r := newReader(t)
	var public []string
	for id, op := range r.operations {
		if _, isPublic := op.Responses["304"]; isPublic {
			public = append(public, id)
		}
	}
	slices.Sort(public)
	order := slices.Concat(public, referenceOrder)
	if known := slices.Sorted(maps.Keys(r.operations)); !slices.Equal(known, slices.Sorted(slices.Values(order))) {
		t.Fatalf("the document has the operations %q, and referenceOrder with the public reads %q", known, order)
	}
	for _, id := range order {
		op := r.operations[id]
		media, bodies := op.bodies()
		if len(bodies) == 0 {
			t.Errorf("%s has no example", id)
		}
		if needsMore[id] != "" {
			continue
		}
		for _, name := range slices.Sorted(maps.Keys(bodies)) {
			r.request(op, name, media, bodies[name])
		}
	}
	for id, body := range r.responses {
		if strings.HasPrefix(r.operations[id].path, "/api/") { // providers' formats are not ours
			checkExample(t, id, body)
		}
	}
}
