package server_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"

	"storefront/db/dbtest"
	"storefront/shop/shoptest"
)

// bodySchema is a schema of the operations' document.
type bodySchema struct {
	Ref                  string `json:"$ref"`
	Type                 any
	Format               string
	Enum                 []any
	Properties           map[string]*bodySchema
	Items                *bodySchema
	AdditionalProperties any
	OneOf, AnyOf         []*bodySchema
}

// texts returns the paths of the free texts of a schema.
func (b *bodySchema) texts(all map[string]*bodySchema, path []string) (found [][]string) {
	for b.Ref != "" {
		b = all[strings.TrimPrefix(b.Ref, "#/components/schemas/")]
	}
	if text, _ := json.Marshal(b.Type); strings.Contains(string(text), `"string"`) && len(b.Enum) == 0 && b.Format == "" {
		found = append(found, path)
	}
	for _, name := range slices.Sorted(maps.Keys(b.Properties)) {
		found = append(found, b.Properties[name].texts(all, append(slices.Clone(path), name))...)
	}
	if b.Items != nil {
		found = append(found, b.Items.texts(all, append(slices.Clone(path), "0"))...)
	}
	for _, one := range slices.Concat(b.OneOf, b.AnyOf) {
		found = append(found, one.texts(all, path)...)
	}
	return found
}

// with returns a body with value at path.
func with(body any, path []string, value string) any {
	if len(path) == 0 {
		return value
	}
	if path[0] == "0" {
		list, _ := body.([]any)
		var first any
		if len(list) > 0 {
			first = list[0]
		}
		return append([]any{with(first, path[1:], value)}, list[min(1, len(list)):]...)
	}
	object, _ := body.(map[string]any)
	changed := maps.Clone(object)
	if changed == nil {
		changed = map[string]any{}
	}
	changed[path[0]] = with(object[path[0]], path[1:], value)
	return changed
}

// textFields returns the paths of the free texts of each operation's body in a document.
func textFields(t *testing.T, document *reply) map[string][][]string {
	t.Helper()
	var d struct {
		Components struct{ Schemas map[string]*bodySchema }
		Paths      map[string]map[string]struct {
			OperationID string
			RequestBody struct {
				Content map[string]struct{ Schema *bodySchema }
			}
		}
	}
	document.ok(http.StatusOK, &d)
	fields := map[string][][]string{}
	for _, operations := range d.Paths {
		for _, o := range operations {
			if body, ok := o.RequestBody.Content["application/json"]; ok {
				fields[o.OperationID] = body.Schema.texts(d.Components.Schemas, nil)
			}
		}
	}
	return fields
}

// severalLines are the texts of operations that have lines, and why.
var severalLines = map[string]string{
	"descriptionHtml": "HTML",
	"note":            "a note, as staff and buyers write it",
	"text":            "a note, or a buyer's message that is pasted",
	"options":         "of a job, as requested: the use case of each item checks it",
	"ids":             "of a job, as requested: no record has such an ID",
}

// Every text of one line is stored on one line and without control characters, whatever operation
// has received it.
func TestAdmin_OneLineTexts(t *testing.T) {
	t.Parallel()
	dbtest.NeedFiles(t, "it reads the names of the columns of a shop's file")
	fields := textFields(t, newAdminSite(t, nil).get("/admin/openapi.json"))
	for _, o := range shopOperations() {
		change, ok := auditedChanges[o.ID]
		if len(fields[o.ID]) == 0 || !ok {
			continue
		}
		t.Run(o.ID, func(t *testing.T) {
			t.Parallel()
			var s *auditShop
			send := func(body string) *reply { return s.as(o.Method, change.path, body, "Cookie", s.owner) }
			slices.SortStableFunc(fields[o.ID], func(a, b []string) int { return strings.Compare(mayHaveLines(a), mayHaveLines(b)) })
			for _, path := range fields[o.ID] {
				if s == nil || send(change.body).status >= 300 { // else the shop still accepts the request
					s = newAuditShop(t)
					if change.prepare != nil {
						change.prepare(s)
					}
				}
				s.sendTexts(path, change.body, send)
			}
		})
	}
}

