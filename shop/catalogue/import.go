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

// ImportOptions change how a file is imported.
type ImportOptions struct {
	DryRun bool // work out the report, write nothing
	// Progress hears how many of total steps are done; each product is looked at and then written.
	// It may be called on another goroutine, while the shop waits: it returns at once. nil: nobody.
	Progress func(done, total int)
	Seed     bool // new products get the ids of [seedID]
}

// ImportReport says what importing a file did, or would do.
type ImportReport struct {
	DryRun             bool     `json:"dryRun"`
	Rows               int      `json:"rows"` // without the header
	Products           int      `json:"products"`
	Created            int      `json:"created"`
	Changed            int      `json:"changed"`
	Unchanged          int      `json:"unchanged"`
	VariantsRemoved    int      `json:"variantsRemoved"`    // not in the rows of their product any more
	CollectionsCreated []string `json:"collectionsCreated"` // titles
	IgnoredColumns     []string `json:"ignoredColumns"`     // as the file's header has them
}

// ImportProducts takes over a product file in Shopify's format: all of it or, where anything in it
// is wrong, nothing; the error is then an [*ImportError] (code validation_failed) that names lines
// and columns.
//
// A product is known by its handle; one that the shop does not have is made, and those that the
// file does not have stay. The rows of a product are all its variants: one that is missing is
// removed (orders keep their own copy). A column that the file lacks leaves things as they are;
// an empty cell empties them, but for Variant Inventory Qty, Variant Low Stock and Published At,
// which it leaves. A quantity sets the stock, whatever was sold since the file was written.
// A collection that the shop does not have is made. What is equal already is not written, so that
// importing what [Shop.ExportProducts] wrote changes nothing.
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
	// What is wrong with single cells is known; holding the rest against the shop finds what else is.
	if err := c.view(ctx, func(ctx context.Context, tx *db.Tx) error { return run.prepare(ctx, tx, problems) }); err != nil {
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

// productImport is one file on its way into the shop.
type productImport struct {
	catalogue *Catalogue
	products  map[*productEdit]*fileProduct
	header    [columnCount]string
	edits     []*productEdit
	step      func(done int)

	report  ImportReport
	changed []*productEdit // those that change something
}

func newProductImport(c *Catalogue, file *productFile, opts ImportOptions) *productImport {
	run := &productImport{catalogue: c, products: make(map[*productEdit]*fileProduct, len(file.products)), header: file.header}
	for _, product := range file.products {
		edit := &productEdit{handle: product.input.Handle, input: func(before *productRow, bad *fault.Invalid) ProductInput {
			return product.merge(&file.has, before, bad)
		}}
		if opts.Seed {
			edit.id = SeedID("product", edit.handle)
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

// prepare does all that needs no lock: it sanitizes, checks, folds and finds out what changes.
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
		settled, err := planEdits(tx, chunk, index, func(edit *productEdit, bad fault.Invalid) {
			for _, field := range bad {
				line, col := run.products[edit].place(field.Field)
				problems.add(line, run.header[col], "%s", field.Message)
			}
		})
		if err != nil {
			return err
		}
		for i, e := range settled {
			run.tally(chunk[i], e)
			done++
			run.step(done)
		}
		if err := ctx.Err(); err != nil {
			return err
		}
	}
	return problems.err()
}

func (run *productImport) tally(edit *productEdit, e plannedEdit) {
	switch {
	case e.before == nil:
		run.report.Created++
	case e.changes():
		run.report.Changed++
		kept := variantIDs(e.want.variants)
		for _, v := range e.before.variants {
			if !slices.Contains(kept, v.id) {
				run.report.VariantsRemoved++
			}
		}
	default:
		run.report.Unchanged++
		return
	}
	run.changed = append(run.changed, edit)
}

// missingCollections gives the titles of those that the file names and the shop has not.
func (run *productImport) missingCollections(index *collectionIndex) []string {
	var missing []string
	seen := map[string]bool{}
	for _, edit := range run.edits {
		product := run.products[edit]
		for _, name := range append(slices.Clip(product.input.Collections), product.joins) {
			if _, ok := index.find(name); !ok && name != "" && !seen[input.FoldKey(name)] {
				seen[input.FoldKey(name)] = true
				missing = append(missing, name)
			}
		}
	}
	return missing
}

// write writes what changes, under the lock. What it finds may be newer than what prepare saw, so
// it settles the changes again, with the slow parts done.
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
	var late fault.Invalid
	settled, err := planEdits(tx, run.changed, index, func(_ *productEdit, bad fault.Invalid) { late = append(late, bad...) })
	if err != nil {
		return err
	}
	if err := late.Err(); err != nil {
		return err
	}
	done := 2*len(run.edits) - len(run.changed)
	return run.catalogue.applyEdits(ctx, tx, settled, movedByImport, func() {
		done++
		run.step(done)
	})
}

// createCollection makes a collection of which only the title is known.
func (cat *Catalogue) createCollection(tx *db.Tx, index *collectionIndex, title string) error {
	position, err := nextCollectionPosition(tx)
	if err != nil {
		return err
	}
	c := collectionRow{id: cat.ids.Next(tx.Now()), title: title, position: position}
	base := input.Slug(title)
	if base == "" {
		base = "collection"
	}
	c.handle = base
	for n := 2; index.byHandle[c.handle] != ""; n++ {
		c.handle = fmt.Sprintf("%s-%d", base, n)
	}
	index.add(c.id, c.handle, input.FoldKey(title))
	if err := insertCollection(tx, c); err != nil {
		return fmt.Errorf("create collection %s: %w", strings.ToValidUTF8(title, ""), err)
	}
	return nil
}

// seedID gives the id of a seeded product or collection. It is the same in every shop, so that the
// examples of documents can name it.
func SeedID(kind, handle string) string {
	sum := sha256.Sum256([]byte(kind + ":" + handle))
	return ulid.ULID(sum[:16]).String()
}
