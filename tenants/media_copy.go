package tenants

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"storefront/db"
	"storefront/db/sqlite"
	"storefront/media"
	"storefront/shop/catalogue"
	"storefront/tenants/album"
)

// album returns the images of a shop of this data folder.
func (t *Tenants) album(id db.ID) album.Album { return album.Album{Store: t.media, Shop: string(id)} }

// storedImages returns the images that a shop refers to. In a shop with an older schema, it returns
// all existing images.
func (t *Tenants) storedImages(ctx context.Context, id db.ID) (images []catalogue.StoredImage, err error) {
	err = t.store.View(ctx, id, func(_ context.Context, tx *db.Tx) (err error) {
		images, err = catalogue.StoredImages(tx)
		return err
	})
	if errors.Is(err, db.ErrOutdated) {
		return t.album(id).List(ctx)
	}
	return images, err
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
	_, b.MissingImages, err = album.Copy(ctx, images, album.Beside(dir, string(id)), t.album(id))
	return err
}

// pruneImages deletes the images beside a shop's backups in a folder that none of the backups
// refers to. If the references of one are unknown, nothing is deleted.
func pruneImages(ctx context.Context, dir, uid string) (err error) {
	unlock, err := album.Lock(ctx, dir)
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
	stored := album.Beside(dir, uid)
	images, err := stored.List(ctx)
	if err != nil {
		return err
	}
	for _, image := range images {
		if used[image.ID] {
			continue
		}
		if err := stored.Store.Delete(ctx, uid, image.ID); err != nil {
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
func (t *Tenants) trashedImages(id db.ID) (albums []album.Album) {
	paths, err := filepath.Glob(filepath.Join(t.dir, trashDir, string(id)+"-*"+imagesSuffix))
	if err != nil {
		return nil
	}
	for _, path := range slices.Backward(paths) { // the times in the names sort by age
		name := filepath.Base(path)
		if uid, _, ok := parseBackupName(strings.TrimSuffix(name, imagesSuffix) + backupSuffix); ok && uid == string(id) {
			albums = append(albums, album.Album{Store: media.NewFolder(filepath.Dir(path), nil), Shop: name})
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
	if err := sqlite.MakeFolder(dir, nil); err != nil {
		return 0, nil, err
	}
	return album.Copy(ctx, images, album.Album{Store: media.NewFolder(dir, nil), Shop: uid}, t.album(id))
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
	missing, damaged, err := album.Check(ctx, images, t.album(id))
	if err != nil {
		return nil, fmt.Errorf("check images: %w", err)
	}
	return &CheckedImages{Images: len(images), Missing: db.OrEmpty(missing), Damaged: db.OrEmpty(damaged)}, nil
}

// fetchImages copies the images of a shop that is being restored and that its folder lacks: from
// albums, from the shop of which it is a copy, and from the trash. Failures are in done: a shop
// without its images can still sell.
func (t *Tenants) fetchImages(ctx context.Context, tx *db.Tx, done *Restored, from []album.Album) error {
	id, of := db.ID(done.UID), db.ID(done.Of)
	images, err := catalogue.StoredImages(tx)
	if err != nil {
		return fmt.Errorf("list images: %w", err)
	}
	if id != of {
		from = append(from, t.album(of))
	}
	from = append(from, t.trashedImages(of)...)
	done.Images, done.MissingImages, err = album.Copy(ctx, images, t.album(id), from...)
	if err != nil {
		done.imagesErr = fmt.Errorf("the shop %s is restored, but not its images: %w", id, err)
	}
	return nil
}
