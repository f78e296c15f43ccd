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
	"storefront/shop/access"
	"storefront/shop/catalogue"
)

func newProductImportCommand(a *app) *cobra.Command {
	var dryRun bool
	cmd := &cobra.Command{
		Use:   "import UID FILE.csv",
		Short: "Import products from a CSV file in Shopify's format",
		Long: `Import products from a CSV file in Shopify's format. If any row is invalid, nothing is imported.

Products are matched by handle; those that are not in the file stay unchanged. A quantity in the file
sets the stock; an empty one leaves it unchanged. To change prices by an exported file, remove its
column Variant Inventory Qty, or the import resets the stock to its level at the time of the export.
Only differences are written: importing an unmodified export changes nothing. FILE - reads from the
standard input.`,
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
				report, err := s.Catalogue.ImportProducts(cmd.Context(), access.Operator(), file, catalogue.ImportOptions{DryRun: dryRun, Progress: bar.set})
				bar.end()
				if err != nil {
					return a.reportImportProblems(name, err)
				}
				return a.print(report, func(w io.Writer) { printImport(w, report) })
			})
		},
	}
	cmd.Flags().BoolVar(&dryRun, "dry-run", false, "report the changes without writing them")
	return cmd
}

// openInput opens a file, or the standard input for "-".
func (a *app) openInput(name string) (io.ReadCloser, error) {
	if name == "-" {
		return io.NopCloser(a.Stdin), nil
	}
	return os.Open(name)
}

// reportImportProblems prints the invalid rows, in the format of compilers or as JSON, and returns err.
func (a *app) reportImportProblems(file string, err error) error {
	bad, ok := errors.AsType[*catalogue.ImportError](err)
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

func printImport(w io.Writer, r *catalogue.ImportReport) {
	headline := "Imported"
	if r.DryRun {
		headline = "Dry run, nothing written"
	}
	fmt.Fprintf(w, "%s: %d products in %d rows: %d new, %d changed, %d unchanged.\n",
		headline, r.Products, r.Rows, r.Created, r.Changed, r.Unchanged)
	if r.VariantsRemoved > 0 {
		fmt.Fprintf(w, "Variants removed: %d.\n", r.VariantsRemoved)
	}
	if len(r.CollectionsCreated) > 0 {
		fmt.Fprintf(w, "New collections: %s.\n", printable(strings.Join(r.CollectionsCreated, ", ")))
	}
	if len(r.IgnoredColumns) > 0 {
		fmt.Fprintf(w, "Ignored unknown columns: %s.\n", printable(strings.Join(r.IgnoredColumns, ", ")))
	}
}

// progress is a progress bar on stderr.
type progress struct {
	bar *progressbar.ProgressBar // nil if stderr is not a terminal
}

// progress returns a progress bar with a description such as "importing".
func (a *app) progress(description string) progress {
	if !terminal(a.Stderr) {
		return progress{}
	}
	return progress{progressbar.NewOptions(-1,
		progressbar.OptionSetWriter(a.Stderr),
		progressbar.OptionSetDescription(description),
		progressbar.OptionShowCount(),
		progressbar.OptionClearOnFinish(),
	)}
}

// set updates the bar; it may be called on any goroutine. Errors of drawing are ignored.
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
