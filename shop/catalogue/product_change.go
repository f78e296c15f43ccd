package catalogue

import (
	"context"
	"time"

	"storefront/db"
	"storefront/shop/access"
	"storefront/shop/fault"
	"storefront/shop/input"
)

// ProductChange is a change of some fields of a product. Nil fields are unchanged.
type ProductChange struct {
	Title           *string
	Handle          *string        // buyers still find the product at the earlier one; empty means derived from the title
	DescriptionHTML *string        // sanitized when saved
	Status          *ProductStatus // active also publishes a product that is not published
	PublishedAt     *time.Time     // the zero time means that it is not published
	Vendor          *string
	Type            *string
	SEOTitle        *string
	SEODescription  *string
	Metadata        map[string]any // empty removes all
	Tags            []string       // replaces all; empty removes them
	Collections     []string       // handles, titles or IDs; replaces all
	Options         []string       // names; replaces all
	QuantityPrices  QuantityPrices // replaces all; empty removes them
	Variants        []VariantChange
	// ReplaceVariants means that Variants are all variants of the product, in this order: others are
	// removed, and variants without a match are new.
	ReplaceVariants bool
	// AddTags, RemoveTags, AddCollections, RemoveCollections (handles, titles or IDs) and Reprice
	// change the existing values, instead of Tags, Collections and Variants.
	AddTags           []string
	RemoveTags        []string
	AddCollections    []string
	RemoveCollections []string
	Reprice           *PriceChange
	// Images replaces all images. A variant loses an image that is not among them.
	Images []ImageInput
	// Check is called with the product before the change, in its transaction; an error prevents the
	// change. nil means that it is not called.
	Check func(ProductRecord) error
}

// VariantChange is a change of some fields of a variant. Nil fields are unchanged.
type VariantChange struct {
	Variant        string   // SKU or ID; may be empty if the product has one variant
	Options        []string // values
	SKU            *string
	Barcode        *string
	Price          *int64 // minor units
	CompareAtPrice *int64 // minor units; 0 means none
	Cost           *int64 // minor units
	NoCost         bool   // the cost is unknown, instead of Cost
	WeightGrams    *int
	Image          *ImageInput // the zero value means none
	Tracked        *bool
	Backorder      *bool
	Stock          *int64 // units in stock; the variant must be tracked
	LowStock       *int
}

// FindProductRecord returns the product with this handle or ID, of any status, published or not.
// Codes: not_found, state_conflict (an import that creates it is under way).
func (c *Catalogue) FindProductRecord(ctx context.Context, caller access.Caller, product string) (*ProductRecord, error) {
	shown, err := c.display(ctx)
	if err != nil {
		return nil, err
	}
	return access.Read(ctx, c.data, caller, access.ToFindProductRecord, func(tx *db.Tx, who access.Staff) (*ProductRecord, error) {
		row, err := findAnyProduct(tx, product)
		if err != nil {
			return nil, err
		}
		return new(row.record(who, shown)), nil
	})
}

// UpdateProduct changes the fields of the product with this handle or ID that change sets. Changed
// stock is recorded as a movement, and requires the permission for it. Nothing is written if the
// content is the same. Codes: validation_failed, forbidden (it changes stock, or sets a cost that
// the caller may not view), not_found, state_conflict (an import that creates it is under way),
// change.Check's.
func (c *Catalogue) UpdateProduct(ctx context.Context, caller access.Caller, product string, change ProductChange) (*ProductRecord, error) {
	who, err := c.data.Authorize(ctx, caller, access.ToUpdateProduct)
	if err != nil {
		return nil, err
	}
	shown, err := c.display(ctx)
	if err != nil {
		return nil, err
	}
	change.sanitize()
	var row *productRow
	err = c.data.UpdateAs(ctx, who, func(ctx context.Context, tx *db.Tx) error {
		before, err := findAnyProduct(tx, product)
		if err != nil {
			return err
		}
		if err := access.Accept(change.Check, before.record(who, shown)); err != nil {
			return err
		}
		if err := change.keepCosts(tx, who); err != nil {
			return err
		}
		edit, err := change.plan(tx, before)
		if err != nil {
			return err
		}
		if err := c.saveEdit(ctx, tx, who, edit); err != nil {
			return err
		}
		row, err = findAnyProduct(tx, before.id)
		return err
	})
	if err != nil {
		return nil, err
	}
	return new(row.record(who, shown)), nil
}

