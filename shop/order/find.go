package order

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"storefront/db"
	"storefront/shop/access"
	"storefront/shop/fault"
	"storefront/shop/input"
	"storefront/shop/locale"
	"storefront/shop/page"
	"storefront/shop/sequence"
	"storefront/shop/status"
)

// Filter selects orders of the caller.
type Filter struct {
	page.Request
	Status            []status.Order       // empty means any
	PaymentStatus     []status.Payment     // empty means any
	FulfillmentStatus []status.Fulfillment // empty means any
	PlacedFrom        time.Time            // placed then or later; zero means any time
	PlacedBefore      time.Time            // placed before; zero means any time
	Search            string               // words of the items, an order number or an invoice UID; "" means any
	SortBy            CustomerOrderSort    // "" means CustomerSortPlaced
	Sort              string               // page.Ascending or page.Descending; "" means descending
}

// CustomerOrderSort is a sort order of a buyer's orders.
//
//api:enum CustomerOrderSort
type CustomerOrderSort string

// The sort orders.
const (
	CustomerSortPlaced CustomerOrderSort = "placedAt" // By the time at which the order was placed.
	CustomerSortTotal  CustomerOrderSort = "total"    // By the total, as ordered.
)

// CustomerOrderSorts returns the sort orders.
func CustomerOrderSorts() []string {
	return []string{string(CustomerSortPlaced), string(CustomerSortTotal)}
}

// query checks the filter and returns its query, of one customer.
func (f *Filter) query(bad *fault.Invalid) orderQuery {
	input.CheckValues(bad, "status", f.Status, slices.Sorted(maps.Keys(status.OrderTransitions)))
	input.CheckValues(bad, "paymentStatus", f.PaymentStatus, slices.Sorted(maps.Keys(status.PaymentTransitions)))
	input.CheckValues(bad, "fulfillmentStatus", f.FulfillmentStatus, slices.Sorted(maps.Keys(status.FulfillmentTransitions)))
	q := orderQuery{
		statuses: f.Status, payments: f.PaymentStatus, fulfillments: f.FulfillmentStatus, from: f.PlacedFrom, before: f.PlacedBefore,
		ascending: page.IsAscending(f.Sort, page.Descending),
	}
	if f.SortBy != "" {
		input.CheckValues(bad, "sortBy", []string{string(f.SortBy)}, CustomerOrderSorts())
		q.sortBy = Sort(f.SortBy)
	}
	return q
}

// ListMyOrders returns one page of the caller's orders, newest first. Codes: validation_failed,
// unauthenticated, token_expired, token_invalid.
func (s *Orders) ListMyOrders(ctx context.Context, caller access.Caller, filter Filter) (*page.Page[Order], error) {
	who, err := s.cfg.Accounts.RequireIdentity(ctx, caller)
	if err != nil {
		return nil, err
	}
	var bad fault.Invalid
	w, query := filter.Window(&bad), filter.query(&bad)
	if err := bad.Err(); err != nil {
		return nil, err
	}
	set, err := s.cfg.Settings(ctx)
	if err != nil {
		return nil, err
	}
	var rows []*orderRow
	var count page.Count
	err = s.data.ViewMany(ctx, func(_ context.Context, tx *db.Tx) error {
		customer, err := who.Customer(tx)
		if err != nil {
			return err
		}
		query.customerID = customer.ID()
		if query.ids, err = searchOwn(tx, customer.ID(), filter.Search); err != nil {
			return err
		}
		if count, err = query.count(tx, 0); err != nil {
			return err
		}
		ids, err := query.findIDs(tx, w)
		if err != nil {
			return err
		}
		rows, err = findOrderRows(tx, ids)
		return err
	})
	if err != nil {
		return nil, err
	}
	orders := orderViews(rows, set.Display, viewOwner)
	all := make([]*Order, len(orders))
	for i := range orders {
		all[i] = &orders[i]
	}
	return &page.Page[Order]{Nodes: orders, Meta: w.MetaFor(count.Total)}, s.Translate(ctx, caller.Language, all...)
}

