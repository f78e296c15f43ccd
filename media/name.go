package media

import (
	"slices"
	"strconv"
	"strings"

	"storefront/shop/picture"
)

// Name is the name of a file of an image.
type Name struct {
	ID     string
	Width  int
	Format picture.Format
}

// ParseName parses the ID of an image and the name of one of its files, such as "640.jpg". It
// accepts only results of [Name.File].
func ParseName(id, file string) (name Name, ok bool) {
	width, extension, _ := strings.Cut(file, ".")
	n, err := strconv.Atoi(width)
	name = Name{ID: id, Width: n, Format: picture.Format(extension)}
	known := name.Format == picture.JPEG || name.Format == picture.PNG
	ok = err == nil && known && picture.ValidID(id) && n >= 1 && n <= maxStoredSide && name.File() == file
	return name, ok
}

// File returns the name of the file within the image's folder.
func (n Name) File() string { return strconv.Itoa(n.Width) + "." + string(n.Format) }

// path returns the path of the file in a shop's folder, with slashes.
func (n Name) path() string { return imagePath(n.ID) + "/" + n.File() }

// imagePath returns the folder of an image in a shop's folder. It is two levels deep, so that no
// folder is large.
func imagePath(id string) string { return id[:2] + "/" + id }

// Names returns the names of all files of an image whose largest file has the given width, the
// largest first.
func Names(id string, width int, format picture.Format) []Name {
	names := []Name{{id, width, format}}
	for _, w := range renditionWidths {
		if w < width {
			names = append(names, Name{id, w, format})
		}
	}
	return names
}

// sortNames sorts the files of an image, the largest first.
func sortNames(names []Name) {
	slices.SortFunc(names, func(a, b Name) int { return b.Width - a.Width })
}

// NameOf returns the name of one of an image's files.
func NameOf(i picture.Image, f picture.File) Name { return Name{i.ID, f.Width, i.Format} }
