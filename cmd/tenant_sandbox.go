package cmd

import (
	"fmt"

	"github.com/spf13/cobra"

	"storefront/tenants"
)

func newTenantSandboxCommand(a *app) *cobra.Command {
	return &cobra.Command{
		Use:   "sandbox UID",
		Short: "Make the sandbox of a shop, for its developers",
		Long: `Make the shop UID-sandbox with the settings, texts, design and catalogue of UID, with 120 orders by invented
buyers and with an API key of its own. It stays in sandbox mode, has no domain, and sends no messages. It has
nothing of the shop's buyers, staff members, secrets and webhook endpoints.

Run the command again for a fresh sandbox: the earlier one is put in the folder trash.`,
		Example:           "  storefront tenant sandbox acme",
		ValidArgsFunction: a.completeUID,
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.withTenants(cmd.Context(), func(t *tenants.Tenants) error {
				made, err := t.MakeSandbox(cmd.Context(), a.caller(), args[0])
				if err != nil {
					return err
				}
				return a.print(made, func(w *table) {
					fmt.Fprintf(w, "Made %s. Orders by invented buyers: %d.\nAPI key, shown once: %s\n", made.UID, made.Orders, made.Key)
					if made.Link != nil {
						link := a.newMemberLink(made.UID, made.Owner, made.Link).Link
						fmt.Fprintf(w, "%s sets a password for it with this link: %s\n", made.Owner.Name, link.URL)
					}
				})
			})
		},
	}
}
