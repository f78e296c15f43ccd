package shop

import (
	"context"
	"strings"
	"time"

	"storefront/db"
	"storefront/shop/access"
	"storefront/shop/fault"
	"storefront/shop/page"
	"storefront/shop/sequence"
)

// OrderFilter selects orders of the caller.
type OrderFilter struct {
	page.Request
}

// OrderListFilter selects orders for staff members. The zero value is the first page of all orders.
type OrderListFilter struct {
	page.Request
	Status       OrderStatus // "" means any
	PlacedFrom   *time.Time  // nil means from the first
	PlacedBefore *time.Time  // nil means to the last
}

// ListMyOrders returns one page of the caller's orders, newest first. Codes: validation_failed,
// unauthenticated, token_expired, token_invalid.
func (s *Shop) ListMyOrders(ctx context.Context, caller access.Caller, filter OrderFilter) (*page.Page[Order], error) {
	who, err := s.Accounts.RequireIdentity(ctx, caller)
	if err != nil {
		return nil, err
	}
	return s.findOrders(ctx, filter.Request, viewOwner, func(tx *db.Tx) (orderQuery, error) {
		customer, err := who.Customer(tx)
		return orderQuery{customerID: customer.ID()}, err
	})
}

// ListOrders returns one page of all orders, newest first and complete, to staff members.
// Codes: validation_failed.
func (s *Shop) ListOrders(ctx context.Context, caller access.Caller, filter OrderListFilter) (*page.Page[Order], error) {
	if err := s.requireAdmin(ctx, caller); err != nil {
		return nil, err
	}
	if _, known := orderTransitions[filter.Status]; !known && filter.Status != "" {
		var bad fault.Invalid
		bad.Add("status", fault.CodeInvalidValue, "Unknown order status %s: it must be one of %s.", filter.Status, orderTransitions.statuses())
		return nil, bad.Err()
	}
	return s.findOrders(ctx, filter.Request, viewStaff, func(*db.Tx) (orderQuery, error) {
		return orderQuery{status: filter.Status, from: filter.PlacedFrom, before: filter.PlacedBefore}, nil
	})
}

func (s *Shop) findOrders(ctx context.Context, request page.Request, as orderView, choose func(*db.Tx) (orderQuery, error)) (*page.Page[Order], error) {
	var bad fault.Invalid
	w := request.Window(&bad)
	if err := bad.Err(); err != nil {
		return nil, err
	}
	set, err := s.loadSettings(ctx)
	if err != nil {
		return nil, err
	}
	var rows []*orderRow
	var total int
	err = s.viewMany(ctx, func(ctx context.Context, tx *db.Tx) error {
		query, err := choose(tx)
		if err != nil {
			return err
		}
		if total, err = query.count(tx); err != nil {
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
	nodes := make([]Order, len(rows))
	for i, row := range rows {
		nodes[i] = row.view(set.money, as)
	}
	return &page.Page[Order]{Nodes: nodes, Meta: w.MetaFor(total)}, nil
}

// FindOrder returns an order by its invoice UID: complete for its owner and for a caller with its
// order token, masked for others. An invalid token of either kind is ignored. Codes: not_found.
func (s *Shop) FindOrder(ctx context.Context, caller access.Caller, invoiceUID string) (*Order, error) {
	reader, err := s.reader(ctx, caller)
	if err != nil {
		return nil, err
	}
	return s.findOrder(ctx, invoiceUID, reader)
}

// orderReader returns how much of an order a caller may see.
type orderReader func(tx *db.Tx, row *orderRow) (orderView, error)

// reader returns the orderReader of the caller. An invalid token of either kind is ignored.
func (s *Shop) reader(ctx context.Context, caller access.Caller) (orderReader, error) {
	buyer, err := s.Accounts.IdentityOrGuest(ctx, caller)
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
		case tokens.proves(caller.OrderToken, row.id):
			return viewWhole, nil
		}
		return viewMasked, nil
	}, nil
}

// FindOrderAsStaff returns any order, with what only staff members may see. Codes: not_found.
func (s *Shop) FindOrderAsStaff(ctx context.Context, caller access.Caller, invoiceUID string) (view *StaffOrder, err error) {
	if err := s.requireAdmin(ctx, caller); err != nil {
		return nil, err
	}
	uid, err := requireInvoiceUID(invoiceUID)
	if err != nil {
		return nil, err
	}
	set, err := s.loadSettings(ctx)
	if err != nil {
		return nil, err
	}
	err = s.view(ctx, func(_ context.Context, tx *db.Tx) error {
		row, err := requireOrder(tx, uid)
		if err != nil {
			return err
		}
		view, err = staffView(tx, row, set.money)
		return err
	})
	if err != nil {
		return nil, err
	}
	return view, nil
}

func (s *Shop) findOrder(ctx context.Context, invoiceUID string, reader orderReader) (*Order, error) {
	uid, err := requireInvoiceUID(invoiceUID)
	if err != nil {
		return nil, err
	}
	set, err := s.loadSettings(ctx)
	if err != nil {
		return nil, err
	}
	var row *orderRow
	var as orderView
	err = s.view(ctx, func(ctx context.Context, tx *db.Tx) (err error) {
		if row, err = requireOrder(tx, uid); err != nil {
			return err
		}
		as, err = reader(tx, row)
		return err
	})
	if err != nil {
		return nil, err
	}
	order := row.view(set.money, as)
	return &order, nil
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
