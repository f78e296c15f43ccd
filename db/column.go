package db

import (
	"iter"
	"slices"
	"strings"
	"time"
)

// MaxList is the number of values that one IN list holds at most; see [inList] and [chunksOf].
const MaxList = 100

// millis and fromMillis are the file's form of a time.
func Millis(t time.Time) int64 { return t.UnixMilli() }

func FromMillis(ms int64) time.Time { return time.UnixMilli(ms).UTC() }

func NullMillis(t *time.Time) *int64 {
	if t == nil {
		return nil
	}
	ms := Millis(*t)
	return &ms
}

func FromNullMillis(ms *int64) *time.Time {
	if ms == nil {
		return nil
	}
	t := FromMillis(*ms)
	return &t
}

// nullable gives nil for "".
func NullText(text string) *string {
	if text == "" {
		return nil
	}
	return &text
}

// deref gives "" for nil.
func TextOf(text *string) string {
	if text == nil {
		return ""
	}
	return *text
}

// orEmpty gives an empty list for nil, so that answers never show null for a list.
func OrEmpty[T any](list []T) []T {
	if list == nil {
		return []T{}
	}
	return list
}

// boolInt is a truth as the file keeps it.
func BoolInt(truth bool) int64 {
	if truth {
		return 1
	}
	return 0
}

func ScanText(r Row) (text string, err error) { return text, r.Scan(&text) }

// listSizes are the lengths that lists of placeholders are padded to: few lengths, few statements.
var listSizes = [...]int{1, 4, 20, MaxList}

// inList gives "(?, ?, …)" and its arguments for at most maxFilterValues values, and at least one.
// Repeating a value in a list changes nothing.
func InList(values []string) (list string, args []any) {
	size := listSizes[slices.IndexFunc(listSizes[:], func(n int) bool { return n >= len(values) })]
	args = make([]any, size)
	for i := range args {
		args[i] = values[min(i, len(values)-1)]
	}
	return "(?" + strings.Repeat(", ?", size-1) + ")", args
}

// chunksOf cuts values into lists that inList takes.
func Chunks(values []string) iter.Seq[[]string] { return slices.Chunk(values, MaxList) }
