package order

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"storefront/db"
	"storefront/shop/access"
	"storefront/shop/fault"
	"storefront/shop/status"
)

const (
	// paymentWindow is the time after which an unpaid online order may expire.
	paymentWindow = 30 * time.Minute
	// attemptReuse is the age up to which an open attempt is returned instead of starting another.
	attemptReuse = 15 * time.Minute
	// maxAttempts limits the payment attempts of an order.
	maxAttempts = 10
)

// PaymentMethods returns the payment methods that the shop accepts now.
func (set CheckoutSettings) PaymentMethods() []status.PaymentMethod {
	methods := []status.PaymentMethod{status.PayCOD}
	for _, method := range []status.PaymentMethod{status.PayGatewayA, status.PayGatewayB} {
		if set.Online[method] != nil {
			methods = append(methods, method)
		}
	}
	return methods
}

// checkPaymentMethod checks that the shop accepts a method. Codes: payment_method_unavailable.
func (set CheckoutSettings) checkPaymentMethod(method status.PaymentMethod) error {
	if slices.Contains(set.PaymentMethods(), method) {
		return nil
	}
	return set.errPaymentMethod("The shop does not accept this payment method: choose one of its paymentMethods.")
}

// checkPaymentAmount checks that the method's gateway accepts a total. Codes:
// payment_method_unavailable.
func (set CheckoutSettings) checkPaymentAmount(method status.PaymentMethod, total int64) error {
	if accepts := set.Online[method]; accepts == nil || total == 0 || accepts(total) {
		return nil
	}
	return set.errPaymentMethod("This payment method does not accept a total of " + set.Currency.Text(total) + ": choose another one.")
}

func (set CheckoutSettings) errPaymentMethod(message string) error {
	return &fault.Error{
		Code: fault.CodePaymentMethodUnavailable, Message: message,
		Fields:  []fault.FieldError{{Field: "paymentMethod", Code: fault.CodePaymentMethodUnavailable, Message: message}},
		Details: map[string]any{"paymentMethods": set.PaymentMethods()},
	}
}

// PaymentInput is the input of [Orders.StartPayment].
type PaymentInput struct {
	PaymentMethod status.PaymentMethod `json:"paymentMethod" enum:"gateway_a,gateway_b"`
}

// StartPayment starts a payment attempt of an order at a gateway. The caller must be the order's
// owner or have its order token; for others the order is not found. An open attempt with the same
// method that is less than 15 minutes old is returned instead of a new one. Codes:
// validation_failed, not_found, not_payable, payment_method_unavailable.
func (s *Orders) StartPayment(ctx context.Context, caller access.Caller, invoiceUID string, in PaymentInput) (*PaymentAttempt, error) {
	if in.PaymentMethod != status.PayGatewayA && in.PaymentMethod != status.PayGatewayB {
		var bad fault.Invalid
		bad.Add("paymentMethod", fault.CodeInvalidValue, "The payment method must be %s or %s.", status.PayGatewayA, status.PayGatewayB)
		return nil, bad.Err()
	}
	return s.startPaymentAs(ctx, caller, invoiceUID, in.PaymentMethod, returnToStorefront)
}

// onlineMethods returns the gateways at which an order can be paid from its page, its own first.
func (set CheckoutSettings) onlineMethods(o *orderRow) []status.PaymentMethod {
	methods := slices.DeleteFunc(set.PaymentMethods(), func(method status.PaymentMethod) bool {
		return method == status.PayCOD || set.checkPaymentAmount(method, o.onlineAmount()) != nil
	})
	if i := slices.Index(methods, o.method); i > 0 {
		methods[0], methods[i] = methods[i], methods[0]
	}
	return methods
}

// startPaymentAs starts an attempt with a method, or if it is "" with the first of
// [CheckoutSettings.onlineMethods]. The buyer then returns to a place.
func (s *Orders) startPaymentAs(
	ctx context.Context, caller access.Caller, invoiceUID string, method status.PaymentMethod, back returnPlace,
) (*PaymentAttempt, error) {
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
	var attempt *attemptRow
	err = s.data.Update(ctx, func(_ context.Context, tx *db.Tx) error {
		order, _, err := reader.requireWhole(tx, uid)
		if err != nil {
			return err
		}
		if method == "" {
			method = cmp.Or(append(set.onlineMethods(order), order.method)...)
		}
		attempt, err = s.startPayment(tx, set, order, method)
		return err
	})
	if err != nil {
		return nil, err
	}
	if attempt, err = s.startAttempt(ctx, attempt, back); err != nil {
		return nil, err
	}
	view := attempt.view(set.Currency)
	return &view, nil
}

func (s *Orders) startPayment(tx *db.Tx, set CheckoutSettings, o *orderRow, method status.PaymentMethod) (*attemptRow, error) {
	if blocked := o.paymentBlocked(); blocked != "" {
		return nil, fault.Errorf(fault.CodeNotPayable, "%s", blocked)
	}
	if err := set.checkPaymentMethod(method); err != nil {
		return nil, err
	}
	if method == status.PayCOD { // the shop has no gateway
		return nil, set.errPaymentMethod("The shop has no gateway.")
	}
	if err := set.checkPaymentAmount(method, o.onlineAmount()); err != nil {
		return nil, err
	}
	fresh := db.Millis(tx.Now().Add(-attemptReuse))
	for _, a := range o.attempts {
		if a.method == method && a.status.IsOpen() && a.createdAt > fresh && a.amount == o.onlineAmount() {
			return a, nil
		}
	}
	if len(o.attempts) >= maxAttempts {
		return nil, fault.Errorf(fault.CodeNotPayable, "This order already has %d payment attempts, the maximum: contact the shop.", maxAttempts)
	}
	return s.newAttempt(tx, o, method)
}

// newAttempt inserts a payment attempt, before it is started at the gateway.
func (s *Orders) newAttempt(tx *db.Tx, o *orderRow, method status.PaymentMethod) (*attemptRow, error) {
	a := &attemptRow{
		method: method, mode: o.mode(), status: status.AttemptInitiated, amount: o.onlineAmount(), advance: o.method == status.PayCOD,
	}
	c := s.changeOrder(tx, o, ByBuyer)
	if !a.advance {
		o.method = method
	}
	c.addAttempt(a)
	return a, c.save()
}

// onlineAmount returns the amount of a payment attempt for the order: its total, or its advance.
func (o *orderRow) onlineAmount() int64 {
	if o.method == status.PayCOD {
		return o.advanceDue()
	}
	return o.total
}

// paymentBlocked returns a message with the reason why the order cannot be paid online, or "" if it
// can.
func (o *orderRow) paymentBlocked() string {
	switch {
	case o.status.IsClosed():
		return fmt.Sprintf("The order is %s.", o.status)
	case o.method == status.PayCOD && o.advanceDue() == 0:
		return "The order is paid in cash on delivery."
	case o.payment == status.PaymentNeedsReview:
		return "The shop is checking a payment of this order."
	case !o.awaitsPayment():
		return "The order is paid."
	}
	return ""
}
