package order

import (
	"fmt"
	"slices"
	"time"

	"storefront/db"
	"storefront/shop/access"
	"storefront/shop/fault"
	"storefront/shop/money"
	"storefront/shop/plugin"
	"storefront/shop/status"
)

// duplicateRefundWindow is the time in which a second refund of the same amount must be confirmed.
const duplicateRefundWindow = time.Hour

// RefundInput is a refund of money that the shop received. The zero value refunds what is due.
type RefundInput struct {
	Amount *int64       `json:"amount,omitempty"           doc:"Minor units. Defaults to the share of items, or else to the amount due"`
	Items  []RefundItem `json:"items,omitempty"            doc:"Units that the refund is for"                                      nullable:"false"`
	Reason CreditReason `json:"reason,omitempty"           doc:"Defaults to sent_back for items, otherwise goodwill"`
	// ConfirmDuplicate is needed for a second refund of the same amount within an hour.
	ConfirmDuplicate bool `json:"confirmDuplicate,omitempty" doc:"Make a second refund of the same amount within an hour"`
}

// RefundItem are units of an order line that a refund is for.
type RefundItem struct {
	VariantID string `json:"variantId"`
	Quantity  int    `json:"quantity"          minimum:"1"`
	Restock   int    `json:"restock,omitempty" minimum:"0" doc:"Units that are back and fit for sale: they are added to the stock"`
}

// isWhole reports whether the input names neither an amount nor units.
func (in *RefundInput) isWhole() bool { return in.Amount == nil && len(in.Items) == 0 }

// check checks the input alone. Codes: validation_failed.
func (in *RefundInput) check() error {
	var bad fault.Invalid
	if in.Amount != nil && (*in.Amount < 1 || !money.IsAmount(*in.Amount)) {
		bad.Add("amount", fault.CodeInvalidValue, "The amount must be greater than zero.")
	}
	if in.Reason != "" && !slices.Contains(RefundReasons(), in.Reason) {
		bad.Add("reason", fault.CodeInvalidValue,
			"The reason must be sent_back, damaged, missing, goodwill or other.")
	}
	return bad.Err()
}

// refundedItems returns the credits for the units of a refund, with their shares of the lines.
// Codes: validation_failed, state_conflict.
func (o *orderRow) refundedItems(in RefundInput) (credits []creditRow, sum int64, err error) {
	if len(in.Items) == 0 {
		return nil, 0, nil
	}
	if o.fulfillment != status.Delivered || o.status.IsClosed() {
		return nil, 0, fault.StatusConflict(o.status,
			"The order is not delivered: units cannot be refunded alone.")
	}
	var bad fault.Invalid
	units := o.creditedUnits(false)
	for n, refund := range in.Items {
		field := fmt.Sprintf("items[%d]", n)
		i := slices.IndexFunc(o.items,
			func(item orderItemRow) bool { return item.variantID == refund.VariantID })
		if i < 0 {
			bad.Add(field+".variantId", fault.CodeInvalidValue, "The order has no such variant.")
			continue
		}
		item := &o.items[i]
		if left := item.quantity - units[i]; refund.Quantity < 1 || refund.Quantity > left {
			bad.Add(field+".quantity", fault.CodeInvalidValue, "The quantity must be 1 to %d.",
				left)
			continue
		}
		if refund.Restock < 0 || refund.Restock > refund.Quantity {
			bad.Add(field+".restock", fault.CodeInvalidValue,
				"The restocked units must be 0 to %d.", refund.Quantity)
		}
		share := item.shareOf(units[i]+refund.Quantity) - item.shareOf(units[i])
		units[i] += refund.Quantity
		sum += share
		credits = append(credits, creditRow{
			position: i + 1, quantity: refund.Quantity, restocked: refund.Restock, amount: share, reason: in.reasonOr(CreditSentBack),
		})
	}
	return credits, sum, bad.Err()
}

func (in *RefundInput) reasonOr(usual CreditReason) CreditReason {
	if in.Reason == "" {
		return usual
	}
	return in.Reason
}

// creditRefund reduces the order for a refund of amount: for its units, and for money that the shop
// did not owe the buyer before. underWay is what the shop is sending back already. Codes:
// validation_failed, state_conflict.
func (c *orderChange) creditRefund(
	who access.Staff, in RefundInput, credits []creditRow, amount, underWay int64,
) error {
	if c.o.status.IsClosed() {
		return nil
	}
	rest := amount
	for i := range credits {
		credits[i].amount = min(credits[i].amount, rest)
		rest -= credits[i].amount
	}
	if granted := rest - max(0, c.o.owed()-underWay); granted > 0 {
		credits = append(credits, creditRow{amount: granted, reason: in.reasonOr(CreditGoodwill)})
	}
	if len(credits) == 0 {
		return nil
	}
	return c.addCredits(who, credits)
}

// refundsUnderWay returns what the shop is sending back for the order through its gateways.
func (o *orderRow) refundsUnderWay(tx *db.Tx) (sum int64, err error) {
	for _, a := range o.attempts {
		if !a.status.MoneyReceived() {
			continue
		}
		refunds, err := findRefunds(tx, a.id)
		if err != nil {
			return 0, err
		}
		for _, r := range refunds {
			if r.isSent() || r.isUncertain() {
				sum += r.amount
			}
		}
	}
	return sum, nil
}

