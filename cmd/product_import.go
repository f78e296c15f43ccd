package cmd

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/schollz/progressbar/v3"
	"github.com/spf13/cobra"

	"storefront/shop"
)

func newProductImportCommand(a *app) *cobra.Command {
	var dryRun bool
	cmd := &cobra.Command{
		Use:   "import UID FILE.csv",
		Short: "Take over a product file in Shopify's format, all of it or nothing",
		Long: `Take over a product file in Shopify's format: all of it, or nothing where a row is wrong.

A product is known by its handle; those that the file does not have stay as they are. A quantity in
the file sets the stock, an empty one leaves it: take the column Variant Inventory Qty out of a file
that was exported to change prices, or what was sold since then comes back. What is equal already is
not written, so that the file that product export wrote changes nothing. FILE - is the standard input.`,
		Example: `  storefront product import acme products.csv --dry-run
  storefront product import acme products.csv`,
		Args:              cobra.ExactArgs(2),
		ValidArgsFunction: a.completeUIDAndFile,
		RunE: func(cmd *cobra.Command, args []string) error {
			uid, name := args[0], args[1]
			return a.withShop(cmd.Context(), uid, func(s *shop.Shop) error {
				file, err := a.openInput(name)
				if err != nil {
					return err
				}
				defer file.Close()
				bar := a.progress("importing")
				report, err := s.ImportProducts(cmd.Context(), file, shop.ImportOptions{DryRun: dryRun, Progress: bar.set})
				bar.end()
				if err != nil {
					return a.importFailure(name, err)
				}
				return a.print(report, func(w io.Writer) { printImport(w, report) })
			})
		},
	}
	cmd.Flags().BoolVar(&dryRun, "dry-run", false, "say what would change, and change nothing")
	return cmd
}

// openInput opens a file, or the standard input for "-".
func (a *app) openInput(name string) (io.ReadCloser, error) {
	if name == "-" {
		return io.NopCloser(a.Stdin), nil
	}
	return os.Open(name)
}

// importFailure names the bad rows: to people as compilers do, to programs as JSON.
func (a *app) importFailure(file string, err error) error {
	bad, ok := errors.AsType[*shop.ImportError](err)
	if !ok {
		return err
	}
	if a.json {
		return errors.Join(err, a.print(map[string]any{"problems": bad.Problems, "total": bad.Total}, nil))
	}
	for _, p := range bad.Problems {
		place := fmt.Sprintf("%s:%d", file, p.Line)
		if p.Column != "" {
			place += ": " + printable(p.Column)
		}
		fmt.Fprintf(a.Stderr, "%s: %s\n", place, printable(p.Message))
	}
	if more := bad.Total - len(bad.Problems); more > 0 {
		fmt.Fprintf(a.Stderr, "… and %d more\n", more)
	}
	return err
}

func printImport(w io.Writer, r *shop.ImportReport) {
	done := "Imported"
	if r.DryRun {
		done = "Nothing was written. It would be"
	}
	fmt.Fprintf(w, "%s: %d products in %d rows: %d new, %d changed, %d as they were.\n",
		done, r.Products, r.Rows, r.Created, r.Changed, r.Unchanged)
	if r.VariantsRemoved > 0 {
		fmt.Fprintf(w, "Variants removed: %d.\n", r.VariantsRemoved)
	}
	if len(r.CollectionsCreated) > 0 {
		fmt.Fprintf(w, "New collections: %s.\n", printable(strings.Join(r.CollectionsCreated, ", ")))
	}
	if len(r.IgnoredColumns) > 0 {
		fmt.Fprintf(w, "Columns not known here, ignored: %s.\n", printable(strings.Join(r.IgnoredColumns, ", ")))
	}
}

// progress shows how far a long command is, to a person.
type progress struct {
	bar *progressbar.ProgressBar // nil: nobody watches
}

func (a *app) progress(doing string) progress {
	if !terminal(a.Stderr) {
		return progress{}
	}
	return progress{progressbar.NewOptions(-1,
		progressbar.OptionSetWriter(a.Stderr),
		progressbar.OptionSetDescription(doing),
		progressbar.OptionShowCount(),
		progressbar.OptionClearOnFinish(),
	)}
}

// set is safe on any goroutine. What it can not draw is no reason to stop the work.
func (p progress) set(done, total int) {
	if p.bar != nil {
		p.bar.ChangeMax(total)
		_ = p.bar.Set(done)
	}
}

func (p progress) end() {
	if p.bar != nil {
		_ = p.bar.Finish()
	}
}
