package shop

import (
	"context"
	"time"

	"storefront/db"
	"storefront/shop/access"
	"storefront/shop/fault"
	"storefront/shop/input"
	"storefront/shop/money"
	"storefront/shop/page"
)

// CustomerKind is a kind of buyers in a list.
type CustomerKind string

// The kinds of buyers.
const (
	CustomerAccounts CustomerKind = "account"
	CustomerGuests   CustomerKind = "guest"
	CustomersAll     CustomerKind = "all"
)

// CustomerKinds returns the kinds of buyers.
func CustomerKinds() []CustomerKind {
	return []CustomerKind{CustomerAccounts, CustomerGuests, CustomersAll}
}

// CustomerSort is what a list of buyers is sorted by. Equal buyers follow their IDs and phone
// numbers.
type CustomerSort string

// The sorts of buyers.
const (
	SortLastOrder    CustomerSort = "lastOrderAt" // accounts without orders are oldest
	SortSpent        CustomerSort = "spent"
	SortCustomerName CustomerSort = "name" // in any case of Latin letters
)

// customerSorts are what the sorts compare of accounts and of guests.
var customerSorts = map[CustomerSort]string{
	"": "c.last_order_at", SortLastOrder: "c.last_order_at", SortSpent: "c.spent", SortCustomerName: "lower(c.name)",
}

// CustomerSorts returns the sorts of buyers.
func CustomerSorts() []CustomerSort {
	return []CustomerSort{SortLastOrder, SortSpent, SortCustomerName}
}

// CustomerRow is a buyer in a list: an account, or a guest. A guest is a phone number with which
// orders were placed without an account; nobody has proved to own it. Orders placed in sandbox mode
// do not count.
type CustomerRow struct {
	Kind        CustomerKind `json:"kind" doc:"account or guest"`
	ID          *string      `json:"_id" doc:"Of the account; null: a guest"`
	Name        string       `json:"name" doc:"A guest's is that of the newest order"`
	PhoneNumber *string      `json:"phoneNumber" doc:"A guest's is that of the orders, and identifies the guest"`
	Email       *string      `json:"email" doc:"A guest's is that of the newest order"`
	Orders      int          `json:"orders" doc:"All of them, closed ones included"`
	Spent       money.Money  `json:"spent" doc:"Totals of the orders that are not cancelled, expired, returned or unpaid online"`
	LastOrderAt *time.Time   `json:"lastOrderAt" doc:"null: an account without orders"`
	Record      *Record      `json:"record" doc:"Of the phone number; null: the account has none, or no order has it"`
	CreatedAt   *time.Time   `json:"createdAt" doc:"Of the account; null: a guest"`
}

// CustomerFilter selects buyers. The zero value selects the first page of all.
type CustomerFilter struct {
	page.Request
	Kind CustomerKind // "": all
	// Search is a whole e-mail address or phone number, or part of a name. "" means any.
	Search    string
	SortBy    CustomerSort // "" means SortLastOrder
	Ascending bool
}

// ListCustomers returns one page of the buyers, by default those with the newest orders first, and
// accounts without orders last, the newest of them first. What it reads grows with the page: what
// each has ordered is stored with the account, and with the phone number of a guest. Codes:
// validation_failed, unauthenticated, forbidden.
func (s *Shop) ListCustomers(ctx context.Context, caller access.Caller, filter CustomerFilter) (*page.List[CustomerRow], error) {
	who, err := s.requireStaff(ctx, caller, access.ToListCustomers)
	if err != nil {
		return nil, err
	}
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
	set, err := s.loadSettings(ctx)
	if err != nil {
		return nil, err
	}
	query := newCustomerQuery(&filter, set.Country)
	list := &page.List[CustomerRow]{}
	err = s.data.ViewManyAs(ctx, who, func(_ context.Context, tx *db.Tx) error {
		buyers, count, err := query.findAndCount(tx, w)
		if err != nil {
			return err
		}
		list.Meta = w.ListMetaFor(count, len(buyers))
		list.Nodes, err = customerRows(tx, buyers, set.money)
		return err
	})
	if err != nil {
		return nil, err
	}
	return list, nil
}

// topCustomers is how many customers a report has.
const topCustomers = 10

// findTopCustomers returns the buyers who have spent most.
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
