package catalogue

import (
	"context"
	"fmt"
	"strings"
	"time"

	"storefront/db"
	"storefront/shop/access"
	"storefront/shop/catalogue/productfile"
	"storefront/shop/fault"
	"storefront/shop/input"
	"storefront/shop/sequence"
	"storefront/shop/translation"
)

// productImport is the import of one file.
type productImport struct {
	catalogue *Catalogue
	who       access.Staff
	file      *productfile.File
	findings  *productfile.Findings
	opts      ImportOptions
	report    ImportReport

	index          *collectionIndex // of the shop, and newCollections
	newCollections []collectionRow  // in the order of the file, without handles
	ids            idRange          // of new products and collections
	spool          *importSpool     // the edits to write; nil for a dry run
	planned        int              // products checked
	notedStock     bool             // a note reports missing quantities
}

func newProductImport(
	c *Catalogue,
	who access.Staff,
	file *productfile.File,
	findings *productfile.Findings,
	opts ImportOptions,
) (*productImport, error) {
	run := &productImport{
		catalogue: c, who: who, file: file, findings: findings, opts: opts,
		report: ImportReport{CollectionsCreated: []string{}},
	}
	var err error
	if run.ids, err = newIDRange(c.ids, c.now()); err != nil {
		return nil, err
	}
	if opts.DryRun {
		return run, nil
	}
	if run.spool, err = newImportSpool(); err != nil {
		return nil, err
	}
	return run, nil
}

func (run *productImport) close() {
	if run.spool != nil {
		run.spool.close()
	}
}

func (run *productImport) step(done, total int) {
	if run.opts.Progress != nil {
		run.opts.Progress(done, total)
	}
}

// The products that are planned together are limited by their number and by the size of their
// texts.
const (
	checkedAtOnce      = db.MaxList
	checkedAtOnceBytes = 4 << 20
)

// check reads the whole file, compares its products with the shop's, and spools the edits. It does
// the work without a write lock: it sanitizes, checks, folds and finds the changes.
func (run *productImport) check(ctx context.Context, source productfile.Source) error {
	err := run.catalogue.data.ViewMany(ctx, func(_ context.Context, tx *db.Tx) (err error) {
		run.index, err = findCollectionIndex(tx)
		return err
	})
	if err != nil {
		return err
	}
	var chunk []*fileProduct
	size := 0
	pace := newPace()
	for {
		product, err := source.Next()
		if err != nil {
			return err
		}
		if run.findings.Full() {
			break
		}
		if product != nil {
			chunk = append(chunk, &fileProduct{Product: *product, KeepStock: run.opts.KeepStock})
			size += len(product.DescriptionHTML)
		}
		if len(chunk) > 0 &&
			(product == nil || len(chunk) == checkedAtOnce || size > checkedAtOnceBytes) {
			if err := run.checkChunk(ctx, chunk); err != nil {
				return err
			}
			clear(chunk)
			chunk, size = chunk[:0], 0
			if err := pace.rest(ctx); err != nil {
				return err
			}
		}
		if product == nil {
			break
		}
	}
	run.report.Products = run.planned
	run.step(run.planned, 2*run.planned)
	return nil
}

func (run *productImport) checkChunk(ctx context.Context, chunk []*fileProduct) error {
	edits := make([]*productEdit, len(chunk))
	byEdit := make(map[*productEdit]*fileProduct, len(chunk))
	for i, product := range chunk {
		run.addMissingCollections(product)
		if product.Translations != nil {
			product.Translations = translation.Clean(product.Translations)
		}
		edits[i] = run.edit(product, run.note)
		byEdit[edits[i]] = product
	}
	var planned []plannedEdit
	type rejection struct {
		product *fileProduct
		field   fault.FieldError
	}
	var rejected []rejection
	err := run.catalogue.data.ViewMany(ctx, func(_ context.Context, tx *db.Tx) (err error) {
		rejected = nil
		planned, err = planEdits(tx, edits, run.index, func(edit *productEdit, bad fault.Invalid) {
			for _, field := range bad {
				rejected = append(rejected, rejection{byEdit[edit], field})
			}
		})
		if err != nil {
			return err
		}
		if err := run.who.Check(tx); err != nil {
			return err
		}
		return requireStock(tx, run.who, planned)
	})
	if err != nil {
		return err
	}
	for _, r := range rejected {
		at := run.file.Place(&r.product.Product, r.field.Field)
		run.findings.Add(at, productfile.ProblemCode(r.field.Code), "%s", r.field.Message)
	}
	for i, e := range planned {
		if run.file.Has[productfile.ColBody] {
			run.findings.CountRemovedHTML(chunk[i].DescriptionHTML, e.want.descriptionHTML)
		}
		run.count(e)
		if e.changes() && run.spool != nil && run.findings.Total == 0 {
			if err := run.spool.add(chunk[i], e, &run.file.Has); err != nil {
				return err
			}
		}
		run.planned++
		run.step(run.planned, 0)
	}
	return nil
}

