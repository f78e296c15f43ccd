package order

import (
	"fmt"

	"storefront/db"
	"storefront/shop/catalogue"
	"storefront/shop/fault"
)

// orderLine is a requested variant with its present price and stock.
type orderLine struct {
	first        int // index of the first input item with this variant
	productID    string
	variantID    string
	title        string
	variantTitle string // "" for a product without options
	sku          string
	imageURL     string
	unitPrice    int64
	// the product's, see [catalogue.ParseQuantityPrices]; "" if staff set the price
	quantityPrices string
	quantity       int
	tracked        bool
	backorder      bool
	stock          int64
	lowStock       int64 // units at or below this number are low stock
	inScope        bool  // whether the coupon applies to it
	discounted     bool  // whether the shop has automatic discounts now, on whichever products
}

// findOrderLines returns a line for each requested variant, in the order of the items.
// Codes: validation_failed (with the items that cannot be bought).
func findOrderLines(tx *db.Tx, items []ItemInput) ([]orderLine, error) {
	byVariant, byProduct, err := findLineVariants(tx, items)
	if err != nil {
		return nil, err
	}
	var bad fault.Invalid
	var lines []orderLine
	at := map[string]int{}
	for i, item := range items {
		line, ok := pickVariant(&bad, i, item, byVariant, byProduct)
		if !ok {
			continue
		}
		if j, again := at[line.variantID]; again {
			lines[j].quantity += item.Quantity
			continue
		}
		line.first, line.quantity = i, item.Quantity
		at[line.variantID] = len(lines)
		lines = append(lines, line)
	}
	return lines, bad.Err()
}

// findLineVariants returns the variants that the items name by ID, and all variants of the products
// that they name without a variant.
func findLineVariants(tx *db.Tx, items []ItemInput) (byVariant map[string]orderLine, byProduct map[string][]orderLine, err error) {
	var variantIDs, productIDs []string
	for _, item := range items {
		if id := db.TextOf(item.VariantID); id != "" {
			variantIDs = append(variantIDs, id)
		} else {
			productIDs = append(productIDs, item.ProductID)
		}
	}
	byVariant, byProduct = map[string]orderLine{}, map[string][]orderLine{}
	found, err := findSaleVariants(tx, "v.id", variantIDs)
	if err != nil {
		return nil, nil, err
	}
	for _, line := range found {
		byVariant[line.variantID] = line
	}
	found, err = findSaleVariants(tx, "p.id", productIDs)
	if err != nil {
		return nil, nil, err
	}
	for _, line := range found {
		byProduct[line.productID] = append(byProduct[line.productID], line)
	}
	return byVariant, byProduct, nil
}

func pickVariant(bad *fault.Invalid, i int, item ItemInput, byVariant map[string]orderLine,
	byProduct map[string][]orderLine) (line orderLine, ok bool) {
	if id := db.TextOf(item.VariantID); id != "" {
		if line, ok = byVariant[id]; !ok || line.productID != item.ProductID {
			bad.Add(itemField(i, "variantId"), fault.CodeInvalidValue, "The shop does not sell this variant of this product.")
			return orderLine{}, false
		}
		return line, true
	}
	switch variants := byProduct[item.ProductID]; len(variants) {
	case 0:
		bad.Add(itemField(i, "productId"), fault.CodeInvalidValue, "The shop does not sell this product.")
		return orderLine{}, false
	case 1:
		return variants[0], true
	default:
		bad.Add(itemField(i, "variantId"), fault.CodeRequired, "The product has several variants: choose one.")
		return orderLine{}, false
	}
}

// findSaleVariants returns the variants of published products whose column (v.id or p.id) is in a
// list of at most MaxLines values.
func findSaleVariants(tx *db.Tx, column string, ids []string) ([]orderLine, error) {
	if len(ids) == 0 {
		return nil, nil
	}
	list, args := db.InList(ids)
	var lines []orderLine
	now := db.Millis(tx.Now())
	err := tx.Each(saleVariantsQuery(column, list), append([]any{now, now, now}, args...), func(r db.Row) error {
		var l orderLine
		var onSale bool
		var options [catalogue.MaxOptions]string
		err := r.Scan(&l.variantID, &l.productID, &l.title, &options[0], &options[1], &options[2],
			&l.sku, &l.unitPrice, &l.quantityPrices, &l.tracked, &l.backorder, &l.stock, &l.lowStock, &l.imageURL, &l.discounted, &onSale)
		if err == nil && onSale {
			l.variantTitle = catalogue.OptionTitle(options)
			lines = append(lines, l)
		}
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("find variants: %w", err)
	}
	return lines, nil
}

// VariantImage is the stored URL of the image of a variant v, otherwise of its product; "" without
// one.
const VariantImage = `COALESCE(
				(SELECT i.url FROM images i WHERE i.id = v.image_id),
				(SELECT i.url FROM images i WHERE i.product_id = v.product_id ORDER BY i.position LIMIT 1),
				'')`

// saleVariantsQuery also selects whether there are automatic discounts, so that an order without
// them needs no statement more, and in its last column whether the product is published. As a
// condition, this would make SQLite scan all published products instead of looking up the few named
// ones.
func saleVariantsQuery(column, list string) string {
	return `
		SELECT v.id, v.product_id, p.title, v.option1, v.option2, v.option3, v.sku, v.price,
			COALESCE(p.quantity_prices, ''), v.tracked, v.backorder, v.stock, v.low_stock,
			` + VariantImage + `,
			CASE WHEN EXISTS (SELECT 1 FROM coupons c WHERE ` + activeDiscount + `) THEN 1 ELSE 0 END,
			CASE WHEN ` + catalogue.Published + ` THEN 1 ELSE 0 END
		FROM variants v
		JOIN products p ON p.id = v.product_id
		WHERE ` + column + ` IN ` + list
}

func cartLines(lines []orderLine) []cartLine {
	c := make([]cartLine, len(lines))
	for i, line := range lines {
		c[i] = cartLine{
			productID: line.productID, unitPrice: line.unitPrice, quantityPrices: line.quantityPrices,
			quantity: line.quantity, inScope: line.inScope,
		}
	}
	return c
}
