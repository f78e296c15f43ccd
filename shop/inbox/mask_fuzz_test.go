package inbox_test

import (
	"encoding/json"
	"net/url"
	"strings"
	"testing"
	"unicode/utf8"

	"storefront/shop/inbox"
)

// A value is shown to staff only in the fields that identify the event, wherever it is in the body.
func FuzzMaskBody(f *testing.F) {
	const value = "qzBuyerqz"
	for _, around := range [][2]string{
		{`{"recipient_name":"`, `"}`}, {`{"status":["`, `"]}`}, {`{"status":{"name":"`, `"}}`}, {`[{"a":null},"`, `"]`}, {`"`, `" 1`},
		{`{"status":"\u00e9`, `","status":"x"}`}, {"cus_name=", "&status=VALID"}, {"status=VALID;cus_name=", "%zz"},
		{"\xff\x00", "\x1b[31m"}, {"<xml>", "</xml>"},
	} {
		for _, kind := range []string{"application/json", "application/x-www-form-urlencoded; charset=utf-8", "text/plain", ""} {
			f.Add(kind, around[0], around[1])
		}
	}
	f.Fuzz(func(t *testing.T, contentType, before, after string) {
		body := before + value + after
		got := inbox.MaskBody(contentType, body)
		if !utf8.ValidString(got) || strings.Contains(got, "\x00") {
			t.Errorf("%q: got %q, want UTF-8 without NUL", body, got)
		}
		if strings.Contains(got, value) && !mayShow(body, value) {
			t.Errorf("%s, %q: got %q, want the value masked", contentType, body, got)
		}
	})
}

// mayShow reports whether a value is in the name of a field, or in a field that is shown, if the
// body is a form or JSON.
func mayShow(body, value string) bool {
	if form, err := url.ParseQuery(body); err == nil {
		for name, values := range form {
			if strings.Contains(name, value) || inbox.IsShownField(name) && strings.Contains(strings.Join(values, " "), value) {
				return true
			}
		}
	}
	var tree any
	return json.Unmarshal([]byte(body), &tree) == nil && mayShowValue("", tree, value)
}

func mayShowValue(name string, tree any, value string) bool {
	switch v := tree.(type) {
	case map[string]any:
		for field, inner := range v {
			if strings.Contains(field, value) || mayShowValue(field, inner, value) {
				return true
			}
		}
	case []any:
		for _, inner := range v {
			if mayShowValue(name, inner, value) {
				return true
			}
		}
	case string:
		return inbox.IsShownField(name) && strings.Contains(v, value)
	}
	return false
}
