package server_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"storefront/shop/catalogue"
	"storefront/shop/fault"
)

// collection sends a request of the owner and returns the collection in its response, and its
// version.
func (s *auditShop) collection(method, path, body string, header ...string) (c catalogue.CollectionRecord, tag string) {
	s.t.Helper()
	got := s.as(method, path, body, append([]string{"Cookie", s.owner}, header...)...)
	if err := json.Unmarshal(got.body, &c); err != nil || got.status != http.StatusOK {
		s.t.Fatalf("%s %s: got %d: %s", method, path, got.status, got.body)
	}
	return c, got.header.Get("ETag")
}

// A change of a collection has only the fields that it sends.
func TestAdmin_UpdateCollection(t *testing.T) {
	t.Parallel()
	s := newAuditShop(t)
	s.upload()
	s.must("POST", "collections", `{"title":"Winter"}`)
	c, _ := s.collection("PATCH", "collections/eid", `{"descriptionHtml":"New","imageId":"<media>","position":9}`)
	if c.Handle != "eid" || c.Title != "Eid" || c.DescriptionHTML != "New" || c.Position != 9 || c.Image == nil ||
		c.Image.Alt != "Cup" {
		t.Errorf("got %+v, want the image, the text and the position", c)
	}
	if c, _ = s.collection("PATCH", "collections/eid", `{"handle":"Eid-2027","imageAlt":"Moon"}`); c.Handle != "eid-2027" || c.Image.Alt != "Moon" {
		t.Errorf("got %+v, want another handle and text of the image", c)
	}
	if c, _ = s.collection("PATCH", "collections/eid-2027", `{"imageId":null,"position":1,"title":"Eid 2027"}`); c.Image != nil || c.Position != 1 {
		t.Errorf("got %+v, want no image", c)
	}
	rows := s.shop.Number(t, `SELECT COUNT(*) FROM audit_log`)
	s.collection("PATCH", "collections/eid-2027", `{"title":"Eid 2027","handle":"eid-2027"}`)
	for body, field := range map[string]string{
		`{"handle":"winter"}`: "handle", `{"handle":"a b/c"}`: "handle", `{"title":" "}`: "title", `{"position":0}`: "position",
		`{"image":"javascript:x"}`: "image", `{"imageId":"nope"}`: "image",
	} {
		got := s.as("PATCH", "collections/eid-2027", body, "Cookie", s.owner).problem(422, fault.CodeValidationFailed)
		if !strings.HasPrefix(got.fields(), field+" ") {
			t.Errorf("%s: got fields %s, want %s", body, got.fields(), field)
		}
	}
	if n := s.shop.Number(t, `SELECT COUNT(*) FROM audit_log`); n != rows {
		t.Errorf("got %d entries in the audit log, want none of changes that change nothing", n-rows)
	}
	wantProblem(t, s.as("PATCH", "collections/eid", `{"title":"A"}`, "Cookie", s.owner), 404, fault.CodeNotFound)
	wantProblem(t, s.as("PATCH", "collections/eid-2027", `{"title":"A"}`, "Authorization", s.key(t, "products.read")), 403, fault.CodeForbidden)
	if got, _ := s.collection("GET", "collections/eid-2027", ""); got.Title != "Eid 2027" {
		t.Errorf("got %+v, want nothing of refused changes", got)
	}
}

