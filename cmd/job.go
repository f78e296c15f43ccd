package cmd

import (
	"fmt"

	"github.com/spf13/cobra"

	"storefront/shop"
	"storefront/shop/page"
)

func newJobCommand(a *app) *cobra.Command {
	return newGroupCommand("job", "List actions on many records",
		newJobListCommand(a),
	)
}

func newJobListCommand(a *app) *cobra.Command {
	var pages listPage
	cmd := &cobra.Command{
		Use:   "list UID",
		Short: "List jobs, newest first",
		Long: `List the jobs of a shop, newest first. A job is one action on many orders, started in the dashboard
or through the Admin API. Jobs are stored for 30 days.`,
		Example:           "  storefront job list acme",
		ValidArgsFunction: a.completeUID,
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.withShop(cmd.Context(), args[0], func(s *shop.Shop) error {
				list, err := s.Jobs.ListJobs(cmd.Context(), a.caller(), pages.request(a, cmd))
				if err != nil {
					return err
				}
				return a.print(list, func(w *table) {
					if len(list.Nodes) == 0 {
						fmt.Fprintln(w, "No jobs found.")
						return
					}
					heading(w, "JOB", "ACTION", "BY…", "STATUS", "[TOTAL]", "[DONE]", "[FAILED]", "CREATED")
					for i := range list.Nodes {
						j := &list.Nodes[i]
						row(w, *j.ID, j.Kind, printable(j.By.Name), colour(j.Status), j.Total, j.Done, j.Failed, w.time(j.CreatedAt))
					}
					printMore(w, page.ListMeta{Meta: list.Meta})
				})
			})
		},
	}
	pages.flags(cmd, "jobs")
	return cmd
}
