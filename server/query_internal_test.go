package server

import (
	"testing"

	"github.com/danielgtaylor/huma/v2"
)

// A query in canonical form stays as it is: cached responses are found under that form before a
// query is parsed.
func FuzzCanonicalQuery(f *testing.F) {
	known := []*huma.Param{
		{Name: "limit", In: "query", Schema: &huma.Schema{Type: huma.TypeInteger}},
		{Name: "page", In: "query", Schema: &huma.Schema{Type: huma.TypeInteger}},
		{Name: "search", In: "query", Schema: &huma.Schema{Type: huma.TypeString}},
		{Name: "tags[]", In: "query", Schema: &huma.Schema{Type: huma.TypeArray}},
		{Name: "x-tenant", In: "header", Schema: &huma.Schema{Type: huma.TypeString}},
	}
	for _, query := range []string{
		"", "limit=20", "limit=20&page=2", "page=2&limit=20", "limit=20&", "&limit=20", "limit=20&&page=2", "limit=", "limit", "=", "limit=1&limit=2",
		"limit==2", "search=red+lamp", "search=a%20b", "search=%E0", "tags=red", "tags[]=red", "tags%5B%5D=red", "tags%5B%5D=red&tags%5B%5D=blue",
		"x-tenant=acme", "unknown=1", "limit=20&unknown=1", "search=a;b", "search=~.-_", "search=ঘড়ি",
	} {
		f.Add(query)
	}
	f.Fuzz(func(t *testing.T, raw string) {
		once, err := canonicalQuery(raw, known)
		if err != nil {
			return
		}
		if twice, err := canonicalQuery(once, known); twice != once || err != nil {
			t.Errorf("%q: got %q, and from that %q, %v", raw, once, twice, err)
		}
	})
}

func TestCanonicalQuery(t *testing.T) {
	t.Parallel()
	known := []*huma.Param{
		{Name: "limit", In: "query", Schema: &huma.Schema{Type: huma.TypeInteger}},
		{Name: "search", In: "query", Schema: &huma.Schema{Type: huma.TypeString}},
		{Name: "tags[]", In: "query", Schema: &huma.Schema{Type: huma.TypeArray}},
	}
	for raw, want := range map[string]string{
		"":                              "",
		"limit=20&search=red+lamp":      "limit=20&search=red+lamp",
		"search=red%20lamp&limit=20":    "limit=20&search=red+lamp",
		"limit=20&utm_source=mail&":     "limit=20",
		"limit=":                        "",
		"tags=red&tags[0]=blue":         "tags%5B%5D=blue&tags%5B%5D=red",
		"tags[]=red&tags%5B%5D=red":     "tags%5B%5D=red",
		"search=%E0%A6%98&search[]=red": "search=%E0%A6%98",
	} {
		if got, err := canonicalQuery(raw, known); got != want || err != nil {
			t.Errorf("%q: got %q, %v, want %q", raw, got, err, want)
		}
	}
}
