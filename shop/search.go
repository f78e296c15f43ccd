package shop

import (
	"context"
	"strings"

	"storefront/db"
	"storefront/shop/access"
	"storefront/shop/catalogue"
	"storefront/shop/fault"
	"storefront/shop/order"
	"storefront/shop/page"
	"storefront/shop/phone"
)

// SearchResult holds the records of a shop that match a text: the first few of each kind. Kinds
// that the caller may not view are empty.
type SearchResult struct {
	Orders    []order.Row               `json:"orders" nullable:"false" doc:"Found by number, words, or last digits of a phone number"`
	Products  []catalogue.ProductRecord `json:"products" nullable:"false" doc:"Found by words of any text, SKU or barcode"`
	Customers []CustomerRow             `json:"customers" nullable:"false" doc:"Found by part of a name, end of a phone number, or e-mail address"`
	Contact   *order.Contact            `json:"contact" doc:"Contact with the phone number; null if there is none"`
	// Indexing is nil if the index of orders is complete.
	Indexing *page.Indexing `json:"indexing,omitempty" doc:"Sent while the search index of orders is built, as after a move: orders may be missing"`
}

// searchLimit is the number of records of each kind in a result.
const searchLimit = 5

// SearchShop returns the orders, products and customers that match a text, as far as the caller may
// view them. Codes: unauthenticated, forbidden.
func (s *Shop) SearchShop(ctx context.Context, caller access.Caller, text string) (*SearchResult, error) {
	who, err := s.data.Authorize(ctx, caller, access.ToSearchShop)
	if err != nil {
		return nil, err
	}
	result := &SearchResult{Orders: []order.Row{}, Products: []catalogue.ProductRecord{}, Customers: []CustomerRow{}}
	if text = strings.TrimSpace(text); text == "" {
		return result, nil
	}
	first := page.Request{Limit: new(searchLimit)}
	if _, ok := order.NewSearch(text); ok && who.Permits(access.OrdersRead) {
		orders, err := s.Orders.ListOrderRows(ctx, caller, order.ListFilter{Request: first, Search: text})
		if err != nil {
			return nil, err
		}
		result.Orders, result.Indexing = orders.Nodes, orders.Meta.Indexing
	}
	if who.Permits(access.ProductsRead) {
		products, err := s.Catalogue.ListProducts(ctx, caller, catalogue.ProductListFilter{Request: first, Search: text})
		if err != nil {
			return nil, err
		}
		result.Products = products.Nodes
	}
	if who.Permits(access.CustomersRead) {
		return result, s.searchCustomers(ctx, caller, text, first, result)
	}
	return result, nil
}

// searchCustomers adds the buyers and the contact that match a text.
func (s *Shop) searchCustomers(ctx context.Context, caller access.Caller, text string, first page.Request, result *SearchResult) error {
	set, err := s.loadSettings(ctx)
	if err != nil {
		return err
	}
	_, isPhone := phone.Parse(text, set.Country)
	filter := CustomerFilter{Request: first, Search: text}
	if isPhone { // a guest is the contact
		filter.Kind = CustomerAccounts
	}
	who, err := s.data.Authorize(ctx, caller, access.ToListCustomers)
	if err != nil {
		return err
	}
	if err := s.Orders.PostForReading(ctx); err != nil {
		return err
	}
	// Counting them would need a second pass over all names.
	query := newCustomerQuery(&filter, set.Country)
	err = s.data.ViewAs(ctx, who, func(_ context.Context, tx *db.Tx) error {
		buyers, err := query.find(tx, page.Window{Page: 1, Limit: searchLimit})
		if err == nil {
			result.Customers, err = customerRows(tx, buyers, set.money)
		}
		return err
	})
	if err != nil {
		return err
	}
	if !isPhone {
		return nil
	}
	contact, err := s.Orders.FindContact(ctx, caller, text)
	switch {
	case fault.HasCode(err, fault.CodeNotFound):
		return nil
	case err != nil:
		return err
	}
	if contact.LastOrderAt != nil || contact.CustomerID != nil || !contact.IsEmpty() {
		result.Contact = &contact.Contact
	}
	return nil
}
