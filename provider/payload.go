package provider

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"strings"
	"time"

	"storefront/shop/money"
)

// Payload is a flat JSON object from a provider, parsed tolerantly. Names are in lower case,
// strings are trimmed, and numbers and booleans are strings. Nulls, objects and arrays are omitted.
type Payload map[string]string

// ErrNotObject means that a body is not a single JSON object.
var ErrNotObject = errors.New("the body is not a JSON object")

// TrimBOM returns body without the byte order mark that some providers put before their JSON.
func TrimBOM(body []byte) []byte { return bytes.TrimPrefix(body, []byte("\xEF\xBB\xBF")) }

// ReadPayload parses body. The only error is [ErrNotObject].
func ReadPayload(body []byte) (Payload, error) {
	dec := json.NewDecoder(bytes.NewReader(TrimBOM(body)))
	dec.UseNumber()
	var object map[string]any
	if err := dec.Decode(&object); err != nil || object == nil {
		return nil, ErrNotObject
	}
	if _, err := dec.Token(); !errors.Is(err, io.EOF) {
		return nil, ErrNotObject
	}
	p := make(Payload, len(object))
	for name, value := range object {
		switch v := value.(type) {
		case string:
			p[strings.ToLower(name)] = strings.TrimSpace(v)
		case json.Number:
			p[strings.ToLower(name)] = v.String()
		case bool:
			p[strings.ToLower(name)] = map[bool]string{true: "true", false: "false"}[v]
		}
	}
	return p, nil
}

// ID returns an identifier without the ".0" that some providers append.
func (p Payload) ID(name string) string { return strings.TrimSuffix(p[name], ".0") }

// Slug returns the named value, normalized by the function [Slug].
func (p Payload) Slug(name, sep string) string { return Slug(p[name], sep) }

// Slug returns text for comparison: in lower case, with sep in place of each run of spaces,
// underscores and hyphens.
func Slug(text, sep string) string {
	parts := strings.FieldsFunc(strings.ToLower(text), func(r rune) bool { return r == ' ' || r == '_' || r == '-' })
	return strings.Join(parts, sep)
}

// timeLayouts are the time formats of providers.
var timeLayouts = []string{
	time.RFC3339Nano, "2006-01-02 15:04:05Z07:00", "2006-01-02 15:04:05.999999999", "2006-01-02T15:04:05.999999999", "2006-01-02 15:04",
}

// Time returns the first of the named values that is a time, in UTC, or the zero time if there is
// none. A time without an offset is in zone.
func (p Payload) Time(zone *time.Location, names ...string) time.Time {
	for _, name := range names {
		for _, layout := range timeLayouts {
			if t, err := time.ParseInLocation(layout, p[name], zone); err == nil {
				return t.UTC()
			}
		}
	}
	return time.Time{}
}

// Amount converts the named amount from major to minor units. It returns nil if the value is
// missing or not an amount; see [ParseAmount].
func (p Payload) Amount(name string, currency money.Currency) *int64 {
	if n, ok := ParseAmount(p[name], currency); ok {
		return &n
	}
	return nil
}

// maxAmountText limits the length of an amount, in bytes.
const maxAmountText = 40

// ParseAmount converts a provider's amount from major to minor units. Providers compute with binary
// fractions, so more decimals than the currency has (82.30000000000001) are rounded. ok is false if
// text is not a decimal number from 0 to [money.MaxAmount].
func ParseAmount(text string, currency money.Currency) (amount int64, ok bool) {
	text = strings.ReplaceAll(strings.TrimSpace(text), ",", "")
	whole, fraction, _ := strings.Cut(text, ".")
	if whole == "" || len(text) > maxAmountText || strings.Trim(whole+fraction, "0123456789") != "" {
		return 0, false
	}
	up := int64(0)
	if len(fraction) > currency.Digits {
		if fraction[currency.Digits] >= '5' {
			up = 1
		}
		text = whole + "." + fraction[:currency.Digits]
	}
	amount, ok = currency.Parse(text)
	if !ok || !money.IsAmount(amount+up) {
		return 0, false
	}
	return amount + up, true
}

// Text is a string in a provider's JSON that may also be sent as a number.
type Text string

// UnmarshalJSON stores a string trimmed, null as "" and any other value as written.
func (t *Text) UnmarshalJSON(raw []byte) error {
	*t = Text(strings.Trim(string(raw), `"`))
	if len(raw) > 0 && raw[0] == '"' {
		var text string
		if err := json.Unmarshal(raw, &text); err != nil {
			return err
		}
		*t = Text(strings.TrimSpace(text))
	} else if string(raw) == "null" {
		*t = ""
	}
	return nil
}
