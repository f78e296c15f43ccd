package catalogue_test

import (
	"errors"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"storefront/shop/access"
	"storefront/shop/catalogue"
	"storefront/shop/fault"
	"storefront/shop/shoptest"
)

// mustUpload stores an image and returns its ID.
func mustUpload(t *testing.T, a *shoptest.Accounts, number int) string {
	t.Helper()
	m, _, err := a.Catalogue.UploadMedia(t.Context(), access.Operator(), catalogue.MediaUpload{
		ContentType: "image/png", Body: shoptest.PNG(t, 100, 100, number),
	})
	if err != nil {
		t.Fatal(err)
	}
	return m.ID
}

// sweep runs a sweep that finds the time d later.
func sweep(t *testing.T, a *shoptest.Accounts, d time.Duration) (next time.Time) {
	t.Helper()
	a.Clock.Advance(d)
	next, err := a.Catalogue.SweepMedia(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return next
}

const day = 24 * time.Hour

// The files of an image are deleted 45 days after it was last used, and not before.
func TestSweepMedia(t *testing.T) {
	t.Parallel()
	a := shoptest.NewAccounts(t)
	if next := sweep(t, a, 0); !next.IsZero() {
		t.Errorf("got a sweep due at %v, want none without images", next)
	}
	unused, used, deleted := mustUpload(t, a, 1), mustUpload(t, a, 2), mustUpload(t, a, 3)
	a.Exec(t, `INSERT INTO collections (id, handle, title, title_key, description_html, image_url, image_alt, position, created_at, updated_at, media_id)
		VALUES ('c', 'c', 'C', 'c', '', 'x', '', 1, 0, 0, ?)`, used)
	if err := a.Catalogue.DeleteMedia(t.Context(), access.Operator(), deleted, catalogue.MediaDeletion{}); err != nil {
		t.Fatal(err)
	}
	start := a.Clock.Now()
	if next := sweep(t, a, 0); !next.Equal(start.Add(catalogue.MediaRetention)) {
		t.Errorf("got the next sweep at %v, want it when the first is due", next)
	}
	sweep(t, a, 20*day)
	if n := a.Number(t, `SELECT COUNT(*) FROM media WHERE unused_at IS NOT NULL`); n != 2 {
		t.Errorf("got %d unused images, want those that nothing shows", n)
	}
	// Used for a time, an image is unused from the end of it.
	a.Exec(t, `UPDATE collections SET media_id = ?`, unused)
	sweep(t, a, day)
	a.Exec(t, `UPDATE collections SET media_id = ?`, used)
	sweep(t, a, day)
	sweep(t, a, 23*day-time.Millisecond)
	if ids := a.Media.IDs(); len(ids) != 3 {
		t.Errorf("before 45 days: got files of %v, want those of all", ids)
	}
	sweep(t, a, time.Hour)
	if got := a.Media.IDs(); len(got) != 2 || a.Number(t, `SELECT COUNT(*) FROM media`) != 2 {
		t.Errorf("after 45 days: got files of %v, want none of the deleted image %s", got, deleted)
	}
	sweep(t, a, 22*day)
	if diff := cmp.Diff([]string{used}, a.Media.IDs()); diff != "" {
		t.Errorf("45 days after the last use (-want +got):\n%s", diff)
	}
	if next := sweep(t, a, day); !next.IsZero() {
		t.Errorf("got a sweep due at %v, want none while all images are used", next)
	}
}

// An image that becomes due while a sweep is under way is spared as well, if a line of an order
// shows it.
func TestSweepMedia_DueMeanwhile(t *testing.T) {
	t.Parallel()
	a := shoptest.NewAccounts(t)
	id := mustUpload(t, a, 1)
	a.InsertOrder(t, "0123456789ABCDE0", shoptest.RahimsPhone)
	a.Exec(t, `
		INSERT INTO order_items (order_number, position, product_id, variant_id, title, variant_title, sku, image_url, quantity, unit_price,
			discount, stock_taken)
		VALUES (1, 1, 'mug', 'large', 'Mug', '', '', ?, 1, 100, 0, 0)`, "media:"+id+"/100.png")
	for after := range 20 { // milliseconds from the beginning of a sweep, each of whose transactions takes one
		a.Clock.Advance(2 * time.Hour)
		due := a.Clock.Now().Add(time.Duration(after) * time.Millisecond)
		a.Exec(t, `UPDATE media SET unused_at = ?`, due.Add(-catalogue.MediaRetention).UnixMilli())
		a.Clock.OnRead(func() { a.Clock.Advance(time.Millisecond) })
		if _, err := a.Catalogue.SweepMedia(t.Context()); err != nil {
			t.Fatal(err)
		}
		a.Clock.OnRead(nil)
		if diff := cmp.Diff([]string{id}, a.Media.IDs()); diff != "" {
			t.Fatalf("due after %d ms (-want +got):\n%s", after, diff)
		}
	}
}

// The files are stored for longer if a replica reaches further back.
func TestSweepMedia_LongRetention(t *testing.T) {
	t.Parallel()
	a := shoptest.NewAccounts(t)
	a.Config.MediaRetention = 100 * day
	a = a.Reopened()
	id := mustUpload(t, a, 1)
	if next := sweep(t, a, 0); !next.Equal(a.Clock.Now().Add(100 * day)) {
		t.Errorf("got the next sweep at %v, want it in 100 days", next)
	}
	sweep(t, a, 100*day-time.Minute)
	if diff := cmp.Diff([]string{id}, a.Media.IDs()); diff != "" {
		t.Errorf("before 100 days (-want +got):\n%s", diff)
	}
	sweep(t, a, time.Hour)
	if ids := a.Media.IDs(); len(ids) != 0 {
		t.Errorf("after 100 days: got files of %v, want none", ids)
	}
}

// A purge that did not end is continued, by another process too, and the image cannot be used
// meanwhile.
func TestSweepMedia_Interrupted(t *testing.T) {
	t.Parallel()
	a := shoptest.NewAccounts(t)
	id := mustUpload(t, a, 1)
	a.Media.Before = func(operation, _ string) error {
		if operation == "delete" {
			return errors.New("disk failed")
		}
		return nil
	}
	if err := a.Catalogue.DeleteMedia(t.Context(), access.Operator(), id, catalogue.MediaDeletion{Now: true}); err == nil {
		t.Fatal("got no error, want that of the disk")
	}
	a.Media.Before = nil
	_, _, err := a.Catalogue.UploadMedia(t.Context(), access.Operator(), catalogue.MediaUpload{
		ContentType: "image/png", Body: shoptest.PNG(t, 100, 100, 1),
	})
	shoptest.WantCode(t, err, fault.CodeUnavailable)
	again := a.Reopened()
	sweep(t, again, 0)
	if ids := a.Media.IDs(); len(ids) != 0 || a.Number(t, `SELECT COUNT(*) FROM media`) != 0 {
		t.Errorf("got files of %v, want none", ids)
	}
	if mustUpload(t, a, 1) != id {
		t.Error("got another image, want the same again")
	}
}

// An upload that ends between the files and the row leaves files without a row, and the next upload
// of the image completes it.
func TestUploadMedia_NoRow(t *testing.T) {
	t.Parallel()
	a := shoptest.NewAccounts(t)
	a.Media.Before = func(operation, _ string) error {
		if operation == "put" {
			a.Exec(t, `INSERT INTO media (id, alt, alt_key, width, height, bytes, format, renditions, created_at)
				SELECT 'full', '', '', 1, 1, 6000000000, 'png', '[[1,1]]', 0`) // the row cannot be inserted
		}
		return nil
	}
	_, _, err := a.Catalogue.UploadMedia(t.Context(), access.Operator(), catalogue.MediaUpload{
		ContentType: "image/png", Body: shoptest.PNG(t, 100, 100, 1),
	})
	shoptest.WantCode(t, err, fault.CodeQuotaReached)
	if len(a.Media.IDs()) != 1 || a.Number(t, `SELECT COUNT(*) FROM media WHERE id <> 'full'`) != 0 {
		t.Errorf("got files of %v, want files without a row", a.Media.IDs())
	}
	a.Media.Before = nil
	a.Exec(t, `DELETE FROM media WHERE id = 'full'`)
	mustUpload(t, a, 1)
	if n := a.Number(t, `SELECT COUNT(*) FROM media`); n != 1 {
		t.Errorf("got %d images want 1", n)
	}
}
