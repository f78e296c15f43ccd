package cmd

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"storefront/db"
	"storefront/tenants"
)

func newBackupCommand(a *app) *cobra.Command {
	var all, withKey bool
	cmd := &cobra.Command{
		Use:   "backup UID DEST | --all DEST",
		Short: "Copy shops while they sell",
		Long: `Copy a shop, or all of them, to files in the folder DEST, which is made if need be. For one shop,
DEST may be the name of the file, ending in .db. The server may run meanwhile and sells on.

A copy is one whole SQLite file, UID-TIME.db, of one moment: every order acknowledged before the
command began is in it. Beside it, UID-TIME.db.json tells its SHA-256. No file is overwritten.

The shops' secrets (providers' credentials, signing keys) are sealed with the data folder's key, and
the copies do not hold it. Keep it too, at another place than the copies if you can: --with-key puts
it beside them.`,
		Example: `  storefront backup acme /backups
  storefront backup --all /backups --with-key`,
		Args: func(cmd *cobra.Command, args []string) error {
			if all {
				return cobra.ExactArgs(1)(cmd, args)
			}
			return cobra.ExactArgs(2)(cmd, args)
		},
		ValidArgsFunction: a.completeUIDAndFile,
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.withTenants(cmd.Context(), func(t *tenants.Tenants) error {
				if all {
					uids, err := t.UIDs(cmd.Context())
					if err != nil {
						return err
					}
					return a.runBackup(cmd.Context(), t, uids, args[0], withKey)
				}
				return a.runBackup(cmd.Context(), t, args[:1], args[1], withKey)
			})
		},
	}
	cmd.Flags().BoolVar(&all, "all", false, "all shops; one that can not be copied does not keep the others from it")
	cmd.Flags().BoolVar(&withKey, "with-key", false, "put the data folder's key beside the copies: whoever has both has all secrets")
	cmd.AddCommand(newBackupVerifyCommand(a))
	return cmd
}

// backupReport is what backup has done.
type backupReport struct {
	Folder  string            `json:"folder"`
	Backups []*tenants.Backup `json:"backups"`
	Failed  []failedShop      `json:"failed"`
	Key     *string           `json:"key"` // the key's file beside the copies; null: it is not there
}

type failedShop struct {
	UID   string `json:"uid"`
	Error string `json:"error"`
}

func (a *app) runBackup(ctx context.Context, t *tenants.Tenants, uids []string, dest string, withKey bool) error {
	report := backupReport{Folder: dest, Backups: []*tenants.Backup{}, Failed: []failedShop{}}
	make := t.Backup
	if strings.HasSuffix(dest, ".db") {
		report.Folder, make = filepath.Dir(dest), t.BackupTo
	}
	if withKey { // first: copies without their key would look complete
		path, err := t.BackupKey(report.Folder)
		if err != nil {
			return err
		}
		report.Key = &path
	}
	bar := a.progress("backing up")
	defer bar.end()
	for i, uid := range uids {
		b, err := make(ctx, uid, dest)
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case err != nil && len(uids) == 1:
			return a.backupFailure(err)
		case err != nil:
			report.Failed = append(report.Failed, failedShop{uid, message(err)})
		default:
			report.Backups = append(report.Backups, b)
		}
		bar.set(i+1, len(uids))
	}
	bar.end()
	err := a.print(report, func(w io.Writer) { printBackups(w, report) })
	if n := len(report.Failed); n > 0 {
		err = errors.Join(err, fmt.Errorf("%d of %d shops were not copied", n, len(uids)))
	}
	return err
}

func printBackups(w io.Writer, r backupReport) {
	if len(r.Backups) > 0 {
		row(w, "UID", "COPY", "SIZE", "SHA-256")
	}
	for _, b := range r.Backups {
		row(w, b.UID, filepath.Join(r.Folder, b.File), megabytes(b.Bytes), b.SHA256[:16]+"…")
	}
	for _, f := range r.Failed {
		fmt.Fprintf(w, "%s was not copied: %s\n", f.UID, printable(f.Error))
	}
	if r.Key != nil {
		fmt.Fprintf(w, "\nThe key is beside them, in %s: whoever has both has all secrets.\n", *r.Key)
		return
	}
	fmt.Fprintln(w, "\nKeep the data folder's key too (its file key, or STOREFRONT_KEY): no copy holds it, and without it the secrets in them are lost.")
}

func megabytes(bytes int64) string { return fmt.Sprintf("%.1f MB", float64(bytes)/1e6) }

func (a *app) backupFailure(err error) error {
	switch {
	case errors.Is(err, db.ErrExists):
		return withHint(err, "another name: nothing is overwritten")
	case errors.Is(err, db.ErrCorrupt):
		return withHint(err, "%s, and restore an earlier copy", a.command("doctor"))
	}
	return err
}

func newBackupVerifyCommand(a *app) *cobra.Command {
	return &cobra.Command{
		Use:   "verify DIR|FILE…",
		Short: "Restore copies into a scratch folder and examine them",
		Long: `Restore each copy into a scratch folder (TMPDIR says where) and examine it: its SHA-256, the engine's
own checks of the file, the schema's steps, the shop's sums (stock, coupons, orders), and whether the
data folder's key opens its secrets. The data folder itself is not touched and need not be there.

It fails when a copy is bad, and when a folder holds none.`,
		Example: "  storefront backup verify /backups",
		Args:    cobra.MinimumNArgs(1),
		RunE:    func(cmd *cobra.Command, args []string) error { return a.verifyBackups(cmd.Context(), args) },
	}
}

func (a *app) verifyBackups(ctx context.Context, paths []string) (err error) {
	var copies []string
	for _, path := range paths {
		found, err := tenants.ListBackupFiles(path)
		if err != nil {
			return err
		}
		copies = append(copies, found...)
	}
	if len(copies) == 0 {
		return fmt.Errorf("there is no copy in %s", strings.Join(paths, ", "))
	}
	key, _ := a.LookupEnv(keyVariable)
	v, err := tenants.OpenVerifier(tenants.Config{Dir: a.dataDir, Schema: a.Schema, Key: key})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, v.Close(context.WithoutCancel(ctx))) }()
	bar := a.progress("examining")
	defer bar.end()
	results, bad := make([]*tenants.Verified, len(copies)), 0
	for i, path := range copies {
		if results[i], err = v.Verify(ctx, path); err != nil {
			return err
		}
		if len(results[i].Faults) > 0 {
			bad++
		}
		bar.set(i+1, len(copies))
	}
	bar.end()
	err = a.print(results, func(w io.Writer) { printVerified(w, results) })
	if bad > 0 {
		err = errors.Join(err, fmt.Errorf("%d of %d copies are bad: make new ones, and keep older ones until those are sound", bad, len(copies)))
	}
	return err
}

func printVerified(w io.Writer, results []*tenants.Verified) {
	row(w, "COPY", "SHOP", "SECRETS", "STATE")
	for _, r := range results {
		secrets := "no key to try"
		switch {
		case r.SecretsOpen == nil:
		case *r.SecretsOpen:
			secrets = "open"
		default:
			secrets = "closed"
		}
		state := "sound"
		if len(r.Faults) > 0 {
			state = strings.Join(r.Faults, "; ")
		}
		row(w, r.File, r.UID, secrets, state)
	}
}
