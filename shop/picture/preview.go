package picture

import "strconv"

// The size of a preview: the picture of a link in a message, as services that show links expect it.
const (
	PreviewWidth, PreviewHeight = 1200, 630
)

// PreviewSource returns the width of the file that an image's preview shows, and that is in the
// preview's name. widths are the widths of its files, the largest first.
func PreviewSource(widths []int) int {
	source := widths[0]
	for _, width := range widths {
		if width >= PreviewWidth {
			source = width
		}
	}
	return source
}

// PreviewPrefix precedes the name of the file that a preview shows in the preview's own name.
const PreviewPrefix = "preview-"

// PreviewFile returns the name of the preview of an image with files of these widths, the largest
// first. It is beside them.
func PreviewFile(widths []int) string {
	return PreviewPrefix + strconv.Itoa(PreviewSource(widths)) + "." + string(JPEG)
}

// Widths returns the widths of an image's files, the largest first.
func (i Image) Widths() []int {
	widths := make([]int, len(i.Files))
	for n, file := range i.Files {
		widths[n] = file.Width
	}
	return widths
}
