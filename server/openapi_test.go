package server_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"storefront/server"
	"storefront/shop/catalogue"
	"storefront/shop/fault"
)

var update = flag.Bool("update", false, "write the golden files anew")

// The golden file shows every change of the API in review.
func TestOpenAPI_Golden(t *testing.T) {
	t.Parallel()
	got := newSite(t, func(cfg *server.Config) { cfg.Rate = 0 }).get("/openapi.yaml", "x-tenant", "")
	golden := filepath.Join("testdata", "openapi.yaml")
	if *update {
		if err := os.WriteFile(golden, got.body, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got.body, want) {
		t.Errorf("document differs from %s: run go test ./server -run Golden -update and review the difference", golden)
	}
	if got.header.Get("Content-Type") != "application/openapi+yaml" {
		t.Errorf("got content type %q", got.header.Get("Content-Type"))
	}
}

type documentOperation struct {
	OperationID string                `json:"operationId"`
	Summary     string                `json:"summary"`
	Description string                `json:"description"`
	Tags        []string              `json:"tags"`
	Security    []map[string][]string `json:"security"`
	Parameters  []struct {
		Name   string
		Schema struct{ Enum []string }
	} `json:"parameters"`
	Responses map[string]struct {
		Description string
		Content     map[string]struct {
			Schema struct {
				Ref string `json:"$ref"`
			}
			Examples map[string]any
		}
	} `json:"responses"`
}

func readDocument(t *testing.T) (paths map[string]map[string]documentOperation) {
	t.Helper()
	var doc struct {
		OpenAPI string
		Paths   map[string]map[string]documentOperation
	}
	newSite(t, nil).get("/openapi.json", "x-tenant", "").ok(200, &doc)
	if doc.OpenAPI != "3.1.0" {
		t.Errorf("got OpenAPI %q", doc.OpenAPI)
	}
	return doc.Paths
}

func TestOpenAPI_OperationsComplete(t *testing.T) {
	t.Parallel()
	var all []string
	for path, item := range readDocument(t) {
		for method, op := range item {
			all = append(all, strings.ToUpper(method)+" "+path)
			if op.OperationID == "" || op.Summary == "" || op.Description == "" || len(op.Tags) != 1 || len(op.Security) == 0 {
				t.Errorf("%s %s lacks an ID, a summary, a description, a tag or its security", method, path)
			}
			if !strings.HasPrefix(path, "/api/") {
				continue // providers have their own formats and security
			}
			for _, scheme := range op.Security {
				if _, ok := scheme["tenant"]; !ok {
					t.Errorf("%s %s needs no tenant", method, path)
				}
			}
			for status, response := range op.Responses {
				if status < "400" {
					continue
				}
				if ref := response.Content["application/problem+json"].Schema.Ref; ref != "#/components/schemas/Problem" {
					t.Errorf("%s %s %s: got schema %q", method, path, status, ref)
				}
				if !strings.HasPrefix(response.Description, "`") || len(response.Content["application/problem+json"].Examples) == 0 {
					t.Errorf("%s %s %s lists no code or has no example: %q", method, path, status, response.Description)
				}
			}
		}
	}
	slices.Sort(all)
	want := []string{
		"GET /api/v1/auth/me", "GET /api/v1/collections", "GET /api/v1/collections/{id}", "GET /api/v1/orders",
		"GET /api/v1/orders/{orderId}", "GET /api/v1/products", "GET /api/v1/products/handle/{handle}",
		"GET /api/v1/products/{id}", "GET /api/v1/tenant", "GET /payment/callback/gateway_b/{tenant}", "PATCH /api/v1/auth/profile",
		"POST /api/v1/auth/change-password", "POST /api/v1/auth/login", "POST /api/v1/auth/logout", "POST /api/v1/auth/otp/send",
		"POST /api/v1/auth/otp/verify", "POST /api/v1/auth/register",
		"POST /api/v1/orders", "POST /api/v1/orders/coupons/verify", "POST /api/v1/orders/quote",
		"POST /api/v1/orders/{orderId}/cancel", "POST /api/v1/orders/{orderId}/payment-method", "POST /api/v1/orders/{orderId}/payments",
		"POST /courier/webhook/courier_a/{tenant}", "POST /courier/webhook/courier_b/{tenant}", "POST /payment/webhook/gateway_a/{tenant}",
	}
	if !slices.Equal(all, want) {
		t.Errorf("got operations %q", all)
	}
}

// The sort values are repeated in the parameters' tags; the domain has its own list.
func TestOpenAPI_SortEnums(t *testing.T) {
	t.Parallel()
	paths := readDocument(t)
	for path, want := range map[string]map[string][]string{
		"/api/v1/products":    {"sortBy": catalogue.ProductSorts(), "sort": catalogue.SortDirections()},
		"/api/v1/collections": {"sortBy": catalogue.CollectionSorts(), "sort": catalogue.SortDirections()},
	} {
		for _, p := range paths[path]["get"].Parameters {
			if words, ok := want[p.Name]; ok && !equalSets(p.Schema.Enum, words) {
				t.Errorf("%s of %s: got %q in the document, %q in the domain", p.Name, path, p.Schema.Enum, words)
			}
		}
	}
}

func equalSets(a, b []string) bool {
	return slices.Equal(slices.Sorted(slices.Values(a)), slices.Sorted(slices.Values(b)))
}

// Objects that can be null in responses are nullable in the document, as generated clients require.
func TestOpenAPI_NullableObjects(t *testing.T) {
	t.Parallel()
	var doc struct {
		Components struct {
			Schemas map[string]struct {
				Properties map[string]json.RawMessage
			}
		}
	}
	newSite(t, nil).get("/openapi.json", "x-tenant", "").ok(200, &doc)
	for schema, fields := range map[string][]string{
		"Product": {"compareAtPrice"}, "Variant": {"compareAtPrice", "image"}, "Collection": {"image"},
		"Order": {"coupon"}, "PlacedOrder": {"coupon"}, "Quote": {"coupon", "delivery"}, "DeliveryCharge": {"freeOver"},
	} {
		for _, field := range fields {
			var property struct {
				AnyOf []struct{ Type string }
			}
			if err := json.Unmarshal(doc.Components.Schemas[schema].Properties[field], &property); err != nil {
				t.Fatalf("%s.%s: %v", schema, field, err)
			}
			if len(property.AnyOf) != 2 || property.AnyOf[1].Type != "null" {
				t.Errorf("%s.%s must be nullable", schema, field)
			}
		}
	}
}

// Problems refer to their code's row in the document's introduction, which the reference shows.
func TestOpenAPI_EveryCodeExplained(t *testing.T) {
	t.Parallel()
	var doc struct{ Info struct{ Description string } }
	newSite(t, nil).get("/openapi.json", "x-tenant", "").ok(200, &doc)
	for _, info := range fault.Codes() {
		if !strings.Contains(doc.Info.Description, "\n| `"+string(info.Code)+"` | ") {
			t.Errorf("no explanation of %s", info.Code)
		}
	}
}
