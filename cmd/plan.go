package cmd

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"storefront/shop/fault"
	"storefront/shop/plan"
	"storefront/tenants"
)

func newPlanCommand(a *app) *cobra.Command {
	return newGroupCommand("plan", "Define the limits of shops, and assign them",
		newPlanListCommand(a),
		newPlanSetCommand(a),
		newPlanAssignCommand(a),
		newPlanRemoveCommand(a),
	)
}

// noPlan is the name that removes the plan of shops.
const noPlan = "-"

func newPlanListCommand(a *app) *cobra.Command {
	return &cobra.Command{
		Use:     "list",
		Short:   "List the plans of the server",
		Example: "  storefront plan list",
		RunE: func(cmd *cobra.Command, _ []string) error {
			return a.withTenants(cmd.Context(), func(t *tenants.Tenants) error {
				list, err := t.ListPlans(cmd.Context(), a.caller())
				if fault.HasCode(err, fault.CodeNotFound) {
					list, err = []tenants.ServerPlan{}, nil
				}
				if err != nil {
					return err
				}
				return a.print(list, func(w *table) { writePlans(w, list) })
			})
		},
	}
}

func writePlans(w *table, list []tenants.ServerPlan) {
	if len(list) == 0 {
		fmt.Fprintln(w, "No plans.")
		return
	}
	heading(w, "PLAN", "SHOPS", "LIMITS…")
	for i := range list {
		row(w, list[i].Name, list[i].Shops, limitsText(&list[i].Plan))
	}
}

// limitsText returns the limits of a plan in one line.
func limitsText(p *plan.Plan) string {
	var parts []string
	for _, limit := range plan.AllLimits() {
		n := p.Limits.Of(limit)
		if n == nil {
			continue
		}
		text := fmt.Sprintf("%s %d", limit, *n)
		if limit == plan.ImageBytes {
			text = "images " + megabytes(*n)
		}
		if p.IsSoft(limit) {
			text += " (soft)"
		}
		parts = append(parts, text)
	}
	if p.OwnHost != nil {
		parts = append(parts, map[bool]string{true: "dashboard at the shop's hosts", false: "no dashboard at the shop's hosts"}[*p.OwnHost])
	}
	if len(parts) == 0 {
		return "none"
	}
	return strings.Join(parts, ", ")
}

// planLimits are the flags of plan set. 0 is a limit; -1 means none.
type planLimits struct {
	values map[plan.Limit]*int64
	mib    int64
	soft   []string

	ownHost bool
	cmd     *cobra.Command // has the flags
}

func (l *planLimits) flags(cmd *cobra.Command) {
	l.cmd, l.values = cmd, map[plan.Limit]*int64{}
	for _, f := range []struct {
		limit       plan.Limit
		name, usage string
	}{
		{plan.Orders, "orders", "orders a month; those beyond it are received and counted"},
		{plan.Products, "products", "products"},
		{plan.Staff, "staff", "staff members, open invitations included"},
		{plan.Domains, "domains", "domains"},
		{plan.SMSSegments, "sms", "billed parts of text messages to buyers a month"},
		{plan.CallsPerSecond, "calls", "calls of the Admin API a second of one key or session"},
	} {
		l.values[f.limit] = cmd.Flags().Int64(f.name, -1, "limit of "+f.usage+" (default no limit)")
		cmd.Flags().Lookup(f.name).DefValue = "-1"
	}
	cmd.Flags().Int64Var(&l.mib, "image-mib", -1, "limit of uploaded images in MiB (default no limit)")
	cmd.Flags().StringSliceVar(&l.soft, "soft", nil, "limits that are reported and not enforced: products, staff, imageBytes, domains, smsSegments")
	cmd.Flags().BoolVar(&l.ownHost, "own-host", true, "dashboard at the shop's own hosts, too (default unless the server has --admin-host)")
}

