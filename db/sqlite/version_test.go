package sqlite_test

import (
	"testing"

	"storefront/db/sqlite"
)

// A version is never used twice, even if the file was closed in between.
func TestVersion_Reopened(t *testing.T) {
	t.Parallel()
	s := openStore(t, t.TempDir(), sqlite.Options{MaxOpen: 1})
	create(t, s, "one")
	create(t, s, "two")
	seen := map[uint64]bool{}
	for i := range 5 {
		update(t, s, "one", addOrder(int64(i)))
		v := version(t, s, "one")
		if seen[v] {
			t.Errorf("got version %d twice", v)
		}
		seen[v] = true
		version(t, s, "two") // closes the other
	}
}
