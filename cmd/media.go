package cmd

import (
	"fmt"

	"github.com/spf13/cobra"

	"storefront/tenants"
)

func newMediaCommand(a *app) *cobra.Command {
	return newGroupCommand("media", "Import and check uploaded images",
		newMediaImportCommand(a),
		newMediaVerifyCommand(a),
	)
}

func newMediaVerifyCommand(a *app) *cobra.Command {
	return &cobra.Command{
		Use:   "verify UID",
		Short: "Check the files of a shop's uploaded images",
		Long: `Read the files of all images that the shop refers to, and compare them with their hashes. The command
fails if files are missing or damaged. The command backup verify checks the images beside a backup.`,
		Example:           "  storefront media verify acme",
		ValidArgsFunction: a.completeUID,
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.withTenants(cmd.Context(), func(t *tenants.Tenants) error {
				found, err := t.VerifyImages(cmd.Context(), args[0])
				if err != nil {
					return err
				}
				err = a.print(found, func(w *table) {
					for _, id := range found.Missing {
						row(w, id, colour("missing"))
					}
					for _, id := range found.Damaged {
						row(w, id, colour("damaged"))
					}
					if len(found.Missing)+len(found.Damaged) == 0 {
						fmt.Fprintf(w, "All files are intact. Images: %d.\n", found.Images)
					}
				})
				if lost := len(found.Missing) + len(found.Damaged); err == nil && lost > 0 {
					err = withHint(fmt.Errorf("images with missing or damaged files: %d of %d", lost, found.Images),
						"copy their folders from media/%s in the folder of backups to media/%[1]s in the data folder, or upload them again", args[0])
				}
				return err
			})
		},
	}
}
