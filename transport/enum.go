package transport

import (
	_ "embed"
	"reflect"
	"strings"
	"sync"
)

// Enum is an enumerated type of the APIs.
type Enum struct {
	Name, Description string
	Values            []EnumValue
}

// EnumValue is a value of an [Enum] with its meaning.
type EnumValue struct{ Name, Description string }

// enumText has the enumerated types of the domain, as their comments describe them: a line with the
// name in the APIs and the types, one with the description, and one for each value. A test writes
// it.
//
//go:embed enums.txt
var enumText string

// Enums returns the enumerated types of the domain by their full names, such as
// storefront/shop/status.Order. The result must not be modified.
var Enums = sync.OnceValue(func() map[string]Enum {
	enums := map[string]Enum{}
	for block := range strings.SplitSeq(strings.TrimSpace(enumText), "\n\n") {
		lines := strings.Split(block, "\n\t")
		names := strings.Fields(lines[0])
		enum := Enum{Name: names[0], Description: lines[1]}
		for _, line := range lines[2:] {
			value, meaning, _ := strings.Cut(line, ": ")
			enum.Values = append(enum.Values, EnumValue{value, meaning})
		}
		for _, name := range names[1:] {
			enums[name] = enum
		}
	}
	return enums
})

// EnumOf returns the enumerated type that a type of the domain is, if it is one.
func EnumOf(t reflect.Type) (enum Enum, ok bool) {
	enum, ok = Enums()[t.PkgPath()+"."+t.Name()]
	return enum, ok
}

// Meaning returns the meaning of a value, "" if the type does not have it.
func (e Enum) Meaning(value string) string {
	for _, v := range e.Values {
		if v.Name == value {
			return v.Description
		}
	}
	return ""
}
