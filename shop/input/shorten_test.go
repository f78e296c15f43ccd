package input_test

import (
	"testing"

	"storefront/shop/input"
)

func TestShorten(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		text  string
		limit int
		want  string
	}{
		{"House 12", 8, "House 12"},
		{"House 12, Road 5", 10, "House 12…"},
		{"House 12, Road 5", 9, "House 12…"},
		{"House 12, Road 5", 8, "House…"},
		{"Mohakhali", 5, "Moha…"},
		{"নীলনীল", 5, "নীল…"},   // not within নী
		{"কাঠ নীল", 6, "কাঠ…"},  // after a word
		{"ক্\u200dষেত", 3, "…"}, // not before a joiner
		{"House", 0, ""},
	} {
		if got := input.Shorten(test.text, test.limit); got != test.want {
			t.Errorf("Shorten(%q, %d): got %q, want %q", test.text, test.limit, got, test.want)
		}
	}
}
