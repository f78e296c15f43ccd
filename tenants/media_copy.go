package tenants

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/gofrs/flock"

	"storefront/db"
	"storefront/db/sqlite"
	"storefront/media"
	"storefront/shop/catalogue"
	"storefront/shop/picture"
)

// album is the images of a shop in a store.
type album struct {
	store media.Store
	shop  string
}

// errDamagedImage means that an image's content differs from the hash in its name.
var errDamagedImage = errors.New("the image is damaged: its content differs from its name")

// namesOf returns the files of an image, the largest first.
func namesOf(image catalogue.StoredImage) []media.Name {
	names := make([]media.Name, len(image.Widths))
	for i, width := range image.Widths {
		names[i] = media.Name{ID: image.ID, Width: width, Format: picture.Format(image.Format)}
	}
	return names
}

// has reports whether all files of an image exist.
func (a album) has(ctx context.Context, image catalogue.StoredImage) (bool, error) {
	for _, name := range namesOf(image) {
		file, err := a.store.Open(ctx, a.shop, name)
		if errors.Is(err, fs.ErrNotExist) {
			return false, nil
		}
		if err != nil {
			return false, err
		}
		size := file.Size()
		if err := file.Close(); err != nil {
			return false, err
		}
		if size == 0 {
			return false, nil
		}
	}
	return true, nil
}

// read reads an image. Errors: fs.ErrNotExist, errDamagedImage.
func (a album) read(ctx context.Context, image catalogue.StoredImage) (picture.Image, error) {
	img := picture.Image{ID: image.ID, Format: picture.Format(image.Format)}
	for _, name := range namesOf(image) {
		file, err := a.store.Open(ctx, a.shop, name)
		if err != nil {
			return img, err
		}
		data, err := io.ReadAll(file)
		if err = errors.Join(err, file.Close()); err != nil {
			return img, err
		}
		img.Files = append(img.Files, picture.File{Width: name.Width, Data: data})
	}
	if len(img.Files) == 0 || picture.ID(img.Files[0].Data) != image.ID {
		return img, fmt.Errorf("%s: %w", image.ID, errDamagedImage)
	}
	return img, nil
}

// isIntact reports whether no file of an image is damaged. Those of an image without hashes are
// compared with their form and their size.
func isIntact(image catalogue.StoredImage, img picture.Image) bool {
	for i, f := range img.Files {
		if !img.Format.IsWhole(f.Data) || len(image.Hashes) > 0 && image.Hashes[i] != picture.ID(f.Data) {
			return false
		}
	}
	return image.Bytes == 0 || img.Size() == image.Bytes
}

// copyImages copies the images that are missing in an album from the first of the others that has
// them intact, otherwise from one whose smaller files are damaged. It returns the number of copied
// images, and the IDs of the images that no album has intact. An error concerns the destination, or
// ctx.
func copyImages(ctx context.Context, images []catalogue.StoredImage, to album, from ...album) (copied int, missing []string, err error) {
	missing = []string{}
	for _, image := range images {
		found, err := to.has(ctx, image)
		if err != nil {
			return copied, missing, err
		}
		if found {
			continue
		}
		img, intact, err := readFirst(ctx, image, from)
		if err != nil {
			return copied, missing, err
		}
		if !intact {
			missing = append(missing, image.ID)
		}
		if len(img.Files) == 0 {
			continue
		}
		if err := to.store.Put(ctx, to.shop, img); err != nil {
			return copied, missing, err
		}
		copied++
	}
	return copied, missing, nil
}

// readFirst reads an image from the first album that has it intact, otherwise from the first whose
// largest file is. The result has no files if there is none. An error is from ctx.
func readFirst(ctx context.Context, image catalogue.StoredImage, from []album) (found picture.Image, intact bool, err error) {
	for _, source := range from {
		img, err := source.read(ctx, image)
		switch {
		case ctx.Err() != nil:
			return picture.Image{}, false, ctx.Err()
		case err != nil: // missing or damaged there
		case isIntact(image, img):
			return img, true, nil
		case len(found.Files) == 0:
			found = img
		}
	}
	return found, false, nil
}

