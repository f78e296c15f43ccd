package admin

import (
	"context"
	"net/http"

	"storefront/shop/access"
	"storefront/shop/fault"
	"storefront/shop/incident"
)

// Incidents are the incidents of the server.
type Incidents struct {
	Nodes []incident.Incident `json:"nodes" nullable:"false"`
}

// NewIncident is an incident to announce.
type NewIncident struct {
	Title      string               `json:"title"`
	State      incident.State       `json:"state"`
	Components []incident.Component `json:"components,omitempty" doc:"Affected components, which the page shows as degraded"`
	Text       string               `json:"text" doc:"For merchants"`
}

// IncidentUpdate is an update of an incident.
type IncidentUpdate struct {
	State      incident.State        `json:"state"`
	Text       string                `json:"text" doc:"For merchants"`
	Title      *string               `json:"title,omitempty" doc:"A new title"`
	Components *[]incident.Component `json:"components,omitempty" doc:"The components that are affected now; as before if left out"`
}

// IncidentPath has an incident in the path.
type IncidentPath struct {
	IncidentID string `path:"incidentId" doc:"The incident's _id" example:"01KB2M9Q7VX5T3R8WY6ZC4D1EF"`
}

func incidentOperations() []Operation {
	const public = " Everybody can read it at /status."
	return ofInstallation(
		define(Operation{
			ID: "listIncidents", Path: "incidents", Use: access.ToListIncidents,
			Summary:     "List the incidents on the status page, newest first",
			Description: "Open ones, and those that ended within 90 days.",
		}, func(ctx context.Context, in *struct{ request }) (*Incidents, error) {
			list, err := in.shop().Incidents.List(ctx, in.caller())
			return &Incidents{list}, err
		}),

		define(Operation{
			ID: "openIncident", Method: http.MethodPost, Path: "incidents", Use: access.ToOpenIncident, Created: true,
			Summary: "Announce an incident on the status page", Description: "At most 20 can be open." + public,
			Codes: []fault.Code{fault.CodeValidationFailed},
			Example: NewIncident{
				Title: "Text messages are delayed", State: incident.Investigating, Components: []incident.Component{incident.Messages},
				Text: "The gateway accepts messages late. Orders are not affected.",
			},
		}, func(ctx context.Context, in *struct {
			request
			Body NewIncident
		}) (*incident.Incident, error) {
			b := in.Body
			return in.shop().Incidents.Open(ctx, in.caller(), incident.Input{Title: &b.Title, State: b.State, Components: &b.Components, Text: b.Text})
		}),

		define(Operation{
			ID: "updateIncident", Method: http.MethodPost, Path: "incidents/{incidentId}/updates", Use: access.ToUpdateIncident,
			Summary: "Add an update to an incident",
			Description: "With the state resolved it is over; a later update with another state opens it again. Earlier updates stay as they are." +
				public,
			Codes:   []fault.Code{fault.CodeNotFound, fault.CodeValidationFailed},
			Example: IncidentUpdate{State: incident.Resolved, Text: "All messages are sent."},
		}, func(ctx context.Context, in *struct {
			request
			IncidentPath
			Body IncidentUpdate
		}) (*incident.Incident, error) {
			b := in.Body
			change := incident.Input{Title: b.Title, State: b.State, Components: b.Components, Text: b.Text}
			return in.shop().Incidents.Update(ctx, in.caller(), in.IncidentID, change)
		}),

		define(Operation{
			ID: "removeIncident", Method: http.MethodDelete, Path: "incidents/{incidentId}", Use: access.ToRemoveIncident,
			Summary:     "Remove an incident that was announced by mistake",
			Description: "The status page no longer shows it. One that is over should be resolved instead.",
			Codes:       []fault.Code{fault.CodeNotFound},
		}, func(ctx context.Context, in *struct {
			request
			IncidentPath
		}) (*Done, error) {
			return done(in.shop().Incidents.Remove(ctx, in.caller(), in.IncidentID))
		}),
	)
}
