package server_test

import (
	"bytes"
	"encoding/binary"
	"hash/crc32"
	"image"
	"image/color"
	"image/jpeg"
	"io/fs"
	"mime/multipart"
	"net/http"
	"net/url"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"storefront/server"
	"storefront/shop/access"
	"storefront/shop/catalogue"
	"storefront/shop/fault"
	"storefront/shop/order"
	"storefront/shop/review"
	"storefront/shop/shoptest"
	"storefront/shop/staff"
	"storefront/tenants"
)

const photoHost = "http://test.shops.example"

// photoSite is a shop with real image files.
type photoSite struct {
	*pageSite
	dir    string
	config tenants.Config
	all    *tenants.Tenants
	key    string // of the API, for staff
}

// newPhotoSite opens a shop with one product. quota is of its images; 0 means the default.
func newPhotoSite(t *testing.T, quota int64) *photoSite {
	t.Helper()
	clock := shoptest.NewClock()
	s := &photoSite{dir: t.TempDir()}
	s.config = tenants.Config{Dir: s.dir, Schema: shoptest.Schema(t), Now: clock.Now, MediaQuota: quota, PublicURL: "https://api.agency.example"}
	s.open(t)
	one, err := s.all.Create(t.Context(), "test", shoptest.Raw(t, map[string]any{
		"name": "Test", "currency": "BDT", "country": "BD", "secondLocale": "bn",
	}))
	if err != nil {
		t.Fatal(err)
	}
	created, _, err := one.Staff.CreateAPIKey(t.Context(), access.Operator(), staff.APIKeyInput{Label: "test", Scopes: []staff.Scope{"*"}})
	if err != nil {
		t.Fatal(err)
	}
	s.key = "Bearer " + created
	s.pageSite = &pageSite{clock: clock, site: newSiteOf(t, one, func(cfg *server.Config) {
		cfg.Tenants, cfg.Now, cfg.SiteURL = s.all, clock.Now, "http://shops.example"
	})}
	s.tea = s.create(t, catalogue.ProductInput{Title: "Tea", Handle: "tea", Variants: []catalogue.VariantInput{{Price: 13_000}}})
	return s
}

// open opens the data folder, as after a crash if it was open.
func (s *photoSite) open(t *testing.T) {
	t.Helper()
	all, err := tenants.Open(s.config)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = all.Close(t.Context()) })
	s.all = all
}

