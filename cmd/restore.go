package cmd

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"storefront/db"
	"storefront/shop/staff"
	"storefront/tenants"
)

func newRestoreCommand(a *app) *cobra.Command {
	var r tenants.RestoreOptions
	var source replicaSource
	var in, fromKey string
	cmd := &cobra.Command{
		Use:   "restore [SRC] [--as UID]",
		Short: "Restore shops from backups, the trash or a replica",
		Long: `Restore a shop from SRC: a backup, or a file in the data folder's trash. The server may be running; it
switches to the restored shop between two requests. A shop in the database is not replaced.

The file is checked before it replaces anything: it must be an undamaged shop file, not from a newer
version, with exactly the tables and indexes of this program (no triggers or views), and the data
folder's key must decrypt its secrets. HTML in it is sanitized again. The shop's previous file is moved
to the folder trash and can be restored the same way.

All staff members must sign in again. Staff members who were disabled or removed after the copy are
disabled, and API keys that were revoked after it are revoked. Roles and passwords are restored from the
copy. If the shop has no readable file, everybody with access is listed.

The operator's suspension and the confirmed domains are inherited from the shop's previous file. If it has
no readable file, they come from the copy.

Uploaded images that the data folder lacks are copied from the folder media beside the file, from the
trash or from the cloned shop. Images that are missing everywhere are listed.

With --as, the shop is restored as another shop, a clone: suspended, in sandbox mode, with a new signing
key, without domains, API keys and status checks for payments made before.

Orders that were placed after the copy are lost, and their numbers are not used again: the next order gets
a number above the last one of the replaced file. Without such a file the gap is 1,000, or twice the
orders of as long a time before the copy if that is more. --renumber-from sets another number.

On a new machine, first copy the key of the old data folder to DATA/key. If that key is lost,
--drop-secrets restores everything except the secrets that it encrypted, API keys and sessions.

A file that backup --for-key has sealed for this server is restored with its secrets, and nobody is signed
out if it is at most a day old and replaces no shop. --from-key refuses a file of another sender.

If SRC is a shop's UID, the shop is restored from the replica that serve --replica updates: its latest
state, or its state at a time. With --all, every shop that is missing in the data folder is restored:
from the replica or, if SRC is a folder, from the newest backup of each shop.`,
		Example: `  storefront restore /backups/acme-20260301T060000.000Z.db
  storefront restore /backups/acme-20260301T060000.000Z.db --as acme-test
  storefront restore acme --at 2026-03-01T18:30:00+06:00 --replica /mnt/replica
  storefront restore --all --replica s3://bucket/shops
  storefront restore --all /backups`,
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 1 {
				r.File = args[0]
			}
			var err error
			if r.In, err = a.parsePlace(in); err != nil {
				return err
			}
			if err := checkRenumber(cmd, r, source.all); err != nil {
				return err
			}
			if fromKey != "" {
				key, err := readPublicKey(fromKey)
				if err != nil {
					return fmt.Errorf("--from-key: %w", err)
				}
				r.From = key.String()
			}
			switch {
			case source.selected(r.File):
				return a.restoreReplica(cmd.Context(), source, r.File, r)
			case source.all:
				return a.restoreFolder(cmd.Context(), r)
			}
			if r.File == "" {
				return &usageError{
					err:     errors.New("SRC is missing: pass a file, a UID with --replica, or --all with --replica or a folder"),
					command: cmd.CommandPath(),
				}
			}
			if _, err := os.Stat(r.File); err != nil { // before a data folder is created
				return err
			}
			return a.withNewTenants(cmd.Context(), func(t *tenants.Tenants) error {
				done, err := t.Restore(cmd.Context(), r)
				if err != nil {
					return a.withRestoreHint(err)
				}
				return a.print(done, func(w *table) { a.printRestored(w, done) })
			})
		},
	}
	flags := cmd.Flags()
	source.add(flags)
	flags.StringVar(&r.As, "as", "", "restore as another shop with this UID")
	flags.StringVar(&r.Of, "of", "", "UID of the shop that the file belongs to, if its name does not contain it")
	flags.StringVar(&in, "in", "",
		"where the data is stored: files or postgres (default files; with --engine, postgres for exports of shops without a file)")
	flags.Int64Var(&r.NextOrder, "renumber-from", 0, "number of the shop's next order (default above all numbers that the shop may have used)")
	flags.BoolVar(&r.DropSecrets, "drop-secrets", false, dropSecretsUsage)
	flags.StringVar(&fromKey, "from-key", "", "public key of the server that must have sealed the file, a file or the text from its key public")
	return cmd
}

