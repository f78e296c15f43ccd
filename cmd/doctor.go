package cmd

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"

	"github.com/spf13/cobra"

	"storefront/server/certificate"
	"storefront/tenants"
	"storefront/tenants/doctor"
)

func newDoctorCommand(a *app) *cobra.Command {
	var strict bool
	var sources sourceFlags
	cmd := &cobra.Command{
		Use:   "doctor [UID]",
		Short: "Check the data folder, the machine and the shops",
		Long: `Check the data folder (permissions, key, disk), the machine's clock, the certificates, the public URL, the
places of backups and replicas, and each shop, or only the shop UID: its file, schema, totals and secrets,
payments and webhooks that need attention, the settings of its providers, whether its courier webhook URLs
accept the shop's secret and reject another, and the first of its pages for buyers (see "site check").

The command changes no order and applies no schema step. It checks the public URL, the folder of backups
and the replica of the server that runs on the data folder, unless flags set others. For all shops it
prints only problems; for one shop, and with --json, all findings.

It fails if a finding is failing and, with --strict, if a finding is a warning.`,
		Example: `  storefront doctor --public-url https://api.example.com
  storefront doctor acme --json`,
		ValidArgsFunction: a.completeUID,
		RunE: func(cmd *cobra.Command, uids []string) error {
			if len(uids) == 0 {
				uids = nil // all
			}
			return a.diagnose(cmd.Context(), sources, uids, strict)
		},
	}
	a.addPublicURL(cmd, "public URL of the server (default: the running server's)")
	sources.add(cmd.Flags())
	cmd.Flags().BoolVar(&strict, "strict", false, "fail on warnings, too")
	return cmd
}

func (a *app) diagnose(ctx context.Context, f sourceFlags, uids []string, strict bool) error {
	if err := a.requireDataDir(); err != nil {
		return err
	}
	found, err := a.examine(ctx, f, uids)
	if err != nil {
		return err
	}
	err = a.print(found, func(w *table) { printExamination(w, found, uids != nil) })
	failing, warnings := countFindings(found)
	if failing > 0 || strict && warnings > 0 {
		err = errors.Join(err, fmt.Errorf("problems found: failing %d, warnings %d", failing, warnings))
	}
	return err
}

// examine returns the findings about the data folder and the shops uids, or all if uids is nil.
func (a *app) examine(ctx context.Context, f sourceFlags, uids []string) (*doctor.Examination, error) {
	cfg, err := a.tenantsConfig(tenants.Config{Command: true})
	if err != nil {
		return nil, err
	}
	sources, err := a.restoreSources(f)
	if err != nil {
		return nil, err
	}
	bar := a.progress("checking")
	defer bar.end()
	found, err := doctor.Examine(ctx, cfg, sources, uids, bar.set)
	if err != nil {
		return nil, err
	}
	if err := a.checkSites(ctx, cfg, found); err != nil {
		return nil, err
	}
	found.Folder = append(found.Folder, a.checkCertificates()...)
	return found, nil
}

// checkCertificates checks the certificates that the server has obtained, and those that it could
// not obtain. Certificates of names that are no longer served stay for a while, so an expiring one
// is a warning, never a failure.
func (a *app) checkCertificates() []doctor.Finding {
	stored, err := certificate.Stored(filepath.Join(a.dataDir, certificatesDir))
	if err != nil {
		return []doctor.Finding{doctor.NewFinding(doctor.CodeCertificates, doctor.StateFailing, "%v", err)}
	}
	record, running, err := tenants.ReadServerRecord(a.dataDir)
	if err != nil {
		return []doctor.Finding{doctor.NewFinding(doctor.CodeCertificates, doctor.StateFailing, "%v", err)}
	}
	var found []doctor.Finding
	if record != nil {
		for _, m := range record.Status.MissingCertificates {
			found = append(found, missingCertificate(m, running))
		}
	}
	for _, e := range stored {
		if e.EndsSoon() {
			found = append(found, doctor.NewFinding(doctor.CodeCertificatesEnding, doctor.StateWarning,
				"The certificate of %s expires on %s and was not renewed. "+
					"If the name is still served, see the server's log.", e.Name, localTime(e.NotAfter)))
		}
	}
	switch {
	case found != nil:
		return found
	case len(stored) > 0:
		return []doctor.Finding{doctor.NewFinding(doctor.CodeCertificates, doctor.StateOK,
			"Stored: %d; the first expires on %s.", len(stored), localTime(stored[0].NotAfter))}
	case record == nil:
		return []doctor.Finding{doctor.NewFinding(doctor.CodeCertificates, doctor.StateOK,
			"None: no server has run on this data folder.")}
	}
	return []doctor.Finding{doctor.NewFinding(doctor.CodeCertificates, doctor.StateOK,
		"None: this server does not terminate TLS.")}
}

// missingCertificate returns the finding about a name without a valid certificate. Until the first
// attempt has ended, and while no server runs, it is a warning.
func missingCertificate(m tenants.MissingCertificate, running bool) doctor.Finding {
	if m.NextAttemptAt == nil {
		return doctor.NewFinding(doctor.CodeCertificatesMissing, doctor.StateWarning,
			"%s has no certificate yet. If it has none in some minutes, see the server's log.", m.Name)
	}
	state := doctor.StateFailing
	if !running {
		state = doctor.StateWarning
	}
	return doctor.NewFinding(doctor.CodeCertificatesMissing, state,
		"%s has no certificate, and clients cannot connect: %s. Check that DNS points to this server and "+
			"that ports 80 and 443 are reachable. The next attempt begins at %s.",
		m.Name, m.Error, localTime(*m.NextAttemptAt))
}

// printExamination prints the findings. Unless all is set, it omits the sound findings of shops.
func printExamination(w *table, x *doctor.Examination, all bool) {
	for _, f := range x.Folder {
		row(w, f.Name, colour(f.State), f.Message)
	}
	sound := 0
	for _, s := range x.Shops {
		shown := false
		for _, f := range s.Findings {
			if !all && f.State == doctor.StateOK {
				continue
			}
			if !shown {
				fmt.Fprintf(w, "\n%s\n", s.UID)
				shown = true
			}
			row(w, "  "+f.Name, colour(f.State), f.Message)
		}
		if !shown {
			sound++
		}
	}
	if !all {
		fmt.Fprintf(w, "\nShops without problems: %d of %d.\n", sound, len(x.Shops))
	}
}

func countFindings(x *doctor.Examination) (failing, warnings int) {
	count := func(list []doctor.Finding) {
		for _, f := range list {
			switch f.State {
			case doctor.StateFailing:
				failing++
			case doctor.StateWarning:
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
