package e2e

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"
)

// The images of products that are not published, and removed images, are for staff.
func TestMedia_Withheld(t *testing.T) {
	t.Parallel()
	data := newShop(t, "acme", 1)
	wantWithheld(t, serve(t, "--data", data), data)
}

// wantWithheld requests an image of the shop acme after each step of its life, with both files.
func wantWithheld(t *testing.T, p *process, data string) {
	t.Helper()
	key := mediaKey(t, data, "acme")
	const shop = "/admin/v1/shops/acme/"
	call := func(method, path string, body any) {
		t.Helper()
		header := map[string]string{"Content-Type": "application/json"}
		if a := p.must(request{method: method, path: shop + path, token: key, body: body, header: header}); a.status >= 300 {
			t.Fatalf("%s %s: got %d %s", method, path, a.status, a.body)
		}
	}
	var image uploaded
	send := func() {
		t.Helper()
		a := p.must(upload("acme", key, photo(t, 400, 300, 1)))
		if err := json.Unmarshal(a.body, &image); err != nil || a.status >= 300 {
			t.Fatalf("got %d %s, want an image", a.status, a.body)
		}
	}
	const listed, unlisted = "public, max-age=31536000, s-maxage=86400, immutable", "private, max-age=31536000, immutable"
	want := func(when, caching string) {
		t.Helper()
		for _, one := range image.Renditions {
			path := one.URL[strings.Index(one.URL, "/media/"):]
			for _, method := range []string{"GET", "HEAD"} {
				a := p.must(request{method: method, path: path})
				got := a.header.Get("Cache-Control")
				if caching == "" && (a.status != http.StatusNotFound || got != "no-store") {
					t.Errorf("%s: %s %s: got %d, %q, want 404 that is not stored", when, method, path, a.status, got)
				}
				if caching != "" && (a.status != http.StatusOK || got != caching) {
					t.Errorf("%s: %s %s: got %d, %q, want 200, %q", when, method, path, a.status, got, caching)
				}
			}
			etag := `"` + image.ID + path[strings.LastIndex(path, "/"):] + `"`
			etag = strings.Replace(etag, "/", "-", 1)
			a := p.must(request{method: "GET", path: path, header: map[string]string{"If-None-Match": etag, "Range": "bytes=0-1"}})
			if caching == "" && a.status != http.StatusNotFound || caching != "" && a.status != http.StatusNotModified {
				t.Errorf("%s: %s: got %d for a known ETag", when, path, a.status)
			}
			a = p.must(request{method: "GET", path: path, token: key})
			if a.status != http.StatusOK || caching == "" && a.header.Get("Cache-Control") != unlisted {
				t.Errorf("%s: %s: staff got %d, %q", when, path, a.status, a.header.Get("Cache-Control"))
			}
			if a := p.must(request{method: "GET", path: path, token: "sfa_wrong"}); caching == "" && a.status != http.StatusNotFound {
				t.Errorf("%s: %s: a wrong key got %d", when, path, a.status)
			}
		}
	}
	id, _ := p.product("acme", "item-0")
	show := func(of ...string) {
		t.Helper()
		images := []any{}
		for _, id := range of {
			images = append(images, map[string]any{"mediaId": id})
		}
		call("PATCH", "products/"+id, map[string]any{"images": images})
	}
	status := func(status string) {
		t.Helper()
		call("PATCH", "products/"+id, map[string]any{"status": status})
	}

	send()
	want("new", unlisted)
	show(image.ID)
	want("published", listed)
	status("draft")
	want("draft", "")
	status("active")
	want("published again", listed)
	call("PATCH", "products/"+id, map[string]any{"publishedAt": "2099-01-01T00:00:00Z"})
	want("scheduled", "")
	call("POST", "collections", map[string]any{"title": "Jars", "imageId": image.ID})
	want("of a collection", listed)
	call("DELETE", "collections/jars", nil)
	want("of no collection", "")
	show()
	call("DELETE", "media/"+image.ID, nil)
	want("removed", "")
	send()
	want("uploaded again", unlisted)
	run(t, "tenant", "set", "acme", `brand={"logoId":"`+image.ID+`"}`, "--data", data)
	want("logo", listed)
	run(t, "tenant", "set", "acme", "brand=null", "--data", data)
	run(t, "tenant", "suspend", "acme", "--data", data)
	want("of a suspended shop", "")
	run(t, "tenant", "resume", "acme", "--data", data)

	call("PATCH", "products/"+id, map[string]any{"publishedAt": "2020-01-01T00:00:00Z", "images": []any{map[string]any{"mediaId": image.ID}}})
	if a := p.must(request{method: "POST", path: "/api/v1/orders", tenant: "acme", body: orderOf(id, 1)}); a.status != http.StatusCreated {
		t.Fatalf("got %d %s, want an order", a.status, a.body)
	}
	status("archived")
	want("archived, of an order", unlisted)
	show()
	call("DELETE", "media/"+image.ID, nil)
	want("removed, of an order", unlisted)
}
