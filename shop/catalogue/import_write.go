package catalogue

import (
	"cmp"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"time"

	"github.com/oklog/ulid/v2"

	"storefront/db"
	"storefront/shop/access"
	"storefront/shop/catalogue/productfile"
	"storefront/shop/fault"
	"storefront/shop/input"
)

const (
	// maxDirect is how many new or changed products an import writes in one transaction. If there
	// are more, they are staged before.
	maxDirect = 500
	// cleanupTime limits ending an import that failed.
	cleanupTime = time.Minute
)

// newSlices returns the slices of an import.
func newSlices() *db.Slices {
	return &db.Slices{
		Time: 60 * time.Millisecond, Pause: 30 * time.Millisecond, Min: 5, Max: db.MaxList,
	}
}

// write writes the spooled products.
func (run *productImport) write(ctx context.Context) error {
	created, changed := run.spool.created.records, run.spool.changed.records
	if created+changed == 0 {
		return nil
	}
	w := &importWriter{productImport: run, done: 2*run.planned - created - changed}
	var err error
	if run.opts.Seed || created <= maxDirect && changed <= maxDirect {
		err = w.writeDirect(ctx)
	} else {
		err = w.writeStaged(ctx)
	}
	var invalid *fault.Error
	if err == nil || errors.As(err, &invalid) {
		return err
	}
	return fmt.Errorf("import products: %w", err)
}

// importWriter writes the spooled products of an import.
type importWriter struct {
	*productImport
	stored int     // changes in import_changes
	words  wordSet // of the products that were staged
	done   int     // steps of 2*planned
}

func (w *importWriter) progress(done int) { w.step(done, 2*w.planned) }

// writeDirect writes all products in one transaction.
func (w *importWriter) writeDirect(ctx context.Context) error {
	var edits []*productEdit
	for _, f := range []*spoolFile{&w.spool.created, &w.spool.changed} {
		records, err := f.rewind()
		if err != nil {
			return err
		}
		read, err := w.readEdits(records, f.records)
		if err != nil {
			return err
		}
		for _, e := range read {
			edits = append(edits, e.productEdit)
		}
	}
	return w.catalogue.data.UpdateAlone(ctx, func(ctx context.Context, tx *db.Tx) error {
		if err := w.createCollections(tx); err != nil {
			return err
		}
		planned, err := w.plan(tx, edits)
		if err != nil {
			return err
		}
		if err := w.catalogue.applyEdits(ctx, tx, planned, MovedByImport, w.steps()); err != nil {
			return err
		}
		return w.audit(tx)
	})
}

func (w *importWriter) audit(tx *db.Tx) error {
	return w.who.Audit(tx, access.Subject{Kind: access.SubjectProducts},
		access.Set("created", w.report.Created), access.Set("changed", w.report.Changed))
}

// steps returns a function that reports one more step each time, without counting it: a transaction
// may run twice.
func (w *importWriter) steps() func() {
	done := w.done
	return func() {
		done++
		w.progress(done)
	}
}

// writeStaged writes the products in slices between which others can write. First it writes the new
// products, hidden, and stores the changes of existing ones. Then it commits the import and applies
// these.
func (w *importWriter) writeStaged(ctx context.Context) error {
	err := w.stage(ctx)
	applied := false
	if err == nil {
		applied, err = w.commit(ctx)
	}
	if err != nil {
		clean, cancel := context.WithTimeout(context.WithoutCancel(ctx), cleanupTime)
		defer cancel()
		// The rest stays hidden until the next import removes it.
		_, removed := w.catalogue.endAbandonedImport(clean, time.Time{})
		return errors.Join(err, removed)
	}
	if applied {
		return nil
	}
	// A committed import is not cancelled.
	if err := w.catalogue.applyChanges(context.WithoutCancel(ctx), w.applied); err != nil {
		return fmt.Errorf("the server, or else the next import, applies the remaining changes: %w", err)
	}
	return nil
}

func (w *importWriter) stage(ctx context.Context) error {
	err := w.catalogue.data.UpdateAlone(ctx, func(_ context.Context, tx *db.Tx) error {
		tx.SkipContentVersion()
		if err := beginImport(tx, &w.ids, &w.file.Has); err != nil {
			return err
		}
		return w.createCollections(tx)
	})
	if err == nil {
		err = w.stageSlices(ctx, &w.spool.created, w.stageCreated)
	}
	if err == nil {
		err = w.stageSlices(ctx, &w.spool.changed, w.stageChanged)
	}
	return err
}

// stageFunc stages a slice, and returns how long it held the write lock.
type stageFunc func(ctx context.Context, edits []spooledEdit) (held time.Duration, err error)

// stageSlices calls stage with the edits of a spool, slice by slice.
func (w *importWriter) stageSlices(ctx context.Context, f *spoolFile, stage stageFunc) error {
	records, err := f.rewind()
	if err != nil {
		return err
	}
	for slices := newSlices(); ; {
		edits, err := w.readEdits(records, slices.Size())
		if err != nil {
			return err
		}
		if len(edits) == 0 {
			return nil
		}
		held, err := stage(ctx, edits)
		if err != nil {
			return err
		}
		if err := slices.Next(ctx, held); err != nil {
			return err
		}
	}
}

