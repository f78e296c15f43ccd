package order

import (
	"context"

	"storefront/db"
	"storefront/shop/access"
	"storefront/shop/money"
	"storefront/shop/status"
)

// PagePath begins the path of the server's page of an order. The tenant's UID and the invoice
// UID follow.
const PagePath = "/t/"

// Page is an order as the server's page shows it.
type Page struct {
	Order *Order // masked unless the caller has its order token
	// PayMethods are the gateways at which the caller can pay the order now, its own first.
	PayMethods []status.PaymentMethod
	PayAmount  money.Money  // to pay online: the total or the advance
	Proven     bool         // the caller has the order token
	CashDue    *money.Money // the cash that the courier collects; nil if there is none
}

// FindPage returns an order for the server's page. Codes: not_found.
func (s *Orders) FindPage(ctx context.Context, caller access.Caller, invoiceUID string) (*Page, error) {
	uid, err := requireInvoiceUID(invoiceUID)
	if err != nil {
		return nil, err
	}
	set, err := s.cfg.Checkout(ctx)
	if err != nil {
		return nil, err
	}
	reader, err := s.reader(ctx, caller)
	if err != nil {
		return nil, err
	}
	page := &Page{}
	err = s.data.View(ctx, func(_ context.Context, tx *db.Tx) error {
		row, err := requireOrder(tx, uid)
		if err != nil {
			return err
		}
		as, err := reader(tx, row)
		if err != nil {
			return err
		}
		order := row.view(set.Display, as)
		page.Order, page.Proven = &order, as != viewMasked
		if page.Proven && row.paymentBlocked() == "" {
			page.PayMethods = set.onlineMethods(row)
		}
		page.PayAmount = set.Money(row.onlineAmount())
		if due := row.cashToCollect(); due > 0 {
			page.CashDue = new(set.Money(due))
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return page, nil
}

// StartPaymentOnPage is [Orders.StartPayment] for a buyer on the server's page of the order. The
// default method is the first that the page offers. The gateway sends the buyer back to that page.
// Codes: not_found, not_payable, payment_method_unavailable.
func (s *Orders) StartPaymentOnPage(
	ctx context.Context, caller access.Caller, invoiceUID string, in PaymentInput,
) (*PaymentAttempt, error) {
	return s.startPaymentAs(ctx, caller, invoiceUID, in.PaymentMethod, returnToPage)
}

// returnPlace is the place to which a buyer is sent after paying.
type returnPlace string

// The places, as in the end of the path to which a gateway sends the buyer.
const (
	returnToStorefront returnPlace = ""
	returnToPage       returnPlace = "/order"
)

// PageReturn ends the path to which a gateway sends a buyer who began to pay on the server's
// page of the order.
const PageReturn = string(returnToPage)

// OrderPageURL returns the address of the server's page of an order.
func (s *Orders) OrderPageURL(invoiceUID string) string {
	return s.providerURL(PagePath) + "/" + invoiceUID
}
