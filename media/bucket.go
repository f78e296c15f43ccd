package media

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"path"
	"slices"

	"storefront/shop/picture"
)

// Objects is the storage of a [Bucket]. Names have slashes.
type Objects interface {
	// Get returns an object's content from an offset, and the size of the whole. Errors:
	// [fs.ErrNotExist].
	Get(ctx context.Context, name string, offset int64) (body io.ReadCloser, size int64, err error)
	// Put stores an object. If replace is false and it exists, it returns [fs.ErrExist].
	Put(ctx context.Context, name string, content []byte, replace bool) error
	// Delete deletes an object. A missing object is no error.
	Delete(ctx context.Context, name string) error
	// List iterates over the names of the objects below a folder, sorted.
	List(ctx context.Context, folder string) iter.Seq2[string, error]
}

// Bucket is a [Store] in S3-compatible storage: FOLDER/UID/aa/ID/WIDTH.ext.
type Bucket struct {
	objects Objects
	folder  string
}

var _ Store = (*Bucket)(nil)

// NewBucket returns a store in a folder of objects.
func NewBucket(objects Objects, folder string) *Bucket { return &Bucket{objects, folder} }

func (b *Bucket) name(shop string, name Name) string { return path.Join(b.folder, shop, name.path()) }

// Put implements [Store]. The largest file, which determines the ID, is the last: if it exists, the
// others are.
func (b *Bucket) Put(ctx context.Context, shop string, img picture.Image) error {
	for _, file := range slices.Backward(filesOf(img)) {
		name := b.name(shop, file.name)
		err := b.objects.Put(ctx, name, file.data, false)
		if errors.Is(err, fs.ErrExist) {
			err = b.replaceDamaged(ctx, name, file.data)
		}
		if err != nil {
			return fmt.Errorf("store image %s: %w", img.ID, err)
		}
	}
	return nil
}

// replaceDamaged replaces an object of other content.
func (b *Bucket) replaceDamaged(ctx context.Context, name string, data []byte) error {
	body, _, err := b.objects.Get(ctx, name, 0)
	if err != nil {
		return err
	}
	found, err := io.ReadAll(io.LimitReader(body, int64(len(data))+1))
	if err := errors.Join(err, body.Close()); err != nil {
		return err
	}
	if bytes.Equal(found, data) {
		return nil
	}
	return b.objects.Put(ctx, name, data, true)
}

// PutPreview implements [Store]. A preview of an image that is deleted in the meantime is removed.
func (b *Bucket) PutPreview(ctx context.Context, shop string, name Name, preview []byte) error {
	err := b.objects.Put(ctx, b.name(shop, name), preview, true)
	if err != nil {
		return fmt.Errorf("store preview of image %s: %w", name.ID, err)
	}
	names, err := b.list(ctx, path.Join(b.folder, shop, imagePath(name.ID)))
	if err == nil && !slices.ContainsFunc(names, func(other Name) bool { return !other.Preview }) {
		err = errors.Join(b.objects.Delete(ctx, b.name(shop, name)), fs.ErrNotExist)
	}
	return err
}

// Open implements [Store].
func (b *Bucket) Open(ctx context.Context, shop string, name Name) (Content, error) {
	body, size, err := b.objects.Get(ctx, b.name(shop, name), 0)
	if err != nil {
		return nil, err
	}
	open := func(offset int64) (io.ReadCloser, error) {
		body, _, err := b.objects.Get(ctx, b.name(shop, name), offset)
		return body, err
	}
	return &object{open: open, body: body, size: size}, nil
}

// object is the content of an object. Reading at another offset begins a new request.
type object struct {
	open   func(offset int64) (io.ReadCloser, error)
	body   io.ReadCloser // nil if none is open
	at     int64         // offset of body
	offset int64         // offset of the next read
	size   int64
}

func (o *object) Size() int64 { return o.size }

func (o *object) Read(p []byte) (int, error) {
	if o.offset >= o.size {
		return 0, io.EOF
	}
	if o.at != o.offset || o.body == nil {
		err := o.Close()
		if err == nil {
			o.body, err = o.open(o.offset)
		}
		if err != nil {
			return 0, err
		}
		o.at = o.offset
	}
	n, err := o.body.Read(p)
	o.at += int64(n)
	o.offset = o.at
	return n, err
}

func (o *object) Seek(offset int64, whence int) (int64, error) {
	switch whence {
	case io.SeekCurrent:
		offset += o.offset
	case io.SeekEnd:
		offset += o.size
	}
	if offset < 0 {
		return 0, errors.New("seek image: negative position")
	}
	o.offset = offset
	return offset, nil
}

func (o *object) Close() error {
	if o.body == nil {
		return nil
	}
	body := o.body
	o.body = nil
	return body.Close()
}

// Delete implements [Store]. The largest file is the first.
func (b *Bucket) Delete(ctx context.Context, shop, id string) error {
	if !picture.ValidID(id) {
		return fmt.Errorf("delete image %q: not an ID", id)
	}
	names, err := b.list(ctx, path.Join(b.folder, shop, imagePath(id)))
	for _, name := range names {
		if err == nil {
			err = b.objects.Delete(ctx, b.name(shop, name))
		}
	}
	if err != nil {
		return fmt.Errorf("delete image %s: %w", id, err)
	}
	return nil
}

// list returns the files of an image, the largest first.
func (b *Bucket) list(ctx context.Context, folder string) (names []Name, err error) {
	for object, err := range b.objects.List(ctx, folder) {
		if err != nil {
			return nil, err
		}
		if name, ok := ParseName(path.Base(folder), path.Base(object)); ok && path.Dir(object) == folder {
			names = append(names, name)
		}
	}
	sortNames(names)
	return names, nil
}

// List implements [Store].
func (b *Bucket) List(ctx context.Context, shop string) iter.Seq2[Name, error] {
	return func(yield func(Name, error) bool) {
		folder := path.Join(b.folder, shop)
		var image []Name
		flush := func() bool {
			sortNames(image)
			for _, name := range image {
				if !yield(name, nil) {
					return false
				}
			}
			image = image[:0]
			return true
		}
		for object, err := range b.objects.List(ctx, folder) {
			if err != nil {
				yield(Name{}, fmt.Errorf("list images: %w", err))
				return
			}
			name, ok := ParseName(path.Base(path.Dir(object)), path.Base(object))
			if !ok || name.Preview || b.name(shop, name) != object {
				continue
			}
			if len(image) > 0 && image[0].ID != name.ID && !flush() {
				return
			}
			image = append(image, name)
		}
		flush()
	}
}
