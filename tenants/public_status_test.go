package tenants_test

import (
	"context"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"storefront/db/dbtest"
	"storefront/shop/access"
	"storefront/shop/incident"
	"storefront/tenants"
)

// componentStates returns the states of the components by name.
func componentStates(s *tenants.PublicStatus) map[incident.Component]tenants.ComponentState {
	states := map[incident.Component]tenants.ComponentState{}
	for _, c := range s.Components {
		states[c.Name] = c.State
	}
	return states
}

// The state of a component follows from what the server measures: whether the background work runs,
// and whether shops can be served.
func TestPublicStatus_Components(t *testing.T) {
	dbtest.NeedFiles(t, "it damages the file of a shop")
	t.Parallel()
	dir := t.TempDir()
	all := open(t, dir, nil)
	create(t, all, "acme")
	before := all.PublicStatus(t.Context(), false)
	states := componentStates(before)
	if _, ok := states[incident.Site]; ok || states[incident.API] != tenants.ComponentOperational ||
		states[incident.Messages] != tenants.ComponentUnknown || before.State != tenants.ComponentOperational || before.IncidentsUnread {
		t.Errorf("without background work and operators: got %+v", before)
	}
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan struct{})
	go func() {
		all.RunBackground(ctx, slog.New(slog.DiscardHandler))
		close(ended)
	}()
	dbtest.Eventually(t, "the background work runs", func() bool {
		return componentStates(all.PublicStatus(t.Context(), true))[incident.Webhooks] == tenants.ComponentOperational
	})
	stop()
	<-ended

	own, err := all.CreateInstallation(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	title, affected := "Backups are late", []incident.Component{incident.Site}
	in := incident.Input{Title: &title, State: incident.Monitoring, Components: &affected, Text: "Text"}
	if _, err := own.Incidents.Open(t.Context(), access.Operator(), in); err != nil {
		t.Fatal(err)
	}
	if states := componentStates(all.PublicStatus(t.Context(), true)); states[incident.Site] != tenants.ComponentDegraded ||
		states[incident.API] != tenants.ComponentOperational {
		t.Errorf("with an incident: got %v", states)
	}

	create(t, all, "broken")
	if err := all.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "tenants", "broken.db"), []byte(strings.Repeat("x", 8192)), 0o600); err != nil {
		t.Fatal(err)
	}
	all = open(t, dir, nil)
	if _, err := all.Shop(t.Context(), "broken"); err == nil {
		t.Fatal("got a damaged shop")
	}
	if got := all.PublicStatus(t.Context(), false); got.State != tenants.ComponentDegraded {
		t.Errorf("with a damaged shop: got %+v", got)
	}
	if err := os.Rename(filepath.Join(dir, "tenants"), filepath.Join(dir, "elsewhere")); err != nil {
		t.Fatal(err)
	}
	time.Sleep(1100 * time.Millisecond) // the disk is checked once a second
	if got := all.PublicStatus(t.Context(), false); got.State != tenants.ComponentOutage {
		t.Errorf("without a folder of shops: got %+v", got)
	}
}