// keepCosts leaves the costs of the variants unchanged for a caller who may not view them: such a
// caller reads null, and may send it back. Codes: forbidden (a cost is set).
func (change *ProductChange) keepCosts(tx *db.Tx, who access.Staff) error {
	if who.Permits(access.CostsRead) {
		return nil
	}
	for i := range change.Variants {
		if change.Variants[i].Cost != nil {
			return who.Require(tx, access.CostsRead)
		}
		change.Variants[i].NoCost = false
	}
	return nil
}

// saveEdit writes the change of one product with its events and its entry in the audit log, unless
// the content is the same. Codes: forbidden (it changes stock).
func (c *Catalogue) saveEdit(ctx context.Context, tx *db.Tx, who access.Staff, edit plannedEdit) error {
	if !edit.changes() {
		return nil
	}
	if err := requireStock(tx, who, []plannedEdit{edit}); err != nil {
		return err
	}
	if err := c.applyEdits(ctx, tx, []plannedEdit{edit}, MovedByAdjustment, func() {}); err != nil {
		return err
	}
	return who.Audit(tx, edit.want.subject(), edit.audited()...)
}

// plan returns the product before and after the change. Codes: validation_failed, state_conflict.
func (change *ProductChange) plan(tx *db.Tx, before *productRow) (plannedEdit, error) {
	var bad fault.Invalid
	in := change.merge(before, &bad)
	var refs references
	var failure, err error
	refs.media = mediaFinder(tx, &failure)
	if in.Collections != nil || len(change.AddCollections) > 0 || len(change.RemoveCollections) > 0 {
		if refs.collections, err = findCollectionIndex(tx); err != nil {
			return plannedEdit{}, err
		}
		change.mergeCollections(&in, before, refs.collections)
	}
	want := in.row(before, refs, db.Millis(tx.Now()), &bad)
	if change.Metadata == nil {
		want.metadata = before.metadata
	}
	if failure != nil {
		return plannedEdit{}, failure
	}
	if want.handle != before.handle && len(bad) == 0 {
		if err := rejectTakenHandle(tx, want.handle, &bad); err != nil {
			return plannedEdit{}, err
		}
	}
	return plannedEdit{before, want}, bad.Err()
}

// rejectTakenHandle adds to bad if a product has the handle. Codes: state_conflict (a hidden one).
func rejectTakenHandle(tx *db.Tx, handle string, bad *fault.Invalid) error {
	ids, err := findProductIDs(tx, []string{handle})
	if err == nil && ids[handle] != "" {
		bad.Add("handle", fault.CodeInvalidValue, "Another product has the handle %s.", handle)
	}
	return err
}

// findAnyProduct returns the product with this handle or ID, of any status. Codes: not_found,
// state_conflict (it is hidden).
func findAnyProduct(tx *db.Tx, name string) (*productRow, error) {
	handle := input.CleanHandle(name)
	ids, err := findProductIDs(tx, []string{handle})
	if err != nil {
		return nil, err
	}
	id, isHandle := ids[handle]
	if !isHandle {
		id = name
	}
	rows, err := findProductRows(tx, []string{id})
	if err != nil {
		return nil, err
	}
	if len(rows) == 0 {
		return nil, fault.Errorf(fault.CodeNotFound, "The product %q does not exist.", input.Cut(input.CleanLine(name), maxLine))
	}
	if !isHandle { // an ID finds even a hidden product
		_, err = findProductIDs(tx, []string{rows[0].handle})
	}
	return rows[0], err
}
