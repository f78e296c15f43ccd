package graphql

import (
	"fmt"
	"reflect"
	"regexp"
	"strings"

	graphqlgo "github.com/graph-gophers/graphql-go"
	"github.com/graph-gophers/graphql-go/ast"
	gqlerrors "github.com/graph-gophers/graphql-go/errors"

	"storefront/shop"
	"storefront/shop/catalogue"
	"storefront/shop/fault"
	"storefront/shop/order"
	"storefront/shop/plugin"
	"storefront/shop/review"
	"storefront/shop/status"
	"storefront/transport"
)

// Enums returns the enumerated types of the schema by name, so that other descriptions of the API
// use the same meanings.
func Enums() (map[string]transport.Enum, error) {
	text, err := Schema()
	if err != nil {
		return nil, err
	}
	schema, err := graphqlgo.ParseSchema(text, nil, graphqlgo.UseStringDescriptions())
	if err != nil {
		return nil, fmt.Errorf("parse schema: %w", err)
	}
	return enumsOf(schema), nil
}

func enumsOf(schema *graphqlgo.Schema) map[string]transport.Enum {
	enums := map[string]transport.Enum{}
	for name, typ := range schema.AST().Types {
		if typ, ok := typ.(*ast.EnumTypeDefinition); ok && !strings.HasPrefix(name, "__") {
			enum := transport.Enum{Name: name, Description: typ.Desc}
			for _, value := range typ.EnumValuesDefinition {
				enum.Values = append(enum.Values, transport.EnumValue{Name: value.EnumValue, Description: value.Desc})
			}
			enums[name] = enum
		}
	}
	return enums
}

var (
	notInEnum = regexp.MustCompile(`^Enum "(\w+)" cannot represent|^Value "\w+" does not exist in "(\w+)" enum`)
	// argumentBefore matches the name of the argument or field before its value.
	argumentBefore = regexp.MustCompile(`(\w+)\s*:[\s\[]*$`)
)

// enumError returns a function for [mergeValueErrors]. Its error contains the argument's name and
// the values of its type.
func (h *Handler) enumError(doc *document) func(*gqlerrors.QueryError) (fault.FieldError, bool) {
	return func(err *gqlerrors.QueryError) (fault.FieldError, bool) {
		name := notInEnum.FindStringSubmatch(err.Message)
		if name == nil || len(err.Locations) == 0 {
			return fault.FieldError{}, false
		}
		enum, ok := h.schema.AST().Types[name[1]+name[2]].(*ast.EnumTypeDefinition)
		if !ok {
			return fault.FieldError{}, false
		}
		field := fault.FieldError{Code: fault.CodeInvalidValue}
		if argument := argumentBefore.FindStringSubmatch(textBefore(doc.Query, err.Locations[0])); argument != nil {
			field.Field = shorten(argument[1])
		}
		values := make([]string, len(enum.EnumValuesDefinition))
		for i, value := range enum.EnumValuesDefinition {
			values[i] = value.EnumValue
		}
		field.Message = "Must be one of " + strings.Join(values, ", ") + "."
		if strings.Contains(err.Message, `value: "`) {
			field.Message = "Must be one of " + strings.Join(values, ", ") + ", without quotes."
		}
		return field, true
	}
}

// textBefore returns the part of a document before a location.
func textBefore(query string, at gqlerrors.Location) string {
	lines := strings.SplitAfterN(query, "\n", at.Line)
	last := []rune(lines[len(lines)-1])
	return strings.Join(lines[:len(lines)-1], "") + string(last[:min(max(at.Column-1, 0), len(last))])
}

// domainEnums returns the definitions of the enumerated types that the domain describes.
func domainEnums() string {
	var codes, timeline []transport.EnumValue
	for _, info := range fault.Codes() {
		codes = append(codes, transport.EnumValue{Name: string(info.Code), Description: info.Meaning})
	}
	for _, info := range order.TimelineTypes() {
		timeline = append(timeline, transport.EnumValue{Name: string(info.Type), Description: info.Meaning})
	}
	var text strings.Builder
	for _, enum := range []transport.Enum{
		{Name: "ErrorCode", Description: "The code of an error, with the same meaning in REST and GraphQL.", Values: codes},
		{Name: "TimelineType", Description: "The type of an event in an order's history.", Values: timeline},
		enumOf[catalogue.StockStatus](), enumOf[status.Order](), enumOf[status.Payment](), enumOf[status.PaymentMethod](),
		enumOf[status.Fulfillment](), enumOf[status.Shipment](), enumOf[status.Attempt](), enumOf[order.PaymentErrorCode](),
		enumOf[order.CreditReason](), enumOf[order.AdvanceReason](), enumOf[order.AdvanceMethod](), enumOf[order.WalletKind](),
		enumOf[order.WalletStatus](), enumOf[review.Status](), enumOf[order.CouponKind](),
		enumOf[order.MissingReason](), enumOf[order.CustomerOrderSort](),
		enumOf[plugin.Provider](), enumOf[plugin.Mode](), enumOf[plugin.Capability](), enumOf[shop.WebhookKind](),
	} {
		text.WriteString(define(enum))
	}
	return text.String()
}

func enumOf[T any]() transport.Enum {
	enum, _ := transport.EnumOf(reflect.TypeFor[T]())
	return enum
}

// define returns the definition of an enumerated type. Descriptions must not contain a backslash.
func define(enum transport.Enum) string {
	var b strings.Builder
	fmt.Fprintf(&b, "\n%s\nenum %s {\n", describe(enum.Description), enum.Name)
	for _, value := range enum.Values {
		fmt.Fprintf(&b, "  %s\n  %s\n", describe(value.Description), value.Name)
	}
	b.WriteString("}\n")
	return b.String()
}

func describe(text string) string { return `"` + strings.ReplaceAll(text, `"`, `\"`) + `"` }