// noOrder is no order's ID.
const noOrder = "-"

// searchOwn returns the invoice UIDs of a customer's orders that a search finds, [noOrder] if there
// is none; nil if there is no search. The index of all orders is for staff: it has more than the
// buyer's items, and would cost as much as the shop has orders.
func searchOwn(tx *db.Tx, customerID, text string) (ids []string, err error) {
	words := strings.Fields(input.FoldKey(input.Cut(text, maxOrderWords*maxOrderWordSize)))
	if len(words) == 0 {
		return nil, nil
	}
	named, err := namedOrder(tx, text)
	if err == nil {
		ids = append(ids, named)
	} else if !fault.HasCode(err, fault.CodeNotFound) {
		return nil, err
	}
	items, err := db.Query(tx, func(r db.Row) (item [2]string, err error) { return item, r.Scan(&item[0], &item[1]) }, `
		SELECT o.id, i.title || ' ' || i.variant_title || ' ' || i.sku
		FROM orders o
		JOIN order_items i ON i.order_number = o.number
		WHERE o.customer_id = ?`, customerID)
	if err != nil {
		return nil, fmt.Errorf("search a customer's orders: %w", err)
	}
	texts := map[string]string{}
	for _, item := range items {
		texts[item[0]] += " " + input.FoldKey(item[1])
	}
	for id, text := range texts {
		if !slices.ContainsFunc(words, func(word string) bool { return !strings.Contains(text, word) }) {
			ids = append(ids, id)
		}
	}
	return append(ids, noOrder), nil
}

func orderViews(rows []*orderRow, shown Display, as orderView) []Order {
	views := make([]Order, len(rows))
	for i, row := range rows {
		views[i] = row.view(shown, as)
	}
	return views
}

// FindOrder returns an order by its invoice UID: complete for its owner and for a caller with its
// order token, masked for others. An invalid or expired token of either kind is ignored. Codes:
// not_found.
func (s *Orders) FindOrder(ctx context.Context, caller access.Caller, invoiceUID string) (*Order, error) {
	reader, err := s.reader(ctx, caller)
	if err != nil {
		return nil, err
	}
	return s.findOrder(ctx, caller, invoiceUID, reader)
}

// orderReader is the part of an order that a caller may see.
type orderReader func(tx *db.Tx, row *orderRow) (orderView, error)

// requireWhole returns an order that the caller may see whole: as its owner, with its order token
// or as a staff member. Codes: not_found.
func (r orderReader) requireWhole(tx *db.Tx, invoiceUID string) (*orderRow, orderView, error) {
	order, err := requireOrder(tx, invoiceUID)
	if err != nil {
		return nil, viewMasked, err
	}
	as, err := r(tx, order)
	if err == nil && as == viewMasked {
		err = errNoOrder()
	}
	return order, as, err
}

// reader returns the orderReader of the caller. An invalid token of either kind is ignored.
func (s *Orders) reader(ctx context.Context, caller access.Caller) (orderReader, error) {
	buyer, err := s.cfg.Accounts.IdentityOrGuest(ctx, caller)
	if err != nil {
		return nil, err
	}
	tokens, err := s.orderTokens(ctx)
	if err != nil {
		return nil, err
	}
	return func(tx *db.Tx, row *orderRow) (orderView, error) {
		customer, err := buyer.Customer(tx)
		switch {
		case err != nil:
			return viewMasked, err
		case row.isOf(customer.ID()):
			return viewOwner, nil
		}
		proven, err := tokens.proves(tx, caller.OrderToken, row.id, row.placedAt)
		if err != nil {
			return viewMasked, err
		}
		if !proven {
			return viewMasked, nil
		}
		return viewWhole, nil
	}, nil
}

// FindInvoiceUID returns the invoice UID of an order, from the same UID or from the order number
// that buyers know, such as 1064, #1064 or #১০৬৪. Codes: not_found.
func (s *Orders) FindInvoiceUID(ctx context.Context, caller access.Caller, order string) (uid string, err error) {
	return access.Read(ctx, s.data, caller, access.ToFindInvoiceUID,
		func(tx *db.Tx, _ access.Staff) (string, error) { return namedOrder(tx, order) })
}

