package input

import (
	"regexp"
	"strings"
	"unicode"
)

// CleanLine returns text as one line: runs of space and control characters become one space.
func CleanLine(text string) string {
	isGap := func(r rune) bool { return unicode.IsSpace(r) || unicode.IsControl(r) }
	return strings.Join(strings.FieldsFunc(Clean(text), isGap), " ")
}

var newlines = strings.NewReplacer("\r\n", "\n", "\r", "\n")

// UnixNewlines returns text with \n as line ends.
func UnixNewlines(text string) string { return newlines.Replace(text) }

var handlePattern = regexp.MustCompile(`^[\p{L}\p{N}][\p{L}\p{N}\p{M}_-]*$`)

// IsHandle reports whether handle has only letters, digits, hyphens and underscores, and begins
// with a letter or a digit.
func IsHandle(handle string) bool { return handlePattern.MatchString(handle) }

// CleanHandle returns the canonical form of a handle: in lower case, with runs of white space and
// control characters collapsed, without invisible characters, such as a joiner within a word.
func CleanHandle(handle string) string {
	return strings.ToLower(CleanLine(DropInvisible(handle)))
}
