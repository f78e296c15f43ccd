package cmd

import (
	"context"
	"fmt"
	"os/user"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"storefront/shop/access"
	"storefront/shop/page"
	"storefront/shop/staff"
	"storefront/tenants"
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
	var many manyShops
	cmd := &cobra.Command{
		Use:   "audit UID… | --all",
		Short: "List the audit log of shops, newest first",
		Long: `List the audit log: every change by a staff member, an API key or a command, with its time, author and
values before and after. Values of secrets are not recorded. Entries are stored for 400 days. If
there are several shops, each has a list of its own, with 20 entries unless --limit is set.`,
		Example: `  storefront audit acme --action order.cancel --from 2026-03-01
  storefront audit acme --subject 0123456789ABCDEF --json
  storefront audit --all --action staff.invite --limit 5`,
		ValidArgsFunction: a.completeUIDs,
		Args:              many.checkUIDs,
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.withShops(cmd, &many, args, func(t *tenants.Tenants, uids []string) error {
				isMany := many.areMany(uids)
				if filter.Request = pages.request(a, cmd); isMany && !cmd.Flags().Changed("limit") {
					pages.limit = defaultLimit // a whole log of each shop could be too much
					filter.Request = page.Request{Page: &pages.number, Limit: &pages.limit}
				}
				results, err := eachShop(cmd.Context(), a, "reading", uids, func(uid string) (shopAudit, error) {
					return a.listAudit(cmd.Context(), t, uid, parse, &filter)
				})
				if err != nil {
					return err
				}
				if isMany {
					return printShops(a, true, results, "read", printAudit)
				}
				return a.print(results.Shops[0].List, func(w *table) { writeAudit(w, results.Shops[0].List) })
			})
		},
	}
	parse = a.addFilter(cmd, &filter, "actor", "action", "subject", "from", "before")
	pages.flags(cmd, "entries")
	many.flags(cmd)
	return cmd
}

// shopAudit is the audit log of one of several shops.
type shopAudit struct {
	UID  string                       `json:"uid"`
	List *page.List[staff.AuditEntry] `json:"list"`
	zone *time.Location
}

// listAudit returns a page of a shop's audit log. Days of the filter are in the shop's time zone.
func (a *app) listAudit(ctx context.Context, t *tenants.Tenants, uid string, parse func() error, filter *staff.AuditFilter) (shopAudit, error) {
	s, err := t.FindIncludingSuspended(ctx, uid)
	if err != nil {
		return shopAudit{}, err
	}
	if a.zone, err = s.TimeZone(ctx); err != nil {
		return shopAudit{}, err
	}
	if err := parse(); err != nil {
		return shopAudit{}, err
	}
	list, err := s.Staff.ListAudit(ctx, a.caller(), *filter)
	return shopAudit{uid, list, a.zone}, err
}

// printAudit prints the audit log of one of several shops.
func printAudit(w *table, of shopAudit) {
	w.zone = of.zone
	fmt.Fprintf(w, "%s\n", of.UID)
	writeAudit(w, of.List)
	fmt.Fprintln(w)
}

func writeAudit(w *table, list *page.List[staff.AuditEntry]) {
	heading(w, "AT", "BY…", "ACTION", "SUBJECT…", "CHANGES…")
	for i := range list.Nodes {
		e := &list.Nodes[i]
		row(w, w.time(e.At), strings.TrimSpace(string(e.Actor.Kind)+" "+e.Actor.Name), e.Action,
			strings.TrimSpace(string(e.Subject.Kind)+" "+e.Subject.Label), shortened(changesText(e.Changes)))
	}
	printMore(w, list.Meta)
}