// plan returns the plan of the flags.
func (l *planLimits) plan(name string) plan.Plan {
	p := plan.Plan{Name: name, Soft: []plan.Limit{}}
	for limit, n := range l.values {
		if *n >= 0 {
			p.Limits.Set(limit, *n)
		}
	}
	if l.mib >= 0 {
		p.Limits.Set(plan.ImageBytes, l.mib<<20)
	}
	for _, limit := range l.soft {
		p.Soft = append(p.Soft, plan.Limit(limit))
	}
	if l.cmd.Flags().Changed("own-host") {
		p.OwnHost = &l.ownHost
	}
	return p
}

func newPlanSetCommand(a *app) *cobra.Command {
	var limits planLimits
	cmd := &cobra.Command{
		Use:   "set NAME",
		Args:  cobra.ExactArgs(1),
		Short: "Create a plan, or replace its limits",
		Long: `Create a plan, or replace the limits of the one with this name in all shops that have it. A limit without its
flag does not exist.

A limit is hard unless --soft lists it: what would exceed it is refused with plan_limit. A shop that uses more
retains what it has, and cannot add. Orders are always soft: buyers can order beyond the limit, and the orders are
counted. Beyond the limit of text messages those about an order or money are still sent, and those about the
delivery are not. Owners of the shop are notified at 80 and 100 per cent of a limit, once a month.`,
		Example: `  storefront plan set basic --orders 500 --products 200 --staff 3 --image-mib 1024 --domains 1 --sms 1000
  storefront plan set pro --orders 5000 --staff 20 --soft staff`,
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.withNewTenants(cmd.Context(), func(t *tenants.Tenants) error {
				if _, err := t.CreateInstallation(cmd.Context()); err != nil {
					return err
				}
				saved, err := t.SavePlan(cmd.Context(), a.caller(), limits.plan(args[0]))
				if err != nil {
					return err
				}
				if err := a.pushCopies(cmd.Context(), t); err != nil {
					return err
				}
				return a.print(saved, func(w *table) {
					fmt.Fprintf(w, "The plan %s has the limits: %s. Shops with it: %d.\n", saved.Name, limitsText(&saved.Plan), saved.Shops)
				})
			})
		},
	}
	limits.flags(cmd)
	return cmd
}

func newPlanAssignCommand(a *app) *cobra.Command {
	many := manyShops{change: "assign a plan to"}
	cmd := &cobra.Command{
		Use:   "assign NAME UID… | --all",
		Short: "Assign a plan to shops",
		Long: `Assign a plan to shops. The name - removes their plan, and with it their limits. The new limits apply
immediately; a shop that uses more retains what it has.`,
		Example: `  storefront plan assign basic acme maple
  storefront plan assign pro --all --yes
  storefront plan assign - acme`,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				return fmt.Errorf("the name of the plan is missing: %s", usageLine(cmd))
			}
			return many.checkUIDs(cmd, args[1:])
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			name, done := &args[0], " has the plan "+printable(args[0])+"."
			if args[0] == noPlan {
				name, done = nil, " has no plan."
			}
			text := func(v shopView) string { return v.UID + done }
			return a.changeShops(cmd, &many, args[1:], text, func(t *tenants.Tenants, uid string) error {
				return t.AssignPlan(cmd.Context(), a.caller(), uid, name)
			})
		},
	}
	many.flags(cmd)
	return cmd
}

func newPlanRemoveCommand(a *app) *cobra.Command {
	return &cobra.Command{
		Use:     "remove NAME",
		Short:   "Remove a plan that no shop has",
		Example: "  storefront plan remove basic",
		Args:    cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.withTenants(cmd.Context(), func(t *tenants.Tenants) error {
				if err := t.RemovePlan(cmd.Context(), a.caller(), args[0]); err != nil {
					if fault.HasCode(err, fault.CodeNotFound) {
						return withHint(err, "list the plans with %s", a.command("plan list"))
					}
					return err
				}
				return a.print(map[string]bool{"success": true}, func(w *table) { fmt.Fprintf(w, "Removed the plan %s.\n", args[0]) })
			})
		},
	}
}
