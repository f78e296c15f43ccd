package catalogue

import (
	"context"
	"fmt"
	"slices"

	"storefront/db"
	"storefront/shop/access"
	"storefront/shop/fault"
	"storefront/shop/outbox"
	"storefront/shop/plan"
)

// MovementReason is why the stock of a variant has changed.
//
//api:enum MovementReason
type MovementReason string

// The reasons of stock movements.
const (
	MovedByImport     MovementReason = "import"     // an import
	MovedByAdjustment MovementReason = "adjustment" // staff have counted or corrected it
	MovedByOrder      MovementReason = "order"      // an order was placed
	MovedByCancel     MovementReason = "cancel"     // an order was cancelled
	MovedByExpiry     MovementReason = "expiry"     // an order has expired
	MovedByReturn     MovementReason = "return"     // an order came back
	MovedByEdit       MovementReason = "edit"       // staff have changed the items of an order
	// Goods came back and are not fit for sale. The movement does not name the order, so that the
	// order's own movements sum to zero.
	MovedByDamage MovementReason = "damaged"
)

// productEdit is one product to be saved. It is planned twice: without the write lock, and again
// under it.
type productEdit struct {
	handle   string
	id       string                                                    // of a new product; empty means generated
	input    func(before *productRow, bad *fault.Invalid) ProductInput // may depend on before, which is nil for a new product
	prepared *productRow                                               // result of the first plan
	onlyNew  bool                                                      // leave an existing product unchanged
}

// plannedEdit is an edit compared with the existing product.
type plannedEdit struct {
	before *productRow // nil means a new product
	want   *productRow
}

func (e plannedEdit) changes() bool { return e.before == nil || !e.want.equal(e.before) }

// changesStock reports whether the edit changes a variant's stock or, of an existing variant, its
// low-stock threshold.
func (e plannedEdit) changesStock() bool {
	return slices.ContainsFunc(e.want.variants, func(v variantRow) bool {
		if e.before != nil {
			for _, old := range e.before.variants {
				if old.id == v.id {
					return old.stock != v.stock || old.lowStock != v.lowStock
				}
			}
		}
		return v.stock != 0
	})
}

// requireStock checks that the caller may change stock if the edits do. Codes: forbidden.
func requireStock(tx *db.Tx, who access.Staff, planned []plannedEdit) error {
	if !slices.ContainsFunc(planned, plannedEdit.changesStock) {
		return nil
	}
	return who.Require(tx, access.StockWrite)
}

// references finds the records that a product refers to.
type references struct {
	collections *collectionIndex
	media       func(id string) *mediaRow // nil if the library has no such image
}

// planEdits compares each edit with its product and calls reject for edits with invalid fields.
func planEdits(tx *db.Tx, edits []*productEdit, index *collectionIndex, reject func(*productEdit, fault.Invalid)) ([]plannedEdit, error) {
	handles := make([]string, len(edits))
	for i, edit := range edits {
		handles[i] = edit.handle
	}
	ids, err := findProductIDs(tx, handles)
	if err != nil {
		return nil, err
	}
	var found error
	refs := references{index, mediaFinder(tx, &found)}
	planned := make([]plannedEdit, 0, len(edits))
	for chunk := range slices.Chunk(edits, db.MaxList) {
		existing := make([]string, 0, len(chunk))
		for _, edit := range chunk {
			if id, ok := ids[edit.handle]; ok {
				existing = append(existing, id)
			}
		}
		rows, err := findProductRows(tx, existing)
		if err == nil {
			err = loadTranslations(tx, rows)
		}
		if err != nil {
			return nil, err
		}
		before := make(map[string]*productRow, len(rows))
		for _, row := range rows {
			before[row.handle] = row
		}
		for _, edit := range chunk {
			var bad fault.Invalid
			planned = append(planned, edit.plan(before[edit.handle], refs, db.Millis(tx.Now()), &bad))
			if len(bad) > 0 {
				reject(edit, bad)
			}
		}
	}
	return planned, found
}

func (e *productEdit) plan(before *productRow, refs references, now int64, bad *fault.Invalid) plannedEdit {
	if e.onlyNew && before != nil {
		return plannedEdit{before, before}
	}
	in := e.input(before, bad)
	in.Handle = e.handle
	if e.prepared != nil && !in.sanitized {
		in.DescriptionHTML, in.sanitized = e.prepared.descriptionHTML, true
	}
	want := in.row(before, refs, now, bad)
	if before == nil {
		want.id = e.id
	}
	if e.prepared == nil {
		if before == nil || !want.sameSearch(before) {
			want.foldedDescription()
		}
		e.prepared = want
	} else if want.descriptionHTML == e.prepared.descriptionHTML {
		want.folded = e.prepared.folded
	}
	return plannedEdit{before, want}
}

