package graphql_test

import (
	"cmp"
	"path"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/graph-gophers/graphql-go/ast"

	"storefront/shop"
	"storefront/shop/catalogue"
	"storefront/shop/fault"
	"storefront/shop/order"
	"storefront/shop/plugin"
	"storefront/shop/review"
	"storefront/shop/status"
)

// Each type has the fields of the domain's struct that REST returns, and a field is nullable if and
// only if the struct's field is a pointer.
func TestSchema_MirrorsDomain(t *testing.T) {
	t.Parallel()
	s := schema(t)
	m := &mirror{t: t, schema: s, seen: map[string]reflect.Type{}}
	m.seen["Query"], m.seen["Mutation"] = nil, nil
	m.seen["PlaceOrderInput"] = nil // OrderInput and the idempotency key, which is a header in REST
	domain := domainTypes()
	for _, root := range []string{"query", "mutation"} {
		for _, f := range s.RootOperationTypes[root].(*ast.ObjectTypeDefinition).Fields {
			m.named(domain, f.Type)
			for _, a := range f.Arguments {
				m.named(domain, a.Type)
			}
		}
	}

	var quote, place []string
	for _, f := range s.Types["OrderInput"].(*ast.InputObject).Values {
		quote = append(quote, f.Name.Name+": "+f.Type.String())
	}
	for _, f := range s.Types["PlaceOrderInput"].(*ast.InputObject).Values {
		place = append(place, f.Name.Name+": "+f.Type.String())
	}
	if !slices.Equal(append(quote, "idempotencyKey: String"), place) {
		t.Errorf("PlaceOrderInput: got %v, want %v and idempotencyKey", place, quote)
	}
}

// typeNames are the domain's names of types that have another one in the schema.
var typeNames = map[string]string{
	"CouponVerdict": "CouponResult", "VerifyCouponInput": "CouponInput", "StartPaymentInput": "PaymentInput",
	"SetPaymentMethodInput": "PaymentMethodInput", "IncompleteOrderInput": "IncompleteInput", "StorefrontRegisterInput": "RegisterInput",
	"StorefrontLoginInput": "LoginInput", "Plugin": "PluginStatus",
	"OrderPage": "page.OrderPage", "ProofInput": "account.ProofInput", "OrderInput": "order.Input", // as others have the short name
	"AddPasskeyInput": "account.AddPasskeyInput", "PasskeyProofInput": "account.PasskeyProof",
	"PasskeyRequestOptions": "passkey.RequestOptions", "PasskeyCreationOptions": "passkey.CreationOptions",
}

// domainTypes returns the structs that the use cases of a shop receive and return, by their name
// and by the name with the package, in lower case. A page is named after its items, such as
// productpage. A short name that two types have is that of neither.
func domainTypes() map[string]reflect.Type {
	found := map[string]reflect.Type{}
	add := func(typ reflect.Type) {
		for typ.Kind() == reflect.Pointer || typ.Kind() == reflect.Slice {
			typ = typ.Elem()
		}
		if typ.Kind() != reflect.Struct || !strings.HasPrefix(typ.PkgPath(), "storefront/shop") {
			return
		}
		name := typ.Name()
		if nodes, ok := typ.FieldByName("Nodes"); ok && strings.HasPrefix(name, "Page[") {
			name = nodes.Type.Elem().Name() + "Page"
		}
		name = strings.ToLower(name)
		found[path.Base(typ.PkgPath())+"."+name] = typ
		if earlier, ok := found[name]; ok && earlier != typ {
			typ = nil
		}
		found[name] = typ
	}
	rooms := []reflect.Type{reflect.TypeFor[*shop.Shop]()}
	for _, f := range reflect.VisibleFields(rooms[0].Elem()) {
		if f.IsExported() {
			rooms = append(rooms, f.Type)
		}
	}
	for _, room := range rooms {
		for i := range room.NumMethod() {
			method := room.Method(i).Type
			for j := range method.NumIn() {
				add(method.In(j))
			}
			for j := range method.NumOut() {
				add(method.Out(j))
			}
		}
	}
	return found
}

type mirror struct {
	t      *testing.T
	schema *ast.Schema
	seen   map[string]reflect.Type
}