// updateSlice is updateAlone for a slice of an import that is not committed.
func (w *importWriter) updateSlice(
	ctx context.Context, fn func(ctx context.Context, tx *db.Tx) error,
) (held time.Duration, err error) {
	err = w.catalogue.data.UpdateAlone(ctx, func(ctx context.Context, tx *db.Tx) error {
		began := time.Now()
		tx.SkipContentVersion()
		err := checkImport(tx, w.ids.first(), false)
		if err == nil {
			err = fn(ctx, tx)
		}
		held = time.Since(began)
		return err
	})
	return held, err
}

// stageCreated writes new products, hidden. A product that somebody else has created since is
// changed when the import is committed.
func (w *importWriter) stageCreated(
	ctx context.Context, edits []spooledEdit,
) (held time.Duration, err error) {
	all := make([]*productEdit, len(edits))
	for i, edit := range edits {
		edit.id = w.ids.next()
		all[i] = edit.productEdit
	}
	var late []spooledEdit
	held, err = w.updateSlice(ctx, func(ctx context.Context, tx *db.Tx) error {
		late = nil
		w.words.begin()
		planned, err := w.plan(tx, all)
		if err != nil {
			return err
		}
		fresh := make([]plannedEdit, 0, len(planned))
		for i, e := range planned {
			if e.before != nil {
				late = append(late, edits[i])
				continue
			}
			fresh = append(fresh, e)
		}
		// Their events follow when the import is committed: until then nobody sees the products.
		if _, err := w.catalogue.writeEdits(ctx, tx, fresh, MovedByImport, &w.words, w.steps()); err != nil {
			return err
		}
		return insertChanges(tx, w.stored, late)
	})
	if err == nil {
		w.words.commit()
		w.stored += len(late)
		w.done += len(edits) - len(late)
	}
	return held, err
}

// stageChanged stores the changes of existing products.
func (w *importWriter) stageChanged(
	ctx context.Context, edits []spooledEdit,
) (held time.Duration, err error) {
	held, err = w.updateSlice(ctx,
		func(_ context.Context, tx *db.Tx) error { return insertChanges(tx, w.stored, edits) })
	if err == nil {
		w.stored += len(edits)
	}
	return held, err
}

// plan plans edits under the write lock. They are valid unless the shop has been changed since.
func (w *importWriter) plan(tx *db.Tx, edits []*productEdit) ([]plannedEdit, error) {
	var invalid fault.Invalid
	planned, err := planEdits(tx, edits, w.index,
		func(_ *productEdit, bad fault.Invalid) { invalid = append(invalid, bad...) })
	if err == nil {
		err = invalid.Err()
	}
	return planned, err
}

// commit commits the import. It applies the changes in the same transaction if they are few.
func (w *importWriter) commit(ctx context.Context) (applied bool, err error) {
	var slice changeSlice
	err = w.catalogue.data.UpdateAlone(ctx, func(ctx context.Context, tx *db.Tx) (err error) {
		if err := commitImport(tx, &w.ids); err != nil {
			return err
		}
		if err := w.audit(tx); err != nil {
			return err
		}
		if w.stored <= maxDirect {
			slice, err = w.catalogue.applySlice(ctx, tx, &importRow{first: w.ids.first(), has: w.file.Has},
				maxDirect)
		}
		return err
	})
	if err == nil {
		w.applied(slice)
	}
	return slice.last, err
}

// applied reports the progress after a slice, and the products that it has skipped.
func (w *importWriter) applied(slice changeSlice) {
	w.done += slice.products
	w.progress(w.done)
	for _, s := range slice.skipped {
		w.report.Changed--
		w.findings.AddNote(w.file.Place(&s.product.Product, s.bad[0].Field), productfile.NoteRowSkipped,
			"The product %s stays as it was changed while the import was under way: %s", s.product.Handle,
			s.bad[0].Message)
	}
}

// createCollections creates the collections that the shop still lacks.
func (w *importWriter) createCollections(tx *db.Tx) error {
	index, err := findCollectionIndex(tx)
	if err != nil {
		return err
	}
	for _, row := range w.newCollections {
		if _, ok := index.find(row.title); ok { // created since
			continue
		}
		if err := w.catalogue.createCollection(tx, index, row); err != nil {
			return err
		}
	}
	w.index = index
	return nil
}

// createCollection creates a collection with the ID and title of row and adds it to the index.
func (c *Catalogue) createCollection(tx *db.Tx, index *collectionIndex, row collectionRow) error {
	position, err := nextCollectionPosition(tx)
	if err != nil {
		return err
	}
	base := cmp.Or(input.Slug(row.title), input.ScriptSlug(row.title), "collection")
	row.position, row.handle = position, base
	for n := 2; ; n++ {
		exists, err := collectionHandleExists(tx, row.handle)
		if err != nil {
			return err
		}
		if !exists {
			break
		}
		row.handle = fmt.Sprintf("%s-%d", base, n)
	}
	index.add(row.id, row.handle, input.FoldKey(row.title))
	if err := insertCollection(tx, row); err != nil {
		return fmt.Errorf("create collection %s: %w", row.title, err)
	}
	return nil
}

// seedID returns the ID of a seeded product or collection. It is the same in every shop, so that
// examples in the documentation can use it.
func seedID(kind, handle string) string {
	sum := sha256.Sum256([]byte(kind + ":" + handle))
	return ulid.ULID(sum[:16]).String()
}
