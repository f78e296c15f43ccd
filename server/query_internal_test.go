package server

import (
	"testing"

	"github.com/danielgtaylor/huma/v2"
)

// What is taken for canonical at a glance is what parsing would make of it.
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
		if !isCanonical(raw, known) {
			return
		}
		if got, err := parseQuery(raw, known); got != raw || err != nil {
			t.Errorf("%q is %q, %v", raw, got, err)
		}
	})
}

func TestIsCanonical(t *testing.T) {
	t.Parallel()
	known := []*huma.Param{{Name: "limit", In: "query"}, {Name: "page", In: "query"}}
	for _, query := range []string{"", "limit=20", "limit=20&page=2"} {
		if !isCanonical(query, known) {
			t.Errorf("%q goes the long way", query)
		}
	}
}
