package server

import (
	"cmp"
	_ "embed"
	"reflect"
	"strings"
	"text/template"

	"github.com/danielgtaylor/huma/v2"

	"storefront/graphql"
	"storefront/shop/fault"
	"storefront/shop/page"
	"storefront/transport"
)

// The tags of operations, in the order of the reference.
const (
	tagCatalogue = "Catalogue"
	tagStore     = "Store"
	tagAuth      = "Accounts"
	tagOrders    = "Orders"
	tagProviders = "Providers"
)

// The names of the security schemes.
const (
	schemeTenant     = "tenant"
	schemeBearer     = "bearer"
	schemeOrderToken = "orderToken"
)

//go:embed reference/guide.md
var guideText string

var guide = template.Must(template.New("guide").Parse(guideText))

// guideCode is a row of the guide's table of error codes.
type guideCode struct {
	fault.CodeInfo
	Status int
}

// newGuide returns the document's introduction, with the configured limits.
func newGuide(cfg Config) string {
	codes := make([]guideCode, 0, len(fault.Codes()))
	for _, info := range fault.Codes() {
		codes = append(codes, guideCode{info, transport.Status(info.Code)})
	}
	var b strings.Builder
	if err := guide.Execute(&b, struct {
		Config
		GraphQL graphql.Config
		Codes   []guideCode
	}{cfg, cfg.graphQL().WithDefaults(), codes}); err != nil {
		panic(err) // the guide is embedded in the program
	}
	return b.String()
}

func newOpenAPI(cfg Config) *huma.OpenAPI {
	doc := &huma.OpenAPI{
		Servers: []*huma.Server{{URL: cmp.Or(strings.TrimSuffix(cfg.PublicURL, "/"), "/")}},
		OpenAPI: "3.1.0",
		Info:    &huma.Info{Title: "Storefront API", Version: APIVersion, Description: newGuide(cfg)},
		Tags: []*huma.Tag{
			{Name: tagCatalogue, Description: "Products and collections. Public."},
			{Name: tagStore, Description: "Public settings of the shop."},
			{Name: tagAuth, Description: accountsDescription},
			{Name: tagOrders, Description: "Coupons, quotes, orders and tracking."},
		},
		Components: newComponents(),
	}
	doc.Components.SecuritySchemes = map[string]*huma.SecurityScheme{
		schemeTenant: {Type: "apiKey", In: "header", Name: "x-tenant", Description: "The shop's UID"},
		schemeBearer: {
			Type: "http", Scheme: "bearer", BearerFormat: "JWT", Description: "The accessToken of a sign-in, valid for 7 days",
		},
		schemeOrderToken: {Type: "apiKey", In: "header", Name: "X-Order-Token",
			Description: "The orderToken returned by placeOrder. It is valid for a year, unless the shop has set another time or revoked it"},
	}
	return doc
}

// newComponents returns the parts of a document to which operations add their references.
func newComponents() *huma.Components {
	schemas := huma.NewMapRegistry(schemaPrefix, schemaName)
	schemas.RegisterTypeAlias(reflect.TypeFor[page.Optional[int]](), reflect.TypeFor[int]())
	schemas.RegisterTypeAlias(reflect.TypeFor[page.Optional[int64]](), reflect.TypeFor[int64]())
	schemas.RegisterTypeAlias(reflect.TypeFor[page.Optional[bool]](), reflect.TypeFor[bool]())
	return &huma.Components{Examples: map[string]*huma.Example{}, Schemas: schemas}
}

const schemaPrefix = "#/components/schemas/"

// publishedNames maps renamed Go types to their earlier schema names, which generated clients use.
var publishedNames = map[string]string{
	"CouponResult": "CouponVerdict", "Meta": "PageMeta", "ListStatement": "ListCashStatement",
	"ListRecord": "ListMessageRecord", "ListFlag": "ListOrderFlag", "ListRow": "ListOrderRow",
}

