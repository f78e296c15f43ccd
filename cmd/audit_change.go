package cmd

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"storefront/shop/access"
)

// changesText returns the changed values: "field=value" for a new one, otherwise "field before →
// after", with "-" for a value that was removed. Objects and lists are compared value by value, and
// new ones are shown without what is empty or zero, which nobody has set.
func changesText(changes []access.Change) string {
	var texts []string
	for _, c := range changes {
		if c.Before == nil && c.After == nil { // such as a new API key that never expires
			texts = append(texts, c.Field+"="+valueText(nil))
			continue
		}
		texts = appendChanges(texts, c.Field, c.Before, c.After)
	}
	return strings.Join(texts, ", ")
}

// appendChanges appends the texts of the values that differ.
func appendChanges(texts []string, field string, before, after any) []string {
	was, wasObject := members(before)
	is, isObject := members(after)
	if wasObject && (isObject || after == nil) || isObject && before == nil {
		keys := map[string]any{}
		maps.Copy(keys, was)
		maps.Copy(keys, is)
		for _, key := range slices.SortedFunc(maps.Keys(keys), byMember) {
			if isUnset(was[key]) && isUnset(is[key]) {
				continue
			}
			if isUnset(was[key]) { // the default
				delete(was, key)
			}
			texts = appendChanges(texts, field+key, was[key], is[key])
		}
		return texts
	}
	switch old, value := valueText(before), valueText(after); {
	case old == value:
		return texts
	case before == nil, before == "":
		return append(texts, field+"="+value)
	default:
		return append(texts, field+" "+old+" → "+value)
	}
}

// members returns the values in an object or a list of objects by their last step, such as
// ".charge" or "[0]".
func members(value any) (list map[string]any, ok bool) {
	list = map[string]any{}
	switch value := value.(type) {
	case map[string]any:
		for key, member := range value {
			list["."+key] = member
		}
		return list, true
	case []any:
		for i, member := range value {
			if _, isObject := member.(map[string]any); !isObject {
				return nil, false
			}
			list[fmt.Sprintf("[%d]", i)] = member
		}
		return list, len(value) > 0
	}
	return nil, false
}

// byMember sorts the elements of a list by their index, and the fields of an object by name.
func byMember(a, b string) int {
	if a[0] == '[' && len(a) != len(b) {
		return len(a) - len(b)
	}
	return strings.Compare(a, b)
}

// isUnset reports whether a value says no more than its absence.
func isUnset(value any) bool {
	switch value := value.(type) {
	case nil:
		return true
	case bool:
		return !value
	case float64:
		return value == 0
	case string:
		return value == ""
	case []any:
		return len(value) == 0
	case map[string]any:
		return len(value) == 0
	}
	return false
}

// valueText returns a value as it is written on a command line, "-" for none.
func valueText(value any) string {
	switch value := value.(type) {
	case nil:
		return "-"
	case string:
		return cmp.Or(value, "-")
	case float64:
		return strconv.FormatFloat(value, 'f', -1, 64)
	case []any:
		texts := make([]string, len(value))
		for i, element := range value {
			texts[i] = valueText(element)
		}
		return "[" + strings.Join(texts, ", ") + "]"
	}
	text, err := json.Marshal(value)
	if err != nil {
		return fmt.Sprint(value)
	}
	return string(text)
}
