package catalogue

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"storefront/db"
	"storefront/shop/access"
	"storefront/shop/catalogue/productfile"
	"storefront/shop/fault"
	"storefront/shop/input"
	"storefront/shop/translation"
)

// CreateProduct creates a product. Without a handle it derives one from the title that no product
// has or had. Codes: validation_failed, forbidden (the stock or the cost of a variant is set),
// state_conflict (an import creates a product with the handle).
func (c *Catalogue) CreateProduct(ctx context.Context, caller access.Caller, in ProductInput) (*ProductRecord, error) {
	who, err := c.data.Authorize(ctx, caller, access.ToCreateProduct)
	if err != nil {
		return nil, err
	}
	shown, err := c.display(ctx)
	if err != nil {
		return nil, err
	}
	in.DescriptionHTML, in.sanitized = cleanHTML(in.DescriptionHTML, ""), true
	var row *productRow
	err = c.data.UpdateAs(ctx, who, func(ctx context.Context, tx *db.Tx) (err error) {
		if slices.ContainsFunc(in.Variants, func(v VariantInput) bool { return v.Cost != nil }) {
			if err := who.Require(tx, access.CostsRead); err != nil {
				return err
			}
		}
		row, err = c.createProduct(ctx, tx, who, in)
		return err
	})
	if err != nil {
		return nil, err
	}
	return new(row.record(who, shown)), nil
}

// DuplicateProduct creates a draft with the content of the product with this handle or ID. It has
// no stock, and neither SKU nor barcode, since these identify one variant of a shop. Codes:
// validation_failed (its title has no room for the addition), not_found, state_conflict (an import
// that creates it is under way).
func (c *Catalogue) DuplicateProduct(ctx context.Context, caller access.Caller, product string) (*ProductRecord, error) {
	who, err := c.data.Authorize(ctx, caller, access.ToDuplicateProduct)
	if err != nil {
		return nil, err
	}
	shown, err := c.display(ctx)
	if err != nil {
		return nil, err
	}
	var row *productRow
	err = c.data.UpdateAs(ctx, who, func(ctx context.Context, tx *db.Tx) error {
		original, err := findAnyProduct(tx, product)
		if err != nil {
			return err
		}
		if err = loadTranslations(tx, []*productRow{original}); err != nil {
			return err
		}
		row, err = c.createProduct(ctx, tx, who, original.duplicate())
		return err
	})
	if err != nil {
		return nil, err
	}
	return new(row.record(who, shown)), nil
}

// duplicate returns the content of a duplicate of the product.
func (p *productRow) duplicate() ProductInput {
	in := p.input()
	in.Handle, in.Title, in.Status = "", shortenLine(p.title, len(copySuffix))+copySuffix, ProductDraft
	in.Hidden, in.PublishedAt = true, nil
	in.Collections = append([]string{}, p.collections...)
	in.QuantityPrices = p.quantityPrices.effective(p.price)
	in.Translations = p.translations
	for language, texts := range p.translations {
		if title := texts[fieldTitle]; title != "" {
			in.Translations = in.Translations.With(language, translation.Texts{fieldTitle: shortenLine(title, len(copySuffix)) + copySuffix})
		}
	}
	for i, image := range p.images {
		in.Images[i] = image.input()
		in.Translations = in.Translations.Rename(image.altText(), productfile.AltField+image.url)
	}
	for i, old := range p.variants {
		v := &in.Variants[i]
		v.ID, v.SKU, v.Barcode, v.Stock, v.LowStock = "", "", "", nil, new(int(old.lowStock))
		if image := p.imageOf(&old); image != nil {
			v.Image = new(image.input())
		}
	}
	return in
}

// copySuffix is added to the title of a duplicate.
const copySuffix = " (copy)"

// shortenLine returns text with room for a number of further characters.
func shortenLine(text string, room int) string {
	if characters := []rune(text); len(characters) > maxLine-room {
		return strings.TrimSpace(string(characters[:maxLine-room]))
	}
	return text
}

// imageOf returns the image of a variant, or nil.
func (p *productRow) imageOf(v *variantRow) *imageRow {
	if v.imageID == nil {
		return nil
	}
	return p.imageByID(*v.imageID)
}

// createProduct creates a product with its events and its entry in the audit log.
func (c *Catalogue) createProduct(ctx context.Context, tx *db.Tx, who access.Staff, in ProductInput) (*productRow, error) {
	var bad fault.Invalid
	in.Handle = input.CleanHandle(in.Handle)
	title := input.CleanLine(in.Title)
	if base := cmp.Or(input.Slug(title), input.ScriptSlug(title)); in.Handle == "" && base != "" {
		handle, err := findFreeHandle(tx, base)
		if err != nil {
			return nil, err
		}
		in.Handle = handle
	} else if in.Handle != "" {
		if err := rejectTakenHandle(tx, in.Handle, &bad); err != nil {
			return nil, err
		}
	}
	var failure error
	refs := references{media: mediaFinder(tx, &failure)}
	if len(in.Collections) > 0 {
		var err error
		if refs.collections, err = findCollectionIndex(tx); err != nil {
			return nil, err
		}
	}
	want := in.row(nil, refs, db.Millis(tx.Now()), &bad)
	if failure != nil {
		return nil, failure
	}
	if err := bad.Err(); err != nil {
		return nil, err
	}
	if err := c.saveEdit(ctx, tx, who, plannedEdit{nil, want}); err != nil {
		return nil, err
	}
	return findProductRow(tx, want.id)
}

// findFreeHandle returns base, or base with a number, as a handle that no product has or had.
// Codes: state_conflict (an import creates a product with one of them).
func findFreeHandle(tx *db.Tx, base string) (string, error) {
	const batch = 50
	base = strings.TrimRight(shortenLine(base, len("-9999")), "-_")
	for first := 1; first < 10_000; first += batch {
		candidates := make([]string, batch)
		for i := range candidates {
			if candidates[i] = fmt.Sprintf("%s-%d", base, first+i); first+i == 1 {
				candidates[i] = base
			}
		}
		used, err := findProductIDs(tx, candidates)
		if err == nil {
			err = findEarlierHandles(tx, candidates, used)
		}
		if err != nil {
			return "", err
		}
		for _, handle := range candidates {
			if used[handle] == "" {
				return handle, nil
			}
		}
	}
	var bad fault.Invalid
	bad.Add("handle", fault.CodeRequired, "The handle is required: too many products have one derived from this title.")
	return "", bad.Err()
}

// findEarlierHandles adds the IDs of the products that had these handles earlier, by handle.
func findEarlierHandles(tx *db.Tx, handles []string, ids map[string]string) error {
	list, args := db.InList(handles)
	err := tx.Each(`
		SELECT handle, product_id
		FROM product_handles
		WHERE handle IN `+list, args, func(r db.Row) error {
		var handle, id string
		err := r.Scan(&handle, &id)
		ids[handle] = id
		return err
	})
	if err != nil {
		return fmt.Errorf("find earlier handles: %w", err)
	}
	return nil
}
