package main

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"
)

// object returns a part of a document by its path of names.
func object(t *testing.T, document map[string]any, path ...string) map[string]any {
	t.Helper()
	at := document
	for _, name := range path {
		next, ok := at[name].(map[string]any)
		if !ok {
			t.Fatalf("no object %q of %v in %v", name, path, slices.Sorted(maps.Keys(at)))
		}
		at = next
	}
	return at
}

func schema(t *testing.T, d map[string]any, name string) map[string]any {
	return object(t, d, "components", "schemas", name)
}

// newest returns the newest record.
func newest(t *testing.T) contract {
	t.Helper()
	records, err := readRecords("releases")
	if err != nil || len(records) == 0 {
		t.Fatalf("got %d records, %v", len(records), err)
	}
	return records[len(records)-1]
}

// wantChange wants a change of the subject since a version, and breaking to refuse the changes
// or not.
func wantChange(t *testing.T, changes []change, err error, subject string, breaks bool) {
	t.Helper()
	found := subject == "" && len(changes) == 0 || slices.ContainsFunc(changes, func(c change) bool { return c.Subject == subject })
	refused := breaking([]release{{Surfaces: []surface{{"API", changes}}}, {Version: "1.0.0"}}) != nil
	if err != nil || !found || refused != breaks {
		t.Errorf("got changes %v, %v, refused: %t\nwant one of %s, refused: %t", changes, err, refused, subject, breaks)
	}
}

