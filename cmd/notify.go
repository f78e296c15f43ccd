package cmd

import (
	"fmt"

	"github.com/spf13/cobra"

	"storefront/shop"
)

func newNotifyCommand(a *app) *cobra.Command {
	return newGroupCommand("notify", "Test notifications to staff members",
		newNotifyTestCommand(a),
	)
}

func newNotifyTestCommand(a *app) *cobra.Command {
	return &cobra.Command{
		Use:   "test UID USER",
		Short: "Send a test notification to a staff member",
		Long: `Send a test to all browsers of a staff member and on all other channels that the member has chosen, and
list the ones that have accepted it. USER is the member's e-mail address, phone number or ID.`,
		Example:           "  storefront notify test acme rina@example.com",
		ValidArgsFunction: a.completeUID,
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.withShop(cmd.Context(), args[0], func(s *shop.Shop) error {
				result, err := s.Notify.TestMember(cmd.Context(), a.caller(), args[1])
				if err != nil {
					return err
				}
				return a.print(result, func(w *table) {
					if len(result.Targets) == 0 {
						fmt.Fprintln(w, "The staff member has no browser and no other usable channel.")
						return
					}
					heading(w, "CHANNEL", "TO…", "RESULT", "ERROR")
					for _, t := range result.Targets {
						state := colour("sent")
						if !t.Accepted {
							state = colour("failed")
						}
						row(w, t.Channel, t.Label, state, t.Error)
					}
				})
			})
		},
	}
}
