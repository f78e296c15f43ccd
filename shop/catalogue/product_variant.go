package catalogue

import (
	"fmt"
	"strings"

	"storefront/shop/fault"
	"storefront/shop/input"
	"storefront/shop/money"
)

// setVariants lists the variants with the ids of those that were there before, and derives from
// them what the product itself keeps: its prices and whether it is on sale.
func (p *productRow) setVariants(in *ProductInput, before *productRow, bad *fault.Invalid) {
	switch {
	case len(in.Variants) == 0:
		bad.Add("variants", fault.CodeRequired, "A product has at least one variant.")
	case len(in.Variants) > maxVariants:
		bad.Add("variants", fault.CodeInvalidValue, "A product has at most %d variants.", maxVariants)
		return
	case len(in.Variants) > 1 && len(p.options) == 0:
		bad.Add("variants[1].options", fault.CodeRequired, "More than one variant needs an option that tells them apart.")
		return
	}
	p.variants = make([]variantRow, len(in.Variants))
	for i, v := range in.Variants {
		p.variants[i] = v.row(p, fmt.Sprintf("variants[%d]", i), bad)
	}
	known := matchVariants(p.variants, before.variants)
	taken := map[[MaxOptions]string]bool{}
	for i := range p.variants {
		v := &p.variants[i]
		if taken[v.options] {
			bad.Add(fmt.Sprintf("variants[%d].options", i), fault.CodeInvalidValue, "Another variant has the same option values.")
		}
		taken[v.options] = true
		old := variantRow{lowStock: lowStockOfNew}
		if known[i] != nil {
			old = *known[i]
		}
		v.inheritStock(&in.Variants[i], &old, fmt.Sprintf("variants[%d].stock", i), bad)
		if i == 0 || v.price < p.price {
			p.price = v.price
		}
		p.priceMax = max(p.priceMax, v.price)
		p.onSale = p.onSale || v.compareAtPrice != nil && *v.compareAtPrice > v.price
	}
}

// row gives the variant as the file is to have it, but for its id and stock.
func (in *VariantInput) row(p *productRow, at string, bad *fault.Invalid) variantRow {
	v := variantRow{
		sku: cleanLine(in.SKU), barcode: cleanLine(in.Barcode), price: in.Price, compareAtPrice: in.CompareAtPrice,
		weightGrams: int64(in.WeightGrams), tracked: in.Tracked, backorder: in.Backorder,
	}
	input.CheckText(bad, at+".sku", v.sku, maxLine)
	input.CheckText(bad, at+".barcode", v.barcode, maxLine)
	if !money.IsAmount(v.price) {
		bad.Add(at+".price", fault.CodeInvalidValue, "A price is an amount that is not negative.")
	}
	if v.compareAtPrice != nil && !money.IsAmount(*v.compareAtPrice) {
		bad.Add(at+".compareAtPrice", fault.CodeInvalidValue, "A price is an amount that is not negative.")
	}
	checkCount(bad, at+".weightGrams", v.weightGrams, 0)
	for i := range max(len(p.options), len(in.Options)) {
		value := ""
		if i < len(in.Options) {
			value = cleanLine(in.Options[i])
		}
		field := fmt.Sprintf("%s.options[%d]", at, i)
		switch {
		case i >= len(p.options) && value != "":
			bad.Add(field, fault.CodeInvalidValue, "The product has no option that this is a value of.")
		case i < len(p.options) && value == "":
			bad.Add(field, fault.CodeRequired, "A value for the option %s is missing.", p.options[i])
		case i < len(p.options):
			input.CheckText(bad, field, value, maxLine)
			v.options[i] = value
		}
	}
	if image := p.imageByURL(strings.TrimSpace(input.Clean(in.ImageURL))); image != nil {
		v.imageID = &image.id
	}
	return v
}

// inheritStock takes over from the variant as it was what the input leaves out.
func (v *variantRow) inheritStock(in *VariantInput, old *variantRow, at string, bad *fault.Invalid) {
	v.id, v.stock, v.lowStock = old.id, old.stock, old.lowStock
	if in.Stock != nil {
		v.stock = int64(*in.Stock)
	}
	if in.LowStock != nil {
		v.lowStock = int64(*in.LowStock)
	}
	checkCount(bad, at, v.stock, -maxCount)
	checkCount(bad, at, v.lowStock, 0)
	if v.stock < 0 && v.tracked && !v.backorder {
		bad.Add(at, fault.CodeInvalidValue, "The stock would be %d: only what may be back-ordered can be below zero.", v.stock)
	}
}

// matchVariants gives for each variant the one that it was before, or nil: the one with the same
// SKU, where both sides have it once, or else with the same option values.
func matchVariants(variants, before []variantRow) []*variantRow {
	wanted, existing := bySKU(variants), bySKU(before)
	known := make([]*variantRow, len(variants))
	taken := map[*variantRow]bool{}
	for i := range variants {
		if old := existing[variants[i].sku]; old != nil && wanted[variants[i].sku] != nil {
			known[i] = old
			taken[old] = true
		}
	}
	byOptions := map[[MaxOptions]string]*variantRow{}
	for i := range before {
		byOptions[before[i].options] = &before[i]
	}
	for i := range variants {
		if old := byOptions[variants[i].options]; known[i] == nil && old != nil && !taken[old] {
			known[i] = old
			taken[old] = true
		}
	}
	return known
}

// bySKU gives the variants whose SKU no other has.
func bySKU(variants []variantRow) map[string]*variantRow {
	unique := map[string]*variantRow{"": nil}
	for i := range variants {
		sku := variants[i].sku
		if _, again := unique[sku]; again {
			unique[sku] = nil
			continue
		}
		unique[sku] = &variants[i]
	}
	return unique
}

// optionTitle names a variant by its option values.
func OptionTitle(options [MaxOptions]string) string {
	n := len(options)
	for n > 0 && options[n-1] == "" {
		n--
	}
	return strings.Join(options[:n], " / ")
}
