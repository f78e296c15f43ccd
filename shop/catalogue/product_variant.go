package catalogue

import (
	"fmt"
	"strings"

	"storefront/shop/fault"
	"storefront/shop/input"
	"storefront/shop/money"
)

// setVariants sets the variants with the IDs of the existing ones, and derives the product's prices
// and its sale status.
func (p *productRow) setVariants(in *ProductInput, before *productRow, bad *fault.Invalid) {
	switch {
	case len(in.Variants) == 0:
		bad.Add("variants", fault.CodeRequired, "A product must have at least one variant.")
	case len(in.Variants) > maxVariants:
		bad.Add("variants", fault.CodeInvalidValue, "A product must have at most %d variants.", maxVariants)
		return
	case len(in.Variants) > 1 && len(p.options) == 0:
		bad.Add("variants[1].options", fault.CodeRequired, "A product with more than one variant must have an option in which they differ.")
		return
	}
	p.variants = make([]variantRow, len(in.Variants))
	for i, v := range in.Variants {
		p.variants[i] = v.row(p, fmt.Sprintf("variants[%d]", i), bad)
	}
	matched := matchVariants(p.variants, before.variants)
	for i := range p.variants {
		if p.variants[i].id != "" && matched[i] == nil {
			bad.Add(fmt.Sprintf("variants[%d]._id", i), fault.CodeInvalidValue, "The product has no variant %s, or it is listed twice.",
				input.Cut(input.CleanLine(p.variants[i].id), maxLine))
		}
	}
	used := map[[MaxOptions]string]bool{}
	for i := range p.variants {
		v := &p.variants[i]
		if used[v.options] {
			bad.Add(fmt.Sprintf("variants[%d].options", i), fault.CodeInvalidValue, "The option values must differ from every other variant's.")
		}
		used[v.options] = true
		old := variantRow{lowStock: defaultLowStock}
		if matched[i] != nil {
			old = *matched[i]
		}
		v.inheritStock(&in.Variants[i], &old, fmt.Sprintf("variants[%d].stock", i), bad)
	}
	p.setPriceRange()
}

// setPriceRange sets the fields of the product derived from the prices of its variants.
func (p *productRow) setPriceRange() {
	p.priceMax, p.onSale = 0, false
	for i, v := range p.variants {
		if i == 0 || v.price < p.price {
			p.price = v.price
		}
		p.priceMax = max(p.priceMax, v.price)
		p.onSale = p.onSale || v.compareAtPrice != nil && *v.compareAtPrice > v.price
	}
}

// row returns the variant to be stored, without its stock. Its ID is the input's.
func (in *VariantInput) row(p *productRow, at string, bad *fault.Invalid) variantRow {
	v := variantRow{
		id: in.ID, sku: input.CleanLine(in.SKU), barcode: input.CleanLine(in.Barcode), price: in.Price, compareAtPrice: in.CompareAtPrice, cost: in.Cost,
		weightGrams: int64(in.WeightGrams), tracked: in.Tracked, backorder: in.Backorder,
	}
	input.CheckText(bad, at+".sku", v.sku, maxLine)
	input.CheckText(bad, at+".barcode", v.barcode, maxLine)
	if !money.IsAmount(v.price) {
		bad.Add(at+".price", fault.CodeInvalidValue, "Must be an amount that is not negative.")
	}
	if v.compareAtPrice != nil && !money.IsAmount(*v.compareAtPrice) {
		bad.Add(at+".compareAtPrice", fault.CodeInvalidValue, "Must be an amount that is not negative.")
	}
	if v.cost != nil && !money.IsAmount(*v.cost) {
		bad.Add(at+".cost", fault.CodeInvalidValue, "Must be an amount that is not negative.")
	}
	checkCount(bad, at+".weightGrams", v.weightGrams, 0)
	for i := range max(len(p.options), len(in.Options)) {
		value := ""
		if i < len(in.Options) {
			value = input.CleanLine(in.Options[i])
		}
		field := fmt.Sprintf("%s.options[%d]", at, i)
		switch {
		case i >= len(p.options) && value != "":
			bad.Add(field, fault.CodeInvalidValue, "The product has no option for this value: add the option or remove the value.")
		case i < len(p.options) && value == "":
			bad.Add(field, fault.CodeRequired, "A value for the option %s is required.", p.options[i])
		case i < len(p.options):
			input.CheckText(bad, field, value, maxLine)
			v.options[i] = value
		}
	}
	if image := p.imageNamed(in.image()); image != nil {
		v.imageID = &image.id
	}
	return v
}

// inheritStock copies the ID and, unless the input sets them, the stock fields of the existing
// variant.
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
		bad.Add(at, fault.CodeInvalidValue, "The stock would be %d: it must not be below zero unless the variant may be back-ordered.", v.stock)
	}
}

// matchVariants returns the existing variant for each variant, or nil for a new one. It matches by
// ID if there is one, otherwise by a SKU that is unique on both sides, otherwise by option values.
func matchVariants(variants, before []variantRow) []*variantRow {
	matched := make([]*variantRow, len(variants))
	used := map[*variantRow]bool{}
	match := func(i int, old *variantRow) {
		if old != nil && matched[i] == nil && !used[old] {
			matched[i], used[old] = old, true
		}
	}
	byID, byOptions := map[string]*variantRow{}, map[[MaxOptions]string]*variantRow{}
	for i := range before {
		byID[before[i].id], byOptions[before[i].options] = &before[i], &before[i]
	}
	var unnamed []int // variants without an ID
	for i, v := range variants {
		if v.id == "" {
			unnamed = append(unnamed, i)
			continue
		}
		match(i, byID[v.id])
	}
	wanted, existing := bySKU(variants), bySKU(before)
	for _, i := range unnamed {
		if sku := variants[i].sku; wanted[sku] != nil {
			match(i, existing[sku])
		}
	}
	for _, i := range unnamed {
		match(i, byOptions[variants[i].options])
	}
	return matched
}

// bySKU returns the variants with a unique SKU.
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

// OptionTitle returns the title of a variant: its option values, separated by slashes. It is empty
// without options.
func OptionTitle(options [MaxOptions]string) string {
	n := len(options)
	for n > 0 && options[n-1] == "" {
		n--
	}
	return strings.Join(options[:n], " / ")
}
