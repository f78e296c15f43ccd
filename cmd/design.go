package cmd

import (
	"fmt"
	"slices"
	"strconv"

	"github.com/spf13/cobra"

	"storefront/server"
	"storefront/server/admin"
	"storefront/shop"
	"storefront/shop/design"
	"storefront/tenants"
)

func newDesignCommand(a *app) *cobra.Command {
	return newGroupCommand("design", "Show, change and publish the design of the pages",
		newDesignShowCommand(a),
		newDesignApplyCommand(a),
		newDesignPublishCommand(a),
		newDesignRestoreCommand(a),
	)
}

func newDesignShowCommand(a *app) *cobra.Command {
	var isLive bool
	cmd := &cobra.Command{
		Use:   "show UID",
		Short: "Print the draft of a shop's design as JSON",
		Long: `Print the draft of a shop's design as JSON, in the form that design apply reads, for this shop or another
one, which needs the same pictures.`,
		Example: `  storefront design show acme > design.json
  storefront design show acme --live`,
		ValidArgsFunction: a.completeUID,
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.withShop(cmd.Context(), args[0], func(s *shop.Shop) error {
				found, err := s.Designs.FindDesign(cmd.Context(), a.caller())
				if err != nil {
					return err
				}
				if isLive {
					return encode(a.Stdout, found.Live, "  ")
				}
				return encode(a.Stdout, found.Draft, "  ")
			})
		},
	}
	cmd.Flags().BoolVar(&isLive, "live", false, "the design that buyers see")
	return cmd
}

func newDesignApplyCommand(a *app) *cobra.Command {
	return &cobra.Command{
		Use:   "apply UID FILE",
		Short: "Replace the draft of a shop's design",
		Long: `Replace the draft of a shop's design by a file, or by the standard input for -. Buyers see it after design
publish.`,
		Example: `  storefront design apply acme design.json
  storefront design show acme --live | storefront design apply zaman -`,
		ValidArgsFunction: a.completeUIDAndFile,
		RunE: func(cmd *cobra.Command, args []string) error {
			body, err := a.readBody(args[1])
			if err != nil {
				return err
			}
			operations := admin.Operations()
			at := slices.IndexFunc(operations, func(o admin.Operation) bool { return o.ID == "saveDesign" })
			save, err := server.NewAdminCommand(operations[at], a.caller())
			if err != nil {
				return err
			}
			return a.withTenants(cmd.Context(), func(t *tenants.Tenants) error {
				if _, err := save.Run(cmd.Context(), t, args[0], server.AdminRequest{Body: body}, a.Stdout); err != nil {
					return err
				}
				s, err := t.FindIncludingSuspended(cmd.Context(), args[0])
				if err != nil {
					return err
				}
				found, err := s.Designs.FindDesign(cmd.Context(), a.caller())
				return a.printDesign(found, err)
			})
		},
	}
}

func newDesignPublishCommand(a *app) *cobra.Command {
	return &cobra.Command{
		Use:               "publish UID",
		Short:             "Make the draft the design that buyers see",
		Example:           "  storefront design publish acme",
		ValidArgsFunction: a.completeUID,
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.withShop(cmd.Context(), args[0], func(s *shop.Shop) error {
				return a.printDesign(s.Designs.PublishDesign(cmd.Context(), a.caller(), nil))
			})
		},
	}
}

func newDesignRestoreCommand(a *app) *cobra.Command {
	return &cobra.Command{
		Use:   "restore UID VERSION",
		Short: "Publish an earlier version of the design again",
		Long: `Publish an earlier version of the design again, as the newest version. The last 20 are stored. A draft
with changes stays as it is.`,
		Example:           "  storefront design restore acme 3",
		ValidArgsFunction: a.completeUID,
		RunE: func(cmd *cobra.Command, args []string) error {
			version, err := strconv.Atoi(args[1])
			if err != nil {
				return &usageError{err: fmt.Errorf("VERSION must be a number, got %q", args[1]), command: cmd.CommandPath()}
			}
			return a.withShop(cmd.Context(), args[0], func(s *shop.Shop) error {
				return a.printDesign(s.Designs.RestoreDesign(cmd.Context(), a.caller(), version, nil))
			})
		},
	}
}

// printDesign prints what buyers see, and whether the draft has changes.
func (a *app) printDesign(d *design.Design, err error) error {
	if err != nil {
		return err
	}
	return a.print(d, func(w *table) {
		if d.Version > 0 {
			fmt.Fprintf(w, "Version %d of the design is live: %s.\n", d.Version, d.Live.Design)
		} else {
			fmt.Fprintf(w, "No design is published: buyers see %s.\n", d.Live.Design)
		}
		if d.Changed {
			fmt.Fprintf(w, "The draft has changes: %s. They become live with design publish.\n", d.Draft.Design)
		}
	})
}