// files returns the names of the shop's stored files of images.
func (s *photoSite) files(t *testing.T) (names []string) {
	t.Helper()
	err := filepath.WalkDir(s.dir, func(path string, entry fs.DirEntry, err error) error {
		if err == nil && !entry.IsDir() && slices.Contains([]string{".jpg", ".png"}, filepath.Ext(path)) {
			names = append(names, path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return names
}

func (s *photoSite) sweep(t *testing.T) {
	t.Helper()
	if _, err := s.shop.Catalogue.SweepMedia(t.Context()); err != nil {
		t.Fatal(err)
	}
}

// sendPhoto sends a review with a photo, as the form of the order's page does.
func (s *photoSite) sendPhoto(t *testing.T, placed *order.Placed, form url.Values, photo []byte) webPage {
	t.Helper()
	b, address := s.browser(), photoHost+"/orders/"+placed.InvoiceUID
	b.get(t, address+"?k="+placed.OrderToken)
	return b.upload(t, address+"/review", form, "photo.jpg", photo)
}

// upload sends a form with a file in the field photo, and returns the response.
func (b *browser) upload(t *testing.T, address string, form url.Values, name string, photo []byte) webPage {
	t.Helper()
	var body bytes.Buffer
	parts := multipart.NewWriter(&body)
	for field, values := range form {
		for _, value := range values {
			if err := parts.WriteField(field, value); err != nil {
				t.Fatal(err)
			}
		}
	}
	part, err := parts.CreateFormFile("photo", name)
	if err == nil {
		_, err = part.Write(photo)
	}
	if err == nil {
		err = parts.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
	return b.sendBody(t, http.MethodPost, address, parts.FormDataContentType(), &body)
}

// phonePhoto returns a JPEG with a place in its metadata. Others differ in number.
func phonePhoto(t *testing.T, number int) []byte {
	t.Helper()
	img := image.NewRGBA(image.Rect(0, 0, 900, 1200))
	for y := range 1200 {
		for x := range 900 {
			img.Set(x, y, color.RGBA{uint8(x / 4), uint8(y / 5), uint8(40 * number), 255})
		}
	}
	var b bytes.Buffer
	if err := jpeg.Encode(&b, img, nil); err != nil {
		t.Fatal(err)
	}
	metadata := []byte("Exif\x00\x00II*\x00\x08\x00\x00\x00\x00\x00\x00\x00\x00\x00GPS 23.7806,90.2794")
	segment := binary.BigEndian.AppendUint16([]byte{0xff, 0xe1}, uint16(len(metadata)+2))
	return slices.Concat(b.Bytes()[:2], segment, metadata, b.Bytes()[2:])
}

// photoPath returns the path of a photo's URL at the server.
func photoPath(t *testing.T, photo *catalogue.Image) string {
	t.Helper()
	if photo == nil {
		t.Fatal("the review has no photo")
	}
	return photo.URL[strings.Index(photo.URL, "/media/"):]
}

// A buyer without scripts sends a photo with a review. Nobody but staff sees it before the review
// is published, and only without its metadata.
func TestSite_ReviewPhoto(t *testing.T) {
	t.Parallel()
	s := newPhotoSite(t, 0)
	placed := s.delivered(t, s.tea.ID)
	b := s.browser()
	order := photoHost + "/orders/" + placed.InvoiceUID + "?k=" + placed.OrderToken
	b.get(t, order).has(http.StatusOK, `enctype="multipart/form-data"`, `type="file" name="photo"`)
	s.sendPhoto(t, placed, reviewOf(placed, s.tea.ID, "5", "As on the picture"), phonePhoto(t, 1)).has(http.StatusSeeOther)
	b.get(t, order).has(http.StatusOK, "Remove my photo")

	pending := s.reviews(t)[0]
	at := photoPath(t, pending.Photo)
	s.get(at).problem(http.StatusNotFound, fault.CodeNotFound)
	if got := s.get(at, "Authorization", s.key); got.status != http.StatusOK {
		t.Errorf("staff: got %d, want the pending photo", got.status)
	}
	s.get("/admin/v1/shops/test/media/"+pending.Photo.ID, "Authorization", s.key).problem(http.StatusNotFound, fault.CodeNotFound)
	s.send("POST", "/admin/v1/shops/test/products", `{"title":"Mug","images":[{"mediaId":"`+pending.Photo.ID+`"}],"variants":[{"price":1}]}`,
		"Authorization", s.key).problem(http.StatusUnprocessableEntity, fault.CodeValidationFailed)

	s.publish(t, pending.ID)
	shown := b.get(t, photoHost+"/products/tea")
	shown.has(http.StatusOK, `alt="Photo of a buyer" sizes="160px" loading="lazy"`, `/320.jpg 320w`, `width="160" height="213"`,
		`"image":"`+photoHost+at+`"`)
	got := s.get(at)
	if got.status != http.StatusOK || got.header.Get("Cache-Control") != "public, max-age=31536000, s-maxage=86400, immutable" ||
		got.header.Get("Content-Security-Policy") != "default-src 'none'; sandbox" {
		t.Errorf("published: got %d %v, want the photo", got.status, got.header)
	}
	if bytes.Contains(got.body, []byte("GPS")) || !bytes.HasPrefix(got.body, []byte("\xff\xd8\xff")) {
		t.Error("the photo is not a JPEG without metadata")
	}

	// The buyer changes the text: the photo remains, and waits with it.
	s.sendPhoto(t, placed, reviewOf(placed, s.tea.ID, "4", "Another text"), nil).has(http.StatusSeeOther)
	s.get(at).problem(http.StatusNotFound, fault.CodeNotFound)
	again := s.reviews(t)[0]
	if again.Status != review.Pending || photoPath(t, again.Photo) != at || again.Version == pending.Version {
		t.Fatalf("got %+v, want the photo in another version", again)
	}
	// Another photo replaces it, and then none.
	s.sendPhoto(t, placed, reviewOf(placed, s.tea.ID, "4", "Another text"), phonePhoto(t, 2)).has(http.StatusSeeOther)
	if now := s.reviews(t)[0]; photoPath(t, now.Photo) == at || now.Version == again.Version {
		t.Fatalf("got %+v, want the other photo", now)
	}
	s.sweep(t)
	s.get(at, "Authorization", s.key).problem(http.StatusNotFound, fault.CodeNotFound)
	without := reviewOf(placed, s.tea.ID, "4", "Another text")
	without.Set("remove", "1")
	s.sendPhoto(t, placed, without, nil).has(http.StatusSeeOther)
	s.sweep(t)
	if files := s.files(t); len(files) > 0 || s.reviews(t)[0].Photo != nil {
		t.Errorf("got files %v, want none", files)
	}
}

// bomb returns a PNG of few bytes that states these dimensions.
func bomb(width, height uint32) []byte {
	chunk := []byte("IHDR")
	chunk = binary.BigEndian.AppendUint32(chunk, width)
	chunk = binary.BigEndian.AppendUint32(chunk, height)
	chunk = append(chunk, 8, 6, 0, 0, 0)
	b := append([]byte("\x89PNG\r\n\x1a\n\x00\x00\x00\x0d"), chunk...)
	return binary.BigEndian.AppendUint32(b, crc32.ChecksumIEEE(chunk))
}

// What is no photo, or comes from a stranger, is not stored, and the buyer's text is not lost.
func TestSite_ReviewPhotoHostile(t *testing.T) {
	t.Parallel()
	s := newPhotoSite(t, 0)
	placed := s.delivered(t, s.tea.ID)
	good := phonePhoto(t, 1)
	form := reviewOf(placed, s.tea.ID, "5", "Kept <b>")
	for name, photo := range map[string][]byte{
		"SVG":       []byte(`<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>`),
		"HTML":      []byte("<!doctype html><script>alert(1)</script>"),
		"Polyglot":  []byte("GIF89a/*\x00\x00*/=1;alert(1)//<script>alert(1)</script>"),
		"ZIP":       append([]byte("PK\x03\x04"), good...),
		"Bomb":      bomb(12_000, 12_000),
		"Endless":   bomb(1<<31-1, 1<<31-1),
		"Truncated": good[:len(good)/2],
	} {
		t.Run(name, func(t *testing.T) {
			page := s.sendPhoto(t, placed, form, photo)
			page.has(http.StatusUnprocessableEntity, "This photo could not be read.", "Kept &lt;b&gt;</textarea>")
		})
	}
	stranger := reviewOf(placed, s.tea.ID, "5", "Mine")
	stranger.Set("k", placed.OrderToken+"x")
	s.sendPhoto(t, placed, stranger, good).has(http.StatusNotFound)
	s.sendPhoto(t, placed, reviewOf(placed, "none", "5", "Not bought"), good).has(http.StatusNotFound)
	open, err := s.shop.Orders.PlaceOrder(t.Context(), access.Caller{}, shoptest.GuestOrder(s.tea.ID, 1), "")
	if err != nil {
		t.Fatal(err)
	}
	s.sendPhoto(t, open, reviewOf(open, s.tea.ID, "5", "Too early"), good).has(http.StatusSeeOther)
	s.sendPhoto(t, placed, reviewOf(placed, s.tea.ID, "6", "No rating"), good).has(http.StatusUnprocessableEntity)
	s.sendPhoto(t, placed, form, append(good, make([]byte, 13<<20)...)).has(http.StatusRequestEntityTooLarge, "The photo is too large")
	many := url.Values{"x": slices.Repeat([]string{""}, 20)}
	s.sendPhoto(t, placed, many, good).has(http.StatusBadRequest)
	s.browser().sendBody(t, http.MethodPost, photoHost+"/orders/"+placed.InvoiceUID+"/review", "multipart/form-data", strings.NewReader("x")).
		has(http.StatusBadRequest)
	s.browser().upload(t, photoHost+"/cart", url.Values{"product": {"tea"}}, "photo.jpg", good).has(http.StatusBadRequest)
	if files := s.files(t); len(files) > 0 || len(s.reviews(t)) > 0 {
		t.Errorf("got files %v and reviews %v, want none", files, s.reviews(t))
	}
	// An image with a script behind it becomes an image.
	s.sendPhoto(t, placed, form, append(slices.Clone(good), "<script>alert(1)</script>"...)).has(http.StatusSeeOther)
	if got := s.get(photoPath(t, s.reviews(t)[0].Photo), "Authorization", s.key); bytes.Contains(got.body, []byte("script")) {
		t.Error("the stored photo has a script")
	}
}

// Photos of buyers are limited by order, and never use up what the shop has for its own pictures.
func TestSite_ReviewPhotoLimits(t *testing.T) {
	t.Parallel()
	s := newPhotoSite(t, 0)
	placed := s.delivered(t, s.tea.ID)
	for i := range 11 {
		page := s.sendPhoto(t, placed, reviewOf(placed, s.tea.ID, "5", "Again"), shoptest.PNG(t, 20, 20, i))
		if i < 10 {
			page.has(http.StatusSeeOther)
			continue
		}
		page.has(http.StatusUnprocessableEntity, "The photo could not be saved.")
	}
	s.sendPhoto(t, placed, reviewOf(placed, s.tea.ID, "4", "Without"), nil).has(http.StatusSeeOther)
	s.clock.Advance(time.Hour)
	s.sendPhoto(t, placed, reviewOf(placed, s.tea.ID, "5", "Later"), shoptest.PNG(t, 20, 20, 11)).has(http.StatusSeeOther)
	s.sweep(t)
	if files := s.files(t); len(files) != 2 { // with the preview
		t.Errorf("got files %v, want those of one photo", files)
	}

	small := newPhotoSite(t, 300<<10) // each photo has about 56 KiB
	for i, want := range []int{http.StatusSeeOther, http.StatusUnprocessableEntity} {
		placed := small.delivered(t, small.tea.ID)
		small.sendPhoto(t, placed, reviewOf(placed, small.tea.ID, "5", "Photo"), phonePhoto(t, i)).has(want)
	}
	upload := small.send("POST", "/admin/v1/shops/test/media", string(phonePhoto(t, 5)), "Authorization", small.key, "Content-Type", "image/jpeg")
	if upload.status != http.StatusCreated {
		t.Errorf("got %d, want that staff can still upload", upload.status)
	}
}

// The photo of a rejected review, and of an erased buyer, is deleted, also if the program ends
// before the files are. What staff uploaded themselves stays.
func TestSite_ReviewPhotoDeleted(t *testing.T) {
	t.Parallel()
	s := newPhotoSite(t, 0)
	var sent []review.Review
	var buyers []*order.Placed
	for i := range 4 {
		placed := s.delivered(t, s.tea.ID)
		s.sendPhoto(t, placed, reviewOf(placed, s.tea.ID, "5", "Photo"), phonePhoto(t, min(i, 2))).has(http.StatusSeeOther)
		s.publish(t, s.reviews(t)[0].ID)
		sent, buyers = append(sent, s.reviews(t)[0]), append(buyers, placed)
		s.clock.Advance(time.Minute)
	}
	s.send("POST", "/admin/v1/shops/test/media", string(phonePhoto(t, 1)), "Authorization", s.key, "Content-Type", "image/jpeg").
		ok(http.StatusOK, new(any))
	var rejected review.Review
	for _, one := range sent[:2] {
		s.send("POST", "/admin/v1/shops/test/reviews/"+one.ID+"/reject", "", "Authorization", s.key).ok(http.StatusOK, &rejected)
		if rejected.Photo != nil {
			t.Errorf("got %+v, want no photo", rejected)
		}
	}
	s.get(photoPath(t, sent[0].Photo)).problem(http.StatusNotFound, fault.CodeNotFound)

	s.open(t) // the program ended before the sweep
	one, err := s.all.Shop(t.Context(), "test")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := one.Catalogue.SweepMedia(t.Context()); err != nil {
		t.Fatal(err)
	}
	for i, want := range []int{http.StatusNotFound, http.StatusOK, http.StatusOK} {
		if got := s.get(photoPath(t, sent[i].Photo), "Authorization", s.key); got.status != want {
			t.Errorf("photo %d: got %d, want %d", i, got.status, want)
		}
	}

	// Two reviews have the last photo: it is deleted with the second.
	s.send("POST", "/admin/v1/shops/test/reviews/"+sent[2].ID+"/reject", "", "Authorization", s.key).ok(http.StatusOK, &rejected)
	s.sweep(t)
	if got := s.get(photoPath(t, sent[3].Photo)); got.status != http.StatusOK {
		t.Errorf("got %d, want the photo of the other review", got.status)
	}
	if _, err := s.shop.DeleteCustomer(t.Context(), access.Operator(), buyers[3].Customer.PhoneNumber); err != nil {
		t.Fatal(err)
	}
	s.get(photoPath(t, sent[3].Photo)).problem(http.StatusNotFound, fault.CodeNotFound)
	s.sweep(t)
	s.get(photoPath(t, sent[3].Photo), "Authorization", s.key).problem(http.StatusNotFound, fault.CodeNotFound)
	s.browser().get(t, photoHost+"/products/tea").has(http.StatusOK, "5.0 · 1 review")
}

// Pages show uploaded pictures from their own host: the server's public URL is a further
// connection, and leads nowhere on a server that was just rented. With a CDN they are there.
func TestSite_PicturesAtOwnHost(t *testing.T) {
	t.Parallel()
	s := newPhotoSite(t, 0)
	var picture catalogue.Media
	s.send("POST", "/admin/v1/shops/test/media", string(shoptest.PNG(t, 640, 480, 1)), "Authorization", s.key, "Content-Type", "image/png").
		ok(http.StatusCreated, &picture)
	s.send("PATCH", "/admin/v1/shops/test/products/tea", `{"images":[{"mediaId":"`+picture.ID+`"}]}`, "Authorization", s.key).ok(http.StatusOK, new(any))
	path := "/media/test/" + picture.ID + "/"
	page := s.browser().get(t, photoHost+"/products/tea")
	page.has(http.StatusOK, `src="`+path, `srcset="`+path, `<meta property="og:image" content="`+photoHost+path)
	page.lacks("api.agency.example" + path)
	s.browser().get(t, photoHost+page.find(`src="(/media/[^"]*)"`)).has(http.StatusOK)
	s.browser().get(t, photoHost+"/feed.xml").has(http.StatusOK, "<g:image_link>"+photoHost+path)

	s.set(t, "mediaUrl", `"https://cdn.example"`)
	s.browser().get(t, photoHost+"/products/tea").has(http.StatusOK, `src="https://cdn.example`+path, `content="https://cdn.example`+path)
}

// A shop takes the photos of its reviews along to another server.
func TestSite_ReviewPhotoExported(t *testing.T) {
	t.Parallel()
	s := newPhotoSite(t, 0)
	placed := s.delivered(t, s.tea.ID)
	s.sendPhoto(t, placed, reviewOf(placed, s.tea.ID, "5", "As on the picture"), phonePhoto(t, 1)).has(http.StatusSeeOther)
	s.publish(t, s.reviews(t)[0].ID)

	var export bytes.Buffer
	images := filepath.Join(t.TempDir(), "images")
	if err := s.all.Export(t.Context(), "test", &export); err != nil {
		t.Fatal(err)
	}
	if copied, missing, err := s.all.ExportImages(t.Context(), "test", images); err != nil || copied != 1 || len(missing) > 0 {
		t.Fatalf("got %d images, %v missing, %v, want one", copied, missing, err)
	}
	other := &photoSite{dir: t.TempDir()}
	other.config = s.config
	other.config.Dir = other.dir
	other.open(t)
	if _, err := other.all.Import(t.Context(), tenants.ImportOptions{From: &export, As: "moved", Images: images}); err != nil {
		t.Fatal(err)
	}
	err := other.all.Resume(t.Context(), access.Operator(), "moved") // an import is closed until then
	if err != nil {
		t.Fatal(err)
	}
	moved, err := other.all.Shop(t.Context(), "moved")
	if err != nil {
		t.Fatal(err)
	}
	other.pageSite = &pageSite{clock: s.clock, site: newSiteOf(t, moved, func(cfg *server.Config) {
		cfg.Tenants, cfg.Now, cfg.SiteURL = other.all, s.clock.Now, "http://shops.example"
	})}
	page := other.browser().get(t, "http://moved.shops.example/products/tea")
	page.has(http.StatusOK, "As on the picture")
	other.browser().get(t, "http://moved.shops.example"+page.find(`src="(/media/moved/[^"]*)"`)).has(http.StatusOK)
}
