package e2e

import (
	"fmt"
	"path/filepath"
	"testing"
	"time"

	"storefront/db/dbtest"
	"storefront/e2e/browsertest"
)

// A merchant adds domains over HTTPS, and sees their certificates arrive from an authority without
// doing anything, or why one does not.
func TestDashboard_Domains(t *testing.T) {
	onlyWithAll(t)
	t.Parallel()
	ca := startPebble(t, 90*24*time.Hour)
	dir := filepath.Join(t.TempDir(), "data")
	run(t, "tenant", "create", "demo", "--name", "Rupkotha", "--data", dir)
	server := startTLS(t, ca, dir)
	dbtest.Eventually(t, "the server's own certificate", func() bool {
		_, err := ca.secure(ownName, "/", "")
		return err == nil
	}, server.logged, ca.logged)
	m := &merchant{openWindow(t, server, 360)}
	m.TrustEverybody()
	m.AllowProblem("SSL certificate error occurred when fetching the script") // of the service worker
	m.signInAs(fmt.Sprintf("https://%s:%d", ownName, port(t, ca.https)), dir, "owner")
	m.show("settings/domains", "#domains")
	m.waitText("#set-domains", "CNAME to "+ownName+"; for a bare name such as example.com, A and AAAA to its addresses.")
	for _, name := range []string{"https://Shop.Rupkotha.example/", lostName} {
		m.Fill("#domains", name)
		m.Press(browsertest.Enter)
	}
	m.Click("#set-domains .save")
	m.waitText("#certificates li:nth-child(1)", "shop.rupkotha.example")
	m.waitText("#certificates li:nth-child(1)", "Not yet")
	m.waitText("#certificates li:nth-child(2)", "Not yet")
	m.check("domains-waiting")
	ca.serves(t, server, "shop.rupkotha.example", "demo", 200) // a visit
	if _, err := ca.secure(lostName, "/", ""); err == nil {
		t.Errorf("%s is served", lostName)
	}
	m.waitText("#certificates li:nth-child(1)", "Valid")
	m.waitText("#certificates li:nth-child(1)", "renewed by itself")
	m.waitText("#certificates li:nth-child(2)", "does not lead to this server yet. Check its DNS. The next attempt is possible")
	m.check("domains")
}
