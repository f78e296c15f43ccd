package site

import (
	"slices"
	"strings"
	"testing"

	"storefront/shop/locale"
)

// Anyone can write the cookie of a cart: each has at most 50 different variants in quantities that
// can be ordered, and is stored in a form that reads the same.
func FuzzParseCart(f *testing.F) {
	for _, seed := range []string{
		"", "A~1~100", "A~1~100.B~99~0", "A~0~1.B~100~1.C~-1~1.D~1~-1", "A~1~1.A~2~2", "~1~1", "A~1", "A~1~1~1", "..~~", "<script>~1~1",
		"A~১~1", strings.Repeat("A~1~1.", 60), "A~1~99999999999999999999", strings.Repeat("x", 65) + "~1~1",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, cookie string) {
		lines := parseCart(cookie)
		if len(lines) > maxLines {
			t.Fatalf("got %d lines, want at most %d", len(lines), maxLines)
		}
		seen := map[string]bool{}
		for _, l := range lines {
			if seen[l.variant] || !isID(l.variant) || l.quantity < 1 || l.quantity > maxUnits || l.price < 0 {
				t.Errorf("got %+v", l)
			}
			seen[l.variant] = true
		}
		stored := formatCart(lines)
		if strings.ContainsAny(stored, " \",;\\") {
			t.Errorf("no cookie can have %q", stored)
		}
		if again := parseCart(stored); !slices.Equal(again, lines) {
			t.Errorf("got %+v, want %+v", again, lines)
		}
	})
}

// A query is stored with a page: it has only the parameters that the page knows, in bounds, and
// equal queries are equal texts.
func FuzzPageQuery(f *testing.F) {
	for _, seed := range []string{
		"", "page=2&sort=price", "option=Colour:Red&option=Colour:Blue", "fbclid=x&page=1", "%zz", "tag=%ff&q=%00", "page=1&page=2",
		"q=" + strings.Repeat("x", 600),
	} {
		f.Add(seed)
	}
	page := (&Site{}).Find([]locale.Language{locale.English}, "GET", "/collections/all")
	f.Fuzz(func(t *testing.T, raw string) {
		query := page.Query(raw)
		for name, values := range query {
			several := slices.Contains(facetParameters, name) && len(values) <= maxValues
			if !slices.Contains(listParameters, name) || len(values) != 1 && !several {
				t.Errorf("%q: got %s=%q", raw, name, values)
			}
			if slices.ContainsFunc(values, func(v string) bool { return v == "" || len(v) > maxParameter || !isText(v) }) {
				t.Errorf("%q: got %s=%q", raw, name, values)
			}
		}
		if again := page.Query(query.Encode()); again.Encode() != query.Encode() {
			t.Errorf("got %q, want %q", again.Encode(), query.Encode())
		}
	})
}
