package picture

import (
	"strconv"
	"strings"
)

// The size of a preview: the picture of a link in a message, as services that show links expect it.
const (
	PreviewWidth, PreviewHeight = 1200, 630
)

const previewPrefix = "preview-"

// PreviewFile returns the name of the preview that is made of an image's file of a width. It is
// served beside the file.
func PreviewFile(width int) string { return previewPrefix + strconv.Itoa(width) + ".jpg" }

// IsPreview reports whether a file may be a preview, and returns the rest of its name.
func IsPreview(file string) (rest string, ok bool) { return strings.CutPrefix(file, previewPrefix) }