// errDuplicateRefund returns the error of a second refund of the same amount.
func errDuplicateRefund(amount int64, at time.Time, currency money.Currency) error {
	e := fault.Errorf(fault.CodeStateConflict,
		"A refund of %s was made at %s. To refund the same amount once more, confirm the duplicate.",
		currency.Text(amount), at.Format(time.RFC3339))
	e.Details = map[string]any{"duplicateOf": at}
	return e
}

// checkDuplicate checks that a refund of the payment does not repeat a recent one. Codes:
// state_conflict.
func (p *payment) checkDuplicate(in RefundInput, amount, now int64, currency money.Currency) error {
	for _, r := range p.refunds {
		if r.amount == amount && r.state != plugin.RefundFailed &&
			now-r.createdAt < duplicateRefundWindow.Milliseconds() &&
			!in.ConfirmDuplicate {
			return errDuplicateRefund(amount, db.FromMillis(r.createdAt), currency)
		}
	}
	return nil
}

// refundable returns what can still be refunded of the payment; 0 while the result of a refund is
// unknown.
func (p *payment) refundable() int64 {
	a := p.attempt
	if a.status != status.AttemptSucceeded && a.status != status.AttemptRefundDue {
		return 0
	}
	left := a.amount - a.refunded
	for _, r := range p.refunds {
		if r.isUncertain() {
			return 0
		}
		if r.state == plugin.RefundProcessing {
			left -= r.amount
		}
	}
	return left
}

// createRefund adds a refund of the payment with its credits. Codes: validation_failed,
// state_conflict.
func (c *orderChange) createRefund(
	who access.Staff, p *payment, in RefundInput, currency money.Currency,
) (*refundRow, error) {
	if err := in.check(); err != nil {
		return nil, err
	}
	credits, sum, err := c.o.refundedItems(in)
	if err != nil {
		return nil, err
	}
	if in.Amount == nil && len(credits) > 0 {
		in.Amount = &sum
	}
	amount, err := p.checkRefund(in.Amount, currency)
	if err != nil {
		return nil, err
	}
	if err := p.checkDuplicate(in, amount, c.now, currency); err != nil {
		return nil, err
	}
	if p.attempt.status == status.AttemptSucceeded { // otherwise the order does not need the money
		underWay, err := c.o.refundsUnderWay(c.tx)
		if err == nil {
			err = c.creditRefund(who, in, credits, amount, underWay)
		}
		if err != nil {
			return nil, err
		}
	}
	return c.addRefund(p, amount)
}

// refundCash records a refund of cash with its credits. Codes: validation_failed, state_conflict.
func (c *orderChange) refundCash(who access.Staff, in RefundInput, currency money.Currency) error {
	o := c.o
	credits, amount, err := o.refundedItems(in)
	if err != nil {
		return err
	}
	switch {
	case in.Amount != nil:
		amount = *in.Amount
	case len(credits) > 0:
	case o.payment == status.PaymentRefundDue:
		amount = o.cashHeld()
	default:
		amount = min(o.owed(), o.cashHeld())
	}
	if amount > o.cashHeld() {
		var bad fault.Invalid
		bad.Add("amount", fault.CodeInvalidValue, "At most %s can still be refunded.",
			currency.Text(o.cashHeld()))
		return bad.Err()
	}
	if err := c.checkCashDuplicate(in, amount, currency); err != nil {
		return err
	}
	if err := c.creditRefund(who, in, credits, amount, 0); err != nil {
		return err
	}
	if err := c.addCashRefund(who, amount); err != nil {
		return err
	}
	switch {
	case o.cashHeld() == 0 && o.prepaid == 0:
		c.setPaymentStatus(status.PaymentRefunded)
	case o.payment != status.PaymentRefundDue:
		c.setPaymentStatus(status.PaymentPartiallyRefunded)
	}
	return c.save()
}

// checkCashDuplicate checks that a refund of cash does not repeat a recent one. Codes:
// state_conflict.
func (c *orderChange) checkCashDuplicate(
	in RefundInput, amount int64, currency money.Currency,
) error {
	if in.ConfirmDuplicate || c.o.cashRefunded == 0 {
		return nil
	}
	var at *int64
	err := c.tx.QueryRow(`
		SELECT MAX(at)
		FROM cash_refunds
		WHERE order_number = ? AND amount = ? AND at > ?`, c.o.number, amount, c.now-duplicateRefundWindow.Milliseconds()).Scan(&at)
	switch {
	case err != nil:
		return fmt.Errorf("find cash refunds: %w", err)
	case at != nil:
		return errDuplicateRefund(amount, db.FromMillis(*at), currency)
	}
	return nil
}

// addCashRefund records that cash was sent back to the buyer.
func (c *orderChange) addCashRefund(who access.Staff, amount int64) error {
	if amount == 0 {
		return nil
	}
	by, err := actorText(who)
	if err != nil {
		return err
	}
	c.o.cashRefunded += amount
	err = c.tx.Do(`
		INSERT INTO cash_refunds (order_number, id, amount, created_by, at)
		VALUES (?, ?, ?, ?, ?)`, c.o.number, c.s.ids.Next(db.FromMillis(c.now)), amount, by, c.now)
	if err != nil {
		return fmt.Errorf("add cash refund: %w", err)
	}
	return nil
}
