package server_test

import (
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"storefront/shop/access"
	"storefront/shop/catalogue"
	"storefront/shop/content"
	"storefront/shop/fault"
	"storefront/shop/page"
)

// Visitors of an earlier site's addresses are sent to the present ones, unless a page is there. An
// earlier handle of a product leads to the present one.
func TestSite_Redirects(t *testing.T) {
	t.Parallel()
	s := newPageSite(t, nil)
	b := s.browser()
	file := "Redirect from,Redirect to\n" +
		"https://shop.example/product-page/tea/,/products/tea\n" +
		"/index.php?route=product&id=7,/products/saree?variant=1\n" +
		"/collections/women,/collections/all\n" +
		"/bn/পুরনো,https://blog.example/পুরনো\n"
	counts, err := s.shop.Content.ImportRedirects(t.Context(), access.Operator(), strings.NewReader(file), true)
	if err != nil || *counts != (content.RedirectImport{DryRun: true, Created: 4}) {
		t.Fatalf("dry run: got %v, %v", counts, err)
	}
	b.get(t, shopHost+"/product-page/tea").has(http.StatusNotFound)
	for _, want := range []content.RedirectImport{{Created: 4}, {Unchanged: 4}} {
		counts, err = s.shop.Content.ImportRedirects(t.Context(), access.Operator(), strings.NewReader(file), false)
		if err != nil || *counts != want {
			t.Fatalf("got %v, %v, want %v", counts, err, want)
		}
	}
	title := new("Green tea")
	change := catalogue.ProductChange{Handle: new("green-tea"), Title: title}
	if _, err := s.shop.Catalogue.UpdateProduct(t.Context(), access.Operator(), s.tea.ID, change); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		path, location string
		status         int
	}{
		{"/product-page/tea", "/products/tea", 301},
		{"/product-page/tea/?utm_source=fb", "/products/tea", 301},
		{"/index.php?id=7&route=product", "/products/saree?variant=1", 301},
		{"/index.php?id=8", "", 404}, {"/%00", "", 404}, {"/%ff", "", 404}, {"/product-page%2Ftea", "/products/tea", 301},
		{"/bn/%E0%A6%AA%E0%A7%81%E0%A6%B0%E0%A6%A8%E0%A7%8B", "https://blog.example/%E0%A6%AA%E0%A7%81%E0%A6%B0%E0%A6%A8%E0%A7%8B", 301},
		{"/products/tea?variant=1", "/products/green-tea?variant=1", 301},
		{"/bn/products/TEA", "/bn/products/green-tea", 301},
		{"/products/green-tea", "", 200}, {"/collections/women", "", 200},
	} {
		got := b.get(t, shopHost+tt.path)
		if got.status != tt.status || got.location != tt.location {
			t.Errorf("%s: got %d to %q, want %d to %q", tt.path, got.status, got.location, tt.status, tt.location)
		}
		if caching := got.header.Get("Cache-Control"); tt.status == 301 && caching != "public, max-age=3600" {
			t.Errorf("%s: got Cache-Control %q, want an hour", tt.path, caching)
		}
	}
	// A circle at a host that only the server knows ends at once.
	for _, r := range []content.Redirect{{From: "/y", To: "http://shop.example/x"}, {From: "/x", To: "http://test.shops.example/y"}} {
		saved, err := s.shop.Content.SaveRedirect(t.Context(), access.Operator(), r)
		if err != nil || r.From == "/y" && saved.To != "/x" {
			t.Errorf("%v: got %v, %v", r, saved, err)
		}
	}
	b.get(t, shopHost+"/x").has(http.StatusNotFound)
	b.get(t, otherHost+"/product-page/tea").has(http.StatusNotFound)
	if err := s.shop.Content.DeleteRedirect(t.Context(), access.Operator(), "/product-page/tea/"); err != nil {
		t.Fatal(err)
	}
	b.get(t, shopHost+"/product-page/tea").has(http.StatusNotFound)
	list, err := s.shop.Content.ListRedirects(t.Context(), access.Operator(), content.RedirectFilter{Search: "/index"})
	if err != nil || list.Meta.TotalCount != 1 || list.Nodes[0].From != "/index.php?id=7&route=product" {
		t.Errorf("got %+v, %v, want the redirect of /index.php", list, err)
	}
}

