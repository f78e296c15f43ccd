package provider

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"storefront/shop/plugin"
)

// messageFields are the fields with a provider's explanation of a refusal, in the order of display.
var messageFields = []string{"message", "msg", "error", "errors", "data"}

// maxMessageDepth limits the nesting of messages.
const maxMessageDepth = 4

// ErrorText returns a provider's own words about a refusal in one line; "" if the body has none.
// The errors may be a text, a list, or an object by field. The result may repeat parts of the
// request: it must pass [Redact] before it is shown.
func ErrorText(body []byte) string {
	var object map[string]any
	if err := json.Unmarshal(TrimBOM(body), &object); err != nil {
		return ""
	}
	var texts []string
	for _, name := range messageFields {
		value := object[name]
		if nested, ok := value.(map[string]any); ok && name == "data" {
			if nested["errors"] == nil {
				continue
			}
			value = nested["errors"]
		} else if name == "data" {
			continue
		}
		texts = appendMessages(texts, value, maxMessageDepth)
	}
	return strings.Join(slices.Compact(texts), " ")
}

// appendMessages appends the texts in value. The texts of an object are preceded by its field's
// name.
func appendMessages(texts []string, value any, depth int) []string {
	switch v := value.(type) {
	case string:
		if text := strings.TrimSpace(v); text != "" {
			texts = append(texts, text)
		}
	case []any:
		for _, item := range v {
			if depth > 0 {
				texts = appendMessages(texts, item, depth-1)
			}
		}
	case map[string]any:
		for _, field := range slices.Sorted(maps.Keys(v)) {
			if depth == 0 {
				break
			}
			if inner := appendMessages(nil, v[field], depth-1); len(inner) > 0 {
				texts = append(texts, field+": "+strings.Join(inner, " "))
			}
		}
	}
	return texts
}

// Refusal returns an error that wraps kind, with the status and the provider's own words.
func Refusal(kind error, status int, settings plugin.Settings, body []byte) error {
	return &plugin.Refusal{Kind: kind, Status: status, Words: Redact(settings, ErrorText(body))}
}
