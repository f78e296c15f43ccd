//go:build s3

package e2e

import (
	"bytes"
	"errors"
	"io/fs"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"testing"

	"storefront/bucket"
	"storefront/media"
	"storefront/media/mediatest"
)

// Images are stored in, and served from, storage that speaks S3; the data folder has none of them.
func TestMedia_InS3(t *testing.T) {
	s := newS3(t)
	s.start()
	address, err := url.Parse(s.address)
	if err != nil {
		t.Fatal(err)
	}
	objects, err := bucket.Open(address)
	if err != nil {
		t.Fatal(err)
	}
	img := mediatest.Processed(t, 400)
	store := media.NewBucket(objects, "")
	name := media.NameOf(img, img.Files[0])
	if _, err := store.Open(t.Context(), "acme", name); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("before: got %v, want ErrNotExist", err)
	}
	for range 2 { // the same again changes nothing
		if err := store.Put(t.Context(), "acme", img); err != nil {
			t.Fatal(err)
		}
	}
	var names []media.Name
	for name, err := range store.List(t.Context(), "acme") {
		if err != nil {
			t.Fatal(err)
		}
		names = append(names, name)
	}
	if len(names) != 3 || names[0] != name {
		t.Errorf("got %v, want three files, the largest first", names)
	}

	data := newShop(t, "acme", 1)
	upload := filepath.Join(t.TempDir(), "upload.png")
	if err := os.WriteFile(upload, mediatest.PNG(t, 400, 9), 0o600); err != nil {
		t.Fatal(err)
	}
	run(t, "api", "acme", "uploadMedia", "--body", upload, "--data", data, "--media-storage", s.address)
	p := serve(t, "--data", data, "--rate", "0", "--media-storage", s.address)
	path := "/media/acme/" + img.ID + "/400.jpg"
	whole := p.must(request{method: "GET", path: path})
	if !bytes.Equal(whole.body, img.Files[0].Data) {
		t.Errorf("got %d bytes, want %d", len(whole.body), len(img.Files[0].Data))
	}
	part := p.must(request{method: "GET", path: path, header: map[string]string{"Range": "bytes=10-19"}})
	if part.status != http.StatusPartialContent || !bytes.Equal(part.body, img.Files[0].Data[10:20]) {
		t.Errorf("a range: got %d, %q, want bytes 10 to 19", part.status, part.body)
	}
	if err := store.Delete(t.Context(), "acme", img.ID); err != nil {
		t.Fatal(err)
	}
	if got, err := p.do(request{method: "GET", path: path}); err != nil || got.status != http.StatusNotFound {
		t.Errorf("deleted: got %d, %v, want 404", got.status, err)
	}
	wantWithheld(t, p, data)
}
