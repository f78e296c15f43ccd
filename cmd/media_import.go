package cmd

import (
	"fmt"

	"github.com/spf13/cobra"

	"storefront/shop"
	"storefront/shop/catalogue"
)

// mediaImport is the result of the command media import.
type mediaImport struct {
	Imported int                       `json:"imported"`
	Failed   int                       `json:"failed"`
	Images   []catalogue.ImportedImage `json:"images"`
}

func newMediaImportCommand(a *app) *cobra.Command {
	var in catalogue.MediaImport
	cmd := &cobra.Command{
		Use:   "import UID",
		Short: "Store products' images from other hosts as your own",
		Long: `Download the images that a shop's products show from other hosts, store them as uploaded images, and let
the products show these instead. Images are downloaded over https only, and not from private addresses
unless --private-providers allows it. The limits of uploads apply.

If an image cannot be imported, it is listed with the reason, the product is left unchanged, and the
command fails. Run it again to retry the remaining images.`,
		Example: `  storefront media import acme --dry-run
  storefront media import acme --product red-panjabi`,
		ValidArgsFunction: a.completeUID,
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.withShop(cmd.Context(), args[0], func(s *shop.Shop) error {
				result := mediaImport{Images: []catalogue.ImportedImage{}}
				in.Report = func(i catalogue.ImportedImage) {
					result.add(i)
					if !a.json {
						fmt.Fprintln(a.Stdout, importedLine(i))
					}
				}
				_, err := s.Catalogue.ImportMedia(cmd.Context(), a.caller(), in)
				if err != nil && len(result.Images) == 0 {
					return err
				}
				printed := a.print(result, func(w *table) { fmt.Fprintln(w, result.summary(in.DryRun)) })
				switch {
				case err != nil:
					return err
				case printed == nil && result.Failed > 0:
					return fmt.Errorf("images not imported: %d of %d", result.Failed, len(result.Images))
				}
				return printed
			})
		},
	}
	flags := cmd.Flags()
	flags.BoolVar(&in.DryRun, "dry-run", false, "only list the images")
	flags.StringVar(&in.Product, "product", "", "only the images of the product with this handle or ID")
	return cmd
}

func (m *mediaImport) add(i catalogue.ImportedImage) {
	m.Images = append(m.Images, i)
	switch {
	case i.Code != nil:
		m.Failed++
	case i.Media != nil:
		m.Imported++
	}
}

func (m *mediaImport) summary(dryRun bool) string {
	switch {
	case len(m.Images) == 0:
		return "No product shows an image of another host."
	case dryRun:
		return fmt.Sprintf("Images to import: %d.", len(m.Images))
	}
	return fmt.Sprintf("Images imported: %d of %d.", m.Imported, len(m.Images))
}

// importedLine describes the result of an image.
func importedLine(i catalogue.ImportedImage) string {
	line := printable(i.Title + ": " + i.URL)
	switch {
	case i.Code != nil:
		line += " – " + printable(*i.Message)
	case i.Media != nil:
		line += " – " + *i.Media
	}
	return line
}
