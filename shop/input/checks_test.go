package input_test

import (
	"strings"
	"testing"

	"storefront/shop/fault"
	"storefront/shop/input"
)

// A text far beyond its limit is rejected by its length alone, before it is normalized: these texts
// would be short enough afterwards.
func TestCheck_FarTooLong(t *testing.T) {
	t.Parallel()
	const limit = 100 // that of names too
	padded := func(spaces int) string { return "Rahim" + strings.Repeat(" ", spaces) + "Uddin" }
	for name, check := range map[string]func(*fault.Invalid, string) string{
		"line": func(bad *fault.Invalid, text string) string { return input.CheckLine(bad, "line", text, limit) },
		"note": func(bad *fault.Invalid, text string) string {
			return input.CheckNote(bad, "note", strings.ReplaceAll(text, "Uddin", ""), limit)
		},
		"name": func(bad *fault.Invalid, text string) string { return input.CheckName(bad, "name", text) },
	} {
		var bad fault.Invalid
		if check(&bad, padded(10*limit)); bad.Err() != nil {
			t.Errorf("%s of 1,000 characters, short when normalized: got %v, want no error", name, bad.Err())
		}
		if check(&bad, padded(50*limit)); bad.Err() == nil {
			t.Errorf("%s of 5,000 characters: got no error, want one", name)
		}
	}
	email := "rahim@example.com"
	if got, ok := input.ParseEmail(email + strings.Repeat(" ", 100)); !ok || got != email {
		t.Errorf("e-mail address with 100 spaces: got %q, %t, want %q", got, ok, email)
	}
	if got, ok := input.ParseEmail(email + strings.Repeat(" ", 50_000)); ok {
		t.Errorf("e-mail address with 50,000 spaces: got %q, want an error", got)
	}
}