// transportFields are the fields that the domain's structs do not have.
var transportFields = []string{"Order.orderToken", "StartPaymentInput.orderId", "StartPaymentInput.orderToken",
	"WalletPaymentInput.orderId", "WalletPaymentInput.orderToken",
	"SetPaymentMethodInput.orderId", "SetPaymentMethodInput.orderToken", "OrderInput.orderToken", "VerifyCouponInput.orderToken"}

// named compares the type of a root field or an argument with the domain's type of its name.
func (m *mirror) named(domain map[string]reflect.Type, typ ast.Type) {
	m.t.Helper()
	switch inner := typ.(type) {
	case *ast.NonNull:
		m.named(domain, inner.OfType)
	case *ast.List:
		m.named(domain, inner.OfType)
	case *ast.ObjectTypeDefinition, *ast.InputObject:
		name := inner.String()
		of := domain[strings.ToLower(cmp.Or(typeNames[name], name))]
		if _, seen := m.seen[name]; of == nil && !seen {
			m.t.Errorf("%s: the use cases have no type of this name, or several: add it to typeNames", name)
		} else if of != nil {
			m.object(name, of)
		}
	}
}

func (m *mirror) object(name string, of reflect.Type) {
	m.t.Helper()
	if seen, ok := m.seen[name]; ok {
		if seen != of {
			m.t.Errorf("%s represents both %v and %v", name, seen, of)
		}
		return
	}
	m.seen[name] = of
	fields := map[string]ast.Type{}
	switch typ := m.schema.Types[name].(type) {
	case *ast.ObjectTypeDefinition:
		for _, f := range typ.Fields {
			fields[f.Name] = f.Type
		}
	case *ast.InputObject:
		for _, f := range typ.Values {
			fields[f.Name.Name] = f.Type
		}
	default:
		m.t.Fatalf("schema has no type %s", name)
	}
	for i := range of.NumField() {
		f := of.Field(i)
		tag, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		if tag == "-" {
			continue
		}
		typ, ok := fields[tag]
		if !ok {
			m.t.Errorf("%s has no field %s", name, tag)
			continue
		}
		delete(fields, tag)
		m.field(name+"."+tag, typ, f.Type)
	}
	for field := range fields {
		if !slices.Contains(transportFields, name+"."+field) {
			m.t.Errorf("%s.%s is not a field of %v", name, field, of)
		}
	}
}

func (m *mirror) field(at string, typ ast.Type, of reflect.Type) {
	m.t.Helper()
	nonNull, isNonNull := typ.(*ast.NonNull)
	if isNullable := of.Kind() == reflect.Pointer; isNullable == isNonNull {
		m.t.Errorf("%s: got %s for %v", at, typ, of)
	}
	if isNonNull {
		typ = nonNull.OfType
	}
	if of.Kind() == reflect.Pointer {
		of = of.Elem()
	}
	switch typ := typ.(type) {
	case *ast.List:
		if of.Kind() != reflect.Slice {
			m.t.Errorf("%s: got a list for %v", at, of)
			return
		}
		m.field(at+"[]", typ.OfType, of.Elem())
	case *ast.ObjectTypeDefinition:
		m.object(typ.Name, of)
	case *ast.InputObject:
		m.object(typ.Name, of)
	case *ast.EnumTypeDefinition:
		if _, ok := enums[of]; !ok || enumName(of) != typ.Name {
			m.t.Errorf("%s is %s for %v", at, typ, of)
		}
	case *ast.ScalarTypeDefinition:
		if want := scalarFor(at, of); want != typ.Name {
			m.t.Errorf("%s: got %s, want %s", at, typ.Name, want)
		}
	}
}

func scalarFor(at string, of reflect.Type) string {
	name := at[strings.LastIndex(at, ".")+1:]
	switch {
	case of == reflect.TypeFor[time.Time]():
		return "Time"
	case of.Kind() == reflect.Map:
		return "JSON"
	case of.Kind() == reflect.String &&
		(name == "_id" || strings.HasSuffix(name, "Id") && name != "consignmentId" || strings.HasSuffix(name, "Ids[]")):
		return "ID"
	}
	return map[reflect.Kind]string{reflect.String: "String", reflect.Bool: "Boolean", reflect.Int: "Int", reflect.Int64: "Long"}[of.Kind()]
}

