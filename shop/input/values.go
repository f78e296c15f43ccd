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
			names := make([]string, len(all))
			for i, name := range all {
				names[i] = string(name)
			}
			bad.Add(field, fault.CodeInvalidValue, "Unknown value %s: it must be one of %s.", Cut(string(value), 50), strings.Join(names, ", "))
			return
		}
	}
}
