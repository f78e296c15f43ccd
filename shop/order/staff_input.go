package order

import (
	"storefront/db"
	"storefront/shop/access"
	"storefront/shop/fault"
	"storefront/shop/input"
	"storefront/shop/money"
)

// MaxDiscountReason is the maximum length of the reason of a discount, in characters.
const MaxDiscountReason = 200

// StaffItemInput is one line of an order that staff place or edit.
type StaffItemInput struct {
	VariantID string `json:"variantId"`
	Quantity  int    `json:"quantity" minimum:"1"`
	// UnitPrice needs the permission orders.discount.
	UnitPrice *int64 `json:"unitPrice,omitempty" doc:"Minor units; replaces quantity prices. Defaults to the line's price, else the present one"`
}

// StaffDiscount is a discount on the price of the items that staff grant, beside a coupon.
type StaffDiscount struct {
	Amount int64  `json:"amount" minimum:"0" doc:"Minor units"`
	Reason string `json:"reason" doc:"For staff, at most 200 characters"`
}

// checkStaffItems checks the items of an order that staff place or edit.
func checkStaffItems(bad *fault.Invalid, items []StaffItemInput) {
	if len(items) == 0 {
		bad.Add("items", fault.CodeRequired, "At least one item is required.")
	}
	if len(items) > MaxLines {
		bad.Add("items", fault.CodeInvalidValue, "An order must have at most %d items.", MaxLines)
		return
	}
	seen := map[string]bool{}
	for i, item := range items {
		switch {
		case item.VariantID == "":
			bad.Add(itemField(i, "variantId"), fault.CodeRequired, "A variant ID is required.")
		case seen[item.VariantID]:
			bad.Add(itemField(i, "variantId"), fault.CodeInvalidValue, "The variant must be named once.")
		}
		seen[item.VariantID] = true
		if item.Quantity < 1 || item.Quantity > MaxQuantity {
			bad.Add(itemField(i, "quantity"), fault.CodeInvalidValue, "The quantity must be 1 to %d.", MaxQuantity)
		}
		checkAmount(bad, itemField(i, "unitPrice"), item.UnitPrice)
	}
}

// checkAmount checks an amount that staff set; nil means none.
func checkAmount(bad *fault.Invalid, field string, amount *int64) {
	if amount != nil && !money.IsAmount(*amount) {
		bad.Add(field, fault.CodeInvalidValue, "Must be an amount in minor units that is not negative.")
	}
}

// checkDiscount returns the stored form of a discount; nil means none.
func checkDiscount(bad *fault.Invalid, discount *StaffDiscount) *StaffDiscount {
	if discount == nil {
		return nil
	}
	checkAmount(bad, "staffDiscount.amount", &discount.Amount)
	reason := input.CheckLine(bad, "staffDiscount.reason", discount.Reason, MaxDiscountReason)
	if discount.Amount > 0 && reason == "" {
		bad.Add("staffDiscount.reason", fault.CodeRequired, "A reason for the discount is required.")
	}
	if discount.Amount == 0 {
		reason = ""
	}
	return &StaffDiscount{discount.Amount, reason}
}

// requireDiscountRight checks that the caller may set prices. It is called after Check. Codes:
// forbidden.
func requireDiscountRight(who access.Staff) error {
	if who.Permits(access.OrdersDiscount) {
		return nil
	}
	e := fault.Errorf(fault.CodeForbidden, "Your role may not set prices, discounts or delivery charges. An owner of the shop can allow it.")
	e.Details = map[string]any{"permission": access.OrdersDiscount}
	return e
}

// setsPrices reports whether one of the items has a price of its own.
func setsPrices(items []StaffItemInput) bool {
	for _, item := range items {
		if item.UnitPrice != nil {
			return true
		}
	}
	return false
}

// findStaffLines returns the lines of items that staff name by variant. An item that is already in
// the order retains its price and its quantity prices. It needs to be on sale only if its quantity
// grows. held are the order's lines; nil in a new order. Codes: validation_failed.
func findStaffLines(tx *db.Tx, items []StaffItemInput, held []orderItemRow) ([]orderLine, error) {
	ids := make([]string, len(items))
	for i, item := range items {
		ids[i] = item.VariantID
	}
	found, err := findSaleVariants(tx, "v.id", ids)
	if err != nil {
		return nil, err
	}
	onSale := map[string]orderLine{}
	for _, line := range found {
		onSale[line.variantID] = line
	}
	var bad fault.Invalid
	lines := make([]orderLine, len(items))
	for i, item := range items {
		line, sold := onSale[item.VariantID]
		old := findItem(held, item.VariantID)
		switch {
		case old != nil:
			if !sold && item.Quantity > old.quantity {
				bad.Add(itemField(i, "quantity"), fault.CodeInvalidValue, "The shop does not sell %s any more: the quantity must not exceed %d.",
					old.title, old.quantity)
			}
			line.productID, line.variantID, line.title, line.variantTitle = old.productID, old.variantID, old.title, old.variantTitle
			line.sku, line.imageURL, line.unitPrice = old.sku, old.imageURL, old.unitPrice
			line.quantityPrices = old.quantityPrices
			if item.Quantity <= old.quantity { // needs no more stock
				line.tracked = old.stockReserved
			}
			if old.stockReserved {
				line.stock += int64(old.quantity)
			}
		case !sold:
			bad.Add(itemField(i, "variantId"), fault.CodeInvalidValue, "The shop does not sell this variant.")
		}
		if item.UnitPrice != nil {
			line.unitPrice, line.quantityPrices = *item.UnitPrice, ""
		}
		line.first, line.quantity = i, item.Quantity
		lines[i] = line
	}
	return lines, bad.Err()
}

// findItem returns the line of a variant, nil if there is none.
func findItem(items []orderItemRow, variantID string) *orderItemRow {
	for i := range items {
		if items[i].variantID == variantID {
			return &items[i]
		}
	}
	return nil
}
