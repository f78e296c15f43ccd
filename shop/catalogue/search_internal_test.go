package catalogue

import (
	"fmt"
	"strings"
	"testing"
)

func TestSearchWords(t *testing.T) {
	t.Parallel()
	numbered := make([]string, 20)
	for i := range numbered {
		numbered[i] = fmt.Sprintf("word%c", 'a'+i)
	}
	for _, test := range []struct{ query, want string }{
		{"shirt", `"shirt"*`},
		{"shirt Shirt SHIRT!", `"shirt"*`},
		{"sh shi shirt sh", `"shirt"*`},
		{"shirt shoe", `"shirt"* AND "shoe"*`},
		{"café cafe", `"café"*`},
		{"a a b", `"a" AND "b"`},
		{"a apple", `"a" AND "apple"*`}, // not implied: the word a itself
		{"t-shirt t-", `(("t-shirt"*) OR ("tshirt"*)) AND "t"`},
		{"t-s", `(("t-s") OR ("ts"))`},
		{"t-.", `"t"`},
		{"5 55", `"5" AND ("55" OR - {description} : "55"*)`},
		{"55 lamp", `"55" AND "lamp"*`}, // two letters are a beginning only at the end
		{"é b\u0304", "\"é\" AND \"b\u0304\""},
		{"ক", `"ক"`},
		{"কা", `("কা" OR - {description} : "কা"*)`},
		{"茶", `"茶"*`},
		{`"`, ""},
		{strings.Join(numbered, " "), `"` + strings.Join(numbered[:16], `"* AND "`) + `"*`},
	} {
		e := newSearchExpression(searchWords(test.query), nil)
		if got := sqliteSearch.expression(e, searchView{}); got != test.want {
			t.Errorf("%q: got %s, want %s", test.query, got, test.want)
		}
	}
}

func TestProductFilter_Work(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		limit  int
		search string
		want   int
	}{
		{20, "", 1}, {1, "", 1}, {21, "", 2}, {100, "", 5}, {-1, "", 20}, {1000, "", 5}, {20, "lamp", 6}, {20, "lamp lamp", 6},
		{20, "red lamp", 7}, {-1, "lamp", 25}, {20, "!", 1},
	} {
		f := ProductFilter{Search: test.search}
		f.Limit = &test.limit
		if got := f.Work(); got != test.want {
			t.Errorf("limit %d, search %q: got %d, want %d", test.limit, test.search, got, test.want)
		}
	}
}
