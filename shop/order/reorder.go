package order

import (
	"context"
	"slices"

	"storefront/db"
	"storefront/shop/access"
	"storefront/shop/account"
	"storefront/shop/catalogue"
	"storefront/shop/fault"
)

// Reorder is an order as it can be placed again.
type Reorder struct {
	Items       []ReorderItem  `json:"items" nullable:"false" doc:"The items that can be ordered now: send them to placeOrder"`
	Unavailable []MissingUnits `json:"unavailable" nullable:"false" doc:"What cannot be ordered now"`
	Quote       *Quote         `json:"quote" doc:"The price now, with the order's address, delivery and payment method; null if one of them is gone"`
}

// ReorderItem is an item of an order that can be ordered again.
type ReorderItem struct {
	ProductID string `json:"productId"`
	VariantID string `json:"variantId"`
	Quantity  int    `json:"quantity"`
}

// MissingUnits are units of an order that cannot be ordered again.
type MissingUnits struct {
	Title        string        `json:"title" doc:"As ordered"`
	VariantTitle *string       `json:"variantTitle"`
	Quantity     int           `json:"quantity" doc:"Units that are left out"`
	Reason       MissingReason `json:"reason"`
}

// MissingReason is the reason why units of an order cannot be ordered again.
//
//api:enum MissingReason
type MissingReason string

// The reasons.
const (
	MissingWithdrawn MissingReason = "withdrawn"    // The shop does not sell the product or the variant any more.
	MissingStock     MissingReason = "out_of_stock" // Fewer units are in stock.
)

// FindReorder returns the items of an order that can be ordered now, and their price with the
// order's address, delivery charge and payment method. It requires the order's owner or its order
// token. Codes: not_found.
func (s *Orders) FindReorder(ctx context.Context, caller access.Caller, invoiceUID string) (*Reorder, error) {
	uid, err := requireInvoiceUID(invoiceUID)
	if err != nil {
		return nil, err
	}
	reader, err := s.reader(ctx, caller)
	if err != nil {
		return nil, err
	}
	var row *orderRow
	err = s.data.View(ctx, func(_ context.Context, tx *db.Tx) (err error) {
		row, _, err = reader.requireWhole(tx, uid)
		return err
	})
	if err != nil {
		return nil, err
	}
	whole, err := s.viewFor(ctx, caller, row, viewOwner)
	if err != nil {
		return nil, err
	}
	variants := make([]string, len(whole.Items))
	for i, item := range whole.Items {
		variants[i] = item.VariantID
	}
	products, err := s.cfg.Catalogue.FindByVariants(ctx, variants)
	if err != nil {
		return nil, err
	}
	again := &Reorder{Items: []ReorderItem{}, Unavailable: []MissingUnits{}}
	for i := range whole.Items {
		again.add(&whole.Items[i], products)
	}
	again.Quote, err = s.quoteReorder(ctx, caller, again.Items, whole)
	return again, err
}

// add adds an item of the order, by the products that the shop sells now.
func (r *Reorder) add(item *Item, products []catalogue.Product) {
	missing := MissingUnits{Title: item.Title, VariantTitle: item.VariantTitle, Quantity: item.Quantity, Reason: MissingWithdrawn}
	for i := range products {
		at := slices.IndexFunc(products[i].Variants, func(v catalogue.Variant) bool { return v.ID == item.VariantID })
		if at < 0 {
			continue
		}
		missing.Reason = MissingStock
		units := products[i].Variants[at].Orderable(item.Quantity)
		if missing.Quantity -= units; units > 0 {
			r.Items = append(r.Items, ReorderItem{ProductID: products[i].ID, VariantID: item.VariantID, Quantity: units})
		}
	}
	if missing.Quantity > 0 {
		r.Unavailable = append(r.Unavailable, missing)
	}
}

// quoteReorder returns the price of items with the address, delivery charge and payment method of
// an order; nil if they cannot be ordered together.
func (s *Orders) quoteReorder(ctx context.Context, caller access.Caller, items []ReorderItem, o *Order) (*Quote, error) {
	if len(items) == 0 {
		return nil, nil
	}
	a := o.ShippingAddress
	in := Input{PaymentMethod: &o.Payment.Method, ShippingAddress: &account.Address{
		Line1: db.TextOf(a.Line1), Line2: a.Line2, Area: a.Area, City: a.City, Postcode: a.Postcode, Country: a.Country,
	}}
	for _, item := range items {
		in.Items = append(in.Items, ItemInput{ProductID: item.ProductID, VariantID: &item.VariantID, Quantity: item.Quantity})
	}
	if o.Delivery != nil {
		in.DeliveryChargeID = &o.Delivery.ID
	}
	quote, err := s.QuoteOrder(ctx, caller, in)
	if fault.HasCode(err, fault.CodeTokenInvalid) || fault.HasCode(err, fault.CodeTokenExpired) { // the order token suffices
		caller.Bearer, caller.BadAuthorization = "", false
		quote, err = s.QuoteOrder(ctx, caller, in)
	}
	for _, code := range []fault.Code{
		fault.CodeDeliveryRequired, fault.CodePaymentMethodUnavailable, fault.CodeQuantityLimit, fault.CodeOutOfStock, fault.CodeValidationFailed,
	} {
		if fault.HasCode(err, code) {
			return nil, nil
		}
	}
	return quote, err
}