// edit returns a document after an edit of a copy.
func edit(t *testing.T, document json.RawMessage, change func(d map[string]any)) json.RawMessage {
	t.Helper()
	var d map[string]any
	if err := json.Unmarshal(document, &d); err != nil {
		t.Fatal(err)
	}
	change(d)
	text, err := json.Marshal(d)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// Changes of the newest record: the ones that break programs are refused, and all are listed.
func TestCompare_REST(t *testing.T) {
	for _, test := range []struct {
		name, subject string
		breaks        bool
		change        func(t *testing.T, d map[string]any)
	}{
		{"operation removed", "GET /api/v1/products/{id}", true, func(t *testing.T, d map[string]any) {
			delete(object(t, d, "paths"), "/api/v1/products/{id}")
		}},
		{"property of a response removed", "GET /api/v1/tenant", true, func(t *testing.T, d map[string]any) {
			delete(object(t, schema(t, d, "StoreFront"), "properties"), "currency")
		}},
		{"property of a response of another type", "GET /api/v1/tenant", true, func(t *testing.T, d map[string]any) {
			object(t, schema(t, d, "StoreFront"), "properties")["currency"] = map[string]any{"type": "integer"}
		}},
		{"property of a request required", "POST /api/v1/orders/quote", true, func(t *testing.T, d map[string]any) {
			s := schema(t, d, "OrderInput")
			object(t, s, "properties")["giftText"] = map[string]any{"type": "string"}
			required, _ := s["required"].([]any)
			s["required"] = append(required, "giftText")
		}},
		{"property of a request removed", "POST /api/v1/orders/quote", true, func(t *testing.T, d map[string]any) {
			delete(object(t, schema(t, d, "OrderInput"), "properties"), "couponCode")
		}},
		{"parameter required", "GET /api/v1/products", true, func(t *testing.T, d map[string]any) {
			parameters := object(t, d, "paths", "/api/v1/products", "get")["parameters"].([]any)
			parameters[0].(map[string]any)["required"] = true
		}},
		{"parameter removed", "GET /api/v1/products", true, func(t *testing.T, d map[string]any) {
			get := object(t, d, "paths", "/api/v1/products", "get")
			get["parameters"] = get["parameters"].([]any)[2:]
		}},
		{"success of another status", "POST /api/v1/orders", true, func(t *testing.T, d map[string]any) {
			responses := object(t, d, "paths", "/api/v1/orders", "post", "responses")
			responses["202"] = responses["201"]
			delete(responses, "201")
		}},
		{"deprecated for a month", "GET /api/v1/tenant", true, func(t *testing.T, d map[string]any) {
			get := object(t, d, "paths", "/api/v1/tenant", "get")
			get["deprecated"], get["x-sunset"] = true, time.Now().AddDate(0, 0, 30).Format(time.DateOnly)
		}},
		{"deprecated for more than a year", "GET /api/v1/tenant", false, func(t *testing.T, d map[string]any) {
			get := object(t, d, "paths", "/api/v1/tenant", "get")
			get["deprecated"], get["x-sunset"] = true, time.Now().AddDate(0, 0, graceDays+2).Format(time.DateOnly)
		}},
		{"texts alone", "", false, func(t *testing.T, d map[string]any) {
			object(t, d, "paths", "/api/v1/tenant", "get")["description"] = "Another text."
		}},
		{"operation added", "GET /api/v1/wishes", false, func(t *testing.T, d map[string]any) {
			object(t, d, "paths")["/api/v1/wishes"] = map[string]any{"get": map[string]any{
				"operationId": "listWishes", "responses": map[string]any{"200": map[string]any{"description": "Wishes"}},
			}}
		}},
		{"property of a response added", "GET /api/v1/tenant", false, func(t *testing.T, d map[string]any) {
			object(t, schema(t, d, "StoreFront"), "properties")["motto"] = map[string]any{"type": "string"}
		}},
		{"optional property of a request added", "POST /api/v1/orders/quote", false, func(t *testing.T, d map[string]any) {
			object(t, schema(t, d, "OrderInput"), "properties")["giftText"] = map[string]any{"type": "string"}
		}},
	} {
		t.Run(test.name, func(t *testing.T) {
			before := newest(t).Storefront
			changes, err := compareOpenAPI(before, edit(t, before, func(d map[string]any) { test.change(t, d) }))
			wantChange(t, changes, err, test.subject, test.breaks)
		})
	}
}

// An operation may go once the sunset that was announced has passed, and not before.
func TestCompare_Sunset(t *testing.T) {
	for _, test := range []struct {
		days   int
		breaks bool
	}{{-1, false}, {10, true}} {
		before := edit(t, newest(t).Storefront, func(d map[string]any) {
			get := object(t, d, "paths", "/api/v1/tenant", "get")
			get["deprecated"], get["x-sunset"] = true, time.Now().AddDate(0, 0, test.days).Format(time.DateOnly)
		})
		changes, err := compareOpenAPI(before, edit(t, before, func(d map[string]any) { delete(object(t, d, "paths", "/api/v1/tenant"), "get") }))
		wantChange(t, changes, err, "GET /api/v1/tenant", test.breaks)
	}
}

func TestCompare_Texts(t *testing.T) {
	for _, test := range []struct {
		name, subject string
		breaks        bool
		old, now      string // in the schema or in the list of commands
	}{
		{"field removed", "Collection.handle", true, "  handle: String!\n", "  slug: String!\n"},
		{"field nullable", "Collection.handle", true, "  handle: String!\n", "  handle: String\n"},
		{"argument required", "Query.apiVersion.of", true, "  apiVersion: String!\n", "  apiVersion(of: String!): String!\n"},
		{"argument optional", "Query.apiVersion.of", false, "  apiVersion: String!\n", "  apiVersion(of: String): String!\n"},
		{"field added", "Collection.motto", false, "  handle: String!\n", "  handle: String!\n  motto: String\n"},
		{"command removed", "storefront tenant list", true, "storefront tenant list\n", ""},
		{"flag renamed", "storefront tenant create --name string", true, "tenant create --name string", "tenant create --title string"},
		{"flag added", "storefront tenant create --motto string", false,
			"storefront tenant create --name string\n", "storefront tenant create --name string\nstorefront tenant create --motto string\n"},
	} {
		t.Run(test.name, func(t *testing.T) {
			before := newest(t)
			if now := strings.Replace(before.GraphQL, test.old, test.now, 1); now != before.GraphQL {
				changes, err := compareGraphQL(before.GraphQL, now)
				wantChange(t, changes, err, test.subject, test.breaks)
				return
			}
			now := strings.Replace(before.Commands, test.old, test.now, 1)
			wantChange(t, compareCommands(before.Commands, now), nil, test.subject, test.breaks)
		})
	}
}

// A pre-release may be followed by a version that breaks programs, and so may a major version.
func TestBreaking_Versions(t *testing.T) {
	broken := []surface{{Name: "REST API", Changes: []change{{Subject: "GET /", Text: "Removed", Breaking: true}}}}
	for _, test := range []struct {
		before, after string
		refused       bool
	}{
		{"0.1.0-rc.1", "0.1.0-rc.2", false}, {"0.1.0-rc.1", "0.1.0", false}, {"0.1.0", "0.2.0", true}, {"1.4.2", "1.5.0", true},
		{"1.4.2", "2.0.0", false}, {"1.4.2", "", true}, {"0.1.0-rc.1", "", true},
	} {
		got := breaking([]release{{Version: test.after, Surfaces: broken}, {Version: test.before}})
		if (got != nil) != test.refused {
			t.Errorf("%s after %s: got %v, want refused: %t", test.after, test.before, got, test.refused)
		}
	}
}
