package catalogue

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"storefront/db"
	"storefront/shop/access"
	"storefront/shop/fault"
	"storefront/shop/input"
	"storefront/shop/money"
	"storefront/shop/outbox"
)

// ProductChange is a change of some fields of a product. Nil fields are unchanged.
type ProductChange struct {
	Title    *string
	Status   *ProductStatus // active also publishes a product that is not published
	Variants []VariantChange
	// Images replaces all images. Variants whose image is not among them have none. nil means
	// unchanged.
	Images []ImageInput
	// Check is called with the product before the change, in its transaction; an error prevents the
	// change. nil means that it is not called.
	Check func(ProductRecord) error
}

// VariantChange is a change of some fields of a variant. Nil fields are unchanged.
type VariantChange struct {
	Variant        string // SKU or ID; may be empty if the product has one variant
	Price          *int64 // minor units
	CompareAtPrice *int64 // minor units; 0 means none
	Stock          *int64 // units in stock; the variant must be tracked
}

// FindProductRecord returns the product with this handle or ID, of any status, published or not.
// Codes: not_found, state_conflict (an import that creates it is under way).
func (c *Catalogue) FindProductRecord(ctx context.Context, caller access.Caller, product string) (*ProductRecord, error) {
	who, err := c.authorize(ctx, caller, access.ToFindProductRecord)
	if err != nil {
		return nil, err
	}
	shown, err := c.display(ctx)
	if err != nil {
		return nil, err
	}
	var row *productRow
	err = c.viewAs(ctx, who, func(ctx context.Context, tx *db.Tx) (err error) {
		row, err = findAnyProduct(tx, product)
		return err
	})
	if err != nil {
		return nil, err
	}
	return new(row.record(shown)), nil
}

// UpdateProduct changes the fields of the product with this handle or ID that change sets. Changed
// stock is recorded as a movement, and requires the permission for it. Nothing is written if the
// content is the same. Codes: validation_failed, not_found, state_conflict (an import that creates
// it is under way), change.Check's.
func (c *Catalogue) UpdateProduct(ctx context.Context, caller access.Caller, product string, change ProductChange) (*ProductRecord, error) {
	who, err := c.authorize(ctx, caller, access.ToUpdateProduct)
	if err != nil {
		return nil, err
	}
	shown, err := c.display(ctx)
	if err != nil {
		return nil, err
	}
	var row *productRow
	err = c.updateAs(ctx, who, func(ctx context.Context, tx *db.Tx) error {
		before, err := findAnyProduct(tx, product)
		if err != nil {
			return err
		}
		if err := access.Accept(change.Check, before.record(shown)); err != nil {
			return err
		}
		var failure error
		want, stock, err := change.apply(before, mediaFinder(tx, &failure), db.Millis(tx.Now()))
		if err = errors.Join(failure, err); err != nil {
			return err
		}
		edit := plannedEdit{before, want}
		if err := c.applyEdits(ctx, tx, []plannedEdit{edit}, MovedByAdjustment, func() {}); err != nil {
			return err
		}
		changes := edit.audited()
		for i, v := range want.variants {
			n, ok := stock[v.id]
			if !ok || v.tracked && n == v.stock {
				continue
			}
			if err := who.Require(tx, access.StockWrite); err != nil {
				return err
			}
			level, err := findStock(tx, v.id)
			if err != nil {
				return err
			}
			before := level.stock
			if err := c.changeStock(tx, level, StockChange{Set: &n}); err != nil {
				return err
			}
			changes = append(changes, access.Changed(fmt.Sprintf("variants[%d].stock", i), before, n)...)
		}
		if len(changes) > 0 {
			if err := who.Audit(tx, want.subject(), changes...); err != nil {
				return err
			}
		}
		row, err = findAnyProduct(tx, want.id)
		return err
	})
	if err != nil {
		return nil, err
	}
	return new(row.record(shown)), nil
}

