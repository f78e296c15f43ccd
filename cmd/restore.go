package cmd

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"storefront/db"
	"storefront/tenants"
)

func newRestoreCommand(a *app) *cobra.Command {
	var r tenants.Restore
	var source replicaSource
	cmd := &cobra.Command{
		Use:   "restore SRC [--as UID]",
		Short: "Bring a shop back from a copy, or make another shop of it",
		Long: `Bring a shop back from SRC: a file that backup made, or one of the data folder's trash. The server may
run meanwhile; buyers meet the restored shop from one request to the next.

The copy is checked whole before it replaces anything: that it is undamaged and a shop's file, not of a
newer program, and that the data folder's key opens its secrets. What the shop had before is kept in
the folder trash, and can be restored the same way.

With --as it becomes another shop beside the one it was: suspended, in sandbox mode, with a new signing
key, without administrators' tokens, and asking no gateway about payments of before.

On a new machine put the key of the lost data folder into the new one first, as DATA/key. If that key
is lost, --drop-secrets restores all but what it sealed.

Where SRC is a shop's UID, the shop comes from the replica that serve --replica keeps, as it is there
now or as it was at a time. With --all every shop comes back that the data folder does not have: from
the replica, or where SRC is a folder of copies from the newest copy of each.`,
		Example: `  storefront restore /backups/acme-20260301T060000.000Z.db
  storefront restore /backups/acme-20260301T060000.000Z.db --as acme-test
  storefront restore acme --at 2026-03-01T18:30:00+06:00 --replica /mnt/replica
  storefront restore --all --replica s3://bucket/shops
  storefront restore --all /backups`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 1 {
				r.File = args[0]
			}
			switch {
			case source.wanted(r.File):
				return a.restoreReplica(cmd.Context(), source, r.File, r)
			case source.all:
				return a.restoreFolder(cmd.Context(), r)
			}
			if r.File == "" {
				return &usageError{err: errors.New("what is to be restored? a file, a UID with --replica, or --all with --replica or a folder"), command: cmd.CommandPath()}
			}
			if _, err := os.Stat(r.File); err != nil { // before a data folder is made
				return err
			}
			return a.withNewTenants(cmd.Context(), func(t *tenants.Tenants) error {
				done, err := t.Restore(cmd.Context(), r)
				if err != nil {
					return a.restoreFailure(err)
				}
				return a.print(done, func(w io.Writer) { a.printRestored(w, done) })
			})
		},
	}
	flags := cmd.Flags()
	source.add(flags)
	flags.StringVar(&r.As, "as", "", "UID of another shop to make of it")
	flags.StringVar(&r.Of, "of", "", "UID of the shop that it is a copy of, where its name does not tell")
	flags.BoolVar(&r.DropSecrets, "drop-secrets", false, "the key is lost: leave out the secrets; buyers sign in anew, providers are configured anew")
	return cmd
}

func (a *app) printRestored(w io.Writer, done *tenants.Restored) {
	switch {
	case done.UID != done.Of:
		fmt.Fprintf(w, "Made the shop %s of a copy of %s. It is suspended and in sandbox mode. Next: %s\n",
			done.UID, done.Of, a.command("tenant resume "+done.UID))
	case done.Replaced != nil:
		fmt.Fprintf(w, "Restored %s. What it had before is %s.\n", done.UID, *done.Replaced)
	default:
		fmt.Fprintf(w, "Restored %s.\n", done.UID)
	}
	if len(done.Faults) > 0 {
		fmt.Fprintf(w, "What does not agree in it, as it did not in the copy: %s.\n", strings.Join(done.Faults, "; "))
	}
}

// restoreFailure says what to do about a copy that was refused.
func (a *app) restoreFailure(err error) error {
	switch {
	case errors.Is(err, tenants.ErrUnknownOwner):
		return withHint(err, "--of UID")
	case errors.Is(err, tenants.ErrOtherKey):
		return withHint(err, "put the key that it was made with into %s (or set %s); where it is lost, --drop-secrets",
			filepath.Join(a.dataDir, "key"), keyVariable)
	case errors.Is(err, tenants.ErrChanged), errors.Is(err, db.ErrCorrupt), errors.Is(err, db.ErrNotTenantFile):
		return withHint(err, "another copy; %s finds the sound ones", a.command("backup verify DIR"))
	}
	return err
}
