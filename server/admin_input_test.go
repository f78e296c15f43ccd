package server_test

import (
	"net/http"
	"slices"
	"strings"
	"testing"

	"storefront/shop/fault"
)

// namedChoices are operations whose path has one of a few words: another one is 422.
var namedChoices = []string{"printOrders", "exportSales", "listCourierPlaces"}

// The ID of a record of another shop, or one that cannot be an ID, finds nothing, in whatever
// operation.
func TestAdmin_UnknownRecords(t *testing.T) {
	t.Parallel()
	s := newAuditShop(t)
	bodies := map[string]string{"priceShipment": `{"provider":"courier_a","city":1,"zone":1}`}
	for id, change := range auditedChanges {
		bodies[id] = change.body
	}
	for _, o := range shopOperations() {
		if !pathParameter.MatchString(strings.Replace(o.Route(), "{tenant}", "", 1)) || o.OfServer || slices.Contains(namedChoices, o.ID) {
			continue
		}
		for _, id := range []string{"0123456789ABCDEZ", "none", "%00", "%ff", "%F0%9F%99%82", strings.Repeat("9", 300), "..%2F..%2Fsettings"} {
			path := pathParameter.ReplaceAllString(o.Path, id)
			body := bodies[o.ID]
			if body == "" && o.Method != http.MethodGet && o.Method != http.MethodDelete {
				body = "{}"
			}
			if slices.Contains([]string{"checkShipment", "suggestCourierPlace"}, o.ID) {
				path += "?provider=courier_a"
			}
			got := s.as(o.Method, path, strings.ReplaceAll(body, "<", ""), "Cookie", s.owner)
			if got.status != http.StatusNotFound {
				t.Errorf("%s of %s: got %d %s", o.ID, id, got.status, got.body)
			}
		}
	}
}

// What is wrong with a query parameter is said in a sentence, and which one it is.
func TestAdmin_InvalidParameters(t *testing.T) {
	t.Parallel()
	s := newAuditShop(t)
	var document struct {
		Paths map[string]map[string]struct {
			Parameters []struct {
				Name, In string
				Required bool
				Schema   struct {
					Type   any
					Format string
				}
			}
		}
	}
	s.get("/admin/openapi.json").ok(http.StatusOK, &document)
	checked := 0
	for path, operations := range document.Paths {
		get, ok := operations["get"]
		if !ok || !strings.Contains(path, "{tenant}/") {
			continue
		}
		path := pathParameter.ReplaceAllString(strings.Replace(path, "/admin/v1/shops/{tenant}/", "", 1), "none")
		for _, p := range get.Parameters {
			value := ""
			switch {
			case p.In != "query":
				continue
			case p.Schema.Format == "date-time":
				value = "yesterday"
			case p.Schema.Type == "integer":
				value = "1.5"
			case p.Schema.Type == "boolean":
				value = "maybe"
			case !p.Required:
				continue
			}
			query := ""
			if value != "" {
				query = "?" + p.Name + "=" + value
			}
			checked++
			got := s.as("GET", path+query, "", "Cookie", s.owner).problem(http.StatusUnprocessableEntity, fault.CodeValidationFailed)
			i := slices.IndexFunc(got.Errors, func(e struct{ Field, Code, Message string }) bool { return e.Field == p.Name })
			if i < 0 || !sentence.MatchString(got.Errors[i].Message) || value == "" && got.Errors[i].Code != string(fault.CodeRequired) {
				t.Errorf("%s%s: got %+v, want a sentence about %s", path, query, got.Errors, p.Name)
			}
		}
	}
	if checked < 50 {
		t.Errorf("got %d parameters, want those of all lists", checked)
	}
}

// A path that does not exist leads to the reference of the API that it is below.
func TestAdmin_UnknownPath(t *testing.T) {
	t.Parallel()
	s := newAdminSite(t, nil)
	for path, reference := range map[string]string{
		"/admin/v1/nothing": "See /admin/docs ", "/admin/v1/shops/test/nothing": "See /admin/docs ", "/api/v1/nothing": "See /docs ",
	} {
		if got := s.get(path).problem(404, fault.CodeNotFound); !strings.Contains(got.Detail, reference) {
			t.Errorf("%s: got %q, want %q", path, got.Detail, reference)
		}
	}
}

// What is no request of the API is refused as by the storefront's, before anything is written.
func TestAdmin_InvalidBodies(t *testing.T) {
	t.Parallel()
	s := newAuditShop(t)
	rows := s.shop.Number(t, `SELECT COUNT(*) FROM audit_log`)
	for name, tc := range map[string]struct {
		body, contentType string
		status            int
		code              fault.Code
	}{
		"no JSON":       {`{"note":`, "application/json", 400, fault.CodeMalformed},
		"duplicate key": {`{"note":"a","note":"b"}`, "application/json", 400, fault.CodeMalformed},
		"NUL":           {`{"note":"a\u0000b"}`, "application/json", 400, fault.CodeMalformed},
		"invalid UTF-8": {"{\"note\":\"\xff\"}", "application/json", 400, fault.CodeMalformed},
		"too deep":      {`{"note":` + strings.Repeat("[", 2000) + strings.Repeat("]", 2000) + `}`, "application/json", 400, fault.CodeMalformed},
		"too large":     {`{"note":"` + strings.Repeat("a", 1<<20) + `"}`, "application/json", 413, fault.CodeTooLarge},
		"wrong type":    {`{"note":7}`, "application/json", 422, fault.CodeValidationFailed},
		"unknown field": {`{"notes":"a"}`, "application/json", 422, fault.CodeUnknownField},
		"wrong case":    {`{"Note":"a"}`, "application/json", 422, fault.CodeUnknownField},
		"no object":     {`[]`, "application/json", 422, fault.CodeValidationFailed},
		"form":          {`note=a`, "application/x-www-form-urlencoded", 415, fault.CodeUnsupportedMediaType},
		"long note":     {`{"note":"` + strings.Repeat("a", 1001) + `"}`, "application/json", 422, fault.CodeValidationFailed},
	} {
		got := s.send("PATCH", "/admin/v1/shops/test/contacts/01811000000", tc.body, "Cookie", s.owner, "Content-Type", tc.contentType)
		if got.status != tc.status || !strings.Contains(string(got.body), `"code":"`+string(tc.code)+`"`) {
			t.Errorf("%s: got %d %s, want %d %s", name, got.status, got.body, tc.status, tc.code)
		}
	}
	if n := s.shop.Number(t, `SELECT COUNT(*) FROM audit_log`); n != rows {
		t.Errorf("got %d entries in the audit log, want none", n-rows)
	}
}

// A client that knows the first three channels of notifications alone can choose among them.
func TestAdmin_ChannelsWithoutEmail(t *testing.T) {
	t.Parallel()
	s := newAuditShop(t)
	const events = `{"order.placed":{"push":true,"telegram":false,"sms":false}}`
	const want = `{"push":true,"telegram":false,"sms":false,"email":false}`
	for path, body := range map[string]string{"me": `{"notifications":` + events + `}`, "notifications": `{"events":` + events + `}`} {
		if got := s.as("PATCH", path, body, "Cookie", s.owner); got.status != 200 || !strings.Contains(string(got.body), want) {
			t.Errorf("PATCH %s: got %d %s, want %s", path, got.status, got.body, want)
		}
	}
}