// namedOrder returns the invoice UID of an order that a caller has named by it or by its number.
// Codes: not_found.
func namedOrder(tx *db.Tx, order string) (uid string, err error) {
	if uid, ok := parseInvoiceUID(order); ok {
		return uid, nil
	}
	number, err := strconv.ParseInt(strings.TrimPrefix(strings.TrimSpace(input.Fold(order)), "#"), 10, 64)
	if err != nil {
		return "", errNoOrder()
	}
	uid, err = findInvoiceUID(tx, number)
	if errors.Is(err, db.ErrNotFound) {
		err = errNoOrder()
	}
	return uid, err
}

// FindOrderAsStaff returns any order, with the parts for staff members only. Codes: not_found.
func (s *Orders) FindOrderAsStaff(
	ctx context.Context, caller access.Caller, invoiceUID string,
) (*StaffOrder, error) {
	set, err := s.cfg.Settings(ctx)
	if err != nil {
		return nil, err
	}
	return access.Read(ctx, s.data, caller, access.ToFindOrderAsStaff,
		func(tx *db.Tx, who access.Staff) (*StaffOrder, error) {
			o, err := requireSentOrder(tx, invoiceUID)
			if err != nil {
				return nil, err
			}
			return staffView(tx, o, set.Display, who)
		})
}

func (s *Orders) findOrder(ctx context.Context, caller access.Caller, invoiceUID string, reader orderReader) (*Order, error) {
	uid, err := requireInvoiceUID(invoiceUID)
	if err != nil {
		return nil, err
	}
	var row *orderRow
	var as orderView
	err = s.data.View(ctx, func(ctx context.Context, tx *db.Tx) (err error) {
		if row, err = requireOrder(tx, uid); err != nil {
			return err
		}
		as, err = reader(tx, row)
		return err
	})
	if err != nil {
		return nil, err
	}
	return s.viewFor(ctx, caller, row, as)
}

// FindLanguage returns the language in which the buyer of an order ordered. It is "" if it is
// unknown, and if there is no such order.
func (s *Orders) FindLanguage(ctx context.Context, invoiceUID string) (language locale.Language) {
	uid, _ := parseInvoiceUID(invoiceUID)
	err := s.data.View(ctx, func(_ context.Context, tx *db.Tx) error {
		return tx.QueryRow(`
		SELECT language
		FROM orders
		WHERE id = ?`, uid).Scan(&language)
	})
	if err != nil {
		return "" // the page of the order reports it
	}
	return language
}

func errNoOrder() error { return fault.Errorf(fault.CodeNotFound, "No such order.") }

// isOf reports whether the account with this id placed the order; "" is a guest, who owns none.
func (o *orderRow) isOf(customerID string) bool {
	return customerID != "" && o.customerID != nil && *o.customerID == customerID
}

// invoiceUIDLength is the length of an invoice UID in characters: 80 random bits.
const invoiceUIDLength = 16

// requireInvoiceUID parses an invoice UID that a caller sent. Codes: not_found.
func requireInvoiceUID(text string) (uid string, err error) {
	uid, ok := parseInvoiceUID(text)
	if !ok {
		return "", errNoOrder()
	}
	return uid, nil
}

// parseInvoiceUID returns the stored form of an invoice UID that may have been typed by hand: in
// any case, in groups, with letters that look like digits. ok is false if it is not an invoice UID.
func parseInvoiceUID(text string) (uid string, ok bool) {
	if len(text) > 2*invoiceUIDLength {
		return "", false
	}
	uid = strings.NewReplacer("-", "", " ", "", "O", "0", "I", "1", "L", "1").Replace(strings.ToUpper(text))
	ok = len(uid) == invoiceUIDLength && strings.Trim(uid, sequence.Crockford) == ""
	return uid, ok
}
