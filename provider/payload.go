package provider

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"strings"
	"time"

	"storefront/shop"
)

// Payload is a JSON object of a provider, read forgivingly: names in any case, numbers as texts and
// texts as numbers, null as nothing. Its values are texts; objects and lists in it are left out.
type Payload map[string]string

// ErrNotObject means that a body is no JSON object.
var ErrNotObject = errors.New("the body is no JSON object")

// ReadPayload reads a body.
func ReadPayload(body []byte) (Payload, error) {
	dec := json.NewDecoder(bytes.NewReader(body))
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

// ID gives an identifier, which some send as a number with decimals.
func (p Payload) ID(name string) string { return strings.TrimSuffix(p[name], ".0") }

// Slug gives a value as a word to compare: lower case, with sep between its parts.
func (p Payload) Slug(name, sep string) string { return Slug(p[name], sep) }

// Slug gives text as a word to compare: lower case, with sep in place of spaces, underscores and
// hyphens.
func Slug(text, sep string) string {
	parts := strings.FieldsFunc(strings.ToLower(text), func(r rune) bool { return r == ' ' || r == '_' || r == '-' })
	return strings.Join(parts, sep)
}

// timeLayouts are how providers write times; those without a zone are read in the given one.
var timeLayouts = []string{
	time.RFC3339Nano, "2006-01-02 15:04:05Z07:00", "2006-01-02 15:04:05.999999999", "2006-01-02T15:04:05.999999999", "2006-01-02 15:04",
}

// Time reads the first of the named values that is a time, zone being where a time without one was
// written. It is zero where none is.
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

// Amount reads an amount in major units into minor ones; nil where there is none or it is no amount
// of that currency.
func (p Payload) Amount(name string, money shop.Currency) *int64 {
	if n, ok := money.Parse(p[name]); ok {
		return &n
	}
	return nil
}

// Text is a text of a provider's answer that may come as a number.
type Text string

// UnmarshalJSON takes texts, numbers and null.
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
