package cmd_test

import (
	"path/filepath"
	"testing"

	"storefront/db/dbtest"
	"storefront/tenants/doctor"
)

// A shop can come to names of the server, or of another shop: by new flags of a server, or a
// restore.
func TestDoctor_Domains(t *testing.T) {
	dbtest.NeedFiles(t, "a shop in a database is not replaced")
	t.Parallel()
	c := newDoctor(t, "acme", "maple")
	c.must("tenant", "set", "acme", `domains=["api.acme.invalid","shop.acme.invalid"]`)
	found, _ := c.findings()
	wantFinding(t, found, "acme/domains", doctor.StateOK, "Entered: 2, all of them valid.")
	wantFinding(t, found, "maple/domains", doctor.StateOK, "Entered: 0, all of them valid.")
	found, _ = c.findings("--public-url", "https://API.acme.invalid/")
	wantFinding(t, found, "acme/domains", doctor.StateFailing, "which no shop can have: api.acme.invalid.")

	var made struct{ Backups []struct{ File string } }
	dir := filepath.Join(c.dir, "..", "copies")
	c.json(&made, "backup", "acme", dir)
	c.must("tenant", "set", "acme", "domains=[]")
	c.must("tenant", "set", "maple", `domains=["shop.acme.invalid"]`)
	c.must("restore", filepath.Join(dir, made.Backups[0].File))
	found, _ = c.findings()
	wantFinding(t, found, "maple/domains", doctor.StateFailing, "Served for another shop: shop.acme.invalid (acme).")
}
