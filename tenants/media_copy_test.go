package tenants

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"storefront/db"
	"storefront/media"
	"storefront/media/mediatest"
	"storefront/shop/picture"
	"storefront/shop/shoptest"
	"storefront/tenants/album"
)

// addImage adds an image of the given width to a shop, as an upload does.
func addImage(t *testing.T, all *Tenants, uid string, width int) picture.Image {
	t.Helper()
	img := mediatest.Processed(t, width)
	if err := all.media.Put(t.Context(), uid, img); err != nil {
		t.Fatal(err)
	}
	var sizes, hashes []string
	for _, f := range img.Files {
		sizes, hashes = append(sizes, fmt.Sprintf("[%d,%d]", f.Width, f.Height)), append(hashes, `"`+picture.ID(f.Data)+`"`)
	}
	list := func(items []string) string { return "[" + strings.Join(items, ",") + "]" }
	change(t, all, uid, `INSERT INTO media (id, alt, alt_key, width, height, bytes, format, renditions, hashes, created_at)
		VALUES (?, '', '', ?, ?, ?, ?, ?, ?, 1)`, img.ID, img.Width, img.Height, img.Size(), string(img.Format), list(sizes), list(hashes))
	return img
}

func change(t *testing.T, all *Tenants, uid, statement string, args ...any) {
	t.Helper()
	err := all.store.Update(t.Context(), db.ID(uid), func(_ context.Context, tx *db.Tx) error {
		_, err := tx.Exec(statement, args...)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

// purgeImage deletes an image of a shop.
func purgeImage(t *testing.T, all *Tenants, uid, id string) {
	t.Helper()
	change(t, all, uid, `DELETE FROM media WHERE id = ?`, id)
	if err := all.media.Delete(t.Context(), uid, id); err != nil {
		t.Fatal(err)
	}
}

func newImageShop(t *testing.T) *Tenants {
	t.Helper()
	all := openFolder(t, t.TempDir())
	if _, err := all.Create(t.Context(), "acme", shoptest.Raw(t, map[string]any{"name": "Acme", "currency": "BDT", "country": "BD"})); err != nil {
		t.Fatal(err)
	}
	return all
}

// wantImages compares the images in a folder with those wanted, all of whose files must be there.
func wantImages(t *testing.T, what string, a album.Album, want ...picture.Image) {
	t.Helper()
	got, err := a.List(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	slices.SortFunc(want, func(a, b picture.Image) int { return bytes.Compare([]byte(a.ID), []byte(b.ID)) })
	if len(got) != len(want) {
		t.Fatalf("%s: got images %v, want %d", what, got, len(want))
	}
	for i, img := range want {
		read, err := a.Read(t.Context(), got[i])
		if err != nil || read.ID != img.ID || len(read.Files) != len(img.Files) {
			t.Errorf("%s: got image %s with %d files, %v, want %s with %d", what, got[i].ID, len(read.Files), err, img.ID, len(img.Files))
		}
	}
}

func verify(t *testing.T, all *Tenants, file string) *Verified {
	t.Helper()
	v, err := OpenVerifier(Config{Dir: all.dir, Schema: shoptest.Schema(t)})
	if err != nil {
		t.Fatal(err)
	}
	defer v.Close(t.Context())
	found, err := v.Verify(t.Context(), file)
	if err != nil {
		t.Fatal(err)
	}
	return found
}

// A backup has its images beside it, each copied once. Verification finds what is missing or
// damaged.
func TestBackup_Images(t *testing.T) {
	t.Parallel()
	all, dest := newImageShop(t), t.TempDir()
	first := addImage(t, all, "acme", 700)
	if _, err := all.Backup(t.Context(), "acme", dest); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dest, "media", "acme", first.ID[:2], first.ID, "700.jpg")
	before, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	second := addImage(t, all, "acme", 300)
	b, err := all.Backup(t.Context(), "acme", dest)
	if err != nil {
		t.Fatal(err)
	}
	wantImages(t, "beside the backups", album.Beside(dest, "acme"), first, second)
	if len(b.Images) != 2 || len(b.MissingImages) != 0 {
		t.Errorf("got images %v, missing %v, want two and none", b.Images, b.MissingImages)
	}
	after, err := os.Stat(path)
	if err != nil || !os.SameFile(before, after) || !before.ModTime().Equal(after.ModTime()) {
		t.Errorf("the first image was copied again: %v, %v", after, err)
	}
	file := filepath.Join(dest, b.File)
	if v := verify(t, all, file); len(v.Faults) != 0 || v.Images != 2 {
		t.Errorf("got %+v, want two images without faults", v)
	}
	if err := os.WriteFile(path, []byte("damaged"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(filepath.Join(dest, "media", "acme", second.ID[:2], second.ID, "160.jpg")); err != nil {
		t.Fatal(err)
	}
	if v := verify(t, all, file); len(v.Faults) != 2 || v.DamagedImages != 1 || v.MissingImages != 1 {
		t.Errorf("got %+v, want one image damaged and one missing", v)
	}
	if _, err := all.Backup(t.Context(), "acme", dest); err != nil { // the missing file is copied again
		t.Fatal(err)
	}
	if v := verify(t, all, file); v.DamagedImages != 1 || v.MissingImages != 0 {
		t.Errorf("got %+v, want one image damaged", v)
	}
}

// An image whose file is missing or damaged in the data folder does not prevent the backup of the
// orders, and its damage is not copied.
func TestBackup_ImageLost(t *testing.T) {
	t.Parallel()
	all, dest := newImageShop(t), t.TempDir()
	lost, damaged, kept := addImage(t, all, "acme", 200), addImage(t, all, "acme", 300), addImage(t, all, "acme", 400)
	if err := all.media.Delete(t.Context(), "acme", lost.ID); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(all.dir, "media", "acme", damaged.ID[:2], damaged.ID, "300.jpg")
	if err := os.WriteFile(path, []byte("damaged"), 0o600); err != nil {
		t.Fatal(err)
	}
	b, err := all.Backup(t.Context(), "acme", dest)
	if err != nil {
		t.Fatal(err)
	}
	want := []string{lost.ID, damaged.ID}
	slices.Sort(want)
	if !slices.Equal(b.MissingImages, want) {
		t.Errorf("got missing %v, want %v", b.MissingImages, want)
	}
	wantImages(t, "beside the backup", album.Beside(dest, "acme"), kept)
}

// An old backup finds its images, also those that the shop has deleted since.
func TestRestore_Images(t *testing.T) {
	t.Parallel()
	all, dest := newImageShop(t), t.TempDir()
	first, second := addImage(t, all, "acme", 700), addImage(t, all, "acme", 300)
	b, err := all.Backup(t.Context(), "acme", dest)
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(dest, b.File)
	purgeImage(t, all, "acme", first.ID)
	done, err := all.Restore(t.Context(), RestoreOptions{File: file})
	if err != nil || done.Images != 1 || len(done.MissingImages) != 0 {
		t.Fatalf("got %+v, %v, want one image copied", done, err)
	}
	wantImages(t, "restored", all.album("acme"), first, second)

	clone, err := all.Restore(t.Context(), RestoreOptions{File: file, As: "acme-copy"})
	if err != nil || clone.Images != 2 || len(clone.MissingImages) != 0 {
		t.Fatalf("clone: got %+v, %v, want two images copied", clone, err)
	}
	wantImages(t, "clone", all.album("acme-copy"), first, second)

	if err := os.RemoveAll(filepath.Join(dest, "media")); err != nil {
		t.Fatal(err)
	}
	purgeImage(t, all, "acme", second.ID)
	done, err = all.Restore(t.Context(), RestoreOptions{File: file})
	if err != nil || done.Images != 0 || !slices.Equal(done.MissingImages, []string{second.ID}) {
		t.Errorf("without the images: got %+v, %v, want %s missing", done, err, second.ID)
	}
	clone, err = all.Restore(t.Context(), RestoreOptions{File: file, As: "acme-second"})
	if err != nil || clone.Images != 1 {
		t.Errorf("clone of a shop with one image: got %+v, %v, want one image", clone, err)
	}
}

// A deleted shop's images are not served any more, and return with it.
func TestDelete_Images(t *testing.T) {
	t.Parallel()
	all := newImageShop(t)
	img := addImage(t, all, "acme", 300)
	if err := all.Delete(t.Context(), "acme"); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(filepath.Join(all.dir, "media", "acme")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the folder of a deleted shop: got %v, want none", err)
	}
	trash, err := filepath.Glob(filepath.Join(all.dir, "trash", "acme-*.db"))
	if err != nil || len(trash) != 1 {
		t.Fatalf("got %v, %v, want one file", trash, err)
	}
	done, err := all.Restore(t.Context(), RestoreOptions{File: trash[0]})
	if err != nil || done.Images != 1 || len(done.MissingImages) != 0 {
		t.Fatalf("got %+v, %v, want one image", done, err)
	}
	wantImages(t, "restored", all.album("acme"), img)
}

// A plan deletes the images that none of its backups refers to, and no others.
func TestBackupPlan_Images(t *testing.T) {
	t.Parallel()
	p := newPlanned(t)
	old, current := addImage(t, p.all, "acme", 700), addImage(t, p.all, "acme", 300)
	other := addImage(t, p.all, "maple", 200)
	day := func() {
		t.Helper()
		p.ahead += 25 * time.Hour
		change(t, p.all, "acme", `UPDATE media SET created_at = created_at + 1`) // so that the backup differs
		p.written("acme")
		if err := p.backUpDue(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	day()
	purgeImage(t, p.all, "acme", old.ID)
	day()
	beside := album.Beside(p.plan.Dir, "acme")
	wantImages(t, "while a backup refers to it", beside, old, current)
	mine := filepath.Join(p.plan.Dir, "by-hand.db")
	if err := os.WriteFile(mine, []byte("of an unknown shop"), 0o600); err != nil {
		t.Fatal(err)
	}
	day()
	wantImages(t, "while a file may refer to it", beside, old, current)
	if err := os.Remove(mine); err != nil {
		t.Fatal(err)
	}
	day()
	wantImages(t, "when no backup refers to it", beside, current)
	wantImages(t, "of another shop", album.Beside(p.plan.Dir, "maple"), other)
	newest, err := NewestBackups(p.plan.Dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, b := range newest {
		if v := verify(t, p.all, b.File); len(v.Faults) != 0 {
			t.Errorf("%s: got %v", b.File, v.Faults)
		}
	}
}

// An export takes its images along, and an import has them in its own folder.
func TestExport_Images(t *testing.T) {
	t.Parallel()
	all, dir := newImageShop(t), filepath.Join(t.TempDir(), "images")
	first, lost := addImage(t, all, "acme", 300), addImage(t, all, "acme", 400)
	if err := all.media.Delete(t.Context(), "acme", lost.ID); err != nil {
		t.Fatal(err)
	}
	var export bytes.Buffer
	if err := all.Export(t.Context(), "acme", &export); err != nil {
		t.Fatal(err)
	}
	for want := 1; want >= 0; want-- { // the second time, all are there
		copied, missing, err := all.ExportImages(t.Context(), "acme", dir)
		if err != nil || copied != want || !slices.Equal(missing, []string{lost.ID}) {
			t.Errorf("got %d copied, %v missing, %v, want %d and %s", copied, missing, err, want, lost.ID)
		}
	}
	wantImages(t, "exported", album.Album{Store: media.NewFolder(dir, nil), Shop: "acme"}, first)
	if err := all.Delete(t.Context(), "acme"); err != nil {
		t.Fatal(err)
	}
	done, err := all.Import(t.Context(), ImportOptions{From: &export, As: "acme-two", Images: dir})
	if err != nil || done.Images != 1 || !slices.Equal(done.MissingImages, []string{lost.ID}) {
		t.Fatalf("got %+v, %v, want one image", done, err)
	}
	wantImages(t, "imported", all.album("acme-two"), first)
}

// The images whose files are missing or damaged are found, also by a smaller file without a hash.
func TestVerifyImages(t *testing.T) {
	t.Parallel()
	all := newImageShop(t)
	lost, damaged := addImage(t, all, "acme", 200), addImage(t, all, "acme", 300)
	if err := os.RemoveAll(filepath.Join(all.dir, "media", "acme", lost.ID[:2], lost.ID)); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(all.dir, "media", "acme", damaged.ID[:2], damaged.ID, "300.jpg")
	if err := os.WriteFile(path, damaged.Files[0].Data[:50], 0o600); err != nil {
		t.Fatal(err)
	}
	got, err := all.VerifyImages(t.Context(), "acme")
	if diff := cmp.Diff(&CheckedImages{Images: 2, Missing: []string{lost.ID}, Damaged: []string{damaged.ID}}, got); diff != "" || err != nil {
		t.Errorf("verify: got error %v and (-want +got):\n%s", err, diff)
	}
	for _, change := range []func([]byte) []byte{ // of a smaller file without a hash
		func(data []byte) []byte { return data[:len(data)/2] },
		func(data []byte) []byte { return append(data, "more\xff\xd9"...) },
		func(data []byte) []byte { return append([]byte("<html>"), data[6:]...) },
	} {
		if err := all.media.Put(t.Context(), "acme", damaged); err != nil { // the same upload again
			t.Fatal(err)
		}
		small := filepath.Join(filepath.Dir(path), "160.jpg")
		if err := os.WriteFile(small, change(slices.Clone(damaged.Files[1].Data)), 0o600); err != nil {
			t.Fatal(err)
		}
		got, err = all.VerifyImages(t.Context(), "acme")
		if err != nil || !slices.Equal(got.Damaged, []string{damaged.ID}) {
			t.Errorf("smaller file: got %+v, %v, want it damaged", got, err)
		}
	}
	if err := all.media.Put(t.Context(), "acme", damaged); err != nil {
		t.Fatal(err)
	}
	got, err = all.VerifyImages(t.Context(), "acme")
	if diff := cmp.Diff(&CheckedImages{Images: 2, Missing: []string{lost.ID}, Damaged: []string{}}, got); diff != "" || err != nil {
		t.Errorf("after another upload: got error %v and (-want +got):\n%s", err, diff)
	}
}

// A changed bit in a smaller file is found. A restore uses the source that is intact.
func TestVerifyImages_ChangedBit(t *testing.T) {
	t.Parallel()
	all, dest := newImageShop(t), t.TempDir()
	addImage(t, all, "acme", 500)
	changed := addImage(t, all, "acme", 400)
	flip := func(dir string) {
		t.Helper()
		path := filepath.Join(dir, "media", "acme", changed.ID[:2], changed.ID, "160.jpg")
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		data[len(data)/2] ^= 1
		if err := os.WriteFile(path, data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	b, err := all.Backup(t.Context(), "acme", dest)
	if err != nil || len(b.MissingImages) != 0 {
		t.Fatalf("got missing %v, %v, want none", b.MissingImages, err)
	}
	file := filepath.Join(dest, b.File)
	if v := verify(t, all, file); v.DamagedImages != 0 {
		t.Errorf("backup: got %+v, want no image damaged", v)
	}
	flip(all.dir)
	if got, err := all.VerifyImages(t.Context(), "acme"); err != nil || !slices.Equal(got.Damaged, []string{changed.ID}) {
		t.Errorf("got %+v, %v, want %s damaged", got, err, changed.ID)
	}
	clone, err := all.Restore(t.Context(), RestoreOptions{File: file, As: "acme-copy"})
	if err != nil || clone.Images != 2 || len(clone.MissingImages) != 0 {
		t.Fatalf("got %+v, %v, want two images", clone, err)
	}
	if got, err := all.VerifyImages(t.Context(), "acme-copy"); err != nil || len(got.Damaged)+len(got.Missing) != 0 {
		t.Errorf("restored from the backup: got %+v, %v, want all intact", got, err)
	}
	flip(dest)
	if v := verify(t, all, file); v.DamagedImages != 1 {
		t.Errorf("backup: got %+v, want one image damaged", v)
	}
	clone, err = all.Restore(t.Context(), RestoreOptions{File: file, As: "acme-second"})
	if err != nil || clone.Images != 2 || !slices.Equal(clone.MissingImages, []string{changed.ID}) {
		t.Errorf("without an intact copy: got %+v, %v, want two images and %s in the list", clone, err, changed.ID)
	}
}
