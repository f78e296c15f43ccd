package server

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"storefront/graphql"
	"storefront/server/admin"
	"storefront/shop"
	"storefront/shop/access"
	"storefront/shop/endpoint"
	"storefront/shop/inbox"
	"storefront/shop/job"
	"storefront/shop/outbox"
	"storefront/shop/sales"
	"storefront/shop/staff"
	"storefront/tenants"
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
		if name, ok := enums.names[typ]; !ok {
			if _, ok := types[typeName(typ)]; !ok {
				t.Errorf("%s: got a free string, want the values of %s in admin.Enums", where, typ)
			}
		} else if enums.types[name].Description == "" {
			t.Errorf("%s: got no description of %s", where, typ)
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

// The values in the document are those of the domain.
func TestAdminEnums_Values(t *testing.T) {
	t.Parallel()
	for typ, enum := range admin.Enums() {
		want := constantsOf(t, typ)
		switch typ {
		case reflect.TypeFor[access.Permission](): // without those that nobody can be granted
			want = textsOf(access.Permissions())
		case reflect.TypeFor[staff.Scope](): // the permissions that a key can have, too
			want = slices.Sorted(slices.Values(append(want, textsOf(staff.Scopes())...)))
		case reflect.TypeFor[inbox.Verdict](): // refused webhooks have a list of their own
			want = slices.DeleteFunc(want, func(value string) bool { return value == string(inbox.VerdictRefused) })
		case reflect.TypeFor[outbox.Type](): // and those that webhook endpoints alone have
			want = slices.Sorted(slices.Values(append(want, string(endpoint.AllTypes), string(endpoint.TestType))))
		case reflect.TypeFor[job.Kind](): // the actions of such jobs
			want = slices.Sorted(slices.Values(append(textsOf(shop.OrderActionNames()), textsOf(shop.ProductActionNames())...)))
		case reflect.TypeFor[sales.Grouping](): // without those that no report has
			want = textsOf(sales.Groupings())
		case reflect.TypeFor[shop.LabelSize]():
			want = textsOf(shop.LabelSizes())
		case reflect.TypeFor[shop.ReceiptSize]():
			want = textsOf(shop.ReceiptSizes())
		}
		var got []string
		for _, value := range enum.Values {
			got = append(got, value.Name)
			if !strings.HasSuffix(value.Description, ".") {
				t.Errorf("%s.%s: got the meaning %q, want a sentence", enum.Name, value.Name, value.Description)
			}
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

// parsed are the files of packages, by their paths: many enums are of one package.
var parsed = map[string][]*ast.File{}

// sources returns the files of a package without its tests. One test calls it.
func sources(t *testing.T, pkg string) []*ast.File {
	t.Helper()
	if parsed[pkg] != nil {
		return parsed[pkg]
	}
	dir := filepath.Join("..", strings.TrimPrefix(pkg, "storefront/"))
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, entry := range entries {
		if !strings.HasSuffix(entry.Name(), ".go") || strings.HasSuffix(entry.Name(), "_test.go") {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), filepath.Join(dir, entry.Name()), nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		parsed[pkg] = append(parsed[pkg], file)
	}
	return parsed[pkg]
}

// constantsOf returns the constants of a type, sorted, without the empty one.
func constantsOf(t *testing.T, typ reflect.Type) (values []string) {
	t.Helper()
	for _, file := range sources(t, typ.PkgPath()) {
		ast.Inspect(file, func(n ast.Node) bool {
			spec, ok := n.(*ast.ValueSpec)
			if !ok {
				return true
			}
			if name, ok := spec.Type.(*ast.Ident); ok && name.Name == typ.Name() {
				for _, value := range spec.Values {
					if literal, ok := value.(*ast.BasicLit); ok && literal.Value != `""` {
						text, err := strconv.Unquote(literal.Value)
						if err != nil {
							t.Fatal(err)
						}
						values = append(values, text)
					}
				}
			}
			return true
		})
	}
	slices.Sort(values)
	return values
}
