package catalogue

import (
	"context"
	"io"
	"io/fs"
	"time"

	"storefront/db"
	"storefront/shop/access"
	"storefront/shop/fault"
)

// ImportOptions are the options of [Catalogue.ImportProducts].
type ImportOptions struct {
	DryRun bool // return the report and write nothing
	Strict bool // notes are problems, so nothing is written
	// KeepStock leaves the stock of existing variants unchanged. A quantity in the file applies only
	// to new variants, and to variants without counted stock.
	KeepStock bool
	// Progress, unless nil, is called with the number of steps done of total: each product is checked
	// and then written. total is 0 while the file is read. It may be called on another goroutine while
	// the shop's writer waits, so it must return immediately.
	Progress func(done, total int)
	// Seed derives the IDs of new products from their handles, so that they are the same in every
	// shop, and publishes them at the start of seedYear, so that orders of the past can contain them.
	// All products are written in one transaction.
	Seed bool
}

// seedYear is before the first order of every demo.
const seedYear = 2025

// The formats of product files. Matrixify's are read as Shopify's.
const (
	FormatShopify     = "shopify"
	FormatWooCommerce = "woocommerce"
)

// ImportReport is the result of an import or of a dry run.
type ImportReport struct {
	DryRun             bool     `json:"dryRun"`
	Format             string   `json:"format"` // of the file: shopify or woocommerce
	Rows               int      `json:"rows"`   // without the header
	Products           int      `json:"products"`
	Created            int      `json:"created"`
	Changed            int      `json:"changed"`
	Unchanged          int      `json:"unchanged"`
	VariantsRemoved    int      `json:"variantsRemoved"`                     // because the rows of their product do not include them
	CollectionsCreated []string `json:"collectionsCreated" nullable:"false"` // their titles
	IgnoredColumns     []string `json:"ignoredColumns" nullable:"false"`     // their names in the header of the file

	Notes      []ImportNote     `json:"notes" nullable:"false"` // sorted by line; at most 10,000
	NoteCounts map[NoteKind]int `json:"noteCounts"`             // including notes that Notes does not list
	// RemovedHTML counts the elements and attributes that were removed from descriptions, because no
	// buyer's browser may run them. Names of attributes are in brackets.
	RemovedHTML map[string]int `json:"removedHtml"`
	// ApostrophesRemoved counts the SKUs and barcodes from which the ' before a number was removed.
	ApostrophesRemoved int `json:"apostrophesRemoved"`
}

// ImportProducts imports a product file of Shopify, Matrixify, WooCommerce or
// [Catalogue.ExportProducts], completely or, if it contains a problem, not at all; the error is
// then an [*ImportError] (code validation_failed) that lists the problems by line and column.
// Values that the shop cannot store unchanged become the nearest valid ones; the report contains a
// note about each.
//
// Products are matched by handle: missing ones are created, and those that the file does not
// mention are unchanged. The rows of a product list all its variants: others are removed (orders
// have their own copy). A column that the file lacks leaves its field unchanged; an empty cell
// empties the field, except for Variant Inventory Qty, Variant Low Stock and Published At, which it
// leaves unchanged. A quantity sets the stock, regardless of sales since the file was written. The
// column of costs is ignored, and reported so, if the caller may not view costs: such a caller
// cannot know what a cell replaces. Missing collections are created. Unchanged products are not
// written, so importing the output of [Catalogue.ExportProducts] changes nothing.
//
// A large file is written in slices between which orders are placed. Its new products are hidden
// until all are written, and what it changes is stored first. Then the import is committed: all new
// products become visible at once, and the changes are applied, each product's as a whole; nothing
// ends that but its completion. The shop has one import at a time: another one waits for a few
// seconds and is then rejected (code state_conflict).
func (c *Catalogue) ImportProducts(ctx context.Context, caller access.Caller, r io.Reader, opts ImportOptions) (*ImportReport, error) {
	who, err := c.data.Authorize(ctx, caller, access.ToImportProducts)
	if err != nil {
		return nil, err
	}
	currency, err := c.currency(ctx)
	if err != nil {
		return nil, err
	}
	zone, err := c.timeZone(ctx)
	if err != nil {
		return nil, err
	}
	file, err := limitProductFile(r)
	if err != nil {
		return nil, err
	}
	cfg := importConfig{
		currency: currency, now: c.now().In(zone), findings: &importFindings{strict: opts.Strict},
		noCosts: !who.Permits(access.CostsRead),
	}
	report, err := c.importProducts(ctx, who, file, cfg, opts)
	if file.exceeded {
		return nil, errProductFileSize()
	}
	return report, err
}

// MaxProductFile is the maximum size of a product file, in bytes.
const MaxProductFile = 200 << 20

func errProductFileSize() error {
	return fault.Errorf(fault.CodeValidationFailed, "The file must not be larger than %d MiB. Split it and import the parts.", MaxProductFile>>20)
}

// productFileReader reads at most MaxProductFile bytes.
type productFileReader struct {
	io.LimitedReader
	exceeded bool
}

// limitProductFile returns an error if r is a file that is too large.
func limitProductFile(r io.Reader) (*productFileReader, error) {
	if f, ok := r.(fs.File); ok {
		if info, err := f.Stat(); err == nil && info.Size() > MaxProductFile {
			return nil, errProductFileSize()
		}
	}
	return &productFileReader{LimitedReader: io.LimitedReader{R: r, N: MaxProductFile + 1}}, nil
}

func (r *productFileReader) Read(p []byte) (int, error) {
	n, err := r.LimitedReader.Read(p)
	if r.N <= 0 {
		r.exceeded = true
		return n, errProductFileSize()
	}
	return n, err
}

func (c *Catalogue) importProducts(
	ctx context.Context, who access.Staff, r io.Reader, cfg importConfig, opts ImportOptions,
) (*ImportReport, error) {
	if !opts.DryRun {
		unlock, err := c.lockImports(ctx, importWait)
		if err != nil {
			return nil, err
		}
		defer unlock()
		if _, err := c.endAbandonedImport(ctx, time.Time{}); err != nil {
			return nil, err
		}
	}
	findings := cfg.findings
	file, source, err := openProductFile(r, cfg)
	if err != nil {
		return nil, err
	}
	if source == nil {
		return nil, findings.err()
	}
	defer source.close()
	findings.ignored = file.ignored
	run, err := newProductImport(c, who, file, findings, opts)
	if err != nil {
		return nil, err
	}
	defer run.close()
	if err := run.check(ctx, source); err != nil {
		return nil, err
	}
	if err := findings.err(); err != nil {
		return nil, err
	}
	if !opts.DryRun {
		if err := run.write(ctx); err != nil {
			return nil, err
		}
	}
	return run.finish(), nil
}

// finish completes the report.
func (run *productImport) finish() *ImportReport {
	report, file, found := run.report, run.file, run.findings
	report.DryRun, report.Format, report.Rows, report.IgnoredColumns = run.opts.DryRun, file.format, file.rows, db.OrEmpty(file.ignored)
	report.Notes, report.NoteCounts, report.RemovedHTML = db.OrEmpty(found.sortedNotes()), found.noteCounts, found.removedHTML
	report.ApostrophesRemoved = found.apostrophes
	if report.NoteCounts == nil {
		report.NoteCounts = map[NoteKind]int{}
	}
	if report.RemovedHTML == nil {
		report.RemovedHTML = map[string]int{}
	}
	return &report
}
