package cmd

import (
	"fmt"
	"strconv"
	"time"

	"github.com/spf13/cobra"

	"storefront/shop"
	"storefront/shop/job"
	"storefront/shop/page"
)

func newJobCommand(a *app) *cobra.Command {
	return newGroupCommand("job", "List, cancel and retry actions on many orders",
		newJobListCommand(a),
		newJobShowCommand(a),
		newJobCancelCommand(a),
		newJobRetryCommand(a),
	)
}

func newJobListCommand(a *app) *cobra.Command {
	var number, limit int
	cmd := &cobra.Command{
		Use:   "list UID",
		Short: "List jobs, newest first",
		Long: `List the jobs of a shop, newest first. A job is one action on many orders, started in the dashboard
or through the Admin API. Jobs are stored for 30 days.`,
		Example:           "  storefront job list acme",
		ValidArgsFunction: a.completeUID,
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.withShop(cmd.Context(), args[0], func(s *shop.Shop) error {
				list, err := s.Jobs.ListJobs(cmd.Context(), a.caller(), page.Request{Page: &number, Limit: &limit})
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
				})
			})
		},
	}
	flags := cmd.Flags()
	flags.IntVar(&number, "page", 1, "page of the list")
	flags.IntVar(&limit, "limit", page.DefaultLimit, "jobs on a page, 1 to 100")
	return cmd
}

func newJobShowCommand(a *app) *cobra.Command {
	return &cobra.Command{
		Use:               "show UID JOB",
		Short:             "Show a job with the results of its items",
		Example:           "  storefront job show acme 01KB2M9Q7VX5T3R8WY6ZC4D1EF",
		ValidArgsFunction: a.completeUID,
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.withShop(cmd.Context(), args[0], func(s *shop.Shop) error {
				found, err := s.Jobs.FindJob(cmd.Context(), a.caller(), args[1])
				if err != nil {
					return err
				}
				return a.printJob(found)
			})
		},
	}
}

func newJobCancelCommand(a *app) *cobra.Command {
	return &cobra.Command{
		Use:               "cancel UID JOB",
		Short:             "Cancel a job: items that have not begun are left as they are",
		Example:           "  storefront job cancel acme 01KB2M9Q7VX5T3R8WY6ZC4D1EF",
		ValidArgsFunction: a.completeUID,
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.withShop(cmd.Context(), args[0], func(s *shop.Shop) error {
				cancelled, err := s.Jobs.CancelJob(cmd.Context(), a.caller(), args[1])
				if err != nil {
					return err
				}
				return a.printJob(cancelled)
			})
		},
	}
}

func newJobRetryCommand(a *app) *cobra.Command {
	return &cobra.Command{
		Use:   "retry UID JOB",
		Short: "Retry the failed items of a job, as a new job",
		Long: `Retry the failed items of a job that has ended, as a new job, and wait for its end. If the command is
interrupted, a running server continues the job.`,
		Example:           "  storefront job retry acme 01KB2M9Q7VX5T3R8WY6ZC4D1EF",
		ValidArgsFunction: a.completeUID,
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.withShop(cmd.Context(), args[0], func(s *shop.Shop) error {
				j, err := s.Jobs.RetryJob(cmd.Context(), a.caller(), args[1])
				for err == nil && j.FinishedAt == nil && cmd.Context().Err() == nil {
					j, err = s.Jobs.Wait(cmd.Context(), a.caller(), *j.ID, time.Second)
				}
				if err != nil {
					return err
				}
				return a.printJob(j)
			})
		},
	}
}

func (a *app) printJob(j *job.Job) error {
	return a.print(j, func(w *table) {
		fmt.Fprintf(w, "%s %s: %d of %d done, %d failed\n\n", j.Kind, j.Status, j.Done, j.Total, j.Failed)
		heading(w, "ITEM", "ID", "RESULT", "MESSAGE…")
		for _, r := range j.Results {
			result, message := "waiting", ""
			switch {
			case r.OK == nil:
			case *r.OK:
				result = "done"
			default:
				result = string(*r.Code)
			}
			for _, text := range []*string{r.Message, r.Warning} {
				if text != nil {
					message = *text
				}
			}
			row(w, strconv.Quote(r.Label), r.Subject, colour(result), printable(message))
		}
	})
}
