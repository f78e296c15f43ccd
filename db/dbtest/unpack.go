package dbtest

import (
	"compress/gzip"
	"errors"
	"io"
	"os"
	"path/filepath"
	"testing"
)

// Unpack decompresses a file, such as a shop of an older schema, to path. It creates path's folder.
func Unpack(tb testing.TB, packed, path string) {
	tb.Helper()
	f, err := os.Open(packed)
	if err != nil {
		tb.Fatal(err)
	}
	defer f.Close()
	r, err := gzip.NewReader(f)
	if err != nil {
		tb.Fatal(err)
	}
	content, err := io.ReadAll(r)
	if err != nil {
		tb.Fatal(err)
	}
	if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o700), os.WriteFile(path, content, 0o600)); err != nil {
		tb.Fatal(err)
	}
}
