package input

import (
	"slices"
	"strings"

	"storefront/shop/fault"
)

// MaxFilterValues limits the values of one filter. More could only be repetitions.
const MaxFilterValues = 50

// CheckValues checks that the values of a filter are among the permitted ones.
func CheckValues[S ~string](bad *fault.Invalid, field string, values, all []S) {
	if len(values) > MaxFilterValues {
		bad.Add(field, fault.CodeInvalidValue, "The filter must have at most %d values.", MaxFilterValues)
		return
	}
	for _, value := range values {
		if !slices.Contains(all, value) {
			bad.Add(field, fault.CodeInvalidValue, "Unknown value %s: it must be one of %s.", Cut(string(value), 50), JoinValues(all))
			return
		}
	}
}

// JoinValues lists the values of a field for people.
func JoinValues[S ~string](values []S) string {
	texts := make([]string, len(values))
	for i, value := range values {
		texts[i] = string(value)
	}
	return strings.Join(texts, ", ")
}
