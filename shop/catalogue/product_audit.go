package catalogue

import (
	"fmt"
	"slices"
	"strings"

	"storefront/db"
	"storefront/shop/access"
	"storefront/shop/translation"
)

// subject returns the product as in the audit log.
func (p *productRow) subject() access.Subject {
	return access.Subject{Kind: access.SubjectProduct, ID: p.id, Label: p.title}
}

// audited returns the differences between a product and its earlier row, for the audit log.
func (e plannedEdit) audited() []access.Change {
	before, p := e.before, e.want
	if before == nil {
		before = &productRow{metadata: "{}"}
	}
	changes := slices.Concat(
		access.Changed("title", before.title, p.title), access.Changed("handle", before.handle, p.handle),
		access.Changed("status", before.status, p.status), access.Changed("descriptionHtml", before.descriptionHTML, p.descriptionHTML),
		access.Changed("vendor", before.vendor, p.vendor), access.Changed("type", before.kind, p.kind),
		access.Changed("tags", strings.Join(before.tags, ", "), strings.Join(p.tags, ", ")),
		access.Changed("collections", strings.Join(before.collections, ", "), strings.Join(p.collections, ", ")),
		access.Changed("options", strings.Join(before.options, ", "), strings.Join(p.options, ", ")),
		changedPtr("publishedAt", db.FromNullMillis(before.publishedAt), db.FromNullMillis(p.publishedAt)), imageChanges(before.images, p.images),
		access.Changed("seoTitle", before.seoTitle, p.seoTitle), access.Changed("seoDescription", before.seoDescription, p.seoDescription),
		access.Changed("metadata", before.metadata, p.metadata),
		access.Changed("quantityPrices", before.quantityPrices.Text(), p.quantityPrices.Text()),
	)
	changes = append(changes, variantChanges(before.variants, p.variants)...)
	changes = append(changes, translation.Changes(before.translations, p.translations)...)
	if e.before == nil {
		return access.New(changes)
	}
	return changes
}

// imageChanges returns the difference between the images: their number or, if it is the same, the
// text alternatives and URLs of the first different ones.
func imageChanges(before, after []imageRow) []access.Change {
	if len(before) != len(after) {
		return access.Changed("images", len(before), len(after))
	}
	for i := range after {
		field := func(name string) string { return fmt.Sprintf("images[%d].%s", i, name) }
		changes := append(access.Changed(field("url"), before[i].url, after[i].url), access.Changed(field("alt"), before[i].alt, after[i].alt)...)
		if len(changes) > 0 {
			return changes
		}
	}
	return nil
}

// maxAuditedVariants limits the variants of one entry of the audit log.
const maxAuditedVariants = 20

func variantChanges(before, after []variantRow) (changes []access.Change) {
	old := map[string]variantRow{}
	for _, v := range before {
		old[v.id] = v
	}
	for i, v := range after {
		if i == maxAuditedVariants {
			break
		}
		was, isOld := old[v.id]
		field := func(name string) string { return fmt.Sprintf("variants[%d].%s", i, name) }
		changed := slices.Concat(
			access.Changed(field("sku"), was.sku, v.sku), access.Changed(field("price"), was.price, v.price),
			changedPtr(field("compareAtPrice"), was.compareAtPrice, v.compareAtPrice), changedPtr(field("cost"), was.cost, v.cost),
			access.Changed(field("stock"), was.stock, v.stock), access.Changed(field("tracked"), was.tracked, v.tracked),
			access.Changed(field("backorder"), was.backorder, v.backorder), access.Changed(field("barcode"), was.barcode, v.barcode),
			access.Changed(field("options"), OptionTitle(was.options), OptionTitle(v.options)),
			access.Changed(field("weightGrams"), was.weightGrams, v.weightGrams), access.Changed(field("lowStock"), was.lowStock, v.lowStock),
			changedPtr(field("imageId"), was.imageID, v.imageID),
		)
		if !isOld {
			changed = access.New(changed)
		}
		changes = append(changes, changed...)
	}
	return append(changes, access.Changed("variants", len(before), len(after))...)
}

func changedPtr[T comparable](field string, before, after *T) []access.Change {
	if equalPtr(before, after) {
		return nil
	}
	return []access.Change{{Field: field, Before: before, After: after}}
}