// note adds a note of merging a product with the shop's.
func (run *productImport) note(
	line int, c productfile.Column, kind productfile.NoteKind, format string, args ...any,
) {
	if kind == productfile.NoteStockMissing {
		if run.notedStock {
			return
		}
		run.notedStock = true
	}
	run.findings.Note(
		productfile.Place{Line: line, Column: run.file.Name(c)},
		kind,
		format,
		args...)
}

// edit returns the edit that saves a product of the file.
func (run *productImport) edit(product *fileProduct, note noteFunc) *productEdit {
	edit := product.edit(&run.file.Has, note)
	if run.opts.Seed {
		edit.id, edit.onlyNew = seedID("product", edit.handle), true
		product.PublishedAt = new(time.Date(seedYear, time.January, 1, 0, 0, 0, 0, time.UTC))
	}
	return edit
}

func (run *productImport) count(e plannedEdit) {
	switch {
	case e.before == nil:
		run.report.Created++
	case e.changes():
		run.report.Changed++
		remaining := map[string]bool{}
		for _, id := range variantIDs(e.want.variants) {
			remaining[id] = true
		}
		for _, v := range e.before.variants {
			if !remaining[v.id] {
				run.report.VariantsRemoved++
			}
		}
	default:
		run.report.Unchanged++
	}
}

// addMissingCollections adds the collections of a product that the shop lacks to the index.
func (run *productImport) addMissingCollections(product *fileProduct) {
	for _, name := range product.AllCollections() {
		if _, ok := run.index.find(name); ok {
			continue
		}
		if len(run.newCollections) == productfile.MaxCollections {
			run.findings.Add(run.file.Place(&product.Product, "collections"),
				productfile.ProblemCode(fault.CodeInvalidValue),
				"A file must have at most 10,000 collections that the shop does not have. "+
					"Split it and import the parts.")
			return
		}
		row := collectionRow{id: run.ids.next(), title: name}
		run.newCollections = append(run.newCollections, row)
		run.report.CollectionsCreated = append(run.report.CollectionsCreated, name)
		run.index.add(row.id, "", input.FoldKey(name))
	}
}

// idRange is a range of IDs that only one import uses: the IDs with its prefix.
type idRange struct {
	prefix string
	used   int
}

const idRangeDigits = 8 // 2^40 IDs

// newIDRange returns a new range of ULIDs of the time at. Its prefix is random, because other ULIDs
// of one source and the same millisecond are close to each other.
func newIDRange(ids *sequence.Source, at time.Time) (idRange, error) {
	code, err := ids.Code(idRangeDigits)
	if err != nil {
		return idRange{}, fmt.Errorf("generate IDs: %w", err)
	}
	id := ids.Next(at)
	return idRange{prefix: id[:len(id)-2*idRangeDigits] + code}, nil
}

func (r *idRange) next() string {
	var digits [idRangeDigits]byte
	n := r.used
	for i := len(digits) - 1; i >= 0; i-- {
		digits[i] = sequence.Crockford[n%len(sequence.Crockford)]
		n /= len(sequence.Crockford)
	}
	r.used++
	return r.prefix + string(digits[:])
}

func (r *idRange) first() string { return r.prefix + strings.Repeat("0", idRangeDigits) }
func (r *idRange) last() string  { return r.prefix + strings.Repeat("Z", idRangeDigits) }