// enums are the values of the domain's enumerated types.
var enums = map[reflect.Type][]string{
	reflect.TypeFor[catalogue.StockStatus](): names(catalogue.StockIn, catalogue.StockLow, catalogue.StockOut, catalogue.StockBackorder),
	reflect.TypeFor[status.Order](): names(status.OrderPending, status.OrderPendingPayment, status.OrderConfirmed, status.OrderProcessing,
		status.OrderCompleted, status.OrderCancelled, status.OrderExpired, status.OrderReturned),
	reflect.TypeFor[status.Payment](): names(status.PaymentUnpaid, status.PaymentPending, status.PaymentPaid, status.PaymentNeedsReview,
		status.PaymentRefundDue, status.PaymentRefunded, status.PaymentPartiallyRefunded),
	reflect.TypeFor[status.Fulfillment](): names(status.Unfulfilled, status.InProgress, status.PartiallyDelivered, status.Delivered,
		status.Returning, status.Returned),
	reflect.TypeFor[status.PaymentMethod]():   names(status.PayCOD, status.PayGatewayA, status.PayGatewayB),
	reflect.TypeFor[plugin.Provider]():        names(plugin.Providers()...),
	reflect.TypeFor[status.Attempt]():         names(status.Attempts()...),
	reflect.TypeFor[order.PaymentErrorCode](): names(order.PaymentRefused, order.PaymentUnreachable),
	reflect.TypeFor[status.Shipment]():        names(status.Shipments()...),
	reflect.TypeFor[order.CreditReason](): names(append([]order.CreditReason{
		order.CreditNotAccepted, order.CreditReturned, order.CreditCancelled,
	}, order.RefundReasons()...)...),
	reflect.TypeFor[order.AdvanceReason]():     names(order.AdvanceForArea, order.AdvanceForAmount, order.AdvanceForNew, order.AdvanceByShop),
	reflect.TypeFor[order.MissingReason]():     names(order.MissingWithdrawn, order.MissingStock),
	reflect.TypeFor[order.CustomerOrderSort](): order.CustomerOrderSorts(),
	reflect.TypeFor[order.AdvanceMethod]():     names(order.AdvanceMethods()...),
	reflect.TypeFor[order.WalletKind]():        names(order.WalletPersonal, order.WalletMerchant),
	reflect.TypeFor[order.WalletStatus]():      names(order.WalletWaiting, order.WalletConfirmed, order.WalletRefused),
	reflect.TypeFor[order.CouponKind]():        names(order.CouponPercentage, order.CouponFixed, order.CouponFreeDelivery, order.CouponBuyGet),
	reflect.TypeFor[review.Status]():           names(review.Pending, review.Published, review.Rejected),
	reflect.TypeFor[order.TimelineType]():      infoNames(order.TimelineTypes(), func(i order.TimelineTypeInfo) string { return string(i.Type) }),
	reflect.TypeFor[order.Cause]():             append(names(order.ByBuyer, order.ByStaff, order.ByShop), names(plugin.Providers()...)...),
	reflect.TypeFor[plugin.Mode]():             names(plugin.Live, plugin.Sandbox),
	reflect.TypeFor[plugin.Capability]():       names(plugin.CanReceiveWebhooks, plugin.CanBook, plugin.CanPay),
	reflect.TypeFor[shop.WebhookKind]():        names(shop.KindWebhook, shop.KindCallback),
	reflect.TypeFor[shop.PluginCheckName]():    append(names(plugin.CanReceiveWebhooks, plugin.CanBook, plugin.CanPay), string(shop.CheckCredentials)),
	reflect.TypeFor[shop.ConnectionState]():    names(shop.ConnectionUnchecked, shop.ConnectionWorks, shop.ConnectionRefused, shop.ConnectionUnreached),
	reflect.TypeFor[fault.Code]():              infoNames(fault.Codes(), func(i fault.CodeInfo) string { return string(i.Code) }),
}

// sortEnums are the values of the sort keys, which are strings in the domain.
var sortEnums = map[string][]string{
	"ProductSort": catalogue.ProductSorts(), "CollectionSort": catalogue.CollectionSorts(), "SortDirection": catalogue.SortDirections(),
}

// enumName returns the name of a domain type in the schema.
func enumName(of reflect.Type) string {
	switch {
	case of == reflect.TypeFor[fault.Code]():
		return "ErrorCode"
	case of == reflect.TypeFor[status.Source]():
		return "OrderSource"
	case of == reflect.TypeFor[review.Status]():
		return "ReviewStatus"
	case of.PkgPath() == reflect.TypeFor[status.Order]().PkgPath() && of != reflect.TypeFor[status.PaymentMethod]():
		return of.Name() + "Status"
	}
	return of.Name()
}

