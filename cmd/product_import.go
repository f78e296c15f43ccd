package cmd

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"strings"

	"github.com/schollz/progressbar/v3"
	"github.com/spf13/cobra"

	"storefront/shop"
	"storefront/shop/catalogue"
	"storefront/shop/catalogue/productfile"
)

func newProductImportCommand(a *app) *cobra.Command {
	var opts catalogue.ImportOptions
	cmd := &cobra.Command{
		Use:   "import UID FILE.csv",
		Short: "Import products from a CSV file of Shopify, Matrixify or WooCommerce",
		Long: `Import products from a CSV file that Shopify, Matrixify, WooCommerce or product export has written. The
format is recognized by the header. If any row is invalid, nothing is imported. A value that the shop
cannot store unchanged, such as a weight of 226.8 g, becomes the nearest valid one, and the report has a
note. With --strict, each such value is a problem and nothing is imported.

Products are matched by handle; products that are not in the file stay unchanged. A quantity in the file
sets the stock; an empty one leaves it unchanged. To change prices with an exported file, use
--keep-stock; otherwise the import resets the stock to its level at the time of the export. Only
differences are written: importing an unmodified export changes nothing. Orders are placed while a large
file is imported. If the import is killed, the server completes it or removes its data. A file must not be
larger than 200 MiB. FILE - reads from the standard input.`,
		Example: `  storefront product import acme products.csv --dry-run
  storefront product import acme products.csv
  storefront product import acme products.csv --keep-stock
  storefront product import acme products.csv --strict`,
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
				opts.Progress = bar.set
				report, err := s.Catalogue.ImportProducts(cmd.Context(), a.caller(), file, opts)
				bar.end()
				if err != nil {
					return a.reportImportProblems(name, err)
				}
				return a.print(report, func(w *table) { printImport(w, name, report) })
			})
		},
	}
	cmd.Flags().BoolVar(&opts.DryRun, "dry-run", false, "report the changes without writing them")
	cmd.Flags().BoolVar(&opts.Strict, "strict", false, "reject the file if a value in it would be changed")
	cmd.Flags().BoolVar(&opts.KeepStock, "keep-stock", false, "leave the stock of existing variants unchanged")
	return cmd
}

// openInput opens a file, or the standard input for "-".
func (a *app) openInput(name string) (io.ReadCloser, error) {
	if name == "-" {
		return io.NopCloser(a.Stdin), nil
	}
	return os.Open(name)
}

// reportImportProblems prints the invalid rows, in the format of compilers or as JSON, and returns
// err.
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
	if bad.Partial {
		fmt.Fprintln(a.Stderr, "There are so many problems that the file was not read further.")
	}
	fmt.Fprint(a.Stderr, ignoredText(bad.IgnoredColumns))
	return err
}

// printedNotes limits the notes that are printed as text.
const printedNotes = 100

func printImport(w *table, file string, r *catalogue.ImportReport) {
	for _, note := range r.Notes[:min(len(r.Notes), printedNotes)] {
		fmt.Fprintf(w, "%s:%d: %s: note: %s\n", file, note.Line, printable(note.Column), printable(note.Message))
	}
	total := 0
	for _, n := range r.NoteCounts {
		total += n
	}
	if total > printedNotes {
		fmt.Fprintf(w, "… more notes: %d; --json lists them.\n", total-printedNotes)
	}
	headline := "Imported"
	if r.DryRun {
		headline = "Dry run, nothing written"
	}
	fmt.Fprintf(w, "%s. Rows: %d, products: %d (%d new, %d changed, %d unchanged).\n",
		headline, r.Rows, r.Products, r.Created, r.Changed, r.Unchanged)
	if r.VariantsRemoved > 0 {
		fmt.Fprintf(w, "Variants removed: %d.\n", r.VariantsRemoved)
	}
	if len(r.CollectionsCreated) > 0 {
		fmt.Fprintf(w, "New collections: %s.\n", printable(strings.Join(r.CollectionsCreated, ", ")))
	}
	if total > 0 {
		fmt.Fprintf(w, "Values changed: %s.\n", formatCounts(r.NoteCounts))
	}
	if r.ApostrophesRemoved > 0 {
		fmt.Fprintf(w, "SKUs and barcodes from which the ' before a number was removed: %d.\n", r.ApostrophesRemoved)
	}
	if len(r.RemovedHTML) > 0 {
		fmt.Fprintf(w, "Removed from descriptions: %s.\n", printable(formatCounts(r.RemovedHTML)))
	}
	fmt.Fprint(w, ignoredText(r.IgnoredColumns))
}

// ignoredText returns a line about the unsupported columns of a file, with suggestions for mistyped
// ones.
func ignoredText(columns []string) string {
	if len(columns) == 0 {
		return ""
	}
	texts := make([]string, len(columns))
	for i, name := range columns {
		texts[i] = printable(name)
		if similar, ok := productfile.SimilarColumn(name); ok {
			texts[i] += " (did you mean " + similar + "?)"
		}
	}
	return fmt.Sprintf("Ignored columns: %s.\n", strings.Join(texts, ", "))
}

// formatCounts returns names and their counts, the most frequent first.
func formatCounts[K ~string](counts map[K]int) string {
	names := slices.SortedFunc(maps.Keys(counts), func(a, b K) int {
		return cmp.Or(counts[b]-counts[a], strings.Compare(string(a), string(b)))
	})
	parts := make([]string, len(names))
	for i, name := range names {
		parts[i] = fmt.Sprintf("%s %d", strings.ReplaceAll(string(name), "_", " "), counts[name])
	}
	return strings.Join(parts, ", ")
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
		progressbar.OptionSetSpinnerChangeInterval(0), // the package's own timer reads the bar's state without its lock
	)}
}

// set updates the bar; it may be called on any goroutine. A total of 0 is unknown. Errors of
// drawing are ignored.
func (p progress) set(done, total int) {
	if p.bar != nil {
		if total > 0 {
			p.bar.ChangeMax(total)
		}
		_ = p.bar.Set(done)
	}
}

func (p progress) end() {
	if p.bar != nil {
		_ = p.bar.Finish()
	}
}
