package tenants_test

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"testing"

	"storefront/media"
	"storefront/media/mediatest"
	"storefront/shop/fault"
	"storefront/shop/picture"
)

// Only the files of images are served from the data folder, whatever a URL has.
func TestOpenImage(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	all := open(t, dir, nil)
	create(t, all, "acme")
	img := mediatest.Processed(t, 200)
	if err := media.NewFolder(filepath.Join(dir, "media"), nil).Put(t.Context(), "acme", img); err != nil {
		t.Fatal(err)
	}
	for _, f := range img.Files {
		name := media.NameOf(img, f).File()
		got, err := all.OpenImage(t.Context(), "acme", img.ID, name)
		if err != nil {
			t.Fatal(err)
		}
		content, err := io.ReadAll(got)
		if err != nil || !bytes.Equal(content, f.Data) || got.Type != "image/jpeg" || got.ETag != img.ID+"-"+name {
			t.Errorf("%s: got %d bytes of %s, %s, %v", name, len(content), got.Type, got.ETag, err)
		}
		if err := got.Close(); err != nil {
			t.Error(err)
		}
	}
	folder := filepath.Join(dir, "media", "acme", img.ID[:2], img.ID)
	preview := picture.PreviewFile(img.Widths())
	if err := os.Remove(filepath.Join(folder, preview)); err != nil { // as in images of an earlier version
		t.Fatal(err)
	}
	if got, err := all.OpenImage(t.Context(), "acme", img.ID, preview); err != nil || got.Type != "image/jpeg" || got.Close() != nil {
		t.Errorf("a preview that is missing: got %v, %v", got, err)
	}
	if _, err := os.Stat(filepath.Join(folder, preview)); err != nil {
		t.Error("the preview is not stored")
	}
	if err := os.Symlink(filepath.Join(dir, "key"), filepath.Join(folder, "7.jpg")); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(folder, "notes.txt"), []byte("notes"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, path := range [][3]string{
		{"acme", img.ID, "7.jpg"}, {"acme", img.ID, "notes.txt"}, {"acme", img.ID, "."}, {"acme", img.ID, ""}, {"acme", img.ID, "161.jpg"},
		{"acme", img.ID, "preview-161.jpg"},
		{"acme", img.ID, "../" + img.ID + "/200.jpg"}, {"acme", "..", "200.jpg"}, {"acme", "", "200.jpg"}, {"ACME", img.ID, "200.jpg"},
		{"..", img.ID, "200.jpg"}, {"", img.ID, "200.jpg"}, {"acme/../acme", img.ID, "200.jpg"}, {"other", img.ID, "200.jpg"},
		{"..", "media", "key"}, {"acme\x00", img.ID, "200.jpg"},
	} {
		got, err := all.OpenImage(t.Context(), path[0], path[1], path[2])
		if !fault.HasCode(err, fault.CodeNotFound) {
			t.Errorf("%q: got %v, %v, want not_found", path, got, err)
		}
	}
}
