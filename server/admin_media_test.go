package server_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"storefront/server"
	"storefront/shop/access"
	"storefront/shop/catalogue"
	"storefront/shop/fault"
	"storefront/shop/order"
	"storefront/shop/shoptest"
	"storefront/shop/staff"
)

const mediaPath = "/admin/v1/shops/test/media"

// upload sends an image with a credential, which is a header's name and value.
func (s *adminSite) upload(path string, body []byte, header ...string) *reply {
	s.tb.Helper()
	return s.send("POST", mediaPath+path, string(body), append([]string{"Content-Type", "image/png"}, header...)...)
}

func mediaOf(t *testing.T, r *reply, status int) (m catalogue.Media) {
	t.Helper()
	if err := json.Unmarshal(r.body, &m); r.status != status || err != nil {
		t.Fatalf("got %d: %s, want an image with %d", r.status, r.body, status)
	}
	return m
}

// wantProblem checks that a response is an error with a status and a code.
func wantProblem(t *testing.T, r *reply, status int, code fault.Code) {
	t.Helper()
	var problem struct{ Code fault.Code }
	if err := json.Unmarshal(r.body, &problem); err != nil || r.status != status || problem.Code != code {
		t.Errorf("got %d: %s, want %d %s", r.status, r.body, status, code)
	}
}

