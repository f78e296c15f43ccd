package cmd_test

import (
	"testing"

	"storefront/cmd"
	"storefront/shop/incident"
)

func TestIncident(t *testing.T) {
	t.Parallel()
	c := newConsole(t)
	c.must("tenant", "create", "acme", "--name", "Acme")
	c.prints("No incidents.\n", "incident", "list")
	c.fails(cmd.ExitFailed, "Must be components", "incident", "open", "SMS late", "The gateway is slow.", "--component", "shop")
	var opened, updated incident.Incident
	c.json(&opened, "incident", "open", "SMS late", "The gateway is slow.", "--component", "messages,api")
	c.json(&updated, "incident", "update", opened.ID, "The gateway works again.", "--component", "messages", "--title", "SMS were late")
	if updated.State != incident.Investigating || updated.Title != "SMS were late" || len(updated.Components) != 1 || len(updated.Updates) != 2 {
		t.Errorf("got %+v, want the state as before, another title and one component", updated)
	}
	c.json(&updated, "incident", "update", opened.ID, "All are sent.", "--state", "resolved")
	if updated.IsOpen() || len(updated.Components) != 1 {
		t.Errorf("got %+v, want a resolved incident", updated)
	}
	c.fails(cmd.ExitFailed, "There is no such incident.", "incident", "update", "none", "Text")
	c.must("incident", "remove", opened.ID)
	c.prints("No incidents.\n", "incident", "list")
}
