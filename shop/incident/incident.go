// Package incident owns the incidents of a server: problems that operators announce on the public
// status page, with their history.
//
// They are stored in the data of the installation. The package must not know how the page shows
// them, nor how the state of a component is measured.
package incident

import (
	"slices"
	"time"

	"storefront/shop/fault"
	"storefront/shop/input"
)

// State is the state of an incident.
//
//api:enum IncidentState
type State string

// The states, in their usual order.
const (
	Investigating State = "investigating" // the cause is not known
	Identified    State = "identified"    // the cause is known, and being removed
	Monitoring    State = "monitoring"    // the cause is removed, and the result is watched
	Resolved      State = "resolved"      // it is over. A later update can open it again
)

// States returns the states in their usual order.
func States() []State { return []State{Investigating, Identified, Monitoring, Resolved} }

// Component is a part of the server that can fail by itself.
//
//api:enum StatusComponent
type Component string

// The components, in the order of the page.
const (
	API       Component = "api"       // the API of storefronts
	Dashboard Component = "dashboard" // the dashboard and the Admin API
	Site      Component = "site"      // the pages of shops
	Messages  Component = "messages"  // text messages and e-mails to buyers and staff members
	Webhooks  Component = "webhooks"  // webhooks to other systems
	Backups   Component = "backups"   // scheduled backups
)

// Components returns the components in the order of the page.
func Components() []Component {
	return []Component{API, Dashboard, Site, Messages, Webhooks, Backups}
}

// Incident is a problem that operators have announced.
type Incident struct {
	ID         string      `json:"_id"`
	Title      string      `json:"title"`
	State      State       `json:"state"`
	Components []Component `json:"components" nullable:"false" doc:"Affected components"`
	Updates    []Update    `json:"updates" nullable:"false" doc:"Newest first"`
	StartedAt  time.Time   `json:"startedAt"`
	ResolvedAt *time.Time  `json:"resolvedAt" doc:"null if it is not over"`
}

// Update is a step in the history of an incident.
type Update struct {
	State State     `json:"state"`
	Text  string    `json:"text"`
	At    time.Time `json:"at"`
}

// IsOpen reports whether the incident is not over.
func (i *Incident) IsOpen() bool { return i.ResolvedAt == nil }

// Input is a new incident, or an update of one.
type Input struct {
	// Title and Components of an update are nil if they stay.
	Title      *string
	Components *[]Component
	State      State
	Text       string
}

// Limits of incidents.
const (
	maxTitle   = 120
	maxText    = 2000
	maxUpdates = 100
	maxOpen    = 20
	// Retention is the time for which an incident is stored, and shown, after its end.
	Retention = 90 * 24 * time.Hour
)

// check checks the fields that are set.
func (in *Input) check(bad *fault.Invalid) {
	if in.Title != nil {
		*in.Title = input.CheckLine(bad, "title", *in.Title, maxTitle)
		if input.IsBlank(in.Title) {
			bad.Add("title", fault.CodeRequired, "A title is required.")
		}
	}
	in.Text = input.CheckNote(bad, "text", in.Text, maxText)
	if input.IsBlank(&in.Text) {
		bad.Add("text", fault.CodeRequired, "A text is required: merchants read it.")
	}
	if !slices.Contains(States(), in.State) {
		bad.Add("state", fault.CodeInvalidValue, "Must be investigating, identified, monitoring or resolved.")
	}
	if in.Components == nil {
		return
	}
	for _, c := range *in.Components {
		if !slices.Contains(Components(), c) {
			bad.Add("components", fault.CodeInvalidValue, "Must be components: api, dashboard, site, messages, webhooks or backups.")
			return
		}
	}
	// In the order of the page, each once.
	*in.Components = slices.DeleteFunc(Components(), func(c Component) bool { return !slices.Contains(*in.Components, c) })
}

// apply adds an update to the incident.
func (i *Incident) apply(in *Input, now time.Time) {
	if in.Title != nil {
		i.Title = *in.Title
	}
	if in.Components != nil {
		i.Components = *in.Components
	}
	switch i.State = in.State; {
	case in.State != Resolved:
		i.ResolvedAt = nil
	case i.ResolvedAt == nil:
		i.ResolvedAt = &now
	}
	i.Updates = slices.Insert(i.Updates, 0, Update{in.State, in.Text, now})
}
