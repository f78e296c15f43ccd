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
	// Preview means the preview that shows the file of this width, not the file.
	Preview bool
}

// ParseName parses the ID of an image and the name of one of its files, such as "640.jpg" or
// "preview-1280.jpg". It accepts only results of [Name.File].
func ParseName(id, file string) (name Name, ok bool) {
	rest, isPreview := strings.CutPrefix(file, picture.PreviewPrefix)
	width, extension, _ := strings.Cut(rest, ".")
	n, err := strconv.Atoi(width)
	name = Name{ID: id, Width: n, Format: picture.Format(extension), Preview: isPreview}
	known := name.Format == picture.JPEG || name.Format == picture.PNG && !isPreview
	ok = err == nil && known && picture.ValidID(id) && n >= 1 && n <= maxStoredSide && name.File() == file
	return name, ok
}

// File returns the name of the file within the image's folder.
func (n Name) File() string {
	file := strconv.Itoa(n.Width) + "." + string(n.Format)
	if n.Preview {
		return picture.PreviewPrefix + file
	}
	return file
}

// path returns the path of the file in a shop's folder, with slashes.
func (n Name) path() string { return imagePath(n.ID) + "/" + n.File() }

// imagePath returns the folder of an image in a shop's folder. It is two levels deep, so that no
// folder is large.
func imagePath(id string) string { return id[:2] + "/" + id }

// Names returns the names of all files of an image whose largest file has the given width, the
// largest first.
func Names(id string, width int, format picture.Format) []Name {
	names := []Name{{ID: id, Width: width, Format: format}}
	for _, w := range renditionWidths {
		if w < width {
			names = append(names, Name{ID: id, Width: w, Format: format})
		}
	}
	return names
}

// sortNames sorts the files of an image, the largest first.
func sortNames(names []Name) {
	slices.SortFunc(names, func(a, b Name) int { return b.Width - a.Width })
}

// NameOf returns the name of one of an image's files.
func NameOf(i picture.Image, f picture.File) Name {
	return Name{ID: i.ID, Width: f.Width, Format: i.Format}
}

// PreviewOf returns the name of the preview of an image with files of these widths, the largest
// first.
func PreviewOf(id string, widths []int) Name {
	return Name{ID: id, Width: picture.PreviewSource(widths), Format: picture.JPEG, Preview: true}
}

// namedFile is a file of an image with its name.
type namedFile struct {
	name Name
	data []byte
}

// filesOf returns all files of an image, the largest first and the preview last.
func filesOf(i picture.Image) []namedFile {
	files := make([]namedFile, 0, len(i.Files)+1)
	for _, f := range i.Files {
		files = append(files, namedFile{NameOf(i, f), f.Data})
	}
	if i.Preview != nil {
		files = append(files, namedFile{PreviewOf(i.ID, i.Widths()), i.Preview})
	}
	return files
}
