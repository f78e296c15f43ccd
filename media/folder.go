package media

import (
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"storefront/shop/picture"
)

// Folder is a [Store] in a folder of this machine: UID/aa/ID/WIDTH.ext.
//
// All files of an image appear together: they are written to a temporary folder, which is then
// renamed. Paths are resolved within the folder, so that no symbolic link leads out of it.
type Folder struct {
	dir string
	own func(path string) error
	now func() time.Time
}

var _ Store = (*Folder)(nil)

// NewFolder returns a store in a folder, which is created when the first image is stored. own is
// called with each file and folder that it creates, to set their owner; nil does nothing.
func NewFolder(dir string, own func(path string) error) *Folder {
	if own == nil {
		own = func(string) error { return nil }
	}
	return &Folder{dir: dir, own: own, now: time.Now}
}

// Dir returns the folder of a shop.
func (f *Folder) Dir(shop string) string { return filepath.Join(f.dir, shop) }

const (
	// temporaryPrefix starts the names of folders of images that are being stored or deleted.
	temporaryPrefix = ".part-"
	// leftoverAge is the age from which a temporary folder belongs to a killed process.
	leftoverAge = time.Hour

	dirMode, fileMode = 0o700, 0o600
)

// Put implements [Store].
func (f *Folder) Put(ctx context.Context, shop string, img picture.Image) error {
	if err := f.put(ctx, shop, img); err != nil {
		return fmt.Errorf("store image %s: %w", img.ID, err)
	}
	return nil
}

func (f *Folder) put(ctx context.Context, shop string, img picture.Image) error {
	if !picture.ValidID(img.ID) || len(img.Files) == 0 {
		return errors.New("not an image")
	}
	for _, dir := range []string{f.dir, f.Dir(shop)} {
		if err := f.mkdir(dir); err != nil {
			return err
		}
	}
	root, err := os.OpenRoot(f.Dir(shop))
	if err != nil {
		return err
	}
	defer root.Close()
	removeLeftovers(root, f.now().Add(-leftoverAge))
	temporary := temporaryPrefix + rand.Text()
	defer func() { _ = root.RemoveAll(temporary) }() // a failed removal leaves a leftover
	if err := f.writeImage(ctx, root, temporary, img); err != nil {
		return err
	}
	return f.publish(root, temporary, img)
}

// writeImage writes the files of an image to a new folder in a shop's folder.
func (f *Folder) writeImage(ctx context.Context, root *os.Root, folder string, img picture.Image) error {
	if err := f.mkdir(filepath.Join(root.Name(), folder)); err != nil {
		return err
	}
	for _, file := range filesOf(img) {
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := f.writeFile(root, folder+"/"+file.name.File(), file.data); err != nil {
			return err
		}
	}
	return syncDir(root, folder)
}

// PutPreview implements [Store].
func (f *Folder) PutPreview(_ context.Context, shop string, name Name, preview []byte) error {
	root, err := os.OpenRoot(f.Dir(shop))
	if err != nil {
		return err
	}
	defer root.Close()
	temporary := temporaryPrefix + rand.Text()
	if err = f.writeFile(root, temporary, preview); err == nil {
		err = root.Rename(temporary, name.path())
	}
	if err != nil {
		_ = root.Remove(temporary) // a failed removal leaves a leftover
		return fmt.Errorf("store preview of image %s: %w", name.ID, err)
	}
	return nil
}

// publish moves a temporary folder to the place of its image, durably.
func (f *Folder) publish(root *os.Root, temporary string, img picture.Image) error {
	above := filepath.Dir(imagePath(img.ID))
	if err := f.mkdir(filepath.Join(root.Name(), above)); err != nil {
		return err
	}
	err := root.Rename(temporary, imagePath(img.ID))
	for errors.Is(err, fs.ErrExist) && !isFolder(root, imagePath(img.ID)) { // deleted since
		err = root.Rename(temporary, imagePath(img.ID))
	}
	if err != nil && isFolder(root, imagePath(img.ID)) { // stored before, or in the meantime
		err = replaceDamaged(root, temporary, img)
	}
	if err != nil {
		return err
	}
	for _, dir := range []string{imagePath(img.ID), above, "."} { // another process may have made them
		if err := syncDir(root, dir); err != nil {
			return err
		}
	}
	return syncPath(f.dir)
}

// mkdir creates a folder durably unless it exists. Those above it exist.
func (f *Folder) mkdir(path string) error {
	err := os.Mkdir(path, dirMode)
	if errors.Is(err, fs.ErrExist) {
		return nil
	}
	if err == nil {
		err = f.own(path)
	}
	if err == nil {
		err = syncPath(filepath.Dir(path))
	}
	return err
}

