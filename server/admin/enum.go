package admin

import (
	"maps"
	"reflect"
	"slices"

	"storefront/shop"
	"storefront/shop/job"
)

// Enum is an enumerated type of the document for staff only. The GraphQL schema describes the types
// that buyers see too.
type Enum struct {
	Name, Description string
	Values            []EnumValue
}

// EnumValue is a value of an [Enum] with its meaning.
type EnumValue struct{ Name, Description string }

// Enums returns the enumerated types of staff by their types in the domain.
func Enums() map[reflect.Type]Enum {
	all := orderEnums()
	maps.Copy(all, shopEnums())
	maps.Copy(all, staffEnums())
	orders, products := all[reflect.TypeFor[shop.OrderAction]()], all[reflect.TypeFor[shop.ProductAction]()]
	all[reflect.TypeFor[job.Kind]()] = Enum{"JobKind", "The action of a job on each of its records.", slices.Concat(
		prefixed("Orders: ", orders.Values), prefixed("Products: ", products.Values),
	)}
	return all
}

// prefixed returns values with meanings that begin with a prefix.
func prefixed(prefix string, values []EnumValue) []EnumValue {
	all := slices.Clone(values)
	for i := range all {
		all[i].Description = prefix + all[i].Description
	}
	return all
}