// namesByPackage maps types with short names, by their package, to their names in the document.
var namesByPackage = map[string]map[string]string{
	"storefront/shop/status": {
		"Order": "OrderStatus", "Payment": "PaymentStatus", "Fulfillment": "FulfillmentStatus",
		"Shipment": "ShipmentStatus", "Attempt": "AttemptStatus", "Source": "OrderSource",
	},
	"storefront/shop/intake": {"Quantity": "ParsedQuantity", "Source": "ParsedSource"},
	"storefront/shop/message": {
		"Settings": "BuyerMessages", "Event": "MessageEvent", "Channel": "MessageChannel", "Status": "MessageStatus",
		"Values": "MessageValues", "Template": "MessageTemplate", "Record": "MessageRecord",
	},
	"storefront/shop/order": {
		"Item": "OrderItem", "UsedCoupon": "OrderCoupon", "Delivery": "OrderDelivery", "Customer": "OrderCustomer",
		"Address": "OrderAddress", "Payment": "OrderPayment", "Actions": "OrderActions", "Row": "OrderRow",
		"RowCustomer": "OrderRowCustomer", "RowItem": "OrderRowItem", "RowShipment": "OrderRowShipment",
		"Flag": "OrderFlag", "Claim": "OrderClaim", "Warning": "OrderWarning", "Edited": "EditedOrder",
		"Input": "OrderInput", "ItemInput": "OrderItemInput", "CustomerInput": "OrderCustomerInput",
		"Placed": "PlacedOrder", "Parsed": "ParsedOrder", "Cancelled": "CancelledOrder", "Page": "PageOfOrder",
		"BulkAction": "OrderAction", "BulkOptions": "OrderOptions", "Edit": "OrderEdit", "Sort": "OrderSort",
		"StaffInput": "StaffOrderInput", "Limits": "OrderLimits",
	},
	"storefront/shop/design":                {"Theme": "DesignTheme"},
	"storefront/shop/catalogue/productfile": {"Problem": "ImportProblem", "Note": "ImportNote"},
	"storefront/shop/cash": {
		"Report": "CashReport", "Difference": "CashDifference", "Statement": "CashStatement",
		"Status": "CashStatus", "HeldBy": "CashHeldBy",
	},
	"storefront/shop/sales": {
		"Period": "SalesPeriod", "Figures": "Sales", "Overview": "SalesOverview",
		"Grouping": "SalesGrouping", "Comparison": "SalesComparison",
	},
}

// schemaName returns a type's name in the document.
func schemaName(t reflect.Type, hint string) string {
	name := huma.DefaultSchemaNamer(t, hint)
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	switch t.PkgPath() { // whose names are short
	case "storefront/provider/sms":
		name = "SMS" + name
	case "storefront/provider/mail":
		name = "Mail" + name
	case "storefront/shop/live":
		name = "Live" + name
	}
	return cmp.Or(namesByPackage[t.PkgPath()][t.Name()], publishedNames[name], name)
}

// completeResponseSchemas corrects huma's schemas of response objects. They may get more fields
// over time, so clients must not refuse unknown fields. An object that can be null is documented as
// nullable: a pointer to a struct that is not omitted when nil. Statuses and codes refer to the
// schemas of their enumerated types.
func completeResponseSchemas(doc *huma.OpenAPI, enums *enumSchemas) {
	schemas := doc.Components.Schemas
	inputs := inputSchemas(doc)
	for name, schema := range schemas.Map() {
		if !inputs[name] {
			schema.AdditionalProperties = nil
		}
		for _, f := range reflect.VisibleFields(schemas.TypeFromRef(schemaPrefix + name)) {
			field, options, _ := strings.Cut(f.Tag.Get("json"), ",")
			property := schema.Properties[field]
			if property == nil {
				continue
			}
			switch isOptional := strings.Contains(options, "omit"); {
			case !inputs[name]:
				enums.replace(property, f.Type, true)
			case enums.inputs:
				enums.replace(property, f.Type, !isOptional)
			}
			if property.Ref == "" || f.Type.Kind() != reflect.Pointer || strings.Contains(options, "omit") {
				continue
			}
			schema.Properties[field] = &huma.Schema{
				Description: property.Description, AnyOf: []*huma.Schema{{Ref: property.Ref}, {Type: "null"}},
			}
		}
	}
}

// inputSchemas returns the names of the schemas that request bodies refer to.
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
	for _, op := range allOperations(doc) {
		if op.RequestBody == nil {
			continue
		}
		if media := op.RequestBody.Content["application/json"]; media != nil {
			walk(media.Schema)
		}
	}
	return found
}