func infoNames[T any](list []T, name func(T) string) []string {
	texts := make([]string, len(list))
	for i, info := range list {
		texts[i] = name(info)
	}
	return texts
}

func names[W ~string](list ...W) []string {
	texts := make([]string, len(list))
	for i, w := range list {
		texts[i] = string(w)
	}
	return texts
}

func TestSchema_EnumsMatchDomain(t *testing.T) {
	t.Parallel()
	s := schema(t)
	for of, want := range enums {
		var got []string
		for _, v := range s.Types[enumName(of)].(*ast.EnumTypeDefinition).EnumValuesDefinition {
			got = append(got, v.EnumValue)
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s: got %v, want %v", of.Name(), got, want)
		}
	}
	for name, want := range sortEnums {
		var got []string
		for _, v := range s.Types[name].(*ast.EnumTypeDefinition).EnumValuesDefinition {
			got = append(got, v.EnumValue)
		}
		slices.Sort(got)
		if slices.Sort(want); !slices.Equal(got, want) {
			t.Errorf("%s: got %v, want %v", name, got, want)
		}
	}
}

// Every status, code and sort key of the schema is enumerated, so that a client's compiler checks
// it.
func TestSchema_NoUntypedStatuses(t *testing.T) {
	t.Parallel()
	isTyped := regexp.MustCompile(`(?i)(status|errorCode|reason|kind|mode|sort|sortBy|cause|type|provider|method)$`)
	free := []string{"Product.type", "RefusedWebhook.reason", "Mutation.cancelOrder.reason", "Order.cancelBlockedReason", // texts for people
		"PasskeyParameter.type", "PasskeyDescriptor.type"} // of WebAuthn, for browsers
	check := func(at string, typ ast.Type) {
		if strings.TrimSuffix(typ.String(), "!") == "String" && isTyped.MatchString(at) && !slices.Contains(free, at) {
			t.Errorf("%s: got a string, want an enumerated type", at)
		}
	}
	for name, typ := range schema(t).Types {
		if strings.HasPrefix(name, "__") {
			continue
		}
		switch typ := typ.(type) {
		case *ast.ObjectTypeDefinition:
			for _, f := range typ.Fields {
				check(name+"."+f.Name, f.Type)
				for _, a := range f.Arguments {
					check(name+"."+f.Name+"."+a.Name.Name, a.Type)
				}
			}
		case *ast.InputObject:
			for _, v := range typ.Values {
				check(name+"."+v.Name.Name, v.Type)
			}
		}
	}
}

func TestSchema_EverythingDescribed(t *testing.T) {
	t.Parallel()
	described := func(name, text string) {
		if !strings.HasSuffix(text, ".") {
			t.Errorf("%s: got description %q, want a sentence", name, text)
		}
	}
	arguments := func(owner string, list ast.ArgumentsDefinition) {
		for _, a := range list {
			described(owner+"."+a.Name.Name, a.Desc)
		}
	}
	for name, typ := range schema(t).Types {
		if strings.HasPrefix(name, "__") || slices.Contains([]string{"ID", "Int", "Float", "String", "Boolean"}, name) {
			continue
		}
		switch typ := typ.(type) {
		case *ast.ObjectTypeDefinition:
			described(name, typ.Desc)
			for _, f := range typ.Fields {
				described(name+"."+f.Name, f.Desc)
				arguments(name+"."+f.Name, f.Arguments)
			}
		case *ast.InputObject:
			described(name, typ.Desc)
			arguments(name, typ.Values)
		case *ast.EnumTypeDefinition:
			described(name, typ.Desc)
			for _, v := range typ.EnumValuesDefinition {
				described(name+"."+v.EnumValue, v.Desc)
			}
		case *ast.ScalarTypeDefinition:
			described(name, typ.Desc)
		}
	}
}

// Root fields are nullable, so that an error of one does not remove the data of the others.
func TestSchema_FallibleFieldsNullable(t *testing.T) {
	t.Parallel()
	s := schema(t)
	for _, root := range []string{"Query", "Mutation"} {
		for _, f := range s.Types[root].(*ast.ObjectTypeDefinition).Fields {
			if _, isNonNull := f.Type.(*ast.NonNull); isNonNull && f.Name != "apiVersion" {
				t.Errorf("%s.%s: got %s, want a nullable type", root, f.Name, f.Type)
			}
		}
	}
}
