package e2e

import (
	"compress/gzip"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

// Processes that meet a shop of the first version at the same time upgrade it once between them.
func TestUpgrade_ConcurrentProcesses(t *testing.T) {
	t.Parallel()
	data := filepath.Join(t.TempDir(), "data")
	writeKey(t, data, []byte("BwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwc=\n"))
	unpack(t, filepath.Join("..", "tenants", "testdata", "shop-1.db.gz"), filepath.Join(data, "tenants", "old.db"))
	var work sync.WaitGroup
	for range 4 {
		work.Go(func() {
			out, err := storefront(t, "order", "list", "old", "--data", data).CombinedOutput()
			if err != nil || !strings.Contains(string(out), "1001") || !strings.Contains(string(out), "1002") {
				t.Errorf("%v\n%s", err, out)
			}
		})
	}
	work.Wait()
	if copies, err := os.ReadDir(filepath.Join(data, "before-steps")); err != nil || len(copies) != 1 {
		t.Errorf("copies of before: %v, %v", copies, err)
	}
	if got := run(t, "migrate", "--all", "--data", data); got != "0 migrated, 1 up to date, 0 failed.\n" {
		t.Errorf("afterwards: %s", got)
	}
	dest := t.TempDir()
	run(t, "backup", "old", dest, "--data", data)
	run(t, "backup", "verify", dest, "--data", data)
}

// unpack unpacks a shop's file.
func unpack(t *testing.T, packed, path string) {
	t.Helper()
	f, err := os.Open(packed)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	r, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	content, err := io.ReadAll(r)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, content, 0o600); err != nil {
		t.Fatal(err)
	}
}
