package admin

import (
	"reflect"
	"slices"

	"storefront/shop"
	"storefront/shop/access"
	"storefront/shop/endpoint"
	"storefront/shop/job"
	"storefront/shop/order"
	"storefront/shop/outbox"
	"storefront/shop/staff"
	"storefront/tenants"
	"storefront/transport"
)

// Enums returns the enumerated types of the document that have other values than the constants of
// their type in the domain, or another name than elsewhere.
func Enums() map[reflect.Type]transport.Enum {
	return map[reflect.Type]transport.Enum{
		reflect.TypeFor[shop.WebhookKind](): {
			Name: "ProviderURLKind", Description: "The kind of client that requests a provider's URL.", Values: valuesOf[shop.WebhookKind](),
		},
		reflect.TypeFor[job.Kind](): {
			Name: "JobKind", Description: "The action of a job on each of its records.", Values: slices.Concat(
				prefixed("Orders: ", valuesOf[order.BulkAction]()), prefixed("Products: ", valuesOf[shop.ProductAction]()),
				[]transport.EnumValue{
					{Name: string(tenants.CopyShopJob), Description: "Operators: copy the shop."},
					{Name: string(tenants.RestoreShopJob), Description: "Operators: restore the shop in place."},
					{Name: string(tenants.MoveShopJob), Description: "Operators: move the shop between files and PostgreSQL."},
				},
			),
		},
		reflect.TypeFor[outbox.Type](): {
			Name: "EventType", Description: "The type of an event.", Values: slices.Concat(
				[]transport.EnumValue{{Name: string(endpoint.AllTypes), Description: "Every type, including types of later versions."}},
				valuesOf[outbox.Type](),
				[]transport.EnumValue{{Name: string(endpoint.TestType), Description: "A test was sent."}},
			),
		},
		reflect.TypeFor[staff.Scope](): {
			Name: "Scope", Description: "A right of an API key: the permission of the same name.", Values: scopeValues(),
		},
	}
}

func valuesOf[T any]() []transport.EnumValue {
	enum, _ := transport.EnumOf(reflect.TypeFor[T]())
	return slices.Clone(enum.Values)
}

// prefixed returns values with meanings that begin with a prefix.
func prefixed(prefix string, values []transport.EnumValue) []transport.EnumValue {
	for i := range values {
		values[i].Description = prefix + values[i].Description
	}
	return values
}

// scopeValues returns the permissions that an API key can have, and the value for all of them.
func scopeValues() []transport.EnumValue {
	isScope := func(p transport.EnumValue) bool { return slices.Contains(staff.Scopes(), access.Permission(p.Name)) }
	values := []transport.EnumValue{{Name: string(staff.ScopeAll), Description: "All that a key can have."}}
	for _, p := range valuesOf[access.Permission]() {
		if isScope(p) {
			values = append(values, p)
		}
	}
	return values
}