// applyEdits writes the changes with their events, and sets the IDs of new rows. It calls step
// after each edit.
func (c *Catalogue) applyEdits(ctx context.Context, tx *db.Tx, planned []plannedEdit, reason MovementReason, step func()) error {
	events, err := c.writeEdits(ctx, tx, planned, reason, nil, step)
	if err != nil {
		return err
	}
	return outbox.Append(tx, events...)
}

// writeEdits is applyEdits without storing the events, which it returns. words are the words of
// earlier calls; nil means none.
func (c *Catalogue) writeEdits(
	ctx context.Context, tx *db.Tx, planned []plannedEdit, reason MovementReason, words *wordSet, step func(),
) (events []outbox.Event, err error) {
	created := 0
	for _, e := range planned {
		if e.before == nil {
			created++
		}
	}
	if created > 0 {
		if err := plan.Check(tx, plan.Products, int64(created)); err != nil {
			return nil, err
		}
	}
	if words == nil {
		words = &wordSet{}
	}
	number, err := reserveProductNumbers(tx, created)
	if err != nil {
		return nil, err
	}
	for _, e := range planned {
		if e.changes() {
			if e.before == nil {
				number++
				e.want.number = number
			}
			w := productWriter{tx: tx, ids: c.ids, before: e.before, want: e.want, reason: reason, words: words}
			if err := w.write(); err != nil {
				return nil, fmt.Errorf("save product %s: %w", e.want.handle, err)
			}
			events = append(events, e.events()...)
		}
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		step()
	}
	return events, nil
}

// events returns the events of a written edit, for the outbox.
func (e plannedEdit) events() []outbox.Event {
	if e.before == nil {
		return []outbox.Event{{Type: outbox.ProductCreated, Subject: e.want.id}}
	}
	events := []outbox.Event{{Type: outbox.ProductUpdated, Subject: e.want.id, Data: outbox.Data{Costs: e.before.changesCosts(e.want)}}}
	for i := range e.want.variants {
		after := &e.want.variants[i]
		if at := slices.IndexFunc(e.before.variants, func(v variantRow) bool { return v.id == after.id }); at >= 0 {
			events = append(events, stockEvents(&e.before.variants[at], after)...)
		}
	}
	return events
}

// changesCosts reports whether a change of the product changes or removes the shop's cost of a
// variant.
func (p *productRow) changesCosts(after *productRow) bool {
	return slices.ContainsFunc(p.variants, func(was variantRow) bool {
		at := slices.IndexFunc(after.variants, func(v variantRow) bool { return v.id == was.id })
		if at < 0 {
			return was.cost != nil
		}
		return !equalPtr(was.cost, after.variants[at].cost)
	})
}

// equal reports whether p and q have the same stored content.
func (p *productRow) equal(q *productRow) bool {
	return p.sameFields(q) && p.translations.Equal(q.translations) && slices.Equal(p.tags, q.tags) && slices.Equal(p.collections, q.collections) &&
		slices.EqualFunc(p.images, q.images, imageRow.equal) && slices.EqualFunc(p.variants, q.variants, variantRow.equal)
}

func (p *productRow) sameFields(q *productRow) bool {
	return p.handle == q.handle && p.status == q.status && p.title == q.title && p.descriptionHTML == q.descriptionHTML &&
		p.vendor == q.vendor && p.kind == q.kind && slices.Equal(p.options, q.options) &&
		p.seoTitle == q.seoTitle && p.seoDescription == q.seoDescription && p.metadata == q.metadata &&
		p.price == q.price && p.priceMax == q.priceMax && p.onSale == q.onSale && slices.Equal(p.quantityPrices, q.quantityPrices) &&
		equalPtr(p.publishedAt, q.publishedAt)
}

func (i imageRow) equal(j imageRow) bool {
	return i.id == j.id && i.url == j.url && i.alt == j.alt && equalPtr(i.width, j.width) && equalPtr(i.height, j.height)
}

func (v variantRow) equal(w variantRow) bool {
	if !equalPtr(v.compareAtPrice, w.compareAtPrice) || !equalPtr(v.imageID, w.imageID) || !equalPtr(v.cost, w.cost) {
		return false
	}
	v.compareAtPrice, v.imageID, v.cost = w.compareAtPrice, w.imageID, w.cost
	return v == w
}

// equalPtr reports whether a and b are both nil or point to equal values.
func equalPtr[T comparable](a, b *T) bool {
	if a == nil || b == nil {
		return a == b
	}
	return *a == *b
}
