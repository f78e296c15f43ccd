package catalogue

import (
	"context"
	"crypto/sha256"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/oklog/ulid/v2"

	"storefront/db"
	"storefront/shop/access"
	"storefront/shop/fault"
	"storefront/shop/input"
)

// ImportOptions are the options of [Catalogue.ImportProducts].
type ImportOptions struct {
	DryRun bool // return the report and write nothing
	// Progress, unless nil, is called with the number of steps done of total: each product is
	// checked and then written. It may be called on another goroutine while the shop's writer
	// waits, so it must return at once.
	Progress func(done, total int)
	// Seed derives the IDs of new products from their handles, so that they are the same in every
	// shop.
	Seed bool
}

// ImportReport is the result of an import or of a dry run.
type ImportReport struct {
	DryRun             bool     `json:"dryRun"`
	Rows               int      `json:"rows"` // without the header
	Products           int      `json:"products"`
	Created            int      `json:"created"`
	Changed            int      `json:"changed"`
	Unchanged          int      `json:"unchanged"`
	VariantsRemoved    int      `json:"variantsRemoved"`    // because the rows of their product do not include them
	CollectionsCreated []string `json:"collectionsCreated"` // their titles
	IgnoredColumns     []string `json:"ignoredColumns"`     // their names in the header of the file
}

// ImportProducts imports a product file in Shopify's CSV format, completely or, if it contains a
// problem, not at all; the error is then an [*ImportError] (code validation_failed) that lists the
// problems by line and column.
//
// Products are matched by handle: missing ones are created, and those that the file does not
// mention are unchanged. The rows of a product list all its variants: others are removed (orders
// have their own copy). A column that the file lacks leaves its field unchanged; an empty cell
// empties the field, except for Variant Inventory Qty, Variant Low Stock and Published At, which it
// leaves unchanged. A quantity sets the stock, regardless of sales since the file was written.
// Missing collections are created. Unchanged products are not written, so importing the output of
// [Catalogue.ExportProducts] changes nothing.
func (c *Catalogue) ImportProducts(ctx context.Context, caller access.Caller, r io.Reader, opts ImportOptions) (*ImportReport, error) {
	if err := c.authorize(ctx, caller); err != nil {
		return nil, err
	}
	currency, err := c.currency(ctx)
	if err != nil {
		return nil, err
	}
	var problems importProblems
	file, err := parseProductFile(r, currency, &problems)
	if err != nil {
		return nil, err
	}
	run := newProductImport(c, file, opts)
	// The problems of single cells are in problems; comparing with the shop adds the others.
	if err := c.viewMany(ctx, func(ctx context.Context, tx *db.Tx) error { return run.prepare(ctx, tx, problems) }); err != nil {
		return nil, err
	}
	report := run.report
	report.DryRun, report.Rows, report.IgnoredColumns = opts.DryRun, file.rows, db.OrEmpty(file.ignored)
	if len(run.changed) == 0 || opts.DryRun {
		return &report, nil
	}
	if err := c.updateAlone(ctx, run.write); err != nil {
		return nil, fmt.Errorf("import products: %w", err)
	}
	return &report, nil
}

// productImport is the import of one file.
type productImport struct {
	catalogue *Catalogue
	products  map[*productEdit]*fileProduct
	header    [columnCount]string
	edits     []*productEdit
	step      func(done int)

	report  ImportReport
	changed []*productEdit // the edits that create or change a product
}

func newProductImport(c *Catalogue, file *productFile, opts ImportOptions) *productImport {
	run := &productImport{catalogue: c, products: make(map[*productEdit]*fileProduct, len(file.products)), header: file.header}
	for _, product := range file.products {
		edit := &productEdit{handle: product.input.Handle, input: func(before *productRow, bad *fault.Invalid) ProductInput {
			return product.merge(&file.has, before, bad)
		}}
		if opts.Seed {
			edit.id = seedID("product", edit.handle)
		}
		run.edits = append(run.edits, edit)
		run.products[edit] = product
	}
	run.step = func(done int) {
		if opts.Progress != nil {
			opts.Progress(done, 2*len(run.edits))
		}
	}
	return run
}

