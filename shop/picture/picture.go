package picture

import (
	"bytes"
	"crypto/sha256"
	"encoding/base32"
	"strings"
)

// idLength is the length of an image's ID: 100 bits.
const idLength = 20

// Image is a processed image: its files contain only the pixels of the upload.
type Image struct {
	ID            string // the start of the base32 SHA-256 of the largest file, see [ID]
	Width, Height int    // of the largest file
	Format        Format // of all files
	Files         []File // the largest first
	Colour        string // its most frequent colour, such as #a1b2c3; "" if parts of it are transparent
	Preview       []byte // a JPEG for links, see [PreviewSource]; nil means that it is made when it is needed
}

// File is an image in one size.
type File struct {
	Width, Height int
	Data          []byte
}

// Format is the format of stored files, and the extension of their names.
type Format string

// The formats of stored files.
const (
	JPEG Format = "jpg"
	PNG  Format = "png"
)

// ValidID reports whether an ID has the form of an image's ID.
func ValidID(id string) bool {
	return len(id) == idLength && strings.Trim(id, "abcdefghijklmnopqrstuvwxyz234567") == ""
}

// Size returns the size of all files in bytes.
func (i Image) Size() (size int64) {
	for _, f := range i.Files {
		size += int64(len(f.Data))
	}
	return size
}

// ContentType returns the format's content type.
func (f Format) ContentType() string {
	if f == PNG {
		return "image/png"
	}
	return "image/jpeg"
}

// IsWhole reports whether a file has the beginning and the end of the format.
func (f Format) IsWhole(data []byte) bool {
	if f == PNG {
		return bytes.HasPrefix(data, []byte("\x89PNG\r\n\x1a\n")) && bytes.HasSuffix(data, []byte("IEND\xaeB`\x82"))
	}
	return bytes.HasPrefix(data, []byte("\xff\xd8\xff")) && bytes.HasSuffix(data, []byte("\xff\xd9"))
}

// ID returns the identifier of an image by the content of its largest file.
func ID(data []byte) string {
	sum := sha256.Sum256(data)
	return strings.ToLower(base32.StdEncoding.EncodeToString(sum[:]))[:idLength]
}
