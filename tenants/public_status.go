package tenants

import (
	"context"
	"slices"
	"time"

	"storefront/shop/fault"
	"storefront/shop/incident"
)

// ComponentState is the state of a component on the status page.
//
//api:enum ComponentState
type ComponentState string

// The states, the best first.
const (
	ComponentOperational ComponentState = "operational" // it works
	ComponentUnknown     ComponentState = "unknown"     // this server cannot determine its state
	ComponentDegraded    ComponentState = "degraded"    // it does not work for all shops, or not in time
	ComponentOutage      ComponentState = "outage"      // it does not work
)

// componentStates are the states, the best first.
var componentStates = []ComponentState{ComponentOperational, ComponentUnknown, ComponentDegraded, ComponentOutage}

func worse(a, b ComponentState) ComponentState {
	if slices.Index(componentStates, b) > slices.Index(componentStates, a) {
		return b
	}
	return a
}

// ComponentStatus is a component with its state.
type ComponentStatus struct {
	Name  incident.Component `json:"name"`
	State ComponentState     `json:"state"`
}

// PublicStatus is the state of the server for everybody. It contains no shop.
type PublicStatus struct {
	State      ComponentState      `json:"state"` // the worst of the components
	At         time.Time           `json:"at"`
	Components []ComponentStatus   `json:"components"`
	Incidents  []incident.Incident `json:"incidents"` // open ones, and ended ones for 90 days; newest first
	// IncidentsUnread means that the incidents could not be read.
	IncidentsUnread bool `json:"incidentsUnread"`
}

// workPatience is the time without a round of the background work from which its components are
// out. A round begins every 15 seconds.
const workPatience = 2 * time.Minute

// PublicStatus returns the state of the server, as this process knows it, and the incidents. An
// open incident degrades the components that it affects. hasSite adds the pages of shops. The
// caller must cache the result.
func (t *Tenants) PublicStatus(ctx context.Context, hasSite bool) *PublicStatus {
	found := &PublicStatus{At: t.now().UTC().Truncate(time.Second), Incidents: []incident.Incident{}}
	s, err := t.Installation(ctx)
	if err == nil {
		found.Incidents, err = s.Incidents.Published(ctx)
	}
	if err != nil && !fault.HasCode(err, fault.CodeNotFound) {
		t.log.Warn("incidents not read", "error", err)
		found.Incidents, found.IncidentsUnread = []incident.Incident{}, true
	}
	serving := t.servingState(ctx, found.IncidentsUnread)
	work := t.workState()
	states := map[incident.Component]ComponentState{
		incident.API: serving, incident.Dashboard: serving, incident.Messages: worse(serving, work), incident.Webhooks: worse(serving, work),
	}
	if hasSite {
		states[incident.Site] = serving
	}
	if backups := t.backups.Load(); backups != nil {
		states[incident.Backups] = backupsState(backups)
	}
	for i := range found.Incidents {
		if !found.Incidents[i].IsOpen() {
			continue
		}
		for _, c := range found.Incidents[i].Components {
			if state, ok := states[c]; ok {
				states[c] = worse(state, ComponentDegraded)
			}
		}
	}
	found.State = ComponentOperational
	for _, c := range incident.Components() {
		if state, ok := states[c]; ok {
			found.Components = append(found.Components, ComponentStatus{c, state})
			if state != ComponentUnknown {
				found.State = worse(found.State, state)
			}
		}
	}
	return found
}

// servingState returns whether requests to shops can be served. unread means that the data of the
// installation, which is stored as the shops' is, cannot be read.
func (t *Tenants) servingState(ctx context.Context, unread bool) ComponentState {
	failing := slices.DeleteFunc(t.Failing(), func(f FailingShop) bool { return f.UID == Installation })
	switch {
	case t.Ready(ctx) != nil, unread && t.engines != nil: // the database does not respond
		return ComponentOutage
	case len(failing) > 0 || unread:
		return ComponentDegraded
	}
	return ComponentOperational
}

// workState returns whether the background work runs.
func (t *Tenants) workState() ComponentState {
	at := t.workedAt.Load()
	switch {
	case at == nil: // not yet, or by another server
		return ComponentUnknown
	case time.Since(*at) > workPatience:
		return ComponentOutage
	}
	return ComponentOperational
}

func backupsState(b *BackupStatus) ComponentState {
	switch {
	case b.Failing > 0:
		return ComponentDegraded
	case b.LastSuccess.IsZero():
		return ComponentUnknown
	}
	return ComponentOperational
}