// The order of a collection is the one that buyers see. Products that somebody else adds meanwhile
// are not lost, and an edit of the collection does not conflict.
func TestAdmin_ArrangeCollection(t *testing.T) {
	t.Parallel()
	s := newAuditShop(t)
	ids := map[string]string{}
	for _, title := range []string{"Tea", "Jam", "Rice"} {
		ids[title] = s.product("POST", "products", `{"title":"`+title+`","status":"active","variants":[{"price":100}]}`).ID
	}
	list := func(titles ...string) string {
		var quoted []string
		for _, title := range titles {
			quoted = append(quoted, `"`+ids[title]+`"`)
		}
		return `{"productIds":[` + strings.Join(quoted, ",") + `]}`
	}
	const path = "collections/eid/products"
	shown := func() string {
		t.Helper()
		var page struct{ Nodes []struct{ Title string } }
		s.get("/api/v1/products?sortBy=manual&collectionIds="+s.values["collection"]).ok(200, &page)
		return fmt.Sprint(page.Nodes)
	}
	for _, step := range []struct{ titles, want string }{
		{"Tea Jam Rice", "[{Tea} {Jam} {Rice}]"}, {"Rice Tea Jam", "[{Rice} {Tea} {Jam}]"}, {"Jam Rice Jam", "[{Jam} {Rice}]"},
		{"Jam Tea Rice", "[{Jam} {Tea} {Rice}]"}, {"", "[]"}, {"Rice Tea", "[{Rice} {Tea}]"},
	} {
		c, _ := s.collection("PUT", path, list(strings.Fields(step.titles)...))
		if got := shown(); got != step.want || c.ProductCount != len(c.ProductIDs) {
			t.Errorf("%s: got %s and %+v, want %s", step.titles, got, c, step.want)
		}
		if p := s.product("GET", "products/"+ids["Jam"], ""); len(p.CollectionIDs) > 0 != strings.Contains(step.titles, "Jam") {
			t.Errorf("%s: got collections %v of Jam", step.titles, p.CollectionIDs)
		}
	}
	c, tag := s.collection("GET", "collections/eid", "")
	if fmt.Sprint(c.ProductIDs) != fmt.Sprint([]string{ids["Rice"], ids["Tea"]}) {
		t.Errorf("got %v, want the products in their order", c.ProductIDs)
	}
	reader := s.key(t, "products.read")
	rows := s.shop.Number(t, `SELECT COUNT(*) FROM audit_log`)
	s.collection("PUT", path, list("Rice", "Tea"))
	s.as("PUT", path, `{"productIds":["mug","nope"]}`, "Cookie", s.owner).problem(422, fault.CodeValidationFailed)
	s.as("PUT", path, `{"productIds":[`+strings.Repeat(`"mug",`, 2000)+`"mug"]}`, "Cookie", s.owner).problem(422, fault.CodeValidationFailed)
	wantProblem(t, s.as("PUT", path, list("Rice"), "Authorization", reader), 403, fault.CodeForbidden)
	if n := s.shop.Number(t, `SELECT COUNT(*) FROM audit_log`); n != rows {
		t.Errorf("got %d entries in the audit log, want none", n-rows)
	}

	s.must("PATCH", "collections/eid", `{"title":"Eid 2027"}`)
	if got := s.as("PUT", path, list("Tea", "Rice"), "Cookie", s.owner, "If-Match", tag); got.status != http.StatusOK {
		t.Errorf("after an edit of the title: got %d: %s", got.status, got.body)
	}
	_, tag = s.collection("GET", "collections/eid", "")
	s.must("POST", "collections/eid/add", `{"products":["jam"]}`)
	wantProblem(t, s.as("PUT", path, list("Rice", "Tea"), "Cookie", s.owner, "If-Match", tag), 412, fault.CodeChangedMeanwhile)
	if got := s.as("PATCH", "collections/eid", `{"title":"Eid"}`, "Cookie", s.owner, "If-Match", tag); got.status != http.StatusOK {
		t.Errorf("an edit after another product: got %d: %s", got.status, got.body)
	}
	if got := shown(); got != "[{Tea} {Rice} {Jam}]" {
		t.Errorf("got %s, want the product that was added meanwhile", got)
	}
}

// A collection whose title has no Latin letters gets a handle from its own, as products do.
func TestAdmin_CollectionHandle(t *testing.T) {
	t.Parallel()
	s := newAuditShop(t)
	c, _ := s.collection("POST", "collections", `{"title":"ঈদ কালেকশন"}`)
	if c.Handle != "ঈদ-কালেকশন" {
		t.Errorf("got handle %s, want ঈদ-কালেকশন", c.Handle)
	}
	if again, _ := s.collection("POST", "collections", `{"title":"ঈদ কালেকশন","imageAlt":"x"}`); again.ID != c.ID {
		t.Errorf("got %s, want the collection %s again", again.ID, c.ID)
	}
	if renamed, _ := s.collection("PATCH", "collections/eid", `{"title":"শীত","handle":""}`); renamed.Handle != "শীত" {
		t.Errorf("got handle %s, want শীত", renamed.Handle)
	}
	s.as("POST", "collections", `{"title":"…"}`, "Cookie", s.owner).problem(422, fault.CodeValidationFailed)
}
