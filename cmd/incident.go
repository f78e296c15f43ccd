package cmd

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"storefront/shop"
	"storefront/shop/fault"
	"storefront/shop/incident"
	"storefront/tenants"
)

func newIncidentCommand(a *app) *cobra.Command {
	return newGroupCommand("incident", "Announce incidents on the status page",
		newIncidentListCommand(a),
		newIncidentOpenCommand(a),
		newIncidentUpdateCommand(a),
		newIncidentRemoveCommand(a),
	)
}

func newIncidentListCommand(a *app) *cobra.Command {
	return &cobra.Command{
		Use:   "list",
		Short: "List the incidents on the status page",
		Long: `List the open incidents and those that ended within 90 days, newest first. Everybody can read them at
/status, at each host that belongs to no shop.`,
		Example: "  storefront incident list",
		RunE: func(cmd *cobra.Command, _ []string) error {
			list := []incident.Incident{}
			err := a.withInstallation(cmd.Context(), func(s *shop.Shop) (err error) {
				list, err = s.Incidents.List(cmd.Context(), a.caller())
				return err
			})
			if err != nil && !fault.HasCode(err, fault.CodeNotFound) { // it has no data yet
				return err
			}
			return a.print(list, func(w *table) {
				if len(list) == 0 {
					fmt.Fprintln(w, "No incidents.")
					return
				}
				heading(w, "INCIDENT", "STATE", "STARTED", "COMPONENTS", "TITLE…")
				for i := range list {
					writeIncident(w, &list[i])
				}
			})
		},
	}
}

func writeIncident(w *table, i *incident.Incident) {
	names := make([]string, len(i.Components))
	for at, c := range i.Components {
		names[at] = string(c)
	}
	row(w, i.ID, colour(i.State), w.time(i.StartedAt), strings.Join(names, ", "), printable(i.Title))
}

// incidentFlags are the flags of a new incident or an update.
type incidentFlags struct {
	state, title string
	components   []string
}

func (f *incidentFlags) add(cmd *cobra.Command, state string) {
	states := make([]string, len(incident.States()))
	for i, s := range incident.States() {
		states[i] = string(s)
	}
	components := make([]string, len(incident.Components()))
	for i, c := range incident.Components() {
		components[i] = string(c)
	}
	cmd.Flags().StringVar(&f.state, "state", state, "state: "+strings.Join(states, ", "))
	cmd.Flags().StringSliceVar(&f.components, "component", nil, "affected component: "+strings.Join(components, ", ")+"; repeatable")
}

func (f *incidentFlags) input(cmd *cobra.Command, text string) incident.Input {
	in := incident.Input{State: incident.State(f.state), Text: text}
	if cmd.Flags().Changed("component") {
		components := []incident.Component{}
		for _, name := range f.components {
			if name != "" {
				components = append(components, incident.Component(name))
			}
		}
		in.Components = &components
	}
	if cmd.Flags().Changed("title") {
		in.Title = &f.title
	}
	return in
}

func newIncidentOpenCommand(a *app) *cobra.Command {
	var flags incidentFlags
	cmd := &cobra.Command{
		Use:   "open TITLE TEXT",
		Args:  cobra.ExactArgs(2),
		Short: "Announce an incident",
		Long:  "Announce an incident on the status page, which shows the affected components as degraded.",
		Example: `  storefront incident open "Text messages are delayed" "The gateway accepts messages late." --component messages
  storefront incident open "Maintenance" "Orders wait for five minutes." --state identified --component api,site`,
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.withNewTenants(cmd.Context(), func(t *tenants.Tenants) error {
				s, err := t.CreateInstallation(cmd.Context())
				if err != nil {
					return err
				}
				in := flags.input(cmd, args[1])
				in.Title = &args[0]
				opened, err := s.Incidents.Open(cmd.Context(), a.caller(), in)
				if err != nil {
					return err
				}
				return a.print(opened, func(w *table) { writeIncident(w, opened) })
			})
		},
	}
	flags.add(cmd, string(incident.Investigating))
	return cmd
}

func newIncidentUpdateCommand(a *app) *cobra.Command {
	var flags incidentFlags
	cmd := &cobra.Command{
		Use:   "update INCIDENT TEXT",
		Args:  cobra.ExactArgs(2),
		Short: "Add an update to an incident, or resolve it",
		Long: `Add an update to an incident. With --state resolved it is over; a later update opens it again. The affected
components stay unless --component sets others.`,
		Example: `  storefront incident update 01KB2M9Q7VX5T3R8WY6ZC4D1EF "All messages are sent." --state resolved`,
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.changeIncident(cmd.Context(), func(s *shop.Shop) error {
				in := flags.input(cmd, args[1])
				if in.State == "" {
					list, err := s.Incidents.List(cmd.Context(), a.caller())
					if err != nil {
						return err
					}
					if at := slices.IndexFunc(list, func(i incident.Incident) bool { return i.ID == args[0] }); at >= 0 {
						in.State = list[at].State
					}
				}
				updated, err := s.Incidents.Update(cmd.Context(), a.caller(), args[0], in)
				if err != nil {
					return err
				}
				return a.print(updated, func(w *table) { writeIncident(w, updated) })
			})
		},
	}
	flags.add(cmd, "")
	cmd.Flags().Lookup("state").Usage += " (default as before)"
	cmd.Flags().StringVar(&flags.title, "title", "", "new title")
	return cmd
}

func newIncidentRemoveCommand(a *app) *cobra.Command {
	return &cobra.Command{
		Use:     "remove INCIDENT",
		Args:    cobra.ExactArgs(1),
		Short:   "Remove an incident that was announced by mistake",
		Example: "  storefront incident remove 01KB2M9Q7VX5T3R8WY6ZC4D1EF",
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.changeIncident(cmd.Context(), func(s *shop.Shop) error {
				if err := s.Incidents.Remove(cmd.Context(), a.caller(), args[0]); err != nil {
					return err
				}
				return a.print(map[string]bool{"success": true}, func(w *table) { fmt.Fprintln(w, "Removed the incident.") })
			})
		},
	}
}

// changeIncident runs fn with the installation.
func (a *app) changeIncident(ctx context.Context, fn func(s *shop.Shop) error) error {
	err := a.withInstallation(ctx, fn)
	if fault.HasCode(err, fault.CodeNotFound) {
		return withHint(err, "list the incidents with %s", a.command("incident list"))
	}
	return err
}
