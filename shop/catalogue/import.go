package catalogue

import (
	"context"
	"io"
	"time"

	"storefront/db"
	"storefront/shop/access"
	"storefront/shop/catalogue/productfile"
)

// ImportOptions are the options of [Catalogue.ImportProducts].
type ImportOptions struct {
	DryRun bool // return the report and write nothing
	Strict bool // notes are problems, so nothing is written
	// KeepStock leaves the stock of existing variants unchanged. A quantity in the file applies
	// only to new variants, and to variants without counted stock.
	KeepStock bool
	// Progress, unless nil, is called with the number of steps done of total: each product is
	// checked and then written. total is 0 while the file is read. It may be called on another
	// goroutine while the shop's writer waits, so it must return immediately.
	Progress func(done, total int)
	// Seed derives the IDs of new products from their handles, so that they are the same in every
	// shop, and publishes them at the start of seedYear, so that orders of the past can contain
	// them. All products are written in one transaction.
	Seed bool
}

// seedYear is before the first order of every demo.
const seedYear = 2025

// ImportReport is the result of an import or of a dry run.
type ImportReport struct {
	DryRun             bool     `json:"dryRun"`
	Format             string   `json:"format"` // of the file: shopify or woocommerce
	Rows               int      `json:"rows"`   // without the header
	Products           int      `json:"products"`
	Created            int      `json:"created"`
	Changed            int      `json:"changed"`
	Unchanged          int      `json:"unchanged"`
	VariantsRemoved    int      `json:"variantsRemoved"`                     // the rows of their product lack them
	CollectionsCreated []string `json:"collectionsCreated" nullable:"false"` // their titles
	IgnoredColumns     []string `json:"ignoredColumns" nullable:"false"`     // their names in the header

	// Notes are sorted by line, at most 10,000; NoteCounts includes those that are not listed.
	Notes      []productfile.Note           `json:"notes" nullable:"false"`
	NoteCounts map[productfile.NoteKind]int `json:"noteCounts"`
	// RemovedHTML counts the elements and attributes that were removed from descriptions, because
	// no buyer's browser may run them. Names of attributes are in brackets.
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
func (c *Catalogue) ImportProducts(
	ctx context.Context, caller access.Caller, r io.Reader, opts ImportOptions,
) (*ImportReport, error) {
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
	language, err := c.secondLanguage(ctx)
	if err != nil {
		return nil, err
	}
	file, err := productfile.Limit(r)
	if err != nil {
		return nil, err
	}
	cfg := productfile.Config{
		Currency: currency, Now: c.now().In(zone), Findings: &productfile.Findings{Strict: opts.Strict},
		NoCosts: !who.Permits(access.CostsRead), Language: string(language),
	}
	report, err := c.importProducts(ctx, who, file, cfg, opts)
	if err := file.Err(); err != nil {
		return nil, err
	}
	return report, err
}

func (c *Catalogue) importProducts(
	ctx context.Context, who access.Staff, r *productfile.LimitedReader, cfg productfile.Config, opts ImportOptions,
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
	findings := cfg.Findings
	file, source, err := productfile.Open(r, cfg)
	if err != nil {
		return nil, err
	}
	if source == nil {
		return nil, importError(findings, nil)
	}
	defer source.Close()
	run, err := newProductImport(c, who, file, findings, opts)
	if err != nil {
		return nil, err
	}
	defer run.close()
	if err := run.check(ctx, source); err != nil {
		return nil, err
	}
	if file.Rows == 0 && findings.Total == 0 {
		findings.Add(productfile.Place{Line: 1}, productfile.ProblemFileEmpty, "The file has no rows below its column names.")
	}
	if err := importError(findings, file.Ignored); err != nil {
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
	report.DryRun, report.Format, report.Rows = run.opts.DryRun, file.Format, file.Rows
	report.IgnoredColumns, report.Notes = db.OrEmpty(file.Ignored), found.SortedNotes()
	report.NoteCounts, report.RemovedHTML = found.NoteCounts, found.RemovedHTML
	report.ApostrophesRemoved = found.Apostrophes
	if report.NoteCounts == nil {
		report.NoteCounts = map[productfile.NoteKind]int{}
	}
	if report.RemovedHTML == nil {
		report.RemovedHTML = map[string]int{}
	}
	return &report
}