// mayHaveLines returns the reason why the text at path may have several lines, "" if it may not.
func mayHaveLines(path []string) string {
	for _, name := range path {
		if reason := severalLines[name]; reason != "" {
			return reason
		}
	}
	return ""
}

// The same holds for what buyers send, by REST and GraphQL.
func TestStorefront_OneLineTexts(t *testing.T) {
	t.Parallel()
	dbtest.NeedFiles(t, "it reads the names of the columns of a shop's file")
	fields := textFields(t, newAdminSite(t, nil).get("/openapi.json"))
	for id, o := range map[string]struct{ path, input, body string }{
		"placeOrder": {"orders", "PlaceOrderInput", `{"items":[{"productId":"<product>","quantity":1}],"paymentMethod":"cod",
			"customer":{"name":"Karim","phoneNumber":"01811-000000"},"shippingAddress":{"line1":"House 7, Road 3","city":"Dhaka"}}`},
		"register": {"auth/register", "StorefrontRegisterInput", `{"name":"Alice","phoneNumber":"01911-000001","password":"` + newPassword + `"}`},
	} {
		if len(fields[id]) == 0 {
			t.Errorf("%s: got no texts in the document", id)
		}
		for _, path := range fields[id] {
			for _, transport := range []string{"REST", "GraphQL"} {
				t.Run(id+"/"+strings.Join(path, ".")+"/"+transport, func(t *testing.T) {
					t.Parallel()
					s := newAuditShop(t)
					send := func(body string) *reply {
						if transport == "REST" {
							return s.send("POST", "/api/v1/"+o.path, body)
						}
						document := `mutation($in: ` + o.input + `!) { r: ` + id + `(input: $in) { __typename } }`
						query := fmt.Sprintf(`{"query":%q,"variables":{"in":%s}}`, document, body)
						return s.send("POST", "/graphql", query)
					}
					if got := send(s.filled(o.body)); got.status >= 300 || strings.Contains(string(got.body), `"errors":[{`) {
						t.Fatalf("got %d %s, want it to be accepted", got.status, got.body)
					}
					s.sendTexts(path, o.body, send)
				})
			}
		}
	}
}

// sendTexts sends a control character and lines as one text of a body, and checks what is stored.
func (s *auditShop) sendTexts(path []string, body string, send func(body string) *reply) {
	s.t.Helper()
	var whole any
	if body != "" {
		if err := json.Unmarshal([]byte(s.filled(body)), &whole); err != nil {
			s.t.Fatal(err)
		}
	}
	for _, text := range []string{"Aa\u0007b", "Aa\r\nBcc: x\u2028y\u0085z"} {
		sent, err := json.Marshal(with(whole, path, text))
		if err != nil {
			s.t.Fatal(err)
		}
		if got := send(string(sent)); got.status >= 500 {
			s.t.Errorf("%s %q: got %d %s", strings.Join(path, "."), text, got.status, got.body)
		}
	}
	s.wantLines(path)
}

// wantLines checks that no column has what sendTexts sent as the text at path.
func (s *auditShop) wantLines(path []string) {
	s.t.Helper()
	bad := []string{"\r", `\r`, "\u0007", `\u0007`, "\nBcc: x", `\nBcc: x`, "\u2028", `\u2028`, "\u0085"}
	for _, name := range path {
		switch {
		case severalLines[name] != "" && (name == "options" || name == "ids"):
			return
		case severalLines[name] != "":
			bad = bad[:4]
		}
	}
	for column, texts := range shoptest.Texts(s.t, s.shop.Store, s.shop.UID()) {
		for _, text := range texts {
			if i := slices.IndexFunc(bad, func(part string) bool { return strings.Contains(text, part) }); i >= 0 {
				s.t.Errorf("%s: %s has %q: %.200q", strings.Join(path, "."), column, bad[i], text)
			}
		}
	}
}