// isFolder reports whether path is a folder.
func isFolder(root *os.Root, path string) bool {
	info, err := root.Lstat(path)
	return err == nil && info.IsDir()
}

// replaceDamaged replaces an image's damaged files by the files in a temporary folder.
func replaceDamaged(root *os.Root, temporary string, img picture.Image) error {
	for _, file := range filesOf(img) {
		if found, err := root.ReadFile(file.name.path()); err == nil && bytes.Equal(found, file.data) {
			continue
		}
		if err := root.Rename(temporary+"/"+file.name.File(), file.name.path()); err != nil {
			return err
		}
	}
	return nil
}

// writeFile creates a file in a shop's folder.
func (f *Folder) writeFile(root *os.Root, path string, data []byte) error {
	file, err := root.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, fileMode)
	if err != nil {
		return err
	}
	_, err = file.Write(data)
	if err == nil {
		err = file.Sync()
	}
	if err = errors.Join(err, file.Close()); err != nil {
		return err
	}
	return f.own(filepath.Join(root.Name(), path))
}

func syncDir(root *os.Root, path string) error { return syncPath(filepath.Join(root.Name(), path)) }

// syncPath flushes a folder to disk. On Windows folders cannot be flushed.
func syncPath(path string) error {
	if runtime.GOOS == "windows" {
		return nil
	}
	dir, err := os.Open(path)
	if err != nil {
		return err
	}
	return errors.Join(dir.Sync(), dir.Close())
}

// removeLeftovers removes the temporary folders of killed processes.
func removeLeftovers(root *os.Root, before time.Time) {
	entries, err := fs.ReadDir(root.FS(), ".")
	if err != nil {
		return // found again at the next upload
	}
	for _, e := range entries {
		info, err := e.Info()
		if err == nil && strings.HasPrefix(e.Name(), temporaryPrefix) && info.ModTime().Before(before) {
			_ = root.RemoveAll(e.Name()) // likewise
		}
	}
}

// Open implements [Store].
func (f *Folder) Open(_ context.Context, shop string, name Name) (Content, error) {
	root, err := os.OpenRoot(f.Dir(shop))
	if err != nil {
		return nil, err
	}
	defer root.Close()
	info, err := root.Lstat(name.path())
	if err == nil && !info.Mode().IsRegular() { // a link or a folder
		err = fmt.Errorf("%s is not a file: %w", name.path(), fs.ErrNotExist)
	}
	if err != nil {
		return nil, err
	}
	file, err := root.Open(name.path())
	if err != nil {
		return nil, err
	}
	return content{file, info.Size()}, nil
}

type content struct {
	*os.File
	size int64
}

func (c content) Size() int64 { return c.size }

var _ io.ReadSeekCloser = content{}

// Delete implements [Store].
func (f *Folder) Delete(_ context.Context, shop, id string) error {
	if !picture.ValidID(id) {
		return fmt.Errorf("delete image %q: not an ID", id)
	}
	root, err := os.OpenRoot(f.Dir(shop))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	defer root.Close()
	temporary := temporaryPrefix + rand.Text() // so that the image disappears immediately
	err = root.Rename(imagePath(id), temporary)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err == nil {
		err = root.RemoveAll(temporary)
	}
	if err != nil {
		return fmt.Errorf("delete image %s: %w", id, err)
	}
	return nil
}

// List implements [Store].
func (f *Folder) List(ctx context.Context, shop string) iter.Seq2[Name, error] {
	return func(yield func(Name, error) bool) {
		err := f.list(ctx, shop, func(name Name) bool { return yield(name, nil) })
		if err != nil {
			yield(Name{}, fmt.Errorf("list images: %w", err))
		}
	}
}

// list calls yield for each file until it returns false.
func (f *Folder) list(ctx context.Context, shop string, yield func(Name) bool) error {
	root, err := os.OpenRoot(f.Dir(shop))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	defer root.Close()
	images, err := fs.Glob(root.FS(), "??/????????????????????")
	if err != nil {
		return err
	}
	for _, image := range images {
		if err := ctx.Err(); err != nil {
			return err
		}
		id := filepath.Base(image)
		if !picture.ValidID(id) || imagePath(id) != image {
			continue
		}
		names, err := imageNames(root, id)
		if err != nil {
			return err
		}
		for _, name := range names {
			if !yield(name) {
				return nil
			}
		}
	}
	return nil
}

// imageNames returns the files of an image without its preview, the largest first, and none if the
// image is deleted in the meantime.
func imageNames(root *os.Root, id string) (names []Name, err error) {
	files, err := fs.ReadDir(root.FS(), imagePath(id))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	for _, file := range files {
		if name, ok := ParseName(id, file.Name()); ok && !name.Preview && file.Type().IsRegular() {
			names = append(names, name)
		}
	}
	sortNames(names)
	return names, err
}
