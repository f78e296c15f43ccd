package cmd

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"storefront/tenants"
)

func newTenantExportCommand(a *app) *cobra.Command {
	var images string
	var many manyShops
	cmd := &cobra.Command{
		Use:   "export UID [FILE] | --all DIR",
		Short: "Export shops as JSON lines",
		Long: `Export all tables of a shop at one point in time as JSON lines, for other programs or for moving to
another platform. The server may be running. Without FILE, or with -, write to the standard output.

The export contains all data of the shop's customers: protect it like the shop's file. Providers'
credentials in it are encrypted with the data folder's key. For backups, use storefront backup.

With --media DIR, the files of the shop's uploaded images are copied to DIR/UID, except files that exist
there already. With --all, each shop is exported to DIR/UID.jsonl.`,
		Example: `  storefront tenant export acme acme.jsonl
  storefront tenant export acme acme.jsonl --media ./media
  storefront tenant export --all ./exports`,
		ValidArgsFunction: a.completeUID,
		Args: func(cmd *cobra.Command, args []string) error {
			if many.all {
				return arguments{{name: "DIR"}}.check(cmd, args, false)
			}
			return arguments{{name: shopArgument}, {name: "FILE", optional: true}}.check(cmd, args, true)
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			if many.all {
				return a.withShops(cmd, &many, nil, func(t *tenants.Tenants, uids []string) error {
					return a.exportShops(cmd.Context(), t, uids, args[0], images)
				})
			}
			args, err := a.withDefaultShop(cmd, arguments{{name: shopArgument}, {name: "FILE", optional: true}}, args)
			if err != nil {
				return err
			}
			return a.withTenants(cmd.Context(), func(t *tenants.Tenants) error {
				write := func(w io.Writer) error { return t.Export(cmd.Context(), args[0], w) }
				toFile := len(args) > 1 && args[1] != "-"
				if !toFile {
					if err := write(a.Stdout); err != nil {
						return err
					}
				} else if err := replaceFile(args[1], write); err != nil {
					return fmt.Errorf("write %s: %w", args[1], err)
				}
				report := map[string]any{}
				var missing []string
				if images != "" { // after the export, so that the export refers to no newer images
					copied, lost, err := t.ExportImages(cmd.Context(), args[0], images)
					if err != nil {
						return fmt.Errorf("copy images: %w", err)
					}
					missing = lost
					report["images"], report["missingImages"] = copied, missing
				}
				if !toFile {
					return missingImagesError(missing)
				}
				report["file"] = args[1]
				err := a.print(report, func(w *table) { fmt.Fprintf(w, "Wrote %s.\n", args[1]) })
				return errors.Join(err, missingImagesError(missing))
			})
		},
	}
	cmd.Flags().StringVar(&images, "media", "", "folder to which the files of uploaded images are copied")
	many.flags(cmd)
	return cmd
}

// exportedShop is the result of exporting one of several shops.
type exportedShop struct {
	UID           string   `json:"uid"`
	File          string   `json:"file"`
	Images        int      `json:"images"` // that were copied
	MissingImages []string `json:"missingImages"`
}

// exportShops exports shops to files in a folder, and their images to the folder images unless it
// is "".
func (a *app) exportShops(ctx context.Context, t *tenants.Tenants, uids []string, dir, images string) error {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	missing := []string{}
	results, err := eachShop(ctx, a, "exporting", uids, func(uid string) (exportedShop, error) {
		done := exportedShop{UID: uid, File: filepath.Join(dir, uid+".jsonl"), MissingImages: []string{}}
		err := replaceFile(done.File, func(w io.Writer) error { return t.Export(ctx, uid, w) })
		if err == nil && images != "" { // after the export, so that the export refers to no newer images
			done.Images, done.MissingImages, err = t.ExportImages(ctx, uid, images)
			missing = append(missing, done.MissingImages...)
		}
		return done, err
	})
	if err != nil {
		return err
	}
	err = printShops(a, true, results, "exported", func(w *table, done exportedShop) { fmt.Fprintf(w, "Wrote %s.\n", done.File) })
	return errors.Join(err, missingImagesError(missing))
}

// missingImagesError returns an error that lists images with missing or damaged files.
func missingImagesError(ids []string) error {
	if len(ids) == 0 {
		return nil
	}
	return fmt.Errorf("images missing or damaged: %d: %s", len(ids), strings.Join(ids, ", "))
}

func newTenantImportCommand(a *app) *cobra.Command {
	var im tenants.ImportOptions
	var in string
	cmd := &cobra.Command{
		Use:   "import FILE [--as UID]",
		Short: "Create a shop from an export",
		Long: `Create a shop from a file of tenant export with the same schema version. If the import fails, no shop is
created. The data folder must have the key of the exporting one; if that key is lost, use --drop-secrets.

With --as, the shop is imported as another shop, as with restore: suspended, in sandbox mode, with a
new signing key and without API keys.`,
		Example: `  storefront tenant import acme.jsonl
  storefront tenant import acme.jsonl --media ./media`,
		RunE: func(cmd *cobra.Command, args []string) error {
			f, err := os.Open(args[0])
			if err != nil {
				return err
			}
			defer f.Close()
			im.From = f
			place, err := a.parsePlace(in)
			if err != nil {
				return err
			}
			return a.withNewTenants(cmd.Context(), func(t *tenants.Tenants) error {
				done, err := t.Import(tenants.WithPlace(cmd.Context(), place), im)
				if err != nil {
					return a.withRestoreHint(err)
				}
				return a.print(done, func(w *table) { a.printRestored(w, done) })
			})
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&im.As, "as", "", "import as another shop with this UID")
	flags.StringVar(&in, "in", "", placeUsage)
	flags.StringVar(&im.Images, "media", "", "folder with the files of uploaded images that tenant export has copied")
	flags.BoolVar(&im.DropSecrets, "drop-secrets", false, dropSecretsUsage)
	return cmd
}
