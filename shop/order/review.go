package order

import (
	"context"
	"slices"

	"storefront/db"
	"storefront/shop/access"
	"storefront/shop/review"
	"storefront/shop/status"
)

// ReviewedOrder returns the function that finds an order for the reviews of its products. The
// caller must be its owner or have its order token. Codes: not_found.
func (s *Orders) ReviewedOrder(ctx context.Context, caller access.Caller, invoiceUID string) (review.FindOrder, error) {
	uid, err := requireInvoiceUID(invoiceUID)
	if err != nil {
		return nil, err
	}
	reader, err := s.reader(ctx, caller)
	if err != nil {
		return nil, err
	}
	return func(tx *db.Tx) (*review.Order, error) {
		o, _, err := reader.requireWhole(tx, uid)
		if err != nil {
			return nil, err
		}
		return o.reviewed(), nil
	}, nil
}

// reviewed returns what reviews depend on of the order. Products that came back have none.
func (o *orderRow) reviewed() *review.Order {
	about := &review.Order{
		Number: o.number, BuyerName: o.name, IsDelivered: o.fulfillment == status.Delivered && !o.status.IsClosed(),
	}
	for _, item := range o.items {
		isListed := slices.ContainsFunc(about.Products, func(p review.Product) bool { return p.ID == item.productID })
		if !isListed && item.restocked < item.quantity {
			about.Products = append(about.Products, review.Product{ID: item.productID, Title: item.title})
		}
	}
	return about
}
