package album

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"

	"storefront/media"
	"storefront/shop/catalogue"
	"storefront/shop/picture"
)

// Album is the images of a shop in a store.
type Album struct {
	Store media.Store
	Shop  string
}

// ErrDamaged means that an image's content differs from the hash in its name.
var ErrDamaged = errors.New("the image is damaged: its content differs from its name")

// namesOf returns the files of an image, the largest first.
func namesOf(image catalogue.StoredImage) []media.Name {
	names := make([]media.Name, len(image.Widths))
	for i, width := range image.Widths {
		names[i] = media.Name{ID: image.ID, Width: width, Format: picture.Format(image.Format)}
	}
	return names
}

// has reports whether all files of an image exist.
func (a Album) has(ctx context.Context, image catalogue.StoredImage) (bool, error) {
	for _, name := range namesOf(image) {
		file, err := a.Store.Open(ctx, a.Shop, name)
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

// Read reads an image. Errors: fs.ErrNotExist, ErrDamaged.
func (a Album) Read(ctx context.Context, image catalogue.StoredImage) (picture.Image, error) {
	img := picture.Image{ID: image.ID, Format: picture.Format(image.Format)}
	for _, name := range namesOf(image) {
		data, err := a.read(ctx, name)
		if err != nil {
			return img, err
		}
		img.Files = append(img.Files, picture.File{Width: name.Width, Data: data})
	}
	if len(image.Widths) > 0 {
		img.Preview, _ = a.read(ctx, media.PreviewOf(image.ID, image.Widths)) // made again if it is missing
	}
	if len(img.Files) == 0 || picture.ID(img.Files[0].Data) != image.ID {
		return img, fmt.Errorf("%s: %w", image.ID, ErrDamaged)
	}
	return img, nil
}

// read reads a file of an image.
func (a Album) read(ctx context.Context, name media.Name) ([]byte, error) {
	file, err := a.Store.Open(ctx, a.Shop, name)
	if err != nil {
		return nil, err
	}
	data, err := io.ReadAll(file)
	if err = errors.Join(err, file.Close()); err != nil {
		return nil, err
	}
	return data, nil
}

// isIntact reports whether no file of an image is damaged. Files without hashes are compared by
// their form and their size.
func isIntact(image catalogue.StoredImage, img picture.Image) bool {
	for i, f := range img.Files {
		if !img.Format.IsWhole(f.Data) ||
			len(image.Hashes) > 0 && image.Hashes[i] != picture.ID(f.Data) {
			return false
		}
	}
	return image.Bytes == 0 || img.Size() == image.Bytes
}

// Copy copies the images that are missing in an album from the first of the others that has
// them intact, otherwise from one whose smaller files are damaged. It returns the number of copied
// images, and the IDs of the images that no album has intact. An error concerns the destination, or
// ctx.
func Copy(
	ctx context.Context,
	images []catalogue.StoredImage,
	to Album,
	from ...Album,
) (copied int, missing []string, err error) {
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
		if err := to.Store.Put(ctx, to.Shop, img); err != nil {
			return copied, missing, err
		}
		copied++
	}
	return copied, missing, nil
}

// readFirst reads an image from the first album that has it intact, otherwise from the first whose
// largest file is. The result has no files if there is none. An error is from ctx.
func readFirst(
	ctx context.Context,
	image catalogue.StoredImage,
	from []Album,
) (found picture.Image, intact bool, err error) {
	for _, source := range from {
		img, err := source.Read(ctx, image)
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

// Check returns the IDs of the missing and of the damaged images, which no album has intact.
func Check(
	ctx context.Context,
	images []catalogue.StoredImage,
	in ...Album,
) (missing, damaged []string, err error) {
	for _, image := range images {
		isDamaged, hasIntact := false, false
		for _, a := range in {
			img, err := a.Read(ctx, image)
			if err == nil && !isIntact(image, img) {
				err = ErrDamaged
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

// List returns all images of an album.
func (a Album) List(ctx context.Context) (images []catalogue.StoredImage, err error) {
	for name, err := range a.Store.List(ctx, a.Shop) {
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