// A redirect that leads nowhere, in a circle or to a script is refused, and a file with one is not
// imported at all.
func TestSite_InvalidRedirects(t *testing.T) {
	t.Parallel()
	s := newPageSite(t, nil)
	save := func(from, to string) error {
		_, err := s.shop.Content.SaveRedirect(t.Context(), access.Operator(), content.Redirect{From: from, To: to})
		return err
	}
	if err := save("/a", "/b"); err != nil {
		t.Fatal(err)
	}
	for _, r := range [][2]string{
		{"", "/b"}, {"a", "/b"}, {"/", "/b"}, {"https://old.example", "/b"}, {"/c", ""}, {"/c", "c"}, {"/c", "//evil.example"},
		{"/c", "javascript:alert(1)"}, {"/c", `/\evil.example`}, {"/c", "https://user@evil.example/"}, {"/c", "/c/?"},
		{"/b", "/a"}, {"/c", "/a#top"}, {"/c", "/c?x=1"}, {"/c", "/a?x=1"}, {"/c", "/d/../c"}, {"/c/d", "/c//d"}, {"/c/..", "/d"},
		{"/c", "https://shop.example/c"}, {"/c", "http://OLD.example./a?x=1"}, {"/b", "https://old.example/a"}, {"/c\x00", "/b"}, {"/c%00", "/b"},
		{"/c%ff", "/b"}, {"https://old.example//c", "/b"}, {"/" + strings.Repeat("c", 2000), "/b"}, {"/c\nSet-Cookie: a", "/b"},
	} {
		if err := save(r[0], r[1]); !fault.HasCode(err, fault.CodeValidationFailed) {
			t.Errorf("%q to %q: got %v, want %s", r[0], r[1], err, fault.CodeValidationFailed)
		}
	}
	for file, field := range map[string]string{
		"":                             "line[1]",
		"a,b\n":                        "line[1]",
		"from,to\n/c,/d\n/d,/e\n":      "line[2].to",
		"from,to\n/c,/d\n/c/,/e\n":     "line[3].from",
		"from;to\n/c;/d\n\"/e;/f\n":    "line[3]",
		"to,from\n/d,/c\n/e\n":         "line[3]",
		"\xff\xfef\x00r\x00o\x00m\x00": "line[1]",
	} {
		_, err := s.shop.Content.ImportRedirects(t.Context(), access.Operator(), strings.NewReader(file), false)
		f, ok := errors.AsType[*fault.Error](err)
		if !ok || len(f.Fields) == 0 || f.Fields[0].Field != field {
			t.Errorf("%q: got %v, want a problem of %s", file, err, field)
		}
	}
	list, err := s.shop.Content.ListRedirects(t.Context(), access.Operator(), content.RedirectFilter{Request: page.Request{Limit: new(-1)}})
	if err != nil || len(list.Nodes) != 1 {
		t.Errorf("got %v, %v, want the one valid redirect", list, err)
	}
}

// Staff save, list, import and delete redirects through the Admin API, up to the maximum.
func TestAdmin_Redirects(t *testing.T) {
	t.Parallel()
	s := newAuditShop(t)
	if got := s.must("PUT", "redirects", `{"from":"/old/","to":"/products/mug"}`); got["from"] != "/old" {
		t.Errorf("got %v, want the address as it is stored", got)
	}
	wantProblem(t, s.as("PUT", "redirects", `{"from":"/mug","to":"/old"}`, "Cookie", s.owner), 422, fault.CodeValidationFailed)
	wantProblem(t, s.as("DELETE", "redirects?from=/gone", "", "Cookie", s.owner), 404, fault.CodeNotFound)
	many := "from,to\n"
	for i := range content.MaxRedirects - 1 {
		many += fmt.Sprintf("/old/%d,/products/mug\n", i)
	}
	if got := s.must("POST", "imports/redirects", many); got["created"] != float64(content.MaxRedirects-1) {
		t.Errorf("got %v, want all created", got)
	}
	wantProblem(t, s.as("PUT", "redirects", `{"from":"/older","to":"/products/mug"}`, "Cookie", s.owner), 409, fault.CodeStateConflict)
	wantProblem(t, s.as("POST", "imports/redirects", "from,to\n/older,/products/mug\n", "Cookie", s.owner), 409, fault.CodeStateConflict)
	s.must("DELETE", "redirects?from=/old", "")
	list := s.must("GET", "redirects?search=/old/999&limit=2", "")
	if nodes := list["nodes"].([]any); len(nodes) != 2 || nodes[0].(map[string]any)["from"] != "/old/999" {
		t.Errorf("got %v, want two of the addresses that begin so", list)
	}
}
