package server

import (
	"net/http"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"testing"
	"unicode/utf8"

	"github.com/danielgtaylor/huma/v2"
)

// However a query is written, known parameters result under their own name, valid and not empty.
func FuzzNormalizeQuery(f *testing.F) {
	for _, seed := range []string{"page=1", "tags[]=a&tags=b&tags[0]=c&tags[x]=d", "page=1&page=2", "page=%ff", "tags%5B%5D=", "_=1", "[=1&]=2"} {
		f.Add(seed)
	}
	known := []*huma.Param{
		{In: "query", Name: "page", Schema: &huma.Schema{Type: huma.TypeInteger}},
		{In: "query", Name: "tags[]", Schema: &huma.Schema{Type: huma.TypeArray}},
		{In: "path", Name: "id", Schema: &huma.Schema{Type: huma.TypeString}},
	}
	f.Fuzz(func(t *testing.T, raw string) {
		query, err := url.ParseQuery(raw)
		if err != nil || normalizeQuery(query, known) != nil {
			return
		}
		for name, values := range query {
			if name != "page" && name != "tags[]" || name == "page" && len(values) > 1 {
				t.Errorf("%q: got %s = %q", raw, name, values)
			}
			for _, v := range values {
				if v == "" || !utf8.ValidString(v) {
					t.Errorf("%q: got %s = %q", raw, name, v)
				}
			}
		}
	})
}

// Headers can have any value: none may stop the server or become an address unless it is one.
func FuzzCallerOf(f *testing.F) {
	f.Add("Bearer a", "203.0.113.1, [2001:db8::1]:5")
	f.Add("Bearer", ",,,")
	trusted := []netip.Prefix{netip.MustParsePrefix("0.0.0.0/0"), netip.MustParsePrefix("::/0")}
	f.Fuzz(func(t *testing.T, authorization, forwarded string) {
		r := httptest.NewRequest(http.MethodGet, "/", nil)
		r.Header = http.Header{"Authorization": {authorization}, "X-Forwarded-For": {forwarded}}
		caller := callerOf(r, trusted)
		if caller.BadAuthorization && caller.Bearer != "" || caller.Operator {
			t.Errorf("%q: got %+v", authorization, caller)
		}
		if _, err := netip.ParseAddr(caller.Client); err != nil {
			if p, err := netip.ParsePrefix(caller.Client); err != nil || p.Bits() != 64 {
				t.Errorf("%q: got address %q", forwarded, caller.Client)
			}
		}
	})
}
