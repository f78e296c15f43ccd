package db

import (
	"iter"
	"slices"
	"strings"
	"time"
)

// MaxList is the maximum number of values of one IN list, see [InList] and [Chunks].
const MaxList = 100

// Millis returns a time in stored form: in milliseconds since 1970.
func Millis(t time.Time) int64 { return t.UnixMilli() }

// FromMillis returns the UTC time of a stored number of milliseconds.
func FromMillis(ms int64) time.Time { return time.UnixMilli(ms).UTC() }

// NullMillis is [Millis] for a time that may be nil, which is stored as NULL.
func NullMillis(t *time.Time) *int64 {
	if t == nil {
		return nil
	}
	ms := Millis(*t)
	return &ms
}

// FromNullMillis is [FromMillis] for a value that may be NULL, for which it returns nil.
func FromNullMillis(ms *int64) *time.Time {
	if ms == nil {
		return nil
	}
	t := FromMillis(*ms)
	return &t
}

// NullText returns a pointer to text, or nil for "", which is stored as NULL.
func NullText(text string) *string {
	if text == "" {
		return nil
	}
	return &text
}

// TextOf returns the text that the pointer refers to, or "" for nil.
func TextOf(text *string) string {
	if text == nil {
		return ""
	}
	return *text
}

// OrEmpty returns list, or an empty list for nil, so that JSON responses never contain null for a
// list.
func OrEmpty[T any](list []T) []T {
	if list == nil {
		return []T{}
	}
	return list
}

// BoolInt returns a boolean in stored form: 1 for true and 0 for false.
func BoolInt(value bool) int64 {
	if value {
		return 1
	}
	return 0
}

// ScanText scans a row of one text column. It is for [Query].
func ScanText(r Row) (text string, err error) { return text, r.Scan(&text) }

// listSizes are the lengths to which IN lists are padded, so that there are few different
// statements.
var listSizes = [...]int{1, 4, 20, MaxList}

// InList returns a list "(?, ?, …)" for the operator IN and its arguments. values must have at
// least one and at most [MaxList] elements. The last one is repeated to pad the list.
func InList(values []string) (list string, args []any) {
	size := listSizes[slices.IndexFunc(listSizes[:], func(n int) bool { return n >= len(values) })]
	args = make([]any, size)
	for i := range args {
		args[i] = values[min(i, len(values)-1)]
	}
	return "(?" + strings.Repeat(", ?", size-1) + ")", args
}

// WhereIn appends the condition that a column has one of the values, unless there are none.
func WhereIn[S ~string](conditions []string, args []any, column string, values []S) (all []string, with []any) {
	if len(values) == 0 {
		return conditions, args
	}
	texts := make([]string, len(values))
	for i, value := range values {
		texts[i] = string(value)
	}
	list, in := InList(texts)
	return append(conditions, column+" IN "+list), append(args, in...)
}

// Chunks returns an iterator over consecutive parts of values that are short enough for [InList].
func Chunks(values []string) iter.Seq[[]string] { return slices.Chunk(values, MaxList) }
