package cmd

import (
	"os/user"
	"strings"

	"github.com/spf13/cobra"

	"storefront/shop"
	"storefront/shop/access"
	"storefront/shop/staff"
)

// caller returns the operator as the caller of a use case, with the name of the system user, or of
// the caller of sudo, for the audit log.
func (a *app) caller() access.Caller {
	if name, ok := a.LookupEnv("SUDO_USER"); ok && name != "" {
		return access.CommandLine(name)
	}
	who, err := user.Current()
	if err != nil { // a container without a list of users
		return access.CommandLine("")
	}
	return access.CommandLine(who.Username)
}

func newAuditCommand(a *app) *cobra.Command {
	var filter staff.AuditFilter
	var parse func() error
	var pages listPage
	cmd := &cobra.Command{
		Use:   "audit UID",
		Short: "List the audit log of a shop, newest first",
		Long: `List the audit log: every change by a staff member, an API key or a command, with its time, author and
values before and after. Values of secrets are not recorded. Entries are stored for 400 days.`,
		Example: `  storefront audit acme --action order.cancel --from 2026-03-01
  storefront audit acme --subject 0123456789ABCDEF --json`,
		ValidArgsFunction: a.completeUID,
		RunE: func(cmd *cobra.Command, args []string) error {
			filter.Request = pages.request(a, cmd)
			return a.withShop(cmd.Context(), args[0], func(s *shop.Shop) error {
				if err := parse(); err != nil {
					return err
				}
				list, err := s.Staff.ListAudit(cmd.Context(), a.caller(), filter)
				if err != nil {
					return err
				}
				return a.print(list, func(w *table) {
					heading(w, "AT", "BY…", "ACTION", "SUBJECT…", "CHANGES…")
					for i := range list.Nodes {
						e := &list.Nodes[i]
						row(w, w.time(e.At), strings.TrimSpace(string(e.Actor.Kind)+" "+e.Actor.Name), e.Action,
							strings.TrimSpace(string(e.Subject.Kind)+" "+e.Subject.Label), shortened(changesText(e.Changes)))
					}
					printMore(w, list.Meta)
				})
			})
		},
	}
	parse = a.addFilter(cmd, &filter, "actor", "action", "subject", "from", "before")
	pages.flags(cmd, "entries")
	return cmd
}
