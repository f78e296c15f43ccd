package server_test

import (
	"strings"
	"testing"

	"storefront/shop/catalogue"
	"storefront/shop/shoptest"
)

// A job imports the images of many products. What fails is its result, and retried by the next job;
// an image that a staff member replaces meanwhile is left as it is.
func TestAdmin_ImportImages(t *testing.T) {
	t.Parallel()
	s := newAuditShop(t)
	const host = "https://images.example/"
	stored := s.shop.Media
	stored.Hosts = map[string][]byte{
		host + "red.png": shoptest.PNG(t, 400, 300, 1), host + "same.png": shoptest.PNG(t, 400, 300, 1), host + "blue.png": shoptest.PNG(t, 20, 10, 2),
	}
	add := func(title string, files ...string) string {
		images := `[{"url":"` + host + strings.Join(files, `"},{"url":"`+host) + `"}]`
		return s.product("POST", "products", `{"title":"`+title+`","status":"active","images":`+images+`,"variants":[{"price":9995,"image":{"url":"`+
			host+files[0]+`"}}]}`).ID
	}
	tea, jam, mug := add("Tea", "red.png", "lost.png"), add("Jam", "same.png"), add("Mug", "blue.png")
	replaced := false
	stored.Before = func(operation, id string) error {
		if operation == "fetch" && id == host+"blue.png" && !replaced { // the staff member replaces it
			replaced = true
			s.product("PATCH", "products/"+mug, `{"images":[{"url":"`+host+`same.png"}]}`)
		}
		return nil
	}
	run := func(extra string) string {
		t.Helper()
		return bulkResults(t, s.as("POST", "bulk/products",
			`{"action":"importImages","ids":["`+tea+`","`+jam+`","`+mug+`","nope"]`+extra+`}`, "Cookie", s.owner))
	}
	if got := run(`,"dryRun":true`); got != "Tea, Jam, Mug,  not_found" || len(stored.IDs()) != 0 {
		t.Errorf("dry run: got %q and files %v", got, stored.IDs())
	}
	if got := run(""); got != "Tea image_invalid, Jam, Mug state_conflict,  not_found" {
		t.Errorf("first job: got %q", got)
	}
	if p := s.product("GET", "products/"+mug, ""); p.Images[0].URL != host+"same.png" {
		t.Errorf("replaced meanwhile: got %+v, want it as it is", p.Images)
	}
	p := s.product("GET", "products/"+tea, "")
	if p.Images[0].Width == nil || *p.Images[0].Width != 400 || len(p.Images[0].Renditions) == 0 || p.Images[1].URL != host+"lost.png" {
		t.Errorf("got images %+v, want the first uploaded and the second as before", p.Images)
	}
	if v := p.Variants[0]; v.Image == nil || v.Image.ID != p.Images[0].ID {
		t.Errorf("got the variant's image %+v, want the product's first", v.Image)
	}
	stored.Hosts[host+"lost.png"] = shoptest.PNG(t, 30, 10, 3)
	if got := run(""); got != "Tea, Jam unchanged, Mug,  not_found" {
		t.Errorf("second job: got %q", got)
	}
	if got := run(`,"dryRun":true`); got != "Tea unchanged, Jam unchanged, Mug unchanged,  not_found" {
		t.Errorf("third job: got %q, want nothing left to do", got)
	}
	if n := s.shop.Number(t, `SELECT COUNT(*) FROM media`); n != 2 || len(stored.IDs()) != 3 {
		t.Errorf("got %d images and files %v; want the picture of two addresses once, and files of the refused one", n, stored.IDs())
	}
	if n := s.shop.Number(t, `SELECT COUNT(*) FROM audit_log WHERE action = 'media.import'`); n != 6 {
		t.Errorf("got %d entries in the audit log, want 2 images and 4 changes", n)
	}
	reader := s.key(t, "products.read")
	wantProblem(t, s.as("POST", "bulk/products", `{"action":"importImages","ids":["`+tea+`"]}`, "Authorization", reader), 403, "forbidden")
}

// An import ends where the quota does: pictures that fit are stored, the others are still at their
// host with the reason in the result, and are imported once there is room.
func TestAdmin_ImportImagesQuota(t *testing.T) {
	t.Parallel()
	s := newAdminSite(t, nil)
	s.shop.Config.MediaQuota = 1000
	s.shop.Shop = s.shop.Reopened().Shop
	s.site = newSiteOf(t, s.shop.Shop, nil)
	const host, base = "https://images.example/", "/admin/v1/shops/test/"
	stored := s.shop.Media
	stored.Hosts = map[string][]byte{host + "red.png": shoptest.PNG(t, 400, 300, 1), host + "blue.png": shoptest.PNG(t, 400, 300, 2)}
	key := s.key(t, "products.read", "products.write")
	var p catalogue.ProductRecord
	s.send("POST", base+"products", `{"title":"Tea","images":[{"url":"`+host+`red.png"},{"url":"`+host+`blue.png"}],"variants":[{"price":9995}]}`,
		"Authorization", key).ok(201, &p)
	run := func() string {
		t.Helper()
		return bulkResults(t, s.send("POST", base+"bulk/products", `{"action":"importImages","ids":["`+p.ID+`"]}`, "Authorization", key))
	}
	bytes := func() int64 { return s.shop.Number(t, `SELECT COALESCE(SUM(bytes), 0) FROM media`) }
	for range 2 { // the second time only the other one is left, and it does not fit either
		if got := run(); got != "Tea quota_reached" {
			t.Errorf("got %q, want quota_reached", got)
		}
		s.send("GET", base+"products/"+p.ID, "", "Authorization", key).ok(200, &p)
		if len(p.Images) != 2 || len(p.Images[0].Renditions) == 0 || p.Images[1].URL != host+"blue.png" {
			t.Errorf("got images %+v, want the first stored and the second at its host", p.Images)
		}
		if n := bytes(); n <= 0 || n > 1000 || len(stored.IDs()) != 1 {
			t.Errorf("got %d bytes and the files of %v, want at most 1000 and one image", n, stored.IDs())
		}
	}
	s.send("PATCH", base+"products/"+p.ID, `{"images":[{"url":"`+host+`blue.png"}]}`, "Authorization", key).ok(200, &p)
	for _, id := range stored.IDs() {
		if got := s.send("DELETE", base+"media/"+id+"?now=true", "", "Authorization", key); got.status >= 300 {
			t.Fatalf("got %d %s, want the image deleted", got.status, got.body)
		}
	}
	if got := run(); got != "Tea" || bytes() == 0 {
		t.Errorf("with room again: got %q and %d bytes, want the picture stored", got, bytes())
	}
}
