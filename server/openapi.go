package server

import (
	"fmt"
	"reflect"
	"strings"

	"github.com/danielgtaylor/huma/v2"
)

// The groups of operations, in the order of the reference.
const (
	tagCatalogue = "Catalogue"
	tagStore     = "Store"
	tagAuth      = "Accounts"
	tagOrders    = "Orders"
)

// The names of the security schemes.
const (
	schemeTenant     = "tenant"
	schemeBearer     = "bearer"
	schemeOrderToken = "orderToken"
)

const introduction = `A storefront's backend over HTTP: browse, register, order, follow the order.

Every request names its shop by the ` + "`x-tenant`" + ` header. Amounts are integers in minor units. Times are RFC 3339 in UTC.
Lists answer with ` + "`nodes` and `meta`" + `. What is absent is null. A field that is not known is refused by name.

Failures are ` + "`application/problem+json`" + ` with a ` + "`code`" + ` for programs and the request's id. ` + "`429`" + ` and ` + "`503`" + ` say in ` + "`Retry-After`" + `
how many seconds to wait.%s A body has at most %d bytes.

Catalogue and store answers carry an ` + "`ETag`" + `: send it as ` + "`If-None-Match`" + ` and a good copy costs no body.`

func newOpenAPI(cfg Config) *huma.OpenAPI {
	rate := ""
	if cfg.Rate > 0 {
		rate = fmt.Sprintf(" A client address has %d requests a second, and %d at once, for all but reads of the catalogue that are prepared already.", cfg.Rate, cfg.Burst)
	}
	doc := &huma.OpenAPI{
		OpenAPI: "3.1.0",
		Info:    &huma.Info{Title: "Storefront API", Version: APIVersion, Description: fmt.Sprintf(introduction, rate, cfg.MaxBody)},
		Tags: []*huma.Tag{
			{Name: tagCatalogue, Description: "Products and collections. Public."},
			{Name: tagStore, Description: "What a storefront shows of the shop. Public."},
			{Name: tagAuth, Description: accountsDescription},
			{Name: tagOrders, Description: "Coupons, quotes, orders and tracking."},
		},
		Components: &huma.Components{
			Schemas: huma.NewMapRegistry(schemaPrefix, huma.DefaultSchemaNamer),
			SecuritySchemes: map[string]*huma.SecurityScheme{
				schemeTenant:     {Type: "apiKey", In: "header", Name: "x-tenant", Description: "The shop's UID"},
				schemeBearer:     {Type: "http", Scheme: "bearer", BearerFormat: "JWT", Description: "accessToken of signing in, good for 7 days"},
				schemeOrderToken: {Type: "apiKey", In: "header", Name: "X-Order-Token", Description: "orderToken of placing the order"},
			},
		},
	}
	if cfg.PublicURL != "" {
		doc.Servers = []*huma.Server{{URL: strings.TrimSuffix(cfg.PublicURL, "/")}}
	}
	return doc
}

const schemaPrefix = "#/components/schemas/"

// describeAnswers puts right what huma says of the objects in answers. They may get more fields
// in time, so clients are not to refuse those that they do not know; and those that can be null
// say so: a pointer to a struct that is not left out when nil.
func describeAnswers(doc *huma.OpenAPI) {
	schemas := doc.Components.Schemas
	inputs := inputSchemas(doc)
	for name, schema := range schemas.Map() {
		if !inputs[name] {
			schema.AdditionalProperties = nil
		}
		for _, f := range reflect.VisibleFields(schemas.TypeFromRef(schemaPrefix + name)) {
			field, options, _ := strings.Cut(f.Tag.Get("json"), ",")
			property := schema.Properties[field]
			if property == nil || property.Ref == "" || f.Type.Kind() != reflect.Pointer || strings.Contains(options, "omit") {
				continue
			}
			schema.Properties[field] = &huma.Schema{
				Description: property.Description, AnyOf: []*huma.Schema{{Ref: property.Ref}, {Type: "null"}},
			}
		}
	}
}

// inputSchemas finds the schemas that bodies of requests are made of.
func inputSchemas(doc *huma.OpenAPI) map[string]bool {
	found := map[string]bool{}
	var walk func(*huma.Schema)
	walk = func(s *huma.Schema) {
		if s.Items != nil {
			walk(s.Items)
		}
		name := strings.TrimPrefix(s.Ref, schemaPrefix)
		if name == "" || found[name] {
			return
		}
		found[name] = true
		for _, property := range doc.Components.Schemas.Map()[name].Properties {
			walk(property)
		}
	}
	for _, item := range doc.Paths {
		for _, op := range []*huma.Operation{item.Post, item.Patch} {
			if op != nil && op.RequestBody != nil {
				walk(op.RequestBody.Content["application/json"].Schema)
			}
		}
	}
	return found
}
