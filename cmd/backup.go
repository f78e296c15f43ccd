package cmd

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"storefront/db"
	"storefront/tenants"
)

func newBackupCommand(a *app) *cobra.Command {
	var all, withKey bool
	var forKey string
	cmd := &cobra.Command{
		Use:   "backup UID… DEST | --all DEST",
		Short: "Back up shops or all shops",
		Long: `Back up a shop, or all shops, to files in the folder DEST, which is created if necessary. For one
shop, DEST may be a file name ending in .db or .jsonl.gz. The server may be running.

A backup is of one point in time: it contains every order that was acknowledged before the command
started. The backup of a shop in a file is a complete SQLite file, UID-TIME.db. The backup of a shop in
the database is an export, UID-TIME.jsonl.gz. restore reads both into either place. UID-TIME.db.json
beside it holds its SHA-256. Existing files are not overwritten. The folder media/UID beside the backups
has the shop's uploaded images; each is copied once.

The shops' secrets (providers' credentials, signing keys) are encrypted with the data folder's key. A
backup does not contain the key. Back up the key as well, preferably to another place; --with-key writes
it beside the backups.

With --for-key, a shop moves to another server with its secrets: the file UID-TIME.sealed can be read and
restored there only. restore shows the fingerprint of the server that has sealed it. Suspend the shop first,
so that no order is placed after the copy.`,
		Example: `  storefront backup acme /backups
  storefront backup --all /backups --with-key
  storefront backup acme /transfer --for-key new-server.pub`,
		Args: func(cmd *cobra.Command, args []string) error {
			if all {
				return arguments{{name: "DEST"}}.check(cmd, args, false)
			}
			if len(args) < 2 {
				return arguments{{name: shopArgument}, {name: "DEST"}}.missing(cmd)
			}
			return nil
		},
		ValidArgsFunction: a.completeUIDAndFile,
		RunE: func(cmd *cobra.Command, args []string) error {
			o := backupOptions{withKey: withKey}
			if forKey != "" {
				var err error
				if o.forKey, err = readPublicKey(forKey); err != nil {
					return fmt.Errorf("--for-key: %w", err)
				}
			}
			return a.withTenants(cmd.Context(), func(t *tenants.Tenants) error {
				if all {
					return a.backUpAll(cmd.Context(), t, args[0], o)
				}
				last := len(args) - 1
				uids, err := (&manyShops{}).find(cmd.Context(), a, t, args[:last])
				if err != nil {
					return err
				}
				return a.runBackup(cmd.Context(), t, uids, args[last], o)
			})
		},
	}
	cmd.Flags().BoolVar(&all, "all", false, "back up all shops; a failure of one does not affect the others")
	cmd.Flags().BoolVar(&withKey, "with-key", false, "write the data folder's key beside the backups; both together reveal all secrets")
	cmd.Flags().StringVar(&forKey, "for-key", "", "seal the backups for the server with this public key, a file or the text from its key public")
	cmd.MarkFlagsMutuallyExclusive("with-key", "for-key")
	cmd.AddCommand(newBackupListCommand(a), newBackupVerifyCommand(a))
	return cmd
}

// backupOptions are the options of backup.
type backupOptions struct {
	withKey bool
	forKey  *tenants.PublicKey // nil if the backups are not sealed for another server
}

// backupReport is the result of backup.
type backupReport struct {
	Folder    string            `json:"folder"`
	Backups   []*tenants.Backup `json:"backups"`
	Failed    []failedShop      `json:"failed"`
	Key       *string           `json:"key"`       // the key file beside the backups; null without --with-key
	SealedFor *string           `json:"sealedFor"` // fingerprint of the receiver's key; null without --for-key
}

type failedShop struct {
	UID   string `json:"uid"`
	Error string `json:"error"`
}

// backUpAll backs up all shops, or those in files if the database cannot be reached.
func (a *app) backUpAll(ctx context.Context, t *tenants.Tenants, dest string, o backupOptions) error {
	list := t.StoredUIDs
	if o.forKey != nil { // the receiver has operators of its own
		list = t.UIDs
	}
	uids, listErr := list(ctx)
	if listErr != nil {
		var err error
		if uids, err = t.FileUIDs(ctx); err != nil {
			return err
		}
	}
	return errors.Join(a.runBackup(ctx, t, uids, dest, o), listErr)
}

func (a *app) runBackup(ctx context.Context, t *tenants.Tenants, uids []string, dest string, o backupOptions) error {
	report := backupReport{Folder: dest, Backups: []*tenants.Backup{}, Failed: []failedShop{}}
	backup := t.Backup
	suffixes := []string{".db", ".jsonl.gz"}
	if o.forKey != nil {
		suffixes = []string{".sealed"}
	}
	if slices.ContainsFunc(suffixes, func(suffix string) bool { return strings.HasSuffix(dest, suffix) }) {
		if len(uids) > 1 {
			return fmt.Errorf("%s must be a folder: several shops do not fit in one file", dest)
		}
		report.Folder, backup = filepath.Dir(dest), t.BackupTo
	}
	if o.forKey != nil {
		report.SealedFor = new(o.forKey.Fingerprint())
		backup = func(ctx context.Context, uid, dest string) (*tenants.Backup, error) {
			return t.BackupFor(ctx, uid, dest, o.forKey)
		}
	}
	if o.withKey { // first, because backups without their key look complete
		path, err := t.BackupKey(report.Folder)
		if err != nil {
			return err
		}
		report.Key = &path
	}
	results, err := eachShop(ctx, a, "backing up", uids, func(uid string) (*tenants.Backup, error) { return backup(ctx, uid, dest) })
	if err != nil {
		return a.withBackupHint(err)
	}
	report.Backups, report.Failed = results.Shops, results.Failed
	err = a.print(report, func(w *table) { printBackups(w, report) })
	return errors.Join(err, results.failure("backed up"))
}

