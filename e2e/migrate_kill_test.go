package e2e

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"storefront/db/dbtest"
)

// A migrate that is killed while it copies leaves nothing that the next one does not remove.
func TestMigrate_Killed(t *testing.T) {
	onlyWithAll(t)
	dbtest.NeedFiles(t, "the test copies a shop's file")
	t.Parallel()
	data := oldShopData(t)
	const shops = 500
	for n := range shops - 1 {
		old := filepath.Join(data, "tenants", "old")
		copyFile(t, old+".db", fmt.Sprintf("%s-%03d.db", old, n))
	}
	dir := filepath.Join(data, "before-steps")
	left := 0
	for range 20 {
		cmd := storefront(t, "migrate", "--all", "--data", data)
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		ended := make(chan struct{})
		go func() {
			_ = cmd.Wait() // a killed one fails
			close(ended)
		}()
		killed := false
		for running := true; running; {
			select {
			case <-ended:
				running = false
			default:
				if !killed && unfinished(t, dir) > left { // of this run
					_ = cmd.Process.Kill()
					killed = true
				}
			}
		}
		if !killed {
			break
		}
		if left = unfinished(t, dir); left > 0 {
			break
		}
	}
	t.Logf("unfinished copies that the killed commands left: %d", left)
	run(t, "migrate", "--all", "--data", data)
	if got := run(t, "migrate", "--all", "--data", data); !strings.Contains(got, fmt.Sprintf("0 migrated, %d up to date, 0 failed.", shops)) {
		t.Errorf("afterwards: got %s", got)
	}
	entries, err := os.ReadDir(dir)
	if err != nil || len(entries) != shops || unfinished(t, dir) != 0 {
		t.Errorf("copies: got %d files, %d of them unfinished, %v, want one of each of %d shops", len(entries), unfinished(t, dir), err, shops)
	}
	for _, pattern := range []string{".*-*", "tenants/.*"} {
		if files, err := filepath.Glob(filepath.Join(data, pattern)); err != nil || len(files) > 0 {
			t.Errorf("left behind: %v, %v", files, err)
		}
	}
}

func copyFile(t *testing.T, from, to string) {
	t.Helper()
	content, err := os.ReadFile(from)
	if err == nil {
		err = os.WriteFile(to, content, 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// unfinished returns the number of unfinished copies in a folder.
func unfinished(t *testing.T, dir string) int {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, ".backup-*"))
	if err != nil {
		t.Fatal(err)
	}
	return len(files)
}
