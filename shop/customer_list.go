package shop

import (
	"context"
	"time"

	"storefront/db"
	"storefront/shop/access"
	"storefront/shop/fault"
	"storefront/shop/input"
	"storefront/shop/money"
	"storefront/shop/order"
	"storefront/shop/page"
)

// CustomerKind is a kind of buyer in a list.
//
//api:enum CustomerKind
type CustomerKind string

// The kinds of buyers.
const (
	CustomerAccounts CustomerKind = "account" // with an account
	CustomerGuests   CustomerKind = "guest"   // ordered without an account
	CustomersAll     CustomerKind = "all"     // both; selects only
)

// CustomerKinds returns the kinds of buyers.
func CustomerKinds() []CustomerKind {
	return []CustomerKind{CustomerAccounts, CustomerGuests, CustomersAll}
}

// CustomerSort is the sort key of a list of buyers. Equal buyers are sorted by their IDs and phone
// numbers.
//
//api:enum CustomerSort
type CustomerSort string

// The sorts of buyers.
const (
	SortLastOrder    CustomerSort = "lastOrderAt" // when the newest order was placed
	SortSpent        CustomerSort = "spent"       // what they paid, less refunds
	SortCustomerName CustomerSort = "name"        // the name
)

// customerSorts are the sort columns of accounts and of guests.
var customerSorts = map[CustomerSort]string{
	"": "c.last_order_at", SortLastOrder: "c.last_order_at", SortSpent: "c.spent", SortCustomerName: "lower(c.name)",
}

// CustomerSorts returns the sorts of buyers.
func CustomerSorts() []CustomerSort {
	return []CustomerSort{SortLastOrder, SortSpent, SortCustomerName}
}

// CustomerRow is a buyer in a list: an account, or a guest. A guest is the phone number of orders
// without an account; nobody has proved to own it. Orders placed in sandbox mode do not count.
type CustomerRow struct {
	Kind        CustomerKind  `json:"kind" doc:"account or guest"`
	ID          *string       `json:"_id" doc:"ID of the account; null for a guest"`
	Name        string        `json:"name" doc:"A guest has the name in the newest order"`
	PhoneNumber *string       `json:"phoneNumber" doc:"A guest has the number in the orders, which identifies the guest"`
	Email       *string       `json:"email" doc:"A guest has the address in the newest order"`
	Orders      int           `json:"orders" doc:"Number of orders, including closed ones"`
	Spent       money.Money   `json:"spent" doc:"Amount paid for their orders, less refunds"`
	LastOrderAt *time.Time    `json:"lastOrderAt" doc:"Time of the last order; null for an account without orders"`
	Record      *order.Record `json:"record" doc:"Record of the phone number; null if the account or its orders have none"`
	CreatedAt   *time.Time    `json:"createdAt" doc:"Creation of the account; null for a guest"`
}

// CustomerFilter selects buyers. The zero value selects the first page of all.
type CustomerFilter struct {
	page.Request
	Kind   CustomerKind `query:"kind" doc:"Defaults to all"`
	Search string       `query:"search" doc:"A whole e-mail address or phone number, or part of a name"`
	SortBy CustomerSort `query:"sortBy" doc:"Defaults to lastOrderAt"`
	Sort   string       `query:"sort" enum:"asc,desc" doc:"Defaults to desc, for name to asc"`
}

// ListCustomers returns one page of the buyers. By default it sorts by the newest order, with
// accounts without orders last, newest first. Its work grows with the page: the sums of orders are
// stored with the account or the guest's phone number. Codes: validation_failed, unauthenticated,
// forbidden.
func (s *Shop) ListCustomers(ctx context.Context, caller access.Caller, filter CustomerFilter) (*page.List[CustomerRow], error) {
	set, err := s.loadSettings(ctx)
	if err != nil {
		return nil, err
	}
	if err := s.Orders.PostForReading(ctx); err != nil {
		return nil, err
	}
	return access.ReadMany(ctx, s.data, caller, access.ToListCustomers,
		func(tx *db.Tx, _ access.Staff) (*page.List[CustomerRow], error) {
			var bad fault.Invalid
			w := filter.Window(&bad)
			if filter.Kind != "" {
				input.CheckValues(&bad, "kind", []CustomerKind{filter.Kind}, CustomerKinds())
			}
			if filter.SortBy != "" {
				input.CheckValues(&bad, "sortBy", []CustomerSort{filter.SortBy}, CustomerSorts())
			}
			if err := bad.Err(); err != nil {
				return nil, err
			}
			query := newCustomerQuery(&filter, set.Country)
			buyers, count, err := query.findAndCount(tx, w)
			if err != nil {
				return nil, err
			}
			rows, err := customerRows(tx, buyers, set.money)
			return &page.List[CustomerRow]{Nodes: rows, Meta: w.ListMetaFor(count, len(buyers))}, err
		})
}

// topCustomers is the number of customers in a report.
const topCustomers = 10

// findTopCustomers returns the buyers who have spent the most.
func (set *cachedSettings) findTopCustomers(tx *db.Tx) ([]CustomerRow, error) {
	filter := CustomerFilter{Request: page.Request{Limit: new(topCustomers)}, SortBy: SortSpent}
	var bad fault.Invalid
	w := filter.Window(&bad)
	buyers, _, err := newCustomerQuery(&filter, set.Country).findAndCount(tx, w)
	if err != nil {
		return nil, err
	}
	return customerRows(tx, buyers, set.money)
}
