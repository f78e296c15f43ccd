package admin

import (
	"maps"
	"reflect"
)

// Enum is an enumerated type of the document that only staff see. Those that buyers see too are
// described by the GraphQL schema.
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
	return all
}