// checkImages returns the IDs of the missing and of the damaged images, which no album has intact.
func checkImages(ctx context.Context, images []catalogue.StoredImage, in ...album) (missing, damaged []string, err error) {
	for _, image := range images {
		isDamaged, hasIntact := false, false
		for _, a := range in {
			img, err := a.read(ctx, image)
			if err == nil && !isIntact(image, img) {
				err = errDamagedImage
			}
			hasIntact = hasIntact || err == nil
			isDamaged = isDamaged || err != nil && !errors.Is(err, fs.ErrNotExist)
		}
		switch {
		case ctx.Err() != nil:
			return nil, nil, ctx.Err()
		case hasIntact:
		case isDamaged:
			damaged = append(damaged, image.ID)
		default:
			missing = append(missing, image.ID)
		}
	}
	return missing, damaged, nil
}

// album returns the images of a shop of this data folder.
func (t *Tenants) album(id db.ID) album { return album{t.media, string(id)} }

// storedImages returns the images that a shop refers to. In a shop with an older schema, it returns
// all existing images.
func (t *Tenants) storedImages(ctx context.Context, id db.ID) (images []catalogue.StoredImage, err error) {
	err = t.store.View(ctx, id, func(_ context.Context, tx *db.Tx) (err error) {
		images, err = catalogue.StoredImages(tx)
		return err
	})
	if errors.Is(err, db.ErrOutdated) {
		return t.album(id).list(ctx)
	}
	return images, err
}

// list returns all images of an album.
func (a album) list(ctx context.Context) (images []catalogue.StoredImage, err error) {
	for name, err := range a.store.List(ctx, a.shop) {
		if err != nil {
			return nil, err
		}
		if n := len(images); n == 0 || images[n-1].ID != name.ID {
			images = append(images, catalogue.StoredImage{ID: name.ID, Format: string(name.Format)})
		}
		last := &images[len(images)-1]
		last.Widths = append(last.Widths, name.Width)
	}
	return images, nil
}

// backUpImages copies the images of a shop that are missing beside its backups in a folder. The
// caller saves a manifest with their names under the same lock.
func (t *Tenants) backUpImages(ctx context.Context, id db.ID, dir string, b *Backup) error {
	images, err := t.storedImages(ctx, id)
	if err != nil {
		return fmt.Errorf("list images: %w", err)
	}
	for _, image := range images {
		b.Images = append(b.Images, image.ID)
	}
	_, b.MissingImages, err = copyImages(ctx, images, besideBackups(dir, string(id)), t.album(id))
	return err
}

// besideBackups returns the images beside the backups in a folder.
func besideBackups(dir, uid string) album {
	return album{media.NewFolder(filepath.Join(dir, mediaDir), sqlite.InheritOwner), uid}
}

// imageLockPoll is how often a process tries to get the lock of another.
const imageLockPoll = 20 * time.Millisecond

// lockImages prevents the deletion of images beside the backups in a folder while others depend on
// them.
func lockImages(ctx context.Context, dir string) (unlock func() error, err error) {
	folder := filepath.Join(dir, mediaDir)
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return nil, err
	}
	lock := flock.New(filepath.Join(folder, ".lock"), flock.SetPermissions(0o600))
	if _, err := lock.TryLockContext(ctx, imageLockPoll); err != nil {
		return nil, fmt.Errorf("lock the images of backups: %w", err)
	}
	if err := errors.Join(sqlite.InheritOwner(folder), sqlite.InheritOwner(lock.Path())); err != nil {
		return nil, errors.Join(err, lock.Unlock())
	}
	return lock.Unlock, nil
}

// pruneImages deletes the images beside a shop's backups in a folder that none of the backups
// refers to. If the references of one are unknown, nothing is deleted.
func pruneImages(ctx context.Context, dir, uid string) (err error) {
	unlock, err := lockImages(ctx, dir)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, unlock()) }()
	files, err := ListBackupFiles(dir)
	if err != nil {
		return err
	}
	used := map[string]bool{}
	for _, file := range files {
		b, err := readManifest(file)
		if err != nil || b.UID == uid && b.Images == nil {
			owner, _, known := parseBackupName(file)
			if known && owner != uid {
				continue
			}
			return nil
		}
		if b.UID == uid {
			for _, id := range b.Images {
				used[id] = true
			}
		}
	}
	stored := besideBackups(dir, uid)
	images, err := stored.list(ctx)
	if err != nil {
		return err
	}
	for _, image := range images {
		if used[image.ID] {
			continue
		}
		if err := stored.store.Delete(ctx, uid, image.ID); err != nil {
			return err
		}
	}
	return nil
}

