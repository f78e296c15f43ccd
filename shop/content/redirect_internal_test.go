package content

import (
	"net/url"
	"strings"
	"testing"

	"storefront/shop/fault"
)

// A redirect that is accepted is found by its own address, stays as it is when it is saved again,
// and leads to a path of the site or to a web address.
func FuzzRedirect(f *testing.F) {
	for _, r := range []Redirect{
		{"/product-page/tea/", "/products/tea"}, {"https://shop.example/a?b=1&a=2#c", "https://blog.example/পুরনো"},
		{"/a%2Fb", "/%2e%2e/"}, {"//a", "//b"}, {"/a/?", "/a"}, {"/a", `/\b`}, {"/a b?c d", "/ "}, {"a:/b", "javascript:1"},
		{"/a", "https://SHOP.example.//b?c#d"}, {"/a", "/a?b"}, {"/a/../b//", "/./b"},
	} {
		f.Add(r.From, r.To)
	}
	f.Fuzz(func(t *testing.T, from, to string) {
		var bad fault.Invalid
		domains := []string{"shop.example"}
		saved := Redirect{from, to}.check("", domains, &bad)
		if len(bad) > 0 {
			return
		}
		if again := saved.check("", domains, &bad); len(bad) > 0 || again != saved {
			t.Errorf("%q: saved again: got %q, %v", saved, again, bad)
		}
		at, err := url.Parse(strings.TrimSpace(from))
		if err != nil || sourceOf(at) != saved.From {
			t.Errorf("%q: got %v, %v, want %s", from, at, err, saved.From)
		}
		target, err := url.Parse(saved.To)
		if err != nil || target.Host == "" && (!strings.HasPrefix(saved.To, "/") || strings.HasPrefix(saved.To, "//")) ||
			target.Host != "" && target.Scheme != "http" && target.Scheme != "https" || strings.ContainsAny(saved.To, "\r\n\\") {
			t.Errorf("%q: got the target %q", to, saved.To)
		}
	})
}
