package cmd

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"storefront/shop"
)

func newProductExportCommand(a *app) *cobra.Command {
	return &cobra.Command{
		Use:   "export UID [FILE.csv]",
		Short: "Export all products as CSV",
		Long: `Export all products, in any status, in the CSV format that product import reads. Without FILE, or with -,
write to the standard output. If a spreadsheet would evaluate a text as a formula, ' is inserted before
it; product import removes it.`,
		Example: `  storefront product export acme products.csv
  storefront product export acme | gzip > products.csv.gz`,
		ValidArgsFunction: a.completeUIDAndFile,
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.withShop(cmd.Context(), args[0], func(s *shop.Shop) error {
				write := func(w io.Writer) error { return s.Catalogue.ExportProducts(cmd.Context(), a.caller(), w) }
				if len(args) == 1 || args[1] == "-" {
					return write(a.Stdout)
				}
				if err := replaceFile(args[1], write); err != nil {
					return fmt.Errorf("write %s: %w", args[1], err)
				}
				return a.print(map[string]string{"file": args[1]}, func(w *table) {
					fmt.Fprintf(w, "Wrote %s.\n", args[1])
				})
			})
		},
	}
}

// replaceFile writes a file atomically: an existing file is replaced once write has succeeded.
func replaceFile(name string, write func(w io.Writer) error) error {
	f, err := os.CreateTemp(filepath.Dir(name), "."+filepath.Base(name)+"-*")
	if err != nil {
		return err
	}
	defer os.Remove(f.Name())
	buffered := bufio.NewWriter(f)
	err = write(buffered)
	if err == nil {
		err = buffered.Flush()
	}
	if err == nil {
		err = f.Sync()
	}
	if err := errors.Join(err, f.Close()); err != nil {
		return err
	}
	return os.Rename(f.Name(), name)
}
