package order

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"storefront/db"
	"storefront/shop/access"
	"storefront/shop/fault"
	"storefront/shop/input"
	"storefront/shop/money"
	"storefront/shop/status"
)

// AdvanceMethod is how the shop has received an advance.
//
//api:enum AdvanceMethod
type AdvanceMethod string

// The methods.
const (
	AdvanceBkash  AdvanceMethod = "bkash"  // bKash
	AdvanceNagad  AdvanceMethod = "nagad"  // Nagad
	AdvanceRocket AdvanceMethod = "rocket" // Rocket
	AdvanceUpay   AdvanceMethod = "upay"   // Upay
	AdvanceBank   AdvanceMethod = "bank"   // a bank transfer
	AdvanceCash   AdvanceMethod = "cash"   // cash
	AdvanceOther  AdvanceMethod = "other"  // otherwise
)

// AdvanceMethods returns every method.
func AdvanceMethods() []AdvanceMethod {
	return []AdvanceMethod{AdvanceBkash, AdvanceNagad, AdvanceRocket, AdvanceUpay, AdvanceBank, AdvanceCash, AdvanceOther}
}

const (
	maxAdvances         = 20 // of an order
	maxAdvanceReference = 100
)

// AdvanceInput is a payment to the shop for a cash order before its delivery.
type AdvanceInput struct {
	Amount    int64         `json:"amount" minimum:"1" doc:"Minor units"`
	Method    AdvanceMethod `json:"method"`
	Reference *string       `json:"reference,omitempty" doc:"Such as a transaction number, at most 100 characters"`
}

// Advance is a payment to the shop for a cash order before its delivery. The courier collects the
// rest.
type Advance struct {
	ID        string        `json:"_id"`
	At        time.Time     `json:"at"`
	By        access.Actor  `json:"by"`
	Amount    money.Money   `json:"amount"`
	Method    AdvanceMethod `json:"method"`
	Reference *string       `json:"reference"`
}

// advanceRow is a stored advance.
type advanceRow struct {
	id        string
	amount    int64
	method    AdvanceMethod
	reference string
	by        string // JSON
	at        int64
}

// transactionID returns the transaction of an advance by a wallet or a bank, "" for another one.
func (a *advanceRow) transactionID() string {
	if !slices.Contains(walletMethods, a.method) {
		return ""
	}
	return transactionID(a.reference)
}

func (a *advanceRow) view(currency money.Currency) (view Advance, err error) {
	view = Advance{
		ID: a.id, At: db.FromMillis(a.at), Amount: currency.Money(a.amount), Method: a.method, Reference: db.NullText(a.reference),
	}
	if err := json.Unmarshal([]byte(a.by), &view.By); err != nil {
		return view, fmt.Errorf("read advance: %w", err)
	}
	return view, nil
}

// RecordAdvance records an advance of a cash order. The order is paid once its advances reach the
// total. Codes: validation_failed (also if the advances exceed the total), not_found,
// state_conflict (the order is not open, is paid online or is with a courier).
func (s *Orders) RecordAdvance(ctx context.Context, caller access.Caller, invoiceUID string, in AdvanceInput) (*StaffOrder, error) {
	set, err := s.cfg.Settings(ctx)
	if err != nil {
		return nil, err
	}
	return s.changeStaffOrder(ctx, caller, access.ToRecordAdvance, invoiceUID,
		func() error {
			var bad fault.Invalid
			in.check(&bad, "")
			return bad.Err()
		},
		func(tx *db.Tx, who access.Staff, o *orderRow) ([]access.Change, error) {
			return nil, s.recordAdvance(tx, who, o, in, "", set.Currency)
		})
}

// check checks the input and converts it to its stored form. The fields of its errors begin with
// prefix.
func (in *AdvanceInput) check(bad *fault.Invalid, prefix string) {
	if in.Amount < 1 || !money.IsAmount(in.Amount) {
		bad.Add(prefix+"amount", fault.CodeInvalidValue, "Must be an amount in minor units above zero.")
	}
	if !slices.Contains(AdvanceMethods(), in.Method) {
		bad.Add(prefix+"method", fault.CodeInvalidValue, "The method must be bkash, nagad, rocket, upay, bank, cash or other.")
	}
	in.Reference = new(input.CheckLine(bad, prefix+"reference", db.TextOf(in.Reference), maxAdvanceReference))
}

// recordAdvance is the change of [Orders.RecordAdvance]. The fields of its errors begin with
// prefix.
func (s *Orders) recordAdvance(
	tx *db.Tx, who access.Staff, o *orderRow, in AdvanceInput, prefix string, currency money.Currency,
) error {
	if err := o.checkAdvance(tx); err != nil {
		return err
	}
	if rest := max(0, o.total-o.received()); in.Amount > rest {
		var bad fault.Invalid
		bad.Add(prefix+"amount", fault.CodeInvalidValue, "The advances must not exceed the total: %s is still to pay.", currency.Text(rest))
		return bad.Err()
	}
	by, err := actorText(who)
	if err != nil {
		return err
	}
	row := advanceRow{
		id: s.ids.Next(tx.Now()), amount: in.Amount, method: in.Method, reference: *in.Reference, by: by, at: db.Millis(tx.Now()),
	}
	if err := checkTransactionUnused(tx, row.transactionID(), prefix+"reference", o.number); err != nil {
		return err
	}
	advances, err := findAdvances(tx, o.number)
	if err != nil {
		return err
	}
	if len(advances) >= maxAdvances {
		return fault.Errorf(fault.CodeStateConflict, "The order already has %d advances, the maximum.", maxAdvances)
	}
	return s.addAdvance(tx, who, o, row, currency)
}

