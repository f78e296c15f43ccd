package server

import (
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"storefront/graphql"
	"storefront/server/admin"
	"storefront/shop"
	"storefront/shop/access"
	"storefront/shop/order"
	"storefront/shop/outbox"
	"storefront/shop/sales"
	"storefront/tenants"
	"storefront/transport"
)

// openStrings are types of the domain whose values are not a closed set.
var openStrings = map[reflect.Type]string{
	reflect.TypeFor[tenants.MailSecret](): "a password",
}

// Every type of the domain with a closed set of values has its meanings in the document.
func TestAdminDocument_ClosedSets(t *testing.T) {
	t.Parallel()
	s := newServer(Config{})
	s.api = newAPI(newAdminOpenAPI(s.cfg), nowhere{})
	if err := s.registerAdmin(admin.Operations()); err != nil {
		t.Fatal(err)
	}
	types, err := graphql.Enums()
	if err != nil {
		t.Fatal(err)
	}
	enums := newAdminEnumSchemas(types)
	check := func(where string, typ reflect.Type) {
		for typ.Kind() == reflect.Pointer || typ.Kind() == reflect.Slice {
			typ = typ.Elem()
		}
		if typ.Kind() != reflect.String || !strings.HasPrefix(typ.PkgPath(), "storefront/") || openStrings[typ] != "" {
			return
		}
		if enum := enums.types[enums.name(typ)]; enum.Description == "" {
			t.Errorf("%s: got a free string, want the values of %s: add //api:enum to its comment", where, typ)
		}
	}
	schemas := s.api.OpenAPI().Components.Schemas
	for name := range schemas.Map() {
		for _, f := range reflect.VisibleFields(schemas.TypeFromRef(schemaPrefix + name)) {
			if field, _, _ := strings.Cut(f.Tag.Get("json"), ","); field != "" && field != "-" {
				check(name+"."+field, f.Type)
			}
		}
	}
	operations := map[string]*admin.Operation{}
	for _, o := range admin.Operations() {
		operations[o.ID] = &o
	}
	for _, op := range allOperations(s.api.OpenAPI()) {
		for _, p := range op.Parameters {
			if typ := operations[op.OperationID].ParameterType(p.Name); typ != nil {
				check(op.OperationID+"?"+p.Name, typ)
			}
		}
	}
}

// The constants of a type, with a comment, are the values that the domain has in lists.
func TestEnums_Lists(t *testing.T) {
	t.Parallel()
	for typ, want := range map[reflect.Type][]string{
		reflect.TypeFor[access.Permission]():  textsOf(slices.Concat(access.Permissions(), access.InstallationPermissions())),
		reflect.TypeFor[outbox.Type]():        textsOf(outbox.Types()),
		reflect.TypeFor[sales.Grouping]():     textsOf(sales.Groupings()),
		reflect.TypeFor[shop.LabelSize]():     textsOf(shop.LabelSizes()),
		reflect.TypeFor[shop.ReceiptSize]():   textsOf(shop.ReceiptSizes()),
		reflect.TypeFor[order.BulkAction]():   textsOf(order.BulkActions()),
		reflect.TypeFor[shop.ProductAction](): textsOf(shop.ProductActionNames()),
	} {
		var got []string
		enum, _ := transport.EnumOf(typ)
		for _, value := range enum.Values {
			got = append(got, value.Name)
		}
		slices.Sort(got)
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", enum.Name, diff)
		}
	}
}

// textsOf returns the values as text, sorted.
func textsOf[S ~string](values []S) (texts []string) {
	for _, value := range values {
		texts = append(texts, string(value))
	}
	slices.Sort(texts)
	return texts
}