func printBackups(w *table, r backupReport) {
	if len(r.Backups) > 0 {
		heading(w, "UID", "FILE", "SIZE", "[SHA-256]")
	}
	for _, b := range r.Backups {
		row(w, b.UID, filepath.Join(r.Folder, b.File), megabytes(b.Bytes), b.SHA256[:16]+"…")
	}
	for _, b := range r.Backups {
		if n := len(b.MissingImages); n > 0 {
			fmt.Fprintf(w, "%s: images missing or damaged in the data folder: %d, such as %s\n", b.UID, n, b.MissingImages[0])
		}
	}
	for _, f := range r.Failed {
		fmt.Fprintf(w, "%s was not backed up: %s\n", f.UID, printable(f.Error))
	}
	if r.SealedFor != nil {
		fmt.Fprintf(w, "\nOnly the server with the key %s can restore the backups. Move the folder media with them.\n", *r.SealedFor)
		return
	}
	if r.Key != nil {
		fmt.Fprintf(w, "\nThe key is beside the backups, in %s. Together they reveal all secrets.\n", *r.Key)
		return
	}
	fmt.Fprintln(w, "\nBack up the key as well (the file key in the data folder, or STOREFRONT_KEY):"+
		" the backups do not contain it, and their secrets cannot be decrypted without it.")
}

func megabytes(bytes int64) string { return fmt.Sprintf("%.1f MB", float64(bytes)/1e6) }

func (a *app) withBackupHint(err error) error {
	switch {
	case errors.Is(err, db.ErrExists):
		return withHint(err, "choose another name; existing files are not overwritten")
	case errors.Is(err, db.ErrCorrupt):
		return withHint(err, "check the shop with %s, and restore an earlier backup", a.command("doctor"))
	}
	return err
}

func newBackupVerifyCommand(a *app) *cobra.Command {
	return &cobra.Command{
		Use:   "verify DIR|FILE…",
		Short: "Verify that backups can be restored",
		Long: `Restore each backup into a temporary folder (in TMPDIR) and check its SHA-256, its integrity, its schema
(no foreign triggers, views, tables or indexes), the schema steps and the shop's totals (stock, coupons,
orders). Also check that the data folder's key decrypts its secrets, and that the shop's images are intact
in the folder media beside the backup. The data folder is not modified and need not exist.

The command fails if a backup is damaged, or if a folder contains no backup.`,
		Example: "  storefront backup verify /backups",
		RunE:    func(cmd *cobra.Command, args []string) error { return a.verifyBackups(cmd.Context(), args) },
	}
}

func (a *app) verifyBackups(ctx context.Context, paths []string) (err error) {
	var files []string
	for _, path := range paths {
		found, err := tenants.ListBackupFiles(path)
		if err != nil {
			return err
		}
		files = append(files, found...)
	}
	if len(files) == 0 {
		return fmt.Errorf("no backup found in %s", strings.Join(paths, ", "))
	}
	key, _ := a.LookupEnv(keyVariable)
	v, err := tenants.OpenVerifier(tenants.Config{Dir: a.dataDir, Schema: a.Schema, Steps: a.Steps, Key: key})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, v.Close(context.WithoutCancel(ctx))) }()
	bar := a.progress("verifying")
	defer bar.end()
	results, damaged := make([]*tenants.Verified, len(files)), 0
	for i, path := range files {
		if results[i], err = v.Verify(ctx, path); err != nil {
			return err
		}
		if len(results[i].Faults) > 0 {
			damaged++
		}
		bar.set(i+1, len(files))
	}
	bar.end()
	err = a.print(results, func(w *table) { printVerified(w, results) })
	if damaged > 0 {
		err = errors.Join(err, withHint(fmt.Errorf("damaged backups: %d of %d", damaged, len(files)),
			"create new backups, and delete older ones only after the new ones are verified"))
	}
	return err
}

func printVerified(w *table, results []*tenants.Verified) {
	heading(w, "FILE", "SHOP", "SECRETS", "STATE")
	for _, r := range results {
		secrets := "not checked (no key)"
		switch {
		case r.SecretsOpen == nil:
		case *r.SecretsOpen:
			secrets = "readable"
		default:
			secrets = "unreadable"
		}
		state := "sound"
		if len(r.Faults) > 0 {
			state = strings.Join(r.Faults, "; ")
		}
		row(w, r.File, r.UID, secrets, colour(state))
	}
}