// An uploaded image is listed, changed, deleted and uploaded again.
func TestAdmin_Media(t *testing.T) {
	t.Parallel()
	s := newAdminSite(t, nil)
	owner := []string{"Cookie", s.session(t, staff.RoleOwner)}
	photo := shoptest.PNG(t, 640, 480, 1)
	created := s.upload("?alt=Red+panjabi", photo, owner...)
	got := mediaOf(t, created, http.StatusCreated)
	want := catalogue.Media{
		ID: got.ID, URL: "/media/test/" + got.ID + "/640.png", Alt: "Red panjabi", Width: 640, Height: 480, Bytes: 1120,
		Renditions: []catalogue.Rendition{
			{Width: 640, Height: 480, URL: "/media/test/" + got.ID + "/640.png"},
			{Width: 320, Height: 240, URL: "/media/test/" + got.ID + "/320.png"},
			{Width: 160, Height: 120, URL: "/media/test/" + got.ID + "/160.png"},
		},
		CreatedAt: s.shop.Clock.Now().UTC(),
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("image (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{got.ID}, s.shop.Media.IDs()); diff != "" {
		t.Errorf("stored files (-want +got):\n%s", diff)
	}
	if again := mediaOf(t, s.upload("?alt=Other", photo, owner...), http.StatusOK); again.ID != got.ID || again.Alt != "Red panjabi" {
		t.Errorf("the same image again: got %+v, want the first", again)
	}

	path := mediaPath + "/" + got.ID
	deleteIt := func(header ...string) *reply {
		return s.send("DELETE", path, "", slices.Concat(owner, []string{"Content-Type", "application/json"}, header)...)
	}
	tag := s.get(path, owner...).header.Get("ETag")
	if tag == "" || tag != created.header.Get("ETag") {
		t.Errorf("got ETag %q of the image and %q of the upload, want one", tag, created.header.Get("ETag"))
	}
	changed := s.send("PATCH", path, `{"alt":"Blue panjabi"}`, append(owner, "If-Match", tag)...)
	if mediaOf(t, changed, http.StatusOK).Alt != "Blue panjabi" {
		t.Errorf("got %s, want the new text", changed.body)
	}
	wantProblem(t, s.send("PATCH", path, `{"alt":"Green panjabi"}`, append(owner, "If-Match", tag)...), 412, fault.CodeChangedMeanwhile)
	wantProblem(t, deleteIt("If-Match", tag), 412, fault.CodeChangedMeanwhile)
	if list := s.get(mediaPath+"?search=blue&unused=true", owner...); !strings.Contains(string(list.body), got.ID) {
		t.Errorf("got list %s, want the image", list.body)
	}

	if r := deleteIt(); r.status != http.StatusOK {
		t.Fatalf("delete: got %d: %s", r.status, r.body)
	}
	wantProblem(t, s.get(path, owner...), 404, fault.CodeNotFound)
	wantProblem(t, deleteIt(), 404, fault.CodeNotFound)
	if list := s.get(mediaPath, owner...); strings.Contains(string(list.body), got.ID) {
		t.Errorf("got list %s, want no deleted image", list.body)
	}
	if len(s.shop.Media.IDs()) != 1 {
		t.Error("got no files, want those of the deleted image for backups")
	}
	if back := mediaOf(t, s.upload("", photo, owner...), http.StatusOK); back.Alt != "Blue panjabi" {
		t.Errorf("got %+v, want the deleted image again", back)
	}
	s.get(path, owner...)
	want2 := []string{"media.upload", "media.delete", "media.edit", "media.upload"}
	if diff := cmp.Diff(want2, s.auditedMedia(t)); diff != "" {
		t.Errorf("audit log (-want +got):\n%s", diff)
	}
}

// auditedMedia returns the actions on images in the audit log, newest first.
func (s *adminSite) auditedMedia(t *testing.T) (actions []string) {
	t.Helper()
	log, err := s.shop.Staff.ListAudit(t.Context(), access.Operator(), staff.AuditFilter{})
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range log.Nodes {
		if e.Subject.Kind == "media" {
			actions = append(actions, e.Action)
		}
	}
	return actions
}

// To delete the files of an image at once needs a recent proof of a session.
func TestAdmin_MediaDeletedNow(t *testing.T) {
	t.Parallel()
	s := newAdminSite(t, nil)
	owner := []string{"Cookie", s.session(t, staff.RoleOwner)}
	first := mediaOf(t, s.upload("", shoptest.PNG(t, 300, 200, 1), owner...), http.StatusCreated)
	second := mediaOf(t, s.upload("", shoptest.PNG(t, 300, 200, 2), owner...), http.StatusCreated)
	s.shop.Clock.Advance(16 * time.Minute)
	deleteIt := func() *reply {
		return s.send("DELETE", mediaPath+"/"+first.ID+"?now=true", "", append(owner, "Content-Type", "application/json")...)
	}
	wantProblem(t, deleteIt(), 401, fault.CodeProofRequired)
	owner[1] = s.session(t, staff.RoleManager)
	if r := deleteIt(); r.status != http.StatusOK {
		t.Fatalf("got %d: %s", r.status, r.body)
	}
	wantProblem(t, deleteIt(), 404, fault.CodeNotFound)
	if diff := cmp.Diff([]string{second.ID}, s.shop.Media.IDs()); diff != "" {
		t.Errorf("stored files (-want +got):\n%s", diff)
	}
	if n := s.shop.Number(t, `SELECT COUNT(*) FROM media`); n != 1 {
		t.Errorf("got %d images, want the other one", n)
	}
}

// Each kind of bad upload is refused, and stores nothing.
func TestAdmin_MediaRefused(t *testing.T) {
	t.Parallel()
	s := newAdminSite(t, nil)
	key := []string{"Authorization", s.key(t, "products.write")}
	photo := shoptest.PNG(t, 10, 10, 1)
	wantProblem(t, s.upload("", make([]byte, 12<<20+1), key...), 413, fault.CodeTooLarge)
	wantProblem(t, s.upload("", photo[:20], key...), 422, fault.CodeImageInvalid)
	wantProblem(t, s.upload("?alt="+strings.Repeat("x", 501), photo, key...), 422, fault.CodeValidationFailed)
	wantProblem(t, s.upload("", photo, append(key, "Content-Type", "image/svg+xml")...), 415, fault.CodeUnsupportedMediaType)
	wantProblem(t, s.upload("", photo, append(key, "Content-Type", "multipart/form-data")...), 415, fault.CodeUnsupportedMediaType)
	wantProblem(t, s.upload("", photo, append(key, "Content-Encoding", "gzip")...), 415, fault.CodeUnsupportedMediaType)
	wantProblem(t, s.upload("", photo, "Cookie", s.session(t, staff.RoleViewer)), 403, fault.CodeForbidden)
	session := []string{"Cookie", s.session(t, staff.RoleOwner)}
	wantProblem(t, s.upload("", photo, append(session, "Origin", "https://evil.example", "Sec-Fetch-Site", "cross-site")...), 403, fault.CodeForbidden)
	if ids := s.shop.Media.IDs(); len(ids) > 0 || s.shop.Number(t, `SELECT COUNT(*) FROM media`) > 0 {
		t.Errorf("got images %v, want none", ids)
	}
}

// A shop that stores as much as it may gets no more, but what it has.
func TestAdmin_MediaQuota(t *testing.T) {
	t.Parallel()
	s := newAdminSite(t, nil)
	s.shop.Config.MediaQuota = 1000
	s.shop.Shop = s.shop.Reopened().Shop
	a := newSiteOf(t, s.shop.Shop, nil)
	s.site = a
	key := []string{"Authorization", s.key(t, "products.write")}
	mediaOf(t, s.upload("", shoptest.PNG(t, 500, 10, 1), key...), http.StatusCreated)
	wantProblem(t, s.upload("", shoptest.PNG(t, 500, 10, 2), key...), 409, fault.CodeQuotaReached)
	mediaOf(t, s.upload("", shoptest.PNG(t, 500, 10, 1), key...), http.StatusOK)
	if n := len(s.shop.Media.IDs()); n != 1 {
		t.Errorf("got files of %d images, want 1", n)
	}
}

// A shop has at most 20,000 images, however small.
func TestAdmin_MediaCount(t *testing.T) {
	t.Parallel()
	s := newAdminSite(t, nil)
	const stored = 19_999
	for n := 0; n < stored; {
		var rows []string
		for ; n < stored && len(rows) < 500; n++ {
			rows = append(rows, fmt.Sprintf(`('image-%d', '', '', 1, 1, 1, 'png', '[[1,1]]', 0)`, n))
		}
		s.shop.Exec(t, `
			INSERT INTO media (id, alt, alt_key, width, height, bytes, format, renditions, created_at)
			VALUES `+strings.Join(rows, ", "))
	}
	key := []string{"Authorization", s.key(t, "products.write")}
	mediaOf(t, s.upload("", shoptest.PNG(t, 50, 10, 1), key...), http.StatusCreated)
	wantProblem(t, s.upload("", shoptest.PNG(t, 50, 10, 2), key...), 409, fault.CodeQuotaReached)
	mediaOf(t, s.upload("", shoptest.PNG(t, 50, 10, 1), key...), http.StatusOK)
}

// An upload with an idempotency key is stored once, and its response is sent again.
func TestAdmin_MediaIdempotency(t *testing.T) {
	t.Parallel()
	s := newAdminSite(t, nil)
	key := []string{"Authorization", s.key(t, "products.write"), "Idempotency-Key", "photo-1"}
	photo := shoptest.PNG(t, 10, 10, 1)
	first := mediaOf(t, s.upload("", photo, key...), http.StatusCreated)
	again := s.upload("", photo, key...)
	if mediaOf(t, again, http.StatusCreated).ID != first.ID || again.header.Get("Idempotent-Replayed") != "true" {
		t.Errorf("got %d, %v, want the first response again", again.status, again.header)
	}
	wantProblem(t, s.upload("", shoptest.PNG(t, 10, 10, 2), key...), 422, fault.CodeIdempotencyKeyReused)
	s.shop.Exec(t, `UPDATE staff_requests SET status = NULL, body = NULL`) // the response was lost
	wantProblem(t, s.upload("", photo, key...), 409, fault.CodeStateConflict)
}

// One staff member's uploads are decoded one after the other, so that others reach the decoder.
func TestAdmin_MediaOneAtATime(t *testing.T) {
	t.Parallel()
	s := newAdminSite(t, func(cfg *server.Config) { cfg.Rate, cfg.Burst = 0, 0 })
	var mu sync.Mutex
	decoding, arrived := 0, make(chan struct{}, 10)
	release := make(chan struct{})
	s.shop.Media.Before = func(operation, _ string) error {
		if operation != "process" {
			return nil
		}
		mu.Lock()
		decoding++
		mu.Unlock()
		arrived <- struct{}{}
		<-release
		return nil
	}
	greedy := []string{"Authorization", s.key(t, "products.write")}
	other := []string{"Authorization", s.key(t, "products.write")}
	var wg sync.WaitGroup
	for i := range 4 {
		photo := shoptest.PNG(t, 10, 10, i)
		wg.Go(func() { mediaOf(t, s.upload("", photo, greedy...), http.StatusCreated) })
	}
	<-arrived
	wg.Go(func() { mediaOf(t, s.upload("", shoptest.PNG(t, 10, 10, 9), other...), http.StatusCreated) })
	<-arrived
	mu.Lock()
	if decoding != 2 {
		t.Errorf("got %d uploads at the decoder, want one of each", decoding)
	}
	mu.Unlock()
	close(release)
	wg.Wait()
}

// An upload whose image is purged at the same time is stored whole, or not at all.
func TestAdmin_MediaPurgedMeanwhile(t *testing.T) {
	t.Parallel()
	s := newAdminSite(t, nil)
	key := []string{"Authorization", s.key(t, "products.write", "products.read")}
	photo := shoptest.PNG(t, 10, 10, 1)
	path := mediaPath + "/" + mediaOf(t, s.upload("", photo, key...), http.StatusCreated).ID

	purge := func() { // as another process
		id, now := path[len(mediaPath)+1:], catalogue.MediaDeletion{Now: true}
		if err := s.shop.Reopened().Catalogue.DeleteMedia(context.Background(), access.Operator(), id, now); err != nil {
			t.Error(err)
		}
	}
	purgeOnce := sync.OnceFunc(purge)
	s.shop.Media.Before = func(operation, _ string) error {
		if operation == "put" { // between what the upload found and what it stores
			purgeOnce()
		}
		return nil
	}
	mediaOf(t, s.upload("", photo, key...), http.StatusCreated)
	if len(s.shop.Media.IDs()) != 1 {
		t.Error("got an image without files")
	}

	// While the files are being deleted, the image can be neither uploaded nor used.
	s.shop.Media.Before = func(operation, _ string) error {
		if operation == "delete" {
			s.shop.Media.Before = nil
			wantProblem(t, s.upload("", photo, key...), 503, fault.CodeUnavailable)
			wantProblem(t, s.get(path, key...), 404, fault.CodeNotFound)
		}
		return nil
	}
	purge()
	if ids := s.shop.Media.IDs(); len(ids) != 0 || s.shop.Number(t, `SELECT COUNT(*) FROM media`) != 0 {
		t.Errorf("got images %v, want none", ids)
	}
	mediaOf(t, s.upload("", photo, key...), http.StatusCreated)
}

// Products, collections and orders show an uploaded image at the shop's address, in REST and
// GraphQL. Cached responses follow a change of the address.
func TestMedia_Shown(t *testing.T) {
	t.Parallel()
	s := newAuditShop(t)
	s.shop.Config.PublicURL = "https://api.example"
	s.shop.Shop = s.shop.Reopened().Shop
	s.adminSite.site = newSiteOf(t, s.shop.Shop, func(cfg *server.Config) { cfg.Now = s.shop.Clock.Now })
	photo := mediaOf(t, s.adminSite.upload("?alt=Red+mug", shoptest.PNG(t, 640, 480, 1), "Cookie", s.owner), http.StatusCreated)
	s.must("PATCH", "products/mug", `{"images":[{"mediaId":"`+photo.ID+`"},{"url":"https://cdn.example/2.jpg","alt":"Two"}]}`)
	s.must("POST", "collections", `{"title":"Winter","imageId":"`+photo.ID+`","imageAlt":"Snow"}`)
	placed := s.must("POST", "orders", `{"items":[{"variantId":"<variant>","quantity":1}],"source":"phone",
		"customer":{"name":"Karim","phoneNumber":"01811-000000"},"shippingAddress":{"line1":"House 7, Road 3","city":"Dhaka"}}`)
	s.values["order"] = placed["order"].(map[string]any)["_id"].(string)

	find := func(path string) string {
		r := s.get(path)
		if r.status != http.StatusOK {
			t.Fatalf("%s: got %d: %s", path, r.status, r.body)
		}
		return string(r.body)
	}
	check := func(address string) {
		t.Helper()
		at := address + "/media/test/" + photo.ID
		sizes := `"renditions":[{"width":640,"height":480,"url":"` + at + `/640.png"},{"width":320,"height":240,"url":"` + at +
			`/320.png"},{"width":160,"height":120,"url":"` + at + `/160.png"}]`
		shown := func(alt string) string {
			return `"url":"` + at + `/640.png","alt":"` + alt + `","width":640,"height":480,` + sizes
		}
		for range 2 { // created and cached
			for path, want := range map[string]string{
				"/api/v1/products":            shown("Red mug"),
				"/api/v1/products/handle/mug": shown("Red mug"),
				"/api/v1/collections":         shown("Snow"),
			} {
				if got := find(path); !strings.Contains(got, want) {
					t.Errorf("%s: got %s, want %s", path, got, want)
				}
			}
			const query = `{"query":"{ products { nodes { images { url alt width height renditions { width height url } } } } }"}`
			if got := s.send("POST", "/graphql", query); !strings.Contains(string(got.body), shown("Red mug")) {
				t.Errorf("GraphQL: got %s, want %s", got.body, shown("Red mug"))
			}
		}
		const other = `"url":"https://cdn.example/2.jpg","alt":"Two","width":null,"height":null,"renditions":[]`
		if got := find("/api/v1/products/handle/mug"); !strings.Contains(got, other) {
			t.Errorf("got %s, want the image of another host without renditions", got)
		}
		for path, want := range map[string]bool{
			"packing?size=a5": true, "picklist": true, "packing?size=80mm": false, "invoice": false, "label": false,
		} {
			kind, query, _ := strings.Cut(path, "?")
			page := string(s.as("GET", "print/"+kind+"?ids=<order>&"+query, "", "Cookie", s.owner).body)
			if !strings.Contains(page, `data-print="`+kind+`"`) || strings.Contains(page, `<img src="`+at+`/320.png" alt="">`) != want {
				t.Errorf("print %s: got\n%s\nwith the picture below %s: want %t", path, page, at, want)
			}
		}
		for _, path := range []string{"orders/<order>", "orders?view=all"} {
			if got := s.as("GET", path, "", "Cookie", s.owner); !strings.Contains(string(got.body), `"imageUrl":"`+at+`/320.png"`) {
				t.Errorf("%s: got %s, want the image below %s", path, got.body, at)
			}
		}
	}
	check("https://api.example")
	s.must("PATCH", "settings", `{"mediaUrl":"https://cdn.example/"}`)
	check("https://cdn.example")
	for _, bad := range []string{"http://cdn.example", "https://cdn.example?x=1", "cdn.example"} {
		wantProblem(t, s.as("PATCH", "settings", `{"mediaUrl":"`+bad+`"}`, "Cookie", s.owner), 422, fault.CodeValidationFailed)
	}

	// The image is used, until nothing shows it.
	path := "media/" + photo.ID
	if used := s.must("GET", path, "")["usedBy"]; used != 2.0 {
		t.Errorf("got usedBy %v, want the product and the collection", used)
	}
	wantProblem(t, s.as("DELETE", path, "", "Cookie", s.owner), 409, fault.CodeInUse)
	// A client that sends the images as it has read them changes nothing.
	product := s.must("GET", "products/mug", "")["images"].([]any)
	first := product[0].(map[string]any)
	s.must("PATCH", "products/mug", `{"images":[{"url":"`+first["url"].(string)+`"}]}`)
	after := s.must("GET", "products/mug", "")["images"].([]any)
	if diff := cmp.Diff(product[:1], after); diff != "" {
		t.Errorf("images sent back (-want +got):\n%s", diff)
	}
	s.must("PATCH", "products/mug", `{"images":[]}`)
	s.must("POST", "collections", `{"title":"Winter"}`)
	s.must("DELETE", path, "")
	wantProblem(t, s.as("PATCH", "products/mug", `{"images":[{"mediaId":"`+photo.ID+`"}]}`, "Cookie", s.owner), 422, fault.CodeValidationFailed)
	wantProblem(t, s.as("POST", "collections", `{"title":"Winter","imageId":"`+photo.ID+`"}`, "Cookie", s.owner), 422, fault.CodeValidationFailed)
}

// The picture of an order line is served for as long as the order exists, though the product was
// deleted long ago. A picture that nothing shows is not.
func TestMedia_Ordered(t *testing.T) {
	t.Parallel()
	s := newAuditShop(t)
	photo := mediaOf(t, s.adminSite.upload("", shoptest.PNG(t, 640, 480, 1), "Cookie", s.owner), http.StatusCreated)
	mediaOf(t, s.adminSite.upload("", shoptest.PNG(t, 640, 480, 2), "Cookie", s.owner), http.StatusCreated)
	s.must("PATCH", "products/mug", `{"images":[{"mediaId":"`+photo.ID+`"}]}`)
	placed := s.must("POST", "orders", `{"items":[{"variantId":"<variant>","quantity":1}],"source":"phone",
		"customer":{"name":"Karim","phoneNumber":"01811-000000"},"shippingAddress":{"line1":"House 7, Road 3","city":"Dhaka"}}`)
	bought := placed["order"].(map[string]any)["_id"].(string)
	s.must("PATCH", "products/mug", `{"status":"archived"}`)
	s.must("DELETE", "products/mug", "")
	for range 3 { // 135 days
		for range 2 { // begins the time, and ends it
			s.shop.Clock.Advance(catalogue.MediaRetention)
			if _, err := s.shop.Catalogue.SweepMedia(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
		var found order.StaffOrder
		s.get("/admin/v1/shops/test/orders/"+bought, "Authorization", s.key(t, "*")).ok(http.StatusOK, &found)
		if url := found.Items[0].ImageURL; url == nil || !strings.Contains(*url, photo.ID) {
			t.Errorf("got the line %+v, want the picture", found.Items[0])
		}
		if diff := cmp.Diff([]string{photo.ID}, s.shop.Media.IDs()); diff != "" {
			t.Errorf("stored files (-want +got):\n%s", diff)
		}
	}
}

// The files of an image that orders show cannot be deleted at once, whether it is in the library or
// was deleted from it.
func TestMedia_OrderedDeletedNow(t *testing.T) {
	t.Parallel()
	s := newAuditShop(t)
	photo := mediaOf(t, s.adminSite.upload("", shoptest.PNG(t, 640, 480, 1), "Cookie", s.owner), http.StatusCreated)
	s.must("PATCH", "products/mug", `{"images":[{"mediaId":"`+photo.ID+`"}]}`)
	for range 2 {
		s.must("POST", "orders", `{"items":[{"variantId":"<variant>","quantity":1}],"source":"phone",
			"customer":{"name":"Karim","phoneNumber":"01811-000000"},"shippingAddress":{"line1":"House 7, Road 3","city":"Dhaka"}}`)
	}
	s.must("PATCH", "products/mug", `{"images":[]}`)
	refused := func() {
		t.Helper()
		got := s.as("DELETE", "media/"+photo.ID+"?now=true", "", "Cookie", s.owner)
		wantProblem(t, got, 409, fault.CodeInUse)
		if !strings.Contains(string(got.body), `"usedBy":2`) || len(s.shop.Media.IDs()) != 1 {
			t.Errorf("got %s and files of %v, want two orders and the files", got.body, s.shop.Media.IDs())
		}
	}
	refused()
	s.must("DELETE", "media/"+photo.ID, "")
	refused()
	s.shop.Exec(t, `UPDATE order_items SET image_url = ''`) // a line that shows no image
	s.must("DELETE", "media/"+photo.ID+"?now=true", "")
	if ids := s.shop.Media.IDs(); len(ids) > 0 {
		t.Errorf("got files of %v, want none", ids)
	}
}

// A file of products that this program has exported names the uploaded images.
func TestMedia_ExportImport(t *testing.T) {
	t.Parallel()
	s := newAuditShop(t)
	photo := mediaOf(t, s.adminSite.upload("", shoptest.PNG(t, 640, 480, 1), "Cookie", s.owner), http.StatusCreated)
	s.must("PATCH", "settings", `{"mediaUrl":"https://cdn.example"}`)
	s.must("PATCH", "products/mug", `{"images":[{"mediaId":"`+photo.ID+`","alt":"Mug"}]}`)
	file := string(s.as("GET", "exports/products", "", "Cookie", s.owner).body)
	if !strings.Contains(file, "https://cdn.example/media/test/"+photo.ID+"/640.png") {
		t.Fatalf("got %s, want the URL of the image", file)
	}
	before := s.must("GET", "products/mug", "")["images"]
	s.must("PATCH", "settings", `{"mediaUrl":null}`)
	s.must("PATCH", "products/mug", `{"images":[]}`)
	s.must("POST", "imports/products", file)
	s.must("PATCH", "settings", `{"mediaUrl":"https://cdn.example"}`)
	after := s.must("GET", "products/mug", "")["images"]
	before.([]any)[0].(map[string]any)["_id"] = after.([]any)[0].(map[string]any)["_id"]
	if diff := cmp.Diff(before, after); diff != "" {
		t.Errorf("images (-before +after):\n%s", diff)
	}
	if used := s.must("GET", "media/"+photo.ID, "")["usedBy"]; used != 1.0 {
		t.Errorf("got usedBy %v, want 1", used)
	}
}
