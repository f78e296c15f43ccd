package cmd

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"

	"github.com/spf13/cobra"

	"storefront/server"
	"storefront/tenants"
)

func newDoctorCommand(a *app) *cobra.Command {
	var strict bool
	cmd := &cobra.Command{
		Use:   "doctor [UID]",
		Short: "Examine the data folder, the machine and the shops",
		Long: `Examine the data folder (rights, key, disk), the machine's clock, the certificates, the public address
and each shop, or the one that is named: its file, schema, sums and secrets, payments and providers' calls
that wait for someone, the settings of plugins, and whether the couriers' addresses take a call with the
shop's secret and refuse another.

It touches no order and applies no schema step. Run it beside the server, with the same public
address. Of many shops it prints what is not as it should be; of one, and with --json, everything.

It fails when a finding is failing; with --strict also when one is a warning.`,
		Example: `  storefront doctor --public-url https://api.example.com
  storefront doctor acme --json`,
		Args:              cobra.MaximumNArgs(1),
		ValidArgsFunction: a.completeUID,
		RunE: func(cmd *cobra.Command, uids []string) error {
			if len(uids) == 0 {
				uids = nil // all
			}
			return a.examine(cmd.Context(), uids, strict)
		},
	}
	cmd.Flags().StringVar(&a.publicURL, "public-url", "", "address of the server as providers know it")
	cmd.Flags().BoolVar(&strict, "strict", false, "fail also when there are only warnings")
	return cmd
}

func (a *app) examine(ctx context.Context, uids []string, strict bool) error {
	if err := a.requireDataDir(); err != nil {
		return err
	}
	cfg, err := a.tenantsConfig(tenants.Config{})
	if err != nil {
		return err
	}
	bar := a.progress("examining")
	defer bar.end()
	found, err := tenants.Examine(ctx, cfg, uids, bar.set)
	if err != nil {
		return err
	}
	bar.end()
	found.Folder = append(found.Folder, examineCertificates(filepath.Join(a.dataDir, certificatesDir))...)
	err = a.print(found, func(w io.Writer) { printExamination(w, found, uids != nil) })
	failing, warnings := countFindings(found)
	if failing > 0 || strict && warnings > 0 {
		err = errors.Join(err, fmt.Errorf("not all is sound: %d failing, %d warnings", failing, warnings))
	}
	return err
}

// examineCertificates looks at the certificates that the server has got. Those of names that nobody
// wants any more stay for a while, so none of them is a failure.
func examineCertificates(dir string) []tenants.Finding {
	const name = "certificates"
	stored, err := server.StoredCertificates(dir)
	if err != nil {
		return []tenants.Finding{{Name: name, State: tenants.StateFailing, Message: err.Error()}}
	}
	var ending []tenants.Finding
	for _, e := range stored {
		if e.EndsSoon() {
			ending = append(ending, tenants.Finding{Name: name, State: tenants.StateWarning, Message: fmt.Sprintf(
				"The one of %s ends on %s and was not renewed: where the name is still served, the server's log says why not.", e.Name, localTime(e.NotAfter))})
		}
	}
	switch {
	case ending != nil:
		return ending
	case len(stored) == 0:
		return []tenants.Finding{{Name: name, State: tenants.StateOK, Message: "There are none: TLS ends elsewhere, if anywhere."}}
	}
	return []tenants.Finding{{Name: name, State: tenants.StateOK, Message: fmt.Sprintf("There are %d; the first ends on %s.", len(stored), localTime(stored[0].NotAfter))}}
}

// printExamination prints what was found; of shops all of it, or else what is not sound.
func printExamination(w io.Writer, x *tenants.Examination, all bool) {
	for _, f := range x.Folder {
		row(w, f.Name, f.State, f.Message)
	}
	sound := 0
	for _, s := range x.Shops {
		shown := false
		for _, f := range s.Findings {
			if !all && f.State == tenants.StateOK {
				continue
			}
			if !shown {
				fmt.Fprintf(w, "\n%s\n", s.UID)
				shown = true
			}
			row(w, "  "+f.Name, f.State, f.Message)
		}
		if !shown {
			sound++
		}
	}
	if !all {
		fmt.Fprintf(w, "\n%d of %d shops are sound.\n", sound, len(x.Shops))
	}
}

func countFindings(x *tenants.Examination) (failing, warnings int) {
	count := func(list []tenants.Finding) {
		for _, f := range list {
			switch f.State {
			case tenants.StateFailing:
				failing++
			case tenants.StateWarning:
				warnings++
			}
		}
	}
	count(x.Folder)
	for _, s := range x.Shops {
		count(s.Findings)
	}
	return failing, warnings
}
