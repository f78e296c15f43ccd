package server_test

import (
	"context"
	"encoding/json"
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
		ID: got.ID, URL: "/media/test/" + got.ID + "/640.png", Alt: "Red panjabi", Width: 640, Height: 480, Bytes: 800,
		Renditions: []catalogue.Rendition{
			{Width: 640, Height: 480, URL: "/media/test/" + got.ID + "/640.png"}, {Width: 160, Height: 120, URL: "/media/test/" + got.ID + "/160.png"},
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
