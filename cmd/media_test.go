package cmd_test

import (
	"context"
	"strings"
	"testing"

	"storefront/cmd"
	"storefront/db"
)

// An image without its files makes media verify fail, and is named.
func TestMedia_Verify(t *testing.T) {
	t.Parallel()
	c := newConsole(t)
	c.must("tenant", "create", "acme", "--name", "Acme", "--currency", "BDT", "--country", "BD")
	if out := c.must("media", "verify", "acme"); out != "All files are intact. Images: 0.\n" {
		t.Errorf("got %q", out)
	}
	withShops(t, c.dir, func(s *db.Store) error {
		return s.Update(t.Context(), "acme", func(_ context.Context, tx *db.Tx) error {
			return tx.Do(`
				INSERT INTO media (id, alt, alt_key, width, height, bytes, format, renditions, created_at)
				VALUES ('mzxw6ytboi3dcnrqgezd', '', '', 640, 480, 9000, 'jpg', '[[640,480],[320,240]]', 0)`)
		})
	})
	lost := c.run("media", "verify", "acme")
	if lost.code != cmd.ExitFailed || lost.stdout != "mzxw6ytboi3dcnrqgezd  missing\n" ||
		!strings.Contains(lost.stderr, "images with missing or damaged files: 1 of 1") {
		t.Errorf("got %+v, want the missing image", lost)
	}
	c.fails(cmd.ExitFailed, "No shop has this UID", "media", "verify", "nothing")
}
