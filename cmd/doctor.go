package cmd

import (
	"errors"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"storefront/tenants"
)

func newDoctorCommand(a *app) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "doctor [UID]",
		Short: "Examine shops: file, public address, TLS, clock, plugins",
		Long: `Examine a shop, or all of them: its file, whether providers can reach the public address, TLS and the
clock behind it, the settings of plugins, and whether the couriers' addresses take a call with the
shop's secret and refuse another. It touches no order. Run it beside the server, with the same
public address.`,
		Example:           "  storefront doctor acme --public-url https://api.example.com",
		Args:              cobra.MaximumNArgs(1),
		ValidArgsFunction: a.completeUID,
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.withTenants(cmd.Context(), func(t *tenants.Tenants) error {
				uids := args
				if len(uids) == 0 {
					all, err := t.UIDs(cmd.Context())
					if err != nil {
						return err
					}
					uids = all
				}
				findings := map[string][]tenants.Finding{}
				for _, uid := range uids {
					found, err := t.Examine(cmd.Context(), uid)
					if err != nil {
						return err
					}
					findings[uid] = found
				}
				err := a.print(findings, func(w io.Writer) { printFindings(w, uids, findings) })
				return errors.Join(err, failing(uids, findings))
			})
		},
	}
	cmd.Flags().StringVar(&a.publicURL, "public-url", "", "address of the server as providers know it")
	return cmd
}

func printFindings(w io.Writer, uids []string, findings map[string][]tenants.Finding) {
	for _, uid := range uids {
		fmt.Fprintln(w, uid)
		for _, f := range findings[uid] {
			row(w, "  "+f.Name, f.State, f.Message)
		}
	}
}

// failing makes what does not work a failure of the command.
func failing(uids []string, findings map[string][]tenants.Finding) error {
	n := 0
	for _, uid := range uids {
		for _, f := range findings[uid] {
			if f.State == tenants.Failing {
				n++
			}
		}
	}
	if n == 0 {
		return nil
	}
	return fmt.Errorf("%d findings need work", n)
}
