package cmd_test

import (
	"os"
	"path/filepath"
	"testing"

	"storefront/db/dbtest"
)

// A restore neither lifts the operator's suspension nor brings an ended one back, whatever the
// backup has. The same holds for confirmed domains.
func TestRestore_OperatorsWord(t *testing.T) {
	dbtest.NeedFiles(t, "a shop in a database is not replaced")
	t.Parallel()
	c := newConsole(t)
	c.must("tenant", "create", "acme", "--name", "Acme")
	backUp := func(folder string) string {
		t.Helper()
		var made struct{ Backups []struct{ File string } }
		dir := filepath.Join(c.dir, "..", folder)
		c.json(&made, "backup", "acme", dir)
		return filepath.Join(dir, made.Backups[0].File)
	}
	type restored struct {
		Suspension        *struct{ Reason string }
		SuspensionUnknown bool
	}
	wantRestored := func(when, file, reason string, unknown bool) {
		t.Helper()
		var got restored
		c.json(&got, "restore", file)
		var shown struct {
			Suspended  bool
			Suspension *struct{ Reason string }
		}
		c.json(&shown, "tenant", "show", "acme")
		isSuspended := reason != ""
		if shown.Suspended != isSuspended || (got.Suspension != nil) != isSuspended || got.SuspensionUnknown != unknown {
			t.Errorf("%s: got %+v, then %+v, want suspended %t, unknown %t", when, got, shown, isSuspended, unknown)
		}
		if isSuspended && (shown.Suspension == nil || shown.Suspension.Reason != reason) {
			t.Errorf("%s: got %+v, want the reason %q", when, shown.Suspension, reason)
		}
	}
	open := backUp("open")
	c.must("tenant", "suspend", "acme", "--reason", "Unpaid.")
	suspended := backUp("suspended")
	wantRestored("an open backup of a suspended shop", open, "Unpaid.", false)
	c.must("tenant", "resume", "acme")
	wantRestored("a suspended backup of an open shop", suspended, "", false)
	if err := os.WriteFile(filepath.Join(c.dir, "tenants", "acme.db"), []byte("damaged"), 0o600); err != nil {
		t.Fatal(err)
	}
	wantRestored("a suspended backup of a damaged shop", suspended, "Unpaid.", true)
}
