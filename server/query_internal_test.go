package server

import (
	"errors"
	"strings"
	"testing"

	"github.com/danielgtaylor/huma/v2"

	"storefront/shop/fault"
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
		"tags=a,b", "tags=,", "tag=a", "limits=1",
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
		"tags=red,blue":                 "tags%5B%5D=blue&tags%5B%5D=red",
		"tags[]=red%2C+blue%2C&tags=,":  "tags%5B%5D=blue&tags%5B%5D=red",
		"search=red,blue":               "search=red%2Cblue",
		"_=1&t=2&ts=3&utm_source=a":     "",
		"tag=a&tags=b":                  "tags%5B%5D=b",
	} {
		if got, err := canonicalQuery(raw, known); got != want || err != nil {
			t.Errorf("%q: got %q, %v, want %q", raw, got, err, want)
		}
	}
}

func TestCanonicalQuery_Misspelt(t *testing.T) {
	t.Parallel()
	known := []*huma.Param{
		{Name: "limit", In: "query", Schema: &huma.Schema{Type: huma.TypeInteger}},
		{Name: "page", In: "query", Schema: &huma.Schema{Type: huma.TypeInteger}},
		{Name: "sortBy", In: "query", Schema: &huma.Schema{Type: huma.TypeString}},
		{Name: "minPrice", In: "query", Schema: &huma.Schema{Type: huma.TypeInteger}},
		{Name: "tags[]", In: "query", Schema: &huma.Schema{Type: huma.TypeArray}},
		{Name: "collectionIds[]", In: "query", Schema: &huma.Schema{Type: huma.TypeArray}},
	}
	for raw, want := range map[string]string{
		"colectionIds[]=a": "collectionIds[]", "collectionId=a": "collectionIds[]", "collection_ids[0]=a": "collectionIds[]",
		"Limit=1": "limit", "limits=1": "limit", "pag=1": "page", "tag=a": "tags[]", "TAGS[]=a": "tags[]",
		"min_price=1": "minPrice", "minprice=1": "minPrice", "sort=a": "sortBy", "sort-by=a": "sortBy",
	} {
		_, err := canonicalQuery(raw, known)
		e, ok := errors.AsType[*fault.Error](err)
		name, _, _ := strings.Cut(raw, "=")
		if !ok || len(e.Fields) != 1 || e.Fields[0].Field != name || e.Fields[0].Code != fault.CodeUnknownField ||
			e.Fields[0].Message != "Unknown parameter. Did you mean "+want+"?" {
			t.Errorf("%q: got %v, want an unknown parameter like %s", raw, err, want)
		}
	}
	for _, raw := range []string{
		"_=1", "t=1", "ts=1", "v=2", "foo=1", "cacheBuster=1", "utm_source=a&gclid=b&fbclid=c", "lang=bn", "q=a", "limit=1&limits=2",
	} {
		if _, err := canonicalQuery(raw, known); err != nil {
			t.Errorf("%q: got %v, want it ignored", raw, err)
		}
	}
}
