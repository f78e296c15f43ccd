package tenants_test

import (
	"slices"
	"testing"
	"time"

	"storefront/db"
	"storefront/db/dbtest"
	"storefront/shop"
	"storefront/shop/access"
	"storefront/tenants"
)

// Staff of a shop that a command moves can read at the server that the move has not ended.
func TestEngines_MoveInHealth(t *testing.T) {
	t.Parallel()
	c, dir := dbtest.NewCluster(t), t.TempDir()
	config := func(cfg *tenants.Config) { setDatabase(cfg, c.Address("postgres")) }
	all := open(t, dir, config)
	create(t, all, "acme")
	command := open(t, dir, func(cfg *tenants.Config) { config(cfg); cfg.Command = true })
	check := func(when string, want bool) {
		t.Helper()
		s, err := all.FindIncludingSuspended(t.Context(), "acme")
		if err != nil {
			t.Fatalf("%s: %v", when, err)
		}
		backlog, err := s.FindBacklog(t.Context(), access.Operator())
		if err != nil {
			t.Fatalf("%s: %v", when, err)
		}
		got := slices.ContainsFunc(backlog.Findings(), func(f shop.HealthFinding) bool { return f.Code == shop.HealthMove })
		if got != want || backlog.Moving != want {
			t.Errorf("%s: got moving %t and findings %+v, want %t", when, backlog.Moving, backlog.Findings(), want)
		}
	}
	for _, to := range []tenants.Place{tenants.InFiles, tenants.InPostgres} {
		check("before", false)
		_, err := command.Move(t.Context(), "acme", tenants.MoveOptions{To: to, AtMost: time.Minute, Reached: func(phase db.MovePhase) {
			if phase == db.MoveFrozen || phase == db.MoveArrived { // until then the old copy is read
				check(string(to)+" "+string(phase), true)
			}
		}})
		if err != nil {
			t.Fatal(err)
		}
		check("afterwards", false)
	}
}
