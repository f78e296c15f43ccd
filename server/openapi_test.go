package server_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"storefront/server"
	"storefront/shop/catalogue"
	"storefront/shop/fault"
)

var update = flag.Bool("update", false, "write the golden files anew")

// The golden files show every change of the APIs in review. Of the Admin API, that is an outline.
func TestOpenAPI_Golden(t *testing.T) {
	t.Parallel()
	s := newSite(t, func(cfg *server.Config) { cfg.Rate = 0 })
	for _, path := range []string{"/openapi.yaml", "/admin/openapi.yaml"} {
		if got := s.get(path, "x-tenant", "").header.Get("Content-Type"); got != "application/openapi+yaml" {
			t.Errorf("%s: got content type %q", path, got)
		}
	}
	checkGolden(t, s.get("/openapi.yaml", "x-tenant", "").body, "openapi.yaml")
	checkGolden(t, outline(t, s.get("/admin/openapi.json", "x-tenant", "").body), "admin.txt")
}

func checkGolden(t *testing.T, got []byte, name string) {
	t.Helper()
	golden := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(golden, got, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Errorf("document differs from %s: run go test ./server -run Golden -update and review the difference", golden)
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
	for path, item := range readDocument(t) {
		for method, op := range item {
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
}

// Every status, code and sort key refers to an enumerated type, whose values are those of the
// domain and have a meaning.
func TestOpenAPI_TypedStatuses(t *testing.T) {
	t.Parallel()
	type schema struct {
		Ref   string `json:"$ref"`
		AnyOf []struct {
			Ref string `json:"$ref"`
		}
		Type       any
		Enum       []string
		Meanings   []string `json:"x-enum-descriptions"`
		Properties map[string]json.RawMessage
	}
	var doc struct {
		Components struct{ Schemas map[string]schema }
		Paths      map[string]map[string]struct {
			Parameters []struct {
				Name   string
				Schema schema
			}
		}
	}
	newSite(t, nil).get("/openapi.json", "x-tenant", "").ok(200, &doc)
	enum := func(s schema) (string, schema) {
		for _, option := range s.AnyOf {
			s.Ref += option.Ref
		}
		name := strings.TrimPrefix(s.Ref, "#/components/schemas/")
		return name, doc.Components.Schemas[name]
	}
	isTyped := regexp.MustCompile(`^(status|.*Status|code|errorCode|reason|cause|type|provider|method)$`)
	free := []string{"Problem.status", "Problem.type", "Product.type", "CouponVerdict.code", "OrderCoupon.code", // a number, texts, coupons
		"VerifyCouponInput.code", "OtpVerifyInput.code",
		"Parameter.type", "Descriptor.type"} // of WebAuthn
	checked := 0
	for name, object := range doc.Components.Schemas {
		for property, raw := range object.Properties {
			isInput := strings.HasSuffix(name, "Input") || strings.HasSuffix(name, "Request")
			if isInput || !isTyped.MatchString(property) || slices.Contains(free, name+"."+property) {
				continue
			}
			var s schema
			if err := json.Unmarshal(raw, &s); err != nil {
				t.Fatal(err)
			}
			checked++
			typ, of := enum(s)
			if len(of.Enum) == 0 || len(of.Meanings) != len(of.Enum) || slices.Contains(of.Meanings, "") {
				t.Errorf("%s.%s: got type %q with %d values, want an enumerated type with meanings", name, property, typ, len(of.Enum))
			}
		}
	}
	if checked < 12 {
		t.Errorf("got %d typed properties, want more: the document or the test has changed", checked)
	}
	for path, want := range map[string]map[string][]string{
		"/api/v1/products":    {"sortBy": catalogue.ProductSorts(), "sort": catalogue.SortDirections()},
		"/api/v1/collections": {"sortBy": catalogue.CollectionSorts(), "sort": catalogue.SortDirections()},
	} {
		for _, p := range doc.Paths[path]["get"].Parameters {
			if words, ok := want[p.Name]; ok {
				if _, of := enum(p.Schema); !equalSets(of.Enum, words) {
					t.Errorf("%s of %s: got %q in the document, %q in the domain", p.Name, path, of.Enum, words)
				}
			}
		}
	}
	var codes []string
	for _, info := range fault.Codes() {
		codes = append(codes, string(info.Code))
	}
	if got := doc.Components.Schemas["ErrorCode"].Enum; !slices.Equal(got, codes) {
		t.Errorf("got error codes %q, want those of the domain", got)
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

// The document's introduction explains each code, and leads to its page.
func TestOpenAPI_EveryCodeExplained(t *testing.T) {
	t.Parallel()
	var doc struct{ Info struct{ Description string } }
	newSite(t, nil).get("/openapi.json", "x-tenant", "").ok(200, &doc)
	for _, info := range fault.Codes() {
		if code := string(info.Code); !strings.Contains(doc.Info.Description, "\n| [`"+code+"`](/docs/errors/"+code+") | ") {
			t.Errorf("no explanation of %s", info.Code)
		}
	}
}