// apply returns the changed product, and the new stock of variants by their IDs.
func (change *ProductChange) apply(
	before *productRow, media func(id string) *mediaRow, now int64,
) (want *productRow, stock map[string]int64, err error) {
	copied := *before
	want, stock = &copied, map[string]int64{}
	want.variants = slices.Clone(before.variants)
	var bad fault.Invalid
	if change.Title != nil {
		want.title = cleanLine(*change.Title)
	}
	if change.Status != nil {
		want.status = *change.Status
		if want.status == ProductActive && want.publishedAt == nil {
			want.publishedAt = &now
		}
	}
	want.check(&bad)
	if change.Images != nil {
		want.images = nil
		want.setImages(&ProductInput{Images: change.Images}, before, media, &bad)
		want.dropVariantImages()
	}
	for i, v := range change.Variants {
		at := fmt.Sprintf("variants[%d]", i)
		variant := want.findVariant(v.Variant, at, &bad)
		if variant == nil {
			continue
		}
		if v.Price != nil {
			variant.price = *v.Price
		}
		switch {
		case v.CompareAtPrice == nil:
		case *v.CompareAtPrice == 0:
			variant.compareAtPrice = nil
		default:
			variant.compareAtPrice = v.CompareAtPrice
		}
		if v.Stock != nil {
			stock[variant.id] = *v.Stock
			checkCount(&bad, at+".stock", *v.Stock, -maxCount)
		}
		if !money.IsAmount(variant.price) || variant.compareAtPrice != nil && !money.IsAmount(*variant.compareAtPrice) {
			bad.Add(at+".price", fault.CodeInvalidValue, "Must be an amount that is not negative.")
		}
	}
	want.setPriceRange()
	return want, stock, bad.Err()
}

// dropVariantImages removes the images of variants that are not among those of the product.
func (p *productRow) dropVariantImages() {
	for i := range p.variants {
		v := &p.variants[i]
		if v.imageID != nil && !slices.ContainsFunc(p.images, func(image imageRow) bool { return image.id == *v.imageID }) {
			v.imageID = nil
		}
	}
}

// findVariant returns the variant with this SKU or ID, or the only one if name is empty. It returns
// nil and adds to bad if there is none, or several.
func (p *productRow) findVariant(name, at string, bad *fault.Invalid) *variantRow {
	if name == "" && len(p.variants) > 1 {
		bad.Add(at+".variant", fault.CodeRequired, "The product has %d variants: name one by its SKU or ID.", len(p.variants))
		return nil
	}
	var found *variantRow
	for i := range p.variants {
		v := &p.variants[i]
		if name != "" && v.id != name && v.sku != cleanLine(name) {
			continue
		}
		if found != nil {
			bad.Add(at+".variant", fault.CodeInvalidValue, "Several variants have the SKU %s: name one by its ID.", input.Cut(cleanLine(name), maxLine))
			return nil
		}
		found = v
	}
	if found == nil {
		bad.Add(at+".variant", fault.CodeInvalidValue, "The product has no variant %s.", input.Cut(cleanLine(name), maxLine))
	}
	return found
}

// DeleteProduct removes the product with this handle or ID, with its variants and their stock
// history. Orders of it are not affected: they have copies of what was bought. Codes: not_found,
// state_conflict (an import that creates it is under way).
func (c *Catalogue) DeleteProduct(ctx context.Context, caller access.Caller, product string) error {
	return c.DeleteProductIf(ctx, caller, product, nil)
}

// DeleteProductIf is [Catalogue.DeleteProduct] on condition that check accepts the product; nil
// accepts any. Codes: those of DeleteProduct, and check's.
func (c *Catalogue) DeleteProductIf(ctx context.Context, caller access.Caller, product string, check func(ProductRecord) error) error {
	who, err := c.authorize(ctx, caller, access.ToDeleteProduct)
	if err != nil {
		return err
	}
	shown, err := c.display(ctx)
	if err != nil {
		return err
	}
	return c.updateAs(ctx, who, func(ctx context.Context, tx *db.Tx) error {
		row, err := findAnyProduct(tx, product)
		if err != nil {
			return err
		}
		if err := access.Accept(check, row.record(shown)); err != nil {
			return err
		}
		if err := deleteProduct(tx, row); err != nil {
			return err
		}
		if err := outbox.Append(tx, outbox.Event{Type: outbox.ProductDeleted, Subject: row.id}); err != nil {
			return err
		}
		return who.Audit(tx, row.subject())
	})
}

// findAnyProduct returns the product with this handle or ID, of any status. Codes: not_found,
// state_conflict (it is hidden).
func findAnyProduct(tx *db.Tx, name string) (*productRow, error) {
	handle := CleanHandle(name)
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
		return nil, fault.Errorf(fault.CodeNotFound, "The product %q does not exist.", input.Cut(cleanLine(name), maxLine))
	}
	if !isHandle { // by its ID even a hidden product is found
		_, err = findProductIDs(tx, []string{rows[0].handle})
	}
	return rows[0], err
}