// prepare does the work that needs no write lock: it sanitizes, checks, folds and finds the changes.
func (run *productImport) prepare(ctx context.Context, tx *db.Tx, problems importProblems) error {
	problems.found = slices.Clone(problems.found)
	run.report = ImportReport{Products: len(run.edits), CollectionsCreated: []string{}}
	run.changed = nil
	index, err := findCollectionIndex(tx)
	if err != nil {
		return err
	}
	for _, title := range run.missingCollections(index) {
		run.report.CollectionsCreated = append(run.report.CollectionsCreated, title)
		index.add("new:"+title, "", input.FoldKey(title))
	}
	done := 0
	for chunk := range slices.Chunk(run.edits, db.MaxList) {
		planned, err := planEdits(tx, chunk, index, func(edit *productEdit, bad fault.Invalid) {
			for _, field := range bad {
				line, col := run.products[edit].locate(field.Field)
				problems.add(line, run.header[col], "%s", field.Message)
			}
		})
		if err != nil {
			return err
		}
		for i, e := range planned {
			run.count(chunk[i], e)
			done++
			run.step(done)
		}
		if err := ctx.Err(); err != nil {
			return err
		}
	}
	return problems.err()
}

func (run *productImport) count(edit *productEdit, e plannedEdit) {
	switch {
	case e.before == nil:
		run.report.Created++
	case e.changes():
		run.report.Changed++
		remaining := variantIDs(e.want.variants)
		for _, v := range e.before.variants {
			if !slices.Contains(remaining, v.id) {
				run.report.VariantsRemoved++
			}
		}
	default:
		run.report.Unchanged++
		return
	}
	run.changed = append(run.changed, edit)
}

// missingCollections returns the titles of the collections in the file that the shop does not have.
func (run *productImport) missingCollections(index *collectionIndex) []string {
	var missing []string
	seen := map[string]bool{}
	for _, edit := range run.edits {
		product := run.products[edit]
		for _, name := range append(slices.Clip(product.input.Collections), product.addTo) {
			if _, ok := index.find(name); !ok && name != "" && !seen[input.FoldKey(name)] {
				seen[input.FoldKey(name)] = true
				missing = append(missing, name)
			}
		}
	}
	return missing
}

// write writes the changes under the write lock. Products may have changed since prepare, so it
// plans the edits again; the slow parts are done.
func (run *productImport) write(ctx context.Context, tx *db.Tx) error {
	index, err := findCollectionIndex(tx)
	if err != nil {
		return err
	}
	for _, title := range run.missingCollections(index) {
		if err := run.catalogue.createCollection(tx, index, title); err != nil {
			return err
		}
	}
	var invalid fault.Invalid
	planned, err := planEdits(tx, run.changed, index, func(_ *productEdit, bad fault.Invalid) { invalid = append(invalid, bad...) })
	if err != nil {
		return err
	}
	if err := invalid.Err(); err != nil {
		return err
	}
	done := 2*len(run.edits) - len(run.changed)
	return run.catalogue.applyEdits(ctx, tx, planned, reasonImport, func() {
		done++
		run.step(done)
	})
}

// createCollection creates a collection with this title and adds it to the index.
func (c *Catalogue) createCollection(tx *db.Tx, index *collectionIndex, title string) error {
	position, err := nextCollectionPosition(tx)
	if err != nil {
		return err
	}
	row := collectionRow{id: c.ids.Next(tx.Now()), title: title, position: position}
	base := input.Slug(title)
	if base == "" {
		base = "collection"
	}
	row.handle = base
	for n := 2; index.byHandle[row.handle] != ""; n++ {
		row.handle = fmt.Sprintf("%s-%d", base, n)
	}
	index.add(row.id, row.handle, input.FoldKey(title))
	if err := insertCollection(tx, row); err != nil {
		return fmt.Errorf("create collection %s: %w", strings.ToValidUTF8(title, ""), err)
	}
	return nil
}

// seedID returns the ID of a seeded product or collection. It is the same in every shop, so that
// examples in the documentation can use it.
func seedID(kind, handle string) string {
	sum := sha256.Sum256([]byte(kind + ":" + handle))
	return ulid.ULID(sum[:16]).String()
}
