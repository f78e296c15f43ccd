package tenants

import (
	"testing"
	"time"
)

// A restore to a time uses the newest state until then, in the backups or the replica.
func TestRestorePoints_Choose(t *testing.T) {
	t.Parallel()
	hour := func(n int) time.Time { return time.Date(2026, 3, 1, n, 0, 0, 0, time.UTC) }
	p := RestorePoints{
		Copies: []ShopCopy{ // newest first
			{File: "replaced", Kind: KindTrash, CreatedAt: hour(13)}, {File: "late", Kind: KindBackup, CreatedAt: hour(12)},
			{File: "steps", Kind: KindBeforeSteps, CreatedAt: hour(6)}, {File: "early", Kind: KindBackup, CreatedAt: hour(2)},
		},
		Replica: &RestoreRange{hour(4), hour(10)},
	}
	for _, c := range []struct {
		at   int
		file string
		asOf int
	}{
		{2, "early", 2},
		{3, "early", 2},
		{4, "", 4},
		{6, "", 6},
		{7, "", 7},
		{11, "", 10},
		{12, "late", 12},
		{14, "late", 12},
	} {
		at := hour(c.at)
		got, err := p.choose(RestorePoint{At: &at}, hour(20))
		if err != nil || got.File != c.file || !got.CreatedAt.Equal(hour(c.asOf)) {
			t.Errorf("%d h: got %+v, %v, want the file %q as of %d h", c.at, got, err, c.file, c.asOf)
		}
	}
	for _, at := range []time.Time{hour(1), hour(21)} {
		if got, err := p.choose(RestorePoint{At: &at}, hour(20)); err == nil {
			t.Errorf("%v: got %+v, want an error", at, got)
		}
	}
}
