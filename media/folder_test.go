package media_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"time"

	"storefront/media"
	"storefront/shop/picture"
)

// images returns processed images: one of several files, and one of one file.
func images(t testing.TB) (large, small picture.Image) {
	t.Helper()
	return process(t, "image/jpeg", encoded(t, 700, 500)), process(t, "image/png", sample(t, "rgba.png"))
}

// read returns the content of a file of a store.
func read(t testing.TB, s media.Store, shop string, name media.Name) []byte {
	t.Helper()
	file, err := s.Open(t.Context(), shop, name)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	data, err := io.ReadAll(file)
	if err != nil || file.Size() != int64(len(data)) {
		t.Fatalf("read %v: got %d bytes of %d, %v", name, len(data), file.Size(), err)
	}
	return data
}

// stored returns the names of all files of a shop.
func stored(t testing.TB, s media.Store, shop string) (names []media.Name) {
	t.Helper()
	for name, err := range s.List(t.Context(), shop) {
		if err != nil {
			t.Fatal(err)
		}
		names = append(names, name)
	}
	return names
}

// testStore tests what every store promises.
func testStore(t *testing.T, s media.Store) {
	t.Helper()
	ctx := t.Context()
	large, small := images(t)
	if names := stored(t, s, "acme"); len(names) != 0 {
		t.Errorf("before: got %v, want nothing", names)
	}
	if _, err := s.Open(ctx, "acme", media.NameOf(large, large.Files[0])); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a missing file: got %v, want ErrNotExist", err)
	}
	if err := s.Delete(ctx, "acme", large.ID); err != nil {
		t.Errorf("delete a missing image: got %v", err)
	}
	for _, img := range []picture.Image{large, small, large} { // the same again changes nothing
		if err := s.Put(ctx, "acme", img); err != nil {
			t.Fatal(err)
		}
	}
	want := append(media.Names(large.ID, large.Width, large.Format), media.Names(small.ID, small.Width, small.Format)...)
	if small.ID < large.ID {
		want = append(media.Names(small.ID, small.Width, small.Format), media.Names(large.ID, large.Width, large.Format)...)
	}
	if names := stored(t, s, "acme"); !slices.Equal(names, want) {
		t.Errorf("got %v, want %v", names, want)
	}
	for _, f := range large.Files {
		if got := read(t, s, "acme", media.NameOf(large, f)); !bytes.Equal(got, f.Data) {
			t.Errorf("%v: got other content", media.NameOf(large, f))
		}
	}
	if _, err := s.Open(ctx, "other", media.NameOf(large, large.Files[0])); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("another shop's file: got %v, want ErrNotExist", err)
	}
	if names := stored(t, s, "other"); len(names) != 0 {
		t.Errorf("another shop: got %v, want nothing", names)
	}
	if err := s.Delete(ctx, "acme", large.ID); err != nil {
		t.Fatal(err)
	}
	if names := stored(t, s, "acme"); !slices.Equal(names, media.Names(small.ID, small.Width, small.Format)) {
		t.Errorf("after the deletion: got %v, want the other image", names)
	}
	if err := s.Put(ctx, "acme", large); err != nil { // again
		t.Fatal(err)
	}
	if names := stored(t, s, "acme"); !slices.Equal(names, want) {
		t.Errorf("stored again: got %v, want %v", names, want)
	}
}

func TestFolder(t *testing.T) {
	t.Parallel()
	testStore(t, media.NewFolder(filepath.Join(t.TempDir(), "media"), nil))
}

// Many uploads of one image at once, and deletions in between, leave all of it or nothing.
func TestFolder_Concurrent(t *testing.T) {
	t.Parallel()
	s := media.NewFolder(filepath.Join(t.TempDir(), "media"), nil)
	large, _ := images(t)
	var running sync.WaitGroup
	for i := range 24 {
		running.Go(func() {
			var err error
			if i%4 == 3 {
				err = s.Delete(t.Context(), "acme", large.ID)
			} else {
				err = s.Put(t.Context(), "acme", large)
			}
			if err != nil && !errors.Is(err, fs.ErrNotExist) { // deleted while it was stored
				t.Error(err)
			}
		})
	}
	running.Wait()
	if names := stored(t, s, "acme"); len(names) != 0 && !slices.Equal(names, media.Names(large.ID, large.Width, large.Format)) {
		t.Errorf("got %v, want the whole image or nothing", names)
	}
}

