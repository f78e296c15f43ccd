package cmd_test

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"storefront/db/dbtest"
)

// Access that ended after a backup does not come back with it.
func TestRestore_EndedAccess(t *testing.T) {
	dbtest.NeedFiles(t, "a shop in a database is not replaced")
	t.Parallel()
	c := newConsole(t)
	c.must("tenant", "create", "acme", "--name", "Acme")
	for _, name := range []string{"rina", "karim", "salma"} {
		c.must("staff", "invite", "acme", "--role", "staff", "--name", name, "--email", name+"@example.com")
	}
	type key struct {
		ID string `json:"_id"`
	}
	var revoked key
	c.must("token", "create", "acme", "--name", "kept")
	c.json(&revoked, "token", "create", "acme", "--name", "revoked")
	var made struct{ Backups []struct{ File string } }
	c.json(&made, "backup", "acme", filepath.Join(c.dir, "..", "copies"))
	backup := filepath.Join(c.dir, "..", "copies", made.Backups[0].File)

	c.must("staff", "disable", "acme", "karim@example.com")
	c.must("api", "acme", "removeStaffMember", "--id", "salma@example.com")
	c.must("token", "revoke", "acme", revoked.ID)
	type restored struct {
		Replaced *string
		Access   struct{ EndedMembers, EndedKeys, CheckMembers, CheckKeys []string }
	}
	wantAccess := func(when string, members, keys []string) {
		t.Helper()
		var team []struct{ Name, Status string }
		c.json(&team, "staff", "list", "acme")
		var got []string
		for _, m := range team {
			if m.Status != "off" {
				got = append(got, m.Name)
			}
		}
		if slices.Sort(got); !slices.Equal(got, members) {
			t.Errorf("%s: got staff members %q, want %q", when, got, members)
		}
		var tokens []struct{ Label string }
		c.json(&tokens, "token", "list", "acme")
		got = nil
		for _, k := range tokens {
			got = append(got, k.Label)
		}
		if slices.Sort(got); !slices.Equal(got, keys) {
			t.Errorf("%s: got API keys %q, want %q", when, got, keys)
		}
	}
	for _, when := range []string{"first", "again"} { // what has ended is known after a restore, too
		var done restored
		c.json(&done, "restore", backup)
		if a := done.Access; !slices.Equal(a.EndedMembers, []string{"karim", "salma"}) || !slices.Equal(a.EndedKeys, []string{"revoked"}) ||
			len(a.CheckMembers)+len(a.CheckKeys) > 0 {
			t.Errorf("%s: got %+v, want karim, salma and the key ended", when, a)
		}
		wantAccess(when, []string{"rina"}, []string{"kept"})
	}

	// A restore is undone with the replaced file, without loss of what is newer than the backup.
	c.must("staff", "invite", "acme", "--role", "staff", "--name", "new", "--email", "new@example.com")
	var done restored
	c.json(&done, "restore", backup)
	c.must("restore", *done.Replaced, "--of", "acme")
	wantAccess("undone", []string{"new", "rina"}, []string{"kept"})

	if err := os.WriteFile(filepath.Join(c.dir, "tenants", "acme.db"), []byte("rubbish"), 0o600); err != nil {
		t.Fatal(err)
	}
	done = restored{}
	c.json(&done, "restore", backup)
	if a := done.Access; !slices.Equal(a.CheckMembers, []string{"rina", "karim", "salma"}) || !slices.Equal(a.CheckKeys, []string{"kept", "revoked"}) {
		t.Errorf("over a damaged file: got %+v, want all to check", a)
	}
}