// trashImages moves the images of a deleted shop to the trash. Those in S3 stay where they are.
func (t *Tenants) trashImages(id db.ID) error {
	folder, ok := t.media.(interface{ Dir(shop string) string })
	if !ok {
		return nil
	}
	name := filepath.Join(t.dir, trashDir, string(id)+"-"+t.now().UTC().Format(stampLayout)+imagesSuffix)
	err := os.Rename(folder.Dir(string(id)), name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("move images to the trash: %w", err)
	}
	return nil
}

// imagesSuffix ends the names of folders of images in the trash.
const imagesSuffix = ".media"

const trashDir = "trash"

// trashedImages returns the images of a shop in the trash, the newest first.
func (t *Tenants) trashedImages(id db.ID) (albums []album) {
	paths, err := filepath.Glob(filepath.Join(t.dir, trashDir, string(id)+"-*"+imagesSuffix))
	if err != nil {
		return nil
	}
	for _, path := range slices.Backward(paths) { // the times in the names sort by age
		name := filepath.Base(path)
		if uid, _, ok := parseBackupName(strings.TrimSuffix(name, imagesSuffix) + backupSuffix); ok && uid == string(id) {
			albums = append(albums, album{media.NewFolder(filepath.Dir(path), nil), name})
		}
	}
	return albums
}

// ExportImages copies the images that a shop refers to into a folder, DIR/UID/…, unless they are
// there already. It returns the number of copied images, and the IDs of missing or damaged ones.
// Codes: tenant_not_found.
func (t *Tenants) ExportImages(ctx context.Context, uid, dir string) (copied int, missing []string, err error) {
	id, err := t.requireExisting(ctx, uid)
	if err != nil {
		return 0, nil, err
	}
	images, err := t.storedImages(ctx, id)
	if err != nil {
		return 0, nil, fmt.Errorf("list images: %w", err)
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return 0, nil, err
	}
	return copyImages(ctx, images, album{media.NewFolder(dir, nil), uid}, t.album(id))
}

// CheckedImages is the result of checking the files of a shop's images.
type CheckedImages struct {
	Images  int      `json:"images"`
	Missing []string `json:"missing"` // IDs
	Damaged []string `json:"damaged"` // IDs
}

// VerifyImages reads the files of all images that a shop refers to, and compares them with their
// hashes. Codes: tenant_not_found.
func (t *Tenants) VerifyImages(ctx context.Context, uid string) (*CheckedImages, error) {
	id, err := t.requireExisting(ctx, uid)
	if err != nil {
		return nil, err
	}
	images, err := t.storedImages(ctx, id)
	if err != nil {
		return nil, fmt.Errorf("list images: %w", err)
	}
	missing, damaged, err := checkImages(ctx, images, t.album(id))
	if err != nil {
		return nil, fmt.Errorf("check images: %w", err)
	}
	return &CheckedImages{Images: len(images), Missing: db.OrEmpty(missing), Damaged: db.OrEmpty(damaged)}, nil
}

// fetchImages copies the images of a restored shop that its folder lacks: from albums, from the
// shop of which it is a copy, and from the trash.
func (t *Tenants) fetchImages(ctx context.Context, done *Restored, from ...album) error {
	id, of := db.ID(done.UID), db.ID(done.Of)
	images, err := t.storedImages(ctx, id)
	if err != nil {
		return fmt.Errorf("list images: %w", err)
	}
	if id != of {
		from = append(from, t.album(of))
	}
	from = append(from, t.trashedImages(of)...)
	done.Images, done.MissingImages, err = copyImages(ctx, images, t.album(id), from...)
	if err != nil {
		return fmt.Errorf("the shop %s is restored, but not its images: %w", id, err)
	}
	return nil
}