// A process that is killed leaves a temporary folder: it is no image, and is removed later.
func TestFolder_Leftovers(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "media")
	s := media.NewFolder(dir, nil)
	large, small := images(t)
	if err := s.Put(t.Context(), "acme", small); err != nil {
		t.Fatal(err)
	}
	old, running := filepath.Join(dir, "acme", ".part-OLD"), filepath.Join(dir, "acme", ".part-RUNNING")
	for _, part := range []string{old, running} {
		if err := os.Mkdir(part, 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(part, "700.jpg"), []byte("half"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	hours := time.Now().Add(-2 * time.Hour)
	if err := os.Chtimes(old, hours, hours); err != nil {
		t.Fatal(err)
	}
	if names := stored(t, s, "acme"); len(names) != 1 {
		t.Errorf("got %v, want one file", names)
	}
	if err := s.Put(t.Context(), "acme", large); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(old); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the leftover: got %v, want it removed", err)
	}
	if _, err := os.Stat(running); err != nil {
		t.Errorf("that of a running process: got %v, want it kept", err)
	}
}

// Storing an image again replaces what is damaged or missing.
func TestFolder_Damaged(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "media")
	s := media.NewFolder(dir, nil)
	large, _ := images(t)
	if err := s.Put(t.Context(), "acme", large); err != nil {
		t.Fatal(err)
	}
	folder := filepath.Join(dir, "acme", large.ID[:2], large.ID)
	if err := os.WriteFile(filepath.Join(folder, "700.jpg"), large.Files[0].Data[:100], 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(filepath.Join(folder, "160.jpg")); err != nil {
		t.Fatal(err)
	}
	if err := s.Put(t.Context(), "acme", large); err != nil {
		t.Fatal(err)
	}
	for _, f := range large.Files {
		if got := read(t, s, "acme", media.NameOf(large, f)); !bytes.Equal(got, f.Data) {
			t.Errorf("%v: got other content", media.NameOf(large, f))
		}
	}
}

// A symbolic link in the folder does not lead out of it, and a folder is no file.
func TestFolder_Links(t *testing.T) {
	t.Parallel()
	base := t.TempDir()
	dir := filepath.Join(base, "media")
	s := media.NewFolder(dir, nil)
	large, _ := images(t)
	if err := s.Put(t.Context(), "acme", large); err != nil {
		t.Fatal(err)
	}
	secret := filepath.Join(base, "secret")
	if err := os.WriteFile(secret, []byte("secret"), 0o600); err != nil {
		t.Fatal(err)
	}
	folder := filepath.Join(dir, "acme", large.ID[:2], large.ID)
	if err := os.Symlink(secret, filepath.Join(folder, "5.jpg")); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(filepath.Join(folder, "6.jpg"), 0o700); err != nil {
		t.Fatal(err)
	}
	for _, width := range []int{5, 6} {
		if file, err := s.Open(t.Context(), "acme", media.Name{ID: large.ID, Width: width, Format: picture.JPEG}); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("width %d: got %v, %v, want ErrNotExist", width, file, err)
		}
	}
	if names := stored(t, s, "acme"); len(names) != len(large.Files) {
		t.Errorf("got %v, want only the image's files", names)
	}
}

func TestFolder_Ended(t *testing.T) {
	t.Parallel()
	s := media.NewFolder(filepath.Join(t.TempDir(), "media"), nil)
	large, _ := images(t)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := s.Put(ctx, "acme", large); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, want %v", err, context.Canceled)
	}
	if names := stored(t, s, "acme"); len(names) != 0 {
		t.Errorf("got %v, want nothing", names)
	}
}

func TestParseName(t *testing.T) {
	t.Parallel()
	const id = "abcdefghijklmnopq234"
	name, ok := media.ParseName(id, "640.jpg")
	if want := (media.Name{ID: id, Width: 640, Format: picture.JPEG}); !ok || name != want {
		t.Errorf("got %v, %t, want %v", name, ok, want)
	}
	for _, file := range []string{
		"", "640", ".jpg", "640.", "640.jpeg", "640.JPG", "640.gif", "0640.jpg", "+640.jpg", "0.jpg", "-1.jpg", "2049.jpg", "99999999999999999999.jpg",
		"640.jpg.png", "640.jpg/", "../640.jpg", "640.jpg\x00", "٦٤٠.jpg", "6e2.jpg",
	} {
		if name, ok := media.ParseName(id, file); ok {
			t.Errorf("%q: got %v, want it refused", file, name)
		}
	}
	for _, id := range []string{"", "abc", id + "a", "ABCDEFGHIJKLMNOPQ234", "abcdefghijklmnopq018", "../../../../../../..", "abcdefghijklmnopq23\x00"} {
		if name, ok := media.ParseName(id, "640.jpg"); ok {
			t.Errorf("%q: got %v, want it refused", id, name)
		}
	}
}