// checkRenumber validates --renumber-from.
func checkRenumber(cmd *cobra.Command, r tenants.RestoreOptions, all bool) error {
	text := ""
	switch {
	case !cmd.Flags().Changed("renumber-from"):
		return nil
	case r.NextOrder < 1 || r.NextOrder > maxOrderNumber:
		text = fmt.Sprintf("--renumber-from must be between 1 and %d", int64(maxOrderNumber))
	case all || r.As != "":
		text = "--renumber-from cannot be combined with --all or --as"
	default:
		return nil
	}
	return &usageError{err: errors.New(text), command: cmd.CommandPath()}
}

// maxOrderNumber leaves room for the orders of a lifetime.
const maxOrderNumber = 1_000_000_000

const dropSecretsUsage = "omit the secrets, API keys and sessions, if the key is lost; " +
	"customers must sign in again and providers must be configured again"

// printRestored prints what was restored and its inconsistencies.
func (a *app) printRestored(w *table, done *tenants.Restored) {
	switch {
	case done.UID != done.Of:
		fmt.Fprintf(w, "Restored %s as the shop %s, which is suspended and in sandbox mode. Next: %s\n",
			done.Of, done.UID, a.command("tenant resume "+done.UID))
	case done.Replaced != nil:
		fmt.Fprintf(w, "Restored %s. Its previous file is %s.\n", done.UID, *done.Replaced)
	default:
		fmt.Fprintf(w, "Restored %s.\n", done.UID)
	}
	if done.SealedBy != nil {
		fmt.Fprintf(w, "It was sealed by the server with the key %s.\n", *done.SealedBy)
	}
	fmt.Fprintf(w, "The next order gets the number %d.\n", done.NextOrder)
	switch {
	case done.SuspensionUnknown && done.Suspension == nil && done.Replaced != nil:
		fmt.Fprintln(w, "The operator's suspension is as in the copy: none. If the shop was suspended after it, suspend it again.")
	case done.Suspension != nil && done.UID == done.Of:
		fmt.Fprintln(w, "The shop is suspended by the operator.")
	}
	printRestoredAccess(w, done.Access)
	if done.Images > 0 {
		fmt.Fprintf(w, "Images copied: %d.\n", done.Images)
	}
	if len(done.MissingImages) > 0 {
		fmt.Fprintf(w, "Images missing, here and beside the copy: %d: %s.\n", len(done.MissingImages), strings.Join(done.MissingImages, ", "))
	}
	if len(done.Faults) > 0 {
		fmt.Fprintf(w, "Inconsistencies in the restored file: %s.\n", strings.Join(done.Faults, "; "))
	}
}

// printRestoredAccess prints the access that has ended with a restore, and the access to be
// checked.
func printRestoredAccess(w *table, changed *staff.CopyAccess) {
	for _, list := range []struct {
		names  []string
		format string
	}{
		{changed.EndedMembers, "Disabled, as they were disabled or removed after the copy: %s.\n"},
		{changed.EndedKeys, "Revoked, as they were revoked after the copy: the API keys %s.\n"},
		{changed.CheckMembers, "Staff members with access as in the copy; disable those who should have none: %s.\n"},
		{changed.CheckKeys, "API keys that are valid as in the copy; revoke those that should not be valid: %s.\n"},
	} {
		if len(list.names) > 0 {
			fmt.Fprintf(w, list.format, printable(strings.Join(list.names, ", ")))
		}
	}
}

// withRestoreHint adds a remedy to the error about a refused file.
func (a *app) withRestoreHint(err error) error {
	switch {
	case errors.Is(err, tenants.ErrUnknownOwner):
		return withHint(err, "set the shop with --of UID")
	case errors.Is(err, tenants.ErrSealedFor):
		return withHint(err, "restore it on that server, or seal the shop again with the key that %s prints here", a.command("key public"))
	case errors.Is(err, tenants.ErrOtherKey):
		return withHint(err, "copy the key of its secrets to %s (or set %s); if it is lost, use --drop-secrets",
			filepath.Join(a.dataDir, "key"), keyVariable)
	case errors.Is(err, tenants.ErrInDatabase):
		return withHint(err, "restore the file as another shop with --as, or first delete the shop, which puts an export in the trash")
	case errors.Is(err, db.ErrForeignSchema):
		return withHint(err, "if you changed the schema yourself, undo that in a copy of the file and restore the copy;"+
			" otherwise another program wrote the file: restore another backup")
	case errors.Is(err, tenants.ErrChanged), errors.Is(err, db.ErrCorrupt), errors.Is(err, db.ErrNotTenantFile):
		return withHint(err, "restore another backup; check backups with %s", a.command("backup verify DIR"))
	}
	return err
}