// addAdvance adds money that the shop has received in advance to an order.
func (s *Orders) addAdvance(tx *db.Tx, who access.Staff, o *orderRow, row advanceRow, currency money.Currency) error {
	if err := insertAdvance(tx, o.number, row); err != nil {
		return err
	}
	return s.setAdvance(tx, who, o, o.advance+row.amount, fmt.Sprintf("The shop received %s in advance.", currency.Text(row.amount)))
}

// RemoveAdvance removes an advance that was recorded by mistake. Codes: not_found, state_conflict
// (as for RecordAdvance).
func (s *Orders) RemoveAdvance(ctx context.Context, caller access.Caller, invoiceUID, advanceID string) (*StaffOrder, error) {
	set, err := s.cfg.Settings(ctx)
	if err != nil {
		return nil, err
	}
	return s.changeStaffOrder(ctx, caller, access.ToRemoveAdvance, invoiceUID, nil,
		func(tx *db.Tx, who access.Staff, o *orderRow) ([]access.Change, error) {
			return nil, s.removeAdvance(tx, who, o, advanceID, set.Currency)
		})
}

// removeAdvance is the change of [Orders.RemoveAdvance].
func (s *Orders) removeAdvance(
	tx *db.Tx, who access.Staff, o *orderRow, advanceID string, currency money.Currency,
) error {
	advances, err := findAdvances(tx, o.number)
	if err != nil {
		return err
	}
	i := slices.IndexFunc(advances, func(a advanceRow) bool { return a.id == advanceID })
	if i < 0 {
		return fault.Errorf(fault.CodeNotFound, "The order has no such advance.")
	}
	if err := o.checkAdvance(tx); err != nil {
		return err
	}
	if err := deleteAdvance(tx, o.number, advanceID); err != nil {
		return err
	}
	if err := reopenWalletPayment(tx, o, advanceID); err != nil {
		return err
	}
	amount := advances[i].amount
	return s.setAdvance(tx, who, o, o.advance-amount,
		fmt.Sprintf("The shop removed an advance of %s from the order.", currency.Text(amount)))
}

// setAdvance saves the sum of an order's advances, and whether they pay it. message is for the
// buyer.
func (s *Orders) setAdvance(
	tx *db.Tx, who access.Staff, o *orderRow, sum int64, message string,
) error {
	c := s.changeAsStaff(tx, o, who)
	o.advance = sum
	c.addTimeline(c.now, TimelineAdvance, message)
	c.flagLateAdvance()
	if o.status.IsClosed() && o.payment == status.PaymentRefunded && sum > c.was.advance {
		c.setPaymentStatus(status.PaymentRefundDue)
	}
	return c.save()
}

// checkAdvance is the rule for recording and removing advances. Codes: state_conflict.
func (o *orderRow) checkAdvance(tx *db.Tx) error {
	switch {
	case o.status.IsClosed() || o.status == status.OrderCompleted:
		return fault.Errorf(fault.CodeStateConflict, "The order is %s.", o.status)
	case o.method != status.PayCOD:
		return fault.Errorf(fault.CodeStateConflict, "The order is paid online: advances are for cash orders.")
	case o.payment != status.PaymentUnpaid && !o.paidByAdvances():
		return fault.Errorf(fault.CodeStateConflict, "The payment of the order is %s.", o.payment)
	}
	return o.checkNotWithCourier(tx)
}

// paidByAdvances reports whether a cash order is paid by its advances, or has nothing to pay.
func (o *orderRow) paidByAdvances() bool {
	return o.method == status.PayCOD && o.payment == status.PaymentPaid && o.cashPaid == 0 && o.received() >= o.total
}

// hasUnpaidRest reports whether a part of a cash order was received and the rest was not.
func (o *orderRow) hasUnpaidRest() bool {
	return o.method == status.PayCOD && o.payment == status.PaymentUnpaid && o.received() > 0
}

// followAdvances derives the payment status of a cash order whose advances or total have changed.
func (c *orderChange) followAdvances() {
	o := c.o
	if o.received() > c.was.received() {
		o.client = nil // the money proves the buyer
	}
	switch {
	case !c.contentsChanged() && o.prepaid == c.was.prepaid || o.method != status.PayCOD || o.status.IsClosed():
	case o.payment == status.PaymentUnpaid && o.received() >= o.total:
		c.setPaymentStatus(status.PaymentPaid)
	case o.payment == status.PaymentPaid && o.received() < o.total && o.cashPaid == 0:
		c.setPaymentStatus(status.PaymentUnpaid)
	}
}

// errAdvanceTooLarge returns the error of a total below the advances.
func errAdvanceTooLarge(currency money.Currency, total, advance int64) error {
	var bad fault.Invalid
	bad.Add("items", fault.CodeInvalidValue, "The total would be %s, below the advances of %s: remove an advance first.",
		currency.Text(total), currency.Text(advance))
	return bad.Err()
}

// actorText returns the caller in stored form.
func actorText(who access.Staff) (string, error) {
	text, err := json.Marshal(who.Actor())
	if err != nil {
		return "", fmt.Errorf("encode actor: %w", err)
	}
	return string(text), nil
}

// advanceViews returns the advances of an order, oldest first.
func advanceViews(tx *db.Tx, o *orderRow, currency money.Currency) ([]Advance, error) {
	views := []Advance{}
	if o.advance == 0 { // none is recorded by hand
		return views, nil
	}
	rows, err := findAdvances(tx, o.number)
	if err != nil {
		return nil, err
	}
	for i := range rows {
		view, err := rows[i].view(currency)
		if err != nil {
			return nil, err
		}
		views = append(views, view)
	}
	return views, nil
}
