package catalogue

import (
	"fmt"
	"slices"
	"strings"

	"storefront/shop/access"
)

// subject returns the product as the audit log names it.
func (p *productRow) subject() access.Subject {
	return access.Subject{Kind: "product", ID: p.id, Label: p.title}
}

// audited returns the differences between a product and its earlier row, for the audit log.
func (e plannedEdit) audited() []access.Change {
	before, p := e.before, e.want
	if before == nil {
		before = &productRow{}
	}
	changes := slices.Concat(
		access.Changed("title", before.title, p.title), access.Changed("handle", before.handle, p.handle),
		access.Changed("status", before.status, p.status), access.Changed("descriptionHtml", before.descriptionHTML, p.descriptionHTML),
		access.Changed("vendor", before.vendor, p.vendor), access.Changed("type", before.kind, p.kind),
		access.Changed("tags", strings.Join(before.tags, ", "), strings.Join(p.tags, ", ")),
		access.Changed("images", len(before.images), len(p.images)),
		access.Changed("seoTitle", before.seoTitle, p.seoTitle), access.Changed("seoDescription", before.seoDescription, p.seoDescription),
		access.Changed("metadata", before.metadata, p.metadata),
	)
	return append(changes, variantChanges(before.variants, p.variants)...)
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
		was := old[v.id]
		field := func(name string) string { return fmt.Sprintf("variants[%d].%s", i, name) }
		changes = slices.Concat(changes,
			access.Changed(field("sku"), was.sku, v.sku), access.Changed(field("price"), was.price, v.price),
			changedPtr(field("compareAtPrice"), was.compareAtPrice, v.compareAtPrice), changedPtr(field("cost"), was.cost, v.cost),
			access.Changed(field("stock"), was.stock, v.stock), access.Changed(field("tracked"), was.tracked, v.tracked),
			access.Changed(field("backorder"), was.backorder, v.backorder),
		)
	}
	return append(changes, access.Changed("variants", len(before), len(after))...)
}

func changedPtr(field string, before, after *int64) []access.Change {
	if equalPtr(before, after) {
		return nil
	}
	return []access.Change{{Field: field, Before: before, After: after}}
}
